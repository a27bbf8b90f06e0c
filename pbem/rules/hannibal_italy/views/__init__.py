"""Views for the players: the map, summaries, hints, forecasts, odds; and the secrets of each side."""
