"""MIME: splits the bytes of any letter into headers and parts, and turns them into text, within fixed limits.

The parser is the standard library's with its old policy: the newer one takes seconds over a header with 20,000
addresses. Even the old one has bad days on letters made to hurt, so what would hurt is counted beforehand.
"""

from __future__ import annotations

import binascii
import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Final

from pbem.mail.read.html_text import text_of
from pbem.mail.read.quoting import unflowed, unsigned
from pbem.protocol import PbemError

_BOMS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_SAID_OTHERWISE: Final = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "cp50220": "iso2022_jp_ext",
    "cp50221": "iso2022_jp_ext",
    "iso-2022-jp-ms": "iso2022_jp_ext",
    "iso-8859-8-i": "iso8859-8",
    "x-mac-roman": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "unicode-1-1-utf-7": "utf-7",
    "utf-8mb4": "utf-8",
    "utf8mb4": "utf-8",
    "x-utf-8": "utf-8",
}
"""Labels that mail programs write, and the codec that reads what they mean: mostly a superset of the standard."""

_SAYS_NOTHING: Final = {"", "unknown", "unknown-8bit", "x-unknown", "8bit", "binary", "default", "_autodetect", "none"}
_WESTERN: Final = {"ascii", "iso8859-1", "cp1252"}
_NOT_A_CHARSET: Final = {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined"}
"""Codecs of Python that are no charsets: slow on purpose-made bytes, or with a meaning of their own."""
_LINE_END: Final = re.compile("\r\n?|[\x85\u2028\u2029]")
_BLANKS: Final = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_UNSEEN: Final = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF])
_WIDE_COLON: Final = re.compile(r"^([ ]*(?:-[ ]+)*[A-Za-z_]\w*)[ ]*：[ ]*", re.MULTILINE)
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
_MERE_NOTICE: Final = re.compile(
    r"(?is)(?=.{0,600}\Z)(?=.*\bhtml\b)(?=.*\b(?:view|display|read|see|support|enable|version|reader|client|program|"
    r"browser|format|anzeigen|darstellen|afficher|visualizza|ver|weergeven)\w*)[^{}]*"
)
"""The text of a plain part that only says that the letter is the page beside it."""
_PAGE: Final = re.compile(rb"\s*<(?:!doctype|html|body|div|p|span|table)\b", re.IGNORECASE)
_TANGLED: Final = (
    f"Your letter could not be taken apart: it is damaged, or has more than {MOST_PARTS} parts, or "
    "letters within letters. Please write a new letter with the order sheet alone in it."
)


def legible(content: bytes, label: str) -> str | None:
    """Return the text of some bytes, given the charset their label claims; None if nobody knows that charset.

    A byte-order mark beats the label. Text labelled Western (or not at all) is taken as UTF-8 if it is valid as
    such, which other bytes practically never are, and as windows-1252 if not. Bytes that do not fit a known
    charset become U+FFFD: a sheet is ASCII, and the prose around it need not be perfect.
    """
    for mark, codec in _BOMS:
        if content.startswith(mark):
            return _without_surrogates(content.decode(codec, "replace"))
    label = label.strip(" \t\"'").lower()
    name = "ascii" if label in _SAYS_NOTHING else codec_of(label)
    if name is None:
        return _decoded_strictly(content, "utf-8")
    if name in _WESTERN:
        if b"\x1b$" in content:  # Japanese mail without its label
            return _without_surrogates(content.decode("iso2022_jp", "replace"))
        text = _decoded_strictly(content, "utf-8")
        return _without_surrogates(content.decode("cp1252", "replace")) if text is None else text
    if name == "utf-16":  # no mark, so the order of bytes must be told by where the zeros of plain letters are
        name = "utf-16-be" if content[::2].count(0) >= content[1::2].count(0) else "utf-16-le"
    for codec in (name, "utf-8"):
        text = _decoded_strictly(content, codec)
        if text is not None:
            return text
    return _without_surrogates(content.decode("cp1252" if name == "utf-8" else name, "replace"))


def codec_of(label: str) -> str | None:
    """Return Python's name of the charset that a label means, or None if it means none."""
    try:
        codec = codecs.lookup(_SAID_OTHERWISE.get(label, label))
        b"\0\0\0\0".decode(codec.name, "replace")
    except (LookupError, ValueError):  # unknown; not a codec for text; NUL in the label
        return None
    name = codec.name.replace("_", "-")
    return None if name in _NOT_A_CHARSET else name


def _decoded_strictly(content: bytes, codec: str) -> str | None:
    try:
        return _without_surrogates(content.decode(codec))
    except UnicodeError:
        return None


def _without_surrogates(text: str) -> str:
    """Return the text without half characters (lone surrogates), which UTF-7 can smuggle in."""
    return text.encode("utf-8", "replace").decode()


def tidy_text(text: str) -> str:
    """Return a text with plain line ends and plain blanks, so that what looks like a sheet is one.

    No-break, ideographic and other blanks become spaces, one for one; zero-width characters, soft hyphens and
    direction marks go; the full-width colon after a key at the start of a line becomes a colon. Nothing else is
    changed: curly quotes, long dashes and full-width digits stay, for the check of the sheet to point at.
    """
    text = _LINE_END.sub("\n", text).translate(_BLANKS | _UNSEEN)
    return _WIDE_COLON.sub(r"\1: ", text)


class TangledLetter(PbemError):
    """A letter that is not taken apart; the text says why, for the sender."""


