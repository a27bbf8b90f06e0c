"""The signs of one piece of a sheet: where brackets and quotes open and close, and where a blank is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pbem.orders.forgive.lines import Line

_BEFORE_QUOTE: Final = "[{,:"


@dataclass(slots=True)
class Signs:
    """The state behind the lines that were read so far."""

    depth: int = 0
    quote: str = ""

    @property
    def open(self) -> bool:
        """Whether a bracket or a quote is open."""
        return self.depth > 0 or bool(self.quote)

    def read(self, line: Line, start: int = 0) -> tuple[list[int], int]:
        """Read on over a line; return where a blank is missing behind a colon, and where the last bracket closes.

        Without such a bracket, that is the end of the line. A remark is not read.
        """
        missing: list[int] = []
        text, at, before, keyed = line.text, start, "", False
        while at < len(text):
            char = text[at]
            if self.quote:
                if char == "\\" and self.quote == '"':
                    at += 1
                elif char == self.quote:
                    self.quote = ""
            elif char == "#" and (at == 0 or text[at - 1] == " "):
                break
            elif char in "\"'" and (not before or before in _BEFORE_QUOTE):
                self.quote = char
            elif char in "[{":
                self.depth += 1
            elif char in "]}":
                self.depth = max(0, self.depth - 1)
                if self.depth == 0:
                    return missing, at + 1
            elif char == ":" and (self.depth or not keyed):
                keyed = True
                if (before.isalnum() or before in "_\"'") and at + 1 < len(text) and text[at + 1] != " ":
                    missing.append(at + 1)
            if char != " ":
                before = char
            at += 1
        return missing, len(text)


_REMARK: Final = re.compile(r"(?:^|\s)#.*")


def spaced(line: Line, missing: list[int]) -> Line:
    """Return a line with the blanks that are missing in it."""
    for at in reversed(missing):
        line = line.put(at, " ")
    return line


def bare(text: str) -> str:
    """Return a text without a remark at its end. A `#` in quotes is taken for one as well."""
    return _REMARK.sub("", text).strip()
