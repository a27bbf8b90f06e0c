"""The notes on players' mailboxes: those that refuse our letters, and letters that wait to be confirmed.

They lie beside the repo of a game, one for each side. The letters that wait lie in the folder `pbem.held`. A code
stands for the letters that it was sent for, and for no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from pbem.protocol import Side
from pbem.repo.files.note_store import record_note, write_notes

WAITS: Final = timedelta(days=7)
ASK_AGAIN: Final = timedelta(days=1)
MOST_UNCONFIRMED: Final = 5
"""Letters of one side that wait at most."""
_HELD_FOLDER: Final = "pbem.held"
_MOST_CODES: Final = 10


# ---- Mailboxes that refuse


class Refusing(NamedTuple):
    """A side whose mailbox refuses our letters, and what to tell of it."""

    side: Side
    text: str


@dataclass(frozen=True, slots=True)
class Refusals:
    """What is noted of a mailbox that refuses."""

    since: str = ""
    last: str = ""
    count: int = 0
    """How many letters it has refused; 0: it does not refuse."""
    reason: str = ""


REFUSALS: Final = record_note("pbem.mailbox.", Refusals())


def refusing(repo: Path, sides: Iterable[Side]) -> Iterator[Refusing]:
    """Yield the sides of a game whose mailboxes refuse, each with a sentence."""
    for side in sides:
        if (known := REFUSALS.read(repo, side)).count:
            letters = "1 letter" if known.count == 1 else f"{known.count} letters"
            text = f"{side}'s mailbox refuses since {known.since} UTC ({letters}): {known.reason}"
            yield Refusing(side, text)


# ---- Letters that wait to be confirmed


@dataclass(frozen=True, slots=True)
class Unconfirmed:
    """A letter that waits: its digest, when it came, and its subject."""

    digest: str
    at: str
    subject: str

    @property
    def came(self) -> datetime:
        """When the letter came."""
        return datetime.fromisoformat(self.at)

    def __post_init__(self) -> None:
        """Raise ValueError if that is no time."""
        datetime.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class AskedNote:
    """What is noted of the letters of a side that wait."""

    letters: tuple[Unconfirmed, ...] = ()
    when: str = ""
    """When its player was last asked."""
    codes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Code -> the digests of the letters that it confirms."""
    dropped: int = 0
    """How many letters came since, and were not kept because too many waited."""

    def __post_init__(self) -> None:
        """Raise ValueError if they were asked at no time."""
        if self.when:
            datetime.fromisoformat(self.when)

    def may_ask(self, now: datetime) -> bool:
        """Tell whether the player may be asked now: at most once a day.

        A letter that came shortly before the player was asked, and is taken in after it, is on the same day. Only a
        clock that has jumped back since is further off.
        """
        return not self.when or abs(now - datetime.fromisoformat(self.when)) >= ASK_AGAIN

    @property
    def unasked(self) -> list[Unconfirmed]:
        """The letters for which the player was not asked yet."""
        asked = {digest for digests in self.codes.values() for digest in digests}
        return [each for each in self.letters if each.digest not in asked]

    @property
    def is_news(self) -> bool:
        """Whether there is something that the player was not told of yet."""
        return bool(self.unasked or self.dropped)


ASKED: Final = record_note("pbem.asked.", AskedNote())


def keep_unconfirmed(repo: Path, side: Side, raw: bytes, at: datetime, subject: str) -> str | None:
    """Keep a letter until it is confirmed, and return its digest; None: too many wait already, and it is dropped.

    The game is locked.
    """
    drop_unconfirmed(repo, side, at)
    digest, known = sha256(raw).hexdigest(), ASKED.read(repo, side)
    if any(each.digest == digest for each in known.letters):
        return digest
    if len(known.letters) >= MOST_UNCONFIRMED:
        ASKED.write(repo, replace(known, dropped=known.dropped + 1), side)
        return None
    folder = repo / _HELD_FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    write_notes(folder, {digest: raw})
    waiting = Unconfirmed(digest, at.isoformat(), subject[:200])
    ASKED.write(repo, replace(known, letters=(*known.letters, waiting)), side)
    return digest


def note_asked(repo: Path, side: Side, code: str, letters: Sequence[Unconfirmed], now: datetime) -> None:
    """Note that the player of a side was asked for some letters."""
    known = ASKED.read(repo, side)
    codes = dict([*known.codes.items(), (code, tuple(each.digest for each in letters))][-_MOST_CODES:])
    ASKED.write(repo, replace(known, when=now.isoformat(), codes=codes, dropped=0), side)


def confirmed(repo: Path, side: Side, code: str) -> Iterator[tuple[Unconfirmed, bytes]]:
    """Yield the letters that a code confirms and that still wait, in the order in which they came."""
    known = ASKED.read(repo, side)
    for each in known.letters:
        if each.digest in known.codes.get(code, ()):
            with suppress(FileNotFoundError):
                yield each, letter_of(repo, each)


def letter_of(repo: Path, waiting: Unconfirmed) -> bytes:
    """Return a letter that waits."""
    return (repo / _HELD_FOLDER / waiting.digest).read_bytes()


def release(repo: Path, side: Side, digests: Sequence[str]) -> None:
    """Forget letters that have been carried out."""
    known = ASKED.read(repo, side)
    left = tuple(each for each in known.letters if each.digest not in digests)
    if left != known.letters:
        ASKED.write(repo, replace(known, letters=left), side)
        for digest in digests:
            (repo / _HELD_FOLDER / digest).unlink(missing_ok=True)


def drop_unconfirmed(repo: Path, side: Side, now: datetime) -> list[Unconfirmed]:
    """Forget the letters of a side that have waited for a week, and return them."""
    old = [each for each in ASKED.read(repo, side).letters if now - each.came >= WAITS]
    if old:
        release(repo, side, [each.digest for each in old])
    return old


def side_of_code(repo: Path, code: str) -> Side | None:
    """Return the side of a game that was sent a code; None: none was."""
    return next((side for side in ASKED.sides(repo) if code in ASKED.read(repo, side).codes), None)
