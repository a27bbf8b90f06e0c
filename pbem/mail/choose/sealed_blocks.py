"""Sealed orders: whose blocks a sender may open, in a letter or in a forum post that somebody copied.

A block is opened only for its own side, so that nobody learns what another side has sealed by pasting it. One that does
not open sends the letter back as a whole: what its sender meant cannot be told without it.

A file that is a sheet and nothing else is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pbem.crypto.keys import BadKeys, Keys
from pbem.crypto.sealed_orders import BadBlock, SealedBlock, open_block
from pbem.game.wording import listing
from pbem.mail.choose.routing import games_of, sides_of
from pbem.mail.read.letter import Enclosure
from pbem.mail.read.sheet_finder import Unseal
from pbem.mail.write.outgoing import MailSettings
from pbem.protocol import Side
from pbem.referee.game.open_game import OpenGame


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
    named = sheet.side
    if sheet.game != game or named not in ("", side):
        raise BadBlock(
            f"The block was sealed for {side} of {game}, but the sheet in it is for {named or side} of "
            f"{sheet.game or 'no game'}. Nothing of it was carried out. Make it again with `pbem seal-orders`."
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
