"""The marches that are offered: where each leader can get to, alone or with others, and whom he can win over (7).

An order may say far more (what is dropped, which way round); these are enough for a form, for chance and for a count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

from pbem.game import NOT_TOLD, Choices, Kinds, chain, cheapest, each, grid, later, listed, way
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.movement import diplomacy
from pbem.rules.hannibal_italy.movement.march import END, check
from pbem.rules.hannibal_italy.movement.overrun import stops
from pbem.rules.hannibal_italy.movement.taking import ALL, allowance, share_out, takers, why_not_march
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.stacking import forbidden, full
from pbem.rules.hannibal_italy.position.state import UNSEEN, Game

Body: TypeAlias = Mapping[str, Any]


def options(known: Game, decision: Decision) -> Choices:
    """Return the end of the phase, and for each leader who can move every hex that he can reach (7.1, 7.3)."""
    leaders: Sequence[str] = decision.facts["leaders"]
    if any(UNSEEN in known.leaders[leader].units for leader in leaders):
        return NOT_TOLD
    return each(partial(_of, known, decision), ["", *leaders])


def _of(known: Game, decision: Decision, leader: str) -> Choices:
    """Return the marches of a leader with what he has, with all at hand, and with the others; of nobody: the end."""
    if not leader:
        return listed([Order("move", END)])
    return each(partial(_goals, known, decision.side), _companies(known, decision, leader))


def bodies_of(known: Game, decision: Decision, leader: str) -> Iterator[tuple[Body, int]]:
    """Yield what an order may say of who goes with what, and the half movement points of that (7.2, 7.3, 7.8, 10.2)."""
    for body in _companies(known, decision, leader):
        if (most := _points(known, body)) is not None:
            yield body, most


def _companies(known: Game, decision: Decision, leader: str) -> list[Body]:
    """Return what an order may say of who goes with what, whether the rules allow it or not (7.2)."""
    side, at = decision.side, known.leaders[leader].at
    there = known.leaders_at(side, at)
    bodies: list[Body] = [{"leader": leader}]
    if len(there) > 1 or known.loose[side].get(at):
        bodies.append({"leader": leader, "units": ALL})
    others = [other for other in there if other != leader and other in decision.facts["leaders"]]
    if others and len(others) <= _MOST_OTHERS:
        counted = sum(not known.card(each).gaulish for each in (leader, *others))
        if counted <= int(known.board.tables["stacking"]["leaders"]):
            bodies.append({"leader": leader, "with": others})
    return bodies


def _points(known: Game, body: Body) -> int | None:
    """Return the half movement points of a company; None: it may not march, or has been named already (7.3)."""
    leader = body["leader"]
    if "units" in body:
        order = Order("move", body)
        shares = share_out(known, order, takers(order))
        fit = not shares.faults and shares.units[leader] != known.leaders[leader].units
        return allowance(known, [shares.units[leader]]) if fit else None
    forces = {each: known.leaders[each].units for each in (leader, *body.get("with", ()))}
    fit = all(why_not_march(known, each, units) is None for each, units in forces.items())
    return allowance(known, forces.values()) if fit else None


_MOST_OTHERS: Final = 3


def _goals(known: Game, side: Side, body: Body) -> Choices:
    """Return a march to each hex in reach, into each city of one's own, and to each city that can be won over."""
    most = _points(known, body)
    if most is None:
        return listed([])
    together = [body["leader"], *body.get("with", ())]
    held, start = stops(known, side), known.leaders[body["leader"]].at
    found = _round(known.board, start, most, held, forbidden(known, side, together))
    closed = full(known, side, together)
    return chain(
        later(lambda: _to_hexes(body, found, closed)),
        later(lambda: _into_cities(known, side, body, found, held.union(closed))),
        later(lambda: _to_cities(known, side, body, most, found, held.difference((start,)).union(closed))),
    )


def _to_hexes(body: Body, found: Reached, closed: Collection[str]) -> Choices:
    goals = [hex for hex in found if hex not in closed] if closed else list(found)
    return grid(lambda hex: Order("move", {**body, "path": way(found, hex)}), goals)


def _into_cities(known: Game, side: Side, body: Body, found: Reached, barred: Collection[str]) -> Choices:
    """Return a march into each city of one's own before which no enemy stands (7.6)."""
    if known.options["going_inside"] != "freely":
        return listed([])

    def into(city: str) -> Choices:
        hex = known.board.cities[city].hex
        if hex not in found or hex in barred or city in known.sieges:
            return listed([])
        return listed([Order("move", {**body, "path": way(found, hex), "inside": True})])

    return each(into, [city for city, owner in known.cities.items() if owner == side])


def _to_cities(
    known: Game, side: Side, body: Body, most: int, found: Reached, barred: Collection[str]
) -> Choices:  # fmt: skip
    """Return a march to each hex from which a city can be won over, with diplomacy at its end (7.4)."""
    within = most - int(known.board.tables["movement"]["diplomacy"])

    def to_win(city: str) -> Choices:
        near = diplomacy.hexes_near(known, city)
        able = [hex for hex in near if hex in found and found[hex][0] <= within and hex not in barred]
        if not able or not diplomacy.open_cities(known, side, [city]):
            return listed([])
        return grid(lambda hex: Order("move", {**body, "path": [*way(found, hex), {"try": city}]}), able)

    return each(to_win, [city for city, owner in known.cities.items() if owner != side])


Reached: TypeAlias = Mapping[str, tuple[int, str | None]]
"""Hex -> the half movement points that it costs to get there, and the hex before it."""


def reach(known: Game, side: Side, together: Sequence[str], most: int, start: str = "") -> Reached:
    """Return what leaders can reach from a hex, or from where they are, the nearest first (7.2, 7.3, 10.6, 12.21)."""
    start = start or known.leaders[together[0]].at
    return _round(known.board, start, most, stops(known, side), forbidden(known, side, together))


def _round(board: Board, start: str, most: int, held: frozenset[str], closed: frozenset[str]) -> Reached:
    """Return what can be reached round hexes that are closed, and no further than those that the enemy holds."""
    free = _reach(board, start, most, frozenset(), closed)
    # Only an enemy within reach is in the way, so that most marches share what was found for others.
    in_the_way = frozenset([hex for hex in held if hex in free and hex != start])
    return _reach(board, start, most, in_the_way, closed) if in_the_way else free


@lru_cache(maxsize=4096)
def _reach(board: Board, start: str, most: int, held: frozenset[str], closed: frozenset[str]) -> Reached:
    def steps(hex: str) -> Iterator[tuple[str, int]]:
        return (step for step in board.steps[hex] if step[0] not in closed)

    return cheapest(start, steps, most, stops=held.__contains__)


KINDS: Final[Kinds] = {"move": (options, check)}
