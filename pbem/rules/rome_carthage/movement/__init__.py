"""Marches and voyages, and the reactions of the enemy to them (8 to 10)."""
