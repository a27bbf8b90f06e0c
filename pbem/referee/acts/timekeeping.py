"""Timekeeping: puts facts of time on record, and calls sides late whose deadline has passed.

A call is committed before anything follows from it, and so before the link of the dice that it leads to is opened.
Calls are made in the order of the deadlines, each with everything that follows from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Final

from pbem.game.wording import listing
from pbem.protocol import Side
from pbem.referee.acts.ending import end_by_game_master
from pbem.referee.acts.preconditions import letter_files, reason_of, require_consents, require_running
from pbem.referee.game.calendar import stamp, to_second
from pbem.referee.game.facts import (
    Asked,
    Away,
    Back,
    BadFact,
    Bounced,
    Down,
    Extended,
    Fact,
    Held,
    Late,
    Paused,
    Reached,
    Resumed,
    put,
)
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.game.side_clocks import Clocks, deadline, late_at
from pbem.referee.game.terms import Terms
from pbem.referee.play.adjudicator import Adjudicator
from pbem.repo.files.requests import EXTENSION, PAUSE, RESIGNATION, Request, made, request_files
from pbem.repo.ledger import LetterId

MOST_CALLS: Final = 100
"""The most calls that one catching up makes; more would be a loop."""
NEED_CONSENT: Final = (Paused, Resumed, Extended, Held)
"""The facts that need the consent of the other sides where the game master plays a side."""


def require_clock(game: Adjudicator) -> tuple[Terms, Clocks]:
    """Return terms and clocks of a game in play. Raises CannotPlay if it has no clock, has not begun, or is over."""
    require_running(game, pinned=False)
    terms, clocks = game.clock.terms, game.clock.read()
    if terms is None or clocks is None:
        raise CannotPlay(f"{game.name} has no clock; `pbem new --clock` makes a game with one")
    return terms, clocks


def fact_time(game: Adjudicator, clocks: Clocks) -> datetime:
    """Return the time at which a fact is put on record now."""
    return max(game.clock.time, clocks.time)


def put_fact(game: Adjudicator, fact: Fact, letter: LetterId | None = None) -> Clocks:
    """Put a fact on record, in a commit of its own, and return the clocks after it. Raises CannotPlay if it cannot be.

    `letter` is the digest, or the digests, of the letter that it came in.
    """
    with game.lock():
        terms, clocks = require_clock(game)
        if isinstance(fact, NEED_CONSENT):
            _require_consent(game, terms, fact)
        try:
            put(terms, clocks, fact)
        except BadFact as wrong:
            raise CannotPlay(str(wrong)) from None
        now = game.current(resumed=False)
        files = game.clock.fact_files(clocks, fact)
        note = {"fact": clocks.facts}
        if isinstance(fact, Away | Back):
            files |= letter_files(game, letter, {"side": fact.side, **note})
        files |= _settled(game, fact, clocks.facts)
        message = f"{game.name}: {_fact_said(fact)}"
        with game.clock.dated(fact.at):
            now.head = game.ledger.commit(files, message, now.state)
        return clocks


def _require_consent(game: Adjudicator, terms: Terms, fact: Fact) -> None:
    """Raise CannotPlay if the game master plays a side, and the sides have not consented by an open request."""
    number = fact.request if isinstance(fact, Paused | Extended) else 0
    if number:
        request = game.request(number)
        if request is None or not request.is_open:
            raise CannotPlay(f"request {number} is not open")
        require_consents(request)
        if not proposes(request, fact):
            raise CannotPlay(f"request {number} is about something else")
    elif terms.master is not None and isinstance(fact, Resumed):
        raise CannotPlay(
            f"the game master plays {terms.master} in {game.name}: the pause that the sides agreed to ends at its time"
        )
    elif terms.master is not None:
        raise CannotPlay(
            f"the game master plays {terms.master} in {game.name}: the other sides must consent. Ask them by letter"
        )


def proposes(request: Request, fact: Fact) -> bool:
    """Tell whether a request asks for just what a fact does."""
    match fact:
        case Paused():
            return (request.kind, request.until, request.reason) == (PAUSE, stamp(fact.until), fact.reason)
        case Extended():
            until = {side: stamp(at) for side, at in fact.sides.items()}
            return (request.kind, request.extended, request.reason) == (EXTENSION, until, fact.reason)
        case _:
            return False


def _settled(game: Adjudicator, fact: Fact, number: int) -> dict[str, bytes]:
    """Return the files that close the request by which the sides have consented to a fact."""
    if not isinstance(fact, Paused | Extended) or not fact.request:
        return {}
    request, state = game.request(fact.request), game.current(resumed=False).state
    assert request is not None
    assert state is not None
    request.outcome = f"done in fact {number}"
    state.requests = {"made": made(state)}
    return request_files(request)


def _fact_said(fact: Fact) -> str:
    match fact:
        case Asked():
            return f"{listing(sorted(fact.sides))} asked"
        case Late():
            return f"{listing(sorted(fact.sides))} late"
        case Extended():
            return f"time of {listing(sorted(fact.sides))} extended"
        case Bounced() | Reached() | Away() | Back():
            word = {Bounced: "cannot be reached", Reached: "can be reached", Away: "away", Back: "back"}[type(fact)]
            return f"{fact.side} {word}"
        case Down():
            return "the service was down"
        case Paused():
            return "paused"
        case Resumed():
            return "resumed"
        case Held():
            return "on hold"


def hand_over(game: Adjudicator, sides: Mapping[Side, datetime]) -> None:
    """Note when letters that ask were handed over; ignore sides for which no such letter was waiting."""
    with game.lock():
        clocks = None if game.result is not None else game.clock.read()
        if clocks is None:
            return
        waiting = {
            side: max(to_second(at), clock.opened)
            for side, at in sides.items()
            if (clock := clocks.sides[side]).opened is not None and clock.since is None
        }
        if waiting:
            put_fact(game, Asked(max(clocks.time, *waiting.values()), waiting))


def note_down(game: Adjudicator, since: datetime, until: datetime) -> bool:
    """Note that the service was down, if that can put off a deadline; return whether it is on record now."""
    with game.lock():
        clocks = None if game.result is not None else game.clock.read()
        terms = game.clock.terms
        if clocks is None or terms is None or to_second(until) - to_second(since) <= terms.grace:
            return False
        if not any(clock.asked for clock in clocks.sides.values()):
            return False
        put_fact(game, Down(max(clocks.time, to_second(until)), to_second(since), to_second(until)))
        return True


def note_bounced(game: Adjudicator, side: Side, since: datetime) -> bool:
    """Note that a side's mailbox refuses what was handed over at `since`; return whether its clock has stopped."""
    with game.lock():
        clocks = None if game.result is not None else game.clock.read()
        if clocks is None or not (clock := clocks.sides[side]).runs or clock.since is None:
            return False
        at = fact_time(game, clocks)
        put_fact(game, Bounced(at, side, min(max(to_second(since), clock.since), at)))
        return True


