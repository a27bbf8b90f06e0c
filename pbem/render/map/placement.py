"""The placement of pieces: near their places, off the names and lines that a reader needs, never on one another."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import hypot, inf
from operator import add
from typing import Final, NamedTuple, TypeAlias

from PIL import Image, ImageDraw

from pbem.game.board.board_map import BaseMap, Point
from pbem.render.map.base_map import ends
from pbem.render.map.canvas import Bounds, grown, inside, meeting, overlap
from pbem.render.map.places import inscription_box, label_box, region_box, shape_box

# ---- The candidates of a piece: the boxes round its place, ring after ring, and what each hides of the printed board


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
        self._far = _cost_of_distance(base, free)
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
            candidate.lead = Lead(cost, line, _piece_box(line, candidate.box))
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
    own = _distance_to(anchor.x, anchor.y, box)
    if own and hypot(*_gap_between(anchor.box, box)) > _NEAR:
        return True
    reach = max(own * _NEARER, 0.5)
    left, top, right, bottom = grown(box, reach, reach)
    near = [at for at in _middles(base) if left < at[0] < right and top < at[1] < bottom]
    return any(_distance_to(x, y, box) < reach for x, y in near if (x, y) != (anchor.x, anchor.y))


def _piece_box(line: Segment, box: Bounds) -> Bounds:
    """Return the box round a piece and the line that joins it to its place."""
    x, y = line[0]
    return min(box[0], x), min(box[1], y), max(box[2], x), max(box[3], y)


@lru_cache(maxsize=16)
def _printed_boxes(base: BaseMap) -> list[Bounds]:
    """Return the boxes of all places that have something printed on them."""
    anchors = (anchor_of(base, place) for place in base.places)
    return [anchor.box for anchor in anchors if not anchor.open]


@lru_cache(maxsize=16)
def _middles(base: BaseMap) -> list[Point]:
    return [(place.x, place.y) for place in base.places.values()]


def _distance_to(x: float, y: float, box: Bounds) -> float:
    """Return how far a point is from a box."""
    return hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3]))


def _gap_between(one: Bounds, other: Bounds) -> tuple[float, float]:
    """Return how far two boxes are apart, across and down."""
    return max(other[0] - one[2], one[0] - other[2], 0), max(other[1] - one[3], one[1] - other[3], 0)


@lru_cache(maxsize=512)
def _ring(base: BaseMap, anchor: Anchor, width: int, height: int, free: bool, n: int) -> list[Candidate]:
    """Return the boxes for a piece in one ring round its place, cheapest first."""
    far, sums = _cost_of_distance(base, free), _clutter(base)
    near = [shape for shape in meeting(_reach(anchor, width, height, n), _printed_boxes(base)) if shape != anchor.box]
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


def _cost_of_distance(base: BaseMap, free: bool) -> int:
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


# ---- The placement of pieces: near their places, off the names and lines that a reader needs, never on one another


_OVERLAP, _DOORSTEP, _STRUCK = 20_000, 1_500, 1_500
"""What it costs to lie on another piece, at the door of another piece's place or on a name that has no other room, or
on the line to another piece."""
_DOOR: Final = 12
_ROUNDS: Final = 3
_FARTHEST: Final = 110
"""How far from its place a piece is thought to lie when those that are in each other's way are looked for."""
_SIZES: Final = 6
"""Room for pieces comes in steps of so many pixels, so that the same candidates serve many of them."""


class Wish(NamedTuple):
    """A piece that wants room: what it belongs to, its width and height; a `free` one belongs to no place."""

    anchor: Anchor
    width: int
    height: int
    free: bool = False


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
    candidates = [
        Candidates(base, wish.anchor, *size, wish.free, room) for wish, size in zip(wishes, sizes, strict=True)
    ]
    shapes = [wish.anchor.box for wish in wishes]
    reaches = [
        grown(shape, size[0] + _FARTHEST, size[1] + _FARTHEST) for shape, size in zip(shapes, sizes, strict=True)
    ]
    doors = [grown(shape, _DOOR, _DOOR) for shape in shapes]
    strange = [
        [each for each in meeting(reach, doors) if each != own] + meeting(reach, spared)
        for reach, own in zip(reaches, doors, strict=True)
    ]
    solid = [meeting(reach, taken) for reach in reaches]
    found: dict[int, Candidate] = {}
    arounds: dict[int, Bounds] = {}
    known: dict[int, list[Candidate]] = {}
    # Those that have the least room to choose from choose first; then all may think again, knowing the others.
    order = sorted(range(len(wishes)), key=lambda n: (-candidates[n].least, n))
    for _ in range(_ROUNDS):
        before = dict(found)
        for n in order:
            left, top, right, bottom = reaches[n]
            near = [
                found[other]
                for other, around in arounds.items()
                if around[0] < right and left < around[2] and around[1] < bottom and top < around[3] and other != n
            ]
            if known.get(n) == near:
                continue
            known[n] = near
            crowd = [each.box for each in near] + solid[n]
            lines = [each.lead.line for each in near if each.lead]
            found[n] = _best(candidates[n], crowd, strange[n], lines)
            arounds[n] = candidates[n].lead(found[n]).around
        if found == before:
            break
    return [_trimmed(found[n].box, wish) for n, wish in enumerate(wishes)]


def _trimmed(box: Bounds, wish: Wish) -> Bounds:
    """Return the part of a box that a piece takes: that which is nearest to its place."""
    left = min(max(wish.anchor.x - wish.width / 2, box[0]), box[2] - wish.width)
    top = min(max(wish.anchor.y - wish.height / 2, box[1]), box[3] - wish.height)
    left, top = round(left), round(top)
    return left, top, left + wish.width, top + wish.height


def _best(candidates: Candidates, crowd: list[Bounds], doors: list[Bounds], lines: list[Segment]) -> Candidate:
    """Return the cheapest candidate, given where the other pieces and the lines to them lie."""
    best, least = None, inf
    for floor, ring in candidates:
        if floor >= least:
            break
        for candidate in ring:
            cost, box = candidate.cost, candidate.box
            if cost >= least:
                break
            on = meeting(box, crowd)
            if on:
                cost += sum(_OVERLAP + overlap(box, other) for other in on)
            cost += _DOORSTEP * len(meeting(box, doors))
            if cost >= least:
                continue
            cost += _STRUCK * _struck(box, lines)
            if cost >= least:
                continue
            lead = candidates.lead(candidate)
            cost += lead.cost
            if len(on) < len(crowd):
                crossed = [other for other in meeting(lead.around, crowd) if other not in on]
                cost += _STRUCK * sum(_strikes_box(lead.line, other) for other in crossed)
            if cost < least:
                best, least = candidate, cost
    assert best is not None
    return best


def _struck(box: Bounds, lines: list[Segment]) -> int:
    """Return how many lines run through a box."""
    left, top, right, bottom = box
    near = [
        line
        for line in lines
        if (line[0][0] > left or line[1][0] > left)
        and (line[0][0] < right or line[1][0] < right)
        and (line[0][1] > top or line[1][1] > top)
        and (line[0][1] < bottom or line[1][1] < bottom)
    ]
    return sum(_strikes_box(line, box) for line in near)


def _strikes_box(line: Segment, box: Bounds) -> bool:
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
