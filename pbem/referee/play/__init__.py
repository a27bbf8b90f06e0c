"""A new game, its sheets and its adjudications."""
