"""What a game has put on record, read with suspicion: commits, turn files, sealed files, pins."""
