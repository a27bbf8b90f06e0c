"""Wrapping: folds prose into lines that a phone and a quoting mail program leave whole."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import Final

GLUE: Final = "\u00a0"
"""A blank at which no line ends."""
_TOGETHER: Final = re.compile(r"(?<=\d) (?=[^\s\d])|(?<=\brule|\bcard) (?=\d)")


def folded(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """Return a text as lines of at most `width`; a number is never parted from the word it counts.

    `first` stands before the first line, `later` before the others. A word longer than a line is left whole.

    >>> folded("Rome loses 2 CU.", 13, "  ", "    ")
    ['  Rome loses', '    2 CU.']
    """
    whole = first + text
    blanks = whole.isprintable()  # then it has no other white space
    if blanks and len(whole) <= width and text[-1:] not in ("", " "):  # nothing to fold, as most often
        return [whole]
    lines = wrap(
        first + _TOGETHER.sub(GLUE, text),
        width,
        subsequent_indent=later,
        expand_tabs=not blanks,
        replace_whitespace=not blanks,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(GLUE, " ") for line in lines]
