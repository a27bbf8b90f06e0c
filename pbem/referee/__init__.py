"""The referee: accepts sheets, adjudicates, and does what the game master may do to a game: rule, and roll back.

Every act of the game master is an adjudication of its own. Nothing is removed from the record, no number goes back,
and the dice have moved on: a roll that was undone can never come again for other orders.
"""

from typing import Final

EVENTS: Final = (
    "rolled_back",
    "ruled_answer",
    "ruled_patch",
    "ruled_default",
    "ruled_end",
    "ruled_apart",
    "ruled_ready",
    "new_player",
    "draw_agreed",
    "resigned",
)
"""The kinds of events that are about acts of the game master, not about the game."""

GAME_MASTER: Final = "the game master"
ALL_SIDES: Final = "all sides"
QUORUM: Final = "the agreed number of sides"
