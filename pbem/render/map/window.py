"""The window: the part of the board that a letter is about, at a scale at which a phone shows names one can read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.game.board.scene import Scene
from pbem.render.map.canvas import Bounds

WIDTH, HEIGHT = 780, 900
"""The size of a window picture in pixels."""
SCALE: Final = 1.6
"""Pixels of a window picture for each of the base map."""
_ASKED, _FOUGHT, _MOVED, _CHANGED, _OWN, _OTHER = 1000.0, 300.0, 60.0, 30.0, 1.0, 0.1
"""What it is worth to show a place: one that is asked about, a battle, an end of an arrow, a change, an army."""
_MATTERS: Final = 20
"""A window is fitted to the places that are worth at least this share of the one that is worth most."""
_MARGIN: Final = 45
"""How far from the edge of the window a place shall lie for the sake of which it is there, in units of the base map."""


def window(scene: Scene) -> Bounds:
    """Return the part of the board where the scene plays, in units of the base map.

    It has what is asked about, then battles, arrows and what has changed; with nothing of that, the reader's armies.
    """
    base = scene.base
    across, down = min(WIDTH / SCALE, base.width), min(HEIGHT / SCALE, base.height)
    worth = _worth(scene)
    spots = [(base.places[id].x, base.places[id].y, weight) for id, weight in worth.items()]
    if not spots:
        return 0, 0, across, down

    heaviest = max(weight for _, _, weight in spots)
    matter = [(x, y) for x, y, weight in spots if weight >= heaviest / _MATTERS]
    lefts = _starts([x for x, _ in matter], across, base.width)
    tops = _starts([y for _, y in matter], down, base.height)
    left, top = _worthiest(spots, lefts, tops, (across, down))
    inside = [
        (x, y, weight) for x, y, weight in spots if left <= x <= left + across and top <= y <= top + down
    ] or spots
    left = _centred([(x, weight) for x, _, weight in inside], across, base.width)
    top = _centred([(y, weight) for _, y, weight in inside], down, base.height)
    return left, top, left + across, top + down


def _worthiest(
    spots: Sequence[tuple[int, int, float]], lefts: Sequence[float], tops: Sequence[float], size: tuple[float, float]
) -> tuple[float, float]:
    """Return the corner of the window that is worth most; of two that are worth the same the better centred one."""
    across, down = size
    best, most = (lefts[0], tops[0]), (-1.0, 0.0)
    for left in lefts:
        low, high, middle = left + _MARGIN, left + across - _MARGIN, left + across / 2
        column = [(y, weight, abs(x - middle) / across) for x, y, weight in spots if low <= x <= high]
        if sum(weight for _, weight, _ in column) < most[0]:
            continue
        for top in tops:
            low, high, middle = top + _MARGIN, top + down - _MARGIN, top + down / 2
            shown = [(weight, aside + abs(y - middle) / down) for y, weight, aside in column if low <= y <= high]
            worth = sum(weight for weight, _ in shown), -sum(weight * away for weight, away in shown)
            if worth > most:
                best, most = (left, top), worth
    return best


def places_in(scene: Scene, box: Bounds) -> list[str]:
    """Return the places whose middle lies in a part of the board."""
    left, top, right, bottom = box
    return [id for id, place in scene.base.places.items() if left <= place.x <= right and top <= place.y <= bottom]


def _starts(at: list[int], size: float, whole: int) -> list[float]:
    """Return where windows may begin along one axis: each has some place just inside one of its edges."""
    ends = {min(max(spot - _MARGIN, 0), whole - size) for spot in at}
    ends |= {min(max(spot + _MARGIN - size, 0), whole - size) for spot in at}
    return sorted(ends)


def _centred(spots: list[tuple[int, float]], size: float, whole: int) -> float:
    """Return where a window begins along one axis that has some places in its middle, and all in it."""
    first, last = min(spot for spot, _ in spots), max(spot for spot, _ in spots)
    total = sum(weight for _, weight in spots)
    middle = sum(spot * weight for spot, weight in spots) / total
    start = min(max(middle - size / 2, last + _MARGIN - size), first - _MARGIN)
    return float(min(max(round(start), 0), whole - size))


def _worth(scene: Scene) -> dict[str, float]:
    """Return what it is worth to show each place."""
    worth: dict[str, float] = {}
    for place, weight in _reasons(scene):
        worth[place] = worth.get(place, 0) + weight
    return worth


def _reasons(scene: Scene) -> Iterator[tuple[str, float]]:
    own = {side.id for side in scene.sides if side.is_of(scene.reader)}
    yield from ((place, _ASKED) for place in scene.focus)
    yield from ((marker.place, _FOUGHT) for marker in scene.markers if marker.kind == "battle")
    for arrow in scene.arrows:
        yield from ((place, _MOVED) for place in (arrow.places[0], *arrow.places[-1:]))
    yield from ((place, _CHANGED) for place in scene.changed)
    for counter in scene.counters:
        yield counter.place, _OWN if counter.side in own or not own else _OTHER
