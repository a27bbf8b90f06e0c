"""The transport of letters: where they come from (`Source`) and how they leave (`Sender`)."""
