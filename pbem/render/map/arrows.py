"""Arrows on a map: marches, retreats and voyages, rimmed in white so that none is taken for a river."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import hypot
from typing import Final, NamedTuple

from PIL import Image

from pbem.game.board.board_map import BaseMap, Point
from pbem.game.board.scene import Arrow
from pbem.render.map.base_map import land_mask
from pbem.render.map.canvas import Bounds, Sketch, dashes, grown, holds, meet

_BOWS: Final = (0.18, -0.18, 0.36, -0.36)
"""How far the course of a voyage may bow to the left of the straight line, in its length."""
_CURVE_STEPS: Final = 16
"""How many straight pieces a curve is drawn with."""
_TIP_GAP, _TIP_LENGTH, _TIP_HALF_WIDTH = 15, 17, 12
"""The head of an arrow: its distance from the middle of the place, its length, half its width."""
_HEAD_RIM: Final = 3.4
"""How far the white of the head stands out."""
_ROOM: Final = 22
"""Room round the points of an arrow, so that its strokes fit."""
_RIM, _CORE, _WAKE = 12.5, 7.5, 2.5
"""Width of an arrow with its rim, without, and of the wake in the arrow of a voyage."""
_DASHES: Final = {"retreat": (13, 8), "sea": (10, 8)}
"""How long the dashes of a retreat and of a wake are, and how far apart."""
_LARGEST: Final = 240
"""The largest width and height of the pieces that an arrow is drawn in, in pixels."""
_COARSE: Final = 0.25
"""The scale of the mask of the land by which the course of a voyage is chosen."""


class _Shape(NamedTuple):
    """An arrow in units of the base map: its shaft, its dashes or those of its wake, its head with its rim and without.

    A long one is drawn in several pieces: the box round all of it is mostly empty.
    """

    shaft: list[Point]
    dashes: list[list[Point]]
    heads: tuple[list[Point], list[Point]]

    def pieces(self, scale: float) -> Iterator[tuple[int, int, int, int]]:
        """Yield the boxes that it is drawn in, in pixels of the whole board."""
        course = [*self.shaft, self.heads[0][-1]]
        left, top = (int((min(at[axis] for at in course) - _ROOM) * scale) for axis in (0, 1))
        right, bottom = (int((max(at[axis] for at in course) + _ROOM) * scale) + 1 for axis in (0, 1))
        columns, rows = -(-(right - left) // _LARGEST), -(-(bottom - top) // _LARGEST)
        across, down = -(-(right - left) // columns), -(-(bottom - top) // rows)
        for n in range(columns * rows):
            x, y = left + n % columns * across, top + n // columns * down
            room = grown((x / scale, y / scale, (x + across) / scale, (y + down) / scale), _ROOM, _ROOM)
            if columns * rows == 1 or any(_runs_through(a, b, room) for a, b in pairwise(course)):
                yield x, y, x + across, y + down


def _runs_through(a: Point, b: Point, box: Bounds) -> bool:
    """Tell whether a line runs through a box that is wider than the steps in which we look."""
    steps = int(hypot(b[0] - a[0], b[1] - a[1]) / _ROOM) + 1
    return any(holds(box, a[0] + (b[0] - a[0]) * n / steps, a[1] + (b[1] - a[1]) * n / steps) for n in range(steps + 1))


def lay_arrow(
    board: Image.Image, base: BaseMap, arrow: Arrow, colour: str, scale: float, origin: Point = (0, 0)
) -> None:
    """Draw an arrow along its places, ending short of the last, on a board of which a point is the top left corner."""
    if len(arrow.places) < 2:
        return
    left, top = round(origin[0] * scale), round(origin[1] * scale)
    shown = left, top, left + board.width, top + board.height
    for box in _arrow_shape(base, arrow.places, arrow.style).pieces(scale):
        if meet(box, shown):
            whole, inner = _masks(base, arrow.places, arrow.style, scale, box)
            board.paste("#ffffff", (box[0] - left, box[1] - top), whole)
            board.paste(colour, (box[0] - left, box[1] - top), inner)


@lru_cache(maxsize=32)
def _masks(
    base: BaseMap, places: tuple[str, ...], style: str, scale: float, box: tuple[int, int, int, int]
) -> tuple[Image.Image, Image.Image]:
    """Return what an arrow covers of a box, and what of that is not its rim."""
    shape = _arrow_shape(base, places, style)
    left, top, right, bottom = (edge / scale for edge in box)
    whole, inner = (Sketch((right - left, bottom - top), scale, "L", 0) for _ in range(2))

    def here(points: list[Point]) -> list[Point]:
        return [(x - left, y - top) for x, y in points]

    whole.line(here(shape.shaft), 255, _RIM)
    if style != "retreat":
        inner.line(here(shape.shaft), 255, _CORE)
    for dash in shape.dashes:
        if style == "retreat":
            inner.line(here(dash), 255, _CORE)
        else:
            inner.line(here(dash), 0, _WAKE)
    for sketch, head in zip((whole, inner), shape.heads, strict=True):
        sketch.polygon(here(head), 255)
    return whole.done(), inner.done()


@lru_cache(maxsize=64)
def _arrow_shape(base: BaseMap, places: tuple[str, ...], style: str) -> _Shape:
    points = [(float(base.places[id].x), float(base.places[id].y)) for id in places]
    if style == "sea":
        points = _course(points, base)
    (bx, by), (ax, ay) = points[-1], points[-2]
    length = hypot(bx - ax, by - ay) or 1
    ux, uy = (bx - ax) / length, (by - ay) / length
    tip = (bx - ux * _TIP_GAP, by - uy * _TIP_GAP)
    neck = (tip[0] - ux * _TIP_LENGTH, tip[1] - uy * _TIP_LENGTH)
    points[-1] = neck
    heads = []
    for rim in (_HEAD_RIM, 0.0):
        wide = _TIP_HALF_WIDTH + 1.4 * rim
        back = neck[0] - ux * rim, neck[1] - uy * rim
        corners = [(back[0] - uy * w, back[1] + ux * w) for w in (wide, -wide)]
        heads.append([*corners, (tip[0] + ux * 1.6 * rim, tip[1] + uy * 1.6 * rim)])
    on, off = _DASHES.get(style, (0, 0))
    return _Shape(points, list(dashes(points, on, off)) if on else [], (heads[0], heads[1]))


@lru_cache(maxsize=8)
def _coarse_land(base: BaseMap) -> Image.Image:
    return land_mask(base, _COARSE)


def _course(points: list[Point], base: BaseMap) -> list[Point]:
    """Return points on curves along some places: of several bows the one that crosses least land."""
    land = _coarse_land(base)

    def crossed(curve: list[Point]) -> int:
        edge_x, edge_y = land.width - 1, land.height - 1
        spots = [(min(max(round(x * _COARSE), 0), edge_x), min(max(round(y * _COARSE), 0), edge_y)) for x, y in curve]
        return sum(land.getpixel(at) != 0 for at in spots)

    return min((list(_curve(points, bow)) for bow in _BOWS), key=crossed)


def _curve(points: list[Point], bow: float) -> Iterator[Point]:
    """Yield points on curves that bow to the left of each leg; a negative bow goes to the right."""
    yield points[0]
    for (ax, ay), (bx, by) in pairwise(points):
        cx, cy = (ax + bx) / 2 + (by - ay) * bow, (ay + by) / 2 - (bx - ax) * bow
        for n in range(1, _CURVE_STEPS + 1):
            t = n / _CURVE_STEPS
            u = 1 - t
            yield u * u * ax + 2 * u * t * cx + t * t * bx, u * u * ay + 2 * u * t * cy + t * t * by
