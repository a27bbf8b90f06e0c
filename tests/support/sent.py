"""The letters that a program has sent, without what differs each time."""

from __future__ import annotations

import re
from pathlib import Path

_DATE = re.compile(rb"(?m)^Date: .*\r\n")
_COMMIT = re.compile(rb"(?m)(?<=^commit: )[0-9a-f]{40}|=_[0-9a-f]{40}")


def sent(path: Path) -> dict[str, bytes]:
    """Return the letters in the outbox by file, without what differs each time; none is there twice.

    That is their date, and the id of a commit (what is sealed in it differs) with the digests made from it.
    """
    files = sorted((path / "games" / "outbox" / "new").glob("*"))
    found = [_DATE.sub(b"", file.read_bytes(), count=1) for file in files]
    ids = [re.search(rb"(?m)^Message-ID: (.*)\r$", content) for content in found]
    known = [match[1] for match in ids if match]
    assert len(known) == len(found), "half a letter was sent"
    assert len(set(known)) == len(known), f"sent twice: {sorted(known)}"
    return {file.stem: _COMMIT.sub(b"", content) for file, content in zip(files, found, strict=True)}
