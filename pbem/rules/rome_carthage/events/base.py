"""What the event of a strategy card is to the rules: a function that plays it, its options, its check (7.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from pbem.game import Choices, Table
from pbem.protocol import Fault, Flow, Order, Side
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.state import Game

Play: TypeAlias = Callable[[Game, Table, Side, Order, StrategyCard], Flow[None]]
Options: TypeAlias = Callable[[Game, Side, StrategyCard], Choices]
Check: TypeAlias = Callable[[Game, Side, Order, StrategyCard], Iterable[Fault]]
Needs: TypeAlias = Callable[[Game, Side, StrategyCard], str | None]


def not_said(game: Game, side: Side, card: StrategyCard) -> str | None:
    """Say nothing on what an event needs."""
    return None


@dataclass(frozen=True, slots=True)
class CardEvent:
    """An event played as one's own card play; `options` are whole orders, none while its condition is not met."""

    play: Play
    options: Options
    check: Check
    needs: Needs = not_said
    """Says for a form what the event needs if it can be played now; None: nothing is to be said."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """An event that is no card play of its own; `when` says when it is used, for who tries to play it so."""

    when: str
