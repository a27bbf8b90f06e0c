"""The scene of a position: what there is to draw on a map that never changes, and the same as plain data for a page.

A game turns a position that has already been redacted into a `Scene`; `pbem.render` turns a scene into pictures and
knows no game. Who sends the pictures adds who reads them, what is asked and what has changed.

    base = base_map(layout, coast, spaces, connections)          # once per game: plain data out of its box
    scene = Scene(base, "Turn 3", sides=(ROME, CARTHAGE),
                  control={"capua": "rome"},
                  counters=(Counter("capua", "carthage", "10", "Hannibal", "Mago", badges=("2 el",), id="hannibal"),))
    png = pbem.render.map.picture.render(scene)
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, Literal, TypeAlias, get_args

from pbem.game.board.board_map import BaseMap, PlaceKind, require_known
from pbem.protocol import Record

Mark: TypeAlias = Literal["none", "cross", "bar", "dot", "ring", "saltire", "chevron", "half", "checks"]
"""A shape by which an owner is known without colour, on its places and on its counters."""
MARKS: Final[tuple[Mark, ...]] = get_args(Mark)
_DARK_INK, _LIGHT_INK = "#1d1a16", "#ffffff"


@dataclass(frozen=True, slots=True)
class DrawnSide:
    """An owner of places and counters: a player's side, or a power that nobody plays.

    `colour` is that of its things, `ink` what marks and writing on them take, `mark` tells it from others in grey too.
    """

    id: str
    name: str
    colour: str
    ink: str = _LIGHT_INK
    mark: Mark = "none"
    side: str = ""
    """The player's side that leads it, if that has another id."""

    def is_of(self, side: str) -> bool:
        """Tell whether it is a player's side, or led by it."""
        return bool(side) and side in (self.id, self.side)


def drawn_sides(records: Iterable[Record]) -> tuple[DrawnSide, ...]:
    """Return owners out of records with `id`, `name` and `colour`.

    They may also have a `mark`, if it is not to be the next free one, and the `side` that leads them.
    """
    records = list(records)
    taken = {each["mark"] for each in records if "mark" in each}
    require_known("mark", taken, MARKS)
    free = [mark for mark in (*MARKS[1:], MARKS[0]) if mark not in taken] or [*MARKS[1:]]
    drawn = []
    for each in records:
        mark = each.get("mark") or free[0]
        if "mark" not in each:
            free = [*free[1:], free[0]]
        drawn.append(
            DrawnSide(each["id"], each["name"], each["colour"], ink_on(each["colour"]), mark, each.get("side", ""))
        )
    return tuple(drawn)


def ink_on(colour: str) -> str:
    """Return the ink that is read better on a colour."""
    dark, light = (contrast(colour, ink) for ink in (_DARK_INK, _LIGHT_INK))
    return _LIGHT_INK if light >= dark else _DARK_INK


def contrast(one: str, other: str) -> float:
    """Return how far two colours are apart in lightness, as WCAG counts it: 1 for none, 21 for black and white.

    >>> round(contrast("#0f2c5e", "#c8402f"), 1)
    2.7
    """
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Return the relative luminance of a colour written as `#rrggbb`."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@dataclass(frozen=True, slots=True)
class Counter:
    """An army, a fleet, a lone general: `strength` large on the side's colour, `label` beside it, `sublabel` below.

    Leave `strength` or `label` empty and its field is not drawn. Badges are a few letters each ("2 el"). `inside`
    draws walls round it (in a city, besieged or not); `hidden` shows that its owner alone knows what it is.
    Counters of one place and side are drawn as one stack, in the order given. `id` names the counter as long as it is
    in the game, so that two scenes can be compared.
    """

    place: str
    side: str
    strength: str = ""
    label: str = ""
    sublabel: str = ""
    badges: tuple[str, ...] = ()
    inside: bool = False
    hidden: bool = False
    id: str = ""


