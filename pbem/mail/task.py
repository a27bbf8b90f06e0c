"""One command of a letter that is to be carried out, as the modules of actions are given it."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.game.plain import Record
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.repo.ledger import LetterId


@dataclass(frozen=True, slots=True)
class Task:
    """One command to be carried out: for which side of which game, the rest of its line, and the letter it came in.

    `letter` are the digests to be noted; None: the letter was carried out before, and nothing is to change. `noted` is
    then what was noted of it.
    """

    game: Adjudicator
    side: Side
    rest: str
    letter: LetterId | None
    digest: str
    """The digest of that letter, by which notes outside the game know it."""
    noted: Record
