"""Times and days: as readers of letters know them, with the deadlines in them, and as people write them in a letter."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from re import IGNORECASE
from re import compile as pattern
from typing import Final
from zoneinfo import ZoneInfo

from pbem.game.wording import counted
from pbem.mail.notes.correspondence import CORRESPONDENCES
from pbem.protocol import Side
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.referee.game.terms import UnknownZone, time_zone
from pbem.referee.game.time_ledger import until_when

MORNING: Final = "07:00"
"""When daily news goes out, in the zone of its reader."""
EXAMPLE: Final = "Europe/Berlin"
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONGEST: Final = 74
"""Octets of a line of a calendar file."""
_MONTH: Final = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_YEAR: Final = r"(?:,?\s+(?P<year>\d{4}))?"
_SHAPES: Final = tuple(
    pattern(shape, IGNORECASE)
    for shape in (
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+{_MONTH}{_YEAR}",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_YEAR}",
        r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})?",
    )
)
_BETWEEN: Final = pattern(
    r"\s*(?:\bto\b|\buntil\b|\btill?\b|\bthrough\b|\bthru\b|\.{2,3}|[\u2013\u2014]|(?<!\d{4})(?<!\d{4}-\d\d)-)\s*",
    IGNORECASE,
)
"""What stands between two days; the hyphens within 2026-12-14 do not."""
_FROM_NOW: Final = pattern(
    r"\s*(?:now|today)?\s*(?:to|until|till|til|through|thru|up\s+to|[-\u2013\u2014])\s*(?P<day>.+)", IGNORECASE
)
"""A span that names its last day only."""
_PADDING: Final = pattern(r"^(?:on|from)\s+|,|\bof\b|\bthe\b", IGNORECASE)
_DAY_ALONE: Final = pattern(r"\b\d{1,2}(?:st|nd|rd|th|\.)?(?=\s|$)", IGNORECASE)
_SPAN: Final = pattern(r"(?:for\s+)?(\d{1,3}|an?|one|two|three|four)\s*(d|days?|w|weeks?|h|hours?)", IGNORECASE)
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AGO: Final = timedelta(days=60)
"""A span may have begun so long ago; a day without a year that lies further back is that of the next year."""
_LONGEST_SPAN: Final = timedelta(days=300)
"""A last day that lies so far behind the first was meant to lie before it."""
_FARTHEST: Final = timedelta(days=1000)
"""A span begins so many days from today at most."""
HOW: Final = "write the days, such as 1-14 Dec, 28 Dec - 3 Jan, or 2026-12-28 to 2027-01-03"


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


def day_in(text: str, today: date) -> date | None:
    """Return the day that a text names; without a year, the next one of that name. None: it names none.

    A date such as 4/12 is two days, in two parts of the world, and so it is none.

    >>> day_in("14 Dec", date(2026, 12, 1)), day_in("January 2nd", date(2026, 12, 1)), day_in("4/12", date(2026, 12, 1))
    (datetime.date(2026, 12, 14), datetime.date(2027, 1, 2), None)
    """
    said = next((found for shape in _SHAPES if (found := shape.fullmatch(text.strip().rstrip(",;")))), None)
    if said is None:
        return None
    words = said.groupdict()
    month = int(words["month"]) if words.get("month") else _MONTHS.index(words["name"][:3].capitalize()) + 1
    years = [int(words["year"])] if words["year"] else [today.year, today.year + 1]
    days = [each for year in years if (each := _date_or_none(year, month, int(words["day"]))) is not None]
    return next((each for each in days if words["year"] or each >= today), None)


def _date_or_none(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def days_of(text: str, today: date) -> tuple[date, date]:
    """Return the first and the last day that a text names; without a year, those about now or next.

    If it names the last day alone (`until 14 Dec`), the first is today.

    Raises CannotPlay, which says how to write it.

    >>> days_of("1-14 Dec", date(2026, 11, 23))
    (datetime.date(2026, 12, 1), datetime.date(2026, 12, 14))
    >>> days_of("28 Dec - 3 Jan", date(2026, 11, 23))
    (datetime.date(2026, 12, 28), datetime.date(2027, 1, 3))
    """
    said = " ".join(_PADDING.sub(" ", text).split())
    if (from_now := _FROM_NOW.fullmatch(said)) is not None:
        said = f"{today} to {from_now['day']}"
    parts = [part for part in _BETWEEN.split(said) if part]
    if not 1 <= len(parts) <= 2:
        raise CannotPlay(HOW)
    first, last = parts[0], parts[-1]
    if _DAY_ALONE.fullmatch(first):  # 1-14 Dec: the month stands behind the second
        first = _DAY_ALONE.sub(first, last, count=1)
    elif _DAY_ALONE.fullmatch(last):  # Dec 1-14
        last = _DAY_ALONE.sub(last, first, count=1)
    start = day_in(first, today - _AGO)
    end = None if start is None else day_in(last, start)
    if start is None or end is None:
        raise CannotPlay(HOW)
    if end < start or end - start > _LONGEST_SPAN:
        raise CannotPlay(f"the last day comes before the first; {HOW}")
    if abs(start - today) > _FARTHEST:
        raise CannotPlay(f"{start} is too far away; {HOW}")
    return start, end


def span_of(text: str) -> timedelta | None:
    """Return how long a text says, such as `2 weeks`; None: it does not say it so.

    >>> span_of("2 weeks"), span_of("until 14 Dec")
    (datetime.timedelta(days=14), None)
    """
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        return None
    word = found[1].lower()
    return (_NUMBERS[word] if word in _NUMBERS else int(word)) * _UNITS[found[2][0].lower()]
