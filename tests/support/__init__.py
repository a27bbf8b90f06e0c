"""What several tests need: games, letters, crashes, forgeries, and how long the soak is."""
