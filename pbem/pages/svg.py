"""A second renderer of a scene: the board as SVG, drawn once, and what lies on it as data that a page moves about.

The board is markup whose places and regions have ids. What lies on it is a `Frame`: plain numbers and texts, so that
browser code only has to put them there. Positions come from the same room-finding as those of the pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from html import escape
from itertools import groupby, pairwise
from math import hypot
from typing import Any, Final, TypeAlias

from pbem.game.board.board_map import BaseMap, Place, Point
from pbem.game.board.scene import Arrow, Counter, DrawnSide, Scene, named
from pbem.pages.templates import visible_value
from pbem.render.map import canvas
from pbem.render.map.arrangement import STRANGER
from pbem.render.map.canvas import Bounds, Ink, mix
from pbem.render.map.counters import Piece, Stack, draw_mark, size
from pbem.render.map.names import wide_names
from pbem.render.map.placement import Wish, anchor_of, lead, needs_line, placements
from pbem.render.map.places import LABEL_SIZE, label_box, label_weight

Frame: TypeAlias = dict[str, Any]
"""What lies on the board after one adjudication.

`c`: for each place of the board the number of its owner among `owners`, 0 for nobody. `t`: the same for regions. `p`:
pieces, each its number among the `Symbols`, its top left corner, and a number that it keeps from map to map. `x`:
markup of arrows, and of the lines that join pieces to places. `r`: the numbers of the places where something has
changed.
"""
_ROWS: Final = 24, 16
"""Heights of a counter and of the smaller line below its name."""


class Symbols:
    """The markup of all pieces that were drawn so far, each once, and the numbers of those whose ids were met."""

    def __init__(self) -> None:
        self.markup: list[str] = []
        self._known: dict[Piece, int] = {}
        self._ids: dict[str, int] = {}

    def identity(self, id: str) -> int:
        """Return the number of the piece with an id: the same on every map on which it lies."""
        return self._ids.setdefault(id, len(self._ids))

    def number(self, piece: Piece) -> int:
        """Return the number of a piece."""
        if piece not in self._known:
            self._known[piece] = len(self.markup)
            self.markup.append(_piece_markup(piece))
        return self._known[piece]


class SvgSketch:
    """A drawing like those of the pictures, as markup."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def polygon(self, points: Iterable[Point], fill: Ink) -> None:
        self.parts.append(f'<polygon points="{_points(points)}" fill="{_ink(fill)}"/>')

    def line(self, points: Iterable[Point], ink: Ink, width: float, *, closed: bool = False) -> None:
        shape = "polygon" if closed else "polyline"
        drawn = f'fill="none" stroke="{_ink(ink)}" stroke-width="{_number_text(width)}"'
        self.parts.append(f'<{shape} points="{_points(points)}" {drawn}/>')

    def disc(self, centre: Point, radius: float, fill: Ink, outline: Ink | None = None, width: float = 0) -> None:
        x, y = map(_number_text, centre)
        rim = "" if outline is None else f' stroke="{_ink(outline)}" stroke-width="{_number_text(width)}"'
        self.parts.append(f'<circle cx="{x}" cy="{y}" r="{_number_text(radius)}" fill="{_ink(fill)}"{rim}/>')


