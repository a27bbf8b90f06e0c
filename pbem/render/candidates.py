"""The candidates of a piece: the boxes round its place, ring after ring, and what each hides of the printed board."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import hypot, inf
from operator import add
from typing import Final, NamedTuple, TypeAlias

from PIL import Image, ImageDraw

from pbem.game.board_map import BaseMap, Point
from pbem.render.base_map import ends
from pbem.render.boxes import grown, inside, meeting
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
_GAP: Final = 2
_NEARER: Final = 1.3
"""A piece is joined to its place by a line if another place is nearer than this many times its own distance."""
_NEAR: Final = 11
"""A piece that lies farther from the shape of its place than this is joined to it in any case."""

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


class Lead(NamedTuple):
    """The line that joins a piece to its place, and what it costs: nothing if none has to be drawn."""

    cost: float
    line: Segment
    around: Bounds
    """The box round the piece and the line."""


@dataclass(slots=True, eq=False)
class Candidate:
    """A box for a piece, and what it costs by what it hides of the board and how far away it is."""

    cost: float
    box: Bounds
    lead: Lead | None = None
    """What is known of its line: that takes long to find out, and most boxes are never asked for theirs."""


def anchor_of(base: BaseMap, place: str) -> Anchor:
    """Return a place as what pieces belong to."""
    spot = base.places[place]
    kind = base.place_kinds[spot.kind]
    return Anchor(spot.x, spot.y, kind.size / 2, kind.form == "open")


class Candidates:
    """The boxes that a piece may take within some bounds, ring after ring; a `free` one belongs to no place."""

    def __init__(self, base: BaseMap, anchor: Anchor, width: int, height: int, free: bool, room: Bounds) -> None:
        self._base, self._anchor, self._free = base, anchor, free
        self._size = width, height
        self._room = room
        self._far = _far(base, free)
        self.least = self._least()

    def __iter__(self) -> Iterator[tuple[float, list[Candidate]]]:
        """Yield what a ring costs at least, and its boxes, cheapest first."""
        any_yet = False
        least = (self._size[0] // _CELL) * (self._size[1] // _CELL) * _OPEN
        for n, ring in enumerate(_RINGS):
            found = self._ring(n)
            any_yet = any_yet or bool(found)
            yield ring * self._far + least, found
        if not any_yet:
            yield 0, [self._anywhere()]

    def lead(self, candidate: Candidate) -> Lead:
        """Return the line of a candidate."""
        if candidate.lead is None:
            line = lead(self._anchor.box, candidate.box)
            cost = 0.0
            if not self._free and needs_line(self._base, self._anchor, candidate.box):
                cost = _STRANGE + _crossed(_clutter(self._base), line)
            candidate.lead = Lead(cost, line, _around(line, candidate.box))
        return candidate.lead

    def _least(self) -> float:
        """Return what the cheapest box beside the place costs."""
        least = inf
        for candidate in self._ring(0):
            if candidate.cost >= least:
                break
            least = min(least, candidate.cost + self.lead(candidate).cost)
        return least

    def _ring(self, n: int) -> list[Candidate]:
        found = _ring(self._base, self._anchor, *self._size, self._free, n)
        if inside(_reach(self._anchor, *self._size, n), self._room):
            return found
        return [each for each in found if inside(each.box, self._room)]

    def _anywhere(self) -> Candidate:
        """Return the box nearest to the place that lies within the bounds."""
        anchor, (width, height) = self._anchor, self._size
        left = round(max(min(anchor.x - width / 2, self._room[2] - width), self._room[0]))
        top = round(max(min(anchor.y - anchor.half - height, self._room[3] - height), self._room[1]))
        return Candidate(0, (left, top, left + width, top + height))


def lead(shape: Bounds, box: Bounds) -> Segment:
    """Return the line that joins a place and its piece: from the edge of the shape to just inside the piece."""
    x, y = (shape[0] + shape[2]) / 2, (shape[1] + shape[3]) / 2
    to_x, to_y = min(max(x, box[0] + 6), box[2] - 6), min(max(y, box[1] + 6), box[3] - 6)
    length = hypot(to_x - x, to_y - y) or 1
    part = min(1, ((shape[2] - shape[0]) / 2 + 1) / length)
    return (x + (to_x - x) * part, y + (to_y - y) * part), (to_x, to_y)


def needs_line(base: BaseMap, anchor: Anchor, box: Bounds) -> bool:
    """Tell whether a line has to join a piece to its place: another is nearer than 1.3 times its own distance."""
    own = _away(anchor.x, anchor.y, box)
    if own and hypot(*_gap(anchor.box, box)) > _NEAR:
        return True
    reach = max(own * _NEARER, 0.5)
    left, top, right, bottom = grown(box, reach, reach)
    near = [at for at in _middles(base) if left < at[0] < right and top < at[1] < bottom]
    return any(_away(x, y, box) < reach for x, y in near if (x, y) != (anchor.x, anchor.y))


def _around(line: Segment, box: Bounds) -> Bounds:
    """Return the box round a piece and the line that joins it to its place."""
    x, y = line[0]
    return min(box[0], x), min(box[1], y), max(box[2], x), max(box[3], y)


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
def _ring(base: BaseMap, anchor: Anchor, width: int, height: int, free: bool, n: int) -> list[Candidate]:
    """Return the boxes for a piece in one ring round its place, cheapest first."""
    far, sums = _far(base, free), _clutter(base)
    near = [shape for shape in meeting(_reach(anchor, width, height, n), _shapes(base)) if shape != anchor.box]
    corners = list(_round(anchor.box, width, height, _RINGS[n]))
    if n == 0 and anchor.open:  # nearer than beside it
        corners.append((-1, anchor.x - width / 2, anchor.y - height / 2))
    found = []
    for away, x, y in corners:
        left, top = round(x), round(y)
        right, bottom = left + width, top + height
        if left >= 0 and top >= 0 and right <= base.width and bottom <= base.height:
            box = left, top, right, bottom
            cost = _hidden(sums, *box) + away * far
            found.append((cost + _COVERED * len(meeting(box, near)) if near else cost, box))
    return [Candidate(*each) for each in sorted(found)]


def _far(base: BaseMap, free: bool) -> int:
    """Return what it costs to lie one pixel away."""
    return (_TILED_FAR if base.tiles else _FAR) * (2 if free else 1)


def _reach(anchor: Anchor, width: int, height: int, n: int) -> Bounds:
    """Return the box round all boxes of a ring."""
    away = _RINGS[n] + _GAP + 1
    return grown(anchor.box, away + width, away + height)


def _round(shape: Bounds, width: int, height: int, ring: int) -> Iterator[tuple[float, float, float]]:
    """Yield the top left corners of boxes in a ring round a shape, after how far each is; above is nearest."""
    left, top, right, bottom = shape
    middle, level = (left + right) / 2, (top + bottom) / 2
    gap = _GAP + ring
    for x in (middle - width / 2, middle - width * 0.25, middle - width * 0.75, left, right - width):
        yield ring, x, top - gap - height
        yield ring + 2, x, bottom + gap
    for y in (level - height / 2, level - height * 0.2, level - height * 0.8):
        yield ring + 1, right + gap, y
        yield ring + 1, left - gap - width, y
    for x in (right + gap * 0.7, left - gap * 0.7 - width):
        yield ring + 2, x, top - gap * 0.7 - height
        yield ring + 2, x, bottom + gap * 0.7


def _hidden(sums: list[array[int]], left: int, top: int, right: int, bottom: int) -> int:
    """Return the cost of what a box hides."""
    above, below = sums[top // _CELL], sums[-(-bottom // _CELL)]
    left, right = left // _CELL, -(-right // _CELL)
    return below[right] - above[right] - below[left] + above[left]


def _crossed(sums: list[array[int]], line: Segment) -> float:
    """Return the cost of what the line from a place to its piece crosses."""
    (ax, ay), (bx, by) = line
    steps = int(hypot(bx - ax, by - ay)) // (2 * _CELL)
    points = [(ax + (bx - ax) * n / steps, ay + (by - ay) * n / steps) for n in range(1, steps)]
    return 2 * _LINE * sum(_hidden(sums, int(x - 2), int(y - 2), int(x + 2), int(y + 2)) for x, y in points)


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
