"""A game derived again, commit by commit, from what was handed in."""
