"""The sealed orders in a letter or a post: each block becomes the order sheet that was sealed in it.

A block is opened only for its own side, so that nobody learns what another side has sealed by pasting it. One that does
not open sends the letter back as a whole: what its sender meant cannot be told without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from pbem.crypto.keys import BadKeys, Keys
from pbem.crypto.sealed_orders import BadBlock, Block, blocks, open_block
from pbem.game.wording import listing
from pbem.mail.letter import Enclosure
from pbem.mail.lines import QUOTE_MARKS, lines
from pbem.mail.outgoing import MailSettings
from pbem.mail.routing import game_of, games_of, side_named, sides_of
from pbem.protocol import Side
from pbem.referee.open_game import OpenGame

Unseal: TypeAlias = Callable[[str, Block], str]
"""Returns the sheet in a block that came from a sender; raises BadBlock."""
_MOST: Final = 20
_BEGIN: Final = "----- BEGIN ORDERS -----"
_END: Final = "----- END ORDERS -----"


@dataclass(frozen=True, slots=True)
class Opened:
    """A text with sheets in place of its blocks, and why some of them were not opened."""

    text: str
    refused: str = ""
    """Why a block of the sender's own does not open; empty: all did."""
    quoted: str = ""
    """Why a quoted one does not."""
    games: tuple[str, ...] = ()
    """The games that the blocks say that they are for."""


def with_sheets(text: str, sender: str, unseal: Unseal) -> Opened:
    """Return a tidied text with the sheets that are sealed in it."""
    done: list[str] = []
    refused = quoted = ""
    at = 0
    found = list(islice(blocks(text), _MOST + 1))
    if len(found) > _MOST:
        return Opened(text, f"There are more than {_MOST} blocks of sealed orders in it. Send those that count.")
    for block in found:
        start = max(at, text.rfind("\n", 0, block.start) + 1)
        depth = lines(text[: block.start] + "x")[-1].depth
        quoting = QUOTE_MARKS.match(text, start, block.start)
        marks = f"{quoting[0].strip()} " if quoting is not None else ""
        sheet = ""
        try:
            sheet = unseal(sender, block)
        except BadBlock as wrong:
            if depth:
                quoted = quoted or str(wrong)
            else:
                refused = refused or str(wrong)
        ahead = text[start : block.start]  # words on the line that the block begins on
        done += [text[at:start], f"{ahead.rstrip()}\n" if ahead.strip(" >") else ""]
        done.append(
            "\n".join(marks + line for line in [_BEGIN, *sheet.rstrip("\n").split("\n"), _END]) if sheet else ""
        )
        if block.end < len(text) and text[block.end] != "\n":
            done.append("\n")
        at = block.end
    return Opened("".join([*done, text[at:]]), refused, quoted)


def by_sender(settings: MailSettings) -> Unseal:
    """Return what opens the blocks of a letter: those of the sides that its sender plays."""

    def unseal(sender: str, block: Block) -> str:
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


def _sheet_of(block: Block, identities: list[tuple[str, str]], sides: Callable[[str], list[Side]]) -> str:
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
    named = side_named(sheet)
    if game_of(sheet) != game or named not in ("", side):
        raise BadBlock(
            f"The block was sealed for {side} of {game}, but the sheet in it is for {named or side} of "
            f"{game_of(sheet) or 'no game'}. Nothing of it was carried out. Make it again with `pbem seal-orders`."
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
