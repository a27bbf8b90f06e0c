"""Who wrote a letter: the proofs, the doubts, and the letters that bounce."""
