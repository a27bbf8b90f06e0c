"""Questions with two answers, both always legal: to roll or not, to charge or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pbem.choices import Choices, listed
from pbem.protocol import Decision, Fault, Order
from pbem.rules.rome_carthage.state import Game

Options = Callable[[Game, Decision], Choices]
Check = Callable[[Game, Decision, Order], Iterable[Fault]]


def yes_or_no(kind: str, word: str) -> tuple[Options, Check]:
    """Return the options and the check of a question answered by `{word: true}` or `{word: false}`."""
    both = listed([Order(kind, {word: True}), Order(kind, {word: False})])

    def options(known: Game, decision: Decision) -> Choices:
        return both

    def check(known: Game, decision: Decision, order: Order) -> Iterable[Fault]:
        return ()

    return options, check
