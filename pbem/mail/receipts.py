"""The receipts in letters: the one that a letter of ours encloses, and those in the text of any letter."""

from __future__ import annotations

from pathlib import PurePosixPath

from pbem.crypto.seal import salt_of
from pbem.mail.lines import lines
from pbem.protocol import Side
from pbem.referee.open_game import OpenGame
from pbem.render.receipt import MOST_TURNS, ClosedSheets, LetterReceipt, ReceiptedSheet, blocks, write


def receipt_of(game: OpenGame, side: Side, since: int, answered: int | None = None) -> LetterReceipt:
    """Return the receipt of a letter to a side that tells what happened after an adjudication.

    It has every sheet of the side that these adjudications used or that waits to be used; if the letter answers a sheet
    (`answered`), none that came later and waits: the answer to a letter that comes again is then the same.
    """
    ledger, last, state = game.ledger, game.adjudication, game.current(resumed=False).state
    digests: dict[str, str] = {}
    for n in range(since + 1, last + 1):
        digests |= ledger.public_turn(n).get("sheets", {}).get(side, {})
    if state is not None:
        waiting = state.new_sheets.get(side, {})
        digests |= {path: waiting[path] for path in waiting if answered is None or _number(path) <= answered}
    sheets = (
        ReceiptedSheet(_number(path), path, digest, salt_of(ledger.keys.hidden, path).hex())
        for path, digest in digests.items()
    )
    closed = game.closed
    return LetterReceipt(
        game=game.name,
        side=side,
        tip=game.charter.dice.tip,
        commit=ledger.head,
        told=(since + 1, last) if since < last else None,
        turns=tuple((n, ledger.turn_digest(n)) for n in range(max(1, last - MOST_TURNS + 1, since), last + 1)),
        sheets=tuple(sorted(sheets)),
        closed=None if closed is None else ClosedSheets(closed.adjudication, closed.round, closed.closed),
    )


def enclosed(game: OpenGame, side: Side | None, since: int | None = None, answered: int | None = None) -> str | None:
    """Return the text of the receipt that a letter to a side encloses; None: the reader plays no side.

    Without `since`, the letter tells of no adjudication.
    """
    if side is None:
        return None
    return write(receipt_of(game, side, game.adjudication if since is None else since, answered))


def _number(path: str) -> int:
    """Return the number of a sheet, by its path."""
    return int(PurePosixPath(path).stem)


def without_receipts(text: str) -> str:
    """Return a tidied text with a blank line for each line of a receipt, quoted or not: none of it is the player's."""
    kept = text.split("\n")
    for block in blocks([line.text for line in lines(text)]):
        kept[block.first : block.end] = [""] * (block.end - block.first)
    return "\n".join(kept)
