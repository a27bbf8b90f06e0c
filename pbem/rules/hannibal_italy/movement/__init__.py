"""Marches hex by hex, with diplomacy, overruns and what leaders take along (7)."""
