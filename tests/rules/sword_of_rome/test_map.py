"""The map of The Sword of Rome: nothing printed covers anything else, and all of it is on the picture."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from pbem.game import BaseMap
from pbem.render.map.canvas import Bounds, overlap
from pbem.render.map.panels import legend, panel, title_panel
from pbem.render.map.picture import PANEL_GAP
from pbem.render.map.places import label_box, shape_box
from pbem.rules.sword_of_rome.position.state import Game, Mark
from pbem.rules.sword_of_rome.views.scene import base
from tests.support.walks import loaded, start

ALLIANCES = 6
"""So many alliances at once, beside the one for ever, have room on the picture."""
each_edition = pytest.mark.parametrize("edition", ["five", "four", "three", "two"])


@cache
def italy() -> BaseMap:
    rules: Any = loaded("sword_of_rome").rules
    return base(rules.box, rules.board)


def printed() -> Iterator[tuple[str, Bounds]]:
    for place in italy().places.values():
        yield place.id, shape_box(italy(), place)
        yield f"the name of {place.id}", label_box(italy(), place)


def full(edition: str) -> Game:
    """Return a position in which the panels have much to say: many alliances and events, and no leader on the map."""
    game: Game = start(loaded("sword_of_rome", edition).rules, "full", 1)
    powers = [power for side in game.board.sides for power in game.board.powers_of[side]]
    game.alliances += ["+".join(sorted(pair)) for pair in combinations(powers, 2)][:ALLIANCES]
    game.marks = [Mark(name, "greeks", "game") for name in ("appian_way", "duoviri_navales", "elephants", "dictator")]
    game.marks += [Mark("wild_beasts", "gauls", "game", power) for power in powers[:3]]
    game.displaced = [leader for leader in game.board.leaders if leader not in (*game.reserve, *game.cup)]
    game.activated, game.unrest_raised = [power for power in game.board.powers if power not in powers], True
    return game


def slots(edition: str) -> Iterator[tuple[str, Bounds]]:
    """Yield what the panels of a full position take, those of one slot one below another."""
    rules: Any = loaded("sword_of_rome", edition).rules
    scene = rules.scene(full(edition))
    sides = scene.sides
    room = scene.base.slots
    pictures = [("title", title_panel(scene.title, scene.subtitle, room["title"].width, 1))]
    pictures += [(each.slot, panel(each, sides, room[each.slot].width, 1)) for each in scene.panels]
    pictures.append(("legend", legend(scene.base, sides, room["legend"].width, 1)))
    down = {name: float(slot.y) for name, slot in room.items()}
    for n, (name, picture) in enumerate(pictures):
        x, y = room[name].x, down[name]
        yield f"panel {n} in {name}", (x, y, x + picture.width, y + picture.height)
        down[name] += picture.height + PANEL_GAP


@each_edition
def test_nothing_printed_lies_on_anything_else(edition: str) -> None:
    clashes = [
        (one, other)
        for (one, a), (other, b) in combinations([*printed(), *slots(edition)], 2)
        if overlap(a, b) and other != f"the name of {one}"
    ]

    assert clashes == []


@each_edition
def test_everything_printed_is_on_the_picture(edition: str) -> None:
    out = [
        name
        for name, (left, top, right, bottom) in [*printed(), *slots(edition)]
        if left < 0 or top < 0 or right > italy().width or bottom > italy().height
    ]

    assert out == []


def test_no_two_paths_cross_and_none_runs_under_a_third_place() -> None:
    at = {place.id: (place.x, place.y) for place in italy().places.values()}

    def turn(p: tuple[int, int], q: tuple[int, int], r: tuple[int, int]) -> int:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    def cross(one: Any, other: Any) -> bool:
        a, b, c, d = at[one.a], at[one.b], at[other.a], at[other.b]
        return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0

    crossings = [
        (one, other)
        for one, other in combinations(italy().paths, 2)
        if len({one.a, one.b, other.a, other.b}) == 4 and cross(one, other)
    ]

    assert crossings == []
    assert [(path.a, path.b, id) for path in italy().paths for id in at if _covers(at, path, id)] == []


def _covers(at: dict[str, tuple[int, int]], path: Any, id: str) -> bool:
    """Tell whether a path runs through the shape of a place that is none of its ends."""
    if id in (path.a, path.b):
        return False
    (ax, ay), (bx, by), (x, y) = at[path.a], at[path.b], at[id]
    length: float = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
    along: float = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length
    across: float = abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length
    return 0 < along < length and across < 18


def test_colony_and_subjugated_tribe_look_as_they_are_now() -> None:
    """7.2.1, 13.5: a colony is a walled city, and a subjugated tribe a normal space, for the rest of the game."""
    rules: Any = loaded("sword_of_rome").rules
    game: Game = start(rules, "full", 1)
    game.colonies, game.loyalty["praeneste"] = ["praeneste"], 2
    game.tribes.remove("bovianum")
    scene = rules.scene(game)
    assert scene.kinds == {"praeneste": "walled_victory", "bovianum": "normal_victory"}
    assert (scene.kind("praeneste").form, scene.kind("roma").form, scene.kind("bovianum").form) == (
        "star",
        "star",
        "diamond",
    )
    markers = {marker.place: marker.text for marker in scene.markers}
    assert (markers["praeneste"], markers["roma"], "bovianum" in markers) == ("colony 2", "3", False)
    told = {section.title: [line.label for line in section.lines] for section in rules.summary(game).sections}
    assert "Samnites: Aufidena 3, Larinum 3" in told["Tribes"]
    assert any("Praeneste 2 (colony)" in line for line in told["Loyalty of the cities"])


@each_edition
def test_capital_overseas_has_loyalty_only_with_five_players(edition: str) -> None:
    """17: nobody conquers Carthago while Carthage has no player."""
    rules: Any = loaded("sword_of_rome", edition).rules
    game: Game = start(rules, "full", 1)
    cities = next(section for section in rules.summary(game).sections if section.title == "Loyalty of the cities")
    assert ("carthago" in {marker.place for marker in rules.scene(game).markers}) == (edition == "five")
    assert any("Carthago" in line.label for line in cities.lines) == (edition == "five")


@each_edition
def test_legend_has_what_is_in_play(edition: str) -> None:
    rules: Any = loaded("sword_of_rome", edition).rules
    drawn = rules.scene(start(rules, "full", 1)).base
    assert ("box" in drawn.place_kinds) == (edition != "three")
    assert ("mercenaries" in dict(drawn.meanings).values()) == (edition == "five")


def test_everybody_may_look_at_the_discards() -> None:
    """6.1: discards are public, and so is what is out of the game (7.1.3)."""
    rules: Any = loaded("sword_of_rome").rules
    game: Game = start(rules, "full", 1)
    game.discards["romans"], game.removed = ["r7", "r36"], ["r12"]
    lines = next(section for section in rules.summary(rules.view(game, None)).sections if section.title == "Discards")
    assert [line.label for line in lines.lines] == [
        "Romans: Campaign, Settlers for Cales°",
        "Out of the game: Appian Way",
    ]
