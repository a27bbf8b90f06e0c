"""The state of an open game as of one commit, and what was read of its past since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from pbem.crypto.dice import ChainDice, Dice
from pbem.engine.session import Session
from pbem.repo.adjudication import Adjudication
from pbem.repo.state import State

T = TypeVar("T")
_MOST_KEPT: Final = 16


class Kept(Generic[T]):
    """What was read of adjudications, by their numbers. It is kept for a while: the letters to all sides need it."""

    def __init__(self) -> None:
        self._by_number: dict[int, T] = {}

    def get(self, n: int, read: Callable[[int], T]) -> T:
        """Return what `read` returns for an adjudication."""
        if n not in self._by_number:
            if len(self._by_number) >= _MOST_KEPT:
                self._by_number.clear()
            self._by_number[n] = read(n)
        return self._by_number[n]


@dataclass(slots=True)
class Now:
    """The state of a game as of one commit, and the session that was resumed from it."""

    head: str
    state: State | None
    session: Session[Any] | None
    dice: Dice = field(default_factory=lambda: ChainDice(b"", b""))
    turns: Kept[Any] = field(default_factory=Kept)
    """The turn files that were read."""
    made: Kept[Adjudication] = field(default_factory=Kept)
    """The adjudications of the past that were read."""
    earlier: Kept[Any] = field(default_factory=Kept)
    """The positions after adjudications of the past that were resumed."""
