"""The map picture: a scene in, a PNG out. The same scene gives the same pixels everywhere."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import ceil
from pathlib import Path as File
from typing import Final

from PIL import Image

from pbem.game.board.board_map import BaseMap, Point
from pbem.game.board.scene import DrawnSide, Scene
from pbem.render.map import canvas
from pbem.render.map.arrangement import STRANGER, Arrangement, LaidPiece, arrange, overview
from pbem.render.map.arrows import lay_arrow
from pbem.render.map.base_map import ground, printed_colours
from pbem.render.map.canvas import Bounds, Sketch, grown, meet, mix
from pbem.render.map.counters import picture
from pbem.render.map.names import lay_name
from pbem.render.map.panels import legend, panel, title_panel
from pbem.render.map.places import LABEL_SIZE, changed_ring, glow, place_picture, siege_ring
from pbem.render.map.window import SCALE, WIDTH, window
from pbem.render.text.alt_text import to_move

PANEL_GAP: Final = 8
_COLOURS: Final = 128
_PALETTE_SCALE: Final = 0.25
"""The scale of the boards of which the commonest colours are counted."""
_LEAST: Final = 12
"""The least size of a name on the small picture of a whole board, in its pixels: a phone shows it at half of that."""
_PIECES: Final = 2 / 3
"""The least scale of the pieces on it: their type then has whole pixels."""
_SPRITE: Final = 40
"""How far from its middle a place is drawn at most."""
_COMPRESSION: Final = 4
"""A higher level takes twice as long for six per cent fewer bytes."""
_LEAD_RIM, _LEAD_CORE = 5.5, 2.8
"""Width of a joining line with its rim, and without."""
_DOT_RIM, _DOT_CORE = 5.0, 4.0
"""Radius of the dot at the end of a joining line with its rim, and without."""


def render(scene: Scene, *, width: int | None = None, cache_folder: File | None = None) -> bytes:
    """Return a scene as a PNG of 128 colours, `width` pixels wide (by default as wide as the base map).

    A cache folder spares the first picture of a run from drawing the printed board again.
    """
    return _map_png(scene, draw(scene, width=width, cache_folder=cache_folder))


def render_board(scene: Scene, *, cache_folder: File | None = None) -> bytes:
    """Return the whole board as letters show it: as wide as a window, without the legend."""
    return _map_png(scene, draw_overview(scene, cache_folder=cache_folder))


def render_window(scene: Scene, *, cache_folder: File | None = None) -> bytes:
    """Return the part of the board where a scene plays, without panels."""
    return _map_png(scene, draw_part(scene, window(scene), SCALE, cache_folder=cache_folder))


def render_legend(scene: Scene) -> bytes:
    """Return what the signs on the board of a scene mean."""
    drawn = legend(scene.base, scene.sides, round(WIDTH / SCALE), SCALE, rings=True)
    sheet = Image.new("RGB", drawn.size, canvas.PAPER)
    sheet.paste(drawn, mask=drawn)
    written = io.BytesIO()
    sheet.quantize(128, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()


def draw(scene: Scene, *, width: int | None = None, cache_folder: File | None = None) -> Image.Image:
    """Return a whole scene as a picture in full colour."""
    scale = (width or scene.base.width) / scene.base.width
    sheet = _Sheet(scene, scale, None, cache_folder)
    sheet.lie_below()
    taken = panels(sheet.board, scene, scale)
    sheet.lay(taken)
    return sheet.board


def draw_overview(scene: Scene, *, cache_folder: File | None = None) -> Image.Image:
    """Return a whole scene as a small picture in full colour: what can be read is larger, and there is less of it."""
    scale = WIDTH / scene.base.width
    sheet = _Sheet(replace(scene, legend=False), scale, None, cache_folder)
    sheet.lie_below()
    taken = panels(sheet.board, sheet.scene, scale)
    sheet.lay_arranged(arrange_overview(sheet.scene, taken))
    return sheet.board


def arrange_overview(scene: Scene, taken: Sequence[Bounds]) -> Arrangement:
    """Return the arrangement of a scene on the small picture of its whole board, off the panels."""
    scale = WIDTH / scene.base.width
    return overview(scene, taken, size=max(LABEL_SIZE, ceil(_LEAST / scale)), larger=max(1.0, _PIECES / scale))


def draw_part(scene: Scene, part: Bounds, scale: float, *, cache_folder: File | None = None) -> Image.Image:
    """Return a part of a scene as a picture in full colour, without panels."""
    sheet = _Sheet(scene, scale, part, cache_folder)
    sheet.lie_below()
    sheet.lay([])
    return sheet.board


def _map_png(scene: Scene, drawn: Image.Image) -> bytes:
    written = io.BytesIO()
    palette = _palette(scene.base, scene.sides)
    drawn.quantize(palette=palette, dither=Image.Dither.NONE).save(written, "PNG", compress_level=_COMPRESSION)
    return written.getvalue()


class _Sheet:
    """A picture that is being drawn: the board, or the part of it whose top left corner is `origin`."""

    def __init__(self, scene: Scene, scale: float, part: Bounds | None, cache_folder: File | None) -> None:
        self.scene, self.scale, self.part = scene, scale, part
        self.origin: Point = (0, 0) if part is None else part[:2]
        self.sides = {side.id: side for side in scene.sides}
        holders = tuple(self.sides.get(scene.tints.get(region.id) or "") for region in scene.base.regions)
        self.board = printed_board(scene.base, holders, scale, part, cache_folder)

    def lie_below(self) -> None:
        """Draw arrows, rings and places."""
        scene = self.scene
        for arrow in scene.arrows:
            side = self.sides.get(arrow.side, STRANGER)
            lay_arrow(self.board, scene.base, arrow, side.colour, self.scale, self.origin)
        self._rings()
        self._places()

    def lay(self, taken: list[Bounds]) -> None:
        """Lay names and pieces on the board, off the boxes `taken`."""
        self.lay_arranged(arrange(self.scene, self.part, taken))

    def lay_arranged(self, arranged: Arrangement) -> None:
        """Lay names and pieces where they are arranged."""
        for piece in arranged.pieces:
            self._lead(piece)
        for name in arranged.names:
            lay_name(self.board, name, self.scale, self.origin)
        for piece in arranged.pieces:
            drawn = picture(piece.piece, self.scale * piece.larger)
            self.board.paste(drawn, self._pixel(piece.box[0], piece.box[1]), drawn)

    def _pixel(self, x: float, y: float) -> tuple[int, int]:
        return round((x - self.origin[0]) * self.scale), round((y - self.origin[1]) * self.scale)

    def _rings(self) -> None:
        """Ring the places in focus, those that have changed, and those under siege in the besieger's colour."""
        base = self.scene.base
        for id in self.scene.changed:
            self._put(changed_ring(self.scene.kind(id).size, self.scale), id)
        for id in self.scene.focus:
            kind = self.scene.kind(id)
            self._put(glow(kind.form, kind.size, canvas.FOCUS, self.scale), id)
        for marker in self.scene.markers:
            if marker.kind == "siege":
                place, besieger = base.places[marker.place], self.sides.get(marker.side or "", STRANGER)
                size = self.scene.kind(place.id).size
                circle = siege_ring(size, place.hangs, besieger.colour, self.scale)
                self._put(circle, place.id)

    def _places(self) -> None:
        base, control = self.scene.base, self.scene.control
        shown = grown(self.part or (0, 0, base.width, base.height), _SPRITE, _SPRITE)
        for id, place in base.places.items():
            kind = self.scene.kind(id)
            if kind.form == "open" or not meet((place.x, place.y, place.x, place.y), shown):
                continue
            side = self.sides.get(control.get(id) or "")
            if side is None:
                drawn = place_picture(kind.form, kind.size, kind.empty, place.port, self.scale)
            else:
                drawn = place_picture(kind.form, kind.size, side.colour, place.port, self.scale, side.mark, side.ink)
            self._put(drawn, id)

    def _put(self, drawn: Image.Image, id: str) -> None:
        """Lay a small picture with its middle on a place."""
        place = self.scene.base.places[id]
        x, y = self._pixel(place.x, place.y)
        self.board.paste(drawn, (round(x - drawn.width / 2), round(y - drawn.height / 2)), drawn)

    def _lead(self, piece: LaidPiece) -> None:
        """Draw the line that joins a piece to its place."""
        if piece.line is None:
            return
        (ax, ay), (x, y) = piece.line
        middle = piece.anchor.x, piece.anchor.y
        bare = piece.anchor.open
        colour = piece.piece.stacks[0].side.colour if piece.piece.stacks else canvas.WALL
        room = 8 if bare else 4
        left, top = int(min(ax, x)) - room, int(min(ay, y)) - room
        sketch = Sketch((abs(ax - x) + 2 * room + 1, abs(ay - y) + 2 * room + 1), self.scale)
        line = [(ax - left, ay - top), (x - left, y - top)]
        sketch.line(line, canvas.PAPER, _LEAD_RIM)
        if bare:  # nothing that is printed shows where the line ends
            for radius, fill in ((_DOT_RIM, canvas.PAPER), (_DOT_CORE, colour)):
                sketch.disc((middle[0] - left, middle[1] - top), radius, fill)
        sketch.line(line, colour, _LEAD_CORE)
        drawn = sketch.done()
        self.board.paste(drawn, self._pixel(left, top), drawn)


