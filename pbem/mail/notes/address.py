"""Mail addresses: reads one so strictly that no two programs can disagree about whose it is."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_ADDRESS: Final = rf"{_ATOM}(?:\.{_ATOM})*@{_LABEL}(?:\.{_LABEL})*"
_BARE: Final = re.compile(rf"\s*({_ADDRESS})\s*(?:\(([^()<>@\\]*)\)\s*)?")
_NAMED: Final = re.compile(rf'((?:"(?:[^"\\]|\\.)*"|[^"<>@,;:\\])*)<\s*({_ADDRESS})\s*>\s*')
_TWICE: Final = re.compile(rf"\s*({_ADDRESS})\s*<({_ADDRESS})>\s*")
_LONGEST: Final = 500
_LONGEST_NAME: Final = 60
_NO_NAME: Final = re.compile(r"[:：{}｛｝\[\]#|]")
MESSAGE_ID: Final = re.compile(r"<[!-;=?-~]{1,240}>")


class Mailbox(NamedTuple):
    """A display name (may be empty, may hold encoded words) and an address in lower case."""

    name: str
    address: str


def mailbox(text: str) -> Mailbox | None:
    """Return the one mailbox that a From or To header names; None if it names none, more, or pretends.

    >>> mailbox('"Ann" <Ann@example.org>')
    Mailbox(name='Ann', address='ann@example.org')
    >>> mailbox("ann@example.org <evil@x.org>")
    """
    if len(text) > _LONGEST or not text.isprintable():
        return None
    if bare := _BARE.fullmatch(text):
        return Mailbox((bare[2] or "").strip(), bare[1].lower())
    if twice := _TWICE.fullmatch(text):  # some programs repeat the address as the name
        return Mailbox("", twice[2].lower()) if twice[1].lower() == twice[2].lower() else None
    if named := _NAMED.fullmatch(text):
        return Mailbox(re.sub(r'"|\\(.)', r"\1", named[1]).strip(), named[2].lower())
    return None


def is_name(text: str) -> bool:
    """Tell whether a name that a player gives somebody can stand in letters to others.

    It must not be read as an order or a key where such a letter is quoted.

    >>> is_name("Carl von Clausewitz"), is_name("orders: punica rome 3 pass {}")
    (True, False)
    """
    return 0 < len(text) <= _LONGEST_NAME and _NO_NAME.search(text) is None


def pretends(shown: str, address: str) -> bool:
    """Return whether a display name, as a reader sees it, shows an address that is not the sender's."""
    return any(found.lower() != address for found in re.findall(_ADDRESS, shown))
