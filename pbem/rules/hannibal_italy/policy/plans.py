"""The bot's marches: one leader at a time, past cities to win over, to the hex where the leader is worth most.

Every leader who can move gets an order, if only to stay; when the last one has his, the phase is over by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from pbem.game import way
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.movement.offers import Reached, reach
from pbem.rules.hannibal_italy.movement.orders import TRY, PathWord
from pbem.rules.hannibal_italy.movement.taking import allowance, units_at_hand
from pbem.rules.hannibal_italy.policy.ground import Ground, left_behind, with_drops
from pbem.rules.hannibal_italy.position.board import ELEPHANTS, FOOT
from pbem.rules.hannibal_italy.position.forces import Units, added, sp, taken
from pbem.rules.hannibal_italy.position.leadership import full, limit, may_lead
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, Game

PART_SP: Final = 4
"""What a leader takes along of Hannibal's army to go his own way."""
MAIN_SP: Final = 36
"""What Hannibal keeps at least."""
SMALL: Final = 26
"""SP below which a Roman army is hardly one."""
MOST_TRIES: Final = 6
STEP: Final = 0.01
"""The price of half a movement point: of two ways alike the shorter is taken."""


@dataclass(slots=True)
class Plan:
    """A march that the bot considers, and its worth."""

    worth: float
    body: dict[str, object]
    rides_down: bool
    """It may overrun the enemy at its end (7.7)."""


@dataclass(slots=True)
class Tour:
    """A march as far as it is planned: the hex reached, the points left, the cities tried, and its worth."""

    at: str
    left: int
    path: list[PathWord] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    worth: float = 0.0


