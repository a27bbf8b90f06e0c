"""Why it came so: what if, explanations, the log of the dice."""
