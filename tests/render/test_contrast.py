"""The contrast of names and hex numbers to the ground they stand on: 4.5 : 1, whoever holds the land below."""

from __future__ import annotations

import pytest
from PIL import Image

from pbem.game.board.scene import Scene, contrast
from pbem.render.map import base_map, canvas
from pbem.render.map.canvas import Bounds, mix
from pbem.render.map.names import place_name, wide_names
from pbem.render.map.picture import printed_board
from tests.support.soak import quick_first
from tests.support.vision import lightness
from tests.support.walks import GAMES, loaded, start

LEAST = 4.5
HALO = 0.5
"""The share of the light edge of a name in what lies between its letters: it is stronger beside them."""
DARK, HALF = 0.1, 0.5
"""The shares of a box that are darker than its ground: lines under a name, and a number that is printed there."""
SCALE = 0.75


def shade(board: Image.Image, box: Bounds, share: float) -> str:
    """Return the colour that is lighter than a share of a part of a board."""
    raw = board.crop(tuple(round(edge * SCALE) for edge in box)).tobytes()  # type: ignore[arg-type]
    pixels = zip(raw[::3], raw[1::3], raw[2::3], strict=True)
    ordered = sorted(pixels, key=lambda each: 2 * each[0] + 5 * each[1] + each[2])
    return written(ordered[int(len(ordered) * share)])


def written(colour: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


@pytest.mark.parametrize("game", quick_first(GAMES, 2))
def test_names_and_numbers_stand_out_from_their_ground(game: str) -> None:
    """The darkest owner holds all land: under the others names stand out more."""
    rules = loaded(game).rules
    scene: Scene = rules.scene(rules.view(start(rules, loaded(game).scenarios[0], 1), None))
    base = scene.base
    side = min(scene.sides, key=lambda each: lightness(each.colour))
    board = printed_board(base, (side,) * len(base.regions), SCALE)
    low = []
    names = (*(place_name(base, place.id) for place in base.places.values() if place.label), *wide_names(base))
    for name in names:
        between = written(mix(shade(board, name.box, DARK), canvas.PAPER, HALO))
        if contrast(name.ink, between) < LEAST:
            low.append((name.text, name.ink, between, round(contrast(name.ink, between), 1)))
    for tile in base.tiles:
        (left, top), (right, _) = tile.outline[:2]
        x, y = (left + right) / 2, top + 2 + base_map.NUMBER_SIZE / 2
        under = shade(board, (x - 13, y - 6, x + 13, y + 6), HALF)
        if contrast(base_map.NUMBER_INK, under) < LEAST:
            low.append((tile.number, base_map.NUMBER_INK, under, round(contrast(base_map.NUMBER_INK, under), 1)))
    assert names
    assert low == []
