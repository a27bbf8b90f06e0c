"""The clock of an open game: its files in the repo, and the time that the game goes by.

A game without a clock has none of these files, and its commits have no times. What counts time (terms, calendar, facts)
is imported only by the first game that has one: most commands read games without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from pbem.game import yaml as yamlio
from pbem.protocol import Side
from pbem.repo.files.layout import CLOCK, fact_path
from pbem.repo.ledger import Ledger

if TYPE_CHECKING:
    from pbem.referee.game.facts import Fact
    from pbem.referee.game.side_clocks import Clocks
    from pbem.referee.game.terms import Terms


class GameClock:
    """The clock of a game, as of the commit that is read."""

    def __init__(self, ledger: Ledger, sides: Sequence[Side], now: Callable[[], datetime]) -> None:
        """`now` returns the current time, where no letter is carried out."""
        self._ledger = ledger
        self._sides = sides
        self._now = now
        if ledger.charter.clock is not None:  # then every commit says when it was made
            ledger.now = now

    @cached_property
    def terms(self) -> Terms | None:
        """The terms that the charter publishes; None: the game has no clock."""
        said = self._ledger.charter.clock
        if said is None:
            return None
        from pbem.referee.game.terms import read_terms

        return read_terms(said, self._sides)

    @property
    def decides(self) -> bool:
        """Whether the clock decides which sides are late, and not the game master."""
        return self.terms is not None and self.terms.runs

    def read(self) -> Clocks | None:
        """Return a copy of the clocks of the sides; None: there are none, or the game has not begun."""
        content = self._ledger.repo.read(CLOCK) if self.terms is not None else None
        return None if content is None else _clocks_of(content).copied()

    @property
    def time(self) -> datetime:
        """The time of the letter that is carried out, or else the current time, in whole seconds."""
        return (self._ledger.repo.letter_time or self._now()).astimezone(UTC).replace(microsecond=0)

    @property
    def now(self) -> datetime:
        """The current time, in whole seconds."""
        return self._now().astimezone(UTC).replace(microsecond=0)

    def called(self) -> tuple[frozenset[Side], frozenset[Side]]:
        """Return the sides that the next adjudication treats as late, and those that the bot plays for."""
        terms, clocks = self.terms, self.read()
        if terms is None or clocks is None:
            return frozenset(), frozenset()
        from pbem.referee.game.side_clocks import late_now
        from pbem.referee.game.terms import BOT, DEFAULT

        late = late_now(clocks)
        return (late if terms.late == DEFAULT else frozenset()), (late if terms.late == BOT else frozenset())

    def held(self) -> datetime | None:
        """Return when the last hold of a sheet ends, or has ended; None: no sheet is on hold."""
        clocks = self.read()
        if clocks is None:
            return None
        from pbem.referee.game.side_clocks import last_hold_ends

        return last_hold_ends(clocks)

    def files(self, clocks: Clocks) -> dict[str, bytes]:
        """Return the file of the clocks."""
        return {CLOCK: yamlio.dump(clocks.record()).encode()}

    def fact_files(self, clocks: Clocks, fact: Fact) -> dict[str, bytes]:
        """Return the file of a fact that is the latest, and that of the clocks, which it has changed."""
        from pbem.referee.game.facts import fact_record

        said = yamlio.dump(fact_record(clocks.facts, fact)).encode()
        return {fact_path(clocks.facts): said, **self.files(clocks)}

    @contextmanager
    def dated(self, at: datetime | None) -> Iterator[None]:
        """Date all commits made within this context by an instant; None: as usual."""
        repo = self._ledger.repo
        before = repo.letter_time
        repo.letter_time = before if at is None else at
        try:
            yield
        finally:
            repo.letter_time = before


@lru_cache(maxsize=256)
def _clocks_of(content: bytes) -> Clocks:
    """Return the clocks that a file says, to be copied: they are the same for all who ask."""
    from pbem.referee.game.side_clocks import read_clocks

    return read_clocks(yamlio.read(content, name=CLOCK).value)
