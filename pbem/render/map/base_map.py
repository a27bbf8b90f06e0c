"""The printed board: sea, land, heights, rivers, borders, paths and hexes. Drawn once and kept."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from math import hypot
from pathlib import Path as File
from typing import Final, TypeAlias

import PIL
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from pbem.game.board.board_map import BaseMap, DrawnPath, Point, Polyline, Relief, Tile
from pbem.render.map import canvas
from pbem.render.map.canvas import Sketch, face, mix

# ---- Hexes as they are printed: their ground with what rises on it, thin sides, numbers, rivers along sides


NUMBER_SIZE: Final = 11
NUMBER_INK: Final = "#1d1710"
_SIDE: Final = 0.9
_STREAM: Final = 4.6
_BLEND: Final = 2.5


def lay(board: Image.Image, base: BaseMap, land: Image.Image, scale: float) -> None:
    """Colour a board with the terrain of its hexes, softly where two terrains meet, and raise hills and peaks on it."""
    for name, kind in base.tile_kinds.items():
        sketch = Sketch((base.width, base.height), scale, "L", 0)
        for tile in base.tiles:
            if tile.kind == name:
                sketch.polygon(tile.outline, 255)
        where = sketch.done().filter(ImageFilter.GaussianBlur(_BLEND * scale))
        board.paste(kind.tone, mask=ImageChops.multiply(where, land))
    rises = Sketch((base.width, base.height), scale)
    for tile in base.tiles:
        for at in _height_spots(tile):
            rise(rises, at, base.tile_kinds[tile.kind].relief, base.tile_kinds[tile.kind].tone)
    drawn = rises.done()
    board.paste(drawn, mask=drawn)


def _height_spots(tile: Tile) -> list[Point]:
    """Return where hills or peaks of a hex stand: by its corners, where neither its number nor its place is."""
    (left, top), (right, _), (east, middle) = tile.outline[:3]
    centre = (left + right) / 2
    reach = (east - centre) * 0.62
    rise = (middle - top) * 0.2
    return [(centre - reach, middle - rise), (centre + reach, middle - rise)]


def rise(sketch: Sketch, at: Point, relief: Relief, tone: str) -> None:
    """Draw a hill or a peak on a ground of some tone; flat ground has none."""
    x, y = at
    shade = mix(tone, canvas.INK, 0.38)
    if relief == "peaks":
        sketch.polygon([(x - 8, y + 6), (x, y - 8), (x + 8, y + 6)], shade)
        sketch.polygon([(x - 8, y + 6), (x, y - 8), (x - 1.5, y + 6)], mix(tone, canvas.PAPER, 0.45))
        sketch.line([(x - 8, y + 6), (x, y - 8), (x + 8, y + 6)], shade, 1.2)
    elif relief == "hills":
        for dx, dy, size in ((-4.0, 1.0, 4.5), (3.5, 3.5, 4.0)):
            bow = [(x + dx + size * t, y + dy - size * (1 - t * t)) for t in (-1, -0.8, -0.5, 0, 0.5, 0.8, 1)]
            sketch.line(bow, shade, 1.2)


def shore(base: BaseMap, scale: float, land: Image.Image, mask: Image.Image) -> Image.Image:
    """Return the coast of lands off the board, of which there is a mask, cut off where the board lies on them."""
    sketch = Sketch((base.width, base.height), scale, "L", 0)
    for outline in base.abroad:
        sketch.line(outline, 255, 1.2, closed=True)
    # Where such lands overlap, or one has the board on it, no coast runs.
    solid = ImageChops.lighter(mask.filter(ImageFilter.MinFilter(2 * max(1, round(scale)) + 1)), land)
    layer = Image.new("RGBA", land.size, (*canvas.rgb(canvas.COAST), 0))
    layer.putalpha(ImageChops.multiply(sketch.done(), ImageChops.invert(solid)))
    return layer


def sides(sketch: Sketch, base: BaseMap) -> None:
    """Draw the sides of hexes, each once."""
    drawn: set[Polyline] = set()
    for tile in base.tiles:
        for a, b in zip(tile.outline, (*tile.outline[1:], tile.outline[0]), strict=True):
            if tuple(sorted((a, b))) not in drawn:
                drawn.add(tuple(sorted((a, b))))
                sketch.line([a, b], (*canvas.rgb(canvas.FRAME), 120), _SIDE)


def streams(sketch: Sketch, base: BaseMap) -> None:
    """Draw the rivers that run along sides."""
    for width, colour in ((_STREAM + 1.8, (*canvas.rgb(canvas.PAPER), 170)), (_STREAM, canvas.rgb(canvas.STREAM))):
        for stream in base.streams:
            sketch.line(stream, colour, width)


def stream(sketch: Sketch, a: Point, b: Point) -> None:
    """Draw a piece of such a river, for the legend."""
    sketch.line([a, b], canvas.STREAM, _STREAM)


def numbers(layer: Image.Image, base: BaseMap, scale: float) -> None:
    """Write the number of each hex below its upper side."""
    size = round(NUMBER_SIZE * scale)
    if size < 1:
        return
    pen = ImageDraw.Draw(layer)
    for tile in base.tiles:
        (left, top), (right, _) = tile.outline[:2]
        at = round((left + right) / 2 * scale), round((top + 2 + NUMBER_SIZE * 0.8) * scale)
        pen.text(at, tile.number, font=face("Regular", size), fill=NUMBER_INK, anchor="ms")


# ---- The printed board: sea, land, heights, rivers, borders and paths. Drawn once and kept


_LAKE_EDGE, _RIVER, _COAST = 1, 1.6, 1.2
"""Widths of the edges of lakes, of rivers and of the coast."""
_PATH_RIM: Final = 3
"""How much wider than a path its light rim is."""
_PATH_RIM_INK: Final = (*canvas.rgb(canvas.PAPER), 150)
_DASH, _DASH_GAP = 7, 5
"""The dashes of a path."""
_PEAK_STEP: Final = 13
"""The distance between the peaks of a path."""
_SHALLOWS_BLUR, _HEIGHTS_BLUR = 9, 3
"""How softly the light water along the coast ends, and hills and mountains."""
_BORDER_INK: Final = 130
_BAND: Final = 48
"""The height of the bands in which a region is tinted, in pixels: so a slanting one needs not half as much mask."""
_BORDER: Final = 1.3
_TILED_BORDER: Final = 3.2
"""Width of the borders of regions; those between hexes must stand out from the sides of all the others."""


Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels."""
Wash: TypeAlias = list[tuple[Image.Image, Box]]
"""How strongly a region is tinted: masks for bands of it, each as wide as it has to be, and where they lie."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A printed board, and where a tint shows on it: between its lines.

    A long-lived process keeps a few of them, so the board has 256 colours: a quarter of the memory of full colour, and
    no eye sees the difference. Do not draw on it: take a part.
    """

    board: Image.Image
    washes: tuple[Wash, ...]
    """How strongly a tint shows in each region, by what the lines leave free."""

    def part(self, box: Box) -> Image.Image:
        """Return a part of the board in full colour."""
        return self.board.crop(box).convert("RGB")


