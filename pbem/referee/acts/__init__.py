"""What players and the game master may do to a game besides playing it."""
