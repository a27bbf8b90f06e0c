"""A player's mailbox compared with the record of a game."""
