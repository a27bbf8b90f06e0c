"""HANNIBAL in Italy: whole movement phases in one sheet, and what each side sees of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbem.crypto.dice import LoadedDice, SeededDice
from pbem.engine.answers import Sources
from pbem.engine.faults import faults_in_sequence
from pbem.engine.session import Queued, Session
from pbem.game.boxes import shelf
from pbem.game.boxes.shelf import Loaded
from pbem.game.table import Table
from pbem.orders.check import OpenDecisions, Receipt, check_sheet
from pbem.orders.sheet import Sheet
from pbem.protocol import Checkpoint, Order
from pbem.referee.opening import create_game
from pbem.referee.play import sheet_check
from pbem.referee.play.new_game import NewGame
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, UNSEEN, Game


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
    at = OpenDecisions(
        box=loaded().box,
        game="winter",
        sides=playing.rules.sides,
        side=CARTHAGE,
        adjudication=1,
        decisions=playing.open_decisions,
        faults=playing.every_fault,
        further=playing.further,
        costs=playing.costs,
    )
    return check_sheet(at, (head + orders).encode())


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


def test_fault_of_a_march_is_told_in_its_place() -> None:
    """A fault of a march is reported in its place, with line and column."""
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


def test_later_marches_are_checked_as_if_earlier_ones_were_done() -> None:
    """Later marches are checked as if the earlier ones were done."""
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
    assert "only 1 Carthaginian foot (punic_foot)" in found[0][2]


def test_order_beyond_a_die_is_at_fault_if_it_is_for_every_roll() -> None:
    """Beyond a die, an order is at fault if it is so however the die falls."""
    playing = session()
    (decision,) = playing.open_decisions
    tried = Order("move", {"leader": "hannibal", "path": ["taurasia", "0225", "0223", {"try": "mediolanum"}]})
    astray = Order("move", {"leader": "hanno", "path": ["nowhere"]})
    again = Order("move", {"leader": "hannibal", "path": ["0225"]})
    rules = [[fault.rule for fault in faults] for faults in playing.further(decision, [tried, astray, again])]
    assert rules == [[], ["7.2"], ["7.1"]]
    # To go into a city that may be won over is in order, into one that nobody tries is not.
    inside = Order("move", {"leader": "hanno", "path": ["mediolanum"], "inside": True})
    assert playing.further(decision, [tried, inside]) == [[], []]
    doubtful = Order("move", {"leader": "hamilcar", "path": ["0225", "0223", {"try": "mediolanum"}]})  # 1 is too low
    assert playing.further(decision, [doubtful, inside]) == [[], []]
    other = Order("move", {"leader": "hanno", "path": ["clastidium"], "inside": True})
    assert [fault.rule for fault in playing.further(decision, [tried, other])[1]] == ["7.6"]


def test_an_end_waits_if_a_march_before_it_no_longer_fits() -> None:
    playing = session()
    (decision,) = playing.open_decisions
    end = Queued(Order("move", {"end": True}), "sheet 1")
    queue = [Queued(Order("move", {"leader": "hanno", "path": ["nowhere"]}), "sheet 1"), end]
    sources = Sources({CARTHAGE: queue})
    assert sources.find(playing, decision) is None
    assert [queued.order.body for _, queued, _ in sources.expired] == [{"leader": "hanno", "path": ["nowhere"]}]
    ready = Sources({CARTHAGE: [end]})
    assert ready.find(playing, decision) == (end.order, "sheet 1")
    # One that comes when the phase is over by itself is not worth a word.
    ready.end_span(playing, Checkpoint())
    assert ready.expired == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ('"0227, try taurasia, taurasia"', None),
        ("taurasia, try dertona", "Dertona is not next to Taurasia, where it would be tried (rule 7.4)"),
        ('"taurasia, try dertonna"', "there is no city dertonna, did you mean Dertona? (rule 7.2)"),
        ('"taurasia, 1115 , nowhere, 0225"', "there is no hex or city 1115"),
        ("0326", None),
        ("326", None),
        ("9999", "there is no hex or city 9999"),
    ],
)
def test_a_path_may_be_written_in_many_ways(path: str, line: str | None) -> None:
    receipt, _ = checked(session(), f"- move: {{leader: hannibal, path: {path}}}\n")
    assert (line in str(receipt)) if line else not receipt.complaints, str(receipt)


def test_a_fault_in_a_path_of_one_text_is_shown_at_its_own_word() -> None:
    receipt, _ = checked(session(), '- move: {leader: hannibal, path: "taurasia, try dertonna, 0225"}\n')
    *_, line, carets = str(receipt).rstrip().splitlines()
    assert line[carets.index("^") : carets.rindex("^") + 1] == "try dertonna"


def test_a_wrong_companion_hides_no_fault_of_the_path() -> None:
    receipt, _ = checked(
        session(),
        "- move: {leader: hanibal, path: [rome]}\n"
        "- move: {leader: hannibal, with: [varro], units: {punic_fot: 1}, path: [nowhere]}\n",
    )
    text = str(receipt)
    assert "no leader is called hanibal, did you mean Hannibal? who can move: " in text
    assert "Varro is not your leader" in text
    assert "did you mean Carthaginian foot (punic_foot)?" in text
    assert "there is no hex or city nowhere" in text


def test_the_standing_orders_of_the_guide_can_be_filed() -> None:
    guide = (Path(__file__).resolve().parents[3] / "docs" / "standing-orders.md").read_text("utf-8")
    example = guide.partition("## HANNIBAL, Italy: an example")[2].partition("```yaml\n")[2].partition("```")[0]
    raw = f"game: cannae\nside: {CARTHAGE}\nadjudication: 1\n{example}"
    playing = session()
    at = OpenDecisions(
        box=loaded().box,
        game="cannae",
        sides=playing.rules.sides,
        side=CARTHAGE,
        adjudication=1,
        decisions=playing.open_decisions,
        faults=playing.every_fault,
        periods=("segment", "year"),
    )
    receipt, sheet = check_sheet(at, raw.encode())
    assert not receipt.complaints, str(receipt)
    assert sheet is not None
    assert len(sheet.standing or ()) > 12


def test_looking_ahead_changes_nothing() -> None:
    playing = session()
    (decision,) = playing.open_decisions
    before = playing.rules.encode(playing.position)
    view = playing.rules.view(playing.position, CARTHAGE)
    march = Order("move", {"leader": "hannibal", "path": ["taurasia", {"drop": {"elephants": 1}}]})
    assert faults_in_sequence(playing.rules, view, decision, [march, march])[1] != []
    assert playing.rules.encode(playing.position) == before


def test_a_ready_phase_is_carried_out_order_by_order() -> None:
    playing = session()
    _, sheet = checked(playing, WHOLE_PHASE)
    assert sheet is not None
    for order in sheet.orders[:4]:
        (decision,) = playing.open_decisions
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
    view: Game = playing.rules.view(playing.position, ROME)
    assert view.loose[CARTHAGE] == {"0326": sight}
    assert view.dropped == {}
    assert view.leaders["hannibal"].units == {UNSEEN: 1}
    (left,) = [event for event in playing.table.events if event.kind == "units_left"]
    assert left.to == (None if seen == "all" else (CARTHAGE,))


def test_orders_of_carthage_are_secret_those_of_rome_are_public() -> None:
    """The orders of Carthage are its own, and those of Rome are read by all."""
    playing = session()
    assert [decision.secret for decision in playing.open_decisions] == [True]
    playing.answer([Order("move", {"end": True})])

    def to_rome(game: Game) -> None:
        game.phase = "second_move"

    assert [decision.secret for decision in session(to_rome).open_decisions] == [False]


def test_roll_for_diplomacy_does_not_show_hannibals_strength() -> None:
    """A roll for diplomacy does not show how strong Hannibal is."""

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


def test_a_sheet_that_lies_ready_says_what_it_will_cost(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    new = NewGame("italy", "hannibal_italy", players={CARTHAGE: "Bob", ROME: "Ann"})
    with create_game(tmp_path, tmp_path / "keys", new) as game:
        game.adjudicate(late=[CARTHAGE])
        game.adjudicate(late=[ROME])
        sheet = "game: italy\nside: carthage\nadjudication: 3\norders:\n- move: {leader: hanno, path: placentia}\n"
        receipt = game.receive(CARTHAGE, sheet.encode())
        assert receipt.number == 1, str(receipt)
        assert sheet_check.costs(game, CARTHAGE) == ["hanno: placentia 8; 8 of 30 movement points"]
        assert sheet_check.costs(game, ROME) == []


def test_a_sheet_that_is_in_order_tells_what_each_march_costs() -> None:
    receipt, _ = checked(
        session(),
        "- move: {leader: hanno, path: 'placentia, along via aemilia, to ariminum'}\n"
        '- move: {leader: hannibal, path: ["0227", {try: taurasia}, taurasia]}\n- move: {end: true}\n',
    )
    assert list(receipt.costs) == [
        "hanno: placentia 8, ariminum 4.5; 12.5 of 30 movement points",
        "hannibal: try taurasia 5, taurasia 1; 6 of 20 movement points",
    ]
    riding, _ = checked(session(), "- move: {leader: hannibal, path: taurasia, overrun: true}\n")
    assert list(riding.costs) == ["hannibal: taurasia 1; 1 of 20 movement points, and 3 more for an overrun"]
