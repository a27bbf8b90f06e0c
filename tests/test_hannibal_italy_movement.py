"""HANNIBAL in Italy: whole movement phases in one sheet, and what each side sees of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from pbem import shelf
from pbem.checking import Receipt, check_sheet
from pbem.dice import LoadedDice, SeededDice
from pbem.engine import Session, faults_in_turn
from pbem.protocol import Order
from pbem.rules.hannibal_italy.state import CARTHAGE, ROME, UNSEEN, Game
from pbem.sheet import Sheet
from pbem.shelf import Loaded
from pbem.table import Table


@cache
def loaded(**options: str) -> Loaded:
    return shelf.load("hannibal_italy", options=options)


def session(change: Callable[[Game], None] | None = None, dice: Any = None, **options: str) -> Session[Any]:
    """Return the campaign at the first march of Carthage in the winter of 218, changed as a test needs it."""
    rules = loaded(**options).rules
    game: Game = rules.setup("campaign", Table(SeededDice("movement")))
    game.phase = "first_move"
    if change is not None:
        change(game)
    return Session(rules, game, dice or LoadedDice({}))


def checked(playing: Session[Any], orders: str) -> tuple[Receipt, Sheet | None]:
    """Return what is wrong with a sheet of Carthage."""
    head = "game: winter\nside: carthage\nadjudication: 1\norders:\n"
    box = loaded().box
    raw = (head + orders).encode()
    return check_sheet(
        box,
        "winter",
        playing.rules.sides,
        CARTHAGE,
        1,
        playing.waiting,
        playing.faults,
        raw,
        further=playing.further,
    )


WHOLE_PHASE = """\
- move: {leader: hannibal, units: {punic_horse: 6, elephants: 3}, path: [taurasia, "0225", "0223"]}
- move: {leader: hanno, units: {punic_foot: 2}, path: [taurasia]}
- move: {leader: hamilcar, units: all, path: ["0326"]}
- move: {leader: gaulish_leader, path: [taurasia, "0425"]}
- move: {end: true}
"""


def test_a_whole_phase_in_one_sheet_is_accepted() -> None:
    receipt, sheet = checked(session(), WHOLE_PHASE)
    assert receipt.complaints == ()
    assert sheet is not None
    assert len(sheet.orders) == 5


def test_the_faults_of_all_its_marches_are_told_at_once_each_in_its_place() -> None:
    receipt, sheet = checked(
        session(),
        """\
- move: {leader: hannibal, units: {punic_horse: 6}, path: [taurasia, "0225", nowhere]}
""",
    )
    assert sheet is None
    ((fault, mark),) = [(placed.fault, placed.mark) for placed in receipt.complaints]
    assert (mark.line, mark.column) == (5, 78)
    assert "nowhere" in fault.reason


def test_later_marches_are_checked_as_if_the_earlier_ones_were_done() -> None:
    receipt, _ = checked(
        session(),
        """\
