"""Matching: which open decision an order is for.

An order says it by its kind, and by `for` where several decisions of a kind are open to one side at once. Without `for`
it is for the only one of them that it answers legally. This is asked wherever orders meet decisions: when a sheet comes
in, in the queue, and when it is told whom a game waits for.

In the queue an order may also be for a decision that is not open yet, which only the rules know
(`Rules.is_for_later`). A sheet that comes in answers what is open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from pbem.protocol import Decision, Order

IsLegal: TypeAlias = Callable[[Decision, Order], bool]
"""Tells whether an order is a legal answer to a decision."""


def is_for(order: Order, decision: Decision, open_decisions: Sequence[Decision], is_legal: IsLegal) -> bool:
    """Tell whether an order is for a decision, which is one of those that are open.

    An order that is legal for none of those like it is for any of them: it will be found at fault. One that is legal
    for several is for none until it says which.
    """
    if order.kind != decision.kind:
        return False
    if order.about or not decision.about:
        return order.about == decision.about
    return fitting(order, like(decision, open_decisions), is_legal) in ([decision], [])


def like(decision: Decision, open_decisions: Sequence[Decision]) -> list[Decision]:
    """Return the open decisions of the same side and kind as one, itself among them."""
    return [each for each in open_decisions if each.is_like(decision)]


def fitting(order: Order, among: Sequence[Decision], is_legal: IsLegal) -> list[Decision]:
    """Return the decisions that an order without `for` may be meant for: those that it answers legally.

    A single one is never asked: the order is for it, right or wrong.
    """
    return [*among] if len(among) == 1 else [each for each in among if is_legal(each, order)]
