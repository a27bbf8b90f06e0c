"""The arrangement of a scene: where each piece and each name stands on the whole board or on a part of it.

arranged = arrange(scene, window(scene))
for piece in arranged.pieces: piece.box, piece.line
for name in arranged.names: name.text, name.box
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import hypot
from typing import Final

from pbem.game.board.board_map import BaseMap, Point
from pbem.game.board.scene import Arrow, DrawnSide, Marker, Scene
from pbem.render.map.canvas import Bounds, grown, holds, inside, meet, meeting, overlap, round_all, shifted
from pbem.render.map.counters import Piece, Stack, size
from pbem.render.map.names import Name, labels, place_name, wide_names
from pbem.render.map.placement import Anchor, Segment, Wish, anchor_of, lead, needs_line, placements
from pbem.render.map.places import label_weight, shape_box

STRANGER: Final = DrawnSide("", "", "#6f6a60")
"""The look of what belongs to a side that the scene does not name."""
_COVERED: Final = 0.2
"""A name of which more than this share lies under pieces is hidden."""
_WIDE_FARTHEST: Final = 80
_WIDE_STEPS: Final = range(-_WIDE_FARTHEST, _WIDE_FARTHEST + 1, 16)
_WIDE_SHIFTS: Final = sorted(((dx, dy) for dx in _WIDE_STEPS for dy in _WIDE_STEPS), key=lambda by: hypot(*by))
"""How far the name of a region, a land or a sea may move, across and down; where it moves least comes first."""
_STRUCK: Final = 40
"""What it costs a name that moves to be struck out by a line, in pixels that it lies farther away."""
_TRIES: Final = 4
"""How often pieces are laid, each time off the names that they hid the time before."""
_EDGE: Final = 3
"""How far from the edge of a window names and pieces stay."""


@dataclass(frozen=True, slots=True)
class LaidPiece:
    """A piece, what it belongs to, its box, and the line that joins the two if it is not plain which they are."""

    piece: Piece
    place: str
    anchor: Anchor
    box: Bounds
    line: Segment | None
    larger: float = 1
    """How much larger it is drawn than on the board of its usual size."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All pieces and names with their boxes, in pixels of the base map."""

    pieces: tuple[LaidPiece, ...]
    names: tuple[Name, ...]
    hidden: tuple[str, ...] = ()
    """The names that pieces hide, because there is no room for them anywhere."""


def overview(scene: Scene, taken: Sequence[Bounds] = (), *, size: int, larger: float) -> Arrangement:
    """Return the arrangement of a scene on its whole board as a small picture shows it: names have at least a `size`.

    Pieces are so many times `larger` than usual. Names stand where there is room for them: first those of places that
    the scene is about, then those of cities, of regions and seas, of all others.
    """
    base = scene.base
    room = grown((0.0, 0.0, float(base.width), float(base.height)), -_EDGE, -_EDGE)
    laid = _laid(base, list(_shown_pieces(scene, {*base.places}, room)), taken, room, (), larger)
    about = {*scene.focus, *scene.changed, *(each.place for each in laid)}
    told = [id for id in base.places if id in about]
    cities = [id for id in base.places if id not in about and label_weight(base, base.places[id]) == "SemiBold"]
    others = [id for id in base.places if id not in about and id not in {*cities}]
    names: list[Name] = []
    solid = [*(each.box for each in laid), *taken]
    for some in (told, cities):
        _add_names(base, some, names, solid, room, size, moving=True)
    shapes = [shape_box(base, place) for place in base.places.values() if place.label]
    for name in wide_names(base, size):
        box = _first_free(name.box, (*solid, *shapes), room)
        if box is not None:
            names.append(replace(name, box=box))
            solid.append(box)
    _add_names(base, others, names, solid, room, size, moving=False)
    return Arrangement(tuple(laid), tuple(names))


def _add_names(
    base: BaseMap, ids: Sequence[str], names: list[Name], solid: list[Bounds], room: Bounds, size: int, *, moving: bool
) -> None:
    """Add the names of those places to `names`, and their boxes to what is `solid`, for which there is room."""
    known = labels(base, size)
    for id in ids:
        if id not in known:
            continue
        label = known[id]
        near = meeting(label.reach, solid)
        box = next((each for each in label.clear if inside(each, room) and not meeting(each, near)), None)
        if box is None and moving:
            near += label.shapes
            box = next((each for each in label.shifted() if inside(each, room) and not meeting(each, near)), None)
        if box is not None:
            names.append(place_name(base, id, box, size))
            solid.append(box)


def _first_free(box: Bounds, solid: Sequence[Bounds], room: Bounds) -> Bounds | None:
    """Return where a name of a region or sea stands, as near to its usual box as there is room; None: nowhere."""
    near = meeting(grown(box, _WIDE_FARTHEST, _WIDE_FARTHEST), solid)
    boxes = (shifted(box, *by) for by in _WIDE_SHIFTS)
    return next((each for each in boxes if inside(each, room) and not meeting(each, near)), None)


