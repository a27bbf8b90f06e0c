"""The dice of a game as a small picture: how often each face was seen, beside how often fair dice would show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from PIL import Image

from pbem.render.map import canvas
from pbem.render.map.canvas import Sketch, draw_text, mix

WIDTH: Final = 720
MOST_FACES: Final = 20
"""Dice of more faces have no chart: their bars could not be told apart."""
_HEAD: Final = 52
_TALL: Final = 236
_EDGE: Final = 14
_INSET: Final = 10
"""The distance of bars, lines and words from the edge of a chart."""
_TITLE: Final = 24
_HEADING: Final = 19
_TEXT: Final = 17


@dataclass(frozen=True, slots=True)
class Bars:
    """One chart: whose dice, the colour, how often each face was seen from 1 on, and a line below."""

    heading: str
    colour: str
    counts: Sequence[int]
    line: str


def dice_chart(title: str, charts: Sequence[Bars]) -> bytes:
    """Return charts of dice below a title, two in a row, as a PNG."""
    rows = -(-len(charts) // 2)
    size = (WIDTH, _HEAD + rows * _TALL + _EDGE)
    sketch = Sketch(size, mode="RGB", ground=canvas.PAPER)
    places = [(_EDGE + at % 2 * (WIDTH - _EDGE) / 2, _HEAD + at // 2 * _TALL) for at in range(len(charts))]
    for chart, place in zip(charts, places, strict=True):
        _bars(sketch, chart, place)
    picture = sketch.done()
    draw_text(picture, (_EDGE, 8, WIDTH, _HEAD - 8), title, "SemiBold", _TITLE, canvas.INK, "l")
    draw_text(picture, (_EDGE, 8, WIDTH - _EDGE, _HEAD - 8), "dashes: fair dice", "Regular", _TEXT, canvas.FAINT, "r")
    for chart, place in zip(charts, places, strict=True):
        _chart_words(picture, chart, place)
    return _chart_png(picture)


_WIDE: Final = WIDTH / 2 - 1.5 * _EDGE
_GROUND: Final = 178
"""Where bars stand, from the top of a chart."""
_ROOM: Final = 118
"""How tall the tallest bar is."""


def _bar_ends(chart: Bars, left: float) -> list[tuple[float, float]]:
    """Return from where to where each bar goes."""
    step = (_WIDE - 2 * _INSET) / len(chart.counts)
    start = left + _INSET
    return [(start + step * (at + 0.14), start + step * (at + 0.86)) for at in range(len(chart.counts))]


def _height(chart: Bars, count: float) -> float:
    return _ROOM * count / max(*chart.counts, 1)


def _bars(sketch: Sketch, chart: Bars, place: tuple[float, float]) -> None:
    left, top = place
    ground = top + _GROUND
    sketch.panel(
        (left, top, left + _WIDE, top + _TALL - _INSET), 6, mix(canvas.PAPER, canvas.FRAME, 0.1), canvas.FRAME, 1
    )
    for (from_x, to_x), count in zip(_bar_ends(chart, left), chart.counts, strict=True):
        if count:
            tall = ground - _height(chart, count)
            sketch.polygon([(from_x, ground), (from_x, tall), (to_x, tall), (to_x, ground)], chart.colour)
    sketch.line([(left + _INSET, ground), (left + _WIDE - _INSET, ground)], canvas.FRAME, 1)
    fair = ground - _height(chart, sum(chart.counts) / len(chart.counts))
    sketch.dashes([(left + _INSET, fair), (left + _WIDE - _INSET, fair)], canvas.INK, 2, 7, 5)


def _chart_words(picture: Image.Image, chart: Bars, place: tuple[float, float]) -> None:
    left, top = place
    ground = top + _GROUND
    draw_text(
        picture, (left + _INSET, top + 4, left + _WIDE, top + 30), chart.heading, "SemiBold", _HEADING, canvas.INK, "l"
    )
    draw_text(
        picture, (left + _INSET, ground + 22, left + _WIDE, ground + 44), chart.line, "Regular", _TEXT, canvas.INK, "l"
    )
    for face, ((from_x, to_x), count) in enumerate(zip(_bar_ends(chart, left), chart.counts, strict=True), 1):
        tall = ground - _height(chart, count)
        draw_text(picture, (from_x, ground + 2, to_x, ground + 22), str(face), "SemiBold", _TEXT, canvas.FAINT)
        inside = ground - tall > _TEXT  # the foot of the bar, where no dashes run through the number
        box = (from_x, ground - 20, to_x, ground) if inside else (from_x, tall - 20, to_x, tall - 1)
        draw_text(picture, box, str(count), "SemiBold", _TEXT - 1, canvas.PAPER if inside else canvas.INK)


def _chart_png(picture: Image.Image) -> bytes:
    written = BytesIO()
    picture.quantize(64, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()
