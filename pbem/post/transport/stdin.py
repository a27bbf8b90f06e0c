"""Standard input as a mailbox of one letter, for a mail server or a filter that pipes letters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256

from pbem.post.transport.base import Arrived, Gone, Source


class StdinSource(Source):
    """One letter on standard input. It arrives now, and is known by its digest."""

    name = "standard input"

    def __init__(self) -> None:
        self._letter: bytes | None = None

    def holds(self, source: str) -> bool:
        return source == "stdin"

    def new(self, known: Callable[[str, str], bool]) -> Iterator[Arrived]:
        if self._letter is None:
            self._letter = sys.stdin.buffer.read()
        uid = sha256(self._letter).hexdigest()
        if self._letter and not known("stdin", uid):
            yield Arrived("stdin", uid, len(self._letter), datetime.now(UTC))

    def head(self, letter: Arrived) -> bytes:
        lines = self.fetch(letter).splitlines(keepends=True)
        end = next((n for n, line in enumerate(lines, 1) if not line.strip(b"\r\n")), len(lines))
        return b"".join(lines[:end])

    def fetch(self, letter: Arrived) -> bytes:
        if self._letter is None or letter.uid != sha256(self._letter).hexdigest():
            raise Gone("standard input is read once")
        return self._letter

    def done(self, letter: Arrived) -> None:
        """There is nothing to mark."""

    def wait(self, seconds: float) -> bool:
        """Return at once: there is one letter and no other."""
        return False

    def close(self) -> None:
        """There is nothing to take leave of."""
