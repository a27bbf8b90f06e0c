"""The table of effects: word of `do` -> the effect, for every word but those of card plays of their own (7.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.rules.sword_of_rome.events.effects import battles, moves, others, overseas, supports, units
from pbem.rules.sword_of_rome.events.effects.base import EFFECTS

for words in (units, supports, battles, moves, others, overseas):
    EFFECTS.update(words.EFFECTS)
ELSEWHERE: Final[Mapping[str, str]] = {
    "campaign": "a Campaign is played as do campaign, with the leader who goes first",
    "nonplayer": "this card is played as do nonplayer, with the power that acts",
}
"""Words of `do` that are a use of their own in the order `act`, and how they are written."""
