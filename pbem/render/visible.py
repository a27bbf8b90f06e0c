"""The part of a text that a reader can see: a page or a post has nothing else of what a player wrote."""

from __future__ import annotations

import re
from typing import Final

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff"
    "\U000e0000-\U000e007f]"
)
"""Control characters, marks without a width, half characters, and what turns the direction of the text behind it."""


def visible(text: str) -> str:
    r"""Return a text without what nobody sees.

    >>> visible("Han\u200bno\u202e")
    'Hanno'
    """
    return _UNSEEN.sub("", text)
