"""The placement of pieces: near their places, off the names and lines that a reader needs, never on one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from math import hypot, inf
from typing import Final, NamedTuple, TypeAlias

from PIL import Image, ImageDraw

from pbem.game.board_map import BaseMap, Point
from pbem.render.base_map import ends
from pbem.render.canvas import Bounds
from pbem.render.places import inscription_box, label_box, region_box, shape_box

_CELL: Final = 4
_SHAPE, _NAME, _LETTERS, _PATH, _OPEN = 220, 70, 12, 7, 1
"""What it costs to hide a cell of the board, by what is printed there."""
_RINGS: Final = (0, 9, 20, 34, 52, 75)
_TILED_SHAPE, _TILED_NAME = 255, 22
"""Among hexes a place is never far from the next: it is worse to be taken for that one's piece than to hide a name."""
_FAR: Final = 26
"""What it costs to lie one pixel away from the place, in the same coin."""
_TILED_FAR: Final = 60
_LINE: Final = 3
"""How many times as bad it is to strike something out with a line as to hide that much of it."""
_OVERLAP, _DOORSTEP, _STRUCK = 20_000, 800, 1_500
"""What it costs to lie on another piece, at the door of another piece's place, or on the line to another piece."""
_DOOR: Final = 12
_ROUNDS: Final = 3
_GAP: Final = 2
_FARTHEST: Final = _RINGS[-1] + _GAP

Segment: TypeAlias = tuple[Point, Point]


class Placement(NamedTuple):
    """A box for a piece, what it costs by what it hides of the board, and the line that joins it to its place."""

    cost: float
    box: Bounds
    line: Segment


def placements(base: BaseMap, pieces: Sequence[tuple[str, int, int]], taken: Sequence[Bounds] = ()) -> list[Bounds]:
    """Return a box for each piece (its place, width and height), in pixels of the base map.

    Boxes do not overlap one another nor those `taken`, unless there is no room at all.
    """
    choices = [_choices(base, *piece) for piece in pieces]
    shapes = [shape_box(base, base.places[place]) for place, _, _ in pieces]
    reaches = [
        _grown(shape, piece[1] + _FARTHEST, piece[2] + _FARTHEST) for shape, piece in zip(shapes, pieces, strict=True)
    ]
    doors = [_grown(shape, _DOOR, _DOOR) for shape in shapes]
    found: dict[int, Placement] = {}
    # Those that have the least room to choose from choose first; then all may think again, knowing the others.
    order = sorted(range(len(pieces)), key=lambda n: (-choices[n][0].cost, n))
    for _ in range(_ROUNDS):
        before = dict(found)
        for n in order:
            near = [
                placement for other, placement in found.items() if other != n and _meet(_around(placement), reaches[n])
            ]
            crowd = [placement.box for placement in near] + [box for box in taken if _meet(box, reaches[n])]
            strange = [
                door
                for door, shape in zip(doors, shapes, strict=True)
                if shape != shapes[n] and _meet(door, reaches[n])
            ]
            found[n] = _best(choices[n], crowd, strange, [placement.line for placement in near])
        if found == before:
            break
    return [found[n].box for n in range(len(pieces))]


def _best(choices: list[Placement], crowd: list[Bounds], doors: list[Bounds], lines: list[Segment]) -> Placement:
    """Return the cheapest placement, given where the other pieces and the lines to them lie."""
    best, least = choices[0], inf
    for placement in choices:
        cost, box, line = placement
        if cost >= least:
            break
        for other in crowd:
            if _meet(box, other):
                cost += _OVERLAP + overlap(box, other)
            elif _strikes(line, other):
                cost += _STRUCK
        if cost >= least:
            continue
        cost += sum(_DOORSTEP for door in doors if _meet(box, door))
        cost += sum(_STRUCK for other_line in lines if _strikes(other_line, box))
        if cost < least:
            best, least = placement, cost
    return best


def _meet(one: Bounds, other: Bounds) -> bool:
    """Tell whether two boxes share any ground."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _strikes(line: Segment, box: Bounds) -> bool:
    """Tell whether a line runs through a box."""
    (ax, ay), (bx, by) = line
    left, top, right, bottom = box
    if (ax <= left and bx <= left) or (ax >= right and bx >= right):
        return False
    if (ay <= top and by <= top) or (ay >= bottom and by >= bottom):
        return False
    steps = int(hypot(bx - ax, by - ay)) // 3 + 1
    return any(
        left < ax + (bx - ax) * n / steps < right and top < ay + (by - ay) * n / steps < bottom
        for n in range(steps + 1)
    )


def _grown(box: Bounds, across: float, down: float) -> Bounds:
    return box[0] - across, box[1] - down, box[2] + across, box[3] + down


def _around(placement: Placement) -> Bounds:
    """Return the box round a piece and the line that joins it to its place."""
    (x, y), box = placement.line[0], placement.box
    return min(box[0], x), min(box[1], y), max(box[2], x), max(box[3], y)


def overlap(one: Bounds, other: Bounds) -> float:
    """Return the area that two boxes share."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    if across <= 0:
        return 0
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if down > 0 else 0


