"""The bot of a game: it answers for a player who is away with the first proposal that the rules allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from pbem.protocol import Decision, Order, Rules, S

Reply: TypeAlias = Callable[[Any, Decision], Iterator[Order]]
"""Yields answers to propose to a decision, the best first, from what its side knows."""
Proposals: TypeAlias = Mapping[str, Reply]
"""Kind of decision -> what proposes answers to it; the rules may refuse some of them."""


def propose_order(rules: Rules[S], ideas: Proposals, view: S, decision: Decision) -> Order:
    """Return a legal answer to a decision, from what its side knows.

    Where no proposal is legal, that is the default of the decision, or else its first legal order.
    """
    for order in _thoughts(ideas, view, decision):
        if not any(True for _ in rules.check(view, decision, order)):
            return order
    first: Order = rules.legal_orders(view, decision)[0]
    return first


def _thoughts(ideas: Proposals, view: object, decision: Decision) -> Iterator[Order]:
    if decision.kind in ideas:
        yield from ideas[decision.kind](view, decision)
    if decision.default is not None:
        yield Order(decision.kind, decision.default)
