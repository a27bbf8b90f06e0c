"""Geometry that games share: it knows no game and draws nothing."""
