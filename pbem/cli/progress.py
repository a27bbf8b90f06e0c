"""The progress line: how far a long command has come, on a terminal, until the command ends."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import Final, Self, TextIO

FROM: Final = 1.0
"""The seconds after which the line is shown: a short command has none."""
EVERY: Final = 0.1


class ProgressLine:
    """One line on standard error that is written over and over, and erased at the end.

    Nothing is shown unless standard error is a terminal.
    """

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self._what = what
        self._stream = stream or sys.stderr
        self._next = monotonic() + FROM if self._stream.isatty() else float("inf")
        self._width = 0

    def __call__(self, done: int, total: int) -> None:
        """Show that so many are done."""
        if (now := monotonic()) < self._next:
            return
        self._next = now + EVERY
        text = f"{self._what}: {done:,} of {total:,}"
        self._write(text.ljust(self._width))
        self._width = len(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._width:
            self._write(" " * self._width)
            self._write("")

    def _write(self, text: str) -> None:
        self._stream.write(f"\r{text}")
        self._stream.flush()
