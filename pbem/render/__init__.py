"""Rendering: pictures and text for readers, from redacted scenes and never from a position. Knows no game."""
