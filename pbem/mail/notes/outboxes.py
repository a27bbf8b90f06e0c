"""The outboxes: where letters lie that wait to be sent. A maildir, or the tables of `pbem post`."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from pbem.atomic import sync_folder, write

_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._+-]{0,159}")
_SEEN: Final = ":2,S"
_AT_COMMIT: Final = re.compile(rb"\n(?:commit: [0-9a-f]{40}|(?:Answer by|until:) .*)\r$", re.MULTILINE)
"""The commit in a receipt, and the deadline. They begin with a byte that is quickly found among those of pictures."""
_BOUNDARY: Final = re.compile(rb"=_[0-9a-f]{40}")
"""The boundary between the parts, which is made from the commit."""
_CHANGING: Final = re.compile(rb"(?m)^(?:Date|In-Reply-To|References|Message-ID|Auto-Submitted): .*\n(?:[ \t].*\n)*")


def write_to_maildir(folder: Path, content: bytes, name: str, telling: str = "") -> Path:
    """Put a letter into a maildir (made if need be) and return its path; all of it or nothing, even in a crash.

    Its file has its `unique_name`: written again after a crash, or by two processes at once, it is the same file, not
    a second one, also if it has been read. Raises ValueError if `name` is not fit for a file.
    """
    unique = unique_name(name, content, telling)
    for room in ("tmp", "new", "cur"):
        _make_folder(folder / room)
    target = folder / "new" / unique
    if target.exists():
        return target
    for each in os.listdir(folder / "cur"):
        if each.partition(":")[0] == unique:
            return folder / "cur" / each
    draft = folder / "tmp" / f"{unique}.{os.getpid()}"
    try:
        write({draft: content})
        draft.replace(target)
    except FileNotFoundError:  # another process wrote the same letter, and cleared the drafts away
        if not target.exists():
            raise
    finally:
        for left in os.listdir(folder / "tmp"):  # on a full disk half a letter, or one of a dead process
            if left.startswith(unique):
                (folder / "tmp" / left).unlink(missing_ok=True)
    sync_folder(folder / "new")
    return target


def unique_name(name: str, content: bytes, telling: str = "") -> str:
    """Return the name by which a letter is recognized that is written again.

    It is `name` and a digest: of what the letter is `telling`, if that is said, as its words depend on which letter it
    is written upon; else of its content, but for its id, when it was written, upon which letter and at which commit.
    Raises ValueError if `name` is not fit for a file.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"not a name for a letter: {name!r}")
    return f"{name}.{hashlib.sha256(telling.encode() or _timeless(content)).hexdigest()[:32]}"


def _timeless(content: bytes) -> bytes:
    """Return a letter without its id and what says when it was written, upon which letter, and at which commit."""
    head, blank, body = content.partition(b"\r\n\r\n")
    lasting = _CHANGING.sub(b"", head + b"\r\n") + blank + body
    return _BOUNDARY.sub(b"", _AT_COMMIT.sub(b"\n", lasting))


def _make_folder(room: Path) -> None:
    """Make a folder that lasts, and those above it. Nobody else on the machine reads the letters in it."""
    if not room.is_dir():
        if not room.parent.is_dir():
            _make_folder(room.parent)
        room.mkdir(mode=0o700, exist_ok=True)
        sync_folder(room.parent)


def read_maildir(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield path and bytes of every new letter of a maildir, by name; nothing if there is no such folder."""
    new = folder / "new"
    for path in sorted(new.iterdir()) if new.is_dir() else ():
        if path.is_file() and not path.name.startswith("."):
            yield path, path.read_bytes()


def mark_read(path: Path) -> Path:
    """Move a letter that `read_maildir` gave from `new` to `cur`, and return its new path."""
    cur = path.parent.parent / "cur"
    cur.mkdir(exist_ok=True)
    target = cur / (path.name.partition(":")[0] + _SEEN)
    path.rename(target)
    sync_folder(cur)
    return target


class ToKeep(NamedTuple):
    """A letter for an outbox: its name there, the address it goes to, its content."""

    name: str
    to: str
    content: bytes
    telling: str = ""
    """What it tells, by which it is known if it is written again in other words; empty: it is known by its content."""


class Outbox(Protocol):
    """A place for letters to be sent. When `put` returns, the letters last, also in a power cut."""

    @property
    def hands_over(self) -> bool:
        """Whether letters count as handed over once they lie there: nobody says when they leave."""

    def put(self, letters: Sequence[ToKeep]) -> Sequence[str]:
        """Keep letters, and return where they lie.

        A letter that is written again, after a crash or by two processes at once, is kept once (`unique_name`).
        """


@dataclass(frozen=True, slots=True)
class MaildirOutbox:
    """An outbox that is a maildir: any program can send what lies in its folder `new`."""

    folder: Path
    hands_over: bool = True

    def put(self, letters: Sequence[ToKeep]) -> Sequence[str]:
        """Keep letters; see `Outbox`. To whom they go stands in their heads."""
        return [str(write_to_maildir(self.folder, each.content, each.name, each.telling)) for each in letters]
