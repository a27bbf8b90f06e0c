"""Small tables at the edge of a map: the title, the tracks, and what the signs mean."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from PIL import Image, ImageDraw

from pbem.game.scene import BaseMap, DrawnSide, Panel, Row, Track
from pbem.render import canvas, tiles
from pbem.render.base_map import draw_path
from pbem.render.canvas import Bounds, Ink, Sketch, mix
from pbem.render.places import spot
from pbem.render.typefaces import Weight, extent, write

_EDGE: Final = 12
_LINE: Final = 26
_TITLE: Final = 17
_TEXT: Final = 16
_HEADING: Final = 30
_SUBTITLE: Final = 18


class Words(NamedTuple):
    """A text to be written once the ground below it is done."""

    box: Bounds
    text: str
    size: int
    weight: Weight
    ink: Ink
    align: str = "l"


def _lettered(picture: Image.Image, words: Iterable[Words], scale: float) -> Image.Image:
    """Write texts on a picture and return it."""
    pen = ImageDraw.Draw(picture)
    for each in words:
        left, top, right, bottom = (side * scale for side in each.box)
        write(pen, (left, top, right, bottom), each.text, each.weight, round(each.size * scale), each.ink, each.align)
    return picture


@lru_cache(maxsize=64)
def panel(content: Panel, sides: tuple[DrawnSide, ...], width: int, scale: float) -> Image.Image:
    """Return a panel: its title, then its rows and tracks."""
    top = 8 + (_LINE if content.title else 0)
    height = top + _LINE * len(content.rows) + 8
    sketch = _paper(width, height, scale)
    by_id = {side.id: side for side in sides}
    words: list[Words] = []
    if content.title:
        words.append(Words((_EDGE, 6, width - _EDGE, 6 + _LINE), content.title, _TITLE, "SemiBold", canvas.INK))
        sketch.line([(_EDGE, top), (width - _EDGE, top)], canvas.FRAME, 1)
    for row in content.rows:
        if isinstance(row, Track):
            words += _track(sketch, row, width, top)
        else:
            words += _row(sketch, row, by_id, width, top)
        top += _LINE
    return _lettered(sketch.done(), words, scale)


def _row(sketch: Sketch, row: Row, sides: dict[str, DrawnSide], width: int, top: float) -> list[Words]:
    """Draw the grounds of a row's cells; return what is to be written, and where."""
    words = [Words((_EDGE, top, width, top + _LINE), row.label, _TEXT, "Regular", canvas.INK)]
    right = width - _EDGE
    for cell in reversed(row.cells):
        across = max(30, extent(cell.text, "SemiBold", _TEXT)[0] + 14)
        box = (right - across, top + 3, right, top + _LINE - 2)
        side = sides.get(cell.side or "")
        if side:
            sketch.panel(box, 3.5, side.colour, mix(side.colour, canvas.INK, 0.5), 1)
        words.append(Words(box, cell.text, _TEXT, "SemiBold", side.ink if side else canvas.INK, "m"))
        right -= across + 5
    return words


def _track(sketch: Sketch, track: Track, width: int, top: float) -> list[Words]:
    """Draw the boxes of a track; return what is to be written, and where."""
    words = []
    step = (width - 2 * _EDGE) / len(track.steps)
    for n, text in enumerate(track.steps):
        left = _EDGE + n * step
        box = (left + 1, top + 3, left + step - 1, top + _LINE - 2)
        past, now = n < track.now, n == track.now
        sketch.panel(
            box, 3, canvas.INK if now else mix(canvas.PAPER, canvas.FRAME, 0.45 if past else 0.12), canvas.FRAME, 1
        )
        colour = canvas.PAPER if now else canvas.FAINT if past else canvas.INK
        words.append(Words(box, text, _TEXT - 1, "SemiBold", colour, "m"))
    return words


