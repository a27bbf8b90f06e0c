"""How a game's own stand-in answers for a player who is away: the first of its ideas that the rules allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from pbem.protocol import Decision, Order, Rules, S

Reply: TypeAlias = Callable[[Any, Decision], Iterator[Order]]
"""Yields the answers to a question that come to mind, the best first, from what a side knows."""
Proposals: TypeAlias = Mapping[str, Reply]
"""Kind of question -> its reply; the rules may refuse some of the answers."""


def propose_order(rules: Rules[S], ideas: Proposals, view: S, decision: Decision) -> Order:
    """Return an answer to a question that the rules allow, from what its side knows.

    Where no idea is legal it is the default of the question, or else the first of the options.
    """
    for order in _thoughts(ideas, view, decision):
        if not any(True for _ in rules.check(view, decision, order)):
            return order
    first: Order = rules.legal_orders(view, decision)[0]
    return first


def _thoughts(ideas: Proposals, view: Any, decision: Decision) -> Iterator[Order]:
    if decision.kind in ideas:
        yield from ideas[decision.kind](view, decision)
    if decision.default is not None:
        yield Order(decision.kind, decision.default)
