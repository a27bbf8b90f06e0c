"""The line `key:` of a form: a word that shows who sends a sheet, and no part of what the sheet says.

It is taken out before a sheet is read, so that it is neither checked nor committed.
"""

from __future__ import annotations

import re
from typing import Final

KEY: Final = "key"
_LINE: Final = re.compile(
    r"(?im)(?:^(?: ?>)* ?|(?<=\})(?P<behind>[ \t]+))"
    rf"[\"'*_]*{KEY}[\"'*_]*[ \t]*[:：][ \t]*[\"'*_]*(?!age1)(?P<key>[a-z0-9]{{10,40}})[\"'*_]*"
    r"[ \t\r]*(?:#[^\n]*)?$\n?"
)
"""Not indented, for an order may have a key of this name; and no command `KEY age1...`, which is longer.

Where a line end got lost it stands behind the order above it.
"""


def keys_in(text: str) -> list[str]:
    """Return the keys in a text, quoted ones included.

    >>> keys_in("game: punica\\nkey: abcdefghij234567abcd\\n> key: ZYXWVUTSRQ765432zyxw # yours")
    ['abcdefghij234567abcd', 'zyxwvutsrq765432zyxw']
    """
    return [found["key"].lower() for found in _LINE.finditer(text)]


def without_keys(text: str) -> str:
    """Return a text without the lines that have a key.

    >>> without_keys("game: punica\\nkey: abcdefghij234567abcd\\norders:\\n")
    'game: punica\\norders:\\n'
    """
    return _LINE.sub(lambda found: "\n" if found["behind"] and found[0].endswith("\n") else "", text)


def with_keys_blank(text: str) -> str:
    """Return a text with those lines empty, so that all others keep their places."""
    return _LINE.sub(lambda found: "\n" if found[0].endswith("\n") else "", text)
