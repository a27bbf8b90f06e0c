"""Holds by letter: a sheet waits for a while, and its player can take it back or replace it until then."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from pbem.audit.verify import verify
from pbem.crypto.beacon import time_of
from pbem.crypto.keys import Keys
from pbem.mail.due import DueDone, carry_out_due, go_on
from pbem.mail.intake import take_in
from pbem.mail.notes.correspondence import note_reported
from pbem.mail.notes.outboxes import MaildirOutbox
from pbem.mail.tasks import Handled
from pbem.referee.acts.timekeeping import hand_over, hold_game
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.game.side_clocks import Clocks, deadline
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.blank import blank_pictures
from tests.support.live import ADDRESSES, NOON, Folder, letter, sheet
from tests.support.walks import FOLDERS

MINUTE = timedelta(minutes=1)
CLOCK = {"hold": "20m", "pace": {"bank": "2h", "bonus": "1h", "most": "9h"}, "late": "wait"}


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path)
    with folder.create(clock=CLOCK, begin=False) as game:
        game.carry_out_letter_of(NOON, NOON)
        game.adjudicate()
        hand_over(game, dict.fromkeys(game.rules.sides, NOON))
        note_reported(game.path, game.adjudication)
    return folder


def sends(folder: Folder, side: str, body: bytes, minutes: float, looked: float | None = None) -> Handled:
    """Take in a letter that came so many minutes after noon."""
    office = replace(folder.office, outbox=MaildirOutbox(folder.path / "outbox"), now=NOON + minutes * MINUTE)
    if looked is not None:
        office = replace(office, came=office.now, now=NOON + looked * MINUTE, looked=NOON + looked * MINUTE)
    return take_in(letter(side, body, number=round(minutes * 60) + 1), office)


def answer(folder: Folder, side: str, at: int = 0) -> bytes:
    """Return a sheet of a side with a legal answer to what it is asked."""
    with folder.open() as game:
        asked = [each for each in game.session.open_decisions if each.side == side]
        return sheet(game, side, *[list(game.rules.legal_orders(game.view(side), each))[at] for each in asked])


def later(folder: Folder, minutes: float) -> list[str]:
    """Carry out what has fallen due by so many minutes after noon; return what the log says."""
    now = NOON + minutes * MINUTE
    with folder.open() as game, game.lock():
        return carry_out_due(game, now, replace(folder.office, now=now)).log


def standing(folder: Folder) -> tuple[int, datetime | None]:
    """Return the last adjudication, and until when the game is on hold."""
    with folder.open() as game:
        return game.adjudication, game.clock.held()


def clocks(folder: Folder) -> Clocks:
    """Return the clocks as they stand on record."""
    with folder.open() as game:
        found = game.clock.read()
    assert found is not None
    return found


def text(handled: Handled, side: str) -> str:
    for out in handled.letters:
        if out.to == ADDRESSES[side]:
            body = message_from_bytes(out.content, policy=policy.default).get_body(("plain",))
            assert body is not None
            return str(body.get_content())
    raise AssertionError(handled.notes)


def test_a_sheet_by_which_the_game_goes_on_is_held(folder: Folder) -> None:
    """The first sheet waits for the other side anyway. The second is on hold, and is then carried out."""
    sends(folder, "red", answer(folder, "red"), 1)
    assert standing(folder) == (1, None)
    sends(folder, "blue", answer(folder, "blue"), 10)
    assert standing(folder) == (1, NOON + 30 * MINUTE)
    assert later(folder, 30) == []
    assert len(later(folder, 31)) == 1
    assert standing(folder)[0] > 1


def test_a_receipt_says_until_when(folder: Folder) -> None:
    sends(folder, "red", b"ZONE Europe/Berlin", 1)
    sends(folder, "blue", answer(folder, "blue"), 2)
    said = text(sends(folder, "red", answer(folder, "red"), 10), "red")
    assert "on hold until Sun 22 Nov 13:30 CET (12:30 UTC)" in " ".join(said.split())
    assert "WITHDRAW" in said
    assert "on hold until Sun 22 Nov 12:30 UTC" in text(sends(folder, "blue", b"STATUS", 11), "blue")


def test_withdraw_ends_a_hold_and_a_new_sheet_begins_one(folder: Folder) -> None:
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    assert standing(folder) == (1, NOON + 22 * MINUTE)
    sends(folder, "red", b"WITHDRAW", 12)
    assert standing(folder) == (1, None)
    assert later(folder, 40) == []
    sends(folder, "red", answer(folder, "red"), 50)
    assert standing(folder) == (1, NOON + 70 * MINUTE)
    sends(folder, "red", answer(folder, "red", 1), 60)
    assert standing(folder) == (1, NOON + 80 * MINUTE)
    assert later(folder, 80) == []
    assert later(folder, 81)
    with folder.open() as game:
        assert game.sheets("red") == 4
        assert len(game.ledger.public_turn(2)["sheets"]["red"]) > 0


def test_nothing_is_played_on_in_the_last_second_of_a_hold(folder: Folder) -> None:
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    ends = NOON + 22 * MINUTE
    with folder.open() as game:
        for at, made in ((ends - timedelta(seconds=1), False), (ends, True)):
            game.carry_out_letter_of(at, at)
            assert bool(game.adjudicate()) is made


def test_standing_orders_alone_restart_no_hold(folder: Folder) -> None:
    """Nor do they take time: the orders that wait were there before. Other orders begin another hold."""
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    before = clocks(folder)
    for side, minute in (("red", 12), ("blue", 15)):
        head = f"game: punica\nside: {side}\nadjudication: 1\n".encode()
        sends(folder, side, head + b"standing:\n- react: {card: none}\n", minute)
        with folder.open() as game:
            assert game.standing(side)
    assert clocks(folder).sides == before.sides
    assert standing(folder) == (1, NOON + 22 * MINUTE)
    sends(folder, "blue", answer(folder, "blue", 1), 16)
    assert standing(folder) == (1, NOON + 36 * MINUTE)


def test_a_letter_of_the_last_second_counts_and_a_later_one_not(folder: Folder) -> None:
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    sheets = standing(folder)
    sends(folder, "red", b"WITHDRAW", 22)
    assert sheets != standing(folder) == (1, None)
    sends(folder, "red", answer(folder, "red"), 23)
    handled = sends(folder, "red", b"WITHDRAW", 43 + 1 / 60)
    assert standing(folder)[0] > 1
    handled.letters.reverse()
    assert "no orders of yours are waiting" in " ".join(text(handled, "red").split())


def test_a_deadline_ends_a_hold(folder: Folder) -> None:
    """A sheet of the last minutes waits until the deadline of its side, and no longer, also when it is replaced."""
    with folder.open() as game:
        assert deadline_of(game, "red") == NOON + 120 * MINUTE
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 110)
    assert standing(folder) == (1, NOON + 120 * MINUTE)
    sends(folder, "red", answer(folder, "red", 1), 115)
    assert standing(folder) == (1, NOON + 120 * MINUTE)
    assert later(folder, 121)
    assert standing(folder)[0] > 1


def test_after_a_night_off_all_is_done_in_order(folder: Folder) -> None:
    """What came in time to take a sheet back is heeded, and what came after the hold is answered by the next report."""
    sends(folder, "blue", answer(folder, "blue"), 1, 600)
    sends(folder, "red", answer(folder, "red"), 2, 15)
    assert standing(folder) == (1, NOON + 22 * MINUTE)
    sends(folder, "red", b"WITHDRAW", 15, 30)
    assert standing(folder) == (1, None)
    handled = sends(folder, "red", answer(folder, "red", 1), 30, 600)
    assert standing(folder)[0] > 1
    assert "on hold" not in text(handled, "red")
    assert {out.to for out in handled.letters} == {ADDRESSES["red"], ADDRESSES["blue"]}


def test_a_game_with_holds_verifies(folder: Folder) -> None:
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    sends(folder, "red", b"WITHDRAW", 5)
    sends(folder, "red", answer(folder, "red", 1), 7)
    later(folder, 40)
    result = verify(folder.repo("punica"), keys=lambda name: Keys.load(folder.keys, name), folders=FOLDERS)
    assert [str(each) for each in result.findings.sorted] == []


def test_a_turn_made_during_a_hold_is_found(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any key, and by the derivation."""
    monkeypatch.setattr("pbem.referee.play.adjudicator.is_on_hold", lambda game, **_: False)
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    monkeypatch.undo()
    public = verify(folder.repo("punica"), folders=FOLDERS).findings.sorted
    assert any("on hold until 2026-11-22T12:22:00Z" in str(each) for each in public)


