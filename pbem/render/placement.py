"""The placement of pieces: near their places, off the names and lines that a reader needs, never on one another."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import hypot, inf
from operator import add
from typing import Final, NamedTuple, TypeAlias

from PIL import Image, ImageDraw

from pbem.game.board_map import BaseMap, Point
from pbem.render.base_map import ends
from pbem.render.canvas import Bounds
from pbem.render.places import inscription_box, label_box, region_box, shape_box

_CELL: Final = 4
_SHAPE, _NAME, _LETTERS, _PATH, _OPEN = 255, 36, 14, 5, 1
"""What it costs to hide a cell of the board, by what is printed there."""
_RINGS: Final = (0, 9, 20, 34, 52, 75, 102, 135, 175, 225)
_FAR: Final = 22
"""What it costs to lie one pixel away from the place, in the same coin."""
_TILED_FAR: Final = 34
_STRANGE: Final = 500
"""What it costs to lie so near to another place that only a line shows which one is meant."""
_COVERED: Final = 5_000
"""What it costs to hide a part of another place, beside what is printed there."""
_LINE: Final = 3
"""How many times as bad it is to strike something out with a line as to hide that much of it."""
_OVERLAP, _DOORSTEP, _STRUCK = 20_000, 1_500, 1_500
"""What it costs to lie on another piece, at the door of another piece's place or on a name that has no other room, or
on the line to another piece."""
_DOOR: Final = 12
_ROUNDS: Final = 3
_GAP: Final = 2
_FARTHEST: Final = 110
"""How far from its place a piece is thought to lie when those that are in each other's way are looked for."""
_NEARER: Final = 1.3
"""A piece is joined to its place by a line if another place is nearer than this many times its own distance."""
_NEAR: Final = 11
"""A piece that lies farther from the shape of its place than this is joined to it in any case."""
_SIZES: Final = 6
"""Room for pieces comes in steps of so many pixels, so that the same choices serve many of them."""

Segment: TypeAlias = tuple[Point, Point]


class Anchor(NamedTuple):
    """What a piece belongs to: a place, or the middle of an arrow; a piece may lie right on an `open` one."""

    x: float
    y: float
    half: float
    open: bool = False

    @property
    def box(self) -> Bounds:
        return self.x - self.half, self.y - self.half, self.x + self.half, self.y + self.half


class Placement(NamedTuple):
    """A box for a piece, what it costs by what it hides of the board, and the line that joins it to its place."""

    cost: float
    box: Bounds
    line: Segment
    around: Bounds
    """The box round both."""


class Wish(NamedTuple):
    """A piece that wants room: what it belongs to, its width and height; a `free` one belongs to no place."""

    anchor: Anchor
    width: int
    height: int
    free: bool = False


def anchor_of(base: BaseMap, place: str) -> Anchor:
    """Return a place as what pieces belong to."""
    spot = base.places[place]
    kind = base.place_kinds[spot.kind]
    return Anchor(spot.x, spot.y, kind.size / 2, kind.form == "open")


