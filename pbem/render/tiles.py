"""Hexes as they are printed: their ground with what rises on it, thin sides, numbers, rivers along sides."""

from __future__ import annotations

from typing import Final

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from pbem.game.board_map import BaseMap, Point, Polyline, Relief, Tile
from pbem.render import canvas
from pbem.render.canvas import Sketch, mix
from pbem.render.typefaces import face

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
        for at in _stands(tile):
            rise(rises, at, base.tile_kinds[tile.kind].relief, base.tile_kinds[tile.kind].tone)
    drawn = rises.done()
    board.paste(drawn, mask=drawn)


def _stands(tile: Tile) -> list[Point]:
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
