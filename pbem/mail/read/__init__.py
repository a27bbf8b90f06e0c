"""Letters in: bytes to an opened letter, with its commands, its talk and the order sheets in it."""
