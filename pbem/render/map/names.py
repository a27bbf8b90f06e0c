"""Names on a map, and the boxes that those of places may take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, get_args

from PIL import Image, ImageFilter

from pbem.game.board.board_map import BaseMap, Compass
from pbem.render.map import canvas
from pbem.render.map.canvas import Bounds, Weight, draw_text, grown, meeting, round_all, shifted, spaced
from pbem.render.map.places import (
    INSCRIPTION_GAP,
    LABEL_SIZE,
    REGION_GAP,
    REGION_SIZE,
    inscription_box,
    label_box,
    label_weight,
    region_box,
    shape_box,
)

# ---- Names on a map: of places, regions, lands and seas, each a small picture that is made once and kept


_HALO: Final = 2.2
_PAD: Final = 4
"""Room round a name for its light edge, in pixels of the base map."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is printed: its text, its box in pixels of the base map, and its type.

    `gap` is the room between its letters, as maps name lands and seas; a name of a place has none.
    """

    text: str
    box: Bounds
    size: int
    weight: Weight
    ink: str
    gap: float = 0
    turn: int = 0
    place: str = ""
    """The place that it is the name of, if it is that of one."""


def place_name(base: BaseMap, id: str, box: Bounds | None = None, size: int = LABEL_SIZE) -> Name:
    """Return the name of a place, where it usually stands or in another box."""
    place = base.places[id]
    weight = label_weight(base, place)
    return Name(place.label, box or label_box(base, place, size=size), size, weight, canvas.INK, place=id)


def wide_names(base: BaseMap, least: int = 0) -> Iterator[Name]:
    """Yield the names of regions, lands and seas, each at least of a size."""
    for region in base.regions:
        if region.label:
            size = max(REGION_SIZE, least)
            gap = REGION_GAP * size / REGION_SIZE
            box = region_box(region, size)
            yield Name(region.label, box, size, "SemiBold", canvas.REGION_NAME, gap, region.turn)
    for each in base.inscriptions:
        size = max(each.size, least)
        box = inscription_box(each, size)
        yield Name(each.text, box, size, "Regular", canvas.SEA_NAME, size * INSCRIPTION_GAP, each.turn)


def lay_name(board: Image.Image, name: Name, scale: float, origin: tuple[float, float] = (0, 0)) -> None:
    """Write a name on a board of which a point is the top left corner."""
    left, top, right, bottom = name.box
    size = (0, 0) if name.gap else (round((right - left) * scale), round((bottom - top) * scale))
    drawn = _drawn_name(name.text, size, name.size, name.weight, name.ink, name.gap, name.turn, scale)
    at = (left + right) / 2 - origin[0], (top + bottom) / 2 - origin[1]
    board.paste(drawn, (round(at[0] * scale - drawn.width / 2), round(at[1] * scale - drawn.height / 2)), drawn)


@lru_cache(maxsize=512)
def _drawn_name(
    text: str, room: tuple[int, int], size: int, weight: Weight, ink: str, gap: float, turn: int, scale: float
) -> Image.Image:
    """Return a name with a soft light edge, so that lines run under it; one without gaps takes a room in pixels."""
    pixels, pad = max(1, round(size * scale)), round(_PAD * scale) + 1
    if gap:
        letters = spaced(text, weight, pixels, gap * scale, turn)
        mask = Image.new("L", (letters.width + 2 * pad, letters.height + 2 * pad), 0)
        mask.paste(letters, (pad, pad))
    else:
        mask = Image.new("L", (room[0] + 2 * pad, room[1] + 2 * pad), 0)
        draw_text(mask, (0, 0, mask.width, mask.height), text, weight, pixels, 255)
    halo = mask.filter(ImageFilter.MaxFilter(2 * round(_HALO * scale) + 1)).filter(ImageFilter.GaussianBlur(scale))
    share = 0.6 if gap else 0.8
    drawn = Image.new("RGBA", mask.size, (*canvas.rgb(canvas.PAPER), 0))
    drawn.putalpha(halo.point(lambda v: round(v * share)))
    top = Image.new("RGBA", mask.size, (*canvas.rgb(ink), 0))
    top.putalpha(mask)
    drawn.alpha_composite(top)
    return drawn


# ---- The boxes that the names of places may take on a board, found once for each board and size of type


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
