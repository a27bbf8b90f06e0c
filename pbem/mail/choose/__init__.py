"""What a letter means: which game, which side, which sheet."""
