"""The ledger and the adjudicator of a derived game, without seals; what cannot be derived comes from the record."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.audit.schemas import Record
from pbem.audit.turn_files import Books
from pbem.crypto.keys import Keys
from pbem.crypto.seal import NoSealing
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.repo.layout import PLAYERS, UNOPENED
from pbem.repo.ledger import Ledger
from pbem.repo.memory import MemoryRepo
from pbem.repo.talk import JournalFile, OpenJournal


class RecordedLinks:
    """The links that the turns have opened: what they come from is never revealed."""

    def __init__(self, books: Books) -> None:
        self._turns = books.turns

    def link(self, n: int) -> str:
        """Return the link that a turn has opened; nothing for one that was not made, as when its sheets are closed."""
        return str(self._turns[n]["link"]) if n in self._turns else ""

    def renewal(self, n: int) -> str | None:
        """Return the tip that a turn promises."""
        return self._turns[n].get("renewal")


class OpenLedger(Ledger):
    """The ledger of a game that is derived: nothing is sealed, and links and names of letters are those on record."""

    def __init__(self, repo: MemoryRepo, keys: Keys, books: Books, *, unopened: bool) -> None:
        """`unopened`: the talk that is never opened is known, because all keys are at hand."""
        super().__init__(repo, keys, NoSealing())
        self.chain = RecordedLinks(books)
        self.journal: JournalFile = OpenJournal()
        self._unopened = unopened

    def talk_on_record(self, path: str, at: str | None = None) -> Record | None:
        """Return what a file of talk holds, if it can be opened."""
        return self._unsealed(path, at) if path != UNOPENED or self._unopened else None

    def seal_talk(self, path: str, content: bytes, room: int) -> bytes:
        """Return a file of talk as it would be sealed."""
        return self._sealing.seal(path, content, room)

    def letter_path(self, digest: str) -> str:
        """Return the path of the note of a letter, which is given in place of the letter's digest."""
        return digest

    @property
    def _seats(self) -> Mapping[Side, str]:
        """The players and their addresses, which nobody can open."""
        return {}

    def _seat_files(self, side: Side, seat: Record) -> dict[str, bytes]:
        """Return the file of the players, which nobody can open."""
        return {PLAYERS: b""}


class Again(Adjudicator):
    """The adjudicator of a game that is derived. That its rules are the right ones is known."""

    @property
    def differs(self) -> str | None:
        """Nothing differs."""
        return None