def placements(
    base: BaseMap,
    wishes: Sequence[Wish],
    taken: Sequence[Bounds] = (),
    bounds: Bounds | None = None,
    spared: Sequence[Bounds] = (),
) -> list[Bounds]:
    """Return a box for each piece, in pixels of the base map, within `bounds` (by default on the board).

    Boxes do not overlap one another nor those `taken`, unless there is no room at all, and rather not those `spared`.
    """
    room = bounds or (0, 0, base.width, base.height)
    sizes = [(-(-wish.width // _SIZES) * _SIZES, -(-wish.height // _SIZES) * _SIZES) for wish in wishes]
    choices = [_Choices(base, wish.anchor, *size, wish.free, room) for wish, size in zip(wishes, sizes, strict=True)]
    shapes = [wish.anchor.box for wish in wishes]
    reaches = [
        _grown(shape, size[0] + _FARTHEST, size[1] + _FARTHEST) for shape, size in zip(shapes, sizes, strict=True)
    ]
    doors = [_grown(shape, _DOOR, _DOOR) for shape in shapes]
    found: dict[int, Placement] = {}
    # Those that have the least room to choose from choose first; then all may think again, knowing the others.
    order = sorted(range(len(wishes)), key=lambda n: (-choices[n].least, n))
    for _ in range(_ROUNDS):
        before = dict(found)
        for n in order:
            left, top, right, bottom = reaches[n]
            near = [
                each
                for other, each in found.items()
                if each.around[0] < right
                and left < each.around[2]
                and each.around[1] < bottom
                and top < each.around[3]
                and other != n
            ]
            crowd = [placement.box for placement in near] + [box for box in taken if meet(box, reaches[n])]
            strange = [
                door for door, shape in zip(doors, shapes, strict=True) if shape != shapes[n] and meet(door, reaches[n])
            ]
            strange += [box for box in spared if meet(box, reaches[n])]
            found[n] = _best(choices[n], crowd, strange, [placement.line for placement in near])
        if found == before:
            break
    return [_trimmed(found[n].box, wish) for n, wish in enumerate(wishes)]


def _trimmed(box: Bounds, wish: Wish) -> Bounds:
    """Return the part of a box that a piece takes: that which is nearest to its place."""
    left = min(max(wish.anchor.x - wish.width / 2, box[0]), box[2] - wish.width)
    top = min(max(wish.anchor.y - wish.height / 2, box[1]), box[3] - wish.height)
    left, top = round(left), round(top)
    return left, top, left + wish.width, top + wish.height


class _Choices:
    """The placements of a piece within some bounds, ring after ring."""

    def __init__(self, base: BaseMap, anchor: Anchor, width: int, height: int, free: bool, room: Bounds) -> None:
        self._what = base, anchor, width, height, free
        self._room = room
        self._whole = room == (0, 0, base.width, base.height)
        self._far = _TILED_FAR if base.tiles else _FAR
        first = self._ring(0)
        self.least = first[0].cost if first else inf

    def __iter__(self) -> Iterator[tuple[float, list[Placement]]]:
        """Yield what a ring costs at least, and its placements, cheapest first."""
        any_yet = False
        for n, ring in enumerate(_RINGS):
            found = self._ring(n)
            any_yet = any_yet or bool(found)
            yield ring * self._far, found
        if not any_yet:
            yield 0, [self._anywhere()]

    def _ring(self, n: int) -> list[Placement]:
        found = _ring(*self._what, n)
        if self._whole:
            return found
        left, top, right, bottom = self._room
        return [
            each
            for each in found
            if each.box[0] >= left and each.box[1] >= top and each.box[2] <= right and each.box[3] <= bottom
        ]

    def _anywhere(self) -> Placement:
        """Return the box nearest to the place that lies within the bounds."""
        _, anchor, width, height, _ = self._what
        left = max(min(anchor.x - width / 2, self._room[2] - width), self._room[0])
        top = max(min(anchor.y - anchor.half - height, self._room[3] - height), self._room[1])
        box = _box(left, top, width, height)
        line = lead(anchor.box, box)
        return Placement(0, box, line, _around(line, box))


def _best(choices: _Choices, crowd: list[Bounds], doors: list[Bounds], lines: list[Segment]) -> Placement:
    """Return the cheapest placement, given where the other pieces and the lines to them lie."""
    best, least = None, inf
    for floor, ring in choices:
        if floor >= least:
            break
        for placement in ring:
            cost, box, line, around = placement
            if cost >= least and best is not None:
                break
            left, top, right, bottom = around
            for other in crowd:
                if other[0] < right and left < other[2] and other[1] < bottom and top < other[3]:
                    if meet(box, other):
                        cost += _OVERLAP + overlap(box, other)
                    elif _strikes(line, other):
                        cost += _STRUCK
            if cost >= least and best is not None:
                continue
            cost += sum(_DOORSTEP for door in doors if meet(box, door))
            cost += sum(_STRUCK for other_line in lines if _strikes(other_line, box))
            if cost < least or best is None:
                best, least = placement, cost
    assert best is not None
    return best


def meet(one: Bounds, other: Bounds) -> bool:
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


def _around(line: Segment, box: Bounds) -> Bounds:
    """Return the box round a piece and the line that joins it to its place."""
    x, y = line[0]
    return min(box[0], x), min(box[1], y), max(box[2], x), max(box[3], y)


def overlap(one: Bounds, other: Bounds) -> float:
    """Return the area that two boxes share."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    if across <= 0:
        return 0
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if down > 0 else 0


def needs_line(base: BaseMap, anchor: Anchor, box: Bounds) -> bool:
    """Tell whether a line has to join a piece to its place: another is nearer than 1.3 times its own distance."""
    own = _away(anchor.x, anchor.y, box)
    if own and hypot(*_gap(anchor.box, box)) > _NEAR:
        return True
    reach = max(own * _NEARER, 0.5)
    left, top, right, bottom = _grown(box, reach, reach)
    return any(
        _away(x, y, box) < reach
        for x, y in _middles(base)
        if left < x < right and top < y < bottom and (x, y) != (anchor.x, anchor.y)
    )


@lru_cache(maxsize=16)
def _shapes(base: BaseMap) -> list[Bounds]:
    """Return the boxes of all places that have something printed on them."""
    anchors = (anchor_of(base, place) for place in base.places)
    return [anchor.box for anchor in anchors if not anchor.open]


@lru_cache(maxsize=16)
def _middles(base: BaseMap) -> list[Point]:
    return [(place.x, place.y) for place in base.places.values()]


def _away(x: float, y: float, box: Bounds) -> float:
    """Return how far a point is from a box."""
    return hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3]))


def _gap(one: Bounds, other: Bounds) -> tuple[float, float]:
    """Return how far two boxes are apart, across and down."""
    return max(other[0] - one[2], one[0] - other[2], 0), max(other[1] - one[3], one[1] - other[3], 0)


@lru_cache(maxsize=512)
def _ring(base: BaseMap, anchor: Anchor, width: int, height: int, free: bool, n: int) -> list[Placement]:
    """Return the placements of a piece in one ring round its place, cheapest first."""
    far = (_TILED_FAR if base.tiles else _FAR) * (2 if free else 1)
    found = []
    reach = _grown(anchor.box, _RINGS[n] + _GAP + width, _RINGS[n] + _GAP + height)
    near = [shape for shape in _shapes(base) if meet(shape, reach) and shape != anchor.box]
    boxes = list(_round(anchor.box, width, height, _RINGS[n]))
    if n == 0 and anchor.open:  # nearer than beside it
        boxes.append((-1, _box(anchor.x - width / 2, anchor.y - height / 2, width, height)))
    for away, box in boxes:
        if box[0] >= 0 and box[1] >= 0 and box[2] <= base.width and box[3] <= base.height:
            line = lead(anchor.box, box)
            cost = _hidden(base, box) + away * far
            if not free and needs_line(base, anchor, box):
                cost += _STRANGE + _crossed(base, line)
            cost += _COVERED * sum(meet(shape, box) for shape in near)
            found.append(Placement(cost, box, line, _around(line, box)))
    return sorted(found)


def _round(shape: Bounds, width: int, height: int, ring: int) -> Iterator[tuple[float, Bounds]]:
    """Yield boxes in a ring round a shape, with how far away each is; above the shape counts as nearest."""
    left, top, right, bottom = shape
    middle, level = (left + right) / 2, (top + bottom) / 2
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
    steps = int(hypot(bx - ax, by - ay)) // (2 * _CELL)
    points = ((ax + (bx - ax) * n / steps, ay + (by - ay) * n / steps) for n in range(1, steps))
    return 2 * _LINE * sum(_hidden(base, (x - 2, y - 2, x + 2, y + 2)) for x, y in points)


def lead(shape: Bounds, box: Bounds) -> Segment:
    """Return the line that joins a place and its piece: from the edge of the shape to just inside the piece."""
    x, y = (shape[0] + shape[2]) / 2, (shape[1] + shape[3]) / 2
    to_x, to_y = min(max(x, box[0] + 6), box[2] - 6), min(max(y, box[1] + 6), box[3] - 6)
    length = hypot(to_x - x, to_y - y) or 1
    part = min(1, ((shape[2] - shape[0]) / 2 + 1) / length)
    return (x + (to_x - x) * part, y + (to_y - y) * part), (to_x, to_y)


@lru_cache(maxsize=8)
def _clutter(base: BaseMap) -> list[array[int]]:
    """Return, for each cell, the cost of all that is printed above and to the left of it: 100,000 numbers."""
    grid = Image.new("L", (-(-base.width // _CELL), -(-base.height // _CELL)), _OPEN)
    pen = ImageDraw.Draw(grid)
    for box in (*map(inscription_box, base.inscriptions), *map(region_box, base.regions)):
        pen.rectangle(_cells(box), fill=_LETTERS)
    for path in base.paths:
        (ax, ay), (bx, by) = ends(base, path)
        pen.line([ax / _CELL, ay / _CELL, bx / _CELL, by / _CELL], fill=_PATH, width=2)
    named = [place for place in base.places.values() if not anchor_of(base, place.id).open]
    for place in named:
        pen.rectangle(_cells(label_box(base, place)), fill=_NAME)
    for place in named:
        pen.rectangle(_cells(shape_box(base, place)), fill=_SHAPE)
    sums = [array("i", [0] * (grid.width + 1))]
    pixels = grid.tobytes()
    for start in range(0, len(pixels), grid.width):
        row = [0, *accumulate(pixels[start : start + grid.width])]
        sums.append(array("i", map(add, sums[-1], row)))
    return sums


def _cells(box: Bounds) -> Bounds:
    left, top, right, bottom = box
    return left // _CELL, top // _CELL, right // _CELL, bottom // _CELL