- move: {leader: hannibal, units: {punic_horse: 6, punic_foot: 2}, path: [taurasia]}
- move: {leader: hanno, units: {punic_foot: 2}, path: [taurasia]}
- move: {leader: hamilcar, path: ["0326", rhegium]}
- move: {leader: hannibal, path: ["0225"]}
""",
    )
    found = [(placed.mark.line, placed.fault.rule, placed.fault.reason) for placed in receipt.complaints]
    assert [(line, rule) for line, rule, _ in found] == [(6, "7.2"), (7, "7.3"), (8, "7.1")]
    assert "only 1 punic_foot" in found[0][2]


def test_nothing_is_foreseen_beyond_a_die() -> None:
    playing = session()
    (decision,) = playing.waiting
    tried = Order("move", {"leader": "hannibal", "path": ["taurasia", "0225", "0223", {"try": "mediolanum"}]})
    again = Order("move", {"leader": "hannibal", "path": ["nowhere"]})
    assert playing.further(decision, [tried, again]) == [[], []]
    done = Order("move", {"leader": "hannibal", "path": ["taurasia"]})
    assert [fault.rule for fault in playing.further(decision, [done, again])[1]] == ["7.1"]


def test_looking_ahead_changes_nothing() -> None:
    playing = session()
    (decision,) = playing.waiting
    before = playing.rules.encode(playing.position)
    known = playing.rules.known(playing.position, CARTHAGE)
    march = Order("move", {"leader": "hannibal", "path": ["taurasia", {"drop": {"elephants": 1}}]})
    assert faults_in_turn(playing.rules, known, decision, [march, march])[1] != []
    assert playing.rules.encode(playing.position) == before


def test_a_ready_phase_is_carried_out_order_by_order() -> None:
    playing = session()
    _, sheet = checked(playing, WHOLE_PHASE)
    assert sheet is not None
    for order in sheet.orders[:4]:
        (decision,) = playing.waiting
        assert playing.faults(decision, order) == []
        playing.answer([order])
        playing.go_on()
    position: Game = playing.position
    assert [position.leaders[leader].at for leader in ("hannibal", "hanno", "hamilcar")] == ["0223", "0326", "0326"]
    assert position.leaders["hamilcar"].units == {"punic_foot": 1}


# ---- what Rome sees (7.5)


@pytest.mark.parametrize(("seen", "sight"), [("presence", {UNSEEN: 1}), ("all", {"elephants": 3})])
def test_rome_sees_that_units_stay_behind_and_not_which(seen: str, sight: dict[str, int]) -> None:
    playing = session(leaderless_seen=seen)
    playing.answer([Order("move", {"leader": "hannibal", "path": ["taurasia", {"drop": {"elephants": 3}}, "0225"]})])
    known: Game = playing.rules.known(playing.position, ROME)
    assert known.loose[CARTHAGE] == {"0326": sight}
    assert known.dropped == {}
    assert known.leaders["hannibal"].units == {UNSEEN: 1}
    (left,) = [event for event in playing.table.events if event.kind == "units_left"]
    assert left.to == (None if seen == "all" else (CARTHAGE,))


def test_the_orders_of_carthage_are_its_own_those_of_rome_are_read_by_all() -> None:
    playing = session()
    assert [decision.secret for decision in playing.waiting] == [True]
    playing.answer([Order("move", {"end": True})])

    def to_rome(game: Game) -> None:
        game.phase = "second_move"

    assert [decision.secret for decision in session(to_rome).waiting] == [False]


def test_a_roll_for_diplomacy_does_not_show_how_strong_hannibal_is() -> None:
    def near(game: Game) -> None:
        game.leaders["hannibal"].at = "0326"

    march = Order("move", {"leader": "hannibal", "path": ["0225", "0223", {"try": "mediolanum"}]})
    told = []
    for units in ({"punic_foot": 3, "punic_horse": 6, "elephants": 3}, {"punic_foot": 3, "punic_horse": 5}):

        def weak(game: Game, units: dict[str, int] = units) -> None:
            near(game)
            game.leaders["hannibal"].units = dict(units)

        playing = session(weak, LoadedDice({"diplomacy/mediolanum": [3]}))
        playing.answer([march])
        told.append([event for event in playing.table.events if event.to is None])
    assert told[0] == told[1]


def test_rome_is_not_told_how_many_lie_in_a_pool() -> None:
    told = []
    for left in ({"allies_2": 4, "allies_3": 6, "allies_4": 6, "allies_5": 4}, {"allies_2": 1}):

        def summer(game: Game, left: dict[str, int] = left) -> None:
            game.year, game.segment, game.phase = 217, "summer", "first_recruiting"
            game.leaders["hanno"].at = "2508"
            game.leaders["gaulish_leader"].at = "away"
            game.pools["allied"] = left

        playing = session(summer, LoadedDice({"recruit/apulia": [6]}, otherwise=SeededDice("pool")))
        told.append(
            (
                [event for event in playing.table.events if event.to is None],
                [(draw.name, len(draw.items)) for draw in playing.table.draws],
            )
        )
    assert told[0] == told[1]
