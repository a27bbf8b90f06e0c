"""The evidence of a game: its commits, files and turns, gathered once for every check.

Each commit is of a kind, known by the sorts of files that it changes; a commit of no kind is a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from re import compile as pattern
from typing import Final, NamedTuple, TypeAlias

from pbem.audit.record.findings import Findings, Place
from pbem.game.boxes.box_file import SUFFIX, Correction
from pbem.protocol import Record, Side
from pbem.repo.files.charter import Charter
from pbem.repo.files.layout import (
    BEACON,
    BOX,
    CHARTER,
    CLOCK,
    PINS,
    PLAYERS,
    POSITION,
    PRESS,
    REVEALED,
    STATE,
    UNOPENED,
    deputy_path,
    fact_path,
    joined_path,
    request_path,
    sealed_path,
    sheet_path,
    standing_path,
    turn_path,
    view_path,
)
from pbem.repo.git.history import Past
from pbem.repo.public import corrections_of

Read: TypeAlias = Callable[[bytes], bytes]
"""Returns the content of a file by its id."""
TURN: Final = "turn"
SHEET: Final = "sheet"
JOINED: Final = "joined"
STANDING: Final = "standing"
VIEW: Final = "view"
LETTER: Final = "letter"
DEPUTY: Final = "deputy"
REQUEST: Final = "request"
FACT: Final = "fact"
_OF_SIDES: Final = ((JOINED, joined_path), (DEPUTY, deputy_path), (STANDING, standing_path), (VIEW, view_path))
"""The sorts of which each side has one file, with its path."""
_NUMBER: Final = pattern(r"(?:turns|requests|clock|sheets/[^/]+)/[0-9]{3,}/([0-9]{4,})\.(?:age|yaml)")
_LETTER: Final = pattern(r"letters/([0-9a-f]{2})/\1[0-9a-f]{62}")


class CommitKind(StrEnum):
    """What a commit does."""

    CHARTER = "charter"
    JOIN = "join"
    PLAYER = "another player or address"
    DEPUTY = "deputy"
    SHEET = "sheet"
    ADJUDICATION = "adjudication"
    MIGRATION = "migration"
    CLOSING = "closing or round"
    REQUEST = "request or consent"
    REVEAL = "reveal"
    TALK = "table talk"
    FACT = "fact of time"


class _Row(NamedTuple):
    """A kind of commit: the sorts of files that it must change, those of which it must change one, and others."""

    kind: CommitKind
    must: frozenset[str]
    one_of: frozenset[str]
    may: frozenset[str]


def _kind_row(kind: CommitKind, must: Collection[str], one_of: Collection[str] = (), may: Collection[str] = ()) -> _Row:
    return _Row(kind, frozenset(must), frozenset(one_of), frozenset(may))


_PLAYED: Final = (POSITION, STANDING, VIEW, REQUEST, REVEALED, PRESS, UNOPENED, CLOCK)
_ROWS: Final = (
    _kind_row(CommitKind.CHARTER, (CHARTER, PINS, PLAYERS), may=(BOX,)),
    _kind_row(CommitKind.JOIN, (), (JOINED, LETTER)),
    _kind_row(CommitKind.JOIN, (JOINED, STATE), may=(LETTER,)),
    _kind_row(CommitKind.PLAYER, (JOINED, PLAYERS), may=(STATE, REQUEST, DEPUTY, CLOCK)),
    _kind_row(CommitKind.DEPUTY, (DEPUTY, PLAYERS, STATE), may=(LETTER,)),
    _kind_row(CommitKind.SHEET, (SHEET, STATE), may=(STANDING, LETTER, CLOCK)),
    _kind_row(CommitKind.ADJUDICATION, (TURN, STATE), may=_PLAYED),
    _kind_row(CommitKind.MIGRATION, (TURN, STATE, BOX), may=_PLAYED),
    _kind_row(CommitKind.CLOSING, (BEACON,)),
    _kind_row(CommitKind.REQUEST, (STATE,), (REQUEST, LETTER), may=(PLAYERS,)),
    _kind_row(CommitKind.REVEAL, (REVEALED,)),
    _kind_row(CommitKind.FACT, (CLOCK, FACT), may=(LETTER, STATE, REQUEST)),
    _kind_row(CommitKind.TALK, (PRESS,), may=(UNOPENED,)),
)


def kind_of(sorts: Collection[str]) -> CommitKind | None:
    """Return the kind of a commit that changes files of these sorts; None: there is no such kind."""
    changed = frozenset(sorts)
    for row in _ROWS:
        fits = changed & row.one_of or not row.one_of
        if fits and row.must <= changed <= row.must | row.one_of | row.may:
            return row.kind
    return None


@dataclass(frozen=True, slots=True)
class LayoutPath:
    """A path as the layout knows it: of what sort it is, whose, which number."""

    sort: str
    side: Side | None = None
    n: int = 0


def layout_path(path: str, sides: Sequence[Side]) -> LayoutPath | None:
    """Return how the layout knows a path; None: it does not."""
    if path in (CHARTER, PINS, POSITION, REVEALED, STATE, PLAYERS, BEACON, PRESS, UNOPENED, CLOCK):
        return LayoutPath(path)
    if path.startswith(BOX) and path.endswith(SUFFIX):
        return LayoutPath(BOX)
    if _LETTER.fullmatch(path):
        return LayoutPath(LETTER)
    found = _NUMBER.fullmatch(path)
    n = int(found[1]) if found else 0
    if n and path in (turn_path(n), sealed_path(turn_path(n))):
        return LayoutPath(TURN, None, n)
    for sort, numbered_path in ((REQUEST, request_path), (FACT, fact_path)):
        if n and path == numbered_path(n):
            return LayoutPath(sort, None, n)
    for side in sides:
        for sort, own_path in _OF_SIDES:
            if path == own_path(side):
                return LayoutPath(sort, side)
        if n and path == sheet_path(side, n):
            return LayoutPath(SHEET, side, n)
    return None


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
        earlier = [version for version in self.files.get(path, ()) if version.at < at]
        return earlier[-1].oid if earlier else None

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
