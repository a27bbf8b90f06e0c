"""Responses: shaded cards that anybody may play at their moment, the active side first, then clockwise (7.1.1).

What this module offers to the others: `window(game, table, moment, *, about) -> Flow[None]`. `moment` is a word of
`when` in `schemas/cards.yaml`; `about` holds public facts of the moment (space, powers, attacker, card value).
It asks `respond`, one decision for all cards that fit, of each side of which public facts do not rule out that it can:
it holds a card, and its deck has a card that fits and lies neither in its discards nor out of the game. With `windows:
advance` nobody waits (`waits=False`). What a response does is kept where the chapter reads it: modifiers of a battle or
a siege roll in the object under way, a cancelled activation in `Game.card`. A response may be answered by responses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pbem.game import Kinds, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.position.under_way import Moment


def window(game: Game, table: Table, name: str, *, about: Mapping[str, Any]) -> Flow[Moment]:
    """Let each side play responses at a moment, and return what they have made of it (7.1.1)."""
    facts = {word: about[word] for word in ("space", "power", "other", "value") if about.get(word) is not None}
    return Moment(name, **facts)
    yield


KINDS: Final[Kinds] = {}
