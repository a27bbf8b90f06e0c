"""The places of a map on paper: which boxes they and their labels take, and what they look like."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Final, get_args

from PIL import Image

from pbem.game.board.board_map import BaseMap, Compass, Form, Inscription, Place, Point, Region
from pbem.game.board.scene import Mark
from pbem.render.map.canvas import CHANGED, COAST, INK, PAPER, Bounds, Sketch, Weight, extent, spaced
from pbem.render.map.counters import draw_mark

LABEL_SIZE: Final = 15
REGION_SIZE: Final = 15
REGION_GAP: Final = 2.5
INSCRIPTION_GAP: Final = 0.35
"""Room between letters, for names of regions in pixels, for others as a share of their size."""
_CAMPS: Final = 10
_CAMP_GAP: Final = 10
"""How far from a place under siege the camps lie."""
_CAMP_RIM, _CAMP_CORE = 4.4, 3.4
"""Radius of a camp with its rim, and without."""
_WIDE_OPENING, _OPENING = 120, 80
"""Degrees of the siege ring that stay open for a name above or below the place, and for one beside it."""
_RIM, _FILL = 1.7, 3.2
"""How far inside the dark edge of a place its light rim begins, and its fill."""
_ROOM: Final[dict[Form, float]] = {
    "round": 0.8,
    "open": 0.8,
    "square": 0.8,
    "hexagon": 0.72,
    "diamond": 0.56,
    "star": 0.72,
}
"""The share of a shape that a mark takes."""
_CHANGED_GAP: Final = 6
"""How far from a place the ring lies that says that something has changed there."""
_GLOW: Final = 5
"""Width of the band round a place in focus."""
_GAP: Final = 2
_MARGIN: Final = 8
"""Room round a place in its sprite, for towers and anchor."""


def label_weight(base: BaseMap, place: Place) -> Weight:
    """Return how heavy the name of a place is written: walled cities stand out."""
    return "SemiBold" if base.place_kinds[place.kind].form in ("square", "star") else "Regular"


def shape_box(base: BaseMap, place: Place) -> Bounds:
    """Return the box that the shape of a place takes."""
    half = base.place_kinds[place.kind].size / 2
    return place.x - half, place.y - half, place.x + half, place.y + half


def label_box(base: BaseMap, place: Place, hangs: Compass | None = None, size: int = LABEL_SIZE) -> Bounds:
    """Return the box that the name of a place takes, where it usually hangs or on another side."""
    width, height = extent(place.label, label_weight(base, place), size)
    left, top, right, bottom = shape_box(base, place)
    hangs = hangs or place.hangs
    diagonal = len(hangs) == 2
    # Names on a diagonal nestle against the shape, which is round or has its corner cut by the eye.
    nestle = (right - left) * 0.2 if diagonal else -_GAP
    if "n" in hangs:
        y = top - height + nestle
    elif "s" in hangs:
        y = bottom - nestle
    else:
        y = place.y - height / 2
    if "e" in hangs:
        x = right - nestle
    elif "w" in hangs:
        x = left - width + nestle
    else:
        x = place.x - width / 2
    return x, y, x + width, y + height


def region_box(region: Region, size: int = REGION_SIZE) -> Bounds:
    """Return the box that the name of a region takes."""
    gap = REGION_GAP * size / REGION_SIZE
    return _spot_corners(region.x, region.y, spaced(region.label, "SemiBold", size, gap, region.turn))


def inscription_box(name: Inscription, size: int | None = None) -> Bounds:
    """Return the box that a name on ground or sea takes."""
    size = size or name.size
    return _spot_corners(name.x, name.y, spaced(name.text, "Regular", size, size * INSCRIPTION_GAP, name.turn))


def _spot_corners(x: float, y: float, mask: Image.Image) -> Bounds:
    return x - mask.width / 2, y - mask.height / 2, x + mask.width / 2, y + mask.height / 2


@lru_cache(maxsize=512)
def place_picture(
    form: Form, size: int, fill: str, port: bool, scale: float, mark: Mark = "none", ink: str = INK
) -> Image.Image:
    """Return the picture of a place; its middle is the place. The mark of its owner is drawn on it in an ink."""
    across = size + 2 * _MARGIN
    middle = (across / 2, across / 2)
    sketch = Sketch((across, across), scale)
    half = size / 2
    if form == "square":
        for dx, dy in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            tower = middle[0] + dx * (half - 2.5), middle[1] + dy * (half - 2.5)
            sketch.polygon(_square(tower, 4.6), INK)
    for inset, colour in ((0.0, INK), (_RIM, PAPER), (_FILL, fill)):
        _spot_shape(sketch, form, middle, half - inset, colour)
    draw_mark(sketch, mark, middle, (half - _FILL) * _ROOM[form], ink, fill)
    if port:
        _anchor(sketch, (middle[0] + half * 0.78, middle[1] - half * 0.78))
    return sketch.done()


@lru_cache(maxsize=64)
def changed_ring(size: int, scale: float) -> Image.Image:
    """Return what is laid round a place where something has changed: a dark ring on a light one."""
    radius = size / 2 + _CHANGED_GAP
    across = 2 * radius + 10
    middle = (across / 2, across / 2)
    ring = Sketch((across, across), scale, "L", 0)
    ring.disc(middle, radius + 4, 255)
    ring.disc(middle, radius - 2.5, 0)
    core = Sketch((across, across), scale, "L", 0)
    core.disc(middle, radius + 2.2, 255)
    core.disc(middle, radius - 0.7, 0)
    drawn = Image.new("RGB", ring.sheet.size, PAPER)
    drawn.paste(CHANGED, mask=core.sheet)
    drawn.putalpha(ring.sheet)
    return drawn.reduce(ring.large)


@lru_cache(maxsize=64)
def glow(form: Form, size: int, colour: str, scale: float) -> Image.Image:
    """Return what is laid under a place in focus: a band round its shape."""
    across = size + 2 * _MARGIN
    middle = (across / 2, across / 2)
    sketch = Sketch((across, across), scale)
    _spot_shape(sketch, form, middle, size / 2 + _GLOW + 1, INK)
    _spot_shape(sketch, form, middle, size / 2 + _GLOW, colour)
    return sketch.done()


@lru_cache(maxsize=64)
def siege_ring(size: int, hangs: Compass, colour: str, scale: float) -> Image.Image:
    """Return what is laid round a place under siege: a circle of camps, left open where its name hangs."""
    radius = size / 2 + _CAMP_GAP
    across = 2 * radius + 12
    middle = across / 2
    sketch = Sketch((across, across), scale)
    name = get_args(Compass).index(hangs) * 45 - 90
    # A name above or below is wide, so that more of the circle must stay open.
    opening = _WIDE_OPENING if "n" in hangs or "s" in hangs else _OPENING
    for n in range(_CAMPS):
        angle = (name + opening / 2 + (n + 0.5) * (360 - opening) / _CAMPS) * pi / 180
        camp = middle + radius * cos(angle), middle + radius * sin(angle)
        sketch.disc(camp, _CAMP_RIM, PAPER)
        sketch.disc(camp, _CAMP_CORE, colour)
    return sketch.done()


def _spot_shape(sketch: Sketch, form: Form, middle: Point, half: float, colour: str) -> None:
    if form in ("round", "open"):
        sketch.disc(middle, half, colour)
    elif form == "star":
        sketch.polygon(_square(middle, half * 0.76), colour)
        sketch.polygon(_diamond(middle, half * 1.06), colour)
    else:
        corners = {"square": _square, "diamond": _diamond, "hexagon": _hexagon}[form]
        sketch.polygon(corners(middle, half), colour)


def _anchor(sketch: Sketch, at: Point) -> None:
    """Draw an anchor on a small disc."""
    x, y = at
    sketch.disc(at, 7.4, PAPER)
    sketch.disc(at, 6.7, COAST)
    sketch.disc((x, y - 3.3), 1.5, PAPER)
    sketch.line([(x, y - 3), (x, y + 4.2)], PAPER, 1.3)
    sketch.line([(x - 2.2, y - 0.8), (x + 2.2, y - 0.8)], PAPER, 1.1)
    flukes = [(x + 3.9 * cos(angle * pi / 180), y + 0.4 + 3.9 * sin(angle * pi / 180)) for angle in range(10, 171, 20)]
    sketch.line(flukes, PAPER, 1.3)


def _square(middle: Point, half: float) -> list[Point]:
    x, y = middle
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


def _diamond(middle: Point, half: float) -> list[Point]:
    x, y = middle
    return [(x, y - half), (x + half, y), (x, y + half), (x - half, y)]


def _hexagon(middle: Point, radius: float) -> list[Point]:
    x, y = middle
    return [(x + radius * cos(i * pi / 3), y + radius * sin(i * pi / 3)) for i in range(6)]