def test_a_sheet_taken_after_its_hold_is_found(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hold is over, the game does not go on, and a sheet is replaced that the dice were due for."""
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    monkeypatch.setattr("pbem.referee.play.adjudicator.require_gone_on", lambda *_: None)
    monkeypatch.setattr("pbem.mail.intake.carry_out_due", lambda *_: DueDone([], []))
    sends(folder, "red", answer(folder, "red", 1), 30)
    monkeypatch.undo()
    found = verify(folder.repo("punica"), keys=lambda name: Keys.load(folder.keys, name), folders=FOLDERS)
    assert any("the hold of a sheet" in str(each) for each in found.findings.sorted)


def deadline_of(game: Adjudicator, side: str) -> datetime | None:
    terms, clocks = game.clock.terms, game.clock.read()
    assert terms is not None
    assert clocks is not None
    return deadline(terms, clocks, side)


def test_the_game_master_can_put_a_game_on_hold(folder: Folder) -> None:
    """It does not go on until then, or until that is ended; a deadline ends it, too."""
    with folder.open() as game:
        game.carry_out_letter_of(NOON + MINUTE, NOON + MINUTE)
        hold_game(game, NOON + 60 * MINUTE, "a question of rules")
        with pytest.raises(CannotPlay, match="at most"):
            hold_game(game, NOON + timedelta(days=99), "for long")
    sends(folder, "blue", answer(folder, "blue"), 2)
    sends(folder, "red", answer(folder, "red"), 3)
    assert standing(folder) == (1, NOON + 60 * MINUTE)
    assert later(folder, 60) == []
    with folder.open() as game:
        game.carry_out_letter_of(NOON + 60 * MINUTE, NOON + 60 * MINUTE)
        hold_game(game, None, "it is answered")
    assert later(folder, 61)
    assert standing(folder)[0] > 1
    found = verify(folder.repo("punica"), keys=lambda name: Keys.load(folder.keys, name), folders=FOLDERS)
    assert [str(each) for each in found.findings.sorted] == []


def test_what_nothing_comes_of_ends_with_a_fault(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours lets a game wait, and is said; it does not keep a worker busy for ever."""
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    monkeypatch.setattr("pbem.referee.play.adjudicator.is_on_hold", lambda game, **_: True)
    office = replace(folder.office, now=NOON + 60 * MINUTE)
    with pytest.raises(CannotPlay, match="a hold is over, due 2026-11-22 12:22:01 UTC, and nothing comes of it"):
        go_on("punica", NOON + 60 * MINUTE, office)


def test_a_game_with_other_rules_waits(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    sends(folder, "blue", answer(folder, "blue"), 1)
    sends(folder, "red", answer(folder, "red"), 2)
    monkeypatch.setattr("pbem.referee.game.open_game.OpenGame.differs", property(lambda game: "code"))
    office = replace(folder.office, now=NOON + 60 * MINUTE)
    assert go_on("punica", NOON + 60 * MINUTE, office).log == []
    monkeypatch.undo()
    assert go_on("punica", NOON + 60 * MINUTE, office).log != []


def test_sheets_are_closed_for_the_beacon_when_a_hold_is_over(tmp_path: Path) -> None:
    """Until then they can be taken back; from then on everybody is told that they are closed."""
    folder = Folder(tmp_path)
    with folder.create(clock=CLOCK, begin=False, beacon="drand") as game:
        game.carry_out_letter_of(NOON, NOON)
        game.adjudicate()
        closing = game.closed
        assert closing is not None
        game.moment = time_of(closing.round) + MINUTE
        game.miss_round(closing.round, "the network is down")
        note_reported(game.path, game.adjudication)
    sends(folder, "blue", answer(folder, "blue"), 61)
    sends(folder, "red", answer(folder, "red"), 62)
    assert standing(folder) == (1, NOON + 82 * MINUTE)
    with folder.open() as game:
        assert game.closed is None
    now = NOON + 83 * MINUTE
    with folder.open() as game, game.lock():
        done = carry_out_due(game, now, replace(folder.office, now=now))
        assert game.closed is not None
        assert carry_out_due(game, now + 99 * MINUTE, replace(folder.office, now=now)).log == []
    assert len(done.log) == 1
    assert {out.to for out in done.letters} == {ADDRESSES["red"], ADDRESSES["blue"]}
