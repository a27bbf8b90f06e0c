"""Views for players: the map, summaries, hints, forecasts, odds, and what each side may see."""
