"""A game made again, commit by commit, from what was handed in."""
