"""The boxes that the names of places may take on a board, found once for each board and size of type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, get_args

from pbem.game.board_map import BaseMap, Compass
from pbem.render.boxes import grown, meeting, round_all, shifted
from pbem.render.canvas import Bounds
from pbem.render.places import LABEL_SIZE, label_box, shape_box

SHIFTS: Final = (
    *((0, 0), (0.15, 0), (-0.15, 0), (0.3, 0), (-0.3, 0), (0.5, 0), (-0.5, 0)),
    *((0, 0.3), (0, -0.3), (0, 0.6), (0, -0.6), (0, 1), (0, -1)),
)
"""How far a name may move from where it hangs, in its own width and height."""
_FARTHEST: Final = tuple(max(shift[axis] for shift in SHIFTS) for axis in (0, 1))


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a place: its boxes beside the place, first where it usually hangs."""

    hung: tuple[Bounds, ...]
    shapes: tuple[Bounds, ...]
    """The shapes of the places that it can reach, its own among them."""
    clear: tuple[Bounds, ...]
    """Those of its boxes that lie on no such shape."""
    reach: Bounds
    """The box round all that it may take."""

    def shifted(self) -> Iterator[Bounds]:
        """Yield the boxes that the name may take, those nearest to where it hangs first."""
        left, top, right, bottom = self.hung[0]
        for across, down in SHIFTS:
            yield from (shifted(box, across * (right - left), down * (bottom - top)) for box in self.hung)


@lru_cache(maxsize=8)
def labels(base: BaseMap, size: int = LABEL_SIZE) -> dict[str, Label]:
    """Return the names of the places of a board that have one, in type of a size."""
    named = [place for place in base.places.values() if place.label]
    shapes = [shape_box(base, place) for place in named]
    found = {}
    for place in named:
        sides = [place.hangs, *(each for each in get_args(Compass) if each != place.hangs)]
        hung = tuple(label_box(base, place, side, size) for side in sides)
        across, down = hung[0][2] - hung[0][0], hung[0][3] - hung[0][1]
        reach = grown(round_all(hung), _FARTHEST[0] * across, _FARTHEST[1] * down)
        near = meeting(reach, shapes)
        found[place.id] = Label(hung, tuple(near), tuple(box for box in hung if not meeting(box, near)), reach)
    return found