def _number_text(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{_number_text(x)},{_number_text(y)}" for x, y in points)


def _ink(ink: Ink) -> str:
    """Return a colour as markup has it."""
    if isinstance(ink, str):
        return escape(ink)
    return "#" + "".join(f"{part:02x}" for part in (ink if isinstance(ink, tuple) else (int(ink),) * 3)[:3])


def _words_markup(text: str) -> str:
    return escape(str(visible_value(text)))


def _text_markup(x: float, y: float, text: str, size: int, fill: Ink, more: str = "") -> str:
    """Return a line of text whose middle is at a height."""
    at = f'x="{_number_text(x)}" y="{_number_text(y + size * 0.35)}"'
    return f'<text {at} font-size="{size}" fill="{_ink(fill)}"{more}>{_words_markup(text)}</text>'


# ---- the board


def board(scene: Scene, lies: Frame, symbols: Symbols) -> str:
    """Return a scene as the inside of an `<svg>`: what is printed, and in groups with ids what lies on it."""
    base, owned = scene.base, owners(scene)
    tints = "".join(
        f'<path d="{_way(region.outline)}" fill="{owned[number] or "none"}" stroke="{canvas.BORDER}"/>'
        for region, number in zip(base.regions, lies["t"], strict=True)
    )
    places = "".join(
        _place_markup(base, place, owned[number], number)
        for place, number in zip(base.places.values(), lies["c"], strict=True)
    )
    pieces = "".join(f'<g transform="translate({x} {y})">{symbols.markup[number]}</g>' for number, x, y, _ in lies["p"])
    return (
        f'{_ground(base)}<g id="tints" clip-path="url(#shore)">{tints}</g>{_map_ways(base)}'
        f'<g id="arrows">{lies["x"]}</g>'
        f'<defs>{_owner_marks(scene.sides)}</defs><g id="places" stroke="{canvas.INK}">{places}</g>'
        f'{_map_labels(base)}<g id="pieces">{pieces}</g>'
    )


@lru_cache(maxsize=16)
def _ground(base: BaseMap) -> str:
    """Return land and water."""
    return "".join(
        [
            f'<rect width="{base.width}" height="{base.height}" fill="{canvas.SEA}"/>',
            *(_area(each, canvas.ABROAD) for each in base.abroad),
            f'<path id="land" d="{"".join(map(_way, base.land))}" fill="{canvas.LAND}" stroke="{canvas.COAST}"/>',
            '<clipPath id="shore"><use href="#land"/></clipPath>',
            *(_area(each, canvas.HILLS) for each in base.hills),
            *(_area(each, canvas.MOUNTAINS) for each in base.mountains),
            *_tiles(base),
            *(_area(each, canvas.SEA, canvas.COAST) for each in base.lakes),
            *(_stroke(each, canvas.RIVER, 2) for each in base.rivers),
            *(_stroke(each, canvas.STREAM, 4) for each in base.streams),
        ]
    )


def _tiles(base: BaseMap) -> Iterator[str]:
    """Yield the hexes, those of one terrain in one path."""
    for kind, look in base.tile_kinds.items():
        way = "".join(_way(each.outline) for each in base.tiles if each.kind == kind)
        yield f'<path d="{way}" fill="{_ink(look.tone)}" stroke="{canvas.BORDER}"/>'


@lru_cache(maxsize=16)
def _map_ways(base: BaseMap) -> str:
    """Return the connections of places, and the names of lands and seas."""
    return "".join([*(_path_markup(base, each.a, each.b, each.kind) for each in base.paths), *_wide_names(base)])


@lru_cache(maxsize=16)
def _map_labels(base: BaseMap) -> str:
    labels = "".join(_label_markup(base, each) for each in base.places.values() if each.label)
    return f'<g class="n" font-size="{LABEL_SIZE}">{labels}</g>'


def _way(points: Sequence[Point]) -> str:
    """Return an outline as the data of a path: each point as the step from the one before it."""
    at = [(round(x), round(y)) for x, y in points]
    if not at:
        return ""
    steps = [f"{bx - ax} {by - ay}" for (ax, ay), (bx, by) in pairwise(at) if (ax, ay) != (bx, by)]
    return f"M{at[0][0]} {at[0][1]}l{' '.join(steps)}z".replace(" -", "-")


def _area(points: Sequence[Point], fill: str, stroke: str = "") -> str:
    rim = f' stroke="{stroke}"' if stroke else ""
    return f'<path d="{_way(points)}" fill="{_ink(fill)}"{rim}/>'


def _stroke(points: Sequence[Point], ink: str, width: float) -> str:
    way = _way(points).removesuffix("z")
    return f'<path d="{way}" fill="none" stroke="{ink}" stroke-width="{_number_text(width)}"/>'


def _path_markup(base: BaseMap, a: str, b: str, kind: str) -> str:
    look, one, other = base.path_kinds[kind], base.places[a], base.places[b]
    dashes = ' stroke-dasharray="8 6"' if look.stroke == "dashed" else ""
    return (
        f'<path d="M{one.x} {one.y}L{other.x} {other.y}" stroke="{_ink(look.ink)}" '
        f'stroke-width="{_number_text(look.width)}"{dashes}/>'
    )


def _wide_names(base: BaseMap) -> Iterator[str]:
    for name in wide_names(base):
        left, top, right, bottom = name.box
        x, y = (left + right) / 2, (top + bottom) / 2
        turn = f' transform="rotate({-name.turn} {_number_text(x)} {_number_text(y)})"' if name.turn else ""
        more = f' text-anchor="middle" letter-spacing="{_number_text(name.gap)}"{turn}'
        for at, line in enumerate(lines := name.text.split("\n")):
            yield _text_markup(x, y + (at - (len(lines) - 1) / 2) * name.size, line, name.size, name.ink, more)


_SHAPES: Final = {
    "square": "M-1-1H1V1H-1z",
    "hexagon": "M-1 0L-.5-.87H.5L1 0 .5.87H-.5z",
    "diamond": "M0-1L1 0 0 1-1 0z",
    "star": "M0-1L.38-.92.71-.71.92-.38 1 0 .92.38.71.71.38.92 0 1-.38.92-.71.71-.92.38-1 0-.92-.38-.71-.71-.38-.92z",
}


def _place_markup(base: BaseMap, place: Place, colour: str, owner: int) -> str:
    """Return a place: a ring that is lit up, its shape, and the mark of its owner."""
    kind = base.place_kinds[place.kind]
    half = kind.size / 2
    ring = f'<circle r="{_number_text(half + 7)}"/>'
    shape = ""
    if kind.form != "open":
        drawn = _SHAPES.get(kind.form)
        empty = _ink(kind.empty)
        rim = f'data-empty="{empty}" fill="{colour or empty}"'
        if drawn is None:
            shape = f'<circle class="f" r="{_number_text(half)}" {rim} stroke-width="2"/>'
        else:
            thin = f"{2 / half:.2f}"
            shape = f'<path class="f" d="{drawn}" transform="scale({_number_text(half)})" {rim} stroke-width="{thin}"/>'
        shape += f'<use href="#m{owner}" transform="scale({half / 14:.2f})"/>'
    name = _words_markup(place.name or place.label.replace("\n", " "))
    at = f'id="p-{escape(place.id)}" transform="translate({place.x} {place.y})"'
    return f"<g {at}><title>{name}</title>{ring}{shape}</g>"


def _label_markup(base: BaseMap, place: Place) -> str:
    left, top, right, bottom = label_box(base, place)
    bold = ' font-weight="600"' if label_weight(base, place) == "SemiBold" else ""
    rows = place.label.split("\n")
    height = (bottom - top) / len(rows)
    middle = (left + right) / 2
    return "".join(
        f'<text x="{round(middle)}" y="{round(top + (at + 0.78) * height)}"{bold}>{_words_markup(row)}</text>'
        for at, row in enumerate(rows)
    )


# ---- what lies on it


def owners(scene: Scene) -> list[str]:
    """Return the colour of nobody, which is none, and of each owner of a scene."""
    return ["", *(each.colour for each in scene.sides)]


def _owner_marks(sides: Sequence[DrawnSide]) -> str:
    """Return the marks of nobody and of each owner, 9 from the middle to the edge."""
    drawn = ["", *(_owner_mark(each, (0, 0), 9) for each in sides)]
    return "".join(f'<g id="m{number}" stroke="none">{markup}</g>' for number, markup in enumerate(drawn))


def _owner_mark(side: DrawnSide, middle: Point, radius: float) -> str:
    sketch = SvgSketch()
    draw_mark(sketch, side.mark, middle, radius, side.ink, side.colour)
    return "".join(sketch.parts)


def frame(scene: Scene, symbols: Symbols, changed: Iterable[str] = ()) -> Frame:
    """Return what lies on the board."""
    base, numbers = scene.base, {side.id: at for at, side in enumerate(scene.sides, 1)}
    order = {id: at for at, id in enumerate(base.places)}
    pieces = list(_map_pieces(scene))
    boxes = placements(base, [Wish(anchor_of(base, place), *size(piece)) for place, _, piece in pieces])
    return {
        "c": [numbers.get(scene.control.get(id) or "", 0) for id in base.places],
        "t": [numbers.get(scene.tints.get(region.id) or "", 0) for region in base.regions],
        "p": [
            [symbols.number(piece), round(left), round(top), symbols.identity(id)]
            for (_, id, piece), (left, top, *_) in zip(pieces, boxes, strict=True)
        ],
        "x": "".join(
            [
                *(_arrow(scene, each) for each in scene.arrows),
                *(_lead(base, place, box) for (place, *_), box in zip(pieces, boxes, strict=True)),
            ]
        ),
        "r": [order[id] for id in changed],
    }


def _map_pieces(scene: Scene) -> Iterator[tuple[str, str, Piece]]:
    """Yield what lies at each place, with its id: stacks of counters, which have that of the first one, and markers."""
    sides = {side.id: side for side in scene.sides}

    def key(counter: Counter) -> tuple[str, str, bool]:
        return counter.place, counter.side, counter.inside

    for (place, side, _), some in groupby(sorted(named(scene.counters), key=key), key=key):
        counters = list(some)
        looks = tuple(replace(each, id="") for each in counters)  # two that look alike share a symbol
        yield place, counters[0].id, Piece((Stack(sides.get(side, STRANGER), looks),))
    for at, marker in enumerate(scene.markers):
        owner = sides.get(marker.side or "")
        alike = sum(other.place == marker.place for other in scene.markers[:at])
        yield marker.place, f"marker/{marker.place}/{alike}", Piece((), marker, owner)


def _lead(base: BaseMap, place: str, box: Bounds) -> str:
    anchor = anchor_of(base, place)
    if not needs_line(base, anchor, box):
        return ""
    (ax, ay), (bx, by) = lead(anchor.box, box)
    way = f"M{round(ax)} {round(ay)}L{round(bx)} {round(by)}"
    return f'<path d="{way}" stroke="#fff" stroke-width="5"/><path d="{way}" stroke="{canvas.INK}" stroke-width="2"/>'


def _arrow(scene: Scene, arrow: Arrow) -> str:
    """Return an arrow along its places, ending short of the last, rimmed in white."""
    points = [(float(scene.base.places[id].x), float(scene.base.places[id].y)) for id in arrow.places]
    if len(points) < 2:
        return ""
    colour = next((side.colour for side in scene.sides if side.id == arrow.side), STRANGER.colour)
    (ax, ay), (bx, by) = points[-2:]
    length = hypot(bx - ax, by - ay) or 1
    ux, uy = (bx - ax) / length, (by - ay) / length
    tip, neck = (bx - 13 * ux, by - 13 * uy), (bx - 30 * ux, by - 30 * uy)
    head = [tip, (neck[0] - 11 * uy, neck[1] + 11 * ux), (neck[0] + 11 * uy, neck[1] - 11 * ux)]
    way = _points([*points[:-1], neck])
    dashes = {"march": "", "retreat": ' stroke-dasharray="13 8"', "sea": ' stroke-dasharray="3 4"'}[arrow.style]
    return (
        f'<polyline points="{way}" fill="none" stroke="#fff" stroke-width="12"/>'
        f'<polyline points="{way}" fill="none" stroke="{_ink(colour)}" stroke-width="7"{dashes}/>'
        f'<polygon points="{_points(head)}" fill="{_ink(colour)}" stroke="#fff" stroke-width="2"/>'
    )


def _piece_markup(piece: Piece) -> str:
    """Return the markup of a piece with its top left corner at the origin."""
    width, height = size(piece)
    if piece.marker is not None:
        colour = canvas.WALL if piece.owner is None else piece.owner.colour
        ink = canvas.PAPER if piece.owner is None else piece.owner.ink
        words = f"⚔ {piece.marker.text}".strip() if piece.marker.kind == "battle" else piece.marker.text
        rim = f'rx="4" fill="{_ink(colour)}" stroke="{canvas.PAPER}"'
        return f'<rect width="{width}" height="{height}" {rim}/>' + _text_markup(
            6, height / 2, words, 14, ink, _fit(width - 11)
        )
    (stack,) = piece.stacks
    walls = stack.counters[0].inside
    around = f'<rect width="{width}" height="{height}" fill="{canvas.WALL}"/>' if walls else ""
    inset = 5 if walls else 1
    y, parts = inset, [around]
    for counter in stack.counters:
        high = _ROWS[0] + (_ROWS[1] if counter.sublabel and counter.label else 0)
        parts.append(_counter(counter, stack.side, inset, y, width - 2 * inset, high))
        y += high
    return "".join(parts)


def _fit(room: float) -> str:
    """Return the attributes of a text that must not be longer than its room, whatever type the reader has."""
    return f' textLength="{_number_text(room)}" lengthAdjust="spacingAndGlyphs"'


def _counter(counter: Counter, side: DrawnSide, x: float, y: float, width: float, height: float) -> str:
    strength = counter.strength or ("?" if counter.hidden else "")
    label, below = counter.label or counter.sublabel, counter.sublabel if counter.label else ""
    mark = 17 if side.mark != "none" else 0
    field = mark + (max(15, 10 * len(strength) + 6) if strength else 0 if mark else 7)
    rim = _ink(mix(side.colour, canvas.INK, 0.55))
    paper = _ink(mix(canvas.PAPER, side.colour, 0.16 if counter.hidden else 0.04))
    parts = [
        f'<rect x="{_number_text(x)}" y="{_number_text(y)}" width="{_number_text(width)}" height="{height}" rx="3" '
        f'fill="{_ink(side.colour)}" stroke="{rim}"/>'
    ]
    if mark:
        parts.append(_owner_mark(side, (x + 9, y + height / 2), 5.8))
    if width > field + 4:
        inside = f'width="{_number_text(width - field - 2)}" height="{_number_text(height - 3)}" rx="2" fill="{paper}"'
        parts.append(f'<rect x="{_number_text(x + field)}" y="{_number_text(y + 1.5)}" {inside}/>')
    if strength:
        parts.append(
            _text_markup(x + (mark + field) / 2, y + height / 2, strength, 17, side.ink, ' text-anchor="middle"')
        )
    words = " ".join([label, *(f"[{badge}]" for badge in counter.badges)]).strip()
    for text, down, bold in ((words, _ROWS[0] / 2, ' font-weight="600"'), (below, _ROWS[0] + 5, "")):
        if text:
            room = width - field - 10
            parts.append(
                _text_markup(
                    x + field + 5, y + down, text, 14, canvas.INK, bold + (_fit(room) if text == words else "")
                )
            )
    return "".join(parts)
