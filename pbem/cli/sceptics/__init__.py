"""The verbs for sceptics: the log, proofs, disputes."""
