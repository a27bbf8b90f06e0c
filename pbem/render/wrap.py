"""Wrapping: folds prose into lines that a phone and a quoting mail program leave whole."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import Final

GLUE: Final = "\u00a0"
"""A blank at which no line ends."""
_TOGETHER: Final = re.compile(r"(?<=\d) (?=[^\s\d])|(?<=\brule|\bcard) (?=\d)")
_ONE_LINE: Final = re.compile(r"[^\t-\r\x1c-\x1f\x85\xa0]*[^\s\x1c-\x1f]")
"""A text with no white space but blanks, which does not end with one."""


def folded(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """Return a text as lines of at most `width`; a number is never parted from the word it counts.

    `first` stands before the first line, `later` before the others. A word longer than a line is left whole.

    >>> folded("Rome loses 2 CU.", 13, "  ", "    ")
    ['  Rome loses', '    2 CU.']
    """
    if len(first) + len(text) <= width and _ONE_LINE.fullmatch(text):  # nothing to wrap, as most often
        return [first + text]
    glued = first + _TOGETHER.sub(GLUE, text)
    lines = wrap(glued, width, subsequent_indent=later, break_long_words=False, break_on_hyphens=False)
    return [line.replace(GLUE, " ") for line in lines]
