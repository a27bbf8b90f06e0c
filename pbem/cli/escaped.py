"""The output of the command line: control characters are printed as escapes, whatever text they stand in.

Names, messages and files come from letters and from other people's clones. An escape code in them could clear the
screen, or write a verdict where `pbem verify` prints its own. Line ends and tabs stay.
"""

from __future__ import annotations

import json
import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import TracebackType
from typing import Any, Final, TextIO, cast

_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)
"""Controls, marks of direction, odd line ends, halves of characters, and tags that nobody sees."""


def escaped(text: str) -> str:
    r"""Return a text with its control characters as escapes.

    >>> escaped("\x1b[2J")
    '\\x1b[2J'
    """
    return _CONTROL.sub(lambda found: _escape_code(ord(found[0])), text)


def escaped_json(text: str) -> str:
    """Return JSON with the control characters in its texts as JSON escapes them."""
    return _CONTROL.sub(lambda found: json.dumps(found[0])[1:-1], text)


@contextmanager
def escaped_output() -> Iterator[None]:
    """Let everything that is printed meanwhile be escaped."""
    out, err = (cast("TextIO", _Escaped(stream)) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        yield


def unescaped(stream: TextIO) -> TextIO:
    """Return the stream behind an escaped one: for what moves the cursor itself."""
    return stream._stream if isinstance(stream, _Escaped) else stream


def print_bug(kind: type[BaseException], wrong: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a bug, which may cite texts of other people (`sys.excepthook`)."""
    sys.stderr.write(escaped("".join(traceback.format_exception(kind, wrong, trace))))


class _Escaped:
    """A text stream that writes control characters as escapes; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(escaped(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _escape_code(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
