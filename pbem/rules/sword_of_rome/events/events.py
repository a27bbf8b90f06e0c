"""Events: cards as data, their conditions and effects (7.1; `schemas/cards.yaml`).

What this chapter offers to the others (its decisions are those of the effects):

* `USES`: `event`, a card without `when` played as the one card; `conditions.hold(game, side, card) -> Refusal | None`.
* `effects.EFFECTS`: word -> `Effect(options, check, carry_out)`, one function an effect. What an effect needs to be
  told stands in the order under the word of the effect (`levy: {space: cu}`, `support: [spaces]`).
* `effects.play(game, table, side, card, order) -> Flow[None]`, for actions and responses alike.
* `marks`: an event that lasts is a `Mark` in `Game.marks`; chapters ask by `Game.mark(name)` (appian_way,
  duoviri_navales, wild_beasts, elephants, insurrection).

Events it tells: `event_played`, `mark_placed`, and those of the effects.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Kinds
from pbem.rules.sword_of_rome.events.card_play import Use

USES: Final[Mapping[str, Use]] = {}
KINDS: Final[Kinds] = {}
