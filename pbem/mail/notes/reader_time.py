"""The time as readers of letters know it, and the deadlines in it."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from pbem.game.wording import counted
from pbem.mail.notes.correspondence import CORRESPONDENCES
from pbem.protocol import Side
from pbem.referee.game.open_game import OpenGame
from pbem.referee.game.terms import UnknownZone, time_zone
from pbem.referee.game.time_ledger import until_when

MORNING: Final = "07:00"
"""When daily news goes out, in the zone of its reader."""
EXAMPLE: Final = "Europe/Berlin"
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONGEST: Final = 74
"""Octets of a line of a calendar file."""


def zone_named(text: str) -> ZoneInfo | None:
    """Return the time zone of a name, in capitals or not; None: there is none of that name.

    >>> zone_named("europe/berlin")
    zoneinfo.ZoneInfo(key='Europe/Berlin')
    """
    for name in (
        text,
        text.upper(),
        "/".join("_".join(map(_capitalized, part.split("_"))) for part in text.split("/")),
    ):
        with suppress(UnknownZone):
            return time_zone(name).info
    return None


def _capitalized(word: str) -> str:
    return word[:1].upper() + word[1:].lower()


def reader_zone(game: OpenGame, side: Side) -> ZoneInfo:
    """Return the time zone of the player of a side: their own, else that of the game's clock, else UTC."""
    own, terms = CORRESPONDENCES.read(game.path, side).zone, game.clock.terms
    with suppress(UnknownZone):
        return time_zone(own or (terms.zone if terms is not None else "UTC")).info
    return time_zone("UTC").info


def time_shown(at: datetime, zone: ZoneInfo) -> str:
    """Return a time in a zone and, if that is another one, in UTC.

    >>> time_shown(datetime(2026, 11, 29, 19, 0, tzinfo=UTC), ZoneInfo("Europe/Berlin"))
    'Sun 29 Nov 20:00 CET (19:00 UTC)'
    >>> time_shown(datetime(2026, 11, 29, 23, 30, tzinfo=UTC), ZoneInfo("Asia/Dubai"))
    'Mon 30 Nov 03:30 UTC+04 (Sun 29 Nov 23:30 UTC)'
    """
    own, world = at.astimezone(zone), at.astimezone(UTC)
    if own.utcoffset() == timedelta():
        return f"{_day_name(world)} {world:%H:%M} UTC"
    name = own.tzname() or ""
    name = f"UTC{name}" if name[:1] in "+-" else name
    again = "" if own.date() == world.date() else f"{_day_name(world)} "
    return f"{_day_name(own)} {own:%H:%M} {name} ({again}{world:%H:%M} UTC)"


def _day_name(at: datetime) -> str:
    """Return a day in English, whatever the locale."""
    return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]}"


def morning_after(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the first time after another that daily news goes out in a zone.

    >>> morning_after(datetime(2026, 3, 28, 12, 0, tzinfo=UTC), ZoneInfo("Europe/Berlin")).isoformat()
    '2026-03-29T05:00:00+00:00'
    """
    own = at.astimezone(zone)
    day = own.date()
    while True:
        found = datetime.combine(day, time.fromisoformat(MORNING), zone).astimezone(UTC)
        if found > at:
            return found
        day += timedelta(days=1)


def deadline_line(game: OpenGame, side: Side) -> str:
    """Return the sentence that tells a side until when it has time; empty: it has no deadline."""
    until = until_when(game, side)
    if until is None:
        return ""
    when = time_shown(until.at, reader_zone(game, side))
    if until.passed:
        return f"Your time was up on {when}; the game still waits."
    left = game.rules.left_in_turn(game.view(side))
    return f"Answer by {when}." + ("" if left is None else f" {counted(*left)} left at most.")


def deadline_of(game: OpenGame, side: Side) -> str:
    """Return until when a side has time, in its zone and in UTC; empty: it has no deadline, or that has passed."""
    until = until_when(game, side)
    return "" if until is None or until.passed else time_shown(until.at, reader_zone(game, side))


def calendar_file(game: OpenGame, side: Side, now: datetime) -> str | None:
    """Return the deadline of a side as a file for a calendar (RFC 5545); None: it has none.

    The next one for the same question replaces it there.
    """
    until, clocks = until_when(game, side), game.clock.read()
    if until is None or until.passed or clocks is None:
        return None
    asked, name = clocks.sides[side].asked, game.name
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//pbem//pbem//EN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        f"UID:{name}.{side}.{asked}@pbem",
        f"SEQUENCE:{clocks.facts}",
        f"DTSTAMP:{_calendar_time(now)}",
        f"DTSTART:{_calendar_time(until.at)}",
        f"DTEND:{_calendar_time(until.at)}",
        f"SUMMARY:{name}: your answer is due",
        f"DESCRIPTION:Report {asked} asks you. STATUS\\, alone on a line\\, says until when you have time.",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{part}\r\n" for line in lines for part in _calendar_lines(line))


def _calendar_time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _calendar_lines(line: str) -> list[str]:
    return [f"{' ' if at else ''}{line[at : at + _LONGEST]}" for at in range(0, len(line), _LONGEST)]
