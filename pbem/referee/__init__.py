"""What the game master may do to a game that is under way: roll it back, and rule. Each is a turn of its own on record.

Nothing is taken out of the record by it, no number goes back, and the dice have moved on: what was rolled and is
undone can never come again for other orders.
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
    "request_void",
)
"""Kinds of events that tell of the game master, not of the game."""

GAME_MASTER: Final = "game master"
ALL_SIDES: Final = "all sides"
