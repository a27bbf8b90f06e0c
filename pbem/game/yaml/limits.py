"""Limits on YAML before a parser sees it: size, encoding, characters, tabs; marks, the places of faults in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from pbem.protocol import MALFORMED, Fault, PbemError

# ---- marks


@dataclass(frozen=True, slots=True)
class Mark:
    """Where something stands: line and column count from 1; width is in characters and stays on that line."""

    line: int
    column: int
    width: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A fault and the place it is about."""

    fault: Fault
    mark: Mark


def by_place(faults: Iterable[Placed]) -> tuple[Placed, ...]:
    """Return faults in the order in which they stand in the text."""
    return tuple(sorted(faults, key=lambda placed: (placed.mark.line, placed.mark.column)))


def malformed(reason: str, mark: Mark) -> Placed:
    """Return the fault of a text that cannot be read at a place."""
    return Placed(Fault(MALFORMED, (), reason), mark)


def mark_at(text: str, index: int, width: int = 1) -> Mark:
    """Return the mark of a place that is known by its index in the text."""
    return Mark(text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index), max(1, width))


def short(word: str) -> str:
    """Return a player's word, cut to what a sentence can hold."""
    return word if len(word) <= 40 else word[:37] + "..."


# ---- limits


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read: bytes, collections inside one another, values; and whether an escape may make a control."""

    size: int
    depth: int
    nodes: int
    controls: bool


LETTER: Final = Limits(size=16 * 1024, depth=32, nodes=5_000, controls=False)
"""For what anybody may send."""
OWN: Final = Limits(size=4 * 1024 * 1024, depth=100, nodes=250_000, controls=True)
"""For files we wrote or ship, and what a clone gives out as such: it may be a stranger's."""


class Unreadable(PbemError):
    """A text that is not the YAML we read: its name, its text as far as it could be decoded, and every fault found."""

    def __init__(self, name: str, text: str, faults: Iterable[Placed]) -> None:
        self.name = name
        self.text = text
        self.faults = by_place(faults)
        super().__init__(name)

    def __str__(self) -> str:
        return "\n".join(f"{self.name}:{at.mark.line}:{at.mark.column}: {at.fault.reason}" for at in self.faults)


CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_FIRST_CONTROL: Final = re.compile(f"^[^\n]*?({CONTROL.pattern})", re.MULTILINE)
_TAB_BEFORE_WORD: Final = re.compile(r"^ *(\t)[ \t]*(?=[^ \t\n])", re.MULTILINE)
_EMPTY_LINE: Final = re.compile(r"^ +$", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"^(?:%\S*|\.\.\.(?=\s|\Z))", re.MULTILINE)
_MOST_FAULTS: Final = 100


def cleared(text: bytes | str, name: str, limits: Limits) -> tuple[str, list[Placed]]:
    """Return the text without byte order mark and with plain line ends, and the faults behind which one can read on.

    Raise Unreadable for the others.
    """
    clear = decoded(text, name, limits)
    faults = list(islice(_faults_that_stop(clear, limits), _MOST_FAULTS))
    if faults:
        raise Unreadable(name, clear, faults)
    return clear, list(islice(_faults_of_lines(clear), _MOST_FAULTS))


def tidied(text: str) -> str:
    """Return the text as both parsers read it alike: no tabs, nothing on empty lines, a line end at the end."""
    text = text.replace("\t", " ")
    if " \n" in text:
        text = _EMPTY_LINE.sub("", text)
    return text if text.endswith("\n") else text + "\n"


def decoded(text: bytes | str, name: str, limits: Limits) -> str:
    """Return the text without byte order mark and with plain line ends; refuse what is too long or not UTF-8."""
    if len(text) > limits.size:
        fault = f"the text has {len(text):,} {'bytes' if isinstance(text, bytes) else 'characters'}"
        raise Unreadable(name, "", [malformed(f"{fault}; at most {limits.size:,} are read", Mark(1, 1, 1))])
    if isinstance(text, str):
        return _one_line_end(text.removeprefix("\ufeff"))
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Unreadable(name, "", [malformed("the text is written in UTF-16; send it as UTF-8", Mark(1, 1, 1))])
    try:
        return _one_line_end(text.decode("utf-8").removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        before = _one_line_end(text[: error.start].decode("utf-8").removeprefix("\ufeff"))
        broken = error.start
    byte = text[broken]
    reason = f"byte 0x{byte:02x} at offset {broken} is not UTF-8"
    if byte >= 0xA0:
        reason += f"; in Latin-1, the likely encoding, it is '{chr(byte)}'"
    seen = before + _one_line_end(text[broken:].decode("latin-1"))
    raise Unreadable(name, seen, [malformed(f"{reason}; send the text as UTF-8", mark_at(seen, len(before)))])


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _faults_that_stop(text: str, limits: Limits) -> Iterator[Placed]:
    if CONTROL.search(text):
        for found in _FIRST_CONTROL.finditer(text):
            yield malformed(unfit(found[1]), mark_at(text, found.start(1)))
    if not limits.controls:
        # The parser is safe from nesting, but slow at it: a run of brackets is refused before it sees one.
        run = re.search(rf"(?:[\[{{][ \t\n]*){{{limits.depth + 1}}}", text)
        if run:
            yield malformed(too_deep(limits), mark_at(text, run.start()))


def _faults_of_lines(text: str) -> Iterator[Placed]:
    for found in _TAB_BEFORE_WORD.finditer(text):
        yield malformed("a tab before the first word of a line; indent with blanks", mark_at(text, found.start(1)))
    for found in _DIRECTIVE.finditer(text):
        word = found[0]
        yield malformed(f"a line cannot begin with '{short(word)}'", mark_at(text, found.start(), len(word)))


def unfit(char: str) -> str:
    """Say that a character is not wanted."""
    name = {"\0": "NUL character", "\ufeff": "byte order mark"}.get(char, "control character")
    return f"the {name} U+{ord(char):04X} cannot stand in a text"


def too_deep(limits: Limits) -> str:
    """Say that there is too much nesting."""
    return f"more than {limits.depth} lists or mappings inside one another"
