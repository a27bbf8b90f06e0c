"""The bot of the game: a plain, careful player for every side, who knows no more than the view of that side.

It holds its victory spaces and takes those within reach, keeps its armies together, besieges with enough, raids, allies
with those who do not lead, and leads the powers without a player against its enemies. What it has no view of it answers
by the default of the decision, or by the first legal order.
"""
