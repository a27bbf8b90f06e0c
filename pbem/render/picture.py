"""The map picture: a scene in, a PNG out. The same scene gives the same pixels everywhere."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, pairwise
from math import hypot
from pathlib import Path as File
from typing import Final

from PIL import Image, ImageChops, ImageFilter

from pbem.game.board_map import BaseMap, Point, Polyline
from pbem.game.scene import Arrow, DrawnSide, Scene
from pbem.render import canvas
from pbem.render.base_map import ground, land_mask, names
from pbem.render.canvas import Bounds, Sketch, mix
from pbem.render.counters import stack, tag
from pbem.render.panels import legend, panel, title
from pbem.render.placement import lead, placements
from pbem.render.places import glow, shape_box, siege_ring, spot
from pbem.render.window import SCALE, WIDTH, window

_PANEL_GAP: Final = 8
_COLOURS: Final = 128
_BOWS: Final = (0.18, -0.18, 0.36, -0.36)
"""How far the course of a voyage may bow to the left of the straight line, in its length."""
_CURVE_STEPS: Final = 16
"""How many straight pieces a curve is drawn with."""
_TIP_GAP, _TIP_LENGTH, _TIP_HALF_WIDTH = 15, 15, 11
"""The head of an arrow: its distance from the middle of the place, its length, half its width."""
_ARROW_ROOM: Final = 20
"""Room round the points of an arrow, so that its strokes fit."""
_ARROW_RIM, _ARROW_CORE, _WAKE = 11, 8, 2.5
"""Width of an arrow with its rim, without, and of the wake in the arrow of a voyage."""
_ARROW_STRENGTH: Final = 0.8
"""How much of the board an arrow covers."""
_NAME_ROOM: Final = 40
"""How far round a place its name may lie."""
_NEAR: Final = 16
"""A piece whose joining line would be shorter than this needs none."""
_LEAD_RIM, _LEAD_CORE = 5, 2.6
"""Width of a joining line with its rim, and without."""
_DOT_RIM, _DOT_CORE = 5.0, 4.0
"""Radius of the dot at the end of a joining line with its rim, and without."""
_STRANGER: Final = DrawnSide("", "", "#6f6a60")
"""The look of what belongs to a side that the scene does not name."""


def render(scene: Scene, *, width: int | None = None, cache_folder: File | None = None) -> bytes:
    """Return a scene as a PNG of 128 colours, `width` pixels wide (by default as wide as the base map).

    A cache folder spares the first picture of a run from drawing the printed board again.
    """
    picture = draw(scene, width=width, cache_folder=cache_folder)
    palette = _palette(scene.base, scene.sides, picture.width / scene.base.width, cache_folder)
    written = io.BytesIO()
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(written, "PNG", compress_level=6)
    return written.getvalue()


def render_board(scene: Scene, *, cache_folder: File | None = None) -> bytes:
    """Return the whole board as letters show it: as wide as a window, without the legend."""
    return render(replace(scene, legend=False), width=WIDTH, cache_folder=cache_folder)


def render_window(scene: Scene, *, cache_folder: File | None = None) -> bytes:
    """Return the part of the board where a scene plays, without panels."""
    bare = replace(scene, legend=False, panels=(), title="", subtitle="")
    picture = draw(bare, width=round(scene.base.width * SCALE), cache_folder=cache_folder)
    left, top, right, bottom = (round(edge * SCALE) for edge in window(scene))
    written = io.BytesIO()
    palette = _palette(scene.base, scene.sides, WIDTH / scene.base.width, cache_folder)
    part = picture.crop((left, top, right, bottom))
    part.quantize(palette=palette, dither=Image.Dither.NONE).save(written, "PNG", compress_level=6)
    return written.getvalue()


def render_legend(scene: Scene) -> bytes:
    """Return what the signs on the board of a scene mean."""
    written = io.BytesIO()
    drawn = legend(scene.base, scene.sides, round(WIDTH / SCALE), SCALE)
    ground = Image.new("RGB", drawn.size, canvas.PAPER)
    ground.paste(drawn, mask=drawn)
    ground.quantize(64, dither=Image.Dither.NONE).save(written, "PNG", optimize=True)
    return written.getvalue()


def draw(scene: Scene, *, width: int | None = None, cache_folder: File | None = None) -> Image.Image:
    """Return a scene as a picture in full colour."""
    base = scene.base
    scale = (width or base.width) / base.width
    sides = {side.id: side for side in scene.sides}
    holders = tuple(sides.get(scene.tints.get(region.id) or "") for region in base.regions)
    board = _board(base, holders, scale, cache_folder).copy()
    for arrow in scene.arrows:
        _arrow(board, base, arrow, sides.get(arrow.side, _STRANGER), scale)
    if scene.arrows:
        _names_again(board, base, scene.arrows, scale, cache_folder)
    _rings(board, scene, sides, scale)
    _places(board, scene, sides, scale)
    taken = _panels(board, scene, scale)
    _pieces(board, scene, sides, taken, scale)
    return board


@lru_cache(maxsize=2)  # a board has megabytes, and two sides of a game are all that see the same one twice
def _board(
    base: BaseMap, holders: tuple[DrawnSide | None, ...], scale: float, cache_folder: File | None
) -> Image.Image:
    """Return the printed board with its regions tinted by the sides that hold them, strongest along their borders."""
    layers = ground(base, scale, cache_folder)
    board = layers.relief.copy()
    for region, side in zip(base.regions, holders, strict=True):
        if side and region.outline:
            wash, corner = _wash(base, region.outline, scale)
            board.paste(mix(side.colour, "#ffffff", 0.12), corner, wash)
    board.paste(layers.lines, mask=layers.lines)
    return board


@lru_cache(maxsize=128)
def _wash(base: BaseMap, outline: Polyline, scale: float) -> tuple[Image.Image, tuple[int, int]]:
    """Return how strongly a region is tinted, and where the top left corner of this mask lies."""
    left, top = (max(0, int(min(point[axis] for point in outline))) for axis in (0, 1))
    right, bottom = min(max(x for x, _ in outline), base.width), min(max(y for _, y in outline), base.height)
    sketch = Sketch((right - left, bottom - top), scale, "L", 0)
    sketch.polygon([(x - left, y - top) for x, y in outline], 255)
    inside = sketch.done()
    corner = round(left * scale), round(top * scale)
    land = land_mask(base, scale).crop((*corner, corner[0] + inside.width, corner[1] + inside.height))
    inside = ImageChops.multiply(inside, land)
    heart = inside.filter(ImageFilter.GaussianBlur(9 * scale)).point(lambda v: max(0, v - 128) * 2)
    return ImageChops.multiply(inside, ImageChops.invert(heart).point(lambda v: 42 + round(v * 0.42))), corner


@lru_cache(maxsize=8)
def _palette(base: BaseMap, sides: tuple[DrawnSide, ...], scale: float, cache_folder: File | None) -> Image.Image:
    """Return the colours for a map and these sides: first those that must not be lost, then the board's commonest."""
    kept = [
        canvas.rgb(each)
        for each in (canvas.INK, canvas.PAPER, canvas.FRAME, canvas.FOCUS, canvas.WALL, canvas.COAST, "#ffffff")
    ]
    kept += [mix(kind.empty, canvas.INK, share) for kind in base.place_kinds.values() for share in (0, 0.4)]
    for side in sides:
        kept += [mix(side.colour, canvas.INK, share) for share in (0, 0.2, 0.35, 0.45, 0.6)]
        kept += [mix(side.colour, canvas.PAPER, share) for share in (0.2, 0.4, 0.6, 0.8, 0.94)]
    kept = kept[: _COLOURS // 2]
    boards = [_board(base, (side,) * len(base.regions), scale, cache_folder) for side in (None, *sides)]
    sheet = Image.new("RGB", (boards[0].width, boards[0].height * len(boards)))
    for n, board in enumerate(boards):
        sheet.paste(board, (0, n * board.height))
    common = sheet.quantize(_COLOURS - len(kept), Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour in kept for part in colour] + (common or []))
    return palette


