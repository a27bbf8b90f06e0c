"""Battles, from the first card to the retreat and the political consequences (11 to 14)."""
