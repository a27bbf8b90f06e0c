"""The way of a march, hex by hex: by numbers, by the names of cities, or along a road (7.2, 7.31).

A hex that is not next to the last one is reached by the cheapest way that goes round the enemy and round the hexes
that the leaders may not enter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from pbem.game import cheapest, way
from pbem.protocol import PbemError
from pbem.rules.hannibal_italy.movement.orders import TRY, Along, Drop, PathItem, Try
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.naming import city_meant, name_meant, no_such_place, place_named, places_named

FAR: Final = 1_000_000


class Astray(PbemError, ValueError):
    """An item of a path cannot be followed; `at` is its number, `key` a key in it."""

    def __init__(self, at: int, reason: str, key: str = "") -> None:
        super().__init__(reason)
        self.at = at
        self.key = key
        self.reason = reason


@dataclass(slots=True)
class Step:
    """One thing to do on the way: enter a hex, try to win a city over, or leave units; `item` is that of the order."""

    item: int
    hex: str = ""
    city: str = ""
    drop: Mapping[str, int] | None = None
    """Units to leave; None: nothing is left here."""


@dataclass(slots=True)
class Route:
    """A path on the map: its steps, and every item of it that cannot be followed."""

    steps: list[Step] = field(default_factory=list)
    astray: list[Astray] = field(default_factory=list)


def find_route(board: Board, start: str, path: Iterable[PathItem], around: frozenset[str]) -> Route:
    """Return the steps of a path from a hex; a way that is not spelled out goes round some hexes.

    Such a hex may be its goal, and an item of its own may enter it: that it is closed is for the check to say.
    """
    found, at, road, along = Route(), start, "", 0
    for item, wanted in enumerate(path):
        if not road and isinstance(wanted, str) and wanted in board.costs[at]:
            at = wanted  # spelled out, hex by hex: nothing to look up
            found.steps.append(Step(item, hex=at))
            continue
        try:
            if isinstance(wanted, Drop):
                found.steps.append(Step(item, drop=wanted.units))
                continue
            if isinstance(wanted, Try):
                found.steps.append(Step(item, city=_city(board, item, wanted.city)))
                continue
            if isinstance(wanted, Along):
                road, along = _road(board, item, wanted.road), item
                continue
            goal = _hex(board, item, wanted)
            hexes = _by_road(board, item, road, at, goal) if road else _shortest(board, at, goal, around)
            found.steps += [Step(item, hex=hex) for hex in hexes]
            at = goal
        except Astray as wrong:
            found.astray.append(wrong)
        road = ""
    if road:
        found.astray.append(
            Astray(along, f"say how far along the {road_named(road)}: then 'to' and a city or hex on it")
        )
    return found


@lru_cache(maxsize=4096)
def _shortest(board: Board, at: str, goal: str, around: frozenset[str]) -> Sequence[str]:
    """Return the cheapest way to a hex; a neighbour is entered at once."""
    if goal == at:
        return ()
    if goal in board.costs[at]:
        return (goal,)

    def steps(hex: str) -> Iterator[tuple[str, int]]:
        for there, cost in board.steps[hex]:
            if there == goal or there not in around:
                yield there, cost

    found = cheapest(at, steps, FAR, goal=goal)
    if goal not in found:
        found = cheapest(at, lambda hex: board.steps[hex], FAR, goal=goal)
    return tuple(way(found, goal))


def _by_road(board: Board, item: int, road: str, at: str, goal: str) -> list[str]:
    hexes = board.ways[road]
    for hex in (at, goal):
        if hex not in hexes:
            raise Astray(
                item,
                f"the {road_named(road)} does not go through {place_named(board, hex)}; it goes through "
                f"{_on_the_way(board, hexes)}",
            )
    here, there = hexes.index(at), hexes.index(goal)
    return list(hexes[here + 1 : there + 1]) if here <= there else list(hexes[there:here][::-1])


def _on_the_way(board: Board, hexes: Sequence[str]) -> str:
    return places_named(board, [hex for hex in hexes if board.hexes[hex].city is not None] or hexes)


def _city(board: Board, item: int, text: str) -> str:
    name = _as_id(text)
    if name not in board.cities:
        raise Astray(item, f"there is no city {text}{city_meant(board, name)}", TRY)
    return name


def _hex(board: Board, item: int, text: str) -> str:
    found = board.find(text)
    if found is None:
        raise Astray(item, no_such_place(board, text))
    return found


def _road(board: Board, item: int, text: str) -> str:
    name = _as_id(text)
    for road in (name, f"via_{name}", f"{name}_road"):
        if road in board.ways:
            return road
    raise Astray(item, f"there is no road {text}{name_meant(name, {road: road_named(road) for road in board.ways})}")


def _as_id(text: str) -> str:
    """Return a name as the box writes it: in small letters, with underscores."""
    return text.lower().replace(" ", "_")


def road_named(road: str) -> str:
    """Return the name of a road.

    >>> road_named("via_aemilia")
    'Via Aemilia'
    """
    return road.replace("_", " ").title()


def named(board: Board, hex: str) -> str:
    """Return a hex as players call it: by its city, if it has one."""
    city = board.hexes[hex].city
    return city if city is not None else hex


def points(halves: int) -> str:
    """Return half movement points as a text.

    >>> points(25), points(6)
    ('12.5', '3')
    """
    return f"{halves // 2}.5" if halves % 2 else str(halves // 2)
