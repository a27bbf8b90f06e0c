"""The door: who may send a letter to a game, where that is asked. A letter that is taken in by hand passes.

The post asks (`pbem.post.who`). The answer is given while the game is open and locked, for one letter and one game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pbem.mail.letter import Letter
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator

if TYPE_CHECKING:
    from pbem.mail.outgoing import Outgoing


@dataclass(frozen=True, slots=True)
class Turned:
    """A letter that is not carried out in a game: a line for the log, and the letters that tell of it."""

    log: str
    letters: Sequence[Outgoing] = ()


class Door(Protocol):
    """Says whether a letter is carried out in a game."""

    def turned(self, game: Adjudicator, letter: Letter, sides: Sequence[Side]) -> Turned | None:
        """Return why a letter is not carried out; None: it is. `sides` are those of its sender, perhaps none."""
        ...
