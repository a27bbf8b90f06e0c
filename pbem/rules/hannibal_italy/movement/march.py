"""Movement: one order a march, until the side ends its phase (7.1 to 7.3, 7.6, 10.2).

The check, the play, the price and the forecast of a march all begin with a `MarchPlan`: the march laid out on a
position before anything moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.hannibal_italy.movement import diplomacy, overrun
from pbem.rules.hannibal_italy.movement.orders import END, MarchOrder
from pbem.rules.hannibal_italy.movement.paths import Route, find_route, named, points
from pbem.rules.hannibal_italy.movement.taking import Division, allowance, divide, dropped, ready_to_march
from pbem.rules.hannibal_italy.position.forces import added, put_loose
from pbem.rules.hannibal_italy.position.leadership import candidates, chooser, forbidden, hard_to_save, try_to_withdraw
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, Game, March
from pbem.rules.hannibal_italy.turn.control import enter

# ---- the march laid out: its way and its division of units (7.1, 7.2)


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


# ---- the phase


def march(game: Game, table: Table) -> Flow[bool]:
    """Ask for the next march and carry it out; the phase is over when its side ends it, or nobody is left (7.1)."""
    side = game.mover
    ready = ready_to_march(game, side)
    if not ready:
        return True
    # What Carthage's leaders take along is not for Rome to read, nor where they might have gone on to (7.5).
    answer = yield from table.ask(
        side,
        "move",
        rule="7.1",
        default=END,
        secret=side == CARTHAGE,
        year=game.year,
        segment=game.segment,
        leaders=ready,
    )
    order = MarchOrder.read(answer)
    if order is None:
        table.tell("movement_ends", side=side, rule="7.1")
        return True
    set_out(game, table, lay_out(game, order))
    return False


def set_out(game: Game, table: Table, plan: MarchPlan) -> None:
    """Carry out one march: get away if pinned, take the units, and go step by step (7.1, 7.2, 7.6)."""
    if not _gets_away(game, table, plan):
        return
    table.tell("sets_out", leader=plan.leader, together=plan.leaders[1:], hex=plan.start, rule="7.1")
    plan.division.carry_out(game)
    _tell_left(game, table, plan.leader, plan.start, plan.division.left_behind)
    most = allowance(game, plan.division.forces)
    game.march = March(plan.leader, list(plan.leaders), plan.start, 0, most, way=[plan.start])
    _go(game, table, plan)
    _arrive(game, table, inside=plan.order.inside)


def pinned(game: Game, leader: str) -> bool:
    """Tell whether an enemy leader stands in a leader's hex and is not shut up in its city (7.6)."""
    return bool(game.leaders_at(ENEMY[game.card(leader).side], game.leaders[leader].at, inside=False))


def _gets_away(game: Game, table: Table, plan: MarchPlan) -> bool:
    """Let leaders who share their hex with an enemy leader roll to get away or inside; who fails stays (7.6).

    The number of the commander serves all who go together (10.4). Where the enemy may say which of two consuls
    commands it is the worse number, as the enemy would have it: nobody has to wait for that answer (10.3, 10.31).
    """
    leader, together, side = plan.leader, plan.leaders, plan.side
    record = game.leaders[leader]
    leaves = any(step.hex or step.city for step in plan.route.steps)
    if not pinned(game, leader) or not (leaves or (plan.order.inside and not record.inside)):
        return True
    able = candidates(game, side, together)
    own_choice = chooser(game, side, able) == side
    commander = (leader if leader in able else able[0]) if own_choice else max(able, key=partial(hard_to_save, game))
    if try_to_withdraw(game, table, commander, f"get-away/{commander}", rule="7.6"):
        return True
    game.held.extend(each for each in together if each not in game.held)
    open_to_them = game.friendly_city(side, record.at) and game.besieged(record.at) is None
    if game.options["trapped_fail"] == "inside" and open_to_them:
        for each in together:
            game.leaders[each].inside = True
    table.tell("held", leader=commander, hex=record.at, rule="7.6")
    return False


def _go(game: Game, table: Table, plan: MarchPlan) -> None:
    """Go step by step to the end of the way, or to where the enemy ends the march (7.2, 7.4, 7.7)."""
    march, side, held = game.the_march, plan.side, plan.held
    for step in plan.route.steps:
        if step.city:
            if diplomacy.attempt(game, table, side, step.city):
                held = overrun.stops(game, side)  # a city won over holds nobody up any more
        elif step.drop:
            _drop(game, table, step.drop)
        else:
            _enter(game, march, step.hex)
            enter(game, table, step.hex)
            if step.hex in held:
                if not plan.order.overruns or not overrun.ride_down(game, table, side):
                    return
                held = overrun.stops(game, side)


def _enter(game: Game, march: March, hex: str) -> None:
    """Let those who march enter the next hex (7.2, 7.3)."""
    march.spent += game.board.costs[march.at][hex]
    for leader in march.together:
        record = game.leaders[leader]
        record.came_from, record.at, record.inside, record.escaped = march.at, hex, False, False
    march.at = hex
    march.way.append(hex)


def _drop(game: Game, table: Table, units: Mapping[str, int]) -> None:
    """Leave units on the way; they do not march again in this phase, and the others may be quicker now (7.2, 7.3)."""
    march = game.the_march
    left = dropped([game.leaders[leader].units for leader in march.together], units)
    for leader, force in zip(march.together, left, strict=True):
        game.leaders[leader].units = force
    put_loose(game, game.card(march.leader).side, march.at, units)
    if len(march.way) > 1:
        game.dropped[march.at] = added(game.dropped.get(march.at, {}), units)
    march.allowance = allowance(game, left)
    _tell_left(game, table, march.leader, march.at, units)


def _tell_left(game: Game, table: Table, leader: str, hex: str, units: Mapping[str, int]) -> None:
    """Tell that units stay without a leader; which ones Carthage leaves is its own affair (7.5)."""
    if units:
        side = game.card(leader).side
        table.tell("left_behind", leader=leader, hex=hex, side=side, rule="7.2")
        to = None if side != CARTHAGE or game.options["leaderless_seen"] == "all" else [CARTHAGE]
        table.tell("units_left", hex=hex, units=dict(units), to=to, rule="7.2")


def _arrive(game: Game, table: Table, *, inside: bool | None) -> None:
    """End a march: the leaders have moved, and go inside their city if they are told to (7.6)."""
    march = game.the_march
    side = game.card(march.leader).side
    game.moved.extend(march.together)
    stayed = len(march.way) == 1
    enters = (
        bool(inside)
        and game.friendly_city(side, march.at)
        and game.besieged(march.at) is None
        and (stayed or not pinned(game, march.leader))
    )
    for leader in march.together:
        record = game.leaders[leader]
        record.inside = record.inside if inside is None and stayed else enters
    table.tell(
        "stays" if stayed else "marched",
        leader=march.leader,
        together=march.together[1:],
        hex=march.at,
        place=named(game.board, march.at),
        spent=march.spent,
        cost=points(march.spent),
        inside=game.leaders[march.leader].inside,
        way=list(march.way),
        rule="7.1",
    )
    game.march = None
