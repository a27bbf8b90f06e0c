"""Letters out: drafts to bytes, and every kind of letter that a game sends."""
