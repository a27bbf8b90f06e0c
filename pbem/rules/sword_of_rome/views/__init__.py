"""What a side may know of a position, and how it is shown."""
