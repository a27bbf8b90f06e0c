"""The sheets that stand for a word of a letter: WITHDRAW and STANDING CANCEL.

Such a word is an input like any other sheet: it is sealed, goes into the dice, and opens a link of the player's chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pbem.crypto.player_chains import LINK_SHAPE, LOST
from pbem.game import yaml as yamlio
from pbem.orders.sheet.sheet_reader import LINK, ORDERS, STANDING, STANDING_CANCEL
from pbem.protocol import Side

WITHDRAW: Final = "WITHDRAW"
CANCEL: Final = "STANDING CANCEL"
_ALL: Final = "ALL"


def sheet_of_word(word: str, game: str, side: Side, adjudication: int) -> bytes | None:
    """Return the sheet that a word of a letter stands for, such as `STANDING CANCEL 2`; None: it stands for none.

    >>> sheet_of_word("WITHDRAW", "punica", "rome", 12) == withdrawal("punica", "rome", 12)
    True
    """
    try:
        if word.startswith(WITHDRAW):
            return withdrawal(game, side, adjudication, link_in(word.split()[1:]))
        if word.startswith(CANCEL) and (found := cancelled(word.split()[2:])) is not None:
            return cancellation(game, side, adjudication, found[0], link_in(found[1]))
    except ValueError:
        pass
    return None


def cancelled(words: Sequence[str]) -> tuple[list[int], Sequence[str]] | None:
    """Return the numbers that the words behind STANDING CANCEL name, none for ALL, and the words behind them.

    None: they name nothing.

    >>> cancelled(["5", "2,"]), cancelled(["ALL"]), cancelled(["two"])
    (([2, 5], []), ([], []), None)
    """
    plain = [word.strip(",.") for word in words]
    count = next((at for at, word in enumerate(plain) if not _is_number(word)), len(plain))
    if count:
        return sorted({int(word) for word in plain[:count]}), words[count:]
    return ([], words[1:]) if plain and plain[0].upper() == _ALL else None


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0


def link_in(words: Sequence[str]) -> str | None:
    """Return the link of the player's chain that ends a word of a letter, as it is written; None: there is none.

    Raises ValueError if something else stands there.
    """
    match words:
        case []:
            return None
        case [link] if LINK_SHAPE.fullmatch(link) or link == LOST:
            return link
        case _:
            raise ValueError("no link")


def withdrawal(game: str, side: Side, adjudication: int, link: str | None = None) -> bytes:
    """Return the empty sheet that takes the place of one which is not used yet.

    >>> print(withdrawal("punica", "rome", 12).decode(), end="")
    game: punica
    side: rome
    adjudication: 12
    orders: []
    """
    return _sheet(game, side, adjudication, link, {ORDERS: []})


def cancellation(game: str, side: Side, adjudication: int, numbers: Sequence[int], link: str | None = None) -> bytes:
    """Return the sheet that cancels standing orders by their numbers; all of them, if none are given."""
    return _sheet(game, side, adjudication, link, {STANDING_CANCEL: list(numbers)} if numbers else {STANDING: []})


def _sheet(game: str, side: Side, adjudication: int, link: str | None, more: dict[str, Any]) -> bytes:
    opened = {} if link is None else {LINK: link}
    return yamlio.dump({"game": game, "side": side, "adjudication": adjudication, **opened, **more}).encode()
