"""The lines of a sheet with plain signs, and where in a piece of it brackets and quotes open and close.

Mail programs and telephones write curly quotes, long dashes, full-width signs, blanks of many sorts and marks that
nobody sees. They are made plain here, each character with its column in the player's own line. Nothing else is changed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.game.yaml import Mark, Placed
from pbem.game.yaml.limits import CONTROL, malformed, unfit

_TAB: Final = 4
_PLAIN: Final = {
    **dict.fromkeys("“”„‟«»〝〞", '"'),
    **dict.fromkeys("‘’‚‛`´", "'"),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    **dict.fromkeys("、，", ","),
    **dict.fromkeys("•◦‣·∙▪●○", "•"),
}
_SMILEYS: Final = {
    **dict.fromkeys("😛😜😝", ":p"),
    **dict.fromkeys("😃😄😀😁", ":d"),
    **dict.fromkeys("😮😯😲", ":o"),
    **dict.fromkeys("🙂😊☺", ":)"),
    **dict.fromkeys("🙁😞☹", ":("),
    **dict.fromkeys("😕🫤", ":/"),
    **dict.fromkeys("😖😣😡", ":s"),
    **dict.fromkeys("🤐😶😷", ":x"),
    "😎": "8)",
}
"""What forums make pictures of: `card:probe` has a `:p` in it, and `8)` may stand before an order."""
_BLANKS: Final = frozenset(map(chr, [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]))
_BEFORE_QUOTE: Final = "[{,:"
_REMARK: Final = re.compile(r"(?:^|\s)#.*")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its number from 1, its text, and for every character the column from 1 where the player has it.

    `columns` has one more: the column behind the last character.
    """

    number: int
    text: str
    columns: Sequence[int]

    def part(self, start: int, end: int | None = None) -> Line:
        """Return a part of the line, counted from 0."""
        end = len(self.text) if end is None else end
        return Line(self.number, self.text[start:end], self.columns[start : end + 1])

    def put(self, at: int, text: str) -> Line:
        """Return the line with a text inserted."""
        columns = [*self.columns[:at], *[self.columns[at]] * len(text), *self.columns[at:]]
        return Line(self.number, self.text[:at] + text + self.text[at:], columns)

    def indented(self, blanks: int) -> Line:
        """Return the line without the blanks in front, but for so many."""
        return self.part(self.indent).put(0, " " * blanks)

    @property
    def indent(self) -> int:
        """The number of blanks in front."""
        return len(self.text) - len(self.text.lstrip(" "))

    def mark(self, start: int = 0, end: int | None = None) -> Mark:
        """Return the place of a part in the player's own text."""
        end = len(self.text) if end is None else end
        start, end = min(start, len(self.text)), min(end, len(self.text))
        return Mark(self.number, self.columns[start], max(1, self.columns[end] - self.columns[start]))


def plain_lines(text: str) -> tuple[list[Line], bool]:
    """Return the lines of a text with plain signs, and whether any was another before that one can see."""
    found, seen = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.isascii() and "\t" not in line:
            found.append(Line(number, line.rstrip(), range(1, len(line) + 2)))
            continue
        plain = ""
        columns: list[int] = []
        for column, char in enumerate(line, 1):
            instead = _plain_sign(char, len(plain))
            seen = seen or (instead != char and bool(instead.strip()))
            plain += instead
            columns += [column] * len(instead)
        found.append(Line(number, plain.rstrip(), [*columns, len(line) + 1]))
    return found, seen


def unsmiled(text: str) -> str:
    """Return a text with the signs that a forum has made pictures of.

    >>> unsmiled("game😛unica")
    'game:punica'
    """
    return "".join(_SMILEYS.get(char, char) for char in text)


def controls(line: Line) -> Iterator[Placed]:
    """Yield a fault for every control character of a line."""
    if line.text.isprintable():
        return
    for found in CONTROL.finditer(line.text):
        yield malformed(unfit(found[0]), line.mark(found.start(), found.end()))


def _plain_sign(char: str, so_far: int) -> str:
    """Return what stands for a character: itself, a plain one, or nothing."""
    if char == "\t":
        return " " * (_TAB - so_far % _TAB)
    if char in _BLANKS:
        return " "
    if char.isascii():
        return char
    if unicodedata.category(char) == "Cf":
        return ""
    if char in _SMILEYS:
        return _SMILEYS[char]
    if "\ufe00" <= char <= "\ufe0f":  # says how the character before it is to be drawn
        return ""
    if char in _PLAIN:
        return _PLAIN[char]
    wide = unicodedata.normalize("NFKC", char)
    return wide if len(wide) == 1 and wide.isascii() else char


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


def with_blanks(line: Line, missing: list[int]) -> Line:
    """Return a line with the blanks that are missing in it."""
    for at in reversed(missing):
        line = line.put(at, " ")
    return line


def bare(text: str) -> str:
    """Return a text without a remark at its end. A `#` in quotes is taken for one as well."""
    return _REMARK.sub("", text).strip()
