"""Orders said in words: the reader that takes a player's own line for an order, or asks about one word of it."""
