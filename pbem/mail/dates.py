"""Dates as people write them in a letter: 14 Dec, December 14, 2026-12-14, 14.12.2026."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

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
    days = [each for year in years if (each := _day(year, month, int(words["day"]))) is not None]
    return next((each for each in days if words["year"] or each >= today), None)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
