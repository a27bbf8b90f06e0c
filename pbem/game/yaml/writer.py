"""The YAML writer: plain values as canonical YAML. The same value gives the same bytes, on every machine.

One leaf a line, so that a diff shows what changed. A collection stands on one line only when it fits in 100 columns and

* is a list of scalars;
* is a mapping of scalars and of such lists;
* is a record, that is an item of a list (an event, an order, by its kind or whole), nested at most three deep.

Keys keep the order of the mapping. Text is quoted only where some reader, of YAML 1.1 or 1.2, could take it for
something else; text of several lines is a literal block where that is faithful.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from pbem.protocol import Plain, Record

WIDTH: Final = 100
_RECORD: Final = 3
_LONGEST_KEY: Final = 1000  # behind more characters, a parser no longer looks for the ':'
_LONGEST_NUMBER: Final = 10**18  # the reader takes longer ones for text

# What is invisible: controls, odd blanks, marks of direction. The ranges are written out because `str.isprintable`
# changes with Python's Unicode version, and the bytes must not.
_INVISIBLE: Final = (
    "\x00-\x09\x0b-\x1f\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff0-\uffff"
    "\U000e0000-\U000e0fff"
)
_ESCAPED: Final = re.compile(f'["\\\\\n{_INVISIBLE}]')
_NOT_LITERAL: Final = re.compile(rf"\A[ \n]| \n| \Z|\n\n\Z|[{_INVISIBLE}]")
_LETTER_OR_DIGIT: Final = "0-9A-Za-z\xa1-\ud7ff\ue000-\uffff\U00010000-\U0010ffff"
_BARE: Final = re.compile(
    f"[_(</{_LETTER_OR_DIGIT}][!$%&'()*+./;<=>@^_`|~{_LETTER_OR_DIGIT}-]*"
    f"(?: [!$%&'()*+./;<=>@^_`|~{_LETTER_OR_DIGIT}-]+)*"
)
_LIKE_NUMBER: Final = re.compile("[0-9][0-9A-Fa-fOoXxTtZz_.+ -]*")
_LIKE_WORD: Final = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n", "<<"))


def dump(value: Plain) -> str:
    """Return a plain value as YAML. Raise TypeError or ValueError for what the reader could not give back."""
    lines: list[str] = []
    if isinstance(value, dict) and value:
        _mapping(value, "", "", lines)
    elif isinstance(value, list | tuple) and value:
        _sequence(value, "", "", lines)
    else:
        lines.append(_scalar(value))
    lines.append("")
    return "\n".join(lines)


def _mapping(value: Record, first: str, lead: str, lines: list[str], *, record: bool = False) -> None:
    """Write a mapping in block style: `first` stands before its first key, `lead` before the others.

    `record`: its values may be nested as deep as a record's.
    """
    for key, inner in value.items():
        start = f"{first}{_key(key)}:"
        first = lead
        kind = inner.__class__
        if kind is dict:
            flow = _flow(inner, WIDTH - len(start) - 1, _RECORD if record else 2)
            if flow is None:
                lines.append(start)
                _mapping(inner, lead + "  ", lead + "  ", lines)
            else:
                lines.append(f"{start} {flow}")
        elif kind is list or kind is tuple:
            flow = _flow(inner, WIDTH - len(start) - 1, 1)
            if flow is None:
                lines.append(start)
                _sequence(inner, lead, lead, lines)
            else:
                lines.append(f"{start} {flow}")
        else:
            _leaf(inner, start + " ", lead + "  ", lines)


def _sequence(value: Any, first: str, lead: str, lines: list[str]) -> None:
    """Write a list in block style: `first` stands before its first dash, `lead` before the others."""
    below = lead + "  "
    for inner in value:
        start = first + "- "
        first = lead
        kind = inner.__class__
        if kind is dict and len(inner) == 1:
            _mapping(inner, start, below, lines, record=True)
        elif kind is dict or kind is list or kind is tuple:
            flow = _flow(inner, WIDTH - len(start), _RECORD)
            if flow is not None:
                lines.append(start + flow)
            elif kind is dict:
                _mapping(inner, start, below, lines)
            else:
                _sequence(inner, start, below, lines)
        else:
            _leaf(inner, start, below, lines)


def _leaf(value: object, start: str, below: str, lines: list[str]) -> None:
    """Write a scalar or an empty collection behind `start`; a literal block has its lines at `below`."""
    if value.__class__ is str and "\n" in value and not _NOT_LITERAL.search(value):
        ended = value[-1] == "\n"
        lines.append(f"{start}|" if ended else f"{start}|-")
        lines.extend(below + row if row else "" for row in value.removesuffix("\n").split("\n"))
        return
    lines.append(start + _scalar(value))


def _flow(value: Any, room: int, depth: int) -> str | None:
    """Return a collection on one line; None if it is longer than `room` or nested deeper than `depth`."""
    if len(value) * 3 > room:
        return None if value else _scalar(value)
    pieces = []
    named = value.__class__ is dict
    for item in value.items() if named else value:
        key, inner = item if named else (None, item)
        kind = inner.__class__
        if (kind is dict or kind is list or kind is tuple) and inner:
            if depth == 1 or (named and kind is dict and depth < _RECORD):
                return None
            piece = _flow(inner, room, depth - 1)
            if piece is None:
                return None
        elif kind is str and "\n" in inner:
            return None
        else:
            piece = _scalar(inner)
        if named:
            piece = f"{_key(key)}: {piece}"
        room -= len(piece) + 2
        if room < 0:
            return None
        pieces.append(piece)
    return f"{{{', '.join(pieces)}}}" if named else f"[{', '.join(pieces)}]"


def _scalar(value: Any) -> str:
    kind = value.__class__
    if kind is str:
        return _text(value)
    if kind is int:
        if -_LONGEST_NUMBER < value < _LONGEST_NUMBER:
            return str(value)
        raise ValueError("a whole number of more than 18 digits must be written as text")
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is dict and not value:
        return "{}"
    if (kind is list or kind is tuple) and not value:
        return "[]"
    raise TypeError(f"YAML here holds null, true, false, whole numbers, text, lists and mappings, not {value!r}")


def _key(key: object) -> str:
    if key.__class__ is not str:
        raise TypeError(f"a key must be text, not {key!r}")
    written = _text(key)
    if len(written) > _LONGEST_KEY:
        raise ValueError(f"a key of {len(written)} characters is too long; at most {_LONGEST_KEY}")
    return written


@lru_cache(maxsize=4096)
def _text(text: str) -> str:
    """Return a text on one line, bare if no reader can mistake it."""
    if _BARE.fullmatch(text) and not (
        _ESCAPED.search(text) or _LIKE_NUMBER.fullmatch(text) or text.lower() in _LIKE_WORD
    ):
        return text
    text.encode()  # a lone surrogate cannot be written at all: UnicodeEncodeError is a ValueError
    return f'"{_ESCAPED.sub(_escape, text)}"'


_NAMED: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
