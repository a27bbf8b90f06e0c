"""The two witnesses of a game: what a clone of its repo says, and what the letters that a player kept say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Final, NamedTuple

from pbem.audit.record.evidence import Evidence
from pbem.audit.record.findings import Place
from pbem.game import yaml as yamlio
from pbem.protocol import Record, Side
from pbem.render.text.receipt import ClosedSheets, KeptLetter, LetterReceipt
from pbem.repo.files.layout import BEACON, REVEALED, SHEETS, turn_path

_NEVER: Final = datetime.max.replace(tzinfo=UTC)


class Witness(NamedTuple):
    """A receipt in a letter, and the letter that has it."""

    letter: KeptLetter
    receipt: LetterReceipt


class KeptLetters:
    """The letters that a player kept, as far as they are about one game."""

    def __init__(self, game: str, letters: Sequence[KeptLetter]) -> None:
        self.game = game
        self.all = letters

    @cached_property
    def receipts(self) -> list[Witness]:
        """Each receipt of the game once, with the letter that has it, the earliest first; a quoted one last."""
        kept: dict[LetterReceipt, KeptLetter] = {}
        for letter in sorted(self.all, key=lambda letter: (not letter.own, letter.time or _NEVER)):
            for receipt in letter.receipts:
                if receipt.game == self.game:
                    kept.setdefault(receipt, letter)
        found = (Witness(letter, receipt) for receipt, letter in kept.items())
        return sorted(found, key=lambda each: each.letter.time or _NEVER)

    @cached_property
    def readers(self) -> dict[Side, set[str]]:
        """The sides whose letters are here, each with the addresses that they went to."""
        found: dict[Side, set[str]] = {}
        for letter, receipt in self.receipts:
            found.setdefault(receipt.side, set()).update({letter.to} - {""} if letter.own else ())
        return found

    def to(self, side: Side) -> list[Witness]:
        """Return the receipts that letters to a side have."""
        return [each for each in self.receipts if each.receipt.side == side]

    def written_by(self, side: Side) -> list[KeptLetter]:
        """Return the letters that a side sent."""
        own = self.readers.get(side, ())
        return [letter for letter in self.all if letter.sender in own]


class ClonedTurn(NamedTuple):
    """A turn file as it is in the clone: the commit that brought it, its digest and its content."""

    at: int
    commit: str
    digest: str
    content: Record

    def sheets(self, side: Side) -> Mapping[str, str]:
        """Return the sheets of a side that it used, by path, with the salted digests of their texts."""
        by_side = self.content.get("texts")
        found = by_side.get(side) if isinstance(by_side, dict) else None
        return found if isinstance(found, dict) else {}

    @property
    def round(self) -> int | None:
        """The round of the beacon that decided it; None: none did."""
        share = self.content.get("beacon")
        return _whole_number(share.get("round")) if isinstance(share, dict) else None


class Clone:
    """What a clone says that letters can be compared with: its commits, turns, sheets and closings."""

    def __init__(self, evidence: Evidence) -> None:
        history, commits = evidence.history, evidence.history.commits
        self.evidence = evidence
        self.commits = {commit.sha: commit.at for commit in commits}
        """The number of each commit."""
        self.head = commits[-1].sha
        last = {path: versions[-1].at for path, versions in history.files.items() if history.latest(path) is not None}
        brought = {path: (at, commits[at].sha) for path, at in last.items()}
        self.sheets = {path: commit for path, commit in brought.items() if path.startswith(SHEETS)}
        """The number and the id of the commit that brought each sheet."""
        self.turns: dict[int, ClonedTurn] = {}
        while (commit := brought.get(turn_path(n := len(self.turns) + 1))) is not None:
            self.turns[n] = ClonedTurn(*commit, evidence.books.digests[n], evidence.books.turns.get(n, {}))
        self.closings: dict[ClosedSheets, str] = {}
        """The closings of sheets, each with the commit that brought it."""
        for version in history.files.get(BEACON, ()):
            said = _read_or_nothing(b"" if version.oid is None else evidence.read(version.oid))
            n, number = (_whole_number(said.get(word)) or 0 for word in ("adjudication", "round"))
            closed = ClosedSheets(n, number, str(said.get("closed")))
            self.closings.setdefault(closed, commits[version.at].sha)  # with the signature it is the same closing
        revealed = history.latest(REVEALED)
        self.identity = "" if revealed is None else str(_read_or_nothing(evidence.read(revealed)).get("identity", ""))
        """The key of the game, which opens sealed orders; empty: it is not revealed."""

    @property
    def last(self) -> int:
        """The number of the last turn."""
        return max(self.turns, default=0)

    def place(self, n: int) -> Place:
        """Return the place of a turn, also of one that is not there."""
        turn = self.turns.get(n)
        return Place(turn.at if turn else len(self.commits), n, file=turn_path(n), commit=turn.commit if turn else None)

    def brought(self, n: int) -> str:
        """Return which turn file there is, by digest and commit."""
        turn = self.turns[n]
        return f"{turn.digest}, brought by commit {turn.commit}"


def _whole_number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _read_or_nothing(raw: bytes) -> Record:
    """Return the content of a file; nothing if it cannot be read, which is blamed elsewhere."""
    try:
        value = yamlio.read(raw, name="file").value
    except yamlio.Unreadable:
        return {}
    return value if isinstance(value, dict) else {}
