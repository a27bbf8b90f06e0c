"""The way of an order, hex by hex: by numbers, by the names of cities, or along a road (7.2, 7.31).

A path is a list of these, in any mixture: a hex (`"0522"`), a city (`placentia`), `along via_aemilia` followed by
`to ariminum`, `{try: ariminum}` for diplomacy on the way (7.4), `{drop: {roman_foot: 1}}` for units that stay where
the march has come to (7.2). It may be written as one text with commas, in which `try ariminum` is diplomacy. What is
not next to the last hex is reached by the cheapest way that goes round the enemy and round where the leaders may not
go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from pbem.game import cheapest, way
from pbem.protocol import PbemError
from pbem.rules.hannibal_italy.position.board import Board

ALONG: Final = "along "
TO: Final = "to "
TRY: Final = "try"
DROP: Final = "drop"
FAR: Final = 1_000_000
_NOWHERE: Final[frozenset[str]] = frozenset()


class Astray(PbemError, ValueError):
    """An item of a path cannot be read or followed; `at` is its number, `key` a key in it."""

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
    """What a path comes to, step by step, and every item of it that cannot be read or followed."""

    steps: list[Step] = field(default_factory=list)
    astray: list[Astray] = field(default_factory=list)


def items_of(path: Any) -> Sequence[Any]:
    """Return the items of a path, which may be written as one text with commas, or be one hex."""
    if isinstance(path, str):
        return [item.strip() for item in path.split(",") if item.strip()]
    return [path] if isinstance(path, int) else path


def route(board: Board, start: str, path: Any, around: frozenset[str] = _NOWHERE) -> Route:
    """Return the steps of a path from a hex; a way that is not spelled out goes round some hexes.

    Such a hex may be its goal, and may be entered by an item of its own: it is for the rules to say that it cannot be.
    """
    found, at, road, along = Route(), start, "", 0
    for item, word in enumerate(items_of(path)):
        try:
            if not road and isinstance(word, str) and word in board.costs[at]:
                found.steps.append(Step(item, hex=word))  # spelled out, hex by hex: nothing to look up
                at = word
                continue
            if isinstance(word, Mapping):
                found.steps.append(_deed(board, item, word))
                continue
            text = f"{word:04}" if isinstance(word, int) else word.strip()
            if text.lower().startswith(f"{TRY} "):
                found.steps.append(_deed(board, item, {TRY: text[len(TRY) :]}))
                continue
            if text.lower().startswith(ALONG):
                road, along = _road(board, item, text[len(ALONG) :]), item
                continue
            goal = _hex(board, item, text[len(TO) :] if text.lower().startswith(TO) else text)
            hexes = _by_road(board, item, road, at, goal) if road else _shortest(board, at, goal, around)
            found.steps += [Step(item, hex=hex) for hex in hexes]
            at = goal
        except Astray as wrong:
            found.astray.append(wrong)
        road = ""
    if road:
        found.astray.append(Astray(along, f"say how far: 'along {road}', then 'to' and a city or hex on it"))
    return found


def _deed(board: Board, item: int, word: Mapping[str, Any]) -> Step:
    if DROP in word:
        return Step(item, drop=word[DROP])
    name = str(word[TRY]).strip().lower().replace(" ", "_")
    if name not in board.cities:
        raise Astray(item, f"there is no city {str(word[TRY]).strip()}{meant(name, board.cities)}", TRY)
    return Step(item, city=name)


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
            raise Astray(item, f"{road} does not go through {named(board, hex)}")
    here, there = hexes.index(at), hexes.index(goal)
    return list(hexes[here + 1 : there + 1]) if here <= there else list(hexes[there:here][::-1])


def _hex(board: Board, item: int, text: str) -> str:
    found = board.find(text)
    if found is None:
        raise Astray(item, f"there is no hex or city {text}{meant(text.lower().replace(' ', '_'), board.by_name)}")
    return found


def _road(board: Board, item: int, text: str) -> str:
    name = text.strip().lower().replace(" ", "_")
    for road in (name, f"via_{name}", f"{name}_road"):
        if road in board.ways:
            return road
    raise Astray(item, f"there is no road {text.strip()}{meant(name, board.ways)}")


def meant(text: str, known: Iterable[str]) -> str:
    """Return what was probably meant by a word that is none of those known: `, did you mean rome?`; or nothing."""
    near = get_close_matches(text.lower().replace(" ", "_"), list(known), 1)
    return f", did you mean {near[0]}?" if near else ""


def named(board: Board, hex: str) -> str:
    """Return how a hex is called: by its city, if it has one."""
    city = board.hexes[hex].city
    return city if city is not None else hex
