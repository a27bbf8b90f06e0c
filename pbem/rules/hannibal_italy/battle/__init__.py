"""Battles in the field, from foraging to where the beaten go (9.1 to 9.6, 10)."""
