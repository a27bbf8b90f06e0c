"""Battles, from the first card to the retreat and its price at home (11 to 14)."""
