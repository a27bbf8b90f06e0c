"""Charsets: turns the bytes of a letter into text, whether its label is right or wrong, and drops invisible marks."""

from __future__ import annotations

import codecs
import re
from typing import Final

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


def legible(content: bytes, label: str) -> str | None:
    """Return the text of some bytes, given the charset their label claims; None if nobody knows that charset.

    A byte-order mark beats the label. Text labelled Western (or not at all) is taken as UTF-8 if it is valid as
    such, which other bytes practically never are, and as windows-1252 if not. Bytes that do not fit a known
    charset become U+FFFD: a sheet is ASCII, and the prose around it need not be perfect.
    """
    for mark, codec in _BOMS:
        if content.startswith(mark):
            return _whole(content.decode(codec, "replace"))
    label = label.strip(" \t\"'").lower()
    name = "ascii" if label in _SAYS_NOTHING else codec_of(label)
    if name is None:
        return _strictly(content, "utf-8")
    if name in _WESTERN:
        if b"\x1b$" in content:  # Japanese mail without its label
            return _whole(content.decode("iso2022_jp", "replace"))
        text = _strictly(content, "utf-8")
        return _whole(content.decode("cp1252", "replace")) if text is None else text
    if name == "utf-16":  # no mark, so the order of bytes must be told by where the zeros of plain letters are
        name = "utf-16-be" if content[::2].count(0) >= content[1::2].count(0) else "utf-16-le"
    for codec in (name, "utf-8"):
        text = _strictly(content, codec)
        if text is not None:
            return text
    return _whole(content.decode("cp1252" if name == "utf-8" else name, "replace"))


def codec_of(label: str) -> str | None:
    """Return Python's name of the charset that a label means, or None if it means none."""
    try:
        codec = codecs.lookup(_SAID_OTHERWISE.get(label, label))
        b"\0\0\0\0".decode(codec.name, "replace")
    except (LookupError, ValueError):  # unknown; not a codec for text; NUL in the label
        return None
    name = codec.name.replace("_", "-")
    return None if name in _NOT_A_CHARSET else name


def _strictly(content: bytes, codec: str) -> str | None:
    try:
        return _whole(content.decode(codec))
    except UnicodeError:
        return None


def _whole(text: str) -> str:
    """Return the text without half characters (lone surrogates), which UTF-7 can smuggle in."""
    return text.encode("utf-8", "replace").decode()


_LINE_END: Final = re.compile("\r\n?|[\x85\u2028\u2029]")
_BLANKS: Final = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_UNSEEN: Final = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF])
_WIDE_COLON: Final = re.compile(r"^([ ]*(?:-[ ]+)*[A-Za-z_]\w*)[ ]*：[ ]*", re.MULTILINE)


def tidied(text: str) -> str:
    """Return a text with plain line ends and plain blanks, so that what looks like a sheet is one.

    No-break, ideographic and other blanks become spaces, one for one; zero-width characters, soft hyphens and
    direction marks go; the full-width colon after a key at the start of a line becomes a colon. Nothing else is
    changed: curly quotes, long dashes and full-width digits stay, for the check of the sheet to point at.
    """
    text = _LINE_END.sub("\n", text).translate(_BLANKS | _UNSEEN)
    return _WIDE_COLON.sub(r"\1: ", text)
