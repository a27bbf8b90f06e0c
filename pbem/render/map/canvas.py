"""Colours, type and boxes, on a sheet that is drawn large and reduced so that its edges are smooth.

The basic layout engine is asked for by name: with the other one, pixels would depend on what a machine has installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import Final, Literal, TypeAlias

from PIL import Image, ImageColor, ImageDraw, ImageFont

from pbem.game.board.board_map import Point

# ---- Colours, and a sheet that is drawn large and reduced so that its edges are smooth


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


# ---- Typefaces: measures and sets the text on pictures, in the two weights of the font that comes with pbem


Weight: TypeAlias = Literal["Regular", "SemiBold"]

_FOLDER: Final = Path(__file__).parent.parent / "fonts"
_LEADING: Final = 1.12


@cache
def face(weight: Weight, size: int) -> ImageFont.FreeTypeFont:
    """Return the face at a size in pixels."""
    path = _FOLDER / f"IBMPlexSansCondensed-{weight}.ttf"
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def extent(text: str, weight: Weight, size: int) -> tuple[int, int]:
    """Return width and height of a text of one or more lines; the height is the same with and without descenders."""
    lines = text.split("\n")
    width = max(face(weight, size).getlength(line) for line in lines)
    return round(width), round(size * _LEADING * len(lines))


def draw_text(
    picture: Image.Image, box: Bounds, text: str, weight: Weight, size: int, ink: Ink, align: str = "m"
) -> None:
    """Write a text into a box of a picture, centred from top to bottom; `align` is l, m or r from side to side."""
    left, top, right, bottom = box
    x = round({"l": left, "m": (left + right) / 2, "r": right}[align])
    lines = text.split("\n")
    step = size * _LEADING
    # Capitals of this face are 0.7 of its size: half of that below the middle sets them in the middle.
    y = (top + bottom) / 2 - step * (len(lines) - 1) / 2 + size * 0.35
    for line in lines:
        mask, left, top = _text_mask(line, weight, size, f"{align}s")
        picture.paste(ink, (x + left, round(y) + top), mask)
        y += step


@lru_cache(maxsize=512)
def _text_mask(text: str, weight: Weight, size: int, anchor: str) -> tuple[Image.Image, int, int]:
    """Return a mask of a line of text, and how far its left and its top are from the point it is written at."""
    font = face(weight, size)
    left, top, right, bottom = map(round, font.getbbox(text, anchor=anchor))
    mask = Image.new("L", (right - left, bottom - top), 0)
    ImageDraw.Draw(mask).text((-left, -top), text, font=font, fill=255, anchor=anchor)
    return mask, left, top


@lru_cache(maxsize=256)
def spaced(text: str, weight: Weight, size: int, gap: float, turn: int = 0) -> Image.Image:
    """Return a mask of letters set wide apart, as maps name lands and seas, turned by degrees against the clock."""
    font = face(weight, size)
    lines = text.upper().split("\n")
    widths = [sum(font.getlength(letter) + gap for letter in line) - gap for line in lines]
    step = round(size * 1.35)
    mask = Image.new("L", (round(max(widths)) + 4, step * len(lines) + 4), 0)
    draw = ImageDraw.Draw(mask)
    for row, (line, width) in enumerate(zip(lines, widths, strict=True)):
        x = 2 + (max(widths) - width) / 2
        for letter in line:
            draw.text((round(x), 2 + row * step + size), letter, font=font, fill=255, anchor="ls")
            x += font.getlength(letter) + gap
    return mask.rotate(turn, Image.Resampling.BICUBIC, expand=True) if turn else mask


# ---- Boxes on a map, in pixels of the base map: which of them meet, lie in one another, are moved or grown


def meeting(box: Bounds, boxes: Iterable[Bounds]) -> list[Bounds]:
    """Return those of some boxes that share any ground with a box."""
    left, top, right, bottom = box
    return [each for each in boxes if each[0] < right and left < each[2] and each[1] < bottom and top < each[3]]


def meet(one: Bounds, other: Bounds) -> bool:
    """Tell whether two boxes share any ground."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def overlap(one: Bounds, other: Bounds) -> float:
    """Return the area that two boxes share."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    if across <= 0:
        return 0
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if down > 0 else 0


def inside(box: Bounds, room: Bounds) -> bool:
    """Tell whether all of a box lies in another."""
    return box[0] >= room[0] and box[1] >= room[1] and box[2] <= room[2] and box[3] <= room[3]


def holds(box: Bounds, x: float, y: float) -> bool:
    """Tell whether a point lies in a box."""
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def grown(box: Bounds, across: float, down: float) -> Bounds:
    """Return a box with so much more ground on the left and on the right, above and below."""
    return box[0] - across, box[1] - down, box[2] + across, box[3] + down


def shifted(box: Bounds, dx: float, dy: float) -> Bounds:
    """Return a box moved across and down."""
    return box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy


def round_all(boxes: Iterable[Bounds]) -> Bounds:
    """Return the box round some boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
