"""Marches and voyages, from the card that pays for them to what meets them on the way (8 to 10)."""
