"""What a reader sees: pictures, pages and text. They get a redacted scene, never a position, and know no game."""
