"""The verbs about the rules."""
