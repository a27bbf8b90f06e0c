"""The order sheet in a forum post that somebody copied: found as in a letter, with its sealed orders opened.

A file that is a sheet and nothing else is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from pbem.crypto.sealed_orders import BadBlock, blocks
from pbem.mail.bare_orders import bare_orders
from pbem.mail.charset import legible, tidied
from pbem.mail.forum_tags import untagged
from pbem.mail.html_text import text_of
from pbem.mail.inbox import open_letter
from pbem.mail.letter import Letter
from pbem.mail.sealed_blocks import Unseal
from pbem.mail.sheet_finder import outside, sheets
from pbem.referee.open_game import CannotPlay

_HEAD: Final = b"From: post@localhost\nContent-Type: text/plain; charset=utf-8\n\n"
_PAGE: Final = re.compile(r"\s*<(?:!doctype|html|article|blockquote|div|p|pre|ul|ol|span|br)\b", re.IGNORECASE)


def sheet_in_post(raw: bytes, kinds: Collection[str], unseal: Unseal | None) -> bytes:
    """Return the sheet in a post; a text without one is returned as it is. `kinds` are the orders of the game.

    Raises BadBlock for sealed orders that do not open, and CannotPlay where it cannot be told which sheet counts.
    """
    text = legible(raw, "") or ""
    if _PAGE.match(text):
        text = text_of(text) or text
    text = tidied(text)
    if not (sealed := any(blocks(text))) and _is_sheet_alone(text):
        return raw if text == raw.decode("utf-8", "replace").replace("\r\n", "\n") else text.encode()
    letter = open_letter(_HEAD + text.encode(), unseal)
    if letter.refusal is not None and sealed:
        raise BadBlock(letter.refusal)
    found = list(dict.fromkeys(each.text for each in letter.enclosures or letter.passed_over))
    if not found:
        return raw
    if len(found) > 1:
        raise CannotPlay("There are two order sheets in the post that differ. Hand in the one that counts alone.")
    _require_no_other(letter, kinds)
    return found[0]


def _is_sheet_alone(text: str) -> bool:
    """Tell whether there is nothing in a text but one sheet, or no sheet at all."""
    if untagged(text) != text:
        return False
    found = sheets(text)
    own, quoted = outside(text, found)
    return not found or (len(found) == 1 and found[0].depth == 0 and not any(map(str.strip, [*own, *quoted])))


def _require_no_other(letter: Letter, kinds: Collection[str]) -> None:
    """Raise CannotPlay if orders stand outside the sheet of a post."""
    if stray := [line for each in bare_orders(letter.loose, kinds) for line in each.lines]:
        shown = "\n".join(f"  | {line.strip()[:100]}" for line in stray)
        raise CannotPlay(
            f"Something that looks like an order stands outside the order sheet of the post. Put it into the sheet, or "
            f"take it out:\n{shown}"
        )
