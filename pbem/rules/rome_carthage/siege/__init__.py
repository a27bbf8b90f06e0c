"""Cities: sieges, sorties, the siege train, who is inside the walls (16)."""
