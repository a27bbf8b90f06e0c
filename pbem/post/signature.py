"""SSH signatures of a sheet: made by `ssh-keygen -Y sign -n pbem -f KEY orders.yaml`, and sent along with the sheet.

The key is the one that the player has on record by KEY. Signed are the bytes of an attached file, or the sheet in the
letter's own text as it stands above the signature. A signature says who wrote that sheet, and nothing of the rest of
the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from pbem.crypto.signing import verifies
from pbem.mail.charset import tidied
from pbem.mail.mime import Part, Unreadable, take_apart
from pbem.orders.sheet.key_line import without_keys

PURPOSE: Final = "pbem"
"""The namespace that a signature is made for: one made for git or mail does not count."""
_ARMOUR: Final = re.compile(rb"-----BEGIN SSH SIGNATURE-----\s[A-Za-z0-9+/=\s]{1,2000}-----END SSH SIGNATURE-----")
_MOST: Final = 5
_SHEET: Final = re.compile(rb"(?m)^[ \t]*game[ \t]*:")
_HEADING: Final = tuple(re.compile(rb"(?m)^%b[ \t]*:[ \t]*\S" % key) for key in (b"game", b"side", b"adjudication"))


class Signed(NamedTuple):
    """A text that the holder of a key has signed."""

    text: str
    """As the inbox reads it, so that it can be compared with a sheet that was found there."""
    digest: str


def signed_sheets(raw: bytes, public: str) -> list[Signed]:
    """Return the sheets in a letter that are signed with a key; those alone that say which report they answer."""
    try:
        parts = take_apart(raw)
    except Unreadable:
        return []
    armours = [found[0] for part in parts for found in _ARMOUR.finditer(part.content)][:_MOST]
    if not armours:
        return []
    messages = dict.fromkeys(message for part in parts for message in _messages(part))
    return [
        Signed(_read(message), sha256(message).hexdigest())
        for message in messages
        if all(key.search(message) for key in _HEADING)
        and any(verifies(public, message, armour, PURPOSE) for armour in armours)
    ]


def same(sheet: str, signed: Signed) -> bool:
    """Tell whether a sheet as the inbox found it is one that was signed."""
    return _words(sheet) == _words(signed.text)


def _words(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _read(message: bytes) -> str:
    return without_keys(tidied(message.decode("utf-8", "replace")))


def _messages(part: Part) -> Iterator[bytes]:
    """Yield what may have been signed: a part of a letter, and the sheet above a signature in it.

    Mail programs change line ends, and take or add the last one.
    """
    if part.kind.startswith(("image/", "audio/", "video/")):
        return
    plain = part.content.replace(b"\r\n", b"\n")
    above = plain[: found.start()] if (found := _ARMOUR.search(plain)) is not None else None
    sheet = None
    if above is not None and (start := _SHEET.search(above)) is not None:
        sheet = above[start.start() :]
    for text in (part.content, plain, above, sheet):
        if text is not None:
            yield from (text, text.rstrip() + b"\n", text.rstrip())
