"""Letters in folders: a maildir, which every mail system can fill and empty, and which never holds half a letter."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pbem.durable import sync_folder, write

_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_SEEN: Final = ":2,S"


def write_to_maildir(folder: Path, content: bytes, name: str) -> Path:
    """Put a letter into a maildir (made if need be) and return its path; all of it or nothing, even in a crash.

    The file's name is `name` and the digest of the content: a letter written again after a crash is the same file,
    not a second one, also if it has been read meanwhile. ValueError if `name` is not fit for a file.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"not a name for a letter: {name!r}")
    unique = f"{name}.{hashlib.sha256(content).hexdigest()[:32]}"
    for room in ("tmp", "new", "cur"):
        (folder / room).mkdir(parents=True, exist_ok=True)
    there = [folder / "new" / unique, folder / "cur" / unique, *(folder / "cur").glob(f"{unique}:2,*")]
    for path in there:
        if path.exists():
            return path
    draft = folder / "tmp" / unique
    write({draft: content})
    draft.rename(there[0])
    sync_folder(folder / "new")
    return there[0]


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