def note_reached(game: Adjudicator, side: Side) -> bool:
    """Note that a side can be reached again and has its letter; return whether its clock runs on."""
    with game.lock():
        clocks = None if game.result is not None else game.clock.read()
        if clocks is None or clocks.sides[side].bounced is None:
            return False
        put_fact(game, Reached(fact_time(game, clocks), side))
        return True


def note_away(game: Adjudicator, side: Side, first: date, last: date, letter: LetterId | None = None) -> Clocks:
    """Put on record that a side is away on some days. Raises CannotPlay, with the days left, for too many."""
    with game.lock():
        _, clocks = require_clock(game)
        return put_fact(game, Away(fact_time(game, clocks), side, first, last), letter)


def note_back(game: Adjudicator, side: Side, letter: LetterId | None = None) -> Clocks:
    """Put on record that a side is back. Raises CannotPlay if it is not away."""
    with game.lock():
        _, clocks = require_clock(game)
        return put_fact(game, Back(fact_time(game, clocks), side), letter)


def pause_game(game: Adjudicator, until: datetime | None, reason: str, *, request: int = 0) -> Clocks:
    """Pause a game until a time, or for as long as its terms allow; `request` is the one that sides consented to.

    Raises CannotPlay if that is too long, or the game master plays and has no consent.
    """
    with game.lock():
        terms, clocks = require_clock(game)
        at = fact_time(game, clocks)
        return put_fact(
            game, Paused(at, at + terms.pause if until is None else to_second(until), reason_of(reason), request)
        )


