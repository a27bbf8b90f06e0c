"""The forecast of a march before it is ordered: getting away, diplomacy, the enemy at its end (7).

The rules themselves are played on from the position as its side knows it. What the side may not see counts as
nothing, so that each chance is taken at its best. Where this matters, the forecast says so (7.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pbem.game import Table
from pbem.protocol import Decision, Flow, Order, Roll, Side
from pbem.rules.hannibal_italy.movement.diplomacy import modifiers
from pbem.rules.hannibal_italy.movement.march import set_out
from pbem.rules.hannibal_italy.movement.orders import MarchOrder
from pbem.rules.hannibal_italy.movement.paths import points
from pbem.rules.hannibal_italy.movement.plan import lay_out
from pbem.rules.hannibal_italy.position.board import FOOT, UNFORTIFIED, Board, Unit
from pbem.rules.hannibal_italy.position.forces import here, outside, present, sp, sp_here
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, UNSEEN, Game
from pbem.rules.hannibal_italy.siege.siege import needed


def foresee(view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
    """Return the flow that plays on from a march as a forecast; None for the end of all marches (7.1)."""
    march = MarchOrder.read(order)
    return None if march is None else _march(view, table, decision.side, march)


def _march(view: Game, table: Table, side: Side, march: MarchOrder) -> Flow[None]:
    game = table.lay(view)
    game.board = with_unseen(view.board)
    plan = lay_out(game, march)
    tried = [step.city for step in plan.route.steps if step.city]
    before = len(table.events)
    set_out(game, table, plan)
    happened = table.events[before:]
    for event in list(happened):
        if event.kind in ("overrun", "overrun_fails") and _hidden(view, side, event.facts["hex"]):
            table.tell("overrun_unsure", hex=event.facts["hex"], rule="7.7")
    for city in tried:
        if _hidden(view, side, view.board.cities[city].hex):
            table.tell("could_be_held", city=city, rule="7.42")
    _at_its_end(game, view, table, side, plan.leader)
    return
    yield  # nobody is asked anything on a march


@lru_cache(maxsize=8)
def with_unseen(board: Board) -> Board:
    """Return the board with a unit of no strength, for what its viewer may not see."""
    unseen = Unit(UNSEEN, UNSEEN, CARTHAGE, FOOT, 0, 0, UNSEEN, None, None, False)
    return replace(board, units={**board.units, UNSEEN: unseen})


def _hidden(view: Game, side: Side, hex: str) -> bool:
    """Tell whether the enemy has units in a hex that the viewer may not see (7.5)."""
    return UNSEEN in here(view, ENEMY[side], hex)


def _at_its_end(game: Game, view: Game, table: Table, side: Side, leader: str) -> None:
    """Tell how the march ends: the movement points spent, and the enemy at its end (7.2, 9.1, 9.7)."""
    board, hex, enemy = game.board, game.leaders[leader].at, ENEMY[side]
    marched = next((each for each in reversed(table.events) if each.kind in ("marched", "stays")), None)
    if marched is None:
        return
    table.tell("arrives", spent=points(marched.facts["spent"]), rule="7.3")
    own = sp(board, outside(game, side, hex))
    if present(game, enemy, hex):
        facts: dict[str, Any] = {"hex": hex, "own_sp": own, "enemy_leaders": game.leaders_at(enemy, hex)}
        if not _hidden(view, side, hex):
            facts["enemy_sp"] = sp_here(game, enemy, hex)
        table.tell("battle_ahead", rule="9.1", **facts)
    city = game.city_at(hex)
    if city is not None and game.cities[city.id] == enemy and city.kind != UNFORTIFIED:
        if _hidden(view, side, hex):
            table.tell("siege_unsure", city=city.id, own_sp=own, rule="9.7")
        else:
            table.tell("siege_ahead", city=city.id, own_sp=own, needed=needed(game, city), rule="9.7")


def outcome(game: Game, roll: Roll, facts: Mapping[str, Any]) -> tuple[int, str]:
    """Return the result of a roll without a number to reach: how bad it is for the mover, and in words (7.41)."""
    city = facts.get("city")
    if city is None or game.march is None:
        return 0, ""
    total = roll.total + sum(modifiers(game, facts["side"], game.march.together, city).values())
    won = total >= (game.board.cities[city].loyalty or 0)
    return int(not won), "won over" if won else "refuses"
