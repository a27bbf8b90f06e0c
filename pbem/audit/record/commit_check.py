"""The check of a game's commits: who signed them, which files they bring, and that what was there stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pbem.audit.record.evidence import History, Read, Version
from pbem.audit.record.findings import Findings, Place, listed
from pbem.audit.record.schemas import NOTE_SHAPE, REQUEST_SHAPE, said_in
from pbem.crypto.signing import verifies
from pbem.game.wording import counted
from pbem.repo.files.charter import Charter
from pbem.repo.files.commit_kinds import (
    FACT,
    LETTER,
    RECORD,
    REQUEST,
    SHEET,
    TURN,
    CommitKind,
    LayoutPath,
    kind_of,
    layout_path,
)
from pbem.repo.files.layout import CHARTER, PINS, REVEALED
from pbem.repo.git.history import Past
from pbem.repo.git.objects import FileChange

ONCE: Final = (CHARTER, PINS, TURN, RECORD, SHEET, LETTER, REVEALED, FACT)
"""What is never changed once it is there."""
_AGE: Final = b"age-encryption.org/v1\n"
"""How a sealed file begins."""


class Historian:
    """Goes through the commits of a game, the oldest first."""

    def __init__(
        self,
        charter: Charter,
        commits: Sequence[Past],
        read: Read,
        findings: Findings,
    ) -> None:
        self.history = History(commits)
        self._sides = list(charter.players)
        self._signed_by = charter.signed_by
        self._read = read
        self._findings = findings
        self._turn = 0
        self._counts = dict.fromkeys(self._sides, 0)

    def tell(self) -> History:
        """Check every commit and return the past by file."""
        for commit in self.history.commits:
            place = Place(commit.at, commit=commit.sha)
            self._findings.blame(place, *self._signature(commit))
            self._commit(commit)
        commits = len(self.history.commits)
        files = self.history.files
        text = (
            f"{counted(commits, 'commit')}, all signed by the key of {CHARTER}; {counted(len(files), 'file')}, "
            f"all known to the layout, none changed that must stay"
        )
        self._findings.check("history", text)
        return self.history

    def _signature(self, commit: Past) -> Iterator[str]:
        said = commit.message.partition("\n")[0]
        if not commit.signature:
            yield f"it is not signed ({said})"
        elif not verifies(self._signed_by, commit.signed, commit.signature):
            yield f"its signature is not that of the key in {CHARTER} ({said})"
        if not commit.own_form:
            yield f"it is not written as a game's commits are, the {commit.at + 1}. of them ({said})"

    def _commit(self, commit: Past) -> None:
        """Check what one commit does to the files."""
        sorts: dict[str, list[LayoutPath]] = {}
        place = Place(commit.at, commit=commit.sha)
        for change in commit.changes:
            known = layout_path(change.path, self._sides)
            if known is None:
                self._findings.blame(Place(commit.at, file=change.path), "the layout of a game has no such file")
                continue
            self._findings.blame(self._place(known, change, commit), *self._change(known, change, commit))
            self.history.files.setdefault(change.path, []).append(Version(commit.at, change.new))
            sorts.setdefault(known.sort, []).append(known)
        kind = kind_of(sorts)
        if kind is None or (kind is CommitKind.CHARTER) != (commit.at == 0):
            self._findings.blame(place, f"no commit of a game changes just these: {', '.join(sorted(sorts))}")
        else:
            self.history.kinds[commit.at] = kind
        self._findings.blame(place, *self._counts_of(sorts))
        for n in {each.n for each in sorts.get(TURN, ())} - self.history.turns.keys():
            self.history.turns[n] = commit.at
            self._turn = max(n, self._turn)
        for change in commit.changes:
            known = layout_path(change.path, self._sides)
            if known is not None and known.sort == LETTER:
                self._letter(commit, change, sorts)
            elif known is not None and known.sort == REQUEST:
                self._said(commit, change, REQUEST_SHAPE)

    def _place(self, known: LayoutPath, change: FileChange, commit: Past) -> Place:
        return Place(commit.at, known.n if known.sort in (TURN, RECORD) else None, file=change.path)

    def _change(self, known: LayoutPath, change: FileChange, commit: Past) -> Iterator[str]:
        """Yield what is wrong with what a commit does to one file."""
        by = f"commit {commit.sha[:12]} ({commit.message.partition(chr(10))[0]})"
        what = f"{change.path} " if known.sort in (TURN, RECORD) else ""
        if not change.plain:
            yield f"{what}is no plain file since {by}"
        if change.new is None:
            yield f"{what}is taken out by {by}; nothing is ever taken out"
            return
        if change.old is not None and known.sort in ONCE:
            yield f"{what}is changed by {by}; it must stay as it was"
        elif change.old is None and known.sort == SHEET:
            yield from self._sheet(known, change)
        if change.path.endswith(".age") and not self._read(change.new).startswith(_AGE):
            yield f"{what}is no sealed file: it is not written as age writes them"

    def _sheet(self, known: LayoutPath, change: FileChange) -> Iterator[str]:
        """Put a new sheet on record; yield what is wrong with its number."""
        assert known.side is not None
        expected = self._counts[known.side] + 1
        if known.n != expected:
            yield f"after sheet {expected - 1} of {known.side} comes sheet {known.n}"
        self._counts[known.side] = max(known.n, self._counts[known.side])
        self.history.sheets.setdefault(self._turn, {}).setdefault(known.side, []).append(change.path)

    def _counts_of(self, sorts: dict[str, list[LayoutPath]]) -> Iterator[str]:
        """Yield which files of a commit are too many, or out of their order."""
        turns = sorted({each.n for each in sorts.get(TURN, ())})
        if len(turns) > 1:
            yield f"it brings the turn files {listed(turns)}; each has a commit of its own"
        elif turns and turns[0] not in self.history.turns and turns[0] != self._turn + 1:
            yield f"after turn {self._turn} comes turn {turns[0]}"
        if len(sorts.get(SHEET, ())) > 1:
            yield "it brings more than one sheet"

    def _letter(self, commit: Past, change: FileChange, sorts: dict[str, list[LayoutPath]]) -> None:
        """Check the note of a letter that a commit brings."""
        note = self._said(commit, change, NOTE_SHAPE)
        if note is None:
            return
        sheets, reasons = [sheet.n for sheet in sorts.get(SHEET, ()) if sheet.side == note["side"]], []
        if note["side"] not in self._sides:
            reasons.append(f"it is of {note['side']}, who does not play")
        if note.get("after", self._turn) != self._turn:
            reasons.append(f"it says adjudication {note['after']}; it came after {self._turn}")
        if "sheet" in note and [note["sheet"]] != sheets:
            reasons.append(f"it says sheet {note['sheet']} of {note['side']}, which came otherwise")
        if "fact" in note and [note["fact"]] != [fact.n for fact in sorts.get(FACT, ())]:
            reasons.append(f"it says fact {note['fact']}, which came otherwise")
        self._findings.blame(Place(commit.at, file=change.path), *reasons)

    def _said(self, commit: Past, change: FileChange, shape: object) -> dict[str, Any] | None:
        """Return what a file in clear says; blame it, and return None, if that is not of its shape."""
        if change.new is None:
            return None
        return said_in(self._read(change.new), shape, Place(commit.at, file=change.path), self._findings)