@lru_cache(maxsize=4096)
def _choices(base: BaseMap, place: str, width: int, height: int) -> list[Placement]:
    """Return all placements round a place, cheapest first."""
    shape = shape_box(base, base.places[place])
    found = []
    far = _TILED_FAR if base.tiles else _FAR
    placements = _round(shape, width, height)
    if _open(base, place):
        x, y = base.places[place].x, base.places[place].y
        placements = chain(
            [(-1, _box(x - width / 2, y - height / 2, width, height))], placements
        )  # nearer than beside it
    for away, box in placements:
        if box[0] >= 0 and box[1] >= 0 and box[2] <= base.width and box[3] <= base.height:
            line = lead(shape, box)
            found.append(Placement(_hidden(base, box) + away * far + _crossed(base, line), box, line))
    return sorted(found)


def _open(base: BaseMap, place: str) -> bool:
    """Tell whether a place has nothing printed on it, so that a piece may lie right there."""
    return base.place_kinds[base.places[place].kind].form == "open"


def _round(shape: Bounds, width: int, height: int) -> Iterator[tuple[float, Bounds]]:
    """Yield boxes round a shape, ring after ring, with how far away each is; above the shape counts as nearest."""
    left, top, right, bottom = shape
    middle, level = (left + right) / 2, (top + bottom) / 2
    for ring in _RINGS:
        gap = _GAP + ring
        for x in (middle - width / 2, middle - width * 0.25, middle - width * 0.75, left, right - width):
            yield ring, _box(x, top - gap - height, width, height)
            yield ring + 2, _box(x, bottom + gap, width, height)
        for y in (level - height / 2, level - height * 0.2, level - height * 0.8):
            yield ring + 1, _box(right + gap, y, width, height)
            yield ring + 1, _box(left - gap - width, y, width, height)
        for x in (right + gap * 0.7, left - gap * 0.7 - width):
            yield ring + 2, _box(x, top - gap * 0.7 - height, width, height)
            yield ring + 2, _box(x, bottom + gap * 0.7, width, height)


def _box(x: float, y: float, width: int, height: int) -> Bounds:
    left, top = round(x), round(y)
    return left, top, left + width, top + height


def _hidden(base: BaseMap, box: Bounds) -> float:
    """Return the cost of what a box hides."""
    sums = _clutter(base)
    left, top = int(box[0]) // _CELL, int(box[1]) // _CELL
    right, bottom = -(-int(box[2]) // _CELL), -(-int(box[3]) // _CELL)
    return sums[bottom][right] - sums[top][right] - sums[bottom][left] + sums[top][left]


def _crossed(base: BaseMap, line: Segment) -> float:
    """Return the cost of what the line from a place to its piece crosses."""
    (ax, ay), (bx, by) = line
    steps = int(hypot(bx - ax, by - ay)) // _CELL
    points = ((ax + (bx - ax) * n / steps, ay + (by - ay) * n / steps) for n in range(1, steps))
    return _LINE * sum(_hidden(base, (x - 2, y - 2, x + 2, y + 2)) for x, y in points)


def lead(shape: Bounds, box: Bounds) -> Segment:
    """Return the line that joins a place and its piece: from the edge of the shape to just inside the piece."""
    x, y = (shape[0] + shape[2]) / 2, (shape[1] + shape[3]) / 2
    to_x, to_y = min(max(x, box[0] + 6), box[2] - 6), min(max(y, box[1] + 6), box[3] - 6)
    length = hypot(to_x - x, to_y - y) or 1
    part = min(1, ((shape[2] - shape[0]) / 2 + 1) / length)
    return (x + (to_x - x) * part, y + (to_y - y) * part), (to_x, to_y)


@lru_cache(maxsize=8)
def _clutter(base: BaseMap) -> list[list[int]]:
    """Return, for each cell, the cost of all that is printed above and to the left of it."""
    grid = Image.new("L", (-(-base.width // _CELL), -(-base.height // _CELL)), _OPEN)
    pen = ImageDraw.Draw(grid)
    for box in (*map(inscription_box, base.inscriptions), *map(region_box, base.regions)):
        pen.rectangle(_cells(box), fill=_LETTERS)
    for path in base.paths:
        (ax, ay), (bx, by) = ends(base, path)
        pen.line([ax / _CELL, ay / _CELL, bx / _CELL, by / _CELL], fill=_PATH, width=2)
    for place in base.places.values():
        if _open(base, place.id):
            continue
        pen.rectangle(_cells(label_box(base, place)), fill=_TILED_NAME if base.tiles else _NAME)
        pen.rectangle(_cells(shape_box(base, place)), fill=_TILED_SHAPE if base.tiles else _SHAPE)
    sums = [[0] * (grid.width + 1)]
    pixels = grid.tobytes()
    for start in range(0, len(pixels), grid.width):
        row = [0, *accumulate(pixels[start : start + grid.width])]
        sums.append([above + here for above, here in zip(sums[-1], row, strict=True)])
    return sums


def _cells(box: Bounds) -> Bounds:
    left, top, right, bottom = box
    return left // _CELL, top // _CELL, right // _CELL, bottom // _CELL
