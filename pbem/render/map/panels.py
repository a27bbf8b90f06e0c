"""Small tables at the edge of a map: the title, the tracks, and what the signs mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from PIL import Image

from pbem.game.board.board_map import BaseMap
from pbem.game.board.scene import Cell, DrawnSide, Grid, Panel, Row, Track
from pbem.render.map import base_map, canvas
from pbem.render.map.base_map import draw_path
from pbem.render.map.canvas import Bounds, Ink, Sketch, Weight, draw_text, extent, mix
from pbem.render.map.places import changed_ring, glow, place_picture

_EDGE: Final = 12
_LINE: Final = 26
_TITLE: Final = 17
_TEXT: Final = 16
_HEADING: Final = 30
_SUBTITLE: Final = 18
_NARROWEST: Final = 30
"""The width of the smallest cell."""
_GAP: Final = 5
"""Between two cells."""
_SIGN, _LARGEST, _RINGED = 23, 27, 13
"""The size of places with a mark in the legend, of the largest kind of places, and of those with a ring round them."""
_ENDS: Final = 24
"""The height of the sheet whose halves are the upper and the lower end of a panel."""
_STEP: Final = 4
"""So much wider than its text is a box of a track at least."""


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
    for each in words:
        left, top, right, bottom = (side * scale for side in each.box)
        draw_text(
            picture, (left, top, right, bottom), each.text, each.weight, round(each.size * scale), each.ink, each.align
        )
    return picture


class _Paper:
    """The paper of a panel, on which the grounds of cells are laid: all of them small, so that little is drawn."""

    def __init__(self, width: int, height: int, scale: float) -> None:
        self._scale = scale
        across, down = max(1, round(width * scale)), max(1, round(height * scale))
        ends = _lowest_panel(width, scale)
        half = ends.height // 2
        self.picture = ends.resize((across, down), Image.Resampling.NEAREST, (0, half, across, half + 1))
        self.picture.paste(ends.crop((0, 0, across, half)), (0, 0))
        self.picture.paste(ends.crop((0, half, across, ends.height)), (0, down - ends.height + half))

    def panel(self, box: Bounds, radius: float, fill: Ink, outline: Ink | None = None) -> None:
        """Lay a rectangle with rounded corners on it."""
        left, top, right, bottom = (round(edge * self._scale) for edge in box)
        drawn = _field(max(1, right - left), max(1, bottom - top), radius, fill, outline, self._scale)
        self.picture.paste(drawn, (left, top), drawn)


@lru_cache(maxsize=32)
def _lowest_panel(width: int, scale: float) -> Image.Image:
    """Return the lowest panel of a width."""
    return _paper(width, _ENDS, scale).done()


@lru_cache(maxsize=128)
def _field(across: int, down: int, radius: float, fill: Ink, outline: Ink | None, scale: float) -> Image.Image:
    """Return the ground of a cell, of a size in pixels."""
    size = across / scale, down / scale
    sketch = Sketch(size, scale)
    sketch.panel((0, 0, *size), radius, fill, outline, 1 if outline else 0)
    return sketch.done()


@lru_cache(maxsize=16)
def panel(content: Panel, sides: tuple[DrawnSide, ...], width: int, scale: float) -> Image.Image:
    """Return a panel: its title, then its rows and tracks."""
    headings = _wrapped(content.title, width - 2 * _EDGE, "SemiBold", _TITLE) if content.title else []
    rows = [row for each in content.rows for row in _fitting(each, width - 2 * _EDGE)]
    top = 8 + _LINE * len(headings)
    height = top + _LINE * sum(_panel_lines(row) for row in rows) + 8
    sheet = _Paper(width, height, scale)
    by_id = {side.id: side for side in sides}
    words: list[Words] = []
    for n, heading in enumerate(headings):
        box = (_EDGE, 6 + n * _LINE, width - _EDGE, 6 + (n + 1) * _LINE)
        words.append(Words(box, heading, _TITLE, "SemiBold", canvas.INK))
    if headings:
        sheet.panel((_EDGE, top - 0.5, width - _EDGE, top + 0.5), 0, canvas.FRAME)
    for row in rows:
        if isinstance(row, Track):
            words += _track(sheet, row, width, top)
        elif isinstance(row, Grid):
            words += _grid(sheet, row, by_id, width, top)
        else:
            words += _draw_row(sheet, row, by_id, width, top)
        top += _LINE * _panel_lines(row)
    return _lettered(sheet.picture, words, scale)


def _panel_lines(row: Row | Track | Grid) -> int:
    return 1 + len(row.lines) if isinstance(row, Grid) else 1


def _cell_width(cell: Cell) -> int:
    """Return the width of a cell in a row."""
    return max(_NARROWEST, extent(cell.text, "SemiBold", _TEXT)[0] + 14)


def _fitting(row: Row | Track | Grid, width: float) -> Iterator[Row | Track | Grid]:
    """Yield a row as so many rows that each fits into a width: it itself, if it does."""
    if isinstance(row, Track):
        widest = max((extent(step, "SemiBold", _TEXT - 1)[0] for step in row.steps), default=1)
        most = max(1, int(width // (widest + _STEP)))
        for at in range(0, len(row.steps), most):
            yield Track(row.steps[at : at + most], row.now - at)
    elif isinstance(row, Row):
        yield from _wrapped_row(row, width)
    else:
        yield row


def _wrapped_row(row: Row, width: float) -> Iterator[Row]:
    """Yield a row in several: its label above, broken where it must be, as many cells in each as fit."""
    cells = [_cell_width(cell) + _GAP for cell in row.cells]
    if not row.cells or extent(row.label, "Regular", _TEXT)[0] + sum(cells) <= width:
        yield from (row,) if row.cells else map(Row, _wrapped(row.label, width, "Regular", _TEXT))
        return
    *above, label = _wrapped(row.label, width, "Regular", _TEXT)
    yield from map(Row, above)
    left, taken = width - extent(label, "Regular", _TEXT)[0], list[Cell]()
    for cell, across in zip(row.cells, cells, strict=True):
        if across > left and (taken or label):
            yield Row(label, tuple(taken))
            label, taken, left = "", [], width
        taken.append(cell)
        left -= across
    yield Row(label, tuple(taken))


def _draw_row(sheet: _Paper, row: Row, sides: dict[str, DrawnSide], width: int, top: float) -> list[Words]:
    """Draw the grounds of a row's cells; return what is to be written, and where."""
    words = [Words((_EDGE, top, width, top + _LINE), row.label, _TEXT, "Regular", canvas.INK)]
    right = width - _EDGE
    for cell in reversed(row.cells):
        across = _cell_width(cell)
        words.append(_draw_cell(sheet, cell, sides, (right - across, top + 3, right, top + _LINE - 2)))
        right -= across + _GAP
    return words


