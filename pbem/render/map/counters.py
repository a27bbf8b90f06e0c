"""The pieces that lie on a map: counters, stacks, markers, and the marks by which owners are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import cos, pi, sin
from typing import Final, Protocol

from PIL import Image

from pbem.game.board.board_map import Point
from pbem.game.board.scene import Counter, DrawnSide, Mark, Marker
from pbem.render.map import canvas
from pbem.render.map.canvas import Bounds, Ink, Sketch, Weight, draw_text, extent, mix

# ---- The marks by which owners are known without colour: nine shapes that can be told apart at 14 pixels


class Pen(Protocol):
    """What draws a mark: on a picture or as markup."""

    def polygon(self, points: Iterable[Point], fill: Ink) -> None: ...
    def line(self, points: Iterable[Point], ink: Ink, width: float) -> None: ...
    def disc(self, centre: Point, radius: float, fill: Ink) -> None: ...


def draw_mark(sketch: Pen, mark: Mark, middle: Point, radius: float, ink: Ink, ground: Ink) -> None:
    """Draw a mark into the circle round a point; `ground` is the colour that it lies on."""
    x, y = middle
    r = radius
    thick = r * 0.46
    if mark == "cross":
        sketch.line([(x - r, y), (x + r, y)], ink, thick)
        sketch.line([(x, y - r), (x, y + r)], ink, thick)
    elif mark == "bar":
        sketch.polygon(
            [(x - r, y - r * 0.34), (x + r, y - r * 0.34), (x + r, y + r * 0.34), (x - r, y + r * 0.34)], ink
        )
    elif mark == "dot":
        sketch.disc(middle, r * 0.5, ink)
    elif mark == "ring":
        sketch.disc(middle, r * 0.95, ink)
        sketch.disc(middle, r * 0.52, ground)
    elif mark == "saltire":
        d = r * 0.76
        sketch.line([(x - d, y - d), (x + d, y + d)], ink, thick)
        sketch.line([(x - d, y + d), (x + d, y - d)], ink, thick)
    elif mark == "chevron":
        outer = [(x - r * 0.9, y + r * 0.62), (x, y - r * 0.75), (x + r * 0.9, y + r * 0.62)]
        sketch.polygon([*outer, (x + r * 0.32, y + r * 0.62), (x, y + r * 0.12), (x - r * 0.32, y + r * 0.62)], ink)
    elif mark == "half":
        arc = [(x + r * cos(angle * pi / 180), y + r * sin(angle * pi / 180)) for angle in range(-90, 91, 10)]
        sketch.polygon(arc, ink)
    elif mark == "checks":
        d = r * 0.8
        sketch.polygon([(x - d, y - d), (x, y - d), (x, y), (x - d, y)], ink)
        sketch.polygon([(x, y), (x + d, y), (x + d, y + d), (x, y + d)], ink)


# ---- The pieces that lie on a map: counters, stacks of them, and markers, each a small picture made once and kept


_TALL: Final = 24
_UNDERLINE: Final = 16
_STRENGTH: Final = 18
_NAME: Final = 15
_SMALL: Final = 14
_MARK: Final = 17
"""Width of the field that the mark of an owner takes."""
_WALL: Final = 4
_MERLON: Final = 3
"""How far the battlements of a wall stand out above it."""
_SHADE: Final = 2
"""Width of the soft edge that lifts a piece off the board; it belongs to the picture."""
_TAG: Final = 20
_BRACKET: Final = 7
"""Width of either half of the bracket round the two sides of a battle."""
_CAPTION: Final = 19
"""Height of the name of a place that its counters carry."""


@dataclass(frozen=True, slots=True)
class Stack:
    """Counters of one side in one place, one below the other; walls go round them all if the first stands inside."""

    side: DrawnSide
    counters: tuple[Counter, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """What lies on the map in one piece: stacks, a marker, or both sides of a battle in a bracket under its marker.

    `caption` is the name of its place, if the piece carries it because it hides where it was printed.
    """

    stacks: tuple[Stack, ...] = ()
    marker: Marker | None = None
    owner: DrawnSide | None = None
    """Whose colour the marker has."""
    caption: str = ""


@lru_cache(maxsize=256)
def size(piece: Piece) -> tuple[int, int]:
    """Return width and height of a piece, in units of the base map."""
    parts = [_stack_size(each.counters, each.side) for each in piece.stacks]
    if piece.marker is not None:
        parts.insert(0, _tag_size(piece.marker))
    width, height = max((across for across, _ in parts), default=0), sum(down for _, down in parts)
    if piece.caption:
        width, height = max(width, extent(piece.caption, "SemiBold", _NAME)[0] + 10), height + _CAPTION
    if _is_bracketed(piece):
        width, height = width + 2 * _BRACKET, height + 4
    return width, height


def _is_bracketed(piece: Piece) -> bool:
    return piece.marker is not None and bool(piece.stacks)


@lru_cache(maxsize=96)
def picture(piece: Piece, scale: float) -> Image.Image:
    """Return a piece as it lies on the map."""
    parts = [stack(each.counters, each.side, scale) for each in piece.stacks]
    if piece.marker is not None:
        parts.insert(0, tag(piece.marker, piece.owner, scale))
    if len(parts) == 1 and not piece.caption:
        return parts[0]
    width, height = size(piece)
    sketch = Sketch((width, height), scale)
    bracketed = _is_bracketed(piece)
    if bracketed:
        sketch.panel((0, 0, width, height), 4, (*canvas.rgb(canvas.PAPER), 235), None, 0)
        for at, inward in ((1.5, 1), (width - 1.5, -1)):
            end = at + inward * (_BRACKET + 3)
            sketch.line([(end, 1.5), (at, 1.5), (at, height - 1.5), (end, height - 1.5)], canvas.INK, 3)
    y = 2.0 if bracketed else 0.0
    if piece.caption:
        sketch.panel((0, y, width, y + _CAPTION + (2 if piece.stacks else 0)), 3, canvas.PAPER, canvas.FRAME, 1)
    drawn = sketch.done()
    if piece.caption:
        box = 0, y * scale, width * scale, (y + _CAPTION) * scale
        draw_text(drawn, box, piece.caption, "SemiBold", round(_NAME * scale), canvas.INK)
        y += _CAPTION
    down = round(y * scale)
    for part in parts:
        drawn.alpha_composite(part, (max(0, (drawn.width - part.width) // 2), min(down, drawn.height - part.height)))
        down += part.height
    return drawn


def _stack_size(counters: tuple[Counter, ...], side: DrawnSide) -> tuple[int, int]:
    plans = _plans(counters, side)
    around = 2 * (_WALL if counters[0].inside else 0) + 2 * _SHADE
    battlements = _MERLON if counters[0].inside else 0
    return max(plan.width for plan in plans) + around, sum(plan.height for plan in plans) + around + battlements


def _plans(counters: Sequence[Counter], side: DrawnSide) -> list[_Plan]:
    return [_counter_plan(_headed(counter), side) for counter in counters]


def stack(counters: tuple[Counter, ...], side: DrawnSide, scale: float) -> Image.Image:
    """Return counters of one side one below the other; walls go round them all if the first stands inside."""
    plans = _plans(counters, side)
    widest = max(plan.width for plan in plans)
    wall = _WALL if counters[0].inside else 0
    battlements = _MERLON if wall else 0
    across, down = _stack_size(counters, side)
    sketch = Sketch((across, down), scale)
    sketch.panel((0.5, 1, across, down), 5, (*canvas.rgb(canvas.INK), 60), None, 0)
    if wall:
        _walls(sketch, across - _SHADE, down - _SHADE)
    left, y = round((wall + _SHADE / 2) * scale), (wall + _SHADE / 2 + battlements) * scale
    corners = []
    for plan in plans:
        corners.append((left, round(y)))
        y += plan.height * scale
    each = list(zip(map(_headed, counters), plans, corners, strict=True))
    for counter, plan, (x, down) in each:
        _draw_counter(sketch, counter, plan, widest, side, (x / scale, down / scale))
    drawn = sketch.done()
    for counter, plan, at in each:
        _write_on_counter(drawn, counter, plan, widest, side, at, scale)
    return drawn


def _headed(counter: Counter) -> Counter:
    """Return a counter without a label with its small line in the label's place."""
    return counter if counter.label else replace(counter, label=counter.sublabel, sublabel="")