def hold_game(game: Adjudicator, until: datetime | None, reason: str) -> Clocks:
    """Put a game on hold until a time, or end its hold (None): it does not go on, and orders can be taken back.

    Clocks run on, and a deadline ends it. Raises CannotPlay if that is longer than a pause may be, or if the game
    master plays a side. What is on hold goes on by itself when its time is over, or by `adjudicate`.
    """
    with game.lock():
        _, clocks = require_clock(game)
        at = fact_time(game, clocks)
        return put_fact(game, Held(at, at if until is None else to_second(until), reason_of(reason)))


def end_pause(game: Adjudicator, reason: str) -> Clocks:
    """End a pause now. Raises CannotPlay if there is none."""
    with game.lock():
        _, clocks = require_clock(game)
        return put_fact(game, Resumed(fact_time(game, clocks), reason_of(reason)))


def extend_time(game: Adjudicator, sides: Mapping[Side, datetime], reason: str, *, request: int = 0) -> Clocks:
    """Give sides time until a time at least; `request` is as in `pause_game`. Raises CannotPlay if no deadline runs."""
    with game.lock():
        _, clocks = require_clock(game)
        until = {side: to_second(at) for side, at in sides.items()}
        return put_fact(game, Extended(fact_time(game, clocks), until, reason_of(reason), request))


def extended_by(game: Adjudicator, span: timedelta, sides: tuple[Side, ...] = ()) -> dict[Side, datetime]:
    """Return until when sides would have time if it was longer by a span; without any, all whose deadline runs."""
    terms, clocks = require_clock(game)
    found = {side: deadline(terms, clocks, side) for side in sides or game.rules.sides}
    if none := [side for side, at in found.items() if at is None and sides]:
        raise CannotPlay(f"no deadline of {listing(none)} is running")
    running = {side: at + span for side, at in found.items() if at is not None}
    if not running:
        raise CannotPlay(f"no deadline of {game.name} is running")
    return running


def catch_up(game: Adjudicator, at: datetime | None = None) -> list[int]:
    """Call the sides whose deadline has passed, with all that follows, and return the new adjudications.

    It goes by the time of the letter that is carried out, or the current time; or by `at`. The game's lock is held.
    While the sheets are closed, nobody can answer, and so nobody is called.
    """
    done: list[int] = []
    terms = game.clock.terms
    if terms is None or not terms.runs or game.closed is not None:
        return done
    with game.lock():
        for _ in range(MOST_CALLS):
            clocks = None if game.result is not None else game.clock.read()
            if clocks is None:
                break
            now = max(clocks.time, game.clock.time if at is None else to_second(at))
            late = late_at(terms, clocks, now)
            if not late:
                break
            clocks = put_fact(game, Late(now, late))
            done += _forfeits(game, terms, clocks, late)
            if game.result is None:
                done += game.adjudicate()
    return done


def _forfeits(game: Adjudicator, terms: Terms, clocks: Clocks, late: Mapping[Side, datetime]) -> list[int]:
    """Let the sides resign that have been late too often; return the adjudications that do it."""
    done = []
    for side in sorted(late):
        times = clocks.sides[side].late
        if terms.forfeit and times >= terms.forfeit and game.result is None and side in game.in_play:
            done.append(end_by_game_master(game, RESIGNATION, side, forfeit_reason(times)))
    return done


def forfeit_reason(times: int) -> str:
    """Return the reason for which a side resigns that has been late so often."""
    return f"late {times} times: forfeit by the terms of the clock" if times > 1 else "late: forfeit by the terms"
