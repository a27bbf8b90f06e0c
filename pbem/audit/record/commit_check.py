"""The commits of a game: of which kind each is, who signed it, and that what was there stays as it is."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from re import compile as pattern
from typing import Any, Final, NamedTuple

from pbem.audit.record.findings import Findings, Place, listed
from pbem.audit.record.schemas import NOTE, said_in
from pbem.audit.record.schemas import REQUEST as REQUEST_SHAPE
from pbem.crypto.signing import verifies
from pbem.game.boxes.corrections import SUFFIX, Correction
from pbem.game.wording import counted
from pbem.protocol import Side
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
from pbem.repo.git.history import Change, Past
from pbem.repo.public import corrections_of

# ---- The kinds of commits of a game, each known by the files that it changes. A commit of no kind is a finding


TURN: Final = "turn"
SHEET: Final = "sheet"
JOINED: Final = "joined"
STANDING: Final = "standing"
VIEW: Final = "view"
LETTER: Final = "letter"
DEPUTY: Final = "deputy"
REQUEST: Final = "request"
FACT: Final = "fact"


class Kind(StrEnum):
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

    kind: Kind
    must: frozenset[str]
    one_of: frozenset[str]
    may: frozenset[str]


def _row(kind: Kind, must: Collection[str], one_of: Collection[str] = (), may: Collection[str] = ()) -> _Row:
    return _Row(kind, frozenset(must), frozenset(one_of), frozenset(may))


_PLAYED: Final = (POSITION, STANDING, VIEW, REQUEST, REVEALED, PRESS, UNOPENED, CLOCK)
_ROWS: Final = (
    _row(Kind.CHARTER, (CHARTER, PINS, PLAYERS), may=(BOX,)),
    _row(Kind.JOIN, (), (JOINED, LETTER)),
    _row(Kind.JOIN, (JOINED, STATE), may=(LETTER,)),
    _row(Kind.PLAYER, (JOINED, PLAYERS), may=(STATE, REQUEST, DEPUTY, CLOCK)),
    _row(Kind.DEPUTY, (DEPUTY, PLAYERS, STATE), may=(LETTER,)),
    _row(Kind.SHEET, (SHEET, STATE), may=(STANDING, LETTER, CLOCK)),
    _row(Kind.ADJUDICATION, (TURN, STATE), may=_PLAYED),
    _row(Kind.MIGRATION, (TURN, STATE, BOX), may=_PLAYED),
    _row(Kind.CLOSING, (BEACON,)),
    _row(Kind.REQUEST, (STATE,), (REQUEST, LETTER), may=(PLAYERS,)),
    _row(Kind.REVEAL, (REVEALED,)),
    _row(Kind.FACT, (CLOCK, FACT), may=(LETTER, STATE, REQUEST)),
    _row(Kind.TALK, (PRESS,), may=(UNOPENED,)),
)


def kind_of(sorts: Collection[str]) -> Kind | None:
    """Return the kind of a commit that changes files of these sorts; None: there is no such kind."""
    changed = frozenset(sorts)
    for row in _ROWS:
        fits = changed & row.one_of or not row.one_of
        if fits and row.must <= changed <= row.must | row.one_of | row.may:
            return row.kind
    return None


# ---- Checks the commits of a game: who signed them, which files they bring, and that what was there stays as it is


ONCE: Final = (CHARTER, PINS, TURN, SHEET, LETTER, REVEALED, FACT)
"""What is never changed once it is there."""
_NUMBER: Final = pattern(r"(?:turns|requests|clock|sheets/[^/]+)/[0-9]{3,}/([0-9]{4,})\.(?:age|yaml)")
_LETTER: Final = pattern(r"letters/([0-9a-f]{2})/\1[0-9a-f]{62}")
_ARMOUR: Final = pattern(
    rb"-----BEGIN AGE ENCRYPTED FILE-----\n(?:[A-Za-z0-9+/]{64}\n)*((?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/=]{4})\n"
    rb"-----END AGE ENCRYPTED FILE-----\n"
)


@dataclass(frozen=True, slots=True)
class Filed:
    """A path as the layout knows it: of what sort it is, whose, which number."""

    sort: str
    side: Side | None = None
    n: int = 0


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
    kinds: dict[int, Kind] = field(default_factory=dict)
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

    def corrections(self, read: Callable[[bytes], bytes]) -> dict[str, Correction]:
        """Return the corrected files of the box that the game keeps; `read` returns a file by its id."""
        oids = ((path, self.latest(path)) for path in self.files if path.startswith(BOX))
        return corrections_of((path, read(oid)) for path, oid in oids if oid is not None)


def filed(path: str, sides: Sequence[Side]) -> Filed | None:
    """Return how the layout knows a path; None: it does not."""
    if path in (CHARTER, PINS, POSITION, REVEALED, STATE, PLAYERS, BEACON, PRESS, UNOPENED, CLOCK):
        return Filed(path)
    found = _NUMBER.fullmatch(path)
    n = int(found[1]) if found else 0
    if path.startswith(BOX) and path.endswith(SUFFIX):
        return Filed(BOX)
    if n and path in (turn_path(n), sealed_path(turn_path(n))):
        return Filed(TURN, None, n)
    if n and path == request_path(n):
        return Filed(REQUEST, None, n)
    if n and path == fact_path(n):
        return Filed(FACT, None, n)
    if _LETTER.fullmatch(path):
        return Filed(LETTER)
    for side in sides:
        if path == joined_path(side):
            return Filed(JOINED, side)
        if path == deputy_path(side):
            return Filed(DEPUTY, side)
        if path == standing_path(side):
            return Filed(STANDING, side)
        if path == view_path(side):
            return Filed(VIEW, side)
        if n and path == sheet_path(side, n):
            return Filed(SHEET, side, n)
    return None


class Historian:
    """Goes through the commits of a game, the oldest first."""

    def __init__(
        self,
        commits: Sequence[Past],
        sides: Sequence[Side],
        signed_by: str,
        read: Callable[[bytes], bytes],
        findings: Findings,
    ) -> None:
        self.history = History(commits)
        self._sides = sides
        self._signed_by = signed_by
        self._read = read
        self._findings = findings
        self._turn = 0
        self._counts = dict.fromkeys(sides, 0)

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
        sorts: dict[str, list[Filed]] = {}
        place = Place(commit.at, commit=commit.sha)
        for change in commit.changes:
            known = filed(change.path, self._sides)
            if known is None:
                self._findings.blame(Place(commit.at, file=change.path), "the layout of a game has no such file")
                continue
            self._findings.blame(self._place(known, change, commit), *self._change(known, change, commit))
            self.history.files.setdefault(change.path, []).append(Version(commit.at, change.new))
            sorts.setdefault(known.sort, []).append(known)
        kind = kind_of(sorts)
        if kind is None or (kind is Kind.CHARTER) != (commit.at == 0):
            self._findings.blame(place, f"no commit of a game changes just these: {', '.join(sorted(sorts))}")
        else:
            self.history.kinds[commit.at] = kind
        self._findings.blame(place, *self._counts_of(sorts))
        for n in {each.n for each in sorts.get(TURN, ())} - self.history.turns.keys():
            self.history.turns[n] = commit.at
            self._turn = max(n, self._turn)
        for change in commit.changes:
            known = filed(change.path, self._sides)
            if known is not None and known.sort == LETTER:
                self._letter(commit, change, sorts)
            elif known is not None and known.sort == REQUEST:
                self._said(commit, change, REQUEST_SHAPE)

    def _place(self, known: Filed, change: Change, commit: Past) -> Place:
        return Place(commit.at, known.n if known.sort == TURN else None, file=change.path)

    def _change(self, known: Filed, change: Change, commit: Past) -> Iterator[str]:
        """Yield what is wrong with what a commit does to one file."""
        by = f"commit {commit.sha[:12]} ({commit.message.partition(chr(10))[0]})"
        what = f"{change.path} " if known.sort == TURN else ""
        if not change.plain:
            yield f"{what}is no plain file since {by}"
        if change.new is None:
            yield f"{what}is taken out by {by}; nothing is ever taken out"
            return
        if change.old is not None and known.sort in ONCE:
            yield f"{what}is changed by {by}; it must stay as it was"
        elif change.old is None and known.sort == SHEET:
            yield from self._sheet(known, change)
        if change.path.endswith(".age") and not armoured(self._read(change.new)):
            yield f"{what}is no sealed file: it is not written as age writes them"

    def _sheet(self, known: Filed, change: Change) -> Iterator[str]:
        """Put a new sheet on record; yield what is wrong with its number."""
        assert known.side is not None
        expected = self._counts[known.side] + 1
        if known.n != expected:
            yield f"after sheet {expected - 1} of {known.side} comes sheet {known.n}"
        self._counts[known.side] = max(known.n, self._counts[known.side])
        self.history.sheets.setdefault(self._turn, {}).setdefault(known.side, []).append(change.path)

    def _counts_of(self, sorts: dict[str, list[Filed]]) -> Iterator[str]:
        """Yield which files of a commit are too many, or out of their order."""
        turns = sorted({each.n for each in sorts.get(TURN, ())})
        if len(turns) > 1:
            yield f"it brings the turn files {listed(turns)}; each has a commit of its own"
        elif turns and turns[0] not in self.history.turns and turns[0] != self._turn + 1:
            yield f"after turn {self._turn} comes turn {turns[0]}"
        if turns and len(sorts[TURN]) != 2 * len(turns):
            yield f"it brings half of turn {turns[0]}: the turn file and the sealed record belong together"
        if len(sorts.get(SHEET, ())) > 1:
            yield "it brings more than one sheet"

    def _letter(self, commit: Past, change: Change, sorts: dict[str, list[Filed]]) -> None:
        """Check the note of a letter that a commit brings."""
        note = self._said(commit, change, NOTE)
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

    def _said(self, commit: Past, change: Change, shape: Any) -> dict[str, Any] | None:
        """Return what a file in clear says; blame it, and return None, if that is not of its shape."""
        if change.new is None:
            return None
        return said_in(self._read(change.new), shape, Place(commit.at, file=change.path), self._findings)


def armoured(content: bytes) -> bool:
    """Tell whether a file is written as age writes sealed ones: there is one way to write each."""
    found = _ARMOUR.fullmatch(content)
    # Of the bits in the last letters some say nothing, and must be as they come out again.
    return found is not None and b64encode(b64decode(found[1])) == found[1]