def _arrow(board: Image.Image, base: BaseMap, arrow: Arrow, side: DrawnSide, scale: float) -> None:
    """Draw an arrow along its places, ending short of the last."""
    points = [(float(base.places[id].x), float(base.places[id].y)) for id in arrow.places]
    if len(points) < 2:
        return
    if arrow.style == "sea":
        points = _course(points, base, scale)
    (bx, by), (ax, ay) = points[-1], points[-2]
    length = hypot(bx - ax, by - ay) or 1
    ux, uy = (bx - ax) / length, (by - ay) / length
    tip = (bx - ux * _TIP_GAP, by - uy * _TIP_GAP)
    neck = (tip[0] - ux * _TIP_LENGTH, tip[1] - uy * _TIP_LENGTH)
    points[-1] = neck
    left, top = (int(min(p[axis] for p in (*points, tip))) - _ARROW_ROOM for axis in (0, 1))
    right, bottom = (max(p[axis] for p in (*points, tip)) + _ARROW_ROOM for axis in (0, 1))
    # Two masks are quicker to make small than one picture in colours: what is covered, and what of it is not the rim.
    whole, inner = (Sketch((right - left, bottom - top), scale, "L", 0) for _ in range(2))
    shaft = [(x - left, y - top) for x, y in points]
    head = [(neck[0] - uy * w - left, neck[1] + ux * w - top) for w in (_TIP_HALF_WIDTH, -_TIP_HALF_WIDTH)]
    head.append((tip[0] - left, tip[1] - top))
    if arrow.style == "retreat":
        whole.dashes(shaft, 255, _ARROW_CORE, 12, 7)
        inner.dashes(shaft, 255, _ARROW_CORE, 12, 7)
    else:
        whole.line(shaft, 255, _ARROW_RIM)
        inner.line(shaft, 255, _ARROW_CORE)
        if arrow.style == "sea":
            inner.dashes(shaft, 0, _WAKE, 10, 8)
    whole.polygon(head, 255)
    inner.polygon(head, 255)
    covered, coloured = whole.done(), inner.done()
    drawn = Image.new("RGB", covered.size, canvas.PAPER)
    drawn.paste(mix(side.colour, canvas.PAPER, 0.12), mask=coloured)
    board.paste(drawn, (round(left * scale), round(top * scale)), covered.point(lambda v: round(v * _ARROW_STRENGTH)))


