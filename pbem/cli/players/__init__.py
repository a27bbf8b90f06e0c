"""The verbs for players."""