def _draw_cell(sheet: _Paper, cell: Cell, sides: dict[str, DrawnSide], box: Bounds) -> Words:
    """Draw the ground of a cell; return what is to be written on it."""
    side = sides.get(cell.side or "")
    if side:
        sheet.panel(box, 3.5, side.colour, mix(side.colour, canvas.INK, 0.5))
    text = _shortened(cell.text, box[2] - box[0])
    return Words(box, text, _TEXT, "SemiBold", side.ink if side else canvas.INK, "m")


def _shortened(text: str, width: float) -> str:
    """Return a text as far as it fits."""
    while len(text) > 1 and extent(text, "SemiBold", _TEXT)[0] > width:
        text = text[:-2].rstrip() + "…"
    return text


def _grid(sheet: _Paper, grid: Grid, sides: dict[str, DrawnSide], width: int, top: float) -> list[Words]:
    """Draw the grounds of a table's cells; return what is to be written, and where."""
    room = width - 2 * _EDGE
    first = min(max(_cell_width(head) for head in grid.heads), room / 2)
    step = (room - first) / max(1, len(grid.columns))
    words = []
    for n, (head, line) in enumerate(zip((None, *grid.heads), (grid.columns, *grid.lines), strict=True)):
        above, below = top + n * _LINE + 3, top + (n + 1) * _LINE - 2
        if head is not None:
            words.append(_draw_cell(sheet, head, sides, (_EDGE, above, _EDGE + first, below)))
        for at, cell in enumerate(line):
            left = _EDGE + first + at * step
            words.append(_draw_cell(sheet, cell, sides, (left + _GAP, above, left + step, below)))
    return words