@dataclass(frozen=True)
class MailPart:
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

    @cached_property
    def whole(self) -> str | None:
        """The tidied text, without flowed line ends and clear signatures; None: it has none that is legible."""
        text = legible(self.content, self.charset)
        if text is not None and self.kind == "text/html":
            text = text_of(text)
        if text is None:
            return None
        text = tidy_text(text)
        return unsigned(unflowed(text, self.delsp) if self.flowed else text)

    @property
    def is_legible(self) -> bool:
        """Whether the charset of its text is known."""
        return legible(self.content, self.charset) is not None


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

    def time(self, name: str) -> datetime | None:
        """Return the time that a header says; None: it says none."""
        return _time_in(self.one(name))

    @property
    def arrived(self) -> datetime | None:
        """When the letter came to the server that took it in last, by its topmost line; None: none says it."""
        return _time_in(self.one("received").rpartition(";")[2])


def _time_in(text: str) -> datetime | None:
    """Return the time that a header says; None: it says none."""
    try:
        found = parsedate_to_datetime(text.strip()[:100])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    try:
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError:
        return None


def header_text(value: str) -> str:
    """Return a header's value with its encoded words decoded (RFC 2047), on one line."""
    try:
        pieces = decode_header(value[:_LONGEST_HEADER])
        texts = [piece if isinstance(piece, str) else _header_piece(piece, label or "") for piece, label in pieces]
    except (HeaderParseError, binascii.Error, ValueError):
        return value
    return " ".join("".join(c if c.isprintable() else " " for c in "".join(texts)).split())


def take_apart(raw: bytes, largest: int = LARGEST) -> list[MailPart]:
    """Return the leaves of a letter in order; raise Unreadable beyond the limits or on broken bytes.

    Letters within the letter (message/rfc822) are leaves: they are not looked into.
    """
    if len(raw) > largest:
        raise TangledLetter(
            f"Your letter has {len(raw) // 1024} kB; at most {largest // 1024} kB are read. "
            "Please send it again without pictures and other files: the order sheet alone is enough."
        )
    if _hurts(raw, _MOST_LINES * largest // LARGEST):
        raise TangledLetter(_TANGLED)
    try:
        parts = [_mail_part(leaf, covered) for leaf, covered in _leaves_of(message_from_bytes(raw), 0)]
    except TangledLetter:
        raise
    except Exception as broken:  # the parser raises nearly anything on broken bytes, RecursionError included
        raise TangledLetter(_TANGLED) from broken
    if len(parts) > MOST_PARTS:
        raise TangledLetter(_TANGLED)
    return parts


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


def _leaves_of(message: Message, depth: int, covered: bool = False) -> Iterator[tuple[Message, bool]]:
    if depth > DEEPEST:
        raise TangledLetter(_TANGLED)
    inner = message.get_payload()
    if message.get_content_maintype() == "multipart" and isinstance(inner, list):
        parts = [part for part in inner if isinstance(part, Message)]
        if message.get_content_subtype() == "alternative":
            parts = _without_notices(parts)
            covered = covered or any(map(_is_plain_text, parts))
        for part in parts:
            yield from _leaves_of(part, depth + 1, covered)
    else:
        yield message, covered


def _without_notices(parts: list[Message]) -> list[Message]:
    """Return alternatives without plain ones that say nothing but that the others are to be read."""
    pages = [part for part in parts if part.is_multipart() or part.get_content_type() == "text/html"]
    return [part for part in parts if not (pages and _is_plain_text(part) and _is_notice(part))]


def _is_notice(part: Message) -> bool:
    content = part.get_payload(decode=True)
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
    return _MERE_NOTICE.fullmatch(text.strip()) is not None and ":" not in re.sub(r"https?:", "", text.rstrip(" \r\n:"))


def _is_plain_text(part: Message) -> bool:
    """Return whether a part is plain text, and more than blanks."""
    if part.get_content_type() != "text/plain" or part.is_multipart():
        return False
    content = part.get_payload(decode=True)
    return isinstance(content, bytes) and bool(content.strip(b" \t\r\n\0\xa0"))


def _mail_part(leaf: Message, covered: bool) -> MailPart:
    content = b"" if leaf.is_multipart() else leaf.get_payload(decode=True)
    name = header_text(_unfolded(leaf.get_filename("")))
    return MailPart(
        kind=_kind_of(leaf, content),
        name=name,
        attached=bool(name) or leaf.get_content_disposition() == "attachment",
        content=content if isinstance(content, bytes) else b"",
        charset=leaf.get_content_charset(""),
        flowed=_parameter(leaf, "format") == "flowed",
        delsp=_parameter(leaf, "delsp") == "yes",
        covered=covered,
    )


def _kind_of(leaf: Message, content: object) -> str:
    """Return the type of a leaf. One that says that it has parts, and has none, is the text that it holds."""
    if leaf.get_content_maintype() != "multipart" or not isinstance(content, bytes):
        return leaf.get_content_type()
    return "text/html" if _PAGE.match(content) else "text/plain"


def _parameter(leaf: Message, name: str) -> str:
    value = leaf.get_param(name, "")
    return value.strip().lower() if isinstance(value, str) else ""


def _unfolded(value: str) -> str:
    value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return re.sub(r"[\r\n]+[ \t]*", " ", value).strip()


def _header_piece(piece: bytes, label: str) -> str:
    text = legible(piece, label)
    return piece.decode("ascii", "replace") if text is None else text
