"""The pieces that lie on a map: counters, stacks of them, and markers, each a small picture made once and kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw

from pbem.game.scene import Counter, DrawnSide, Marker
from pbem.render import canvas
from pbem.render.canvas import Bounds, Ink, Sketch, mix
from pbem.render.typefaces import Weight, extent, write

_TALL: Final = 24
_UNDERLINE: Final = 14
_STRENGTH: Final = 18
_NAME: Final = 15
_SMALL: Final = 13
_WALL: Final = 4
_SHADE: Final = 2
"""Width of the soft edge that lifts a piece off the board; it belongs to the picture."""


@lru_cache(maxsize=1024)
def stack(counters: tuple[Counter, ...], side: DrawnSide, scale: float) -> Image.Image:
    """Return counters of one side one below the other; walls go round them all if the first stands inside."""
    counters = tuple(counter if counter.label else _named_below(counter) for counter in counters)
    plans = [_plan(counter) for counter in counters]
    widest = max(plan.width for plan in plans)
    pieces = [_counter(counter, plan, widest, side, scale) for counter, plan in zip(counters, plans, strict=True)]
    wall = _WALL * scale if counters[0].inside else 0
    shade = _SHADE * scale
    width = pieces[0].width + 2 * (wall + shade)
    height = sum(piece.height for piece in pieces) + 2 * (wall + shade) + (wall and 3 * scale)
    sketch = Sketch((width / scale, height / scale), scale)
    across, down = width / scale, height / scale
    sketch.panel((0.5, 1, across, down), 5, (*canvas.rgb(canvas.INK), 60), None, 0)
    if wall:
        _walls(sketch, across - _SHADE, down - _SHADE)
    picture = sketch.done()
    y = round(wall + shade / 2 + (wall and 3 * scale))
    for piece in pieces:
        picture.alpha_composite(piece, (round(wall + shade / 2), y))
        y += piece.height
    return picture


def _named_below(counter: Counter) -> Counter:
    """Return a counter without a label with its small line in the label's place."""
    return replace(counter, label=counter.sublabel, sublabel="")


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
    field: int
    badges: list[tuple[str, int, int]]
    """Text, left edge, width."""
    width: int
    height: int


def _plan(counter: Counter) -> _Plan:
    strength = counter.strength or ("?" if counter.hidden else "")
    field = max(_TALL, extent(strength, "SemiBold", _STRENGTH)[0] + 10) if strength else 7
    x = field + (extent(counter.label, "SemiBold", _NAME)[0] + 12 if counter.label else 0)
    badges: list[tuple[str, int, int]] = []
    for badge in counter.badges:
        across = extent(badge, "SemiBold", _SMALL)[0] + 9
        start = x - 2 if counter.label or badges else x + 3
        badges.append((badge, start, across))
        x = start + across + 5
    below = field + extent(counter.sublabel, "Regular", _SMALL)[0] + 12 if counter.sublabel else 0
    return _Plan(strength, field, badges, max(x, below), _TALL + (_UNDERLINE if counter.sublabel else 0))


def _counter(counter: Counter, plan: _Plan, width: int, side: DrawnSide, scale: float) -> Image.Image:
    field, height = plan.field, plan.height
    sketch = Sketch((width, height), scale)
    sketch.panel((0, 0, width, height), 3.5, side.colour, mix(side.colour, canvas.INK, 0.55), 1.5)
    if width > field:
        right, bottom = width - 1.5, height - 1.5
        paper = [(field, 1.5), (right - 1.5, 1.5), (right, 3), (right, bottom - 1.5), (right - 1.5, bottom)]
        sketch.polygon([*paper, (field, bottom)], mix(canvas.PAPER, side.colour, 0.25 if counter.hidden else 0.06))
    for _, left, across in plan.badges:
        sketch.panel((left, 4, left + across, _TALL - 4), 3, mix(side.colour, canvas.INK, 0.35), None, 0)
    piece = sketch.done()

    pen = ImageDraw.Draw(piece)

    def letter(box: Bounds, text: str, weight: Weight, size: int, colour: Ink, align: str) -> None:
        left, top, right, bottom = (edge * scale for edge in box)
        write(pen, (left, top, right, bottom), text, weight, round(size * scale), colour, align)

    letter((0, 0, field, height), plan.strength, "SemiBold", _STRENGTH, side.ink, "m")
    letter((field + 6, 0, width, _TALL), counter.label, "SemiBold", _NAME, canvas.INK, "l")
    letter((field + 6, _TALL - 5, width, height - 2), counter.sublabel, "Regular", _SMALL, canvas.INK, "l")
    for badge, left, across in plan.badges:
        letter((left, 0, left + across, _TALL), badge, "SemiBold", _SMALL, side.ink, "m")
    return piece


@lru_cache(maxsize=256)
def tag(marker: Marker, side: DrawnSide | None, scale: float) -> Image.Image:
    """Return a marker: a few words on a dark label; a battle has crossed swords before them."""
    swords = 17 if marker.kind == "battle" else 0
    words = extent(marker.text, "SemiBold", _SMALL)[0] if marker.text else -6
    width, height = swords + words + 12, 19
    colour = (
        canvas.INK if marker.kind == "battle" else canvas.WALL if side is None else mix(side.colour, canvas.INK, 0.45)
    )
    sketch = Sketch((width, height), scale)
    sketch.panel((0, 0, width, height), 4, canvas.PAPER, None, 0)
    sketch.panel((1, 1, width - 1, height - 1), 3, colour, None, 0)
    if swords:
        _swords(sketch, 5.5, 3.5)
    picture = sketch.done()
    box = (swords + 6) * scale, 0, width * scale, height * scale
    write(ImageDraw.Draw(picture), box, marker.text, "SemiBold", round(_SMALL * scale), canvas.PAPER, "l")
    return picture


def _swords(sketch: Sketch, x: float, y: float) -> None:
    for hilt, tip in ((0, 12), (12, 0)):
        toward = 1 if tip > hilt else -1
        sketch.line([(x + hilt, y + 12), (x + tip, y)], canvas.PAPER, 1.7)
        sketch.line([(x + hilt + toward * 1, y + 7.2), (x + hilt + toward * 4.8, y + 11)], canvas.PAPER, 1.5)
