"""The evidence of a game: its commits, files and turns, gathered once for every check."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TypeAlias

from pbem.audit.record.findings import Findings, Place
from pbem.game.boxes.box_file import Correction
from pbem.protocol import Record, Side
from pbem.repo.files.charter import Charter
from pbem.repo.files.commit_kinds import CommitKind
from pbem.repo.files.layout import BOX, turn_path
from pbem.repo.git.history import Past
from pbem.repo.public import corrections_of

Read: TypeAlias = Callable[[bytes], bytes]
"""Returns the content of a file by its id."""


@dataclass(slots=True)
class Version:
    """One content of a file, and how many commits lie before the one that brought it."""

    at: int
    oid: bytes | None


@dataclass(slots=True)
class History:
    """The past of a game by file: every version of each, the first first."""

    commits: Sequence[Past]
    files: dict[str, list[Version]] = field(default_factory=dict)
    turns: dict[int, int] = field(default_factory=dict)
    """The commit that brought each adjudication."""
    kinds: dict[int, CommitKind] = field(default_factory=dict)
    """What each commit does, by its number."""
    sheets: dict[int, dict[Side, list[str]]] = field(default_factory=dict)
    """The sheets that were committed after each adjudication, and before the next."""

    @property
    def last(self) -> int:
        """The number of the last adjudication that there is a file of."""
        return max(self.turns, default=0)

    def latest(self, path: str) -> bytes | None:
        """Return what names the content that a file has now, or had before it was taken out; None: never there."""
        return next((version.oid for version in reversed(self.files.get(path, ())) if version.oid is not None), None)

    def before(self, path: str, at: int) -> bytes | None:
        """Return what names the content that a file had before a commit; None: it was not there."""
        versions = self.files.get(path, [])
        earlier = bisect_left(versions, at, key=attrgetter("at"))
        return versions[earlier - 1].oid if earlier else None

    def place(self, n: int, roll: int | None = None, name: str | None = None, kind: str = "roll") -> Place:
        """Return the place of an adjudication, or of a roll in it."""
        at = self.turns.get(n)
        if at is None:
            at = min((when for each, when in self.turns.items() if each > n), default=len(self.commits))
        return Place(at, n, roll, name, turn_path(n), None, kind)

    def place_of(self, path: str, at: int | None = None) -> Place:
        """Return the place of a file."""
        versions = self.files.get(path)
        return Place(versions[0].at if versions and at is None else at or 0, file=path)

    def corrections(self, read: Read, at: int) -> dict[str, Correction]:
        """Return the corrected files of the box that the game keeps after a commit; `read` returns a file by its id."""
        oids = ((path, self.before(path, at + 1)) for path in self.files if path.startswith(BOX))
        return corrections_of((path, read(oid)) for path, oid in oids if oid is not None)


@dataclass(slots=True)
class Books:
    """The turn files that can be read, by number, with the digest of each; 0: the charter's digest."""

    turns: dict[int, Record] = field(default_factory=dict)
    digests: dict[int, str] = field(default_factory=dict)
    undone: set[int] = field(default_factory=set)
    """Turns that were rolled back."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the repo of one game says, and the findings to which every check adds."""

    charter: Charter
    history: History
    books: Books
    read: Read
    findings: Findings

    @property
    def sides(self) -> list[Side]:
        """The sides of the game."""
        return list(self.charter.players)
