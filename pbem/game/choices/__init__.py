"""What a side may answer: a structure of named parts, and the lists of orders that follow from it."""
