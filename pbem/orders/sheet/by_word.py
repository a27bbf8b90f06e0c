"""The sheets that stand for a word of a letter: WITHDRAW and STANDING CANCEL.

Such a word is an input like any other sheet: it is sealed, goes into the dice, and opens a link of the player's chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.game import yaml as yamlio
from pbem.orders.sheet.reader import LINK, ORDERS, STANDING, STANDING_CANCEL
from pbem.protocol import Side


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