def _names_again(
    board: Image.Image, base: BaseMap, arrows: Sequence[Arrow], scale: float, cache_folder: File | None
) -> None:
    """Lay the names of places over the arrows that run across them."""
    over = names(base, scale, cache_folder)
    spots = [base.places[id] for arrow in arrows for id in arrow.places]
    left, top = (max(0, int((min(spot) - _NAME_ROOM) * scale)) for spot in ([s.x for s in spots], [s.y for s in spots]))
    right, bottom = (int((max(spot) + _NAME_ROOM) * scale) for spot in ([s.x for s in spots], [s.y for s in spots]))
    part = over.crop((left, top, min(right, over.width), min(bottom, over.height)))
    board.paste(part, (left, top), part)


def _course(points: list[Point], base: BaseMap, scale: float) -> list[Point]:
    """Return points on curves along some places: of several bows the one that crosses least land."""
    land = land_mask(base, scale)

    def crossed(curve: list[Point]) -> int:
        edge_x, edge_y = land.width - 1, land.height - 1
        spots = [(min(max(round(x * scale), 0), edge_x), min(max(round(y * scale), 0), edge_y)) for x, y in curve]
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


def _rings(board: Image.Image, scene: Scene, sides: dict[str, DrawnSide], scale: float) -> None:
    """Ring the places in focus, and those under siege in the besieger's colour."""
    base = scene.base
    for id in scene.focus:
        kind = base.place_kinds[base.places[id].kind]
        _put(board, glow(kind.form, kind.size, canvas.FOCUS, scale), base, id, scale)
    for marker in scene.markers:
        if marker.kind == "siege":
            place, besieger = base.places[marker.place], sides.get(marker.side or "", _STRANGER)
            circle = siege_ring(base.place_kinds[place.kind].size, place.hangs, besieger.colour, scale)
            _put(board, circle, base, place.id, scale)


def _places(board: Image.Image, scene: Scene, sides: dict[str, DrawnSide], scale: float) -> None:
    base = scene.base
    for id, place in base.places.items():
        kind = base.place_kinds[place.kind]
        if kind.form == "open":
            continue
        side = sides.get(scene.control.get(id) or "")
        fill, letter, sign = (side.colour, side.ink, "") if side else (kind.empty, canvas.INK, "")
        _put(board, spot(kind.form, kind.size, fill, place.port, scale, place.mark or sign, letter), base, id, scale)


