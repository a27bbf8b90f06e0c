"""The report and all other texts, from scenes, events and summaries."""
