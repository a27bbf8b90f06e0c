"""The picture: what is printed on the board does not collide, and the same scene gives the same pixels."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from math import hypot
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from pbem.game.board.board_map import Misdrawn, Point
from pbem.game.board.scene import Arrow, Cell, Counter, DrawnSide, Grid, Marker, Panel, Row, Scene, Track
from pbem.game.boxes.box import open_box
from pbem.mail.write.enclosures import Maps
from pbem.render.map import base_map as ground
from pbem.render.map import counters, picture
from pbem.render.map.canvas import Bounds, overlap, rgb
from pbem.render.map.counters import stack
from pbem.render.map.panels import legend, panel, title_panel
from pbem.render.map.picture import draw, render
from pbem.render.map.placement import Wish, anchor_of, placements
from pbem.render.map.places import label_box, region_box, shape_box
from tests.support.chance import seed_of
from tests.support.drawn import CARTHAGE, ROME, SIDES, italy, scene, small


def crowded() -> Scene:
    return scene(
        control={"rome": "rome", "carthage": "carthage", "boii": "carthage"},
        tints={"latium": "rome", "carthaginia": "carthage"},
        counters=(
            Counter("capua", "carthage", "10", "Hannibal", "Mago, Gisgo", badges=("2 el",)),
            Counter("neapolis", "rome", "2", inside=True),
            Counter("neapolis", "carthage", hidden=True),
            Counter("neapolis", "carthage", "4", "", "Hanno"),
        ),
        markers=(Marker("neapolis", "siege 2", "siege", "carthage"), Marker("cannae", "", "battle")),
        arrows=(
            Arrow(("arpi", "beneventum", "capua"), "carthage"),
            Arrow(("cosa", "rome"), "rome", "retreat"),
            Arrow(("carthage", "lilybaeum"), "carthage", "sea"),
        ),
        focus=("beneventum",),
        panels=(
            Panel("title", "Turn 3", (Track(tuple("123456789"), 2),)),
            Panel("state", "Points", (Row("Political points", (Cell("9", "rome"), Cell("7", "carthage"))),)),
        ),
    )


def forget() -> None:
    """Empty every cache that holds part of a picture."""
    for kept in (ground.ground, picture._palette, counters.picture):
        kept.cache_clear()


# ---- the board of Hannibal


def printed() -> Iterator[tuple[str, Bounds]]:
    """Yield what is printed on the board, by name, and the room kept free for panels."""
    base = italy()
    for place in base.places.values():
        yield place.id, shape_box(base, place)
        yield f"the name of {place.id}", label_box(base, place)
    for name, drawn in (
        ("title", title_panel("Punica", "", base.slots["title"].width, 1)),
        ("legend", legend(base, SIDES, base.slots["legend"].width, 1)),
    ):
        slot = base.slots[name]
        yield f"the slot {name}", (slot.x, slot.y, slot.x + drawn.width, slot.y + drawn.height)
    for name in ("title", "state"):
        slot = base.slots[name]
        yield f"panels in {name}", (slot.x, slot.y + 80, slot.x + slot.width, slot.y + 190)


SLOT = 180


def panel_of(*rows: Row | Track | Grid, heading: str = "") -> Image.Image:
    return panel(Panel("state", heading, rows), SIDES, SLOT, 1)


def test_a_row_too_wide_for_its_panel_goes_on_below() -> None:
    """All of its cells are drawn, none over its words; one that fits stays one line."""
    one = panel_of(Row("Points", (Cell("9", "rome"), Cell("7", "carthage"))))
    wide = panel_of(Row("Points", tuple(Cell(str(n), "rome") for n in range(10, 19))))
    assert wide.height == one.height + 2 * 26
    shown = [wide.getpixel((x, y)) for y in range(wide.height) for x in range(wide.width)]
    alone = [one.getpixel((x, y)) for y in range(one.height) for x in range(one.width)]
    red = one.getpixel((one.width - 50, 14))
    assert shown.count(red) > 6 * alone.count(red)
    assert panel_of(Row("a label that is a good deal longer than its panel is wide")).height == one.height + 2 * 26


def test_a_track_and_a_heading_too_wide_go_on_below() -> None:
    short = panel_of(Track(tuple("123"), 1), heading="Turn")
    assert panel_of(Track(tuple(map(str, range(218, 232))), 1), heading="Turn").height == short.height + 2 * 26
    assert panel_of(Track(tuple("123"), 1), heading="The turns of a long game").height == short.height + 26


def test_a_table_has_a_line_for_each_head() -> None:
    heads = (Cell("Rome", "rome"), Cell("Carthage", "carthage"))
    grid = Grid(heads, heads, ((Cell("-"), Cell("war")), (Cell("war"), Cell("-"))))
    assert panel_of(grid).height == panel_of(Row("a"), Row("b"), Row("c")).height


def test_nothing_printed_lies_on_anything_else() -> None:
    slots = {"the slot title", "panels in title", "panels in state", "the slot legend"}
    clashes = [
        (one, other)
        for (one, a), (other, b) in combinations(printed(), 2)
        # A name may lean against its own shape.
        if overlap(a, b) and other != f"the name of {one}" and not {one, other} <= slots
    ]
    assert clashes == []


def test_everything_printed_is_on_the_board() -> None:
    base = italy()
    out = [
        name
        for name, (left, top, right, bottom) in printed()
        if left < 0 or top < 0 or right > base.width or bottom > base.height
    ]
    assert out == []


def test_names_of_regions_lie_on_no_place_and_no_name_of_one() -> None:
    places = [(name, box) for name, box in printed() if not name.startswith(("the slot", "panels"))]
    clashes = [
        (region.id, name)
        for region in italy().regions
        if region.label
        for name, box in places
        if overlap(region_box(region), box)
    ]
    assert clashes == []


def test_no_two_paths_cross() -> None:
    base = italy()
    at = {place.id: (place.x, place.y) for place in base.places.values()}
    crossings = [
        (one, other)
        for one, other in combinations(base.paths, 2)
        if len({one.a, one.b, other.a, other.b}) == 4 and cross(at[one.a], at[one.b], at[other.a], at[other.b])
    ]
    assert crossings == []


def cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def turn(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0


def test_no_path_runs_under_a_third_place() -> None:
    base = italy()
    under = []
    for path in base.paths:
        a, b = base.places[path.a], base.places[path.b]
        for place in base.places.values():
            if place not in (a, b) and distance((place.x, place.y), (a.x, a.y), (b.x, b.y)) < 18:
                under.append((path, place.id))
    assert under == []


def distance(p: Point, a: Point, b: Point) -> float:
    """Return how far a point is from a stretch of line."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    share = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy or 1)
    share = min(1.0, max(0.0, share))
    return hypot(p[0] - a[0] - share * dx, p[1] - a[1] - share * dy)


