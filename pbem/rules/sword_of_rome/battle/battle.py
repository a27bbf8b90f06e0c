"""Battle, its retreat and what a victory brings (12).

What this chapter offers to the others (its decisions are `losses`, `retreat`, `spoils`, `command`, `sail`):

* `battle.battle.fight(game, table, attacker, defender, space, *, came_from, came_by, intercepted=False,
  failed_avoidance=False, name) -> Flow[Outcome]`: steps D to H of 12.1. `attacker` and `defender` are powers; their
  armies are those in the space, a flank is in `Game.battle`. `Outcome` says who has won, whether the march may go on
  (an automatic victory, 12.2.1), and the CU lost.
* `battle.odds`: the same numbers for `pbem odds`: force ratio, modifiers, losses by face (`Board.force_ratio`,
  `tables.losses`); one function for both, so that they cannot differ.
* `battle.retreat.retreat(game, table, power, space, ...) -> Flow[int]`: CU lost on the way; shared by sorties, events.
* `battle.spoils.spend(game, table, winner, loser, points, space) -> Flow[None]`: 12.5 by `events.support`,
  `siege.plunder`, `siege.unrest.raise_by`, and `siege.siege.fall_if_due` after any loss of loyalty.

It asks for responses by `events.responses.window(game, table, moment)` with the moments `battle_begins`, `battle_roll`,
`battle_won` and `battle_lost`, and calls `position.changes.settle_spaces` when all is done.
Events it tells: `battle_begins`, `automatic_win`, `battle_rolled`, `battle_won`, `lost`, `retreats`, `destroyed`,
`displaced`, `spoils`. The examples that pin it: the force ratios, `combat_losses_1`, `combat_losses_2_small_forces`,
`combat_fregellae`, `event_chain_order`, `retreat_by_sea_ally`, `support_after_battle_rome_loses_4`.
"""

from __future__ import annotations

from typing import Final

from pbem.game import Kinds, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.position.state import Game


def fight(
    game: Game,
    table: Table,
    attacker: str,
    defender: str,
    space: str,
    *,
    came_from: str | None,
    came_by: str,
    intercepted: bool = False,
    failed_avoidance: bool = False,
    name: str,
) -> Flow[None]:
    """Fight a battle (12.1)."""
    return
    yield


KINDS: Final[Kinds] = {}
