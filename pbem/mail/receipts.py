"""The receipts in letters: the one that a letter of ours encloses, and those in the text of any letter."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Final

from pbem.crypto.seal import salt_of
from pbem.mail.deadlines import until_when
from pbem.mail.lines import lines
from pbem.mail.outbox import name_for
from pbem.protocol import Side
from pbem.referee.open_game import OpenGame
from pbem.render.receipt import MOST_TURNS, ClosedSheets, LetterReceipt, ReceiptedSheet, blocks, write
from pbem.repo.layout import turn_path

OWN_SHEET: Final = "your-sheet.yaml"
"""The name under which players get their own sheet back, as it was read."""
_OWN_SHEET: Final = re.compile(r"your-sheet(?:-\w+)?\.yaml")
_KEEP: Final = "Keep this letter: `pbem verify --letters` compares it with the game."
_CHECK: Final = """\
The digest of your sheet {number} {goes} into the dice. The sheet itself is
sealed in {path}{turn}. Only you get the salt.
To check that the digest is that of your sheet:
  S={salt}
  openssl dgst -sha256 -mac HMAC -macopt hexkey:$S {file}
"""


def receipt_of(
    game: OpenGame, side: Side, since: int, answered: int | None = None, *, tells: bool = True
) -> LetterReceipt:
    """Return the receipt of a letter to a side that tells what happened after an adjudication, if it `tells`.

    It has every sheet of the side that these adjudications used or that waits to be used; if the letter answers a sheet
    (`answered`), none that came later and waits: the answer to a letter that comes again is then the same.
    """
    ledger, last, state = game.ledger, game.adjudication, game.current(resumed=False).state
    digests: dict[str, str] = {}
    for n in range(since + 1, last + 1):
        digests |= game.public_turn(n).get("sheets", {}).get(side, {})
    if state is not None:
        waiting = state.new_sheets.get(side, {})
        digests |= {path: waiting[path] for path in waiting if answered is None or sheet_number(path) <= answered}
    sheets = (
        ReceiptedSheet(sheet_number(path), path, digest, salt_of(ledger.keys.hidden, path).hex())
        for path, digest in digests.items()
    )
    closed, until = game.closed, until_when(game, side)
    return LetterReceipt(
        game=game.name,
        side=side,
        tip=game.charter.dice.tip,
        commit=ledger.head,
        told=(since + 1, last) if tells and since < last else None,
        turns=tuple((n, ledger.turn_digest(n)) for n in range(max(1, last - MOST_TURNS + 1, since), last + 1)),
        sheets=tuple(sorted(sheets)),
        closed=None if closed is None else ClosedSheets(closed.adjudication, closed.round, closed.closed),
        until=None if until is None or until.passed else until.at,
    )


def unanswered_sheets(game: OpenGame, side: Side, since: int, answers: int | None) -> tuple[int, int]:
    """Return how many sheets of a side went in after an adjudication, and how many of it there are.

    If only the one went in that the next letter `answers`, there is nothing to tell: 0, 0.
    """
    turns = (game.public_turn(n) for n in range(max(since, 0) + 1, game.adjudication + 1))
    used = [sheet_number(path) for turn in turns for path in turn.get("sheets", {}).get(side, ())]
    return (0, 0) if set(used) <= {answers} else (len(used), game.sheets(side))


def enclosed(
    game: OpenGame, side: Side | None, since: int | None = None, answered: int | None = None, *, tells: bool = True
) -> str | None:
    """Return the text of the receipt that a letter to a side encloses; None: the reader plays no side.

    Without `since`, the letter tells of no adjudication. If it answers a sheet (`answered`), its receipt says how its
    player checks the digest of that sheet.
    """
    if side is None:
        return None
    receipt = receipt_of(game, side, game.adjudication if since is None else since, answered, tells=tells)
    checks = [_check(game, side, sheet) for sheet in receipt.sheets if sheet.number == answered]
    return "\n".join([_KEEP + "\n", write(receipt), *checks])


def is_own_sheet(name: str) -> bool:
    """Tell whether a file has the name under which players get their own sheet back, for whichever side of theirs."""
    return _OWN_SHEET.fullmatch(name) is not None


def _check(game: OpenGame, side: Side, sheet: ReceiptedSheet) -> str:
    """Return how a player checks the digest of a sheet that is on record."""
    waits = game.current(resumed=False).state
    used = waits is None or sheet.path not in waits.new_sheets.get(side, {})
    turn = ", its digest in " + turn_path(_used_in(game, side, sheet.path)) if used else ""
    goes = "went" if used else "will go"
    address = game.ledger.addresses.get(side)
    several = address is not None and len(game.ledger.sides_of(address)) > 1
    file = name_for(OWN_SHEET, side if several else "")
    return _CHECK.format(number=sheet.number, goes=goes, path=sheet.path, turn=turn, salt=sheet.salt, file=file)


def _used_in(game: OpenGame, side: Side, path: str) -> int:
    """Return the adjudication that used a sheet."""
    n = game.adjudication
    while n > 1 and path not in game.public_turn(n).get("sheets", {}).get(side, {}):
        n -= 1
    return n


def sheet_number(path: str) -> int:
    """Return the number of a sheet, by its path."""
    return int(PurePosixPath(path).stem)


def without_receipts(text: str) -> str:
    """Return a tidied text with a blank line for each line of a receipt, quoted or not: none of it is the player's."""
    kept = text.split("\n")
    for block in blocks([line.text for line in lines(text)]):
        kept[block.first : block.end] = [""] * (block.end - block.first)
    return "\n".join(kept)
