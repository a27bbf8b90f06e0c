"""What the modules of hints share: their types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from pbem.game import LegalOrders
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.position.state import Game

Hint: TypeAlias = str | Order
"""A remark, or an order to choose."""
HintsOf: TypeAlias = Callable[[Game, Decision], Iterator[Hint]]
MOST: Final = 6
"""So many orders are shown to choose from."""


def first_of(orders: LegalOrders, most: int = MOST) -> Iterator[Order]:
    """Yield the first of some legal orders."""
    for index in range(min(most, len(orders))):
        yield orders[index]
