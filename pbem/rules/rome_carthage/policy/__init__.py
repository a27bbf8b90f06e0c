"""The bot of the game: a plain, careful player that knows no more than its side may know.

It holds its provinces and takes those it can, keeps its armies together, fights where it is stronger, and does not
march to its destruction. What it has no view of it answers by the default, or the first legal answer.
"""
