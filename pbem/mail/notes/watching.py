"""The note of who watches a game: addresses, how late each is told, and of which adjudication they know.

Who watches is no part of the game and not on record. The note lies beside its repo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pbem.game.wording import counted
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.repo.files.note_store import record_note

MOST: Final = 100
"""So many observers a game has at most."""
LATEST: Final = 1000
"""The most turns or days that an observer may be behind."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Somebody who watches a game."""

    address: str
    turns: int = 0
    """So many turns of the game they are behind."""
    days: int = 0
    """So many days they are behind."""
    told: int = 0
    """The last adjudication that they have been told of."""

    @property
    def late(self) -> str:
        """How late they are told, in words; empty: at once."""
        return counted(self.turns, "turn") if self.turns else counted(self.days, "day") if self.days else ""


@dataclass(frozen=True, slots=True)
class ObserverNote:
    """Who watches a game, and the turns that it has had."""

    observers: tuple[Observer, ...] = ()
    turns: tuple[tuple[str, int], ...] = ()
    """The turns of the game so far, each with the adjudication by which it began."""
    counted: int = 0
    """The last adjudication that has been looked at for them."""


OBSERVERS: Final = record_note("pbem.observers", ObserverNote())


def observers(repo: Path) -> Sequence[Observer]:
    """Return who watches a game."""
    return OBSERVERS.read(repo).observers


def watch(game: OpenGame, observer: Observer) -> None:
    """Let somebody watch a game, or change how late they are told. The game's lock is held. Raises CannotPlay."""
    note = OBSERVERS.read(game.path)
    before = next((each for each in note.observers if _has_address(each, observer.address)), None)
    if observer.turns and not game.rules.turn:
        raise CannotPlay(f"{game.box.title} counts no turns; say how many days late they are told")
    if max(observer.turns, observer.days) > LATEST:
        raise CannotPlay(f"{LATEST} turns or days are the most")
    if before is None and len(note.observers) >= MOST:
        raise CannotPlay(f"{game.name} has {MOST} observers, and these are the most")
    others = tuple(each for each in note.observers if not _has_address(each, observer.address))
    now = replace(observer, told=before.told if before else 0)
    OBSERVERS.write(game.path, replace(note, observers=(*others, now)))


def leave(game: OpenGame, address: str) -> None:
    """Let an observer watch a game no more. The game's lock is held. Raises CannotPlay for an address that does not."""
    note = OBSERVERS.read(game.path)
    left = tuple(each for each in note.observers if not _has_address(each, address))
    if left == note.observers:
        raise CannotPlay(f"{address} does not watch {game.name}")
    OBSERVERS.write(game.path, replace(note, observers=left))


def note_observer_told(repo: Path, observer: Observer, until: int) -> None:
    """Note the last adjudication that an observer has been told of."""
    note = OBSERVERS.read(repo)
    now = tuple(replace(each, told=until) if _has_address(each, observer.address) else each for each in note.observers)
    OBSERVERS.write(repo, replace(note, observers=now))


def _has_address(observer: Observer, address: str) -> bool:
    return observer.address.lower() == address.lower()
