"""A stand-in for an absent player: a plain, careful player that knows no more than its side may know.

It holds its provinces and takes those it can, keeps its armies together, fights where it is stronger, and does not
march to its destruction. What it has no view of it answers by the default, or the first legal answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from pbem.protocol import Choices, Decision, Fault, Order
from pbem.rules.rome_carthage.policy.plays import best_campaign, best_play
from pbem.rules.rome_carthage.policy.replies import REPLIES, Reply
from pbem.rules.rome_carthage.state import Game

IDEAS: Final[Mapping[str, Reply]] = {"play": best_play, "campaign": best_campaign, **REPLIES}
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