def test_ports_lie_on_the_coast() -> None:
    base = italy()
    ports = [place for place in base.places.values() if place.port]
    assert len(ports) == 34
    for port in ports:
        nearest = min(
            distance((port.x, port.y), a, b)
            for outline in base.land
            for a, b in zip(outline, [*outline[1:], outline[0]], strict=True)
        )
        assert nearest < 32, port.id


def test_the_regions_are_the_provinces() -> None:
    provinces = [province["id"] for province in open_box("rome_carthage").table("map")["provinces"]]
    assert sorted(region.id for region in italy().regions) == sorted(provinces)
    assert all(len(region.outline) > 10 for region in italy().regions)


# ---- pixels


def pixel(drawn: Image.Image, at: tuple[int, int]) -> tuple[int, ...]:
    colour = drawn.getpixel(at)
    assert isinstance(colour, tuple)
    return colour


@pytest.mark.slow
def test_the_same_scene_gives_the_same_pixels_in_another_process() -> None:
    here = render(crowded(), width=800)
    code = "import sys; from tests.render.test_picture import *; sys.stdout.buffer.write(render(crowded(), width=800))"
    root = Path(__file__).resolve().parents[2]
    there = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        check=True,
    ).stdout
    assert there == here


@pytest.mark.parametrize(("width", "height"), [(None, 1100), (800, 550)])
def test_a_picture_is_a_palette_png_of_the_asked_width(width: int | None, height: int) -> None:
    png = Image.open(io.BytesIO(render(crowded(), width=width)))
    assert (png.format, png.mode, png.size) == ("PNG", "P", (width or 1600, height))


def test_places_take_the_exact_colour_of_the_side_holding_them() -> None:
    """Places take the exact colour of the side that holds them."""
    png = Image.open(io.BytesIO(render(crowded()))).convert("RGB")
    base = italy()
    empty = base.place_kinds["tribe"].empty
    for id, colour in (
        ("rome", ROME.colour),
        ("carthage", CARTHAGE.colour),
        ("boii", CARTHAGE.colour),
        ("averni", empty),
    ):
        place = base.places[id]
        assert pixel(png, (place.x, place.y)) == rgb(colour), id


def test_region_alone_takes_a_tint_of_the_side_that_holds_it() -> None:
    """A region takes a tint of the side that holds it, and no other region does."""
    plain, tinted = draw(scene()), draw(scene(tints={"latium": "rome"}))
    rome = (1190, 450)  # the ground north of Rome
    before, after = pixel(plain, rome), pixel(tinted, rome)
    assert after[0] - before[0] > after[2] - before[2]
    assert after[1] < before[1]
    etruria = (1150, 320, 1200, 330)
    assert tinted.crop(etruria).tobytes() == plain.crop(etruria).tobytes()


def test_camps_round_a_city_leave_its_name_to_be_read() -> None:
    base = italy()
    place = base.places["syracuse"]
    left, top, right, bottom = map(round, label_box(base, place))
    name = (left, top, right, bottom)
    plain, besieged = draw(scene()), draw(scene(markers=(Marker("syracuse", "siege 1", "siege", "rome"),)))
    assert besieged.crop(name).tobytes() == plain.crop(name).tobytes()
    around = (place.x - 26, place.y - 26, place.x + 27, place.y)
    assert besieged.crop(around).tobytes() != plain.crop(around).tobytes()


