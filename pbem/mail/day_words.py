"""Days and spans of time as people write them in a letter: `1-14 Dec`, `28 Dec - 3 Jan`, `2 weeks`, `until 14 Dec`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from re import IGNORECASE
from re import compile as pattern
from typing import Final, NamedTuple

from pbem.referee.open_game import CannotPlay

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO: Final = pattern(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_PART: Final = pattern(r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\.?|(?P<month>[a-z]{3,9})\.?|(?P<year>20\d\d)", IGNORECASE)
_BETWEEN: Final = pattern(r"\s*(?:\bto\b|\buntil\b|\btill\b|\bthrough\b|\.{2,3}|[-\u2013\u2014])\s*", IGNORECASE)
_WORDS: Final = pattern(r"^(?:on|from)\s+|,|\bof\b", IGNORECASE)
_SPAN: Final = pattern(r"(?:for\s+)?(\d{1,3}|an?|one|two|three|four)\s*(d|days?|w|weeks?|h|hours?)", IGNORECASE)
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_AGO: Final = timedelta(days=60)
"""A day without a year may have begun a span so long ago; what lies further back is that of the next year."""
HOW: Final = "write the days, such as 1-14 Dec, 28 Dec - 3 Jan, or 2026-12-28 to 2027-01-03"


class _Day(NamedTuple):
    """A day as it is written; 0: that is not said."""

    day: int = 0
    month: int = 0
    year: int = 0


def days_of(text: str, today: date) -> tuple[date, date]:
    """Return the first and the last day that a text names; without a year, those about now or next.

    Raises CannotPlay, which says how to write it.

    >>> days_of("1-14 Dec", date(2026, 11, 23))
    (datetime.date(2026, 12, 1), datetime.date(2026, 12, 14))
    >>> days_of("28 Dec - 3 Jan", date(2026, 11, 23))
    (datetime.date(2026, 12, 28), datetime.date(2027, 1, 3))
    """
    found = list(_ISO.finditer(text))
    if found and not _ISO.sub(" ", text).replace("to", "").strip(" -\u2013.untilfrom"):
        days = [_day(_Day(*(int(number) for number in (each[3], each[2], each[1]))), today) for each in found]
        if len(days) > 2:
            raise CannotPlay(HOW)
        return days[0], days[-1]
    parts = [part for part in _BETWEEN.split(_WORDS.sub(" ", text).strip()) if part]
    if not 1 <= len(parts) <= 2:
        raise CannotPlay(HOW)
    first, last = _read(parts[0]), _read(parts[-1])
    month, year = first.month or last.month, first.year or (last.year if first.month in (0, last.month) else 0)
    start = _day(_Day(first.day, month, year), today - _AGO)
    same = first.month in (0, last.month) or not last.month
    end = _day(_Day(last.day, last.month or month, start.year if same else last.year), start)
    if end < start:
        raise CannotPlay(f"{end:%d %b %Y} comes before {start:%d %b %Y}. {HOW}")
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
    return _NUMBERS.get(word, 0 if not word.isdigit() else int(word)) * _UNITS[found[2][0].lower()]


def _read(text: str) -> _Day:
    said: dict[str, int] = {}
    for word in text.split():
        found = _PART.fullmatch(word)
        if found is None or found.lastgroup is None or found.lastgroup in said:
            raise CannotPlay(HOW)
        said[found.lastgroup] = _month(found["month"]) if found["month"] else int(found[found.lastgroup])
    if "day" not in said:
        raise CannotPlay(HOW)
    return _Day(**said)


def _month(word: str) -> int:
    if word[:3].lower() not in _MONTHS:
        raise CannotPlay(f"{word} is no month. {HOW}")
    return _MONTHS.index(word[:3].lower()) + 1


def _day(said: _Day, earliest: date) -> date:
    """Return the day that is said; without a year, the first on or after another day."""
    for year in [said.year] if said.year else _years(earliest):
        try:
            found = date(year, said.month, said.day)
        except ValueError:
            if said.year or (said.day, said.month) != (29, 2):
                raise CannotPlay(f"there is no such day. {HOW}") from None
            continue
        if said.year or found >= earliest:
            return found
    raise CannotPlay(f"there is no such day. {HOW}")


def _years(earliest: date) -> Iterator[int]:
    yield from range(earliest.year, earliest.year + 9)