def arrange(scene: Scene, part: Bounds | None = None, taken: Sequence[Bounds] = ()) -> Arrangement:
    """Return the arrangement of a scene on a part of its board (by default on all of it), off the boxes `taken`.

    A name that a piece would hide moves; one that cannot is carried by the counters of its place.
    """
    base = scene.base
    whole = 0.0, 0.0, float(base.width), float(base.height)
    room = whole if part is None else grown(part, -_EDGE, -_EDGE)
    shown = {id for id, place in base.places.items() if holds(room, place.x, place.y)}
    pieces, spared = list(_shown_pieces(scene, shown, room)), list[Bounds]()
    best: Arrangement | None = None
    for n in range(_TRIES):
        laid = _laid(base, pieces, taken, room, spared)
        carried = {each.place for each in laid if each.piece.caption}
        names, hidden = _placed_names(base, shown, laid, room, carried, strict=part is not None)
        wide, covered = _wide(base, names, laid, room, whole=part is None)
        found = Arrangement(tuple(laid), (*wide, *names), (*hidden, *(name.text for name in covered)))
        if best is None or len(found.hidden) < len(best.hidden):
            best = found
        if not found.hidden:
            break
        carrying = _carrying(base, pieces, hidden, alone=n > 0)
        if carrying == pieces:
            spared += [labels(base)[id].hung[0] for id in hidden] + [name.box for name in covered]
        pieces = carrying
    assert best is not None
    return best


# ---- pieces


def _shown_pieces(scene: Scene, shown: set[str], room: Bounds) -> Iterator[tuple[str, Anchor, Piece]]:
    """Yield the pieces of the places shown: stacks, the sides of a battle together, markers, the names of arrows."""
    sides = {side.id: side for side in scene.sides}
    battles = {marker.place: marker for marker in scene.markers if marker.kind == "battle"}
    ordered = sorted(scene.counters, key=lambda counter: (counter.place, counter.side, counter.inside))
    for place, there in groupby(ordered, key=lambda counter: counter.place):
        if place not in shown:
            continue
        stacks = [
            Stack(sides.get(side, STRANGER), tuple(counters))
            for (side, _), counters in groupby(there, key=lambda counter: (counter.side, counter.inside))
        ]
        anchor = anchor_of(scene.base, place)
        if place in battles:
            yield place, anchor, Piece(tuple(stacks), battles.pop(place))
        else:
            yield from ((place, anchor, Piece((each,))) for each in stacks)
    for marker in scene.markers:
        if marker.place in shown and (marker.kind != "battle" or marker.place in battles):
            owner = sides.get(marker.side or "")
            yield marker.place, anchor_of(scene.base, marker.place), Piece((), marker, owner)
    for arrow in scene.arrows:
        middle = _middle(scene.base, arrow, room)
        if arrow.name and middle is not None:
            note = Marker("", arrow.name, side=arrow.side)
            yield "", Anchor(*middle, 5), Piece((), note, sides.get(arrow.side, STRANGER))


