"""The events that fall due in a game with a clock: sides become late, reminders. Nothing is carried out here.

A letter that arrives in the second of a deadline is in time, so a deadline is due from the next second on.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final, NamedTuple

from pbem.protocol import Side
from pbem.referee.clock import calendar
from pbem.referee.clock.sides import Clocks, deadline, stops_of
from pbem.referee.clock.terms import Terms

_DAY: Final = timedelta(days=1)
_SECOND: Final = timedelta(seconds=1)


class What(IntEnum):
    """The kinds of events that fall due, in the order in which they do for one side."""

    HALF_TIME = 1
    """A reminder: half of the time of a side has passed."""
    LAST_DAY = 2
    """A reminder: the last day of a side begins."""
    LATE = 3
    """The deadline of a side has passed; the side is told then, too."""


class Due(NamedTuple):
    """An event that falls due: when, what, and for which side; `deadline` is that of the side, if it has one."""

    at: datetime
    what: What
    side: Side
    deadline: datetime | None


def expected(terms: Terms, clocks: Clocks) -> list[Due]:
    """Return everything that falls due, or has fallen due, if nothing else happens."""
    found = calls(terms, clocks)
    for each in tuple(found):
        clock = clocks.sides[each.side]
        if clock.called is None and clock.since is not None:
            found += reminders(terms, clocks, each.side, clock.since, each.at)
    return found


def calls(terms: Terms, clocks: Clocks) -> list[Due]:
    """Return the sides whose deadline passes, or has passed, if nothing else happens."""
    found: list[Due] = []
    for side, clock in clocks.sides.items():
        until = deadline(terms, clocks, side)
        if until is not None and (clock.called is None or terms.forfeit):
            found.append(Due(until, What.LATE, side, until))
    return found


def reminders(terms: Terms, clocks: Clocks, side: Side, since: datetime, until: datetime) -> list[Due]:
    """Return the reminders of a side before its deadline: at half time, and a day before it, if that is later."""
    stops = stops_of(clocks, side)
    half = calendar.after(terms, since, calendar.counted(terms, since, until, stops) / 2, stops)
    half = min(calendar.whole(half), until)
    found = [Due(half, What.HALF_TIME, side, until)] if since < half < until else []
    if until - _DAY > half:
        found.append(Due(until - _DAY, What.LAST_DAY, side, until))
    return found


def late_at(terms: Terms, clocks: Clocks, now: datetime) -> dict[Side, datetime]:
    """Return the sides whose deadline passed first, each with that deadline; empty: no side is late.

    Sides with the same deadline are late together. Those with a later one are called late afterwards.
    """
    passed = [each for each in calls(terms, clocks) if each.at < now]
    first = min((each.at for each in passed), default=None)
    return {each.side: each.at for each in sorted(passed, key=lambda each: each.side) if each.at == first}


def late_from(terms: Terms, clocks: Clocks) -> datetime | None:
    """Return the first instant at which a side can be called late, if nothing else happens; None: none can."""
    first = min((each.at for each in calls(terms, clocks)), default=None)
    return None if first is None else first + _SECOND
