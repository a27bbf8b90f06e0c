"""A game that the game master has stopped: its letters wait, and nothing falls due in it, until it is let go on.

It is no pause: the clocks are not stopped by it. But the time counts as if the service had been down, so that no
deadline falls due within the grace that the terms give after it. The note lies beside the repo.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pbem.mail.last_reported import put_note
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay, OpenGame, OtherRules
from pbem.referee.preconditions import reason_of
from pbem.referee.timekeeping import note_down

NOTE: Final = "pbem.stopped"


@dataclass(frozen=True, slots=True)
class Stopped:
    """Since when a game is stopped, and why."""

    since: datetime
    reason: str

    def __str__(self) -> str:
        return f"on hold since {self.since:%Y-%m-%d %H:%M} UTC: {self.reason}"


def stopped(repo: Path) -> Stopped | None:
    """Return since when a game is stopped, and why; None: it is not."""
    try:
        said = json.loads((repo / NOTE).read_text("utf-8"))
        return Stopped(datetime.fromisoformat(said["since"]).astimezone(UTC), str(said["reason"]))
    except (FileNotFoundError, ValueError, TypeError, LookupError):
        return None


def require_not_stopped(game: OpenGame) -> None:
    """Raise OtherRules, so that a letter waits, if a game is stopped."""
    if (now := stopped(game.path)) is not None:
        raise OtherRules(f"{game.name} is {now}; `pbem hold {game.name} --release` lets it go on")


def stop(game: Adjudicator, reason: str, at: datetime) -> Stopped:
    """Stop a game. Its lock is held. Raises CannotPlay if it is over, or stopped already."""
    if game.result is not None:
        raise CannotPlay(f"{game.name} is over")
    if (now := stopped(game.path)) is not None:
        raise CannotPlay(f"it is {now}")
    made = Stopped(at, reason_of(reason))
    put_note(game.path, NOTE, json.dumps({"since": at.isoformat(), "reason": made.reason}).encode())
    return made


def let_go_on(game: Adjudicator, at: datetime) -> bool:
    """Let a game go on that was stopped, its lock held; return whether that puts deadlines off. Raises CannotPlay."""
    before = stopped(game.path)
    if before is None:
        raise CannotPlay(f"{game.name} is not on hold")
    put_off = note_down(game, before.since, at)
    (game.path / NOTE).unlink(missing_ok=True)
    return put_off
