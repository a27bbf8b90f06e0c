"""The facts of time: statements of the referee, and the calls that sides are late; `clock/000/0001.yaml` in a repo.

Each is a file that is never changed, in a commit of its own. `at` is when it was put on record. `put` applies a fact to
the clocks of the sides, and refuses one that is impossible. `Late` follows from the facts before it. All others are
statements, which are taken as true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, TypeAlias

from pbem.game.wording import counted, listing
from pbem.protocol import PbemError, Plain, Record, Side
from pbem.referee.game import calendar
from pbem.referee.game.calendar import Span, read_instant, stamp
from pbem.referee.game.side_clocks import Clocks, charge, deadline, late_at
from pbem.referee.game.terms import Terms, duration_text

_DAY: Final = timedelta(days=1)


class BadFact(PbemError, ValueError):
    """A fact of time that is impossible; the text says why."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The letters that ask were handed over to the mail system, or written to the outbox: each side's clock runs."""

    at: datetime
    sides: Mapping[Side, datetime]


@dataclass(frozen=True, slots=True)
class Bounced:
    """A side's mailbox refuses the letter that asks: its clock has stopped at `since`."""

    at: datetime
    side: Side
    since: datetime


@dataclass(frozen=True, slots=True)
class Reached:
    """A side can be reached again, and has the letter that asks: its clock runs on from `at`."""

    at: datetime
    side: Side


@dataclass(frozen=True, slots=True)
class Down:
    """The service was down."""

    at: datetime
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Paused:
    """The game is paused from `at` until a time, by consent (`request`) or by the game master."""

    at: datetime
    until: datetime
    reason: str
    request: int = 0


@dataclass(frozen=True, slots=True)
class Resumed:
    """The pause is over at `at`."""

    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Held:
    """The game is on hold until a time, by the game master: it does not go on before, and orders can be taken back."""

    at: datetime
    until: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class Extended:
    """Sides have time until a time at least, by consent (`request`) or by the game master."""

    at: datetime
    sides: Mapping[Side, datetime]
    reason: str
    request: int = 0


@dataclass(frozen=True, slots=True)
class Away:
    """A side is away on some days, the last one included; it has asked for that by letter at `at`."""

    at: datetime
    side: Side
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Back:
    """A side is back at `at`; what it has announced for later does not count any more."""

    at: datetime
    side: Side


@dataclass(frozen=True, slots=True)
class Late:
    """The call that sides are late, each by the deadline that has passed. What follows from it comes later."""

    at: datetime
    sides: Mapping[Side, datetime]


Fact: TypeAlias = Asked | Bounced | Reached | Down | Paused | Resumed | Held | Extended | Away | Back | Late

_MOVES: Final = (Paused, Resumed, Held, Extended, Away, Back)
"""The facts that somebody asks for. A side that is late by then must be called first."""
_KINDS: Final[dict[str, type[Fact]]] = {
    "asked": Asked,
    "bounced": Bounced,
    "reached": Reached,
    "down": Down,
    "paused": Paused,
    "resumed": Resumed,
    "held": Held,
    "extended": Extended,
    "away": Away,
    "back": Back,
    "late": Late,
}
_WORDS: Final = {kind: word for word, kind in _KINDS.items()}
_INSTANTS: Final = frozenset({"at", "since", "until"})
_DATES: Final = frozenset({"first", "last"})


def fact_record(number: int, fact: Fact) -> dict[str, Plain]:
    """Return a fact as its file says it."""
    said: dict[str, Plain] = {"fact": number, "what": _WORDS[type(fact)]}
    for word in fact.__slots__:
        value = getattr(fact, word)
        if isinstance(value, datetime):
            said[word] = stamp(value)
        elif isinstance(value, date):
            said[word] = value.isoformat()
        elif isinstance(value, Mapping):
            said[word] = {side: stamp(value[side]) for side in sorted(value)}
        elif value != 0:
            said[word] = value
    return said


def read_fact(record: Record) -> Fact:
    """Return the fact that a file says. Raises ValueError, TypeError or KeyError."""
    said = {word: value for word, value in record.items() if word not in ("fact", "what")}
    for word, value in said.items():
        if word in _INSTANTS:
            said[word] = read_instant(value)
        elif word in _DATES:
            said[word] = date.fromisoformat(value)
        elif word == "sides":
            said[word] = {side: read_instant(at) for side, at in value.items()}
    fact: Fact = _KINDS[record["what"]](**said)
    return fact


def put(terms: Terms, clocks: Clocks, fact: Fact) -> None:
    """Apply a fact to the clocks. Raises BadFact, and changes nothing, if it is impossible."""
    if fact.at < clocks.time:
        raise BadFact(f"it is of {stamp(fact.at)}, and {stamp(clocks.time)} is on record already")
    if isinstance(fact, _MOVES) and (late := late_at(terms, clocks, fact.at)):
        raise BadFact(f"the deadline of {listing(sorted(late))} has passed before, and nobody was called late")
    match fact:
        case Asked():
            _put_asked(clocks, fact)
        case Bounced() | Reached():
            _put_mailbox(terms, clocks, fact)
        case Down():
            _put_down(terms, clocks, fact)
        case Paused() | Resumed():
            _put_pause(terms, clocks, fact)
        case Held():
            _put_held(terms, clocks, fact)
        case Extended():
            _put_extended(terms, clocks, fact)
        case Away() | Back():
            _put_vacation(terms, clocks, fact)
        case Late():
            _put_late(terms, clocks, fact)
    clocks.time = fact.at
    clocks.facts += 1


def days_left(terms: Terms, clocks: Clocks, side: Side, year: int) -> int:
    """Return how many days of vacation a side has left in a calendar year."""
    return terms.away - len(_days_away(terms, clocks.sides[side].away, year))


