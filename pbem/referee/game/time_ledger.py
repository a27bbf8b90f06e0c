"""The ledger of time: how much time each side has used, until when it can answer, and how often it was late."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.game.wording import counted
from pbem.protocol import Side
from pbem.referee.game.calendar import Span, stamp
from pbem.referee.game.open_game import OpenGame
from pbem.referee.game.side_clocks import bank_at, deadline, deadline_if_asked, used_at
from pbem.referee.game.terms import duration_text


class SideTime(NamedTuple):
    """The time of one side, as of an instant."""

    side: Side
    used: timedelta
    """The counted time that it has used in the whole game."""
    bank: timedelta | None
    """What its time bank holds; None: the game has none."""
    late: int
    """How often it was late."""
    until: datetime | None
    """Until when an answer is in time; None: no deadline is running."""
    away: list[Span]
    """Its vacations that are not over."""


class TimeLedger(NamedTuple):
    """The time of all sides, as of an instant."""

    at: datetime
    paused: Span | None
    sides: list[SideTime]

    def record(self) -> dict[str, object]:
        """Return it for `--json`: times in seconds."""
        return {
            "at": stamp(self.at),
            "paused_until": None if self.paused is None else stamp(self.paused.until),
            "sides": {each.side: _side_record(each) for each in self.sides},
        }


def time_ledger(game: OpenGame, *, now: bool = True) -> TimeLedger | None:
    """Return the ledger of time of a game, as of now or of its last commit; None: it has no clock, or has not begun."""
    terms, clocks = game.clock.terms, game.clock.read()
    if terms is None or clocks is None:
        return None
    at = max(clocks.time, game.clock.now) if now and game.result is None else clocks.time
    sides = [
        SideTime(
            side,
            used_at(terms, clocks, side, at),
            bank_at(terms, clocks, side, at) if terms.pace is not None else None,
            clocks.sides[side].late,
            deadline(terms, clocks, side),
            [span for span in clocks.sides[side].away if span.until > at],
        )
        for side in game.rules.sides
    ]
    return TimeLedger(at, clocks.paused(at), sides)


class Until(NamedTuple):
    """Until when a side's answer is in time; `passed`: that was then, and the game still waits."""

    at: datetime
    passed: bool


def until_when(game: OpenGame, side: Side) -> Until | None:
    """Return until when a side's answer is in time; None: it is asked nothing that has a deadline.

    As long as the letter that asks was not handed over, that is told as if it were now.
    """
    terms, clocks = game.clock.terms, game.clock.read()
    if terms is None or clocks is None or not terms.runs or game.result is not None or side not in clocks.sides:
        return None
    clock = clocks.sides[side]
    if not clock.asked or clock.answered is not None or clock.opened is None:
        return None
    if clock.called is not None:
        return Until(clock.called, passed=True)
    at = deadline(terms, clocks, side) or deadline_if_asked(
        terms, clocks, side, max(clock.opened, clocks.time, game.clock.now)
    )
    return None if at is None else Until(at, passed=False)


def ledger_line(game: OpenGame, *, now: bool = True) -> str:
    """Return the ledger of time as a sentence, as of now or of the last commit; empty: there is none."""
    ledger = time_ledger(game, now=now)
    if ledger is None:
        return ""
    names = {each["id"]: each["name"] for each in game.box.sides}
    return f"Time used: {', '.join(_side_said(names[each.side], each) for each in ledger.sides)}."


def shown_span(span: timedelta) -> str:
    """Return a span as letters show it: to the hour, or if it is less than a day, to the minute.

    >>> shown_span(timedelta(days=3, hours=4, minutes=5)), shown_span(timedelta(seconds=7500)), shown_span(timedelta(0))
    ('3d 4h', '2h 5m', '0m')
    """
    seconds = int(span.total_seconds())
    least = 3600 if seconds >= 86_400 else 60
    text = duration_text(timedelta(seconds=seconds // least * least))
    return "0m" if text == "0s" else text


def _side_said(name: str, each: SideTime) -> str:
    more = [] if each.bank is None else [f"{shown_span(each.bank)} left"]
    more += [f"late {counted(each.late, 'time')}"] if each.late else []
    more += [f"away until {each.away[0].until:%d %b}"] if each.away else []
    return f"{name} {shown_span(each.used)}" + (f" ({', '.join(more)})" if more else "")


def _side_record(each: SideTime) -> dict[str, object]:
    return {
        "used": int(each.used.total_seconds()),
        "bank": None if each.bank is None else int(each.bank.total_seconds()),
        "late": each.late,
        "until": None if each.until is None else stamp(each.until),
        "away": [[stamp(span.since), stamp(span.until)] for span in each.away],
    }
