"""What falls due as things stand: sides that are late, and reminders. Nothing is done here.

Between a letter and a deadline of the same second the letter wins, so a deadline is due from the next second on.
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
    """What falls due, in the order in which it does for one side."""

    HALF_TIME = 1
    """A reminder: half of the time of a side has passed."""
    LAST_DAY = 2
    """A reminder: the last day of a side begins."""
    LATE = 3
    """The deadline of a side has passed; the side is told then, too."""


class Due(NamedTuple):
    """Something that falls due: when, what, and for which side; `deadline` is that of the side, if it has one."""

    at: datetime
    what: What
    side: Side
    deadline: datetime | None


def expected(terms: Terms, clocks: Clocks) -> list[Due]:
    """Return all that falls due, or has, as things stand."""
    found = calls(terms, clocks)
    for each in tuple(found):
        clock = clocks.sides[each.side]
        if clock.called is None and clock.since is not None:
            found += reminders(terms, clocks, each.side, clock.since, each.at)
    return found


def calls(terms: Terms, clocks: Clocks) -> list[Due]:
    """Return the sides that will be late, or are, as things stand."""
    found: list[Due] = []
    for side, clock in clocks.sides.items():
        until = deadline(terms, clocks, side)
        if until is not None and (clock.called is None or terms.forfeit):
            found.append(Due(until, What.LATE, side, until))
    return found


def reminders(terms: Terms, clocks: Clocks, side: Side, since: datetime, until: datetime) -> list[Due]:
    """Return the reminders of a side before its deadline: at half time, and a day before, if that is later."""
    stops = stops_of(clocks, side)
    half = calendar.after(terms, since, calendar.counted(terms, since, until, stops) / 2, stops)
    half = min(calendar.whole(half), until)
    found = [Due(half, What.HALF_TIME, side, until)] if since < half < until else []
    if until - _DAY > half:
        found.append(Due(until - _DAY, What.LAST_DAY, side, until))
    return found


def late_at(terms: Terms, clocks: Clocks, now: datetime) -> dict[Side, datetime]:
    """Return the sides whose deadline has passed first, each with that deadline; none: nobody is late.

    Sides with one deadline are late together. Those with a later one are called after that.
    """
    passed = [each for each in calls(terms, clocks) if each.at < now]
    first = min((each.at for each in passed), default=None)
    return {each.side: each.at for each in sorted(passed, key=lambda each: each.side) if each.at == first}


def late_from(terms: Terms, clocks: Clocks) -> datetime | None:
    """Return the first instant at which a side can be called late, as things stand; None: none can."""
    first = min((each.at for each in calls(terms, clocks)), default=None)
    return None if first is None else first + _SECOND
