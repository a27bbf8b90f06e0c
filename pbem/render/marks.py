"""The marks by which owners are known without colour: nine shapes that can be told apart at 14 pixels."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, pi, sin
from typing import Protocol

from pbem.game.board_map import Point
from pbem.game.scene import Mark
from pbem.render.canvas import Ink


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
