"""Letters that wait to be confirmed: they lie beside the repo of their game, in the folder `pbem.held`.

They came from the right address, and nothing in them shows that its owner wrote them. Each side has a note: its
letters, when it was last asked, and the codes that it was sent. A code stands for the letters that it was sent for, and
for no other, so that nobody can slip one in that the player has not seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final

from pbem.atomic import sync_folder, write
from pbem.mail.last_reported import put_note
from pbem.protocol import Side

WAITS: Final = timedelta(days=7)
ASK_AGAIN: Final = timedelta(days=1)
MOST: Final = 5
"""So many letters of one side wait at most."""
_NOTE: Final = "pbem.asked."
_FOLDER: Final = "pbem.held"
_MOST_CODES: Final = 10


@dataclass(frozen=True, slots=True)
class Waiting:
    """A letter that waits: its digest, when it came, and its subject."""

    digest: str
    at: str
    subject: str

    @property
    def came(self) -> datetime:
        """When the letter came."""
        return datetime.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is noted of the letters of a side that wait."""

    letters: tuple[Waiting, ...] = ()
    when: str = ""
    """When its player was last asked."""
    codes: dict[str, list[str]] = field(default_factory=dict)
    """Code -> the digests of the letters that it confirms."""
    dropped: int = 0
    """How many letters came since, and were not kept because too many waited."""

    def may_ask(self, now: datetime) -> bool:
        """Tell whether the player may be asked now: at most once a day.

        A letter that came shortly before the player was asked, and is taken in after it, is on the same day. Only a
        clock that has jumped back since is further off.
        """
        return not self.when or abs(now - datetime.fromisoformat(self.when)) >= ASK_AGAIN

    @property
    def unasked(self) -> list[Waiting]:
        """The letters for which the player was not asked yet."""
        asked = {digest for digests in self.codes.values() for digest in digests}
        return [each for each in self.letters if each.digest not in asked]

    @property
    def is_news(self) -> bool:
        """Whether there is something that the player was not told of yet."""
        return bool(self.unasked or self.dropped)


def asked(repo: Path, side: Side) -> Asked:
    """Return what is noted of a side."""
    try:
        found = json.loads((repo / f"{_NOTE}{side}").read_text("utf-8"))
        letters = tuple(Waiting(**each) for each in found["letters"])
        codes = {str(code): [str(digest) for digest in digests] for code, digests in found["codes"].items()}
        note = Asked(letters, str(found["when"]), codes, int(found.get("dropped", 0)))
        _ = [each.came for each in letters], note.when and datetime.fromisoformat(note.when)
    except (FileNotFoundError, ValueError, TypeError, LookupError, AttributeError):
        return Asked()
    return note


def hold(repo: Path, side: Side, raw: bytes, at: datetime, subject: str) -> str | None:
    """Keep a letter until it is confirmed, and return its digest; None: too many wait already, and it is dropped.

    The game is locked.
    """
    drop_old(repo, side, at)
    digest, known = sha256(raw).hexdigest(), asked(repo, side)
    if any(each.digest == digest for each in known.letters):
        return digest
    if len(known.letters) >= MOST:
        _keep(repo, side, replace(known, dropped=known.dropped + 1))
        return None
    folder = repo / _FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    draft = folder / f".{digest}"
    write({draft: raw}, mode=0o600)
    draft.replace(folder / digest)
    sync_folder(folder)
    _keep(repo, side, replace(known, letters=(*known.letters, Waiting(digest, at.isoformat(), subject[:200]))))
    return digest


def note_asked(repo: Path, side: Side, code: str, letters: Sequence[Waiting], now: datetime) -> None:
    """Note that the player of a side was asked for some letters."""
    known = asked(repo, side)
    codes = dict([*known.codes.items(), (code, [each.digest for each in letters])][-_MOST_CODES:])
    _keep(repo, side, replace(known, when=now.isoformat(), codes=codes, dropped=0))


def confirmed(repo: Path, side: Side, code: str) -> Iterator[tuple[Waiting, bytes]]:
    """Yield the letters that a code confirms and that still wait, in the order in which they came."""
    known = asked(repo, side)
    for each in known.letters:
        if each.digest in known.codes.get(code, ()):
            with suppress(FileNotFoundError):
                yield each, letter_of(repo, each)


def letter_of(repo: Path, waiting: Waiting) -> bytes:
    """Return a letter that waits."""
    return (repo / _FOLDER / waiting.digest).read_bytes()


def release(repo: Path, side: Side, digests: Sequence[str]) -> None:
    """Forget letters that have been carried out."""
    known = asked(repo, side)
    left = tuple(each for each in known.letters if each.digest not in digests)
    if left != known.letters:
        _keep(repo, side, replace(known, letters=left))
        for digest in digests:
            (repo / _FOLDER / digest).unlink(missing_ok=True)


def drop_old(repo: Path, side: Side, now: datetime) -> list[Waiting]:
    """Forget the letters of a side that have waited for a week, and return them."""
    old = [each for each in asked(repo, side).letters if now - each.came >= WAITS]
    if old:
        release(repo, side, [each.digest for each in old])
    return old


def side_of_code(repo: Path, code: str) -> Side | None:
    """Return the side of a game that was sent a code; None: none was."""
    for path in sorted(repo.glob(f"{_NOTE}*")):
        side = path.name.removeprefix(_NOTE)
        if code in asked(repo, side).codes:
            return side
    return None


def _keep(repo: Path, side: Side, now: Asked) -> None:
    put_note(repo, f"{_NOTE}{side}", json.dumps(asdict(now), sort_keys=True).encode())
