"""A march laid out on a position before anything moves: its way and its division of units (7.1, 7.2).

The check, the play, the price and the forecast of a march all begin with this value.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.protocol import Side
from pbem.rules.hannibal_italy.movement import overrun
from pbem.rules.hannibal_italy.movement.orders import MarchOrder
from pbem.rules.hannibal_italy.movement.paths import Route, find_route
from pbem.rules.hannibal_italy.movement.taking import Division, divide
from pbem.rules.hannibal_italy.position.stacking import forbidden
from pbem.rules.hannibal_italy.position.state import Game


@dataclass(frozen=True, slots=True)
class MarchPlan:
    """A march as it would go in a position."""

    order: MarchOrder
    side: Side
    leader: str
    """The leader who leads the march."""
    leaders: list[str]
    """All who go, the one who leads first."""
    start: str
    route: Route
    division: Division
    closed: frozenset[str]
    """The hexes that the leaders may not enter (10.6, 12.21)."""
    held: frozenset[str]
    """The hexes in which the enemy ends the march (7.2)."""


def lay_out(game: Game, order: MarchOrder) -> MarchPlan:
    """Lay out a march of leaders who are on the map.

    Where the way is not spelled out it goes round closed hexes, and round the enemy unless he is to be overrun (7.2).
    """
    leaders = [marcher.leader for marcher in order.going]
    side, start = game.card(leaders[0]).side, game.leaders[leaders[0]].at
    closed, held = forbidden(game, side, leaders), overrun.stops(game, side)
    route = find_route(game.board, start, order.path, closed if order.overruns else closed | held)
    return MarchPlan(order, side, leaders[0], leaders, start, route, divide(game, order.going), closed, held)
