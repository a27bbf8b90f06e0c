"""What players are shown: the map, summaries, hints, forecasts, odds; and what each may see of it."""
