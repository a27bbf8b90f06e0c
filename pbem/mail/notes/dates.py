"""Dates, days and spans of time as people write them in a letter."""

from __future__ import annotations

import re
from datetime import date, timedelta
from re import IGNORECASE
from re import compile as pattern
from typing import Final

from pbem.referee.game.open_game import CannotPlay

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME: Final = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]*\.?"
_YEAR: Final = r"(?:,?\s+(?P<year>\d{4}))?"
_SHAPES: Final = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+{_NAME}{_YEAR}",
        rf"{_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_YEAR}",
        r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})?",
    )
)
_BETWEEN: Final = pattern(
    r"\s*(?:\bto\b|\buntil\b|\btill\b|\bthrough\b|\.{2,3}|[\u2013\u2014]|(?<!\d{4})(?<!\d{4}-\d\d)-)\s*", IGNORECASE
)
"""What stands between two days; the hyphens within 2026-12-14 do not."""
_PADDING: Final = pattern(r"^(?:on|from)\s+|,|\bof\b|\bthe\b", IGNORECASE)
_DAY: Final = pattern(r"\b\d{1,2}(?:st|nd|rd|th|\.)?(?=\s|$)", IGNORECASE)
_SPAN: Final = pattern(r"(?:for\s+)?(\d{1,3}|an?|one|two|three|four)\s*(d|days?|w|weeks?|h|hours?)", IGNORECASE)
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AGO: Final = timedelta(days=60)
"""A span may have begun so long ago; a day without a year that lies further back is that of the next year."""
_LONGEST: Final = timedelta(days=300)
"""A last day that lies so far behind the first was meant to lie before it."""
_FARTHEST: Final = timedelta(days=1000)
"""A span begins so many days from today at most."""
HOW: Final = "write the days, such as 1-14 Dec, 28 Dec - 3 Jan, or 2026-12-28 to 2027-01-03"


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
    month = int(words["month"]) if words.get("month") else _MONTHS.index(words["name"][:3].lower()) + 1
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

    Raises CannotPlay, which says how to write it.

    >>> days_of("1-14 Dec", date(2026, 11, 23))
    (datetime.date(2026, 12, 1), datetime.date(2026, 12, 14))
    >>> days_of("28 Dec - 3 Jan", date(2026, 11, 23))
    (datetime.date(2026, 12, 28), datetime.date(2027, 1, 3))
    """
    parts = [part for part in _BETWEEN.split(" ".join(_PADDING.sub(" ", text).split())) if part]
    if not 1 <= len(parts) <= 2:
        raise CannotPlay(HOW)
    first, last = parts[0], parts[-1]
    if _DAY.fullmatch(first):  # 1-14 Dec: the month stands behind the second
        first = _DAY.sub(first, last, count=1)
    elif _DAY.fullmatch(last):  # Dec 1-14
        last = _DAY.sub(last, first, count=1)
    start = day_in(first, today - _AGO)
    end = None if start is None else day_in(last, start)
    if start is None or end is None:
        raise CannotPlay(HOW)
    if end < start or end - start > _LONGEST:
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
