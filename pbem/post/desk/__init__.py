"""The desk of the game master of many games: setting up, health, backups."""
