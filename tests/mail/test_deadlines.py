"""Deadlines by letter: until when, files for a calendar, reminders, and what the clock decides by itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.verify import verify
from pbem.crypto.keys import Keys
from pbem.mail.due import due_in, noted_due
from pbem.mail.write.outgoing import Outgoing
from tests.support.blank import blank_pictures
from tests.support.clocked import DAY, HOUR
from tests.support.deadline_desk import Desk, flat, last, shown, text
from tests.support.walks import FOLDERS

CLOCK: Mapping[str, Any] = {"pace": {"bank": "4d", "bonus": "12h", "most": "9d"}, "late": "wait", "zone": "Asia/Dubai"}


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


def attached(out: Outgoing) -> dict[str, str]:
    return {name: str(part.get_content()) for part in shown(out).walk() if (name := part.get_filename())}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, CLOCK)


def test_a_report_says_until_when_on_one_line(desk: Desk) -> None:
    """In the zone of its reader, or else in that of the game, and in UTC."""
    lines = text(last(desk, "red")).splitlines()
    assert lines.count("Answer by Thu 26 Nov 16:00 UTC+04 (12:00 UTC).") == 1
    desk.now += HOUR
    desk.sends("blue", b"ZONE america/new_york\nSTATUS")
    assert "Answer by Thu 26 Nov 07:00 EST (12:00 UTC)." in " ".join(text(last(desk, "blue")).split())


def test_a_deadline_comes_with_what_is_left_of_the_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one line, as long as a zone has a short name."""
    monkeypatch.setattr("pbem.game.contract.Rules.left_in_turn", lambda rules, view: (14, "card play"))
    desk = Desk(tmp_path, {**CLOCK, "zone": "Europe/Berlin"})
    lines = text(last(desk, "red")).splitlines()
    assert lines.count("Answer by Thu 26 Nov 13:00 CET (12:00 UTC). 14 card plays left at most.") == 1


def test_a_calendar_gets_the_deadline_if_wanted(desk: Desk) -> None:
    assert "deadline.ics" not in attached(last(desk, "red"))
    desk.now += HOUR
    desk.sends("red", b"CALENDAR on")
    desk.now += HOUR
    desk.sends("red", b"REPORT")
    entry = attached(last(desk, "red"))["deadline.ics"].splitlines()
    assert "DTSTART:20261126T120000Z" in entry
    assert entry[0] == "BEGIN:VCALENDAR"
    assert entry[-1] == "END:VCALENDAR"
    assert "deadline.ics" in text(last(desk, "red"))
    desk.now += HOUR
    desk.sends("red", b"calendar off")
    desk.sends("red", b"REPORT\n\n")
    assert "deadline.ics" not in attached(last(desk, "red"))


def test_reminders_come_once_and_not_after_an_answer(desk: Desk) -> None:
    """At half time, when the last day begins, and at the deadline; none to the side that has answered."""
    desk.now += HOUR
    desk.answers("blue")
    assert desk.wait(40 * HOUR) == []
    (half,) = desk.wait(10 * HOUR)
    assert half.startswith("Red: punica")
    assert "Half of your time has passed. Answer by Thu 26 Nov 16:00 UTC+04 (12:00 UTC)." in flat(last(desk, "red"))
    assert desk.wait(10 * HOUR) == []
    (_,) = desk.wait(DAY)
    assert "Your last day begins. Answer by" in text(last(desk, "red"))
    (_,) = desk.wait(DAY)
    assert "Your time was up on Thu 26 Nov 16:00 UTC+04 (12:00 UTC); the game still waits." in flat(last(desk, "red"))
    assert desk.wait(9 * DAY) == []
    assert "orders.yaml" in attached(last(desk, "red"))


def test_after_a_night_off_only_the_last_reminder_is_sent(desk: Desk) -> None:
    letters = desk.wait(80 * HOUR)
    assert sorted(each.partition(":")[0] for each in letters) == ["Blue", "Red"]
    assert all("Your last day begins." in text(last(desk, side)) for side in ("red", "blue"))


def test_who_is_late_gets_the_default_and_all_are_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path, {**CLOCK, "late": "default"})
    for side in ("red", "blue", "blue"):
        desk.now += HOUR
        desk.answers(side)
    with desk.folder.open() as game:
        before = game.adjudication
        assert [each.side for each in game.open_decisions] == ["red"]
    desk.wait(2 * DAY)
    desk.wait(2 * DAY)
    letters = desk.wait(2 * DAY)
    with desk.folder.open() as game:
        assert game.adjudication > before
        assert game.ledger.public_turn(before + 1)["late"] == ["red"]
        assert noted_due(game, due_in(game, desk.office)).when is not None
    assert {each.partition(":")[0] for each in letters} == {"Blue", "Red"}
    found = verify(desk.folder.repo("punica"), keys=lambda name: Keys.load(desk.folder.keys, name), folders=FOLDERS)
    assert [str(each) for each in found.findings.sorted] == []
