"""The clock of each side, as it stands on record, and what falls due by it.

A side is *asked* when an adjudication opens a question to it that the game waits for. Its clock *runs* from the time
at which the letter that asks was handed over, and stops at the time of the letter that answers. The clock stands still
while the game is paused, while the side is away, while its mailbox refuses letters, and in quiet time.

A letter that arrives in the second of a deadline is in time, so a deadline is due from the next second on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, Final, NamedTuple

from pbem.protocol import Plain, Record, Side
from pbem.referee.game import calendar
from pbem.referee.game.calendar import Span, read_instant, stamp
from pbem.referee.game.terms import Terms, duration, duration_text

_NOTHING: Final = timedelta(0)
_SECOND: Final = timedelta(seconds=1)
_DAY: Final = timedelta(days=1)
_EVER: Final = timedelta(days=100_000)
"""The longest time that is read of a bank, or as used."""
_INSTANTS: Final = ("opened", "since", "answered", "called", "extended", "bounced", "held")


@dataclass(slots=True)
class SideClock:
    """The clock of one side."""

    bank: timedelta = _NOTHING
    """What its time bank holds, without what has passed since `since`."""
    used: timedelta = _NOTHING
    """The counted time that it has used in the whole game, without what has passed since `since`."""
    late: int = 0
    """How often it has been called late."""
    asked: int = 0
    """The adjudication that asked it; 0: nothing is asked of it that the game waits for."""
    opened: datetime | None = None
    """When that was."""
    since: datetime | None = None
    """When the letter that asks was handed over, from which its time counts; None: not yet."""
    answered: datetime | None = None
    """When the letter with its answer came; None: the game waits for it."""
    earns: bool = False
    """Whether that answer earns the bonus."""
    called: datetime | None = None
    """The deadline by which it was last called late on this question; None: it is not late."""
    extended: datetime | None = None
    """It is not late before this time, by an extension."""
    bounced: datetime | None = None
    """Since when its mailbox refuses the letter that asks; None: it does not."""
    held: datetime | None = None
    """Until when its sheet waits before it is carried out; None: none does."""
    away: list[Span] = field(default_factory=list)
    """Its vacations of the whole game, in order."""

    @property
    def runs(self) -> bool:
        """Whether its time is being counted, quiet time and stops apart."""
        return self.since is not None and self.answered is None and self.bounced is None

    def copied(self) -> SideClock:
        """Return a clock that can be changed without this one."""
        copy = SideClock(*map(self.__getattribute__, _SIDE))
        copy.away = [*self.away]
        return copy


_SIDE: Final = tuple(each.name for each in fields(SideClock))


@dataclass(slots=True)
class Clocks:
    """The clocks of all sides of a game."""

    time: datetime
    """The latest time on record; it never goes back."""
    sides: dict[Side, SideClock]
    facts: int = 0
    """How many facts are on record."""
    pauses: list[Span] = field(default_factory=list)
    """The pauses of the game, in order."""
    downs: list[Span] = field(default_factory=list)
    """When the service was down; spans that can no longer affect a clock or a deadline are dropped."""
    held: datetime | None = None
    """Until when the game master has put the game on hold; None: it is not."""

    def paused(self, at: datetime) -> Span | None:
        """Return the pause that an instant lies in; None: the game is not paused then."""
        return next((span for span in self.pauses if span.has(at)), None)

    def copied(self) -> Clocks:
        """Return clocks that can be changed without these."""
        sides = {side: clock.copied() for side, clock in self.sides.items()}
        return Clocks(self.time, sides, self.facts, [*self.pauses], [*self.downs], self.held)

    def record(self) -> dict[str, Any]:
        """Return the clocks as they are written; empty values are left out."""
        return {
            "time": stamp(self.time),
            "facts": self.facts,
            "sides": {side: _clock_record(clock) for side, clock in sorted(self.sides.items())},
            **({"pauses": [_interval(span) for span in self.pauses]} if self.pauses else {}),
            **({"downs": [_interval(span) for span in self.downs]} if self.downs else {}),
            **({"held": stamp(self.held)} if self.held is not None else {}),
        }


def new_clocks(terms: Terms, sides: Iterable[Side], at: datetime) -> Clocks:
    """Return the clocks of a game that begins."""
    bank = terms.pace.bank if terms.pace is not None else _NOTHING
    return Clocks(at, {side: SideClock(bank) for side in sides})


def read_clocks(record: Record) -> Clocks:
    """Return the clocks that `Clocks.record` was called on. Raises ValueError, TypeError or KeyError."""
    return Clocks(
        read_instant(record["time"]),
        {side: _read_clock(said) for side, said in record["sides"].items()},
        int(record["facts"]),
        [_read_span(text) for text in record.get("pauses", ())],
        [_read_span(text) for text in record.get("downs", ())],
        read_instant(record["held"]) if "held" in record else None,
    )


def deadline(terms: Terms, clocks: Clocks, side: Side) -> datetime | None:
    """Return until when a side's answer is in time; None: its clock does not run, or the terms set no deadline.

    An answer whose letter came at that very second is in time.
    """
    clock = clocks.sides[side]
    if clock.since is None or not clock.runs:
        return None
    stops = stops_of(clocks, side)
    found = []
    if terms.pace is not None:
        found.append(calendar.after_counted(terms, clock.since, clock.bank, stops))
    fixed = calendar.fixed_after(terms, clock.since + terms.notice, stops)
    found += [] if fixed is None else [fixed]
    if not found:
        return None
    at = min(found) if clock.extended is None else max(min(found), clock.extended)
    return _put_off(at, stops, [Span(down.since, down.until + terms.grace) for down in clocks.downs])


def deadline_if_asked(terms: Terms, clocks: Clocks, side: Side, at: datetime) -> datetime | None:
    """Return the deadline that a side would have if the letter that asks it was handed over at an instant."""
    clock = clocks.sides[side]
    probe = SideClock(clock.bank, away=clock.away, since=at)
    return deadline(terms, Clocks(at, {side: probe}, 0, clocks.pauses, clocks.downs), side)


def bank_at(terms: Terms, clocks: Clocks, side: Side, at: datetime) -> timedelta:
    """Return what a side's time bank holds at an instant."""
    return max(_NOTHING, clocks.sides[side].bank - _running(terms, clocks, side, at))


