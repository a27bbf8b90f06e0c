"""Owners on a map: every two can be told apart in grey and by readers who see colours otherwise, on every board."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from PIL import Image, ImageFilter

from pbem.game.board.scene import MARKS, DrawnSide, Mark, Scene, contrast, drawn_sides
from pbem.render.map.canvas import Sketch
from pbem.render.map.counters import draw_mark
from tests.support.vision import WAYS, lightness
from tests.support.walks import GAMES, loaded, start

APART = 20
"""So far apart in L* are two colours that can be told apart."""
SMALL = 14
"""The size in pixels at which marks have to be told apart."""


def scene_of(game: str) -> Scene:
    rules = loaded(game).rules
    return rules.scene(rules.view(start(rules, loaded(game).scenarios[0], 1), None))


def in_seat_order(game: str, sides: tuple[DrawnSide, ...]) -> list[DrawnSide]:
    """Return what the players of a game lead, in the order of their seats."""
    seats = [side["id"] for side in loaded(game).box.sides]
    return [side for seat in seats for side in sides if side.is_of(seat)]


@pytest.mark.parametrize("game", GAMES)
def test_colours_of_neighbours_differ_in_lightness(game: str) -> None:
    seated = in_seat_order(game, scene_of(game).sides)
    least = 2.0 if len(seated) == 2 else 1.5
    around = [*seated, seated[0]]
    assert [(a.id, b.id) for a, b in pairwise(around) if contrast(a.colour, b.colour) < least] == []


@pytest.mark.parametrize("game", GAMES)
def test_owners_are_told_apart_however_colours_are_seen(game: str) -> None:
    scene = scene_of(game)
    nobodys = [DrawnSide("", "nobody", kind.empty) for kind in scene.base.place_kinds.values() if kind.form != "open"]
    alike = [
        (one.id, other.id, way)
        for one, other in combinations((*scene.sides, *nobodys), 2)
        for way in WAYS
        if (one.id or other.id)  # places that nobody holds are of one look for each kind
        and one.mark == other.mark
        and abs(lightness(one.colour, way) - lightness(other.colour, way)) < APART
    ]
    assert alike == []
    assert len({side.mark for side in scene.sides}) == len(scene.sides) <= len(MARKS)
    for side in scene.sides:
        assert contrast(side.colour, side.ink) >= 4.5, side.id
        assert all(abs(lightness(side.colour, way) - lightness(side.ink, way)) >= APART for way in WAYS), side.id


def test_records_without_a_mark_get_the_next_free_one() -> None:
    records = [{"id": id, "name": id, "colour": "#0f2c5e"} for id in "abc"]
    records[1]["mark"] = "cross"
    assert [side.mark for side in drawn_sides(records)] == ["bar", "cross", "dot"]


def drawn(mark: Mark) -> Image.Image:
    """Return a mark as a reader with weak eyes sees it: 14 pixels across, and a little blurred."""
    sketch = Sketch((SMALL, SMALL), 1, "L", 0)
    draw_mark(sketch, mark, (SMALL / 2, SMALL / 2), SMALL / 2, 255, 0)
    return sketch.done().filter(ImageFilter.GaussianBlur(0.8))


def test_marks_are_told_apart_at_14_pixels() -> None:
    """Of the pixels of any two at least one in eight is light on one and dark on the other."""
    seen = {mark: drawn(mark).tobytes() for mark in MARKS}
    assert len(MARKS) == 9
    differ = {
        (one, other): sum(abs(a - b) > 100 for a, b in zip(seen[one], seen[other], strict=True)) / SMALL**2
        for one, other in combinations(MARKS, 2)
    }
    assert {pair: round(share, 2) for pair, share in differ.items() if share < 0.125} == {}
