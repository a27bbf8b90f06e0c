"""The calendar: zones with gaps and doubles, quiet days and hours, fixed deadlines, stops."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from pbem.referee import game
from pbem.referee.game.calendar import (
    Span,
    after_counted,
    fixed_after,
    merge,
    parts_outside,
    read_instant,
    stamp,
    time_counted,
)
from pbem.referee.game.terms import BadTerms, Terms, UnknownZone, duration, duration_text, read_terms, time_zone
from tests.support.chance import seed_of

SIDES = ("rome", "carthage")
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def at(text: str) -> datetime:
    return read_instant(text if "T" in text else text.replace(" ", "T") + ":00Z")


def terms(**said: object) -> Terms:
    return read_terms({"pace": {"bank": "3d"}, **said}, SIDES)


@pytest.mark.parametrize(
    ("zone", "local", "instant"),
    [
        ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29 01:00"),  # clocks go from 2 to 3: the next that exists is 3
        ("Europe/Berlin", "2026-03-29 03:00", "2026-03-29 01:00"),
        ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25 00:30"),  # it comes twice: the first
        ("America/New_York", "2026-03-08 02:15", "2026-03-08 07:00"),
        ("America/New_York", "2026-11-01 01:30", "2026-11-01 05:30"),
        ("Australia/Lord_Howe", "2026-10-04 02:10", "2026-10-03 15:30"),  # half an hour
        ("Australia/Lord_Howe", "2026-04-05 01:45", "2026-04-04 14:45"),
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-30 10:00"),  # a day that there was not
        ("Asia/Kolkata", "2026-07-01 20:00", "2026-07-01 14:30"),
        ("UTC", "2026-03-29 02:30", "2026-03-29 02:30"),
    ],
)
def test_local_time_in_gap_or_double_is_one_instant(zone: str, local: str, instant: str) -> None:
    assert time_zone(zone).instant(at(local).replace(tzinfo=None)) == at(instant)


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", "Europe", "", "europe/Nowhere", "zone.tab"])
def test_name_that_is_no_zone_is_refused(name: str) -> None:
    with pytest.raises(UnknownZone, match="no time zone"):
        time_zone(name)


@pytest.mark.parametrize(
    ("zone", "since", "deadline"),
    [
        ("Europe/Berlin", "2026-11-23 12:00", "2026-11-29 19:00"),
        ("Europe/Berlin", "2026-10-19 12:00", "2026-10-25 19:00"),  # summer time has just ended
        ("Europe/Berlin", "2026-03-23 12:00", "2026-03-29 18:00"),  # and has just begun
        ("America/New_York", "2026-11-27 12:00", "2026-11-30 01:00"),
        ("Pacific/Auckland", "2026-11-29 06:59", "2026-11-29 07:00"),
        ("Pacific/Auckland", "2026-11-29 07:00", "2026-11-29 07:00"),
        ("Pacific/Auckland", "2026-11-29 07:01", "2026-12-06 07:00"),
    ],
)
def test_weekly_deadline_is_at_its_local_time(zone: str, since: str, deadline: str) -> None:
    assert fixed_after(terms(zone=zone, deadlines=["sunday 20:00"]), at(since)) == at(deadline)


def test_weekly_deadline_in_a_gap_is_put_off() -> None:
    table = terms(zone="Europe/Berlin", deadlines=["sun 02:30", "wed 20:00"])
    assert fixed_after(table, at("2026-03-26 00:00")) == at("2026-03-29 01:00")
    assert fixed_after(table, at("2026-03-29 01:01")) == at("2026-04-01 18:00")
    stop = Span(at("2026-03-28 00:00"), at("2026-04-01 18:00"))
    assert fixed_after(table, at("2026-03-26 00:00"), [stop]) == at("2026-04-01 18:00")


def test_quiet_hours_and_days_do_not_count() -> None:
    table = terms(zone="Europe/Berlin", quiet={"days": ["saturday", "sunday"], "hours": "22:00-07:00"})
    friday = at("2026-11-27 20:00")  # 21:00 in Berlin
    assert after_counted(table, friday, HOUR) == at("2026-11-27 21:00")
    assert after_counted(table, friday, 2 * HOUR) == at("2026-11-30 07:00")
    assert time_counted(table, friday, at("2026-11-30 07:00")) == 2 * HOUR
    assert after_counted(table, at("2026-11-28 12:00"), timedelta(0)) == at("2026-11-30 06:00")
    assert time_counted(table, at("2026-11-28 12:00"), at("2026-11-29 12:00")) == timedelta(0)


def test_days_of_23_and_25_hours_count_whole() -> None:
    table = terms(zone="Europe/Berlin", quiet={"days": ["monday"]})
    assert time_counted(table, at("2026-03-28 23:00"), at("2026-03-30 12:00")) == 23 * HOUR
    assert time_counted(table, at("2026-10-24 22:00"), at("2026-10-26 12:00")) == 25 * HOUR
    noon = terms(zone="Europe/Berlin", quiet={"hours": "01:00-04:00"})
    assert time_counted(noon, at("2026-03-28 23:00"), at("2026-03-29 22:00")) == 21 * HOUR  # 2 of 3 quiet hours exist
    assert time_counted(noon, at("2026-10-24 22:00"), at("2026-10-25 23:00")) == 21 * HOUR  # 4 hours are quiet


def test_after_is_the_inverse_of_counted() -> None:
    chance = Random(seed_of())
    for _ in range(150):
        zone = chance.choice(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
        quiet: dict[str, object] = {"days": chance.sample(["monday", "friday", "sunday"], chance.randrange(3))}
        if chance.random() < 0.7:
            first, last = chance.sample(range(24), 2)
            quiet["hours"] = f"{first:02}:30-{last:02}:15"
        table = terms(zone=zone, quiet=quiet)
        since = at("2026-03-01 00:00") + timedelta(seconds=chance.randrange(300 * 86_400))
        starts = [since + timedelta(hours=chance.randrange(-30, 200)) for _ in range(chance.randrange(4))]
        stops = [Span(start, start + timedelta(hours=chance.randrange(1, 90))) for start in starts]
        span = timedelta(seconds=chance.randrange(1, 8 * 86_400))
        until = after_counted(table, since, span, stops)
        assert time_counted(table, since, until, stops) == span
        assert time_counted(table, since, until - timedelta(seconds=1), stops) == span - timedelta(seconds=1)
        middle = since + (until - since) / 3
        parts = time_counted(table, since, middle, stops) + time_counted(table, middle, until, stops)
        assert parts == span


def test_spans_are_merged_and_taken_out() -> None:
    hours = [at("2026-01-01 00:00") + HOUR * n for n in range(10)]
    merged = merge(
        [Span(hours[4], hours[6]), Span(hours[1], hours[2]), Span(hours[2], hours[3]), Span(hours[7], hours[7])]
    )
    assert merged == [Span(hours[1], hours[3]), Span(hours[4], hours[6])]
    left = [Span(hours[0], hours[1]), Span(hours[3], hours[4]), Span(hours[6], hours[9])]
    assert list(parts_outside(Span(hours[0], hours[9]), merged)) == left


def test_terms_are_written_in_one_way() -> None:
    said = {
        "late": "bot",
        "hold": "20m",
        "away": 14,
        "forfeit": 3,
        "deadlines": ["Sun 20:00", "wednesday 8:05"],
        "pace": {"bank": "72h", "bonus": "12h", "most": "2w"},
        "quiet": {"hours": "22:00-7:00", "days": ["sat"]},
        "zone": "Europe/Berlin",
        "master": "rome",
        "grace": "90m",
    }
    table = read_terms(said, SIDES)
    record = table.record()
    words = "zone pace deadlines notice quiet away pause grace hold late forfeit master"
    assert list(record) == words.split()
    assert record["deadlines"] == ["wednesday 08:05", "sunday 20:00"]
    assert record["pace"] == {"bank": "3d", "bonus": "12h", "most": "14d"}
    assert record["quiet"] == {"days": ["saturday"], "hours": "22:00-07:00"}
    assert read_terms(record, SIDES) == table
    assert read_terms(record, SIDES).record() == record


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({}, "needs a pace"),
        ({"pace": {"bank": "3 hours"}}, "no duration"),
        ({"pace": {"bank": "0"}}, "more than nothing"),
        ({"pace": {"bank": "3d", "most": "1d"}}, "at least its bank"),
        ({"pace": {"bonus": "3d"}}, "needs a bank"),
        ({"pace": "3d"}, "pace is a mapping"),
        ({"deadlines": ["someday 20:00"]}, "no day of the week"),
        ({"deadlines": ["sunday 24:00"]}, "no time of a day"),
        ({"deadlines": ["sunday 20:00"], "zone": "Berlin"}, "no time zone"),
        ({"pace": {"bank": "3d"}, "quiet": {"days": ["mo", "tu", "we", "th", "fr", "sa", "su"]}}, "at least one day"),
        ({"pace": {"bank": "3d"}, "quiet": {"hours": "7:00-07:00"}}, "two times"),
        ({"pace": {"bank": "3d"}, "late": "shoot"}, "bot, default or wait"),
        ({"pace": {"bank": "3d"}, "away": -1}, "from 0 to 366"),
        ({"pace": {"bank": "3d"}, "master": "gaul"}, "carthage or rome"),
        ({"pace": {"bank": "3d"}, "speed": "fast"}, "no speed"),
        ({"pace": {"bank": "9999d"}}, "longer than 1000 days"),
    ],
)
def test_terms_that_cannot_be_played_with_say_why(said: dict[str, object], reason: str) -> None:
    with pytest.raises(BadTerms, match=reason):
        read_terms(said, SIDES)
    with pytest.raises(BadTerms, match="no bot"):
        read_terms({"pace": {"bank": "3d"}, "late": "bot"}, SIDES, has_bot=False)


def test_durations_and_instants_are_read_as_they_are_written() -> None:
    for seconds in (0, 1, 60, 3_600, 86_400, 93_784, 604_800):
        span = timedelta(seconds=seconds)
        assert duration(duration_text(span)) == span
    moment = datetime(2026, 3, 29, 1, 0, 7, tzinfo=UTC)
    assert read_instant(stamp(moment)) == moment


def test_nothing_here_knows_the_current_time() -> None:
    """The clock is given the time: the same record leads to the same decisions tomorrow."""
    assert game.__file__ is not None
    for module in ("calendar", "facts", "side_clocks", "terms"):
        path = Path(game.__file__).with_name(f"{module}.py")
        text = path.read_text("utf-8")
        assert not [word for word in (".now(", ".today(", "import time\n", "import os") if word in text], path
