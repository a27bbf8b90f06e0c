"""Games with a clock as they are played: whose clock runs, who is called late, and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

from pbem.audit.explain.migrate import migrate
from pbem.audit.verify import verify
from pbem.crypto.beacon import check_signature, time_of
from pbem.crypto.closing import PATIENCE
from pbem.crypto.keys import Keys
from pbem.game.decision_kinds import does_nothing
from pbem.protocol import Side
from pbem.referee.acts.consents import carry_out_request, note_consent, propose, refuse_request
from pbem.referee.acts.ending import end_by_game_master
from pbem.referee.acts.request_kinds import Proposal
from pbem.referee.acts.rollback import roll_back
from pbem.referee.acts.timekeeping import catch_up, extend_time, extended_by, note_away, note_down, pause_game
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.game.terms import BadTerms
from pbem.referee.game.time_ledger import ledger_line, time_ledger
from pbem.referee.opening import open_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import EXTENSION, PAUSE
from tests.support.beacon_rounds import PUBLISHED
from tests.support.clocked import CLOCK, DAY, HOUR, Table
from tests.support.disputed import other_box
from tests.support.live import NOON, Folder, sheet, subjects
from tests.support.walks import FOLDERS


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def table(folder: Folder) -> Iterator[Table]:
    """Yield a game in which both sides have their letters, an hour after it began."""
    table = Table(folder)
    table.wait(HOUR)
    table.ask()
    yield table
    table.game.close()


def verified(folder: Folder, table: Table, *boxes: Path) -> list[str]:
    """Return what `pbem verify` finds in a game, without a key and with the secrets."""
    table.game.close()
    found = []
    for keys in (None, lambda name: Keys.load(folder.keys, name)):
        verdict = verify(folder.repo("punica"), keys=keys, folders=[*boxes, *FOLDERS])
        found += [str(each) for each in verdict.findings.sorted]
    return found


def test_sides_that_are_asked_at_once_have_a_clock_each(folder: Folder) -> None:
    table = Table(folder)
    table.wait(HOUR)
    table.ask("red")
    table.wait(DAY)
    table.ask("blue")
    assert table.until("red") == NOON + HOUR + 3 * DAY
    assert table.until("blue") == NOON + HOUR + 4 * DAY
    table.wait(HOUR)
    table.answer("red")
    assert table.until("red") is None
    assert table.until("blue") == NOON + HOUR + 4 * DAY
    table.answer("blue")
    assert table.clocks.sides["red"].used == DAY + HOUR
    assert table.clocks.sides["blue"].used == HOUR
    assert verified(folder, table) == []


def test_a_late_side_may_still_answer_while_another_has_time(folder: Folder) -> None:
    table = Table(folder)
    table.ask("red")
    table.wait(2 * DAY)
    table.ask("blue")
    table.wait(2 * DAY)
    assert table.late() == []  # there is no default for what they are asked
    assert table.clocks.sides["red"].called == NOON + 3 * DAY
    assert table.until("blue") == NOON + 5 * DAY
    table.answer("red")
    assert table.answer("blue") == [2]
    assert table.clocks.sides["red"].bank == 12 * HOUR
    assert verified(folder, table) == []


def test_a_default_answers_for_a_late_side(folder: Folder, table: Table) -> None:
    table.answer("red")
    table.answer("blue")
    sides = sorted(table.asked())
    table.ask()
    table.wait(4 * DAY)
    number = table.late()[0]
    assert table.game.ledger.public_turn(number)["late"] == sides
    said = subjects(table.game)
    assert said.index(f"punica: {' and '.join(sides)} late") == said.index(f"punica: adjudication {number}") - 1
    assert verified(folder, table) == []


def test_a_sheet_must_wait_until_who_is_late_was_called(table: Table) -> None:
    game = table.wait(4 * DAY)
    game.carry_out_letter_of(table.now, table.now)
    card = next(iter(game.rules.legal_orders(game.view("red"), game.asked("red")[0])))
    with pytest.raises(CannotPlay, match="the deadline of blue and red has passed"):
        game.receive("red", sheet(game, "red", card))
    game.carry_out_letter_of(table.now - 3 * DAY, table.now)  # a letter that came in time, read only now
    assert game.receive("red", sheet(game, "red", card)).number == 1
    with pytest.raises(CannotPlay, match="says who is late"):
        game.adjudicate(late=["blue"])


def test_letter_of_the_last_second_is_in_time(table: Table) -> None:
    table.now = NOON + HOUR + 3 * DAY
    table.answer("red")
    table.wait(timedelta(seconds=1))
    table.late()
    assert {side: clock.late for side, clock in table.clocks.sides.items()} == {"red": 0, "blue": 1}


def test_night_off_is_followed_by_grace(table: Table) -> None:
    game = table.wait(3 * DAY + 5 * HOUR)  # red had four hours left when it went down
    assert note_down(game, table.now - 9 * HOUR, table.now)
    assert table.until("red") == table.now + 6 * HOUR
    assert not note_down(game, table.now - 6 * HOUR, table.now)  # no longer than the grace


def test_a_question_that_only_lets_a_side_step_in_earns_nothing(folder: Folder, table: Table) -> None:
    for side in ("red", "blue", "red", "blue"):  # both bury, and both bid
        table.answer(side)
    (lead,) = table.asked()
    assert [does_nothing(each.default or {}) for each in table.game.open_decisions] == [True]
    before = table.clocks.sides[lead].bank
    assert before == 4 * DAY  # two bonuses
    table.ask()
    table.wait(HOUR)
    table.answer(lead)
    assert table.clocks.sides[lead].bank == before - HOUR
    assert verified(folder, table) == []


def test_who_withdraws_the_standing_orders_that_answer_is_asked(folder: Folder) -> None:
    """Otherwise the game would wait for a side that has no clock."""
    table = Table(folder)
    table.ask()
    (bury,) = table.choices("red")
    standing = b"standing:\n- bid: {card: %d}\n" % next(
        card for card in table.game.view("red").hands["red"] if card != bury.body["card"]
    )
    table.answer("red", replace=sheet(table.game, "red", bury) + standing)
    table.answer("blue")
    assert table.asked() == ["blue"]
    head = b"game: punica\nside: red\nadjudication: %d\n" % table.game.adjudication
    table.wait(HOUR)
    table.answer("red", replace=head + b"standing: []\n")
    assert sorted(table.asked()) == ["blue", "red"]
    table.ask("red")
    assert table.until("red") == table.now + 3 * DAY + 12 * HOUR
    table.answer("blue")
    table.wait(4 * DAY)
    table.late()
    assert table.clocks.sides["red"].late == 1
    assert verified(folder, table) == []


def test_rollback_asks_anew(folder: Folder, table: Table) -> None:
    table.answer("red")
    table.answer("blue")
    table.ask()
    table.wait(DAY)
    roll_back(table.game, 1, "a sheet was mistyped")
    clocks = table.clocks.sides
    assert {clock.asked for clock in clocks.values()} == {3}
    assert {clock.since for clock in clocks.values()} == {None}
    assert {clock.used for clock in clocks.values()} == {DAY}  # the time that was used is used
    table.ask()
    table.answer("red")
    assert verified(folder, table) == []


def test_migration_changes_no_clock(folder: Folder, table: Table) -> None:
    boxes = other_box("toy", folder.path / "rules", "game.yaml", {"version: 1": "version: 2"})
    before = table.clocks.sides
    table.game.close()
    table.game = open_game(folder.games, folder.keys, "punica", folders=[boxes, *FOLDERS])
    table.wait(DAY)
    migrate(table.game, "newer rules")
    assert table.clocks.sides == before
    table.answer("red")
    table.answer("blue")
    assert verified(folder, table, boxes) == []


@pytest.mark.soak
def test_beacon_closes_the_sheets_with_who_is_late(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.crypto.closing.check_signature", cache(check_signature))
    first, second, third = list(PUBLISHED)[:3]
    table = Table(folder, {**CLOCK, "pace": {"bank": "1m"}}, time_of(first) - PATIENCE, beacon="drand")
    assert table.game.put_in_round(first, PUBLISHED[first]) == [1]
    table.wait(time_of(second) - PATIENCE - table.now)
    table.ask()
    table.answer("red")
    table.answer("blue")
    assert table.game.put_in_round(second, PUBLISHED[second]) == [2]
    table.ask()
    table.wait(time_of(third) - PATIENCE - table.now)
    assert table.late() == []  # the sheets are closed
    closed = table.game.closed
    assert closed is not None
    assert closed.late == ["blue", "red"]
    assert table.game.put_in_round(third, PUBLISHED[third])[0] == 3
    assert table.game.ledger.public_turn(3)["late"] == ["blue", "red"]
    assert verified(folder, table) == []


def test_nobody_is_late_again_while_the_beacon_is_away(folder: Folder) -> None:
    """The sheets are closed with the defaults of who was late; nobody could answer any more."""
    clock = {**CLOCK, "pace": {"bank": "1d"}, "forfeit": 3}
    table = Table(folder, clock, beacon="drand")

    def miss_round() -> list[int]:
        closed = table.game.closed
        assert closed is not None
        return table.wait(DAY).miss_round(closed.round, "the beacon is away")

    assert miss_round() == [1]
    table.answer("red")
    table.answer("blue")
    assert miss_round() == [2]
    table.ask()
    table.wait(2 * DAY)
    assert table.late() == []
    assert table.game.closed is not None
    table.wait(9 * DAY)
    assert table.late() == []
    assert [table.clocks.sides[side].late for side in ("red", "blue")] == [1, 1]
    assert miss_round()[0] == 3
    assert table.game.out == ()
    assert verified(folder, table) == []


def test_a_side_that_is_late_too_often_resigns(folder: Folder) -> None:
    table = Table(folder, {**CLOCK, "late": "wait", "forfeit": 2})
    table.ask("red")
    table.wait(4 * DAY)  # its deadline, and once more after half a day
    table.late()
    result = table.game.result
    assert result is not None
    assert result.winners == ("blue",)
    assert [clock.asked for clock in table.clocks.sides.values()] == [0, 0]
    assert table.late() == []
    said = subjects(table.game)
    assert said[-3:] == ["punica: red late", "punica: red late", "punica: adjudication 2, resignation"]
    assert verified(folder, table) == []


def test_a_late_side_of_five_leaves_and_the_others_play_on(folder: Folder) -> None:
    clock = {**CLOCK, "late": "wait", "forfeit": 1}
    table = Table(folder, clock, rules="five", quorum=2)
    late = table.asked()[-1]
    for side in table.asked()[:-1]:
        table.ask(side)
        table.answer(side)
    table.ask()
    table.wait(4 * DAY)
    table.late()
    assert table.game.out == (late,)
    assert table.game.result is None
    assert table.asked()
    assert verified(folder, table) == []


def test_who_takes_a_side_over_has_time(folder: Folder) -> None:
    """The bank stays, and has a floor. The question counts from when they have the letter; they were never late."""
    table = Table(folder, {**CLOCK, "late": "wait", "forfeit": 2, "newcomer": "2d"})
    table.ask()
    note_away(table.game, "red", (table.now + 9 * DAY).date(), (table.now + 12 * DAY).date())
    table.wait(3 * DAY + HOUR)
    table.late()
    assert table.clocks.sides["red"].late == 1
    table.game.change_player("red", "Carl", "carl@example.org", replaced=True)
    assert table.until("red") is None  # they have no letter yet
    table.wait(5 * HOUR)
    table.ask("red")
    red = table.clocks.sides["red"]
    assert (red.late, red.called, red.away, red.bank) == (0, None, [], 2 * DAY)
    assert red.used == 3 * DAY + HOUR
    assert table.until("red") == table.now + 2 * DAY
    table.wait(HOUR)
    table.answer("red")
    table.game.change_player("red", "Dora", "dora@example.org", replaced=True)  # their orders wait, and go on waiting
    assert table.asked() == ["blue"]
    table.answer("blue")
    assert table.clocks.sides["red"].bank == 2 * DAY + 12 * HOUR
    assert table.clocks.sides["red"].used == 3 * DAY + 2 * HOUR
    assert verified(folder, table) == []


def test_nobody_takes_a_side_over_that_is_to_be_called_late(folder: Folder, table: Table) -> None:
    game = table.wait(4 * DAY)
    with pytest.raises(CannotPlay, match="the deadline of blue and red has passed"):
        game.change_player("red", "Carl", "carl@example.org", replaced=True)
    before = table.clocks
    game.change_player("red", "Ann", "ann@example.net", replaced=False)
    assert table.clocks == before
    assert verified(folder, table) == []


def test_the_end_of_a_game_stops_all_clocks(folder: Folder, table: Table) -> None:
    end_by_game_master(table.wait(DAY), "draw", None, "agreed by telephone")
    assert not any(clock.asked for clock in table.clocks.sides.values())
    table.wait(9 * DAY)
    assert table.late() == []
    assert ledger_line(table.game) == "Time used: Red 1d (2d left), Blue 1d (2d left)."
    assert verified(folder, table) == []


# ---- pause and extension


def consents(game: Adjudicator, side: Side, number: int) -> None:
    carry_out_request(game, note_consent(game, side, number, None))


def test_sides_agree_to_a_pause(folder: Folder, table: Table) -> None:
    game, until = table.wait(DAY), table.now + 2 * DAY
    with pytest.raises(CannotPlay, match="7d at most"):
        propose(game, "red", Proposal(PAUSE, table.now + 8 * DAY))
    motion = propose(game, "red", Proposal(PAUSE, until))
    assert motion.consents == ["red"]
    with pytest.raises(CannotPlay, match="waits for blue"):
        pause_game(game, until, "all agreed", request=motion.request)
    table.answer("red")  # the game goes on meanwhile, and the motion stays open
    consents(game, "blue", motion.request)
    assert table.until("blue") == NOON + HOUR + 3 * DAY + (until - table.now)
    ledger = time_ledger(game)
    assert ledger is not None
    assert ledger.paused is not None
    assert verified(folder, table) == []


def test_a_motion_that_is_refused_changes_nothing(folder: Folder, table: Table) -> None:
    motion = propose(table.game, "red", Proposal(PAUSE, table.now + DAY))
    refuse_request(table.game, "blue", motion.request)
    assert table.clocks.pauses == []
    assert verified(folder, table) == []


def test_game_master_who_plays_needs_the_consent_of_the_others(folder: Folder) -> None:
    table = Table(folder, {**CLOCK, "master": "red"})
    table.ask()
    game, later = table.game, extended_by(table.game, DAY)
    assert later == dict.fromkeys(("red", "blue"), NOON + 4 * DAY)
    for act in (lambda: extend_time(game, later, "why"), lambda: pause_game(game, None, "why")):
        with pytest.raises(CannotPlay, match="the other sides must consent"):
            act()
    motion = propose(game, None, Proposal(EXTENSION, extended=later), "a family feast")
    assert motion.needed == ["blue"]
    consents(game, "blue", motion.request)
    assert (table.until("red"), table.until("blue")) == (NOON + 4 * DAY, NOON + 4 * DAY)
    assert verified(folder, table) == []


def test_pause_of_the_greatest_length_is_derived_again(folder: Folder) -> None:
    """A motion of the game master is dated, too: nothing else says how long its pause would be."""
    table = Table(folder, {**CLOCK, "master": "red"})
    table.wait(2 * DAY)
    motion = propose(table.game, None, Proposal(PAUSE, table.now + 7 * DAY), "a fair")
    table.wait(HOUR)
    consents(table.game, "blue", motion.request)
    assert len(table.clocks.pauses) == 1
    assert verified(folder, table) == []


def test_a_game_without_a_clock_has_no_time(folder: Folder) -> None:
    with folder.create() as game:
        assert catch_up(game) == []
        assert time_ledger(game) is None
        with pytest.raises(CannotPlay, match="has no clock"):
            pause_game(game, None, "why")
        assert not any("clock" in each for each in game.ledger.repo.listdir())
    with pytest.raises(BadTerms, match="no bot"):
        folder.create(name="other", clock={**CLOCK, "late": "bot"})