def _put(board: Image.Image, picture: Image.Image, base: BaseMap, id: str, scale: float) -> None:
    place = base.places[id]
    board.paste(
        picture, (round(place.x * scale - picture.width / 2), round(place.y * scale - picture.height / 2)), picture
    )


def _panels(board: Image.Image, scene: Scene, scale: float) -> list[Bounds]:
    """Draw the title, the panels and the legend into their slots, downward; return the boxes they take."""
    base = scene.base
    drawn: list[tuple[str, Image.Image]] = []
    if "title" in base.slots:
        drawn.append(("title", title(scene.title, scene.subtitle, base.slots["title"].width, scale)))
    for content in scene.panels:
        drawn.append((content.slot, panel(content, scene.sides, base.slots[content.slot].width, scale)))
    if scene.legend and "legend" in base.slots:
        drawn.append(("legend", legend(base, scene.sides, base.slots["legend"].width, scale)))
    boxes: list[Bounds] = []
    down = {name: float(slot.y) for name, slot in base.slots.items()}
    for name, picture in drawn:
        x, y = base.slots[name].x, down[name]
        board.paste(picture, (round(x * scale), round(y * scale)), picture)
        height = picture.height / scale
        boxes.append((x, y, x + picture.width / scale, y + height))
        down[name] += height + _PANEL_GAP
    return boxes


def _pieces(board: Image.Image, scene: Scene, sides: dict[str, DrawnSide], taken: list[Bounds], scale: float) -> None:
    """Lay counters, stacked by place and side, and markers near their places."""
    pictures: list[tuple[str, Image.Image, str]] = []
    ordered = sorted(scene.counters, key=lambda counter: (counter.place, counter.side, counter.inside))
    for (place, side, _), group in groupby(ordered, key=lambda counter: (counter.place, counter.side, counter.inside)):
        look = sides.get(side, _STRANGER)
        pictures.append((place, stack(tuple(group), look, scale), look.colour))
    for marker in scene.markers:
        owner = sides.get(marker.side or "")
        pictures.append((marker.place, tag(marker, owner, scale), canvas.WALL))
    base = scene.base
    boxes = placements(base, [(place, *_units(picture, scale)) for place, picture, _ in pictures], taken)
    for (place, _, colour), box in zip(pictures, boxes, strict=True):
        _lead(board, base, place, box, colour, scale)
    for (_, picture, _), box in zip(pictures, boxes, strict=True):
        board.paste(picture, (round(box[0] * scale), round(box[1] * scale)), picture)


def _units(picture: Image.Image, scale: float) -> tuple[int, int]:
    return round(picture.width / scale), round(picture.height / scale)


def _lead(board: Image.Image, base: BaseMap, id: str, box: Bounds, colour: str, scale: float) -> None:
    """Draw a line from a place to a piece that lies some way off."""
    a, (x, y) = lead(shape_box(base, base.places[id]), box)
    middle = base.places[id].x, base.places[id].y
    covers = box[0] <= middle[0] <= box[2] and box[1] <= middle[1] <= box[3]
    bare = base.place_kinds[base.places[id].kind].form == "open" and not covers
    if hypot(x - a[0], y - a[1]) < _NEAR and not bare:
        return
    room = 8 if bare else 4
    left, top = int(min(a[0], x)) - room, int(min(a[1], y)) - room
    sketch = Sketch((abs(a[0] - x) + 2 * room + 1, abs(a[1] - y) + 2 * room + 1), scale)
    line = [(a[0] - left, a[1] - top), (x - left, y - top)]
    sketch.line(line, canvas.PAPER, _LEAD_RIM)
    if bare:  # nothing that is printed shows where the line ends
        for radius, fill in ((_DOT_RIM, canvas.PAPER), (_DOT_CORE, colour)):
            sketch.disc((middle[0] - left, middle[1] - top), radius, fill)
    sketch.line(line, colour, _LEAD_CORE)
    drawn = sketch.done()
    board.paste(drawn, (round(left * scale), round(top * scale)), drawn)
