"""Why something cannot be done: the one value for "no" in the rules of a game."""

from __future__ import annotations

from typing import NamedTuple


class Refusal(NamedTuple):
    """A reason for the player to read, and the paragraph of the rulebook."""

    reason: str
    rule: str
