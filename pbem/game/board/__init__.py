"""The board: a graph of spaces or hexes, and what a position looks like on it."""