def used_at(terms: Terms, clocks: Clocks, side: Side, at: datetime) -> timedelta:
    """Return the counted time that a side has used in the whole game up to an instant: the ledger of time."""
    return clocks.sides[side].used + _running(terms, clocks, side, at)


def stops_of(clocks: Clocks, side: Side) -> list[Span]:
    """Return the spans in which a side's clock stands still, whether or not it is asked.

    The time when the service was down for longer than the grace is among them: nobody could ask it anything.
    """
    return calendar.merge([*clocks.pauses, *clocks.sides[side].away, *clocks.downs])


def late_now(clocks: Clocks) -> frozenset[Side]:
    """Return the sides that have been called late on the question that is open to them."""
    return frozenset(side for side, clock in clocks.sides.items() if clock.called is not None)


def open_question(
    clocks: Clocks, sides: Iterable[Side], adjudication: int, at: datetime, mailed: Collection[Side]
) -> None:
    """Open a question to sides. The clock of one that is not `mailed` runs at once: it gets no letter."""
    for side in sides:
        clock = clocks.sides[side]
        clock.asked, clock.opened = adjudication, at
        clock.since = None if side in mailed else at
    clocks.time = max(clocks.time, at)


def stop_clock(clocks: Clocks, side: Side, at: datetime, *, earns: bool) -> None:
    """Stop a side's clock, because a letter that came at `at` answers its question. A later letter may replace it."""
    clock = clocks.sides[side]
    clock.answered, clock.earns, clock.held = at, earns, None
    clocks.time = max(clocks.time, at)


def hold_answer(terms: Terms, clocks: Clocks, side: Side) -> None:
    """Let a side's answer wait, so that it can be taken back: for as long as the terms say, or until its deadline."""
    clock = clocks.sides[side]
    assert clock.answered is not None
    until = clock.answered + terms.hold
    probe = Clocks(clocks.time, {side: replace(clock, answered=None)}, 0, clocks.pauses, clocks.downs)
    if (last := deadline(terms, probe, side)) is not None:
        until = min(until, last)
    clock.held = until if until > clock.answered else None


def last_hold_ends(clocks: Clocks) -> datetime | None:
    """Return when the last of the holds ends, or ended; None: no sheet is on hold."""
    held = [clocks.held, *(clock.held for clock in clocks.sides.values())]
    return max((each for each in held if each is not None), default=None)


def end_hold(clocks: Clocks) -> None:
    """End a hold of the game master whose time is over."""
    if clocks.held is not None and clocks.held <= clocks.time:
        clocks.held = None


def take_back(clocks: Clocks, side: Side, at: datetime) -> None:
    """Let a side's clock run on, because its answer was withdrawn: all the time since it was asked counts."""
    clock = clocks.sides[side]
    clock.answered, clock.earns, clock.held = None, False, None
    clocks.time = max(clocks.time, at)


def take_over(terms: Terms, clocks: Clocks, side: Side, at: datetime) -> None:
    """Give a side's clock to another player: it stands still until they have the letter that asks.

    The bank stays, but it holds a least. They have never been late, and have announced no vacation.
    """
    clock = clocks.sides[side]
    charge(terms, clocks, side, at)
    if terms.pace is not None:
        clock.bank = max(clock.bank, terms.least)
    clock.late, clock.away = 0, []
    clock.called, clock.bounced, clock.since = None, None, None
    clock.opened = at if clock.asked else None
    clocks.time = max(clocks.time, at)