def _walls(sketch: Sketch, across: float, down: float) -> None:
    """Draw a wall with battlements."""
    merlons = max(3, round(across / 14))
    step = (across - 6) / (merlons - 0.5)
    for n in range(merlons):
        left = 1 + n * step + step * 0.08
        sketch.polygon([(left, 0), (left + step * 0.5, 0), (left + step * 0.5, 6), (left, 6)], canvas.WALL)
    sketch.polygon([(1, 4), (across + 1, 4), (across + 1, down + 1), (1, down + 1)], canvas.WALL)


@dataclass(slots=True)
class _Plan:
    """How a counter is divided: the field of its strength, the name, the badges, the smaller line below."""

    strength: str
    mark: int
    field: int
    badges: list[tuple[str, int, int]]
    """Text, left edge, width."""
    width: int
    height: int


def _counter_plan(counter: Counter, side: DrawnSide) -> _Plan:
    strength = counter.strength or ("?" if counter.hidden else "")
    mark = _MARK if side.mark != "none" else 0
    field = mark + max(_TALL - mark // 2, extent(strength, "SemiBold", _STRENGTH)[0] + 9) if strength else mark or 7
    x = field + (extent(counter.label, "SemiBold", _NAME)[0] + 11 if counter.label else 0)
    badges: list[tuple[str, int, int]] = []
    for badge in counter.badges:
        across = extent(badge, "SemiBold", _SMALL)[0] + 8
        start = x - 3 if counter.label or badges else x + 3
        badges.append((badge, start, across))
        x = start + across + 5
    below = field + extent(counter.sublabel, "Regular", _NAME)[0] + 11 if counter.sublabel else 0
    return _Plan(strength, mark, field, badges, max(x, below), _TALL + (_UNDERLINE if counter.sublabel else 0))


def _draw_counter(
    sketch: Sketch, counter: Counter, plan: _Plan, width: int, side: DrawnSide, corner: tuple[float, float]
) -> None:
    """Draw a counter without its letters."""
    x, y = corner
    field, height = x + plan.field, plan.height
    sketch.panel((x, y, x + width, y + height), 3.5, side.colour, mix(side.colour, canvas.INK, 0.55), 1.5)
    if plan.mark:
        draw_mark(sketch, side.mark, (x + plan.mark / 2 + 1, y + height / 2), 5.8, side.ink, side.colour)
    if width > plan.field:
        right, top, bottom = x + width - 1.5, y + 1.5, y + height - 1.5
        paper = [(field, top), (right - 1.5, top), (right, top + 1.5), (right, bottom - 1.5), (right - 1.5, bottom)]
        sketch.polygon([*paper, (field, bottom)], mix(canvas.PAPER, side.colour, 0.16 if counter.hidden else 0.04))
    for _, left, across in plan.badges:
        sketch.panel((x + left, y + 4, x + left + across, y + _TALL - 4), 3, side.colour, None, 0)


def _write_on_counter(
    drawn: Image.Image,
    counter: Counter,
    plan: _Plan,
    width: int,
    side: DrawnSide,
    corner: tuple[int, int],
    scale: float,
) -> None:
    """Write what a counter says; its corner is in pixels."""
    field, height = plan.field, plan.height

    def letter(box: Bounds, text: str, weight: Weight, size: int, colour: Ink, align: str) -> None:
        left, top, right, bottom = (edge * scale for edge in box)
        x, y = corner
        draw_text(drawn, (x + left, y + top, x + right, y + bottom), text, weight, round(size * scale), colour, align)

    letter((plan.mark, 0, field, height), plan.strength, "SemiBold", _STRENGTH, side.ink, "m")
    letter((field + 6, 0, width, _TALL), counter.label, "SemiBold", _NAME, canvas.INK, "l")
    letter((field + 6, _TALL - 5, width, height - 2), counter.sublabel, "Regular", _NAME, canvas.INK, "l")
    for badge, left, across in plan.badges:
        letter((left, 0, left + across, _TALL), badge, "SemiBold", _SMALL, side.ink, "m")


def _marker_size(marker: Marker) -> int:
    """Return the size of the words of a marker; those of an arrow are a name."""
    return _SMALL if marker.place else _NAME


def _tag_size(marker: Marker) -> tuple[int, int]:
    swords = 17 if marker.kind == "battle" else 0
    return swords + (extent(marker.text, "SemiBold", _marker_size(marker))[0] if marker.text else -6) + (
        12 if marker.place else 16
    ), _TAG


@lru_cache(maxsize=256)
def tag(marker: Marker, side: DrawnSide | None, scale: float) -> Image.Image:
    """Return a marker: a few words on a dark label; a battle has crossed swords before them."""
    swords = 17 if marker.kind == "battle" else 0
    width, height = _tag_size(marker)
    colour = canvas.INK if marker.kind == "battle" else canvas.WALL if side is None else side.colour
    ink = canvas.PAPER if side is None or marker.kind == "battle" else side.ink
    sketch = Sketch((width, height), scale)
    if not marker.place:  # the name of an arrow: on paper, not to be taken for a counter
        ink = canvas.INK
        sketch.panel((0, 0, width, height), height / 2, canvas.PAPER, colour, 1.8)
    else:
        sketch.panel((0, 0, width, height), 4, canvas.PAPER, None, 0)
        sketch.panel((1, 1, width - 1, height - 1), 3, colour, None, 0)
    if swords:
        _swords(sketch, 5.5, 3.5)
    picture = sketch.done()
    box = (swords + (6 if marker.place else 8)) * scale, 0, width * scale, height * scale
    draw_text(picture, box, marker.text, "SemiBold", round(_marker_size(marker) * scale), ink, "l")
    return picture


def _swords(sketch: Sketch, x: float, y: float) -> None:
    for hilt, tip in ((0, 12), (12, 0)):
        toward = 1 if tip > hilt else -1
        sketch.line([(x + hilt, y + 12), (x + tip, y)], canvas.PAPER, 1.7)
        sketch.line([(x + hilt + toward * 1, y + 7.2), (x + hilt + toward * 4.8, y + 11)], canvas.PAPER, 1.5)
