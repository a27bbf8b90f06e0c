"""The placement of pieces: near their places, off the names and lines that a reader needs, never on one another."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, inf
from typing import Final, NamedTuple

from pbem.game.board_map import BaseMap
from pbem.render.boxes import grown, meeting, overlap
from pbem.render.candidates import Anchor, Candidate, Candidates, Segment
from pbem.render.canvas import Bounds

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
                cost += _STRUCK * sum(_strikes(lead.line, other) for other in crossed)
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
    return sum(_strikes(line, box) for line in near)


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