@lru_cache(maxsize=12)
def ground(base: BaseMap, scale: float, cache_folder: File | None) -> Ground:
    """Return the board without anything that changes.

    A cache folder keeps the layers as PNGs from one run of the program to the next.
    """
    board, bare = _drawn_board(base, scale) if cache_folder is None else _kept(base, scale, cache_folder)
    land = land_mask(base, scale)
    return Ground(board, tuple(_wash(base, region.outline, scale, land, bare) for region in base.regions))


def land_mask(base: BaseMap, scale: float) -> Image.Image:
    """Return where the land is."""
    return _mask(base, scale, base.land)


def _wash(base: BaseMap, outline: Polyline, scale: float, land: Image.Image, bare: Image.Image) -> Wash:
    """Return how strongly a region is tinted, most along its border, where there is land and no line."""
    if not outline:
        return []
    left, top = (max(0, int(min(point[axis] for point in outline))) for axis in (0, 1))
    right, bottom = min(max(x for x, _ in outline), base.width), min(max(y for _, y in outline), base.height)
    sketch = Sketch((right - left, bottom - top), scale, "L", 0)
    sketch.polygon([(x - left, y - top) for x, y in outline], 255)
    inside = sketch.done()
    corner = round(left * scale), round(top * scale)
    box = (*corner, corner[0] + inside.width, corner[1] + inside.height)
    inside = ImageChops.multiply(inside, land.crop(box))
    heart = inside.filter(ImageFilter.GaussianBlur(9 * scale)).point(lambda v: max(0, v - 128) * 2)
    tint = ImageChops.multiply(inside, ImageChops.invert(heart).point(lambda v: 42 + round(v * 0.3)))
    tint = ImageChops.multiply(tint, bare.crop(box))
    bands = []
    for y in range(0, tint.height, _BAND):
        band = tint.crop((0, y, tint.width, min(y + _BAND, tint.height)))
        taken = band.getbbox()
        if taken is not None:
            x, down = corner[0], corner[1] + y
            bands.append((band.crop(taken), (taken[0] + x, taken[1] + down, taken[2] + x, taken[3] + down)))
    return bands


