"""The calendar of a clock: the time that counts between two instants, and when a given amount of it has passed.

Quiet days and hours do not count. Nor does a *stop*, a span in which a side's clock stands still. Fixed deadlines
apply as they are published, on quiet days as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from re import ASCII
from re import compile as pattern
from typing import Final, NamedTuple

from pbem.referee.game.terms import MOVED, Terms, time_zone

_DAY: Final = timedelta(days=1)
_NOTHING: Final = timedelta(0)
_DAYS_KEPT: Final = 4096
"""The hours of so many days are kept: clocks are looked at again and again."""
_INSTANT: Final = pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", ASCII)
MOST_DAYS: Final = 4000
"""How many days ahead the calendar looks; terms and stops are far shorter."""


class Span(NamedTuple):
    """A span of time, from one instant until another, which is not part of it."""

    since: datetime
    until: datetime

    def has(self, at: datetime) -> bool:
        """Tell whether an instant is in it."""
        return self.since <= at < self.until


def stamp(at: datetime) -> str:
    """Return an instant as it is written on record.

    >>> stamp(datetime(2026, 12, 1, 20, 0, 7, tzinfo=UTC))
    '2026-12-01T20:00:07Z'
    """
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def read_instant(text: str) -> datetime:
    """Return an instant that `stamp` wrote. Raises ValueError."""
    if _INSTANT.fullmatch(text) is None:
        raise ValueError(f"{text!r} is no time as it is written on record, such as 2026-12-01T20:00:07Z")
    return datetime.fromisoformat(text[:-1]).replace(tzinfo=UTC)


def to_second(at: datetime) -> datetime:
    """Return an instant in UTC, in whole seconds; fractions are dropped."""
    return at.astimezone(UTC).replace(microsecond=0)


def time_counted(terms: Terms, since: datetime, until: datetime, stops: Iterable[Span] = ()) -> timedelta:
    """Return how much time counts between two instants."""
    merged = merge(stops)
    total = _NOTHING
    for span in _counting(terms, since):
        if span.since >= until:
            break
        for part in parts_outside(Span(span.since, min(span.until, until)), merged):
            total += part.until - part.since
    return total


def after_counted(terms: Terms, since: datetime, span: timedelta, stops: Iterable[Span] = ()) -> datetime:
    """Return the first instant at which a span of counted time has passed; for none, the next instant that counts."""
    merged = merge(stops)
    left = span
    for counting in _counting(terms, since):
        for part in parts_outside(counting, merged):
            if left <= part.until - part.since:
                return part.since + left
            left -= part.until - part.since
    return since + timedelta(days=MOST_DAYS)


def fixed_after(terms: Terms, since: datetime, stops: Iterable[Span] = ()) -> datetime | None:
    """Return the fixed deadline of a side whose notice ends at an instant; None: the terms have none.

    It is the first from then on that is in no stop. One in a stop is moved, if the terms say so, and counts if it is
    earlier: it leaves as much time after the stop as was left when the stop began, or when the side was asked in it.
    """
    if not terms.deadlines:
        return None
    merged, asked = merge(stops), since - terms.notice
    moved: datetime | None = None
    day = terms.where.local(since).date()
    for ahead in range(-1, MOST_DAYS):
        today = day + ahead * _DAY
        at = sorted(
            terms.where.instant(datetime.combine(today, each.at))
            for each in terms.deadlines
            if each.day == today.weekday()
        )
        for each in at:
            stop = next((stop for stop in merged if stop.has(each)), None)
            if each >= since and stop is None:
                return each if moved is None else min(each, moved)
            if each >= since and stop is not None and moved is None and terms.stopped == MOVED:
                moved = _after_stops(stop.until, each - max(stop.since, asked), merged)
    return moved


def _after_stops(since: datetime, span: timedelta, stops: Sequence[Span]) -> datetime:
    """Return the first instant at which a span of time outside of stops has passed; quiet time counts here."""
    left = span
    for part in parts_outside(Span(since, since + timedelta(days=MOST_DAYS)), stops):
        if left <= part.until - part.since:
            return part.since + left
        left -= part.until - part.since
    return since + timedelta(days=MOST_DAYS)


def days(terms: Terms, first: date, last: date) -> Span:
    """Return the span of some whole days in the zone of the game, the last one included."""
    return Span(day_start(terms, first), day_start(terms, last + _DAY))


def day_start(terms: Terms, day: date) -> datetime:
    """Return the instant at which a day begins in the zone of the game."""
    return terms.where.instant(datetime.combine(day, time()))


def merge(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that touch or overlap as one; empty ones are left out."""
    merged: list[Span] = []
    for span in sorted(each for each in spans if each.since < each.until):
        if merged and span.since <= merged[-1].until:
            merged[-1] = Span(merged[-1].since, max(merged[-1].until, span.until))
        else:
            merged.append(span)
    return merged


def parts_outside(span: Span, stops: Sequence[Span]) -> Iterator[Span]:
    """Yield the parts of a span that lie in no stop; these are in order and do not overlap."""
    since = span.since
    for stop in stops:
        if stop.until <= since:
            continue
        if stop.since >= span.until:
            break
        if stop.since > since:
            yield Span(since, stop.since)
        since = stop.until
    if since < span.until:
        yield Span(since, span.until)


def _counting(terms: Terms, since: datetime) -> Iterator[Span]:
    """Yield the spans in which time counts, from an instant on; stops are not considered."""
    if not terms.quiet.days and terms.quiet.hours is None:
        yield Span(since, since + timedelta(days=MOST_DAYS))
        return
    day = terms.where.local(since).date()
    for ahead in range(MOST_DAYS):
        today = day + ahead * _DAY
        if today.weekday() not in terms.quiet.days:
            for span in _hours(terms, today):
                if span.until > since:
                    yield Span(max(span.since, since), span.until)


def _hours(terms: Terms, day: date) -> Sequence[Span]:
    """Return the spans of one day in which time counts."""
    return _hours_of(terms.zone, terms.quiet.hours, day)


@lru_cache(maxsize=_DAYS_KEPT)
def _hours_of(zone: str, quiet: tuple[time, time] | None, day: date) -> Sequence[Span]:
    where = time_zone(zone)
    begin, end = (where.instant(datetime.combine(each, time())) for each in (day, day + _DAY))
    if quiet is None:
        return (Span(begin, end),)
    first, last = (where.instant(datetime.combine(day, at)) for at in quiet)
    spans = [Span(first, last)] if first < last else [Span(begin, last), Span(first, end)]
    return tuple(parts_outside(Span(begin, end), merge(spans)))
