"""A cache of results that follow from files alone and take long to compute: plain values in JSON, never code.

The key of an entry names everything that it follows from, so none is ever out of date. A folder that others can
write to, and an entry that is damaged or not a file of one's own, are passed over as if they were not there; so is a
disk that cannot be written.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from pbem.paths import cache_folder

_MOST: Final = 64 << 20
"""The size in bytes beyond which an entry is not read: ours are far smaller."""


def recall(kind: str, *key: str) -> object:
    """Return what was remembered under a key, a plain value; None if there is nothing that can be trusted."""
    path = _entry(kind, key)
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        if not (_own(path.parent) and _own(path)) or path.stat().st_size > _MOST:
            return None
        entry = json.loads(path.read_bytes())
        return entry["value"] if entry["key"] == [kind, *key] else None
    return None


def remember(value: object, kind: str, *key: str) -> None:
    """Remember a plain value under a key; where that cannot be done, nothing happens."""
    path = _entry(kind, key)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if _own(path.parent):
            try:
                draft.write_text(json.dumps({"key": [kind, *key], "value": value}), "utf-8")
                os.replace(draft, path)
            finally:
                draft.unlink(missing_ok=True)


def _entry(kind: str, key: tuple[str, ...]) -> Path:
    return cache_folder() / kind / f"{sha256(json.dumps(key).encode()).hexdigest()}.json"


def _own(path: Path) -> bool:
    """Tell whether nobody else can have written a file or folder, as far as the system says."""
    state = path.lstat()
    mine = getattr(os, "getuid", lambda: state.st_uid)() == state.st_uid
    return mine and not path.is_symlink() and (os.name != "posix" or not state.st_mode & 0o022)
