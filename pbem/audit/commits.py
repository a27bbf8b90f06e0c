"""The kinds of commits of a game, each known by the files that it changes. A commit of no kind is a finding."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Final, NamedTuple

from pbem.repo.layout import BEACON, BOX, CHARTER, CLOCK, PINS, PLAYERS, POSITION, PRESS, REVEALED, STATE, UNOPENED

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
