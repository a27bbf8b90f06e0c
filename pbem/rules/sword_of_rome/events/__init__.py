"""Cards: their uses, events, responses, Desperate Times; alliances and powers without a player."""