@dataclass(frozen=True, slots=True)
class Marker:
    """A few words at a place.

    A `siege` also gets camps round the place, in the colour of `side`, the besieger. A `battle` gets crossed swords,
    and the counters there stand in one bracket.
    """

    place: str
    text: str
    kind: Literal["siege", "battle", "note"] = "note"
    side: str | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """A march along places, from first to last; a `retreat` is drawn broken, a `sea` move curved, with a wake.

    `name` says who moves, in a word or two.
    """

    places: tuple[str, ...]
    side: str
    style: Literal["march", "retreat", "sea"] = "march"
    name: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value in a panel, on the colour of a side if it has one."""

    text: str
    side: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a panel: words on the left, values on the right."""

    label: str
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """A line of a panel: a row of boxes of which `now` (an index) is lit."""

    steps: tuple[str, ...]
    now: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Lines of a panel that have columns: who is allied with whom. The first column holds the `heads` of the lines."""

    columns: tuple[Cell, ...]
    heads: tuple[Cell, ...]
    lines: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """A small table in a slot that the base map leaves free; several in one slot stand one below another.

    The slot `title` holds the title before them, `legend` the legend after them. What is too wide for the slot goes on
    in another line.
    """

    slot: str
    title: str
    rows: tuple[Row | Track | Grid, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """One position on paper: the base map and what lies on it, as its reader may know it.

    `control` names the side that holds a place (a place left out is held by nobody), `tints` the side that holds a
    region, `kinds` the kind of a place that is another by now than is printed. The fields from `reader` on are not for
    games to fill in: whoever sends the picture knows them.
    """

    base: BaseMap
    title: str
    subtitle: str = ""
    sides: tuple[DrawnSide, ...] = ()
    control: Mapping[str, str | None] = field(default_factory=dict)
    tints: Mapping[str, str | None] = field(default_factory=dict)
    counters: tuple[Counter, ...] = ()
    markers: tuple[Marker, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    panels: tuple[Panel, ...] = ()
    legend: bool = True
    kinds: Mapping[str, str] = field(default_factory=dict)
    reader: str = ""
    """The side that reads it; empty: an observer does."""
    focus: tuple[str, ...] = ()
    """The places that the reader is asked about."""
    changed: tuple[str, ...] = ()
    """The places that have changed since the last map that the reader got."""
    to_move: tuple[str, ...] = ()
    """The names of those whose move it is."""
    until: str = ""
    """The deadline for their answers, as text."""

    def kind(self, place: str) -> PlaceKind:
        """Return what a place is now."""
        return self.base.place_kinds[self.kinds.get(place) or self.base.places[place].kind]


# ---- A scene as plain data, for pages that draw it in a browser: what lies on the board, and the board itself


_NOT_ITS_OWN: Final = frozenset({"base", "panels", "legend"})


def plain_scene(scene: Scene) -> dict[str, Any]:
    """Return what lies on the board, as JSON can hold it; every counter has an id that no other one has.

    A counter keeps its id from one scene to the next, so that a page can show where it went.
    """
    own = replace(scene, counters=named(scene.counters))
    return {each.name: _plain(getattr(own, each.name)) for each in fields(own) if each.name not in _NOT_ITS_OWN}


def named(counters: tuple[Counter, ...]) -> tuple[Counter, ...]:
    """Return counters that all have an id of their own: one without is called by its side and its place."""
    found: list[Counter] = []
    taken: Tally[str] = Tally()
    for counter in counters:
        id = counter.id or f"{counter.side}/{counter.place}{'/inside' if counter.inside else ''}"
        taken[id] += 1
        found.append(replace(counter, id=id if taken[id] == 1 else f"{id}/{taken[id]}"))
    return tuple(found)


def plain_board(base: BaseMap) -> dict[str, Any]:
    """Return the printed board, as JSON can hold it."""
    return {each.name: _plain(getattr(base, each.name)) for each in fields(base)}


def _plain(value: object) -> Any:
    """Return a value with mappings, lists and single values only."""
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


# ---- The summary of a position in a report: a game fills these sections, a report prints them. Imports nothing of
#      ours