def close_question(terms: Terms, clocks: Clocks, side: Side, at: datetime) -> None:
    """Close the question to a side: it is charged with its time, and gets the bonus if its answer earns it."""
    clock, pace = clocks.sides[side], terms.pace
    charge(terms, clocks, side, at)
    if pace is not None and clock.called is not None:
        clock.bank = max(clock.bank, pace.bonus)
    elif pace is not None and clock.earns:
        clock.bank = max(clock.bank, min(clock.bank + pace.bonus, pace.most))
    clock.asked, clock.opened, clock.since, clock.answered, clock.earns = 0, None, None, None, False
    clock.called, clock.extended, clock.bounced, clock.held = None, None, None, None
    clocks.time = max(clocks.time, at)


def charge(terms: Terms, clocks: Clocks, side: Side, at: datetime) -> None:
    """Charge a side with the time since its clock began to run; from now on it counts from `at`."""
    clock = clocks.sides[side]
    if clock.since is None:
        return
    passed = _running(terms, clocks, side, at)
    clock.used += passed
    clock.bank = max(_NOTHING, clock.bank - passed)
    clock.since = max(clock.since, at)


def _running(terms: Terms, clocks: Clocks, side: Side, at: datetime) -> timedelta:
    """Return the counted time since a side's clock began to run."""
    clock = clocks.sides[side]
    if clock.since is None:
        return _NOTHING
    until = min(each for each in (at, clock.bounced, clock.answered) if each is not None)
    return calendar.time_counted(terms, clock.since, until, stops_of(clocks, side))


def _put_off(at: datetime, stops: list[Span], downs: list[Span]) -> datetime:
    """Return a deadline; one in a stop, or in the grace after the service was down, is moved to the end of that."""
    while (within := next((span for span in (*stops, *downs) if span.has(at)), None)) is not None:
        at = within.until
    return at


def _clock_record(clock: SideClock) -> dict[str, Plain]:
    return {
        "bank": duration_text(clock.bank),
        "used": duration_text(clock.used),
        **({"late": clock.late} if clock.late else {}),
        **({"asked": clock.asked} if clock.asked else {}),
        **{word: stamp(at) for word in _INSTANTS if (at := getattr(clock, word)) is not None},
        **({"earns": True} if clock.earns else {}),
        **({"away": [_interval(span) for span in clock.away]} if clock.away else {}),
    }


def _read_clock(said: Record) -> SideClock:
    return SideClock(
        duration(said["bank"], _EVER),
        duration(said["used"], _EVER),
        int(said.get("late", 0)),
        int(said.get("asked", 0)),
        **{word: read_instant(said[word]) for word in _INSTANTS if word in said},
        earns=bool(said.get("earns", False)),
        away=[_read_span(text) for text in said.get("away", ())],
    )


def _interval(span: Span) -> str:
    return f"{stamp(span.since)}/{stamp(span.until)}"


def _read_span(text: str) -> Span:
    since, _, until = text.partition("/")
    return Span(read_instant(since), read_instant(until))


class What(IntEnum):
    """The kinds of events that fall due, in the order in which they do for one side."""

    HALF_TIME = 1
    """A reminder: half of the time of a side has passed."""
    LAST_DAY = 2
    """A reminder: the last day of a side begins."""
    LATE = 3
    """The deadline of a side has passed; the side is told then, too."""


class FallsDue(NamedTuple):
    """An event that falls due: when, what, and for which side; `deadline` is that of the side, if it has one."""

    at: datetime
    what: What
    side: Side
    deadline: datetime | None


def expected(terms: Terms, clocks: Clocks) -> list[FallsDue]:
    """Return everything that falls due, or has fallen due, if nothing else happens."""
    found = calls(terms, clocks)
    for each in tuple(found):
        clock = clocks.sides[each.side]
        if clock.called is None and clock.since is not None:
            found += reminders_before(terms, clocks, each.side, clock.since, each.at)
    return found


def calls(terms: Terms, clocks: Clocks) -> list[FallsDue]:
    """Return the sides whose deadline passes, or has passed, if nothing else happens."""
    found: list[FallsDue] = []
    for side, clock in clocks.sides.items():
        until = deadline(terms, clocks, side)
        if until is not None and (clock.called is None or terms.forfeit):
            found.append(FallsDue(until, What.LATE, side, until))
    return found


def reminders_before(terms: Terms, clocks: Clocks, side: Side, since: datetime, until: datetime) -> list[FallsDue]:
    """Return the reminders of a side before its deadline: at half time, and a day before it, if that is later."""
    stops = stops_of(clocks, side)
    half = calendar.after_counted(terms, since, calendar.time_counted(terms, since, until, stops) / 2, stops)
    half = min(calendar.to_second(half), until)
    found = [FallsDue(half, What.HALF_TIME, side, until)] if since < half < until else []
    if until - _DAY > half:
        found.append(FallsDue(until - _DAY, What.LAST_DAY, side, until))
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
