"""The arrangement of pictures over positions of every game: it shows which place is meant, and hides no name.

The soak looks at 200 positions of each box, the short form at a few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import hypot

import pytest
from PIL import Image

from pbem.game.board.board_map import Place
from pbem.game.board.scene import Scene
from pbem.render.map.arrangement import Arrangement, LaidPiece, arrange
from pbem.render.map.canvas import Bounds, overlap
from pbem.render.map.counters import size
from pbem.render.map.picture import arrange_overview, panels
from pbem.render.map.pictures import alt_texts
from pbem.render.map.places import shape_box
from pbem.render.map.window import HEIGHT, SCALE, WIDTH, window
from pbem.render.text.alt_text import LONGEST
from tests.support.positions import scenes
from tests.support.soak import quick_first, scaled
from tests.support.walks import GAMES

LENGTHS = [pytest.param(6, id="quick"), pytest.param(scaled(600, 60), id="soak", marks=pytest.mark.soak)]
HIDDEN = 0.3
"""So many names may be hidden on a map, on the average."""


LEAST = 12
"""So many pixels a name is high at least on the small picture of a whole board."""
UNNAMED = 0.3
"""The share of the places with pieces that may have no name there."""


def whole(scene: Scene) -> Arrangement:
    """Return how the whole board is arranged, with its panels."""
    return arrange(scene, None, boxes_of_panels(scene))


def boxes_of_panels(scene: Scene) -> list[Bounds]:
    bare = replace(scene, legend=False)
    return panels(Image.new("RGB", (1, 1)), bare, WIDTH / scene.base.width)


@pytest.mark.parametrize("game", quick_first(GAMES, 2))
@pytest.mark.parametrize("count", LENGTHS)
def test_names_on_the_small_board_can_be_read(game: str, count: int) -> None:
    """There are fewer of them there; those of places where something lies come first."""
    told = unnamed = 0
    for scene in scenes(game, count):
        taken = boxes_of_panels(scene)
        small = arrange_overview(scene, taken)
        check_lines(scene, small)
        boxes = [name.box for name in small.names]
        for at, name in enumerate(small.names):
            assert name.size * WIDTH / scene.base.width >= LEAST, name.text
            assert covered(name.box, small.pieces) == 0, name.text
            assert not any(overlap(name.box, box) for box in (*taken, *boxes[:at])), name.text
        named = {name.place for name in small.names}
        there = {piece.place for piece in small.pieces if piece.place and scene.base.places[piece.place].label}
        told += len(there)
        unnamed += len(there - named)
    assert told == 0 or unnamed <= UNNAMED * told, (unnamed, told)


@pytest.mark.parametrize("game", quick_first(GAMES, 2))
@pytest.mark.parametrize("count", LENGTHS)
def test_pieces_and_names_stand_where_they_can_be_read(game: str, count: int) -> None:
    """The figures are over all positions; what must never be is looked for in each of them."""
    hidden: Counter[str] = Counter()
    unread: Counter[str] = Counter()
    looked_at = 0
    for scene in scenes(game, count):
        looked_at += 1
        arranged, part = whole(scene), window(scene)
        check_lines(scene, arranged)
        hidden.update(names_hidden(arranged, list(scene.base.places.values())))
        hidden.update(name.text for name in arranged.names if covered(name.box, arranged.pieces) > 0.2)
        close = arrange(scene, part)
        check_lines(scene, close)
        check_window(scene, close, part)
        unread.update(names_hidden(close, whole_in(scene, part)))
        assert all(len(text) <= LONGEST for text in alt_texts(scene))
    assert looked_at == count
    assert hidden.total() <= HIDDEN * count, hidden.most_common(9)
    assert unread.total() <= HIDDEN * count, unread.most_common(9)


def check_lines(scene: Scene, arranged: Arrangement) -> None:
    """See that a line joins every piece to its place that is nearer than 1.3 times as near to another one."""
    middles = {id: (place.x, place.y) for id, place in scene.base.places.items()}
    for piece in arranged.pieces:
        if piece.place and piece.line is None:
            own = away(middles[piece.place], piece.box)
            others = min(away(at, piece.box) for id, at in middles.items() if id != piece.place)
            assert others >= 1.3 * own, (scene.title, piece.place)
        if piece.line is not None:
            (x, y), end = piece.line
            assert hypot(x - middles[piece.place][0], y - middles[piece.place][1]) <= 30
            assert away(end, piece.box) == 0


def away(at: tuple[float, float], box: Bounds) -> float:
    """Return how far a point is from a box."""
    return hypot(max(box[0] - at[0], 0, at[0] - box[2]), max(box[1] - at[1], 0, at[1] - box[3]))


def covered(box: Bounds, pieces: Sequence[LaidPiece]) -> float:
    """Return the share of a box that lies under pieces."""
    return sum(overlap(box, each.box) for each in pieces) / ((box[2] - box[0]) * (box[3] - box[1]))


def names_hidden(arranged: Arrangement, places: Sequence[Place]) -> list[str]:
    """Return the places whose name is neither written nor carried by a piece."""
    read = {each.place for each in arranged.pieces if each.piece.caption} | {name.place for name in arranged.names}
    return [place.id for place in places if place.label and place.id not in read]


def whole_in(scene: Scene, part: Bounds) -> list[Place]:
    """Return the places of which a part of the board shows the whole shape, and some ground round it."""
    left, top, right, bottom = part[0] + 6, part[1] + 6, part[2] - 6, part[3] - 6
    boxes = {id: shape_box(scene.base, place) for id, place in scene.base.places.items()}
    return [
        scene.base.places[id]
        for id, box in boxes.items()
        if box[0] >= left and box[1] >= top and box[2] <= right and box[3] <= bottom
    ]


def check_window(scene: Scene, close: Arrangement, part: Bounds) -> None:
    """See that the window has the size it should have, and that every name in it can be read whole."""
    base = scene.base
    left, top, right, bottom = part
    assert (right - left, bottom - top) == (min(WIDTH / SCALE, base.width), min(HEIGHT / SCALE, base.height))
    assert left >= 0
    assert top >= 0
    assert right <= base.width
    assert bottom <= base.height
    for name in close.names:
        box = name.box
        assert min(box[0] - left, box[1] - top, right - box[2], bottom - box[3]) >= 0, name.text
        assert covered(box, close.pieces) == 0, name.text
        assert name.size * SCALE >= 24, name.text
    for piece in close.pieces:
        assert (piece.box[2] - piece.box[0], piece.box[3] - piece.box[1]) == size(piece.piece)