def _put_asked(clocks: Clocks, fact: Asked) -> None:
    for side, at in fact.sides.items():
        clock = clocks.sides.get(side)
        if clock is None or clock.opened is None or clock.since is not None:
            raise BadFact(f"no letter to {side} was waiting to be handed over")
        if not clock.opened <= at <= fact.at:
            raise BadFact(f"{stamp(at)} lies before the question to {side}, or in the future")
    for side, at in fact.sides.items():
        clocks.sides[side].since = at


def _put_mailbox(terms: Terms, clocks: Clocks, fact: Bounced | Reached) -> None:
    clock = clocks.sides[fact.side]
    if isinstance(fact, Bounced):
        if clock.since is None or clock.bounced is not None or not clock.since <= fact.since <= fact.at:
            raise BadFact(f"no letter that asks {fact.side} can have bounced at {stamp(fact.since)}")
        clock.bounced = fact.since
        return
    if clock.bounced is None:
        raise BadFact(f"the mailbox of {fact.side} refuses nothing")
    charge(terms, clocks, fact.side, fact.at)
    clock.bounced = None


def _put_down(terms: Terms, clocks: Clocks, fact: Down) -> None:
    if not fact.since < fact.until <= fact.at:
        raise BadFact("the service was down from a time until a later one that has passed")
    if fact.until - fact.since <= terms.grace:
        raise BadFact(f"the service was down for {duration_text(fact.until - fact.since)}: no longer than the grace")
    running = [clock.since for clock in clocks.sides.values() if clock.since is not None]
    first = min(running, default=fact.at)
    kept = [down for down in clocks.downs if down.until + terms.grace > first]
    clocks.downs = calendar.merge([*kept, Span(fact.since, fact.until)])


def _put_pause(terms: Terms, clocks: Clocks, fact: Paused | Resumed) -> None:
    running = clocks.paused(fact.at)
    if isinstance(fact, Resumed):
        if running is None:
            raise BadFact("the game is not paused")
        cut = [Span(span.since, min(span.until, fact.at)) for span in clocks.pauses]
        clocks.pauses = [span for span in cut if span.since < span.until]
        return
    if running is not None:
        raise BadFact(f"the game is paused already, until {stamp(running.until)}")
    if not fact.at < fact.until <= fact.at + terms.pause:
        raise BadFact(f"a pause of this game is {duration_text(terms.pause)} at most, and ends in the future")
    clocks.pauses = [*clocks.pauses, Span(fact.at, fact.until)]


def _put_held(terms: Terms, clocks: Clocks, fact: Held) -> None:
    """Put the game on hold, or end that: a hold that ends at once."""
    if not fact.at <= fact.until <= fact.at + terms.pause:
        raise BadFact(f"a hold of this game is {duration_text(terms.pause)} at most, and does not end in the past")
    clocks.held = fact.until if fact.until > fact.at else None


def _put_extended(terms: Terms, clocks: Clocks, fact: Extended) -> None:
    for side, until in fact.sides.items():
        now = deadline(terms, clocks, side) if side in clocks.sides else None
        if now is None:
            raise BadFact(f"no deadline of {side} is running")
        if until <= now:
            raise BadFact(f"{side} has time until {stamp(now)} anyway")
    for side, until in fact.sides.items():
        clocks.sides[side].extended = until


def _put_vacation(terms: Terms, clocks: Clocks, fact: Away | Back) -> None:
    clock = clocks.sides[fact.side]
    if isinstance(fact, Back):
        if not any(span.until > fact.at for span in clock.away):
            raise BadFact(f"{fact.side} is not away, and has announced nothing")
        cut = [Span(span.since, min(span.until, fact.at)) for span in clock.away]
        clock.away = [span for span in cut if span.since < span.until]
        return
    if fact.last < fact.first:
        raise BadFact("the last day of a vacation comes after the first")
    whole = calendar.days(terms, fact.first, fact.last)
    if whole.until <= fact.at:
        raise BadFact("these days have passed")
    span = Span(max(whole.since, fact.at), whole.until)
    away = calendar.merge([*clock.away, span])
    first, last = (terms.where.local(at).year for at in (span.since, span.until - timedelta(seconds=1)))
    for year in range(first, last + 1):
        if len(_days_away(terms, away, year)) > terms.away:
            left = max(0, days_left(terms, clocks, fact.side, year))
            more = len(_days_away(terms, away, year)) - len(_days_away(terms, clock.away, year))
            raise BadFact(
                f"{fact.side} has {counted(left, 'day')} of vacation left in {year}, of {terms.away}; this would take "
                f"{more}"
            )
    clock.away = away


def _days_away(terms: Terms, away: list[Span], year: int) -> set[date]:
    """Return the days of a calendar year on which a side is away, if only for a part of the day."""
    found = set()
    for span in away:
        day = terms.where.local(span.since).date()
        last = terms.where.local(span.until - timedelta(seconds=1)).date()
        while day <= last:
            if day.year == year:
                found.add(day)
            day += _DAY
    return found


def _put_late(terms: Terms, clocks: Clocks, fact: Late) -> None:
    if dict(fact.sides) != late_at(terms, clocks, fact.at):
        raise BadFact("these are not the sides whose deadline has passed first")
    clocks.held = None  # a deadline ends a hold
    for clock in clocks.sides.values():
        clock.held = None
    for side, at in fact.sides.items():
        clock = clocks.sides[side]
        charge(terms, clocks, side, at)
        clock.called, clock.extended = at, None
        clock.late += 1
        if terms.pace is not None:
            clock.bank = max(clock.bank, terms.pace.bonus) or _DAY
