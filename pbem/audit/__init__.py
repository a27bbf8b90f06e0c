"""Everything that a dispute needs: whether the books are sound (verify), and what the rules make of them (replay)."""
