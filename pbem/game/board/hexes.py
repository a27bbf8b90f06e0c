"""Hexes with a flat top: neighbours, distances, the cheapest ways, and a board of them on paper.

A hex is (row, column), rows counted southwards in half-hexes, columns eastwards, so that the neighbours to the north
and south are two rows away and the others one row and one column. Whether row and column are both even or both odd, or
neither, is the same all over a map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from heapq import heappop, heappush
from itertools import pairwise
from math import sqrt
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar, get_args

from pbem.game.board.board_map import (
    BaseMap,
    Point,
    Polyline,
    Region,
    Relief,
    Tile,
    TileKind,
    base_map,
    lines,
    require_known,
    sealed,
)
from pbem.protocol import Record

# ---- Hexes with a flat top: which are neighbours, how far apart they are, where they lie on paper, the cheapest ways


HexCoordinate: TypeAlias = tuple[int, int]
N = TypeVar("N", bound=str)

DIRECTIONS: Final[Mapping[str, HexCoordinate]] = {
    "n": (-2, 0), "ne": (-1, 1), "se": (1, 1), "s": (2, 0), "sw": (1, -1), "nw": (-1, -1),
}  # fmt: skip
_NAMES: Final[Mapping[HexCoordinate, str]] = {step: name for name, step in DIRECTIONS.items()}


def neighbours(at: HexCoordinate) -> dict[str, HexCoordinate]:
    """Return the six hexes around one, by direction, clockwise from the north.

    >>> neighbours((4, 2))["se"]
    (5, 3)
    """
    row, column = at
    return {name: (row + down, column + right) for name, (down, right) in DIRECTIONS.items()}


def distance(one: HexCoordinate, other: HexCoordinate) -> int:
    """Return how many steps two hexes are apart.

    >>> distance((0, 0), (4, 0)), distance((0, 0), (1, 3)), distance((0, 0), (5, 1))
    (2, 3, 3)
    """
    columns, rows = abs(one[1] - other[1]), abs(one[0] - other[0])
    return columns + max(0, (rows - columns) // 2)


def centre(at: HexCoordinate, width: float) -> Point:
    """Return the middle of a hex on paper, y downwards; `width` is that of a hex between two flat sides."""
    row, column = at
    return column * width * sqrt(3) / 2, row * width / 2


def corners(at: HexCoordinate, width: float) -> tuple[Point, ...]:
    """Return the six corners of a hex, clockwise from the western one of its flat top."""
    x, y = centre(at, width)
    radius = width / sqrt(3)
    half, rise = radius / 2, width / 2
    return (
        (x - half, y - rise), (x + half, y - rise), (x + radius, y),
        (x + half, y + rise), (x - half, y + rise), (x - radius, y),
    )  # fmt: skip


def vertices(at: HexCoordinate) -> tuple[HexCoordinate, ...]:
    """Return the six corners of a hex as whole numbers (right, down), in the order of `corners`.

    Hexes that meet in a corner name it alike, so that sides can be joined without comparing fractions.
    """
    down, right = at[0], 3 * at[1]
    return (
        (right - 1, down - 1), (right + 1, down - 1), (right + 2, down),
        (right + 1, down + 1), (right - 1, down + 1), (right - 2, down),
    )  # fmt: skip


def spot(vertex: HexCoordinate, width: float) -> Point:
    """Return where a corner named by `vertices` lies on paper."""
    right, down = vertex
    return right * width / (2 * sqrt(3)), down * width / 2


def outlines(hexes: Iterable[HexCoordinate], width: float) -> list[Polyline]:
    """Return the closed outlines of hexes taken together, the outer ones and those of their lakes, by their corners."""
    inside = set(hexes)
    # From each corner one side at most goes on with the hexes on its right, for only three sides meet there.
    ways: dict[HexCoordinate, HexCoordinate] = {}
    for at in inside:
        around = vertices(at)
        for number, there in enumerate(neighbours(at).values()):
            if there not in inside:
                ways[around[number]] = around[(number + 1) % 6]
    found: list[Polyline] = []
    while ways:
        first = corner = min(ways)
        line: list[Point] = []
        while not line or corner != first:
            line.append(spot(corner, width))
            corner = ways.pop(corner)
        found.append(tuple(line))
    return found


def courses(pairs: Iterable[tuple[HexCoordinate, HexCoordinate]], width: float) -> list[Polyline]:
    """Return the sides between pairs of neighbours, joined where one runs into the next, as a river is drawn.

    Raises ValueError for two hexes that are no neighbours.
    """
    sides: dict[frozenset[HexCoordinate], None] = {}
    for one, other in pairs:
        name = direction(one, other)
        if name is None:
            raise ValueError(f"{one} and {other} are no neighbours")
        number, around = tuple(DIRECTIONS).index(name), vertices(one)
        sides[frozenset((around[number], around[(number + 1) % 6]))] = None
    found: list[Polyline] = []
    while sides:
        start = next(iter(sides))
        del sides[start]
        run = sorted(start)
        for _ in range(2):
            while (after := next((each for each in sides if run[-1] in each), None)) is not None:
                del sides[after]
                (corner,) = after - {run[-1]}
                run.append(corner)
            run.reverse()
        found.append(tuple(spot(corner, width) for corner in run))
    return found


def side(at: HexCoordinate, direction: str, width: float) -> tuple[Point, Point]:
    """Return the ends of the side that a hex has in a direction."""
    number = tuple(DIRECTIONS).index(direction)
    around = corners(at, width)
    return around[number], around[(number + 1) % 6]


def direction(one: HexCoordinate, other: HexCoordinate) -> str | None:
    """Return the direction from a hex to a neighbour; None if they are none.

    >>> direction((4, 2), (5, 3)), direction((4, 2), (4, 4))
    ('se', None)
    """
    return _NAMES.get((other[0] - one[0], other[1] - one[1]))


def cheapest(
    start: N,
    steps: Callable[[N], Iterable[tuple[N, int]]],
    most: int,
    *,
    stops: Callable[[N], bool] | None = None,
    goal: N | None = None,
) -> dict[N, tuple[int, N | None]]:
    """Return whatever can be reached for at most `most`: its cost, and what comes before it on a cheapest way.

    `steps` are the places next to one, with the cost of going there; a way ends where `stops`. With a `goal` nothing
    is looked for that is farther away. Of ways that cost the same the one counts whose last place but one has the
    lower id, so that the answer is always the same.
    """
    found: dict[N, tuple[int, N | None]] = {}
    heap: list[Any] = [(0, "", start, None)]
    while heap:
        cost, _, at, before = heappop(heap)
        if at in found:
            continue
        found[at] = cost, before
        if at == goal:
            break
        if before is not None and stops is not None and stops(at):
            continue
        for there, price in steps(at):
            if there not in found and cost + price <= most:
                heappush(heap, (cost + price, at, there, at))
    return found


def way(found: Mapping[N, tuple[int, N | None]], to: N) -> list[N]:
    """Return the places of a cheapest way that `cheapest` found, without its start."""
    places: list[N] = []
    at: N | None = to
    while at is not None and found[at][1] is not None:
        places.append(at)
        at = found[at][1]
    return places[::-1]


# ---- A board of hexes on paper: from the numbers of its hexes to the map that `pbem.render` draws


_OPEN: Final = "open"


def hex_map(
    layout: Record,
    coast: Record,
    hexes: Iterable[Record],
    roads: Iterable[tuple[str, str, str]],
    rivers: Iterable[tuple[str, str]],
) -> BaseMap:
    """Return the board that a layout and hexes describe. Raises `Misdrawn` where they do not fit.

    `layout` has `hexes` besides what a map of spaces has: the `width` of a hex between flat sides, where the middle
    of hex (0, 0) would lie (`at`), and how many pixels below its middle a place stands (`below`). Its `places` only
    list what is other than usual, and `coast` only `abroad`, land off the board. Each of `hexes` has `id`, `at`,
    `terrain`, `region`, and if there is a place in it `name`, `kind` and `signs`; a road has both ends and a kind, a
    river pairs of hexes between which it runs.
    """
    grid, records = layout["hexes"], {each["id"]: each for each in hexes}
    width, (left, top) = grid["width"], grid["at"]
    kinds = {name: TileKind(**look) for name, look in layout["tile_kinds"].items()}
    require_known("relief of a terrain", (kind.relief for kind in kinds.values()), get_args(Relief))
    require_known("terrain", (each["terrain"] for each in records.values()), kinds)
    require_known("hex of the layout", layout.get("places", {}), records)
    at: dict[str, HexCoordinate] = {id: each["at"] for id, each in records.items()}

    def laid(line: Iterable[tuple[float, float]]) -> Polyline:
        return tuple((round(x + left, 1), round(y + top, 1)) for x, y in line)

    regions = (
        Region(id, laid(line), look["text"] if number == 0 else "", look["at"][0], look["at"][1], look.get("turn", 0))
        for id, look, inside in _regions_of_hexes(layout["regions"], records.values())
        for number, line in enumerate(sorted(outlines(inside, width), key=len, reverse=True))
    )
    tiles = (Tile(laid(corners(at[id], width)), each["terrain"], id) for id, each in records.items())
    return sealed(
        replace(
            _of_places(layout, records.values(), roads),
            land=tuple(_softened(laid(line)) for line in outlines(at.values(), width)),
            abroad=lines(coast.get("abroad", ())),
            regions=tuple(regions),
            tiles=tuple(tiles),
            tile_kinds=MappingProxyType(kinds),
            streams=tuple(laid(line) for line in courses(((at[a], at[b]) for a, b in rivers), width)),
            meanings=tuple(layout.get("meanings", {}).items()),
        )
    )


def _of_places(layout: Record, records: Iterable[Record], roads: Iterable[tuple[str, str, str]]) -> BaseMap:
    """Return the board as if it had nothing but places, one in each hex; where there is none, an open one."""
    bare = {"form": "open", "size": 6, "empty": "#ffffff", "legend": ""}
    whole = {
        **layout,
        "place_kinds": {_OPEN: bare, **layout["place_kinds"]},
        "places": dict(_places_of_hexes(layout, records)),
        "regions": {},
    }
    return base_map(whole, {"land": []}, ({"name": "", "kind": _OPEN, **each} for each in records), roads)


def _places_of_hexes(layout: Record, records: Iterable[Record]) -> Iterator[tuple[str, Record]]:
    """Yield where each place stands: in the middle of its hex, unless the layout says otherwise."""
    grid, own = layout["hexes"], layout.get("places", {})
    for each in records:
        x, y = centre(each["at"], grid["width"])
        below = grid.get("below", 0) if each.get("kind") else 0
        at = round(x + grid["at"][0]), round(y + grid["at"][1] + below)
        yield each["id"], {"at": at, **own.get(each["id"], {})}


def _regions_of_hexes(written: Record, records: Iterable[Record]) -> Iterator[tuple[str, Record, list[HexCoordinate]]]:
    """Yield the regions of the board: id, how the layout writes it, and its hexes; one may be in several pieces."""
    hexes: dict[str, list[HexCoordinate]] = {}
    for each in records:
        hexes.setdefault(each["region"], []).append(each["at"])
    require_known("region", hexes, written)
    for id, look in written.items():
        yield id, look, hexes.get(id, [])


def _softened(line: Polyline) -> Polyline:
    """Return a closed line with its corners cut twice: hexes that end at the sea look like a shore."""
    for _ in range(2):
        line = tuple(
            (round(a[0] + (b[0] - a[0]) * share, 1), round(a[1] + (b[1] - a[1]) * share, 1))
            for a, b in pairwise((*line, line[0]))
            for share in (0.25, 0.75)
        )
    return line
