"""The verbs for the game master."""
