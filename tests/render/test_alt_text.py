"""Alternative texts, what has changed, and what is laid on a map to be seen: rings, brackets, rims, captions."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image

from pbem.game.board.scene import Arrow, Counter, Marker, Scene
from pbem.render.map import canvas
from pbem.render.map.arrangement import arrange
from pbem.render.map.canvas import rgb
from pbem.render.map.picture import draw
from pbem.render.map.pictures import alt_texts, changed_places, pictures
from pbem.render.map.window import window
from pbem.render.text.alt_text import LONGEST, alt_text, to_move
from tests.support.drawn import CARTHAGE, ROME, italy, scene, small


def test_an_alt_text_says_what_is_to_be_seen() -> None:
    shown = scene(
        counters=(Counter("capua", "carthage", "10", "Hannibal"), Counter("rome", "rome", "8", "Varro")),
        markers=(Marker("neapolis", "siege 1/3", "siege", "carthage"),),
        arrows=(Arrow(("arpi", "beneventum", "capua"), "carthage", name="Hannibal"),),
    )
    asked = replace(shown, reader="rome", focus=("capua",), to_move=("Rome",), until="Friday")
    assert alt_text(asked) == (
        "Map: Punica, Turn 3. To move: Rome, until Friday. Asked about: Capua. Neapolis: siege 1/3. Hannibal: Arpi to "
        "Capua. Rome: Rome 8 Varro. Carthage: Capua 10 Hannibal."
    )
    assert "Rome: Rome 8 Varro" not in alt_text(asked, shown=("capua",))
    assert to_move(asked) == "To move: Rome, until Friday"


def test_an_alt_text_too_long_ends_at_a_word() -> None:
    many = tuple(Counter(place, "rome", str(n), f"General {n}") for n, place in enumerate(italy().places))
    text = alt_text(scene(counters=many))
    assert LONGEST - 30 < len(text) <= LONGEST
    assert text.endswith(" …")


def test_changed_places_are_those_where_something_is_other() -> None:
    before = scene(control={"capua": "rome"}, counters=(Counter("rome", "rome", "8"), Counter("arpi", "rome", "2")))
    after = scene(
        control={"capua": "carthage"}, counters=(Counter("rome", "rome", "8"), Counter("cannae", "rome", "2"))
    )
    assert set(changed_places(before, after)) == {"capua", "arpi", "cannae"}
    assert changed_places(after, after) == ()


def pixels(drawn: Image.Image, place: str, reach: int) -> set[tuple[int, ...]]:
    """Return the colours round a place."""
    spot = italy().places[place]
    raw = drawn.crop((spot.x - reach, spot.y - reach, spot.x + reach, spot.y + reach)).tobytes()
    return set(zip(raw[::3], raw[1::3], raw[2::3], strict=True))


@pytest.mark.slow
def test_a_changed_place_is_ringed() -> None:
    assert rgb(canvas.CHANGED) in pixels(draw(scene(changed=("capua",))), "capua", 24)
    assert rgb(canvas.CHANGED) not in pixels(draw(scene()), "capua", 24)


def test_an_arrow_is_rimmed_in_white_and_named() -> None:
    moves = scene(arrows=(Arrow(("carthage", "lilybaeum"), "carthage", "sea", "Gisgo"),))
    drawn = draw(moves)
    raw = drawn.crop((1050, 880, 1150, 930)).tobytes()
    seen = list(zip(raw[::3], raw[1::3], raw[2::3], strict=True))
    assert seen.count((255, 255, 255)) > 100
    assert rgb(CARTHAGE.colour) in seen
    assert [piece.piece.marker.text for piece in arrange(moves).pieces if piece.piece.marker] == ["Gisgo"]


def test_both_sides_of_a_battle_stand_in_one_piece() -> None:
    there = (Counter("cannae", "rome", "15", "Varro"), Counter("cannae", "carthage", "10", "Hannibal"))
    fought = scene(counters=there, markers=(Marker("cannae", "battle", "battle"),))
    (piece,) = arrange(fought).pieces
    assert {stack.side for stack in piece.piece.stacks} == {ROME, CARTHAGE}
    assert piece.piece.marker is not None
    assert len(arrange(scene(counters=there)).pieces) == 2


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({"focus": ("gades",)}, "gades"),
        ({"arrows": (Arrow(("massilia", "nice"), "rome"),)}, "nice"),
        ({"changed": ("verona",)}, "verona"),
        (
            {"counters": (Counter("rome", "rome", "8"), Counter("utica", "carthage", "8")), "reader": "carthage"},
            "utica",
        ),
    ],
)
def test_the_window_is_where_the_letter_plays(more: dict[str, object], shown: str) -> None:
    """First comes what is asked, then arrows and changes, and else the armies of the reader."""
    usual: dict[str, object] = {"counters": (Counter("syracuse", "rome", "3"),)}
    left, top, right, bottom = window(scene(**{**usual, **more}))
    place = italy().places[shown]
    assert left < place.x < right
    assert top < place.y < bottom


def test_window_and_board_are_called_what_letters_call_them() -> None:
    drawn = Scene(small(), "Small", sides=(ROME,), counters=(Counter("b", "rome", "3"),))
    window_picture, board = pictures(drawn)
    assert (window_picture.name, board.name) == ("close-up.png", "map.png")
    assert (window_picture.alt, board.alt) == alt_texts(drawn)
    sizes = [Image.open(io.BytesIO(each.content)).size for each in (window_picture, board)]
    assert sizes == [(320, 160), (780, 390)]  # a board smaller than a window is all in it
