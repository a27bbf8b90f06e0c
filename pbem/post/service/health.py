"""The health of the post in one line: whether the service runs, what it cannot reach, and what waits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from pbem.game.wording import counted
from pbem.post.service.sending import FULL
from pbem.post.tables.tables import Tables

BEAT: Final = "service beat"
"""The note that the service renews while it runs."""
STOPPED: Final = "stopped"
RAN_ONCE: Final = "once"
"""What the note says when the service stopped, and when it ran for once."""
REACHED: Final = "reached "
"""How the notes begin of what was reached, or not: a mailbox, a server."""
WELL: Final = ""
_SILENT_TOO_LONG: Final = 90.0
"""Seconds after which a service that has not renewed its note does not run any more."""
_TOO_LONG: Final = 3600.0
"""Seconds that a letter may wait that could be taken in, or that a mailbox was not looked at, before it is bad."""


class Health(NamedTuple):
    """How the post is: whether it is well, and a line that says so."""

    well: bool
    line: str


def health(tables: Tables, now: float) -> Health:
    """Return how the post is."""
    wrong = []
    beat = tables.noted(BEAT)
    if beat is None or beat[0] == STOPPED:
        wrong.append("no service runs" + (f" since {_minute_of(beat[1])}" if beat else ""))
    elif beat[0] == RAN_ONCE:
        if now - beat[1] > _TOO_LONG:
            wrong.append(f"no service runs; `pbem post --once` last ran at {_minute_of(beat[1])}")
    elif abs(now - beat[1]) > _SILENT_TOO_LONG:
        wrong.append(f"the service has given no sign since {_minute_of(beat[1])}")
    for key, value, at in tables.notes(REACHED):
        name = key.removeprefix(REACHED)
        if value != WELL:
            wrong.append(f"{name} cannot be reached since {_minute_of(at)}: {value}")
        elif not wrong and now - at > _TOO_LONG:
            wrong.append(f"{name} was last reached at {_minute_of(at)}")
    stuck = tables.stuck()
    counts = tables.counts()
    if counts.oldest is not None and now - counts.oldest > _TOO_LONG and tables.next_games(now, 1):
        wrong.append(f"a letter waits since {_minute_of(counts.oldest)}")
    facts = [
        f"{counted(counts.waiting, 'letter')} to take in",
        f"{counts.to_send} to send",
        f"{counts.taken} taken in",
        f"{counts.passed} not ours",
    ]
    if counts.refused:
        facts.append(f"{counts.refused} refused by servers")
    if stuck:
        facts.append(f"{counted(len(stuck), 'game')} cannot go on")
    head = f"NOT well: {'; '.join(wrong)}" if wrong else "well"
    return Health(not wrong, f"{head}. {', '.join(facts)}.")


def waiting(tables: Tables, game: str | None = None) -> Iterator[str]:
    """Yield what waits, and for what, in a sentence each: of one game, or of all."""
    for each in tables.stuck():
        if game in (None, each.game):
            whose = f" of {each.game}" if each.game else ""
            yield f"{counted(each.letters, 'letter')}{whose} cannot be taken in: {each.reason}"
    counts = tables.counts()
    if game is None and counts.waiting:
        yield f"{counted(counts.waiting, 'letter')} to take in."
    if game is None and counts.to_send:
        full = tables.noted(FULL)
        why = f" {full[0]} (`send:` in the config)." if full is not None else ""
        yield f"{counted(counts.to_send, 'letter')} to send.{why}"
    if game is None and counts.refused:
        yield f"{counted(counts.refused, 'letter')} of ours refused by mail servers for good."


def _minute_of(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"
