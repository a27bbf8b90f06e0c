"""MIME: splits the bytes of any letter into headers and parts, within fixed limits of size and depth.

The parser is the standard library's with its old policy: the newer one takes seconds over a header with 20,000
addresses. Even the old one has bad days on letters made to hurt, so what would hurt is counted beforehand.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Final

from pbem.mail.charset import legible
from pbem.protocol import PbemError

LARGEST: Final = 256 * 1024
MOST_PARTS: Final = 20
DEEPEST: Final = 5
_MOST_LINES: Final = 20_000
_HEAD: Final = 1024 * 1024
_CROWDED_HEAD: Final = 64 * 1024
_LONGEST_HEADER: Final = 4096
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n|\r\r")
_BOUNDARY: Final = re.compile(rb"boundary[*0-9]{0,4}[ \t]*=", re.IGNORECASE)
_DASHED: Final = re.compile(rb"[\r\n]--")
_MOST_DASHED: Final = 2000
_PART_HEADER: Final = re.compile(rb"(?:\A|[\r\n])content-[a-z-]{1,30}:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*", re.IGNORECASE)


class Unreadable(PbemError):
    """A letter that is not taken apart; the text says why, for the sender."""


@dataclass(slots=True, frozen=True)
class Part:
    """One leaf of a letter: its type, file name (may be empty), content without transfer encoding, and charset.

    A page is `covered` if the same text stands beside it as plain text.
    """

    kind: str
    name: str
    attached: bool
    content: bytes
    charset: str
    flowed: bool = False
    delsp: bool = False
    covered: bool = False

    def text(self) -> str | None:
        """Return the content as text, or None if its charset is unknown."""
        return legible(self.content, self.charset)


class Headers:
    """The headers of a letter by name, unfolded, raw UTF-8 read as such; encoded words are left encoded."""

    __slots__ = ("_values",)

    def __init__(self, raw: bytes) -> None:
        end = _HEAD_END.search(raw, 0, _HEAD)
        head = raw[: end.start() if end else _HEAD]
        if _line_count(head) > _MOST_LINES + 10:  # a list of 20,000 recipients is still read
            head = head[:_CROWDED_HEAD]
        self._values: dict[str, list[str]] = {}
        for name, value in BytesHeaderParser().parsebytes(head).raw_items():
            self._values.setdefault(name.lower(), []).append(_unfolded(value))

    def every(self, name: str) -> list[str]:
        return self._values.get(name, [])

    def one(self, name: str) -> str:
        return self._values.get(name, [""])[0]


def decoded(value: str) -> str:
    """Return a header's value with its encoded words decoded (RFC 2047), on one line."""
    try:
        pieces = decode_header(value[:_LONGEST_HEADER])
        texts = [piece if isinstance(piece, str) else _piece(piece, label or "") for piece, label in pieces]
    except (HeaderParseError, binascii.Error, ValueError):
        return value
    return " ".join("".join(c if c.isprintable() else " " for c in "".join(texts)).split())


def take_apart(raw: bytes, largest: int = LARGEST) -> list[Part]:
    """Return the leaves of a letter in order; raise Unreadable beyond the limits or on broken bytes.

    Letters within the letter (message/rfc822) are leaves: they are not looked into.
    """
    if len(raw) > largest:
        raise Unreadable(
            f"Your letter has {len(raw) // 1024} kB; at most {largest // 1024} kB are read. "
            "Please send it again without pictures and other files: the order sheet alone is enough."
        )
    if _hurts(raw, _MOST_LINES * largest // LARGEST):
        raise Unreadable(_TANGLED)
    try:
        parts = [_part(leaf, covered) for leaf, covered in _leaves(message_from_bytes(raw), 0)]
    except Unreadable:
        raise
    except Exception as broken:  # the parser raises nearly anything on broken bytes, RecursionError included
        raise Unreadable(_TANGLED) from broken
    if len(parts) > MOST_PARTS:
        raise Unreadable(_TANGLED)
    return parts


_TANGLED: Final = (
    f"Your letter could not be taken apart: it is damaged, or has more than {MOST_PARTS} parts, or "
    "letters within letters. Please write a new letter with the order sheet alone in it."
)


def _hurts(raw: bytes, most_lines: int) -> bool:
    """Return whether taking these bytes apart could take the parser more than a moment."""
    return (
        _line_count(raw) > most_lines
        or sum(1 for _ in _BOUNDARY.finditer(raw)) > MOST_PARTS
        or sum(1 for _ in _DASHED.finditer(raw)) > _MOST_DASHED
        or any(len(header[0]) > _LONGEST_HEADER for header in _PART_HEADER.finditer(raw))
    )


def _line_count(raw: bytes) -> int:
    return max(raw.count(b"\n"), raw.count(b"\r"))


def _leaves(message: Message, depth: int, covered: bool = False) -> Iterator[tuple[Message, bool]]:
    if depth > DEEPEST:
        raise Unreadable(_TANGLED)
    inner = message.get_payload()
    if message.get_content_maintype() == "multipart" and isinstance(inner, list):
        parts = [part for part in inner if isinstance(part, Message)]
        if message.get_content_subtype() == "alternative":
            covered = covered or any(map(_is_plain_text, parts))
        for part in parts:
            yield from _leaves(part, depth + 1, covered)
    else:
        yield message, covered


def _is_plain_text(part: Message) -> bool:
    """Return whether a part is plain text, and more than blanks."""
    if part.get_content_type() != "text/plain" or part.is_multipart():
        return False
    content = part.get_payload(decode=True)
    return isinstance(content, bytes) and bool(content.strip(b" \t\r\n\0\xa0"))


def _part(leaf: Message, covered: bool) -> Part:
    content = b"" if leaf.is_multipart() else leaf.get_payload(decode=True)
    name = decoded(_unfolded(leaf.get_filename("")))
    return Part(
        kind=leaf.get_content_type(),
        name=name,
        attached=bool(name) or leaf.get_content_disposition() == "attachment",
        content=content if isinstance(content, bytes) else b"",
        charset=leaf.get_content_charset(""),
        flowed=_parameter(leaf, "format") == "flowed",
        delsp=_parameter(leaf, "delsp") == "yes",
        covered=covered,
    )


def _parameter(leaf: Message, name: str) -> str:
    value = leaf.get_param(name, "")
    return value.strip().lower() if isinstance(value, str) else ""


def _unfolded(value: str) -> str:
    value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return re.sub(r"[\r\n]+[ \t]*", " ", value).strip()


def _piece(piece: bytes, label: str) -> str:
    text = legible(piece, label)
    return piece.decode("ascii", "replace") if text is None else text
