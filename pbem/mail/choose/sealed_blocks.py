"""Sealed orders: whose blocks a sender may open, in a letter or in a forum post that somebody copied.

A block is opened only for its own side, so that nobody learns what another side has sealed by pasting it. One that does
not open sends the letter back as a whole: what its sender meant cannot be told without it.

A file that is a sheet and nothing else is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from pbem.crypto.keys import BadKeys, Keys
from pbem.crypto.sealed_orders import BadBlock, SealedBlock, find_blocks, open_block
from pbem.game.wording import listing
from pbem.mail.choose.routing import game_named, games_of, side_in_heading, sides_of
from pbem.mail.read.forum_tags import untagged
from pbem.mail.read.html_text import text_of
from pbem.mail.read.inbox import open_letter
from pbem.mail.read.letter import Enclosure, Letter
from pbem.mail.read.mime import legible, tidy_text
from pbem.mail.read.sheet_finder import Unseal, bare_orders, outside, sheets
from pbem.mail.write.outgoing import MailSettings
from pbem.protocol import Side
from pbem.referee.game.open_game import CannotPlay, OpenGame

# ---- The sealed orders in a letter or a post: each block becomes the order sheet that was sealed in it


def by_sender(settings: MailSettings) -> Unseal:
    """Return what opens the blocks of a letter: those of the sides that its sender plays."""

    def unseal(sender: str, block: SealedBlock) -> str:
        names = games_of(settings, sender)
        if block.game and block.game not in names:
            raise BadBlock(
                f"The block of sealed orders is for the game {block.game}, in which {sender} plays no side here. "
                f"Nothing of it was carried out."
            )
        return _sheet_of(block, list(_identities(settings, names)), lambda game: sides_of(settings, game, sender))

    return unseal


def for_side(game: OpenGame, side: Side) -> Unseal:
    """Return what opens the blocks in a post that the game master hands in for a side."""
    keys = [(game.name, game.ledger.keys.identity)]
    return lambda _, block: _sheet_of(block, keys, lambda _: [side])


def _sheet_of(block: SealedBlock, identities: list[tuple[str, str]], sides: Callable[[str], list[Side]]) -> str:
    """Return the sheet in a block; raise BadBlock unless it is for one of some sides of its game."""
    game, side, content = open_block(block, identities)
    own = sides(game)
    if side not in own:
        theirs = listing(own, "or") or "another"
        raise BadBlock(
            f"The block of sealed orders is for the side {side} of {game}, not for {theirs}. It was not read, and "
            "nothing of it was carried out."
        )
    sheet = Enclosure("sealed orders", content, "body")
    named = side_in_heading(sheet)
    if game_named(sheet) != game or named not in ("", side):
        raise BadBlock(
            f"The block was sealed for {side} of {game}, but the sheet in it is for {named or side} of "
            f"{game_named(sheet) or 'no game'}. Nothing of it was carried out. Make it again with `pbem seal-orders`."
        )
    text = content.decode("utf-8", "replace")
    return text if named else f"side: {side}\n{text}"


def _identities(settings: MailSettings, names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield games with their keys; one whose keys are damaged keeps no letter about another from being read."""
    for name in names:
        try:
            yield name, Keys.load(settings.keys, name).identity
        except (BadKeys, OSError):
            continue


# ---- The order sheet in a forum post that somebody copied: found as in a letter, with its sealed orders opened


_HEAD: Final = b"From: post@localhost\nContent-Type: text/plain; charset=utf-8\n\n"
_PAGE: Final = re.compile(r"\s*<(?:!doctype|html|article|blockquote|div|p|pre|ul|ol|span|br)\b", re.IGNORECASE)


def sheet_in_post(raw: bytes, kinds: Collection[str], unseal: Unseal | None) -> bytes:
    """Return the sheet in a post; a text without one is returned as it is. `kinds` are the orders of the game.

    Raises BadBlock for sealed orders that do not open, and CannotPlay where it cannot be told which sheet counts.
    """
    text = legible(raw, "") or ""
    if _PAGE.match(text):
        text = text_of(text) or text
    text = tidy_text(text)
    if not (sealed := any(find_blocks(text))) and _is_sheet_alone(text):
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
