"""Colours, and a sheet that is drawn large and reduced so that its edges are smooth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import hypot
from typing import Final, TypeAlias

from PIL import Image, ImageColor, ImageDraw

from pbem.game.board_map import Point

Bounds: TypeAlias = tuple[float, float, float, float]
Shade: TypeAlias = tuple[int, int, int]
Ink: TypeAlias = float | tuple[int, ...] | str

SEA: Final = "#bcd2da"
SHALLOWS: Final = "#dbe7e6"
LAND: Final = "#f4ebd3"
HILLS: Final = "#eadcb9"
MOUNTAINS: Final = "#d9c69c"
COAST: Final = "#5f7377"
RIVER: Final = "#8db4c7"
STREAM: Final = "#5d93b5"
ABROAD: Final = "#dcd8cc"
BORDER: Final = "#ab9468"
REGION_NAME: Final = "#49380f"
TILED_BORDER: Final = "#6e5727"
"""The colour of borders of regions where hexes colour the ground."""
SEA_NAME: Final = "#2f5566"
INK: Final = "#2b241a"
FAINT: Final = "#6b604d"
PAPER: Final = "#fdf8ea"
FRAME: Final = "#8c7a58"
WALL: Final = "#5a544a"
FOCUS: Final = "#f2b705"
CHANGED: Final = "#a3006d"
CLEAR: Final = (255, 255, 255, 0)

_LARGE, _LARGE_ENOUGH = 3, 2
"""How many times as large a sheet is drawn as it will be; the second one for what is magnified anyway."""


def rgb(colour: str) -> Shade:
    """Return the parts of a colour written as `#rrggbb`."""
    red, green, blue = ImageColor.getrgb(colour)[:3]
    return red, green, blue


def mix(one: str, other: str, share: float) -> Shade:
    """Return the colour that has `share` of the other one in it."""
    a, b = rgb(one), rgb(other)
    return (
        round(a[0] + (b[0] - a[0]) * share),
        round(a[1] + (b[1] - a[1]) * share),
        round(a[2] + (b[2] - a[2]) * share),
    )


def palette(kept: Sequence[Shade], sheet: Image.Image, colours: int, method: Image.Quantize) -> Image.Image:
    """Return a palette of so many colours: those that must not be lost, then the commonest of a sheet."""
    common = sheet.quantize(colours - len(kept), method, dither=Image.Dither.NONE).getpalette()
    found = Image.new("P", (1, 1))
    found.putpalette([part for colour in kept for part in colour] + (common or []))
    return found


class Sketch:
    """A drawing in the coordinates of the finished picture, kept three times as large until `done`."""

    __slots__ = ("_draw", "_unit", "large", "sheet")

    def __init__(self, size: tuple[float, float], scale: float = 1, mode: str = "RGBA", ground: Ink = CLEAR) -> None:
        """Lay out a sheet of `size` units, of which one becomes `scale` pixels."""
        self.large = _LARGE if scale <= 1 else _LARGE_ENOUGH
        self._unit = scale * self.large
        width, height = (max(1, round(side * scale)) * self.large for side in size)
        self.sheet = Image.new(mode, (width, height), ground)
        self._draw = ImageDraw.Draw(self.sheet)

    def done(self) -> Image.Image:
        """Return the drawing at its own size."""
        return self.sheet.reduce(self.large)

    def polygon(self, points: Iterable[Point], fill: Ink) -> None:
        self._draw.polygon(self._grown(points), fill=fill)

    def line(self, points: Iterable[Point], ink: Ink, width: float, *, closed: bool = False) -> None:
        """Draw a line with round corners."""
        grown = self._grown(points)
        if closed:
            grown = [*grown, *grown[:2]]
        broad = max(1, round(width * self._unit))
        self._draw.line(grown, fill=ink, width=broad, joint="curve" if broad > 3 else None)

    def dashes(self, points: Sequence[Point], ink: Ink, width: float, on: float, off: float) -> None:
        """Draw a line in dashes `on` long and `off` apart, running on round its corners."""
        for dash in dashes(points, on, off):
            self.line(dash, ink, width)

    def disc(self, centre: Point, radius: float, fill: Ink, outline: Ink | None = None, width: float = 0) -> None:
        x, y = centre
        box = self._grown([(x - radius, y - radius), (x + radius, y + radius)])
        self._draw.ellipse(box, fill=fill, outline=outline, width=round(width * self._unit))

    def panel(self, box: Bounds, radius: float, fill: Ink, outline: Ink | None, width: float) -> None:
        """Draw a rectangle with rounded corners."""
        left, top, right, bottom = (side * self._unit for side in box)
        self._draw.rounded_rectangle(
            (round(left), round(top), round(right) - 1, round(bottom) - 1),
            radius * self._unit,
            fill=fill,
            outline=outline,
            width=round(width * self._unit),
        )

    def _grown(self, points: Iterable[Point]) -> list[Point]:
        unit = self._unit
        return [(x * unit, y * unit) for x, y in points]


def dashes(points: Sequence[Point], on: float, off: float) -> Iterable[list[Point]]:
    """Cut a line into the dashes that are drawn."""
    dash: list[Point] = []
    drawing, left = True, on
    for (ax, ay), (bx, by) in pairwise(points):
        length, gone = hypot(bx - ax, by - ay), 0.0
        if drawing and not dash:
            dash = [(ax, ay)]
        while length - gone > left:
            gone += left
            at = (ax + (bx - ax) * gone / length, ay + (by - ay) * gone / length)
            if drawing:
                yield [*dash, at]
                dash = []
            else:
                dash = [at]
            drawing, left = not drawing, off if drawing else on
        left -= length - gone
        if drawing:
            dash.append((bx, by))
    if drawing and len(dash) > 1:
        yield dash
