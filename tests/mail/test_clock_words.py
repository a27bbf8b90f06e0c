"""The words about the clock in a letter: AWAY, BACK and PAUSE, and days as people write them."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from pbem.audit.verify import verify
from pbem.mail.notes.reader_time import days_of
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.game.side_clocks import deadline
from tests.support.blank import blank_pictures
from tests.support.deadline_desk import Desk, flat, last, shown
from tests.support.live import NOON
from tests.support.walks import FOLDERS


@pytest.fixture(autouse=True)
def blank_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.write.enclosures.pictures", blank_pictures)


__all__ = ["blank_maps"]
DAY = timedelta(days=1)
CLOCK = {"pace": {"bank": "4d", "bonus": "12h", "most": "9d"}, "away": 10, "pause": "14d", "zone": "Europe/Berlin"}
TODAY = date(2026, 11, 23)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, CLOCK)


def until(desk: Desk, side: str) -> timedelta:
    """Return how long after the beginning the deadline of a side is."""
    with desk.folder.open() as game:
        terms, clocks = game.clock.terms, game.clock.read()
        assert terms is not None
        assert clocks is not None
        at = deadline(terms, clocks, side)
        assert at is not None
        return at - NOON


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1-14 Dec", "2026-12-01", "2026-12-14"),
        ("Dec 1-14", "2026-12-01", "2026-12-14"),
        ("from 1st to 14th of December", "2026-12-01", "2026-12-14"),
        ("28 Dec \N{EN DASH} 3 Jan", "2026-12-28", "2027-01-03"),
        ("2026-12-28 to 2027-01-03", "2026-12-28", "2027-01-03"),
        ("20-25 Nov", "2026-11-20", "2026-11-25"),
        ("14.12. - 20.12.", "2026-12-14", "2026-12-20"),
        ("5 Jan", "2027-01-05", "2027-01-05"),
        ("until 9 Dec", str(TODAY), "2026-12-09"),
        ("till Dec 9", str(TODAY), "2026-12-09"),
        ("through 9 January", str(TODAY), "2027-01-09"),
        ("- 9 Dec", str(TODAY), "2026-12-09"),
        ("\N{EN DASH} 9.12.", str(TODAY), "2026-12-09"),
        ("from now until the 9th of December", str(TODAY), "2026-12-09"),
        ("today to 2026-12-09", str(TODAY), "2026-12-09"),
    ],
)
def test_days_are_read_as_people_write_them(text: str, first: str, last: str) -> None:
    assert days_of(text, TODAY) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "text", ["", "tomorrow", "1-5-9 Dec", "31 Feb", "12/1-12/14", "14-1 Dec", "soon", "31 Dec 9999"]
)
def test_words_that_name_no_days_say_how_to_write_them(text: str) -> None:
    with pytest.raises(CannotPlay, match="such as 1-14 Dec"):
        days_of(text, TODAY)


def test_away_stops_the_clock_of_its_side(desk: Desk) -> None:
    before = until(desk, "red")
    desk.sends("red", b"game: punica\n\nAWAY 24-25 Nov")
    assert until(desk, "red") == before + 2 * DAY
    assert until(desk, "blue") == before
    said = flat(last(desk, "red"))
    assert "AWAY: on record for Red." in said
    assert "You have 8 days of vacation left in 2026." in said
    desk.now += timedelta(minutes=1)
    desk.sends("red", b"game: punica\n\nAWAY 1-20 Dec")
    assert "red has 8 days of vacation left in 2026, of 10; this would take 20" in flat(last(desk, "red"))
    desk.now += timedelta(hours=1)
    desk.sends("red", b"game: punica\n\nBACK")
    assert "BACK: on record for Red. Your clock runs when you are asked." in flat(last(desk, "red"))
    assert until(desk, "red") == before


def test_a_letter_that_comes_twice_takes_no_days_twice(desk: Desk) -> None:
    for _ in range(2):
        desk.sends("red", b"game: punica\n\nAWAY 24-25 Nov")
        assert "You have 8 days of vacation left in 2026." in flat(last(desk, "red"))
    with desk.folder.open() as game:
        assert game.ledger.repo.read("clock/000/0003.yaml") is None


@pytest.mark.parametrize("day", ["31 Dec 9999", "0001-01-01"])
def test_a_day_at_the_end_of_the_calendar_is_refused(desk: Desk, day: str) -> None:
    """No letter may keep the letters behind it from being carried out."""
    for word in ("AWAY", "PAUSE until"):
        desk.sends("red", f"game: punica\n\n{word} {day}".encode())
        assert "was not carried out" in flat(last(desk, "red"))
        desk.now += timedelta(hours=1)


def test_small_words_are_no_commands(desk: Desk) -> None:
    desk.sends("red", b"game: punica\n\nAway with them! I shall be back.\nPause for thought.\n\nSTATUS")
    assert until(desk, "red") == 4 * DAY


def test_pause_waits_for_the_others_and_is_told_to_all(desk: Desk) -> None:
    desk.sends("red", b"game: punica\n\nPAUSE 15 days")
    assert "PAUSE was not carried out: a pause of punica is 14d at most" in flat(last(desk, "red"))
    desk.now += timedelta(hours=1)
    desk.sends("red", b"game: punica\n\nPAUSE until 30 Nov")
    asked = last(desk, "blue")
    assert shown(asked)["Subject"] == "punica: pause the game?"
    assert "Red proposes a pause until Tue 1 Dec 00:00 CET (Mon 30 Nov 23:00 UTC) in punica." in flat(asked)
    assert "CONSENT punica 1" in flat(asked)
    assert until(desk, "red") == 4 * DAY
    desk.now += timedelta(hours=1)
    desk.sends("blue", b"CONSENT punica 1")
    for side in ("red", "blue"):
        told = last(desk, side)
        assert shown(told)["Subject"] == "punica: paused"
        assert "is paused until Tue 1 Dec 00:00 CET (Mon 30 Nov 23:00 UTC): no clock runs. By consent." in flat(told)
    assert until(desk, "red") > 11 * DAY
    assert [str(each) for each in verify(desk.folder.repo("punica"), folders=FOLDERS).findings.sorted] == []