def printed_board(
    base: BaseMap,
    holders: tuple[DrawnSide | None, ...],
    scale: float,
    part: Bounds | None = None,
    cache_folder: File | None = None,
) -> Image.Image:
    """Return the printed board, or a part of it, its regions tinted by the sides that hold them."""
    left, top, right, bottom = part or (0, 0, base.width, base.height)
    x, y = round(left * scale), round(top * scale)
    box = x, y, x + round((right - left) * scale), y + round((bottom - top) * scale)
    printed = ground(base, scale, cache_folder)
    board = printed.part(box)
    for washes, side in zip(printed.washes, holders, strict=True):
        if side:
            tint = mix(side.colour, "#ffffff", 0.12)
            for wash, where in washes:
                if meet(where, box):
                    board.paste(tint, (where[0] - x, where[1] - y), wash)
    return board


@lru_cache(maxsize=8)
def _palette(base: BaseMap, sides: tuple[DrawnSide, ...]) -> Image.Image:
    """Return the colours for a map and these sides: first those that must not be lost, then the board's commonest."""
    kept = [
        canvas.rgb(each)
        for each in (*(canvas.INK, canvas.PAPER, canvas.FRAME, canvas.FOCUS, canvas.CHANGED), canvas.WALL, "#ffffff")
    ]
    kept += [*map(canvas.rgb, (canvas.REGION_NAME, canvas.SEA_NAME)), *printed_colours(base)]
    kept += [canvas.rgb(side.colour) for side in sides]
    kept += [mix(kind.empty, canvas.INK, share) for kind in base.place_kinds.values() for share in (0, 0.4)]
    for share in (0.5, 0.25, 0.75, 0.88):
        kept += [mix(side.colour, canvas.PAPER, share) for side in sides]
    kept += [mix(side.colour, canvas.INK, share) for side in sides for share in (0.3, 0.55)]
    kept = list(dict.fromkeys(kept))[: _COLOURS // 2]
    boards = [printed_board(base, (side,) * len(base.regions), _PALETTE_SCALE) for side in (None, *sides)]
    sheet = Image.new("RGB", (boards[0].width, boards[0].height * len(boards)))
    for n, board in enumerate(boards):
        sheet.paste(board, (0, n * board.height))
    return canvas.palette(kept, sheet, _COLOURS, Image.Quantize.FASTOCTREE)


def panels(board: Image.Image, scene: Scene, scale: float) -> list[Bounds]:
    """Draw the title, the panels and the legend into their slots, downward; return the boxes they take."""
    base = scene.base
    drawn: list[tuple[str, Image.Image]] = []
    if "title" in base.slots:
        head = title_panel(scene.title, scene.subtitle, base.slots["title"].width, scale, to_move(scene))
        drawn.append(("title", head))
    for content in scene.panels:
        drawn.append((content.slot, panel(content, scene.sides, base.slots[content.slot].width, scale)))
    if scene.legend and "legend" in base.slots:
        drawn.append(("legend", legend(base, scene.sides, base.slots["legend"].width, scale)))
    boxes: list[Bounds] = []
    down = {name: float(slot.y) for name, slot in base.slots.items()}
    for name, each in drawn:
        x, y = base.slots[name].x, down[name]
        board.paste(each, (round(x * scale), round(y * scale)), each)
        height = each.height / scale
        boxes.append((x, y, x + each.width / scale, y + height))
        down[name] += height + PANEL_GAP
    return boxes
