"""A board of hexes on paper: from the numbers of its hexes to the map that `pbem.render` draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Final, get_args

from pbem.game.board_map import (
    BaseMap,
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
from pbem.game.hexes import HexCoordinate, centre, corners, courses, outlines
from pbem.game.plain import Record

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
        for id, look, inside in _regions(layout["regions"], records.values())
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
        "places": dict(_places(layout, records)),
        "regions": {},
    }
    return base_map(whole, {"land": []}, ({"name": "", "kind": _OPEN, **each} for each in records), roads)


def _places(layout: Record, records: Iterable[Record]) -> Iterator[tuple[str, Record]]:
    """Yield where each place stands: in the middle of its hex, unless the layout says otherwise."""
    grid, own = layout["hexes"], layout.get("places", {})
    for each in records:
        x, y = centre(each["at"], grid["width"])
        below = grid.get("below", 0) if each.get("kind") else 0
        at = round(x + grid["at"][0]), round(y + grid["at"][1] + below)
        yield each["id"], {"at": at, **own.get(each["id"], {})}


def _regions(written: Record, records: Iterable[Record]) -> Iterator[tuple[str, Record, list[HexCoordinate]]]:
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
