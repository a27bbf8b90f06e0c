"""The differences of two scenes of a game: the places to be ringed on a picture, or lit up on a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from pbem.game.scene import Scene


def changed_places(before: Scene, after: Scene) -> tuple[str, ...]:
    """Return the places where a counter, a marker or the holder is another, in the order of the board."""
    if before.base != after.base:
        return ()
    then, now = _lies(before), _lies(after)
    return tuple(place for place in after.base.places if then.get(place) != now.get(place))


def _lies(scene: Scene) -> Mapping[str, set[object]]:
    """Return what there is at each place that may change. Badges and lines may come and go without it: they do not."""
    lies: dict[str, set[object]] = defaultdict(set)
    for counter in scene.counters:
        lies[counter.place].add((counter.side, counter.strength, counter.label, counter.sublabel, counter.inside))
    for marker in scene.markers:
        lies[marker.place].add((marker.kind, marker.text, marker.side))
    for place, side in scene.control.items():
        if side is not None:
            lies[place].add(side)
    return lies
