"""Arrows on a map: marches, retreats and voyages, rimmed in white so that none is taken for a river."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import hypot
from typing import Final

from PIL import Image

from pbem.game.board_map import BaseMap, Point
from pbem.game.scene import Arrow
from pbem.render.base_map import land_mask
from pbem.render.canvas import Sketch

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
_ON, _OFF = 13, 8
"""The dashes of a retreat."""
_COARSE: Final = 0.25
"""The scale of the mask of the land by which the course of a voyage is chosen."""


def lay_arrow(
    board: Image.Image, base: BaseMap, arrow: Arrow, colour: str, scale: float, origin: Point = (0, 0)
) -> None:
    """Draw an arrow along its places, ending short of the last, on a board of which a point is the top left corner."""
    if len(arrow.places) < 2:
        return
    whole, inner, (left, top) = _masks(base, arrow.places, arrow.style, scale)
    at = round((left - origin[0]) * scale), round((top - origin[1]) * scale)
    board.paste("#ffffff", at, whole)
    board.paste(colour, at, inner)


@lru_cache(maxsize=16)
def _masks(base: BaseMap, places: tuple[str, ...], style: str, scale: float) -> tuple[Image.Image, Image.Image, Point]:
    """Return what an arrow covers, what of that is not its rim, and where the top left corner of both lies."""
    points = [(float(base.places[id].x), float(base.places[id].y)) for id in places]
    if style == "sea":
        points = _course(points, base)
    (bx, by), (ax, ay) = points[-1], points[-2]
    length = hypot(bx - ax, by - ay) or 1
    ux, uy = (bx - ax) / length, (by - ay) / length
    tip = (bx - ux * _TIP_GAP, by - uy * _TIP_GAP)
    neck = (tip[0] - ux * _TIP_LENGTH, tip[1] - uy * _TIP_LENGTH)
    points[-1] = neck
    left, top = (int(min(p[axis] for p in (*points, tip))) - _ROOM for axis in (0, 1))
    right, bottom = (max(p[axis] for p in (*points, tip)) + _ROOM for axis in (0, 1))
    whole, inner = (Sketch((right - left, bottom - top), scale, "L", 0) for _ in range(2))
    shaft = [(x - left, y - top) for x, y in points]
    whole.line(shaft, 255, _RIM)
    if style == "retreat":
        inner.dashes(shaft, 255, _CORE, _ON, _OFF)
    else:
        inner.line(shaft, 255, _CORE)
        if style == "sea":
            inner.dashes(shaft, 0, _WAKE, 10, 8)
    for sketch, rim in ((whole, _HEAD_RIM), (inner, 0.0)):
        wide = _TIP_HALF_WIDTH + 1.4 * rim
        back = neck[0] - ux * rim - left, neck[1] - uy * rim - top
        head = [(back[0] - uy * w, back[1] + ux * w) for w in (wide, -wide)]
        sketch.polygon([*head, (tip[0] + ux * 1.6 * rim - left, tip[1] + uy * 1.6 * rim - top)], 255)
    return whole.done(), inner.done(), (left, top)


def _course(points: list[Point], base: BaseMap) -> list[Point]:
    """Return points on curves along some places: of several bows the one that crosses least land."""
    land = land_mask(base, _COARSE)

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
