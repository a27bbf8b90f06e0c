"""HANNIBAL in Italy: what the stand-in does with its armies, and the values of the fair edition."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.game.boxes import shelf
from pbem.game.boxes.box import open_box
from pbem.game.table import Table
from pbem.protocol import Decision
from pbem.rules.hannibal_italy.policy.ground import guard_of_rome, left_behind, with_drops
from pbem.rules.hannibal_italy.policy.worth import Forces, before_walls
from pbem.rules.hannibal_italy.position.forces import sp
from pbem.rules.hannibal_italy.position.state import (
    CARTHAGE,
    CONSUL,
    PRAETOR,
    ROME,
    SUMMER,
    UNPLACED,
    WINTER,
    Game,
    Siege,
)

GAME = "hannibal_italy"
HOME = "2215"
"""The hex of Rome."""
PAGE = Path(__file__).resolve().parents[3] / "docs" / GAME / "fair.md"
CHANGE = re.compile(r"\| [A-Z\w .]+ \| \w+ \| \w+ \|")
"""A line of a table of the page: of what, the box's value, that of the edition."""
OPEN_TO_CHANGE = {
    "map": {"provinces": {"vp"}, "cities": {"class", "loyalty"}},
    "counters": {"units": {"count"}},
}
"""What the edition may change, all of it reconstructed: the rest of its files is the box's own."""


def position(year: int = 212, segment: str = WINTER) -> Any:
    """Return the campaign in some year, with the leaders where they begin."""
    game: Game = shelf.load(GAME).rules.setup("campaign", Table(SeededDice("policy")))
    game.year, game.segment = year, segment
    return game


def consul(game: Game, leader: str, hex: str, foot: int, horse: int, office: str = CONSUL) -> None:
    """Put a Roman with an army into a hex."""
    record = game.leaders[leader]
    record.at, record.office = hex, office
    record.units = {unit: count for unit, count in (("roman_foot", foot), ("roman_horse", horse)) if count}


@pytest.mark.parametrize(
    ("side", "own", "guard", "die", "does"),
    [
        (ROME, 15, 0, 0, "assault"),  # 3 to 2, and nobody inside: as at 5-1
        (ROME, 14, 0, 0, "siege"),
        (ROME, 9, 0, 0, "leave"),
        (ROME, 21, 10, 0, "siege"),  # too few to storm
        (CARTHAGE, 15, 0, 2, "assault"),  # Hannibal makes good for the want of a siege train
    ],
)
def test_a_city_is_stormed_where_that_is_better_than_to_wait(
    side: str, own: int, guard: int, die: int, does: str
) -> None:
    game = position()
    city = game.board.cities["mutina"]
    assert before_walls(game, side, city, Forces(own, guard, die), prize=20.0)[0] == does


def test_a_siege_far_on_is_not_given_up_for_a_storm() -> None:
    game = position()
    city = game.board.cities["mutina"]
    game.sieges["mutina"] = Siege(CARTHAGE, 3)
    assert before_walls(game, CARTHAGE, city, Forces(40, 0, 0), prize=20.0)[0] == "siege"


def test_armies_within_walls_wait_for_their_new_leaders() -> None:
    """Units without a leader are inside; a leader put there in summer would be caught outside (5.23, 7.6)."""
    game = position(segment=SUMMER)
    for hex in (HOME, "0326"):  # Rome, and Taurasia, which has no walls
        game.loose[ROME][hex] = {"roman_foot": 2, "roman_horse": 2}
    game.leaders["marcellus"].at, game.leaders["marcellus"].office = UNPLACED, CONSUL
    game.vacant = [HOME, "0326"]
    asked = Decision("place", ROME, "5.23", {"leaders": ["marcellus"], "hexes": [HOME, "0326"]}, {"leaders": {}})
    assert shelf.load(GAME).rules.bot_order(game, asked)["leaders"] == {"marcellus": "0326"}


def test_a_foot_stays_in_a_city_that_carthage_may_talk_over() -> None:
    game = position()
    consul(game, "marcellus", "2710", 6, 6)  # Nola
    consul(game, "fabius_maximus", "2409", 6, 6)
    units = game.leaders["marcellus"].units
    assert left_behind(game, "marcellus", units) == {"roman_foot": 5, "roman_horse": 6}
    game.leaders["fabius_maximus"].units = {}
    assert left_behind(game, "marcellus", units) == units, "Rome has not armies enough to spare one"


def test_foot_is_left_in_posts_only_after_the_last_city_is_tried() -> None:
    """On the way a foot unit is left in a post, but not before the last city is tried."""
    game = position()
    consul(game, "marcellus", "2511", 6, 6)
    consul(game, "fabius_maximus", "2409", 6, 6)
    units = game.leaders["marcellus"].units
    drop = {"drop": {"roman_foot": 1}}
    assert list(with_drops(game, ["2710", "2811", "2910"], units)) == ["2710", drop, "2811", drop, "2910"]
    assert list(with_drops(game, ["2710", {"try": "salernum"}, "2811"], units)) == [
        "2710",
        {"try": "salernum"},
        "2811",
    ]


def test_guard_of_rome_stays_in_winter_and_marches_in_summer() -> None:
    """Rome is guarded in winter, and its guard marches in summer."""
    game = position()
    consul(game, "marcellus", HOME, 8, 8)
    units = game.leaders["marcellus"].units
    stays = sp(game.board, units) - sp(game.board, left_behind(game, "marcellus", units))
    assert stays >= guard_of_rome(game) > 30
    game.segment = SUMMER
    assert left_behind(game, "marcellus", units) == units


def test_a_colleague_without_an_army_gets_his_share() -> None:
    game = position(segment=SUMMER)
    consul(game, "marcellus", HOME, 6, 6)
    consul(game, "fabius_minor", HOME, 0, 0, PRAETOR)
    game.phase, game.first = "second_move", CARTHAGE
    asked = Decision("move", ROME, "7.1", {"leaders": ["fabius_minor", "marcellus"]}, {"end": True})
    order = shelf.load(GAME).rules.bot_order(game, asked)
    assert (order["leader"], order["units"]) == ("marcellus", {"roman_foot": 3, "roman_horse": 3})


# ---- the values of the edition that is fair to both sides


def rows(files: Any, file: str, kind: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in files.table(file)[kind]}


def changes() -> dict[tuple[str, str], tuple[object, object]]:
    """Return what the edition changes: what, and of whom -> the box's value and its own."""
    ours, fair = open_box(GAME, edition="text"), open_box(GAME, edition="fair")
    found: dict[tuple[str, str], tuple[object, object]] = {}
    for file, kinds in OPEN_TO_CHANGE.items():
        for kind, keys in kinds.items():
            before, after = rows(ours, file, kind), rows(fair, file, kind)
            assert list(before) == list(after)
            for id, row in after.items():
                for key in row.keys() | before[id].keys():
                    if row.get(key) != before[id].get(key):
                        assert key in keys, f"the edition must not change {key} of {id}"
                        found[key, row["name"]] = before[id][key], row[key]
        others = [
            {key: table[key] for key in table if key not in {*kinds, "confidence"}}
            for table in (ours.table(file), fair.table(file))
        ]
        assert others[0] == others[1]
    return found


def test_fair_edition_changes_only_what_its_page_tells() -> None:
    """The edition changes reconstructed values alone, and its page tells each."""
    told = PAGE.read_text("utf-8")
    found = changes()
    assert found
    for (_, name), (before, after) in found.items():
        assert f"| {name} | {before} | {after} |" in told, name
    assert len([line for line in told.splitlines() if CHANGE.fullmatch(line)]) == len(found)
