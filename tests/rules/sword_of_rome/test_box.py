"""The box of The Sword of Rome: what the sources print of map and tables, and flaws that are found."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.game.boxes.box import Box, open_box
from pbem.game.boxes.box_file import BrokenBox
from pbem.rules.sword_of_rome.position.unpack import contradictions, unpack
from tests.support.soak import quick_first

BOX = open_box("sword_of_rome")
BOARD = unpack(BOX)


@pytest.mark.parametrize(
    ("larger", "smaller", "modifier"),
    [(8, 4, 3), (10, 5, 3), (4, 2, 3), (2, 1, 3), (6, 4, 1), (5, 5, 0), (4, 1, None), (3, 0, None)],
)
def test_force_ratio(larger: int, smaller: int, modifier: int | None) -> None:
    assert BOARD.force_ratio(larger, smaller) == modifier


@pytest.mark.parametrize(
    ("winner", "loser", "lost"),
    [
        ((3, [6, 5, 3]), (5, [5, 5, 1]), (2, 5)),
        ((1, [6, 5, 3]), (2, [5, 5, 1]), (2, 3)),
        ((5, [5, 5, 4]), (10, [5, 2, 2]), (1, 5)),
        ((2, [6, 6, 6, 6]), (4, [4, 4, 5]), (3, 8)),
        ((1, [6, 5, 5]), (2, [2, 2, 5]), (1, 2)),
        ((4, [6, 4, 4]), (6, [1, 1, 2]), (0, 6)),
    ],
)
def test_losses_of_the_worked_examples(
    winner: tuple[int, list[int]], loser: tuple[int, list[int]], lost: tuple[int, int]
) -> None:
    assert BOARD.losses(winner, loser) == lost


def test_siege_rolls_of_the_worked_example() -> None:
    """14.3: 10 and 7 succeed, 7 and 3 cost a CU, 5 does nothing."""
    assert [BOARD.siege_result(total) for total in (10, 7, 5, 3)] == [(1, 0), (1, 1), (0, 0), (0, 1)]
    assert BOARD.siege_result(1) == BOARD.siege_result(2)


def test_contested_voyage_of_the_worked_example() -> None:
    """S 9.6.4: a 3, with +1 for a card of value 2 and -2 for a friendly port."""
    naval = BOX.table("tables")["naval"]
    assert BOARD.naval_result(3 + naval["card"][1] + naval["friendly"]) == "success"
    assert [BOARD.naval_result(total) for total in (-1, 3, 9)] == ["success", "return", "attrition"]


def test_what_is_sourced_is_counted() -> None:
    chart = BOX.table("map")
    assert sum("name" in space["sources"] for space in chart["spaces"]) == 42
    assert sum("path" in path.get("sources", {}) for path in chart["connections"]) == 8
    printed = Counter(card.get("printed") for card in BOX.table("cards")["cards"] if card["name"] not in GENERIC)
    assert printed["whole"] == 17


GENERIC = ("Campaign", "Neutral Power Activates")


def test_decks_have_the_planned_values() -> None:
    for side, deck in BOARD.decks.items():
        values = Counter(BOARD.cards[card].value for card in deck)
        assert [values[value] for value in (1, 2, 3)] == BOX.table("cards")["values"], side
        assert sum(BOARD.cards[card].reshuffle for card in deck) == 1


@pytest.mark.parametrize("players", [5, 4, 3, 2])
def test_every_game_has_its_decks_and_leaders(players: int) -> None:
    """2.1, 2.3: a deck has 37 cards in each game, of powers that play; what is not in play is on no list."""
    board = unpack(BOX, players)
    assert {side: len(deck) for side, deck in board.decks.items()} == dict.fromkeys(board.sides, 37)
    assert {leader.power for leader in board.leaders.values()} <= board.powers.keys()
    assert {space.home for space in board.spaces.values()} - {None} <= board.powers.keys()
    assert all({a, b} <= board.spaces.keys() for a, b, _ in board.connections)
    assert sorted(side for sides in board.seats.persons for side in sides) == sorted(board.sides)


def test_gallic_events() -> None:
    """Two dice find a row each, three cards a deck cancel one."""
    board = unpack(BOX, 3)
    assert sorted(board.gallic_events) == [*range(2, 13)]
    cancel = [card.deck for card in board.cards.values() if card.when == "gallic_event"]
    assert Counter(cancel) == dict.fromkeys(board.sides, 3)
    assert not [card for card in BOARD.cards.values() if card.when == "gallic_event"]


def test_constraints_of_the_sources_hold() -> None:
    """7.3.2, 9.6.3, S 2.2, S 5.2: Roman support, ports, and the victory spaces of Carthage."""
    roman = {space.id: space.loyalty for space in BOARD.spaces.values() if space.home == "romans"}
    assert {id: loyalty for id, loyalty in roman.items() if loyalty} == {
        "roma": 3,
        "capua": 1,
        "narnia": 1,
        "sutrium": 1,
    }
    assert {id for id, loyalty in roman.items() if not loyalty} == {"praeneste", "tarracina", "velitrae"}
    assert {"pisae", "roma", "messana", "lilybaeum", "neapolis", "tarentum", "syracusae"} <= set(BOARD.ports)
    own = {space.id for space in BOARD.spaces.values() if space.home == "carthage" and space.victory}
    assert own == {"olbia", "caralis", "lilybaeum", "panormus", "kerkouane", "carthago"}
    assert own == {id for id in BOARD.ports if BOARD.spaces[id].home == "carthage"}
    assert BOARD.neighbours["transalpine_box"] == {"eporedia": "rough"}
    assert "transalpine_box" not in BOARD.neighbours["eporedia"]


def opened(box: Box) -> None:
    """Open a box as the shelf does: the package looks at it first, then the schemas."""
    unpack(box)
    box.check()


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    quick_first(
        [
            ("map", "between: [luna, pisae]", "between: [luna, pisa]", "there is no space pisa; did you mean pisae?"),
            ("map", "spaces: 75, paths", "spaces: 74, paths", "the lists have 75"),
            ("map", "- {between: [messana, thermae]}", "- {between: [messana, lilybaeum]}", None),
            ("map", "name: Ancona, kind: normal", "name: Ancona, kind: normal, home: romans", "none of the seven"),
            (
                "map",
                "name: Volaterrae, kind: normal",
                "name: Volaterrae, kind: walled, loyalty: 2",
                "only Pisae and Tarq",
            ),
            (
                "map",
                "name: Parma, kind: normal",
                "name: Parma, kind: walled, loyalty: 1",
                "parma is a home space of the G",
            ),
            (
                "map",
                "{id: selinus, ",
                "{id: selinus, victory: five, ",
                "selinus: the victory spaces of Carthage are the ports",
            ),
            (
                "map",
                "region: sardinia, port: true, victory: five, lat: 3922",
                "region: africa, lat: 3922",
                "caralis is none",
            ),
            ("map", "{id: capua, ", "{id: casilinum, ", "there is no space capua"),
            ("cards", "deck_size: 37", "deck_size: 36", "gauls has 37 cards"),
            ("cards", "do: [{levy: 1}]", "do: [{levi: 1}]", "levi does not belong here; did you mean levy?"),
            ("cards", "when: raid,", "when: raids,", "none of the 16 words that may stand here; did you mean raid?"),
            ("cards", "place: siege", "place: sieges", "did you mean siege?"),
            (
                "cards",
                "roll: {of: etruscans",
                "roll: {of: etruscan",
                "there is no power etruscan; did you mean etruscans?",
            ),
            ("cards", "one_of: [brennus]", "one_of: [brenus]", "there is no leader brenus; did you mean brennus?"),
            ("cards", "players: [5]", "control: {space: rom, by: own}", "there is no space rom; did you mean roma?"),
            ("cards", "region: [samnium]", "region: [samniun]", "there is no region samniun; did you mean samnium?"),
            ("cards", "winner: own", "winner: owns", "there is no power owns; did you mean own?"),
            ("cards", "nonplayer: [volsci]", "nonplayer: [volci]", "there is no power volci; did you mean volsci?"),
            ("cards", "greeks: [k5]", "greeks: [g33]", "greeks has no card g33 in its deck"),
            ("leaders", "power: gauls", "power: gaul", "did you mean gauls?"),
            ("cards", "in_place_of: e5", "in_place_of: r5", "there is no card of its deck r5"),
            ("cards", "treaty: carthage", "treaty: cartage", "there is no power cartage; did you mean carthage?"),
            ("powers", "sides: [gauls", "sides: [gaul", "there is no side gaul; did you mean gauls?"),
            ("gallic_events", "cancelled_by: [r21", "cancelled_by: [r99", "there is no card r99"),
            ("gallic_events", "of: samnites", "of: samnite", "there is no power samnite; did you mean samnites?"),
        ],
        6,
    ),
)
def test_flaws_are_found(tmp_path: Path, file: str, old: str, new: str, reason: str | None) -> None:
    folder = tmp_path / BOX.id
    shutil.copytree(BOX.folder, folder)
    path = folder / f"{file}.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    box = Box(folder)
    if reason is None:
        unpack(box)
        return
    with pytest.raises(BrokenBox) as broken:
        opened(box)
    assert reason in str(broken.value)


@pytest.mark.parametrize(
    ("space", "left", "reason"),
    [
        ("sutrium", ["roma", "narnia"], "no space of the Etruscans is next to sutrium"),
        ("capua", ["neapolis"], "no space of the Samnites is next to capua"),
        ("clusium", ["arretium"], "an army marches from Clusium to Roma with 4 points"),
    ],
)
def test_map_without_paths_of_an_example_is_a_flaw(space: str, left: list[str], reason: str) -> None:
    """7.3.2: what the Romans can do in the example, a map must let them do."""
    around = {near: kind for near, kind in BOARD.neighbours[space].items() if near in left}
    board = replace(BOARD, neighbours={**BOARD.neighbours, space: around})
    assert [told for _, _, told in contradictions(BOARD, BOX)] == []
    assert reason in "".join(told for _, _, told in contradictions(board, BOX))


def test_a_map_that_is_cut_in_two_is_a_flaw(tmp_path: Path) -> None:
    folder = tmp_path / BOX.id
    shutil.copytree(BOX.folder, folder)
    path = folder / "map.yaml"
    lines = [line for line in path.read_text("utf-8").splitlines() if "asculum" not in line or "between" not in line]
    text = "\n".join(lines).replace("paths: 110", "paths: 107")
    path.write_text(text, "utf-8")
    with pytest.raises(BrokenBox, match="no path and no port leads from Roma to asculum"):
        unpack(Box(folder))
