"""The kinds of commits of a game, each known by the sorts of files that it changes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from re import compile as pattern
from typing import Final, NamedTuple

from pbem.game.boxes.box_file import SUFFIX
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
    heard_path,
    joined_path,
    record_path,
    request_path,
    sealed_path,
    sheet_path,
    standing_path,
    turn_path,
    view_path,
)

TURN: Final = "turn"
SHEET: Final = "sheet"
JOINED: Final = "joined"
STANDING: Final = "standing"
VIEW: Final = "view"
HEARD: Final = "heard"
RECORD: Final = "record"
LETTER: Final = "letter"
DEPUTY: Final = "deputy"
REQUEST: Final = "request"
FACT: Final = "fact"
_OF_SIDES: Final = (
    (JOINED, joined_path),
    (DEPUTY, deputy_path),
    (STANDING, standing_path),
    (VIEW, view_path),
    (HEARD, heard_path),
)
"""The sorts of which each side has one file, with its path."""
_NUMBER: Final = pattern(r"(?:turns|requests|clock|sheets/[^/]+)/[0-9]{3,}/([0-9]{4,})(?:\.age|(?:\.whole)?\.yaml)")
_LETTER: Final = pattern(r"letters/([0-9a-f]{2})/\1[0-9a-f]{62}")


class CommitKind(StrEnum):
    """What a commit does."""

    CHARTER = "charter"
    JOIN = "join"
    NOTE = "note of a letter that changes nothing else"
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
    """A kind of commit: the sorts of files that it must change, and those that it may change besides."""

    kind: CommitKind
    must: frozenset[str]
    may: frozenset[str]


def _kind_row(kind: CommitKind, *must: str, may: Collection[str] = ()) -> _Row:
    return _Row(kind, frozenset(must), frozenset(may))


_PLAYED: Final = (POSITION, STANDING, VIEW, HEARD, REQUEST, REVEALED, RECORD, PRESS, UNOPENED, CLOCK)
_ROWS: Final = (
    _kind_row(CommitKind.CHARTER, CHARTER, PINS, PLAYERS, may=(BOX,)),
    _kind_row(CommitKind.JOIN, JOINED, may=(LETTER,)),
    _kind_row(CommitKind.NOTE, LETTER),
    _kind_row(CommitKind.PLAYER, JOINED, PLAYERS, may=(REQUEST, DEPUTY, CLOCK)),
    _kind_row(CommitKind.DEPUTY, DEPUTY, PLAYERS, may=(LETTER,)),
    _kind_row(CommitKind.SHEET, SHEET, may=(STANDING, LETTER, CLOCK)),
    _kind_row(CommitKind.ADJUDICATION, TURN, may=(STATE, *_PLAYED)),
    _kind_row(CommitKind.MIGRATION, TURN, STATE, BOX, may=_PLAYED),
    _kind_row(CommitKind.CLOSING, BEACON),
    _kind_row(CommitKind.REQUEST, REQUEST, may=(LETTER, PLAYERS)),
    _kind_row(CommitKind.REVEAL, REVEALED),
    _kind_row(CommitKind.FACT, CLOCK, FACT, may=(LETTER, REQUEST)),
    _kind_row(CommitKind.TALK, PRESS, may=(UNOPENED, HEARD)),
)


def kind_of(sorts: Collection[str]) -> CommitKind | None:
    """Return the kind of a commit that changes files of these sorts; None: there is no such kind."""
    changed = frozenset(sorts)
    return next((row.kind for row in _ROWS if row.must <= changed <= row.must | row.may), None)


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
    if n and path == record_path(n):
        return LayoutPath(RECORD, None, n)
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
