"""Deadlines as letters tell them: until when an answer is in time, in the zone of the reader and in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, NamedTuple

from pbem.game.wording import counted
from pbem.mail.reader_time import shown, zone_of
from pbem.protocol import Side
from pbem.referee.clock.sides import deadline, ends
from pbem.referee.open_game import OpenGame

_LONGEST: Final = 74
"""Octets of a line of a calendar file."""


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
    at = deadline(terms, clocks, side) or ends(terms, clocks, side, max(clock.opened, clocks.time, game.clock.now))
    return None if at is None else Until(at, passed=False)


def deadline_line(game: OpenGame, side: Side) -> str:
    """Return the sentence that tells a side until when it has time; empty: it has no deadline."""
    until = until_when(game, side)
    if until is None:
        return ""
    when = shown(until.at, zone_of(game, side))
    if until.passed:
        return f"Your time was up on {when}; the game still waits."
    left = game.rules.left_in_turn(game.view(side))
    return f"Answer by {when}." + ("" if left is None else f" {counted(*left)} left at most.")


def deadline_of(game: OpenGame, side: Side) -> str:
    """Return until when a side has time, in its zone and in UTC; empty: it has no deadline, or that has passed."""
    until = until_when(game, side)
    return "" if until is None or until.passed else shown(until.at, zone_of(game, side))


def calendar_file(game: OpenGame, side: Side, now: datetime) -> str | None:
    """Return the deadline of a side as a file for a calendar (RFC 5545); None: it has none.

    The next one for the same question replaces it there.
    """
    until, clocks = until_when(game, side), game.clock.read()
    if until is None or until.passed or clocks is None:
        return None
    asked, name = clocks.sides[side].asked, game.name
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//pbem//pbem//EN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        f"UID:{name}.{side}.{asked}@pbem",
        f"SEQUENCE:{clocks.facts}",
        f"DTSTAMP:{_stamp(now)}",
        f"DTSTART:{_stamp(until.at)}",
        f"DTEND:{_stamp(until.at)}",
        f"SUMMARY:{name}: your answer is due",
        f"DESCRIPTION:Report {asked} asks you. STATUS\\, alone on a line\\, says until when you have time.",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{part}\r\n" for line in lines for part in _folded(line))


def _stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _folded(line: str) -> list[str]:
    return [f"{' ' if at else ''}{line[at : at + _LONGEST]}" for at in range(0, len(line), _LONGEST)]
