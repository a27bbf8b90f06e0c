"""Activating a leader with a card: one army, a Campaign's two, or a colony (7.1, 7.2.1, 8.1, 9.1, 9.5).

What this chapter offers to the others (9 to 11; its decisions are `march`, `pursue`, `city`, `intercept`, `avoid`,
`let_go`, `refuse`, `bribe`, `sail`, `lend_fleet`, `contest_voyage`, `command`, `join_campaign`, `flank`):

* `USES`: `activate`, `campaign` and `colony`, merged by `turn.action`. Each lays its card down by `card_play.lay_down`,
  fills `Game.card` (`power` is the power that acts), and ends with `card_play.put_away`, once nothing is under way.
* `movement.activation.activate(game, table, power, leader) -> Flow[None]`: one activation whatever the card, also for a
  power without a player and for a free one of an event: roll for a siege (`siege.siege.roll_siege`), or march.
* `movement.march.march(game, table) -> Flow[None]`: the march in `Game.march`, space by space; each step calls
  `movement.entering.enter(game, table) -> Flow[None]`, the order of reactions of 9.3: city positions, interceptions and
  avoidance declared at once (`table.ask_all`, `Decision.about` the power), rolls, bribe, `responses.window` for
  `army_enters`, then `battle.battle.fight` if enemy CU remain outside. At its end `siege.siege.place_marker`.
* `movement.voyages.capacity(game, power, card, origin, to) -> int` and `movement.voyages.sail(game, table, power,
  origin, to, force, name) -> Flow[bool]`: contesting and naval combat, for marches, avoidance and retreats (9.6).
* `movement.paths.retreats(...)`: shared with `battle.retreat`.

Events it tells: `marches`, `enters`, `stops`, `intercepts`, `intercepted`, `avoids`, `avoided`, `refuses`, `pursues`,
`bribed`, `sails`, `turned_back`, `goes_inside`, `colony_founded`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Kinds, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.events.card_play import Use
from pbem.rules.sword_of_rome.position.state import Game


def activate(game: Game, table: Table, power: str, leader: str) -> Flow[None]:
    """Activate a leader, whatever the card (8.1)."""
    return
    yield


USES: Final[Mapping[str, Use]] = {}
KINDS: Final[Kinds] = {}