def _track(sheet: _Paper, track: Track, width: int, top: float) -> list[Words]:
    """Draw the boxes of a track; return what is to be written, and where."""
    words = []
    step = (width - 2 * _EDGE) / len(track.steps)
    for n, text in enumerate(track.steps):
        left = _EDGE + n * step
        box = (left + 1, top + 3, left + step - 1, top + _LINE - 2)
        past, now = n < track.now, n == track.now
        ground = canvas.INK if now else mix(canvas.PAPER, canvas.FRAME, 0.45 if past else 0.12)
        sheet.panel(box, 3, ground, canvas.FRAME)
        colour = canvas.PAPER if now else canvas.FAINT if past else canvas.INK
        words.append(Words(box, text, _TEXT - 1, "SemiBold", colour, "m"))
    return words


@lru_cache(maxsize=16)
def title_panel(heading: str, subheading: str, width: int, scale: float, to_move: str = "") -> Image.Image:
    """Return the title of a picture, with who is to move in bold below it."""
    parts: tuple[tuple[str, Weight], ...] = ((subheading, "Regular"), (to_move, "SemiBold"))
    lines = [(line, weight) for text, weight in parts if text for line in _wrapped(text, width - 28, weight, _SUBTITLE)]
    height = 44 + 22 * len(lines) + (6 if lines else 0)
    left = _EDGE + 2
    words = [Words((left, 6, width, 42), heading, _HEADING, "SemiBold", canvas.INK)]
    for n, (line, weight) in enumerate(lines):
        words.append(Words((left, 40 + 22 * n, width, 62 + 22 * n), line, _SUBTITLE, weight, canvas.INK))
    return _lettered(_Paper(width, height, scale).picture, words, scale)