@lru_cache(maxsize=16)
def title(heading: str, subheading: str, width: int, scale: float) -> Image.Image:
    """Return the title of a picture."""
    lines = _wrapped(subheading, width - 2 * _EDGE - 4) if subheading else []
    height = 44 + 22 * len(lines) + (6 if lines else 0)
    left = _EDGE + 2
    words = [Words((left, 6, width, 42), heading, _HEADING, "SemiBold", canvas.INK)]
    for n, line in enumerate(lines):
        words.append(Words((left, 40 + 22 * n, width, 62 + 22 * n), line, _SUBTITLE, "Regular", canvas.INK))
    return _lettered(_paper(width, height, scale).done(), words, scale)


def _wrapped(text: str, width: float) -> list[str]:
    """Break a text into lines that fit."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and extent(longer, "Regular", _SUBTITLE)[0] > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@lru_cache(maxsize=16)
def legend(base: BaseMap, sides: tuple[DrawnSide, ...], width: int, scale: float) -> Image.Image:
    """Return the signs of a map with their meanings: places on the left, paths and terrain on the right."""
    looks = [look for look in base.place_kinds.values() if look.form != "open"]
    kinds = [(look.form, look.size, look.empty, look.legend, False) for look in looks]
    first = looks[0]
    if any(place.port for place in base.places.values()):
        kinds.append((first.form, first.size, first.empty, "Port", True))
    kinds += [(first.form, first.size, side.colour, f"Held by {side.name}", False) for side in sides]
    middle = width * 0.5
    rows = max(len(kinds) + len(base.meanings), len(base.path_kinds) + len(base.tile_kinds) + bool(base.streams))
    height = _LINE * rows + 14
    levels = [7 + (n + 0.5) * _LINE for n in range(rows)]
    sketch = _paper(width, height, scale)
    words = []
    for level, (name, look) in zip(levels, base.path_kinds.items(), strict=False):
        draw_path(sketch, base, name, (middle + 6, level), (middle + 62, level))
        words.append(_meaning(middle + 72, level, look.legend))
    words += _grounds(sketch, base, middle, levels[len(base.path_kinds) :])
    for level, (letters, meaning) in zip(levels[len(kinds) :], base.meanings, strict=False):
        across = extent(letters, "SemiBold", _TEXT)[0]
        left = max(_EDGE, 26 - across / 2)
        box = (left, level - _LINE / 2, left + across, level + _LINE / 2)
        words += [
            Words(box, letters, _TEXT, "SemiBold", canvas.INK),
            _meaning(max(46, left + across + 9), level, meaning),
        ]
    picture = sketch.done()
    for level, (form, size, fill, meaning, port) in zip(levels, kinds, strict=False):
        sign = spot(form, size - 4, fill, port, scale)
        at = round(26 * scale - sign.width / 2), round(level * scale - sign.height / 2)
        picture.alpha_composite(sign, at)
        words.append(_meaning(46, level, meaning))
    return _lettered(picture, words, scale)


def _grounds(sketch: Sketch, base: BaseMap, left: float, levels: list[float]) -> list[Words]:
    """Draw what hexes have for signs: a river along their sides, and the grounds; return what they mean."""
    words = []
    if base.streams:
        tiles.stream(sketch, (left + 6, levels[0]), (left + 62, levels[0]))
        words.append(_meaning(left + 72, levels[0], "River"))
        levels = levels[1:]
    for level, look in zip(levels, base.tile_kinds.values(), strict=False):
        box = (left + 6, level - _LINE / 2 + 2, left + 62, level + _LINE / 2 - 2)
        sketch.panel(box, 2, look.tone, canvas.FRAME, 0.8)
        tiles.rise(sketch, (left + 34, level), look.relief, look.tone)
        words.append(_meaning(left + 72, level, look.legend))
    return words


def _meaning(left: float, level: float, text: str) -> Words:
    return Words((left, level - _LINE / 2, left, level + _LINE / 2), text, _TEXT, "Regular", canvas.INK)


def _paper(width: float, height: float, scale: float) -> Sketch:
    sketch = Sketch((width, height), scale)
    sketch.panel((0, 0, width, height), 6, (*canvas.rgb(canvas.PAPER), 240), canvas.FRAME, 1.4)
    return sketch
