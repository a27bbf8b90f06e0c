"""The board as it is printed: places, paths, hexes and regions, out of the plain data of a box.

Imports nothing of ours but the words that all share.

All coordinates are pixels of the base map at its own width, origin top left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from pbem.protocol import PbemError, Record

Point: TypeAlias = tuple[float, float]
Polyline: TypeAlias = tuple[Point, ...]
Form: TypeAlias = Literal["round", "square", "hexagon", "diamond", "star", "open"]
"""What a place looks like; an open one is not drawn, and pieces may lie right on it."""
Compass: TypeAlias = Literal["n", "ne", "e", "se", "s", "sw", "w", "nw"]

Stroke: TypeAlias = Literal["solid", "dashed"]
Relief: TypeAlias = Literal["flat", "hills", "peaks"]


class Misdrawn(PbemError, ValueError):
    """A layout that does not fit the map it is for: the text says which entry and why."""


# ---- what is printed


@dataclass(frozen=True, slots=True)
class PlaceKind:
    """How places of one kind look: form, size across, fill while no side holds them, and words for the legend."""

    form: Form
    size: int
    empty: str
    legend: str


@dataclass(frozen=True, slots=True)
class PathKind:
    """How paths of one kind look: stroke, width, ink, peaks drawn half-way, and words for the legend."""

    stroke: Stroke
    width: float
    ink: str
    peaks: int
    legend: str


@dataclass(frozen=True, slots=True)
class TileKind:
    """How hexes of one terrain look: tone, what rises on them, and words for the legend."""

    tone: str
    relief: Relief
    legend: str


@dataclass(frozen=True, slots=True)
class Place:
    """A space: where it stands, its kind, its name, and its label with the side it hangs on.

    The label is the name, which a newline breaks, with the signs that are printed behind it.
    """

    id: str
    x: int
    y: int
    kind: str
    label: str
    hangs: Compass = "s"
    port: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Tile:
    """A hex: its outline from the western corner of its flat top, its terrain, its number as printed."""

    outline: Polyline
    kind: str
    number: str


@dataclass(frozen=True, slots=True)
class DrawnPath:
    """A connection of two places, by ids."""

    a: str
    b: str
    kind: str


@dataclass(frozen=True, slots=True)
class Region:
    """A province: its outline (the sea is cut off when drawn), its name, and the middle and slant of the writing."""

    id: str
    outline: Polyline
    label: str
    x: int
    y: int
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Inscription:
    """A name written on the ground or the sea for orientation only."""

    text: str
    x: int
    y: int
    size: int
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Slot:
    """Room that the map leaves for a panel: its top left corner and width."""

    x: int
    y: int
    width: int


@dataclass(frozen=True, slots=True, eq=False)
class BaseMap:
    """Everything that is printed on the board. Two maps are equal if their digests are: renderers cache by it."""

    id: str
    width: int
    height: int
    land: tuple[Polyline, ...]
    lakes: tuple[Polyline, ...]
    rivers: tuple[Polyline, ...]
    hills: tuple[Polyline, ...]
    mountains: tuple[Polyline, ...]
    regions: tuple[Region, ...]
    places: Mapping[str, Place]
    paths: tuple[DrawnPath, ...]
    place_kinds: Mapping[str, PlaceKind]
    path_kinds: Mapping[str, PathKind]
    inscriptions: tuple[Inscription, ...]
    slots: Mapping[str, Slot]
    digest: str
    tiles: tuple[Tile, ...] = ()
    """The hexes, if it is a map of them (`pbem.game.board.hexes` makes one). The land is then that of the tiles."""
    tile_kinds: Mapping[str, TileKind] = field(default_factory=dict)
    streams: tuple[Polyline, ...] = ()
    """Rivers that run along the sides of tiles."""
    abroad: tuple[Polyline, ...] = ()
    """Land that is no part of the board."""
    meanings: tuple[tuple[str, str], ...] = ()
    """Signs of the legend that no kind has: what is printed behind a name or on a counter, and what it means."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaseMap) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


# ---- from the plain data of a box


