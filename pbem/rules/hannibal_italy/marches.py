"""The marches that are offered: where each leader can get to, alone or with others, and whom he can win over (7).

An order may say far more (what is dropped, which way round); these are enough for a form, for chance and for a count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final, TypeAlias

from pbem.choices import NOT_TOLD, Choices, chain, each, grid, later, listed
from pbem.maps.hexes import cheapest, way
from pbem.protocol import Decision, Order, Side
from pbem.questions import Kinds
from pbem.rules.hannibal_italy import diplomacy
from pbem.rules.hannibal_italy.board import Board
from pbem.rules.hannibal_italy.movement import END, check
from pbem.rules.hannibal_italy.overrun import stops
from pbem.rules.hannibal_italy.stacking import forbidden, full
from pbem.rules.hannibal_italy.state import UNSEEN, Game
from pbem.rules.hannibal_italy.taking import ALL, allowance, share_out

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
    at = known.leaders[leader].at
    bodies: list[Body] = [{"leader": leader}, {"leader": leader, "units": ALL}]
    others = [other for other in decision.facts["leaders"] if other != leader and known.leaders[other].at == at]
    counted = sum(not known.card(each).gaulish for each in (leader, *others))
    if others and len(others) <= _MOST_OTHERS and counted <= int(known.board.tables["stacking"]["leaders"]):
        bodies.append({"leader": leader, "with": others})
    return bodies


def _points(known: Game, body: Body) -> int | None:
    """Return the half movement points of a company; None: it may not march, or has been named already (7.3)."""
    leader = body["leader"]
    shares = share_out(known, Order("move", body))
    if shares.faults or ("units" in body and shares.units[leader] == known.leaders[leader].units):
        return None
    return allowance(known, [shares.units[each] for each in (leader, *body.get("with", ()))])


_MOST_OTHERS: Final = 3


def _goals(known: Game, side: Side, body: Body) -> Choices:
    """Return a march to each hex in reach, into each city of one's own, and to each city that can be won over."""
    most = _points(known, body)
    if most is None:
        return listed([])
    together = [body["leader"], *body.get("with", ())]
    found = reach(known, side, together, most)
    closed = full(known, side, together)
    return chain(
        later(lambda: _to_hexes(body, found, closed)),
        later(lambda: _into_cities(known, side, body, found, closed)),
        later(lambda: _to_cities(known, side, body, most, found, closed)),
    )


def _to_hexes(body: Body, found: Reached, closed: Collection[str]) -> Choices:
    goals = [hex for hex in found if hex not in closed] if closed else list(found)
    return grid(lambda hex: Order("move", {**body, "path": way(found, hex)}), goals)


def _into_cities(known: Game, side: Side, body: Body, found: Reached, closed: Collection[str]) -> Choices:
    """Return a march into each city of one's own before which no enemy stands (7.6)."""
    board = known.board
    if known.options["going_inside"] != "freely":
        return listed([])
    barred = stops(known, side).union(closed)
    goals = [
        hex
        for hex in found
        if (city := board.hexes[hex].city) is not None
        and known.cities[city] == side
        and city not in known.sieges
        and hex not in barred
    ]
    return grid(lambda hex: Order("move", {**body, "path": way(found, hex), "inside": True}), goals)


def _to_cities(
    known: Game, side: Side, body: Body, most: int, found: Reached, closed: Collection[str]
) -> Choices:  # fmt: skip
    """Return a march to each hex from which a city can be won over, with diplomacy at its end (7.4)."""
    board, within = known.board, most - int(known.board.tables["movement"]["diplomacy"])
    held, start = stops(known, side), known.leaders[body["leader"]].at
    near = board.around if known.options["diplomacy_from"] == "adjacent" else board.near
    able = diplomacy.open_cities(known, side)
    goals = [
        (hex, city)
        for hex, (cost, _) in found.items()
        if cost <= within and hex not in closed and (hex not in held or hex == start)
        for city in near[hex]
        if city in able
    ]
    return grid(
        lambda goal: Order("move", {**body, "path": [*way(found, goal[0]), {"try": goal[1]}]}),
        goals,
    )


Reached: TypeAlias = Mapping[str, tuple[int, str | None]]
"""Hex -> the half movement points that it costs to get there, and the hex before it."""


def reach(known: Game, side: Side, together: Sequence[str], most: int, start: str = "") -> Reached:
    """Return what leaders can reach from a hex, or from where they are, the nearest first (7.2, 7.3, 10.6, 12.21)."""
    start = start or known.leaders[together[0]].at
    closed = forbidden(known, side, together)
    free = _reach(known.board, start, most, frozenset(), closed)
    # Only an enemy within reach is in the way, so that most marches share what was found for others.
    in_the_way = frozenset([hex for hex in stops(known, side) if hex in free and hex != start])
    return _reach(known.board, start, most, in_the_way, closed) if in_the_way else free


@lru_cache(maxsize=4096)
def _reach(board: Board, start: str, most: int, held: frozenset[str], closed: frozenset[str]) -> Reached:
    def steps(hex: str) -> Iterator[tuple[str, int]]:
        return (step for step in board.steps[hex] if step[0] not in closed)

    return cheapest(start, steps, most, stops=held.__contains__)


KINDS: Final[Kinds] = {"move": (options, check)}