def _kept(base: BaseMap, scale: float, folder: File) -> tuple[Image.Image, Image.Image]:
    """Return what `_drawn` does, from the files of an earlier run if they are there."""
    key = sha256(repr((base.digest, scale, _board_digest())).encode()).hexdigest()[:16]
    files = [folder / f"{base.id}-{key}-{layer}.png" for layer in ("board", "bare")]
    try:
        return _open_board(files[0]), _open_board(files[1])
    except (OSError, SyntaxError):  # what Pillow raises where a file is missing or damaged
        drawn = _drawn_board(base, scale)
        for file, layer in zip(files, drawn, strict=True):
            _keep_board(file, layer)
        return drawn


def _drawn_board(base: BaseMap, scale: float) -> tuple[Image.Image, Image.Image]:
    """Return the board, and what its lines leave free."""
    board, lines = _relief(base, scale), _board_lines(base, scale)
    board.paste(lines, mask=lines)
    colours = canvas.palette(printed_colours(base), board, 256, Image.Quantize.MEDIANCUT)
    return board.quantize(palette=colours, dither=Image.Dither.NONE), ImageChops.invert(lines.getchannel("A"))


def printed_colours(base: BaseMap) -> list[canvas.Shade]:
    """Return the colours of a printed board that must not be lost, however few pixels have them."""
    names = [canvas.SEA, canvas.SHALLOWS, canvas.LAND, canvas.COAST, canvas.RIVER, canvas.STREAM, canvas.PAPER]
    return [canvas.rgb(name) for name in dict.fromkeys((*names, *(kind.ink for kind in base.path_kinds.values())))]


def _open_board(file: File) -> Image.Image:
    """Return the picture in a file."""
    with Image.open(file) as kept:
        kept.load()
        return kept.copy()


def _keep_board(file: File, picture: Image.Image) -> None:
    """Keep a picture in a file, if that can be."""
    # Renamed when whole: another process may be drawing, or reading, the same board.
    unfinished = file.with_suffix(f".{os.getpid()}")
    with suppress(OSError):  # a full disk must not keep a letter from being written
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            picture.save(unfinished, "PNG", compress_level=1)
            unfinished.replace(file)
        finally:
            unfinished.unlink(missing_ok=True)


@cache
def _board_digest() -> str:
    """Return what makes a kept board stale besides its map: how we draw, and with what."""
    sources = sorted(File(__file__).parent.glob("*.py"))
    return PIL.__version__ + sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def _mask(base: BaseMap, scale: float, outlines: tuple[Polyline, ...]) -> Image.Image:
    sketch = Sketch((base.width, base.height), scale, "L", 0)
    for outline in outlines:
        sketch.polygon(outline, 255)
    return sketch.done()


