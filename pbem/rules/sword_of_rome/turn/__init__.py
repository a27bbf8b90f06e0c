"""The turn, in the order of play."""
