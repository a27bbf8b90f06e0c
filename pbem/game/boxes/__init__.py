"""The box of a game: its files, whether they are right, what of them is as printed, what pins them; and the shelf."""
