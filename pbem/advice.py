"""How a game's own stand-in answers for a player who is away: the first of its ideas that the rules allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from pbem.protocol import Choices, Decision, Fault, Order

Reply: TypeAlias = Callable[[Any, Decision], Iterator[Order]]
"""Yields the answers to a question that come to mind, the best first, from what a side knows."""
Ideas: TypeAlias = Mapping[str, Reply]
"""Kind of question -> its reply; the rules may refuse some of the answers."""


def advice(
    ideas: Ideas, known: Any, decision: Decision, check: Callable[[Order], Iterable[Fault]],
    options: Callable[[], Choices],
) -> Order:  # fmt: skip
    """Return a legal answer to a question; `check` and `options` are those of the rules for it.

    Where no idea is legal it is the default of the question, or else the first of the options.
    """
    for order in _thoughts(ideas, known, decision):
        if not any(True for _ in check(order)):
            return order
    first: Order = options()[0]
    return first


def _thoughts(ideas: Ideas, known: Any, decision: Decision) -> Iterator[Order]:
    if decision.kind in ideas:
        yield from ideas[decision.kind](known, decision)
    if decision.default is not None:
        yield Order(decision.kind, decision.default)
