"""The event of a strategy card as the rules see it: how it is played, its legal orders, its check (7.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from pbem.game import LegalOrders, Table
from pbem.protocol import Fault, Flow, Order, Side
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.state import Game

Play: TypeAlias = Callable[[Game, Table, Side, Order, StrategyCard], Flow[None]]
LegalOrdersOf: TypeAlias = Callable[[Game, Side, StrategyCard], LegalOrders]
Check: TypeAlias = Callable[[Game, Side, Order, StrategyCard], Iterable[Fault]]
Needs: TypeAlias = Callable[[Game, Side, StrategyCard], str | None]


def not_said(game: Game, side: Side, card: StrategyCard) -> str | None:
    """Say nothing about what an event needs."""
    return None


@dataclass(frozen=True, slots=True)
class CardEvent:
    """An event that is a card play of its own. It has no legal orders while its condition is not met."""

    play: Play
    legal_orders: LegalOrdersOf
    check: Check
    needs: Needs = not_said
    """Says for a form what the event needs if it can be played now; None: nothing is to be said."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An event that is not a card play of its own; `when` tells a player when it is used instead."""

    when: str
