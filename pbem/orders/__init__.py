"""Orders: turns the text of a sheet into checked orders, and keeps standing orders, which answer without a sheet."""
