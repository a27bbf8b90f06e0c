"""The effects of sheets and adjudications on the clocks: which sides are asked, and which have answered."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple

from pbem.engine.answers import has_order_for
from pbem.game.decision_kinds import does_nothing
from pbem.game.wording import listing
from pbem.protocol import Decision, Side
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.referee.game.side_clocks import (
    Clocks,
    close_question,
    end_hold,
    hold_answer,
    late_at,
    new_clocks,
    open_question,
    stop_clock,
    take_back,
    take_over,
)
from pbem.referee.play.played import Played
from pbem.repo.files.requests import ROLLBACK
from pbem.repo.files.state import State


class Stamped(NamedTuple):
    """The files of the clocks after a change, and the date of the commit that makes it; None: it has no date."""

    files: dict[str, bytes]
    at: datetime | None


_WITHOUT: Final = Stamped({}, None)


def require_on_time(game: OpenGame) -> None:
    """Raise CannotPlay if a deadline had passed when the letter arrived, and the side has not been called late yet."""
    clocks, terms = game.clock.read(), game.clock.terms
    if game.closed is not None:  # nobody is called late then, and no sheet is accepted
        return
    if clocks is not None and terms is not None and (late := late_at(terms, clocks, game.clock.time)):
        raise CannotPlay(f"the deadline of {listing(sorted(late))} has passed: `pbem adjudicate {game.name}` first")


def after_sheet(game: OpenGame, side: Side, ready: Callable[[], bool], *, orders: bool) -> Stamped:
    """Return the clocks after a sheet of a side; the sheet is in the state of `game` already.

    `ready` tells whether the sheet lets the game go on. It is then put on hold first, if the terms say so. A sheet
    without `orders`, which only files standing orders, leaves the time and the hold of earlier orders as they are.
    """
    terms, clocks = game.clock.terms, game.clock.read()
    if terms is None or clocks is None:
        return _WITHOUT
    at, clock = game.clock.time, clocks.sides[side]
    asked_since = clock.since or clock.opened
    if clock.asked and asked_since is not None:
        if _waits_for(game, side):
            if clock.answered is not None:
                take_back(clocks, side, max(at, asked_since))
        elif orders or clock.answered is None:
            stop_clock(clocks, side, max(at, asked_since), earns=_earns(game, side))
            if terms.hold and ready():
                hold_answer(terms, clocks, side)
    elif _waits_for(game, side):  # it has withdrawn the standing orders that had answered
        open_question(clocks, [side], game.adjudication, at, game.by_mail)
    return Stamped(game.clock.files(clocks), at)


def after_replacement(game: OpenGame, side: Side) -> Stamped:
    """Return the clocks once another player has taken a side over."""
    terms, clocks = game.clock.terms, game.clock.read()
    if terms is None or clocks is None:
        return _WITHOUT
    at = max(game.clock.time, clocks.time)
    take_over(terms, clocks, side, at)
    return Stamped(game.clock.files(clocks), at)


def after_adjudication(game: OpenGame, after: State, played: Played) -> Stamped:
    """Return the clocks after an adjudication, which is in the state of `game` already."""
    terms = game.clock.terms
    if terms is None:
        return _WITHOUT
    clocks = game.clock.read() or new_clocks(terms, game.rules.sides, game.clock.time)
    at = max(game.clock.time, clocks.time)
    awaited = {each.side for each in game.open_decisions}
    if played.outcome.answers or _reopens(played):  # every decision that is open now is a new question
        gone = {side for side, clock in clocks.sides.items() if clock.asked}
    else:
        gone = {side for side in clocks.sides if _question_is_over(clocks, side, side in awaited)}
    for side in sorted(gone):
        close_question(terms, clocks, side, at)
    new = [side for side in sorted(awaited) if not clocks.sides[side].asked]
    open_question(clocks, new, after.adjudication, at, game.by_mail)
    clocks.time = at
    end_hold(clocks)
    return Stamped(game.clock.files(clocks), at)


def _question_is_over(clocks: Clocks, side: Side, awaited: bool) -> bool:
    """Tell whether the question to a side has ended without an answer: the answer expired, or the side resigned."""
    clock = clocks.sides[side]
    return bool(clock.asked) and awaited == (clock.answered is not None)


def _reopens(played: Played) -> bool:
    """Tell whether an act of the game master asks all questions again."""
    act = played.act
    return act is not None and (act["kind"] == ROLLBACK or act.get("what") == "patch")


def _waits_for(game: OpenGame, side: Side) -> bool:
    return any(each.side == side for each in game.open_decisions)


def _earns(game: OpenGame, side: Side) -> bool:
    """Tell whether a side has answered a question by orders of its own, and the question was more than a window."""
    state = game.current().state
    assert state is not None
    return any(
        each.waits and not _is_window(each) and has_order_for(game.session, state.pending, each)
        for each in game.session.open_decisions
        if each.side == side
    )


def _is_window(decision: Decision) -> bool:
    """Tell whether a question is a window: it lets the side step in, and the default is that it does not."""
    return decision.default is not None and does_nothing(decision.default)
