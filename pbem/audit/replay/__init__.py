"""A game played again from its record, and the differences."""
