"""Powers without a player: their activation by a card, and the revolt of the mercenaries (7.1.2, 16, S 16.4, S 20).

What this chapter must offer:

* `USES` with `nonplayer` (`card`, `power`, `then: support | levy | activate | unrest`), beside the card of the round
  (`lay_down(..., "extra", power)`): each power once a round (`Game.activated`), the unrest once a round for all
  (`Game.unrest_raised`, `siege.unrest.raise_by`), not Carthage, nor by its cards the unrest and the rebels.
* `revolt(game, table, cu) -> Flow[None]` for the effect `insurrection` (S 16.4).
* `must_end(game, power, space) -> Refusal | None` (16.3, `Power.ends_in`) for marches, interceptions and avoidance.

Who decides out of the activation: `turn.deciders.decider`. Events it tells: `nonplayer_activated`, `revolt`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Kinds
from pbem.rules.sword_of_rome.events.card_play import Use

USES: Final[Mapping[str, Use]] = {}
KINDS: Final[Kinds] = {}