def test_a_voyage_goes_round_the_land_where_it_can() -> None:
    base = italy()
    plain = draw(scene())
    for start, end in (("messana", "icosium"), ("icosium", "messana")):
        sailed = draw(scene(arrows=(Arrow((start, end), "rome", "sea"),)))
        for inland in ("cirta", "zama", "thubursicu"):
            box = shape_box(base, base.places[inland])
            assert sailed.crop(box).tobytes() == plain.crop(box).tobytes(), inland
        assert sailed.tobytes() != plain.tobytes()


def test_what_is_hidden_looks_the_same_whatever_it_is() -> None:
    """Nothing of a hidden counter can leak that the scene left out."""
    shown = stack((Counter("capua", "rome", "?"),), ROME, 1.0)
    hidden = stack((Counter("capua", "rome", hidden=True),), ROME, 1.0)
    assert hidden.tobytes() == shown.tobytes()


def test_a_board_is_kept_from_one_run_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    first = draw(crowded(), width=400, cache_folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    forget()
    monkeypatch.setattr(ground, "_relief", None)
    monkeypatch.setattr(ground, "_board_lines", None)
    again = draw(crowded(), width=400, cache_folder=tmp_path)
    assert again.tobytes() == first.tobytes()


# ---- where pieces lie


@pytest.mark.parametrize("seed", range(8))
def test_pieces_lie_on_the_board_and_never_on_one_another(seed: int) -> None:
    base = italy()
    chance = Random(seed_of(seed))
    crowd = chance.sample([place.id for place in base.places.values() if place.x > 880 and place.y < 900], 18)
    pieces = [(place, chance.choice((26, 90, 130)), chance.choice((24, 38))) for place in crowd]
    pieces += [(chance.choice(crowd), 60, 20) for _ in range(6)]
    panel: Bounds = (1370, 14, 1584, 130)
    boxes = placements(base, [Wish(anchor_of(base, place), across, down) for place, across, down in pieces], [panel])
    assert [(a, b) for a, b in combinations([*boxes, panel], 2) if overlap(a, b)] == []
    assert all(box[0] >= 0 and box[1] >= 0 and box[2] <= base.width and box[3] <= base.height for box in boxes)
    for (place, width, height), box in zip(pieces, boxes, strict=True):
        assert (box[2] - box[0], box[3] - box[1]) == (width, height)
        assert not overlap(box, shape_box(base, base.places[place]))


# ---- layouts that do not fit


def test_a_port_whose_number_is_nought_is_a_port() -> None:
    assert [place.port for place in small().places.values()] == [True, False]


def test_a_map_of_a_new_game_needs_nothing_but_its_data() -> None:
    base = small()
    side = DrawnSide("red", "Red", "#aa0000")
    drawn = draw(Scene(base, "Small", sides=(side,), control={"a": "red"}, counters=(Counter("b", "red", "3"),)))
    assert drawn.size == (200, 100)
    assert pixel(drawn, (50, 50)) == rgb("#aa0000")


def test_boards_are_equal_if_all_that_is_printed_is() -> None:
    assert small() == small()
    assert small() != small(places={"a": {"at": [51, 50]}, "b": {"at": [150, 50]}})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"places": {"a": {"at": [50, 50]}}}, "no position for b"),
        ({"places": {"a": {"at": [5, 5]}, "b": {"at": [9, 9]}, "c": {"at": [7, 7]}}}, "place of the layout: 'c'"),
        ({"places": {"a": {"at": [5, 5]}, "b": {"at": [9, 9], "hangs": "up"}}}, "'up'; known are e, n, ne"),
        ({"place_kinds": {}}, "kind of place: 'town'"),
        ({"path_kinds": {}}, "kind of path: 'road'"),
    ],
)
def test_a_layout_that_does_not_fit_is_refused_in_words(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(Misdrawn, match=reason):
        small(**changes)


def of_scenes(seen: dict[str | None, Scene]) -> Any:
    """Return what the pictures of letters are made from: a game in which nobody is asked anything."""
    return SimpleNamespace(
        name="punica",
        adjudication=1,
        open_decisions=[],
        view=seen.get,
        told=lambda side, since: [],
        box=SimpleNamespace(sides=[]),
        rules=SimpleNamespace(scene=lambda view, events: view, places=lambda view, decision: ()),
    )


def test_pictures_are_drawn_once_for_all_who_see_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Scene] = []

    def drawn(scene: Scene, **_: object) -> tuple[int]:
        made.append(scene)
        return (len(made),)

    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", drawn)
    game = of_scenes({None: scene(), "rome": scene(control={"capua": "rome"})})
    maps = Maps()
    numbers: list[Any] = [maps.pictures(game, side, 0) for side in (None, "rome", None, "rome")]
    assert numbers == [(1,), (2,), (1,), (2,)]


def test_a_picture_that_fails_is_logged_and_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", broken)
    assert Maps().pictures(of_scenes({"rome": scene()}), "rome", 0) == ()
    assert "punica: the pictures for rome cannot be drawn" in caplog.text
