"""Pictures of boards of hexes: what is printed lies in its hex, what is hidden looks alike, pieces know their hex."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import pytest
from PIL import Image

from pbem.crypto.dice import SeededDice
from pbem.game.board.board_map import BaseMap, Misdrawn, Point
from pbem.game.board.hexes import hex_map
from pbem.game.board.scene import Counter, DrawnSide, Scene
from pbem.game.boxes import shelf
from pbem.game.table import Table
from pbem.protocol import Event, Side
from pbem.render.map.canvas import Bounds, overlap, rgb
from pbem.render.map.panels import legend, panel, title_panel
from pbem.render.map.picture import draw
from pbem.render.map.placement import Wish, anchor_of, placements
from pbem.render.map.places import label_box, region_box, shape_box
from pbem.rules.hannibal_italy.battle.withdrawal import Withdrawal, move_out
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, Battle, Game, Siege

RED = DrawnSide("red", "Red", "#aa0000")


# ---- a board of no game


def small(**changes: Any) -> BaseMap:
    """Return a board of four hexes, with some of its layout changed."""
    layout = {
        "id": "small",
        "size": [300, 240],
        "hexes": {"width": 60, "at": [60, 60]},
        "tile_kinds": {
            "plain": {"tone": "#eeeecc", "relief": "flat", "legend": "Plain"},
            "peak": {"tone": "#aa9977", "relief": "peaks", "legend": "Peak"},
        },
        "place_kinds": {"town": {"form": "diamond", "size": 20, "empty": "#ffffff", "legend": "Town"}},
        "path_kinds": {"road": {"stroke": "solid", "width": 3, "ink": "#000000", "peaks": 0, "legend": "Road"}},
        "regions": {"west": {"text": "West", "at": [60, 100]}, "east": {"text": "East", "at": [160, 100]}},
        "slots": {"legend": {"at": [180, 120], "width": 110}},
        **changes,
    }
    hexes: list[dict[str, Any]] = [
        {"id": "a", "at": (0, 0), "terrain": "plain", "region": "west", "name": "Alba", "kind": "town", "mark": "4"},
        {"id": "b", "at": (2, 0), "terrain": "peak", "region": "west"},
        {"id": "c", "at": (1, 1), "terrain": "plain", "region": "east"},
        {"id": "d", "at": (4, 2), "terrain": "plain", "region": "east"},
    ]
    return hex_map(
        layout, {"abroad": ["2800,0 3000,0 3000,600"]}, hexes, [("a", "c", "road")], [("a", "b"), ("b", "c")]
    )


def test_a_board_of_hexes_needs_nothing_but_its_data() -> None:
    base = small()
    assert [(place.x, place.y) for place in base.places.values()] == [(60, 60), (60, 120), (112, 90), (164, 180)]
    assert (len(base.land), len(base.tiles), len(base.streams)) == (2, 4, 1)
    assert [(region.id, region.label) for region in base.regions] == [("west", "West"), ("east", "East"), ("east", "")]
    drawn = draw(Scene(base, "Small", sides=(RED,), control={"a": "red"}, counters=(Counter("d", "red", "3"),)))
    assert drawn.size == (300, 240)
    assert drawn.getpixel((65, 60)) == rgb(RED.colour)


def test_a_piece_lies_on_a_hex_in_which_nothing_is_printed() -> None:
    base = small()
    for width in (22, 30, 46, 90):
        (box,) = placements(base, [Wish(anchor_of(base, "d"), width, 24)])
        assert (box[0] + box[2], box[1] + box[3]) == (2 * 164, 2 * 180)
    (beside,) = placements(base, [Wish(anchor_of(base, "a"), 30, 24)])
    assert not overlap(beside, shape_box(base, base.places["a"]))


def test_all_that_is_printed_on_hexes_is_part_of_the_digest() -> None:
    assert small() == small()
    other = {"plain": {"tone": "#eeeecd", "relief": "flat", "legend": "Plain"}}
    peak = {"peak": {"tone": "#aa9977", "relief": "peaks", "legend": "Peak"}}
    assert small() != small(tile_kinds={**other, **peak})
    assert small() != small(meanings={"4": "Strength"})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"places": {"e": {"hangs": "n"}}}, "hex of the layout: 'e'"),
        ({"tile_kinds": {}}, "terrain: 'plain'"),
        (
            {"tile_kinds": {"plain": {"tone": "#ffffff", "relief": "steep", "legend": ""}}},
            "relief of a terrain: 'steep'",
        ),
        ({"regions": {}}, "region: 'west'"),
        ({"place_kinds": {}}, "kind of place: 'town'"),
    ],
)
def test_a_layout_that_does_not_fit_is_refused_in_words(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(Misdrawn, match=reason):
        small(**changes)


# ---- HANNIBAL, Italy


@cache
def italy(edition: str | None = None) -> Any:
    return shelf.load("hannibal_italy", edition=edition).rules


def begun(edition: str | None = None) -> Game:
    game: Game = italy(edition).setup("campaign", Table(SeededDice("picture")))
    return game


def seen(game: Game, side: Side | None, told: tuple[Event, ...] = ()) -> Scene:
    scene: Scene = italy().scene(italy().view(game, side), told)
    return scene


def printed(base: BaseMap) -> list[tuple[str, Bounds]]:
    """Return what is printed of places, by name."""
    cities = [place for place in base.places.values() if place.label]
    shapes = [(place.id, shape_box(base, place)) for place in cities]
    return [*shapes, *((f"the name of {place.label}", label_box(base, place)) for place in cities)]


def slots(scene: Scene) -> list[tuple[str, Bounds]]:
    """Return the boxes of the panels of a scene, as the picture lays them."""
    base = scene.base
    found: list[tuple[str, Bounds]] = []
    down: dict[str, int] = {}
    pieces = [("title", title_panel(scene.title, scene.subtitle, base.slots["title"].width, 1.0))]
    pieces += [(each.slot, panel(each, scene.sides, base.slots[each.slot].width, 1.0)) for each in scene.panels]
    pieces += [("legend", legend(base, scene.sides, base.slots["legend"].width, 1.0))]
    for name, drawn in pieces:
        x, y = base.slots[name].x, down.get(name, base.slots[name].y)
        found.append((name, (x, y, x + drawn.width, y + drawn.height)))
        down[name] = y + drawn.height + 8
    return found


def full() -> Game:
    """Return a position with as much in the panels as there can be."""
    game = begun()
    offices = ("consul", "consul", "praetor", "praetor", "proconsul", "proconsul", "dictator", "master_of_horse")
    names = [id for id, card in game.board.leaders.items() if card.side == ROME]
    for id, office in zip(names, offices, strict=False):
        game.leaders[id].at, game.leaders[id].office = "1514", office
    for id in names[len(offices) : len(offices) + 7]:
        game.leaders[id].at = "candidates"
    game.garrisons = ["capua", "rome", "tarentum"]
    for id, card in game.board.leaders.items():
        if card.side == CARTHAGE:
            units = {"allies_2": 1, "elephants": 3, "punic_foot": 8, "punic_horse": 8, "light_horse": 2}
            game.leaders[id].at, game.leaders[id].units = "2308", units
    game.leaders["gaulish_leader"].at = "0227"
    return game


def test_nothing_printed_lies_on_anything_else_or_off_the_board() -> None:
    scene = seen(begun(), None)
    base = scene.base
    names = {f"the name of {place.label}": place.id for place in base.places.values()}
    clashes = [
        (one, other)
        for (one, a), (other, b) in combinations(printed(base), 2)
        if overlap(a, b) and names.get(other) != one
    ]
    assert clashes == []
    for name, (left, top, right, bottom) in (*printed(base), *slots(seen(full(), CARTHAGE))):
        assert min(left, top) >= 0, name
        assert right <= base.width, name
        assert bottom <= base.height, name


def test_panels_leave_the_board_and_one_another_free() -> None:
    for side in (ROME, CARTHAGE, None):
        scene = seen(full(), side)
        boxes = slots(scene)
        hexes = [(tile.number, bounds(tile.outline)) for tile in scene.base.tiles]
        assert [(a[0], b[0]) for a in boxes for b in hexes if overlap(a[1], b[1])] == []
        assert [(a[0], b[0]) for a, b in combinations(boxes, 2) if overlap(a[1], b[1])] == []


def bounds(line: tuple[Point, ...]) -> Bounds:
    return min(x for x, _ in line), min(y for _, y in line), max(x for x, _ in line), max(y for _, y in line)


@pytest.mark.parametrize("edition", ["text", "fair"])
def test_names_of_provinces_lie_on_no_city(edition: str) -> None:
    """The classes of cities, and so their signs, differ between editions."""
    base = italy(edition).scene(italy(edition).view(begun(edition), None)).base
    assert len([region for region in base.regions if region.label]) == 14
    clashes = [
        (region.id, name)
        for region in base.regions
        if region.label
        for name, box in printed(base)
        if overlap(region_box(region), box)
    ]
    assert clashes == []


def test_every_city_stands_in_its_hex() -> None:
    base, board = seen(begun(), None).base, italy().board
    outlines = {tile.number: bounds(tile.outline) for tile in base.tiles}
    cities = [place for place in base.places.values() if place.label]
    assert len(cities) == len(board.cities)
    for place in cities:
        box, hex = shape_box(base, place), outlines[place.id]
        assert overlap(box, hex) == pytest.approx((box[2] - box[0]) * (box[3] - box[1])), place.label
    north, south = base.places["0116"], base.places["4207"]
    assert (north.label, south.label) == ("Patavium 5", "Rhegium 6")
    assert north.y < south.y
    assert north.x < south.x


def test_rome_sees_only_the_back_of_a_carthaginian_stack() -> None:
    """Rome sees the back of a Carthaginian stack and never what is with it."""
    game = begun()
    scene = seen(game, ROME)
    (hannibal,) = (each for each in scene.counters if each.label == "Hannibal")
    assert (hannibal.place, hannibal.strength, hannibal.badges, hannibal.hidden) == ("0227", "", ("2",), True)
    assert scene == seen(game, None)
    game.leaders["hannibal"].units = {"punic_foot": 1}
    assert seen(game, ROME) == scene
    (own,) = (each for each in seen(game, CARTHAGE).counters if each.label == "Hannibal")
    assert (own.strength, own.hidden) == ("6", False)


def test_an_open_battle_shows_rome_what_it_fights() -> None:
    game = begun()
    game.leaders["longus"].at = "0227"
    game.battle = Battle("0227", attacker=ROME, round=1, revealed=True)
    scene = seen(game, ROME)
    (hannibal,) = (each for each in scene.counters if each.label == "Hannibal")
    assert (hannibal.strength, hannibal.badges) == ("51", ("2", "3 el"))
    assert [(mark.place, mark.kind, mark.text) for mark in scene.markers] == [("0227", "battle", "round 1")]


def test_sieges_and_works_are_marked_with_what_matters() -> None:
    game = begun()
    game.sieges = {"placentia": Siege(CARTHAGE, 5), "rome": Siege(CARTHAGE, 0, "partial")}
    marks = {mark.place: (mark.text, mark.kind, mark.side) for mark in seen(game, ROME).markers}
    assert marks == {"0421": ("siege 5+", "siege", CARTHAGE), "2215": ("works 1/2", "siege", CARTHAGE)}


def test_arrows_follow_the_marches_and_withdrawals_just_told() -> None:
    told = (
        Event("marched", {"leader": "hannibal", "way": ["0227", "0225", "0324"]}),
        Event("marched", {"leader": "longus", "way": ["0522"]}),
        Event("withdrawn", {"side": ROME, "hex": "0522", "refuge": "0621", "leaders": ["longus"]}),
    )
    arrows = seen(begun(), ROME, told).arrows
    assert [(arrow.places, arrow.side, arrow.style, arrow.name) for arrow in arrows] == [
        (("0227", "0225", "0324"), CARTHAGE, "march", "Hannibal"),
        (("0522", "0621"), ROME, "retreat", "Longus"),
    ]


def test_leaderless_units_and_garrisons_are_shown_inside_cities() -> None:
    """Units without a leader and garrisons are shown inside their cities."""
    game = begun()
    game.loose[ROME] = {"2409": {"roman_foot": 2}, "0522": {"roman_foot": 1}}
    game.loose[CARTHAGE] = {"0318": {"gauls_2": 1}}
    scene = seen(game, ROME)
    bare = {
        each.place: (each.side, each.strength, each.inside, each.hidden) for each in scene.counters if not each.label
    }
    assert bare == {
        "2409": (ROME, "20", True, False),
        "0522": (ROME, "10", False, False),
        "0318": (CARTHAGE, "", False, True),
        "2215": (ROME, "20", True, False),
        "2904": (ROME, "5", True, False),
    }


def test_pieces_of_a_crowded_front_do_not_lie_on_one_another() -> None:
    scene = seen(full(), CARTHAGE)
    base = scene.base
    pieces = [(hex, 150, 72) for hex in ("2407", "2506", "2508", "2308")] + [("2409", 120, 24), ("2607", 60, 20)]
    taken = [box for _, box in slots(scene)]
    boxes = placements(base, [Wish(anchor_of(base, hex), across, down) for hex, across, down in pieces], taken)
    assert [(a, b) for a, b in combinations([*boxes, *taken], 2) if overlap(a, b)] == []


def test_a_scene_of_the_whole_war_can_be_drawn_small() -> None:
    drawn = draw(seen(full(), CARTHAGE), width=400)
    assert isinstance(drawn, Image.Image)
    assert drawn.size == (400, 370)


def test_everybody_is_told_where_a_beaten_army_went() -> None:
    game, table = begun(), Table(SeededDice("withdrawal"))
    move_out(game, table, Withdrawal(CARTHAGE, "0227", "0225", ["hannibal"], loose=False), rule="10.4")
    (event,) = table.events
    assert (event.to, event.facts["refuge"]) == (None, "0225")
    (arrow,) = seen(game, ROME, (event,)).arrows
    assert (arrow.places, arrow.style) == (("0227", "0225"), "retreat")