def _relief(base: BaseMap, scale: float) -> Image.Image:
    """Return sea and land, lighter water along the coast, softly rising heights."""
    land = land_mask(base, scale)
    board = Image.new("RGB", land.size, canvas.SEA)
    board.paste(
        canvas.SHALLOWS,
        mask=land.filter(ImageFilter.GaussianBlur(_SHALLOWS_BLUR * scale)).point(lambda v: min(255, v * 2)),
    )
    if base.abroad:
        board.paste(canvas.ABROAD, mask=_mask(base, scale, base.abroad))
    board.paste(canvas.LAND, mask=land)
    if base.tiles:
        lay(board, base, land, scale)
    for outlines, tone in ((base.hills, canvas.HILLS), (base.mountains, canvas.MOUNTAINS)):
        height = _mask(base, scale, outlines).filter(ImageFilter.GaussianBlur(_HEIGHTS_BLUR * scale))
        board.paste(tone, mask=ImageChops.multiply(height, land))
    return board


def _board_lines(base: BaseMap, scale: float) -> Image.Image:
    """Return borders, lakes, rivers, the coast, and the paths; names are laid on later."""
    land = land_mask(base, scale)
    layer = _borders(base, scale, land)
    if base.abroad:
        layer.alpha_composite(shore(base, scale, land, _mask(base, scale, base.abroad)))
    sketch = Sketch((base.width, base.height), scale)
    for lake in base.lakes:
        sketch.polygon(lake, canvas.SHALLOWS)
        sketch.line(lake, canvas.RIVER, _LAKE_EDGE, closed=True)
    sides(sketch, base)
    for river in base.rivers:
        sketch.line(river, canvas.RIVER, _RIVER)
    for outline in base.land:
        sketch.line(outline, canvas.COAST, _COAST, closed=True)
    streams(sketch, base)
    for path in base.paths:
        if base.path_kinds[path.kind].stroke == "solid":
            sketch.line(ends(base, path), _PATH_RIM_INK, base.path_kinds[path.kind].width + _PATH_RIM)
    for path in base.paths:
        draw_path(sketch, base, path.kind, *ends(base, path))
    layer.alpha_composite(sketch.done())
    numbers(layer, base, scale)
    return layer


def _borders(base: BaseMap, scale: float, land: Image.Image) -> Image.Image:
    """Return the borders of regions, cut off at the sea."""
    sketch = Sketch((base.width, base.height), scale, "L", 0)
    for region in base.regions:
        sketch.line(region.outline, _BORDER_INK, _TILED_BORDER if base.tiles else _BORDER, closed=True)
    colour = canvas.rgb(canvas.TILED_BORDER if base.tiles else canvas.BORDER)
    layer = Image.new("RGBA", land.size, (*colour, 0))
    layer.putalpha(ImageChops.multiply(sketch.done(), land))
    return layer


def ends(base: BaseMap, path: DrawnPath) -> tuple[Point, Point]:
    """Return where a path starts and ends."""
    a, b = base.places[path.a], base.places[path.b]
    return (a.x, a.y), (b.x, b.y)


def draw_path(sketch: Sketch, base: BaseMap, kind_name: str, a: Point, b: Point) -> None:
    """Draw a path of a kind from one point to another, with its peaks half-way."""
    kind = base.path_kinds[kind_name]
    if kind.stroke == "dashed":
        sketch.dashes([a, b], kind.ink, kind.width, _DASH, _DASH_GAP)
    else:
        sketch.line([a, b], kind.ink, kind.width)
    if not kind.peaks:
        return
    (ax, ay), (bx, by) = a, b
    length = hypot(bx - ax, by - ay)
    for n in range(kind.peaks):
        along = (n - (kind.peaks - 1) / 2) * _PEAK_STEP
        x, y = (ax + bx) / 2 + (bx - ax) / length * along, (ay + by) / 2 + (by - ay) / length * along
        sketch.polygon([(x - 9.5, y + 6.5), (x, y - 10.5), (x + 9.5, y + 6.5)], canvas.PAPER)
        sketch.polygon([(x - 7.5, y + 5.3), (x, y - 8), (x + 7.5, y + 5.3)], kind.ink)
        snow = [(x - 2.2, y - 4.1), (x, y - 8), (x + 2.2, y - 4.1), (x + 0.6, y - 2.6), (x - 0.8, y - 3.6)]
        sketch.polygon(snow, canvas.PAPER)