def _middle(base: BaseMap, arrow: Arrow, room: Bounds) -> Point | None:
    """Return the middle of what a part of the board shows of an arrow; None: it shows nothing of it."""
    points = [(base.places[id].x, base.places[id].y) for id in arrow.places]
    along = [
        (ax + (bx - ax) * n / steps, ay + (by - ay) * n / steps)
        for (ax, ay), (bx, by) in pairwise(points)
        for steps in [max(1, round(hypot(bx - ax, by - ay) / 12))]
        for n in range(steps + 1)
    ]
    seen = [(x, y) for x, y in along if holds(room, x, y)]
    return seen[len(seen) // 2] if seen else None


def _laid(
    base: BaseMap,
    pieces: Sequence[tuple[str, Anchor, Piece]],
    taken: Sequence[Bounds],
    room: Bounds,
    spared: Sequence[Bounds],
    larger: float = 1,
) -> list[LaidPiece]:
    sizes = [size(piece) for _, _, piece in pieces]
    wishes = [
        Wish(anchor, round(larger * across), round(larger * down), free=not place)
        for (place, anchor, _), (across, down) in zip(pieces, sizes, strict=True)
    ]
    boxes = placements(base, wishes, taken, room, spared)
    return [
        LaidPiece(piece, place, anchor, box, _line_to(base, place, anchor, box), larger)
        for (place, anchor, piece), box in zip(pieces, boxes, strict=True)
    ]


def _line_to(base: BaseMap, place: str, anchor: Anchor, box: Bounds) -> Segment | None:
    if not place or not needs_line(base, anchor, box):
        return None
    return lead(anchor.box, box)


def _carrying(
    base: BaseMap, pieces: Sequence[tuple[str, Anchor, Piece]], hidden: Sequence[str], *, alone: bool
) -> list[tuple[str, Anchor, Piece]]:
    """Return the pieces with the hidden names of their places on them, each on the first that has counters.

    If `alone`, a name without counters becomes a piece of its own.
    """
    left = set(hidden)
    found = []
    for place, anchor, piece in pieces:
        if place in left and piece.stacks:
            left.discard(place)
            piece = replace(piece, caption=_caption(base, place))
        found.append((place, anchor, piece))
    if alone:
        found += [(place, anchor_of(base, place), Piece(caption=_caption(base, place))) for place in sorted(left)]
    return found


def _caption(base: BaseMap, place: str) -> str:
    return base.places[place].label.replace("\n", " ")


# ---- names


def _placed_names(
    base: BaseMap, shown: set[str], laid: Sequence[LaidPiece], room: Bounds, carried: set[str], *, strict: bool
) -> tuple[list[Name], list[str]]:
    """Return the names of places where they stand, and the places whose names no room is left for.

    If `strict`, a name that a piece covers in part is not written.
    """
    boxes = [each.box for each in laid]
    known = labels(base)
    kept: dict[str, Bounds] = {}
    moving = []
    for id in base.places:
        place = base.places[id]
        if id not in shown or id in carried or not place.label:
            continue
        box = known[id].hung[0]
        if inside(box, room) and not meeting(box, boxes):
            kept[id] = box
        elif inside(shape_box(base, place), room):
            moving.append(id)
    hidden: list[str] = []
    for id in moving:
        moved = _moved_name(base, id, laid, kept, room)
        if moved is not None:
            kept[id] = moved
            continue
        box = known[id].hung[0]
        if not strict:
            kept[id] = box
        if strict or _share_covered(box, boxes) > _COVERED:
            hidden.append(id)
    return [place_name(base, id, box) for id, box in kept.items()], hidden


def _share_covered(box: Bounds, boxes: Sequence[Bounds]) -> float:
    """Return the share of a box that lies under others."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    return sum(overlap(box, other) for other in boxes) / area if area else 0


def _moved_name(
    base: BaseMap, id: str, laid: Sequence[LaidPiece], kept: dict[str, Bounds], room: Bounds
) -> Bounds | None:
    """Return the best box for a name that cannot stand where it hangs; None: there is none."""
    place, label = base.places[id], labels(base)[id]
    usual = label.hung[0]
    near = grown(usual, 2 * (usual[2] - usual[0]), 90)
    own = shape_box(base, place)
    lean = (usual[3] - usual[1]) * -0.25  # a name may lean against its own shape
    solid = meeting(near, [*(each.box for each in laid), *kept.values()])
    solid += [*(each for each in label.shapes if each != own), grown(own, lean, lean)]
    lines = [each.line for each in laid if each.line is not None and meet(_line_box(each.line), near)]
    best, least = None, float("inf")
    roomy = inside(label.reach, room)
    for n, box in enumerate(label.shifted()):
        if not roomy:
            box = _within(box, room)
        away = hypot((box[0] + box[2]) / 2 - place.x, (box[1] + box[3]) / 2 - place.y)
        cost = away + (4 if n % len(label.hung) else 0)
        if cost >= least or meeting(box, solid):
            continue
        cost += _STRUCK * sum(_strikes_out(line, box) for line in lines)
        if cost < least:
            best, least = box, cost
    return best


def _line_box(line: Segment) -> Bounds:
    """Return the box round a line."""
    (ax, ay), (bx, by) = line
    return min(ax, bx) - 1, min(ay, by) - 1, max(ax, bx) + 1, max(ay, by) + 1


def _strikes_out(line: Segment, box: Bounds) -> bool:
    """Tell whether a line strikes a box out."""
    (ax, ay), (bx, by) = line
    return any(holds(box, ax + (bx - ax) * n / 8, ay + (by - ay) * n / 8) for n in range(9))


def _within(box: Bounds, room: Bounds) -> Bounds:
    """Return a box moved into some bounds."""
    dx = max(room[0] - box[0], 0) or min(room[2] - box[2], 0)
    dy = max(room[1] - box[1], 0) or min(room[3] - box[3], 0)
    return box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy


def _wide(
    base: BaseMap, names: Sequence[Name], laid: Sequence[LaidPiece], room: Bounds, *, whole: bool
) -> tuple[list[Name], list[Name]]:
    """Return the names of regions, lands and seas where they can be read, and those that pieces hide."""
    pieces = [each.box for each in laid]
    printed = [name.box for name in names]
    shapes = [shape_box(base, place) for place in base.places.values() if place.label]
    found, hidden = list[Name](), list[Name]()
    for name in wide_names(base):
        middle = (name.box[0] + name.box[2]) / 2, (name.box[1] + name.box[3]) / 2
        if not holds(room, *middle):
            continue
        if inside(name.box, room) and not meeting(name.box, (*pieces, *printed)):
            found.append(name)
            continue
        boxes = dict.fromkeys(_within(shifted(name.box, *by), room) for by in _WIDE_SHIFTS)
        solid = meeting(round_all(boxes), (*pieces, *printed, *shapes, *(other.box for other in found)))
        fits = [box for box in boxes if not meeting(box, solid)]
        if fits:
            box = min(fits, key=lambda box: hypot(box[0] - name.box[0], box[1] - name.box[1]))
            found.append(replace(name, box=box))
        elif whole or inside(name.box, room):
            if _share_covered(name.box, pieces) > _COVERED:
                hidden.append(name)
            if whole:
                found.append(name)
    return found, hidden
