"""A call that a side was late is held against the letters of its player."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from pbem.audit.verify import verify
from pbem.mail.archive_reader import read_mailbox
from pbem.mail.intake import take_in
from pbem.referee.acts import timekeeping
from pbem.referee.game import facts
from pbem.referee.game.side_clocks import Clocks
from tests.support.blank import blank_pictures
from tests.support.deadline_desk import Desk
from tests.support.live import letter, sheet
from tests.support.walks import FOLDERS


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


HOUR, DAY = timedelta(hours=1), timedelta(days=1)
CLOCK = {"pace": {"bank": "4d", "bonus": "12h", "most": "9d"}, "late": "wait"}
__all__ = ["blank_maps"]


class Box:
    """The mailbox of red: what it got, when that arrived, and what it sent."""

    def __init__(self, desk: Desk, path: Path) -> None:
        self.desk, self.path = desk, path
        self.path.mkdir()
        self._seen = 0

    def deliver(self, after: timedelta = timedelta(0)) -> None:
        """Deliver what was written to red, so long after it was written."""
        new, self._seen = self.desk.written[self._seen :], len(self.desk.written)
        for out in new:
            if out.to.startswith("red"):
                self._keep(f"Received: by mx; {format_datetime(self.desk.now + after)}\r\n".encode() + out.content)

    def sends(self, *, lost: bool = False, faulty: bool = False) -> None:
        """Let red send orders for what it is asked; a letter that is `lost` never comes."""
        with self.desk.folder.open() as game:
            asked = [each for each in game.session.open_decisions if each.side == "red"]
            orders = [next(iter(game.rules.legal_orders(game.view("red"), each))) for each in asked]
            text = sheet(game, "red", *orders)
        if faulty:
            text = text.replace(b"card:", b"card: 77 #")
        now = self.desk.now
        raw = letter("red", text, number=round(now.timestamp()), more=f"Date: {format_datetime(now)}\n")
        self._keep(raw)
        if not lost:
            self.desk.written += take_in(raw, self.desk.office).letters

    def found(self) -> list[str]:
        letters = list(read_mailbox(self.path))
        verdict = verify(self.desk.folder.repo("punica"), folders=FOLDERS, letters=letters)
        return [str(each) for each in verdict.findings.sorted]

    def _keep(self, raw: bytes) -> None:
        (self.path / f"{len(list(self.path.iterdir())):03}.eml").write_bytes(raw)


@pytest.fixture
def red(tmp_path: Path) -> Box:
    return Box(Desk(tmp_path / "desk", CLOCK), tmp_path / "red")


def test_a_side_that_was_late_finds_nothing(red: Box) -> None:
    red.deliver()
    red.desk.wait(5 * DAY)
    red.sends()
    red.deliver()
    assert red.found() == []


def test_orders_that_were_sent_in_time_and_lost_are_found(red: Box) -> None:
    red.deliver()
    red.desk.wait(DAY)
    red.sends(lost=True)
    red.desk.wait(4 * DAY)
    red.deliver()
    (blamed,) = red.found()
    assert "calls red late by the deadline 2026-11-26T12:00:00Z" in blamed
    assert "has orders for it and was written 3 days before" in blamed


def test_orders_that_were_sent_back_prove_nothing(red: Box) -> None:
    red.deliver()
    red.desk.wait(DAY)
    red.sends(faulty=True)
    red.deliver()
    assert any("faults." in path.read_text("utf-8", "replace") for path in red.path.iterdir())
    red.desk.wait(4 * DAY)
    assert red.found() == []


def test_a_question_that_came_long_after_is_found(red: Box) -> None:
    red.deliver(after=3 * DAY)
    red.desk.wait(5 * DAY)
    (blamed,) = red.found()
    assert "came 3 days after that" in blamed


def test_a_deadline_before_the_one_in_the_letter_is_found(red: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    red.deliver()

    def a_day_early(terms: object, clocks: Clocks, now: datetime) -> dict[str, datetime]:
        return {"red": red.desk.now - HOUR} if clocks.sides["red"].called is None else {}

    red.desk.wait(3 * DAY)
    with monkeypatch.context() as patch:
        for module in (facts, timekeeping):
            patch.setattr(module, "late_at", a_day_early)
        with red.desk.folder.open() as game:
            game.carry_out_letter_of(red.desk.now, red.desk.now)
            timekeeping.catch_up(game)
    assert any("says that there is time until 2026-11-26T12:00:00Z" in each for each in red.found())


def test_a_vacation_that_the_referee_ended_is_found(red: Box) -> None:
    """Red is away, and has been told until when there is time; the referee invents that they came back."""
    red.deliver()
    red.desk.wait(DAY)
    red.desk.sends("red", b"AWAY 24-30 Nov\n")
    red.deliver()
    red.desk.wait(2 * DAY)
    with red.desk.folder.open() as game:
        game.carry_out_letter_of(red.desk.now, red.desk.now)
        timekeeping.note_back(game, "red")
    red.desk.wait(5 * DAY)
    (blamed,) = red.found()
    assert "no letter of red here has the BACK of 2026-11-25T12:00:00Z" in blamed
    red._keep(letter("red", b"BACK\n", number=9, more=f"Date: {format_datetime(red.desk.now)}\n"))
    assert red.found() == []


def test_a_call_dated_ahead_is_found(red: Box) -> None:
    """The referee lets the clock of the machine run fast: the letter of the call comes days before the deadline."""
    red.deliver()
    red.desk.wait(5 * DAY)
    red.deliver(after=-3 * DAY)
    (blamed,) = red.found()
    assert "was written after that, and came 2 days before the deadline" in blamed
