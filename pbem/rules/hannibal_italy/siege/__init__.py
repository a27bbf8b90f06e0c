"""Cities: surrender, assault and siege works (9.7 to 9.92)."""
