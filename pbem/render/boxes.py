"""Boxes on a map, in pixels of the base map: which of them meet, lie in one another, are moved or grown."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.render.canvas import Bounds


def meeting(box: Bounds, boxes: Iterable[Bounds]) -> list[Bounds]:
    """Return those of some boxes that share any ground with a box."""
    left, top, right, bottom = box
    return [each for each in boxes if each[0] < right and left < each[2] and each[1] < bottom and top < each[3]]


def meet(one: Bounds, other: Bounds) -> bool:
    """Tell whether two boxes share any ground."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def overlap(one: Bounds, other: Bounds) -> float:
    """Return the area that two boxes share."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    if across <= 0:
        return 0
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across * down if down > 0 else 0


def inside(box: Bounds, room: Bounds) -> bool:
    """Tell whether all of a box lies in another."""
    return box[0] >= room[0] and box[1] >= room[1] and box[2] <= room[2] and box[3] <= room[3]


def holds(box: Bounds, x: float, y: float) -> bool:
    """Tell whether a point lies in a box."""
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def grown(box: Bounds, across: float, down: float) -> Bounds:
    """Return a box with so much more ground on the left and on the right, above and below."""
    return box[0] - across, box[1] - down, box[2] + across, box[3] + down


def shifted(box: Bounds, dx: float, dy: float) -> Bounds:
    """Return a box moved across and down."""
    return box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy


def round_all(boxes: Iterable[Bounds]) -> Bounds:
    """Return the box round some boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
