"""A refusal: why something cannot be done, and by which rule. The rules of a game have no other value for "no"."""

from __future__ import annotations

from typing import NamedTuple


class Refusal(NamedTuple):
    """A reason for the player to read, and the paragraph of the rulebook."""

    reason: str
    rule: str
