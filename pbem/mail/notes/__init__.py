"""What is noted beside a game of its readers: their addresses, what they were told, their time zone, their outbox."""
