"""Movement, interception, avoidance and voyages."""
