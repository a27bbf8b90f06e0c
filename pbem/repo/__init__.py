"""What a game's git repository holds, file by file, and the only code that knows git (`git/`)."""
