"""A stand-in for an absent player: a plain, careful player that knows no more than its side may know.

It marches one leader after the other to where he does most good: past cities that he may win over, at weak enemies,
into quarters before the winter. It fights where the odds are good and gets away where they are not. What it has no
view of it answers by the default, or the first legal answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from pbem.protocol import Choices, Decision, Fault, Order
from pbem.rules.hannibal_italy.policy.plans import best_marches
from pbem.rules.hannibal_italy.policy.replies import REPLIES, Reply
from pbem.rules.hannibal_italy.state import Game

IDEAS: Final[Mapping[str, Reply]] = {"move": best_marches, **REPLIES}
"""Kind of question -> the answers that come to mind, the best first; the rules may refuse some."""


def advice(
    known: Game, decision: Decision, check: Callable[[Order], Iterable[Fault]], options: Callable[[], Choices]
) -> Order:
    """Return a legal answer to a question; `check` and `options` are those of the rules for it."""
    for order in _thoughts(known, decision):
        if not any(True for _ in check(order)):
            return order
    first: Order = options()[0]
    return first


def _thoughts(known: Game, decision: Decision) -> Iterator[Order]:
    if decision.kind in IDEAS:
        yield from IDEAS[decision.kind](known, decision)
    if decision.default is not None:
        yield Order(decision.kind, decision.default)