def _wrapped(text: str, width: float, weight: Weight, size: int) -> list[str]:
    """Break a text into lines that fit."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and extent(longer, weight, size)[0] > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


@lru_cache(maxsize=16)
def legend(
    base: BaseMap, sides: tuple[DrawnSide, ...], width: int, scale: float, *, rings: bool = False
) -> Image.Image:
    """Return the signs of a map with their meanings: places on the left, paths and terrain on the right.

    What is printed behind names and on counters comes below, on the right where it fits; with `rings` the rings round
    places come too.
    """
    signs = list(_signs(base, sides, scale, rings=rings))
    middle = width * 0.5
    lefts, rights = len(signs), len(base.path_kinds) + len(base.tile_kinds) + bool(base.streams)
    meanings: list[tuple[float, int, str, str]] = []
    for letters, meaning in base.meanings:
        fits = extent(meaning, "Regular", _TEXT)[0] + _inset(letters, 72) < middle - _EDGE / 2
        if fits and rights < lefts:
            meanings.append((middle, rights, letters, meaning))
            rights += 1
        else:
            meanings.append((0, lefts, letters, meaning))
            lefts += 1
    levels = [7 + (n + 0.5) * _LINE for n in range(max(lefts, rights))]
    sketch = _paper(width, _LINE * len(levels) + 14, scale)
    words = []
    for level, (name, look) in zip(levels, base.path_kinds.items(), strict=False):
        draw_path(sketch, base, name, (middle + 6, level), (middle + 62, level))
        words.append(_meaning(middle + 72, level, look.legend))
    words += _grounds(sketch, base, middle, levels[len(base.path_kinds) :])
    for left, row, letters, meaning in meanings:
        level, inset = levels[row], _inset(letters, 72 if left else 46)
        across = extent(letters, "SemiBold", _TEXT)[0]
        start = left + max(6 if left else _EDGE, (34 if left else 26) - across / 2)
        box = (start, level - _LINE / 2, start + across, level + _LINE / 2)
        words += [Words(box, letters, _TEXT, "SemiBold", canvas.INK), _meaning(left + inset, level, meaning)]
    picture = sketch.done()
    for level, (sign, meaning) in zip(levels, signs, strict=False):
        at = round(26 * scale - sign.width / 2), round(level * scale - sign.height / 2)
        picture.alpha_composite(sign, at)
        words.append(_meaning(46, level, meaning))
    return _lettered(picture, words, scale)


def _inset(letters: str, usual: int) -> float:
    """Return how far from the left of its column the meaning of some letters begins."""
    return max(usual, extent(letters, "SemiBold", _TEXT)[0] + (_EDGE if usual < 72 else 6) + 9)


def _signs(
    base: BaseMap, sides: tuple[DrawnSide, ...], scale: float, *, rings: bool
) -> Iterator[tuple[Image.Image, str]]:
    """Yield the signs of places with their meanings: kinds, owners, rings."""
    looks = [look for look in base.place_kinds.values() if look.form != "open"]
    first = looks[0]
    shrunk = min(1, _LARGEST / max(look.size for look in looks))  # all alike: some kinds differ in size alone
    for look in looks:
        yield place_picture(look.form, round(look.size * shrunk), look.empty, False, scale), look.legend
    if any(place.port for place in base.places.values()):
        yield place_picture(first.form, min(first.size - 4, _SIGN), first.empty, True, scale), "Port"
    for side in sides:
        sign = place_picture(first.form, _SIGN, side.colour, False, scale, side.mark, side.ink)
        yield sign, f"Held by {side.name}"
    if rings:
        small = place_picture(first.form, _RINGED, first.empty, False, scale)
        rounds = changed_ring(_RINGED - 8, scale), glow(first.form, _RINGED, canvas.FOCUS, scale)
        for ring, meaning in zip(rounds, ("Changed since your last map", "You are asked about it"), strict=True):
            sign = Image.new("RGBA", (max(ring.width, small.width),) * 2, canvas.CLEAR)
            for each in (ring, small):
                sign.alpha_composite(each, ((sign.width - each.width) // 2, (sign.height - each.height) // 2))
            yield sign, meaning


def _grounds(sketch: Sketch, base: BaseMap, left: float, levels: list[float]) -> list[Words]:
    """Draw what hexes have for signs: a river along their sides, and the grounds; return what they mean."""
    words = []
    if base.streams:
        base_map.stream(sketch, (left + 6, levels[0]), (left + 62, levels[0]))
        words.append(_meaning(left + 72, levels[0], "River"))
        levels = levels[1:]
    for level, look in zip(levels, base.tile_kinds.values(), strict=False):
        box = (left + 6, level - _LINE / 2 + 2, left + 62, level + _LINE / 2 - 2)
        sketch.panel(box, 2, look.tone, canvas.FRAME, 0.8)
        base_map.rise(sketch, (left + 34, level), look.relief, look.tone)
        words.append(_meaning(left + 72, level, look.legend))
    return words


def _meaning(left: float, level: float, text: str) -> Words:
    return Words((left, level - _LINE / 2, left, level + _LINE / 2), text, _TEXT, "Regular", canvas.INK)


def _paper(width: float, height: float, scale: float) -> Sketch:
    sketch = Sketch((width, height), scale)
    sketch.panel((0, 0, width, height), 6, (*canvas.rgb(canvas.PAPER), 240), canvas.FRAME, 1.4)
    return sketch