def base_map(
    layout: Record, coast: Record, spaces: Iterable[Record], connections: Iterable[tuple[str, str, str]]
) -> BaseMap:
    """Return the board that a layout, a coast and a map describe.

    `layout` and `coast` are the contents of `layout.yaml` and `coast.yaml`; `spaces` have `id`, `name`, `kind`, if they
    have a harbour `port`, and if something is printed behind the name `signs`; `connections` are both ends and the
    kind. Raises `Misdrawn` where they do not fit.
    """
    place_kinds = {name: PlaceKind(**look) for name, look in layout["place_kinds"].items()}
    path_kinds = {name: PathKind(**look) for name, look in layout["path_kinds"].items()}
    require_known("form of a place", (kind.form for kind in place_kinds.values()), get_args(Form))
    require_known("stroke of a path", (kind.stroke for kind in path_kinds.values()), get_args(Stroke))
    places = _places(layout["places"], spaces, place_kinds)
    paths = tuple(DrawnPath(*each) for each in connections)
    require_known("kind of path", (path.kind for path in paths), path_kinds)
    require_known("end of a path", (end for path in paths for end in (path.a, path.b)), places)
    width, height = layout["size"]
    base = BaseMap(
        id=layout["id"],
        width=width,
        height=height,
        land=lines(coast["land"]),
        lakes=lines(coast.get("lakes", ())),
        rivers=lines(coast.get("rivers", ())),
        hills=lines(coast.get("hills", ())),
        mountains=lines(coast.get("mountains", ())),
        regions=_regions(layout.get("regions", {}), coast.get("regions", {})),
        places=MappingProxyType(places),
        paths=paths,
        place_kinds=MappingProxyType(place_kinds),
        path_kinds=MappingProxyType(path_kinds),
        inscriptions=tuple(
            Inscription(each["text"], each["at"][0], each["at"][1], each["size"], each.get("turn", 0))
            for each in layout.get("inscriptions", ())
        ),
        slots=MappingProxyType(
            {name: Slot(each["at"][0], each["at"][1], each["width"]) for name, each in layout.get("slots", {}).items()}
        ),
        digest="",
        meanings=tuple(layout.get("meanings", {}).items()),
    )
    return sealed(base)


def sealed(base: BaseMap) -> BaseMap:
    """Return a map with the digest of all that is printed on it."""
    return replace(base, digest=sha256(repr(replace(base, digest="")).encode()).hexdigest())


def _places(drawn: Record, spaces: Iterable[Record], kinds: Mapping[str, PlaceKind]) -> dict[str, Place]:
    """Join the spaces of a map with their positions."""
    places = {}
    for space in spaces:
        id = space["id"]
        if id not in drawn:
            raise Misdrawn(f"the layout has no position for {id}")
        look = drawn[id]
        x, y = look["at"]
        label = " ".join(filter(None, (look.get("text", space["name"]), space.get("signs", ""))))
        hangs = look.get("hangs", "s")
        port = space.get("port")
        harbour = port is not None and port is not False  # a game may keep a number here, and 0 is one
        places[id] = Place(id, x, y, space["kind"], label, hangs, harbour, space["name"])
    require_known("place of the layout", drawn, places)
    require_known("kind of place", (place.kind for place in places.values()), kinds)
    require_known("side for a label to hang on", (place.hangs for place in places.values()), get_args(Compass))
    return places


def _regions(written: Record, outlines: Mapping[str, str]) -> tuple[Region, ...]:
    """Join the names of regions with their outlines."""
    require_known("region of the coast", outlines, written)
    return tuple(
        Region(id, _line(outlines.get(id, "")), look["text"], look["at"][0], look["at"][1], look.get("turn", 0))
        for id, look in written.items()
    )


def lines(texts: Sequence[str]) -> tuple[Polyline, ...]:
    """Return the outlines that a coast has, each written as `"x,y x,y ..."` in tenths of a pixel."""
    return tuple(map(_line, texts))


def _line(text: str) -> Polyline:
    """Read `"x,y x,y ..."`, in tenths of a pixel."""
    numbers = [int(number) / 10 for number in text.replace(",", " ").split()]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def require_known(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise `Misdrawn` at the first word given that is not known."""
    known = sorted(known)
    for word in given:
        if word not in known:
            raise Misdrawn(f"unknown {what}: {word!r}; known are {', '.join(known)}")