def best_marches(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield the march of the next leader, and that he stays where he is."""
    leader = _next(view, decision)
    ground = Ground(view, decision.side)
    found = list(_plans(view, ground, leader))
    for plan in sorted(found, key=lambda plan: -plan.worth)[:4]:
        if plan.rides_down:
            yield Order("move", {**plan.body, "overrun": True})
        yield Order("move", plan.body)
    yield Order("move", {"leader": leader, "path": []})
    for other in decision.facts["leaders"]:
        yield Order("move", {"leader": other, "path": []})


def _next(view: Game, decision: Decision) -> str:
    """Return the leader who marches next: Hannibal, then the weakest of Carthage; at Rome the strongest."""
    side = decision.side

    def rank(leader: str) -> tuple[bool, int, str]:
        own = sp(view.board, view.leaders[leader].units)
        return not view.card(leader).supreme, own if side == CARTHAGE else -own, leader

    leader: str = min(decision.facts["leaders"], key=rank)
    return leader


def _plans(view: Game, ground: Ground, leader: str) -> Iterator[Plan]:
    """Yield the marches that a leader may make."""
    units = _load(view, ground.side, leader)
    load = {} if units == view.leaders[leader].units else {"units": units}
    strength = sp(view.board, units)
    for tour in _tours(view, ground, leader, units):
        end = _best_end(view, ground, leader, strength, tour)
        if end is not None:
            worth, rest, inside = end
            path = [*tour.path, *rest]
            if ground.side == ROME:
                path = list(with_drops(view, path, units))
            last = path[-1] if path else ""
            body = {"leader": leader, **load, "path": path, **({"inside": True} if inside else {})}
            rides_down = isinstance(last, str) and ground.rides_down(last, strength)
            yield Plan(tour.worth + worth, body, rides_down)


def _load(view: Game, side: Side, leader: str) -> dict[str, int]:
    """Return the units that a leader takes along (7.2, 7.8)."""
    at_hand = units_at_hand(view, [leader])
    free = {unit: count for unit, count in at_hand.loose.items() if may_lead(view, leader, unit)}
    own = added(view.leaders[leader].units, free)
    others = {other: units for other, units in at_hand.staying.items() if not view.card(other).gaulish}
    if view.card(leader).gaulish:
        return own
    if side == CARTHAGE:
        return _of_carthage(view, leader, own, others)
    return _most(view, leader, _shared(view, left_behind(view, leader, own), others))


def _shared(view: Game, own: Units, others: Mapping[str, Units]) -> dict[str, int]:
    """Return what a Roman takes who leaves their part to leaders beside him that have no army (7.2)."""
    idle = sum(sp(view.board, units) < SMALL for units in others.values())
    while idle and sp(view.board, own) < (idle + 1) * SMALL:
        idle -= 1
    return {unit: -(-count // (idle + 1)) for unit, count in own.items()}


def _of_carthage(view: Game, leader: str, own: Units, others: Mapping[str, Units]) -> Units:
    """Return the units that a leader of Carthage takes: Hannibal all but a few quick ones, others only those."""
    pool = added(own, *others.values())
    if view.card(leader).supreme:
        for _ in others:
            pool = taken(pool, _part(view, pool))
        return pool
    if sp(view.board, own) < PART_SP and any(view.card(other).supreme for other in others):
        return _part(view, pool) or own
    return own


def _part(view: Game, units: Mapping[str, int]) -> dict[str, int]:
    """Return a small part of Hannibal's army that can do without him: quick units, no elephants."""
    board, chosen, total = view.board, dict[str, int](), 0
    if sp(board, units) < MAIN_SP + PART_SP:
        return {}
    for unit in sorted(units, key=lambda unit: (board.units[unit].kind == FOOT, board.units[unit].sp, unit)):
        for _ in range(units[unit]):
            if board.units[unit].kind != ELEPHANTS and total < PART_SP:
                chosen[unit] = chosen.get(unit, 0) + 1
                total += board.units[unit].sp
    return chosen


def _most(view: Game, leader: str, units: Mapping[str, int]) -> dict[str, int]:
    """Return as much of some units as a Roman may lead, legion by legion (7.8)."""
    most, board = limit(view, leader), view.board
    if most is None or sp(board, units) <= most:
        return dict(units)
    chosen: dict[str, int] = {}
    total = 0
    for unit in sorted(units, key=lambda unit: (-board.units[unit].sp, unit)):
        count = min(units[unit], (most - total) // board.units[unit].sp)
        if count:
            chosen[unit] = count
            total += count * board.units[unit].sp
    return chosen


def _tours(view: Game, ground: Ground, leader: str, units: Mapping[str, int]) -> Iterator[Tour]:
    """Yield a march that tries nothing, and then the same with one city more, the best for its cost first (7.4)."""
    tour = Tour(view.leaders[leader].at, allowance(view, [units]))
    yield tour
    fee = int(view.board.tables["movement"]["diplomacy"])
    near = view.board.around if view.options["diplomacy_from"] == "adjacent" else view.board.near
    strength = sp(view.board, units)
    while len(tour.tried) < MOST_TRIES:
        found = reach(view, ground.side, [leader], tour.left, tour.at)
        best: tuple[float, float, str, str] | None = None
        for hex, (cost, _) in found.items():
            if cost + fee > tour.left or (hex in ground.held and hex != tour.at):
                continue
            for city in near[hex]:
                if city in tour.tried or city not in ground.open_cities:
                    continue
                worth = ground.chance(leader, strength, hex, city) * ground.worth[city]
                rate = worth / (cost + fee + 2)
                if best is None or rate > best[0]:
                    best = rate, worth, hex, city
        if best is None or best[1] <= 0:
            return
        _, worth, hex, city = best
        tour = Tour(
            hex,
            tour.left - found[hex][0] - fee,
            [*tour.path, *way(found, hex), {TRY: city}],
            [*tour.tried, city],
            tour.worth + worth,
        )
        yield tour


def _best_end(
    view: Game, ground: Ground, leader: str, strength: int, tour: Tour
) -> tuple[float, list[str], bool] | None:
    """Return the best end of a march: what it is worth, the rest of the way, whether he goes inside a city."""
    found: Reached = reach(view, ground.side, [leader], tour.left, tour.at)
    closed = full(view, ground.side, [leader])
    best: tuple[float, str, bool] | None = None
    for hex, (cost, _) in found.items():
        if hex in closed or not (hex == tour.at or ground.matters(hex)):
            continue
        for inside in (False, True):
            worth = ground.end(leader, hex, strength, inside=inside, moved=hex != view.leaders[leader].at)
            if worth is not None and (best is None or worth - STEP * cost > best[0]):
                best = worth - STEP * cost, hex, inside
    return None if best is None else (best[0], list(way(found, best[1])), best[2])
