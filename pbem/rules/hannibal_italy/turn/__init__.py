"""The sequence of play: set-up, elections, recruiting, control, winter, victory (4 to 6, 8, 11, 12)."""
