"""Typefaces: measures and sets the text on pictures, in the two weights of the font that comes with pbem.

The basic layout engine is asked for by name: with the other one, pixels would depend on what a machine has installed.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

from PIL import Image, ImageDraw, ImageFont

from pbem.render.canvas import Bounds, Ink

Weight: TypeAlias = Literal["Regular", "SemiBold"]

_FOLDER: Final = Path(__file__).parent / "fonts"
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


def write(picture: Image.Image, box: Bounds, text: str, weight: Weight, size: int, ink: Ink, align: str = "m") -> None:
    """Write a text into a box of a picture, centred from top to bottom; `align` is l, m or r from side to side."""
    left, top, right, bottom = box
    x = round({"l": left, "m": (left + right) / 2, "r": right}[align])
    lines = text.split("\n")
    step = size * _LEADING
    # Capitals of this face are 0.7 of its size: half of that below the middle sets them in the middle.
    y = (top + bottom) / 2 - step * (len(lines) - 1) / 2 + size * 0.35
    for line in lines:
        mask, left, top = _line(line, weight, size, f"{align}s")
        picture.paste(ink, (x + left, round(y) + top), mask)
        y += step


@lru_cache(maxsize=512)
def _line(text: str, weight: Weight, size: int, anchor: str) -> tuple[Image.Image, int, int]:
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
