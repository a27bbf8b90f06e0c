"""One of several: orders that do not say which of several decisions of a kind they answer, and answers left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pbem.game.wording import listing
from pbem.orders.sheet import AHEAD, ORDERS
from pbem.protocol import FOR, ILLEGAL, Decision, Fault, Order

if TYPE_CHECKING:
    from pbem.orders.check import OpenDecisions


def which_is_meant(at: OpenDecisions, order: Order) -> Fault | None:
    """Return the fault of an order that does not say which of several decisions of its kind it answers.

    It need not say so if it is legal for one of them alone.
    """
    asked = at.may_be_for(order)
    if not asked or len(fits := [each for each in asked if at.is_for(order, each)]) == 1:
        return None
    choices = listing((f"{FOR}: {each.about}" for each in asked), "or")
    if not fits:  # it is legal for several
        reason = f"you are asked for {order.kind} more than once; write which one this is: {choices}"
        return Fault(ILLEGAL, (), reason, asked[0].rule)
    reasons = [f"{FOR}: {each.about}: {fault.reason}" for each in asked for fault in list(at.faults(each, order))[:1]]
    reason = f"it can be for none of those that you are asked for; {'; '.join(reasons)}"
    return Fault(ILLEGAL, (), reason, asked[0].rule)


def missing_answers(at: OpenDecisions, orders: Sequence[Order]) -> Iterator[Fault]:
    """Yield a fault for each decision that a sheet leaves out, while it answers another of the same kind."""
    if any(map(at.may_be_for, orders)):  # what an order is for without saying so is told before
        return
    answers = {order.kind for order in orders if any(at.is_for(order, each) for each in at.decisions)}
    for decision in at.decisions:
        left_out = decision.about and decision.kind in answers and not at.given(decision, orders)
        if left_out and decision.waits and not at.answered(decision):
            reason = f"an answer is missing: you are asked for {named(decision)}, too"
            yield Fault(ILLEGAL, (ORDERS,), reason)


def named(asked: Order | Decision) -> str:
    """Return the kind of an order or of a decision, and what tells it from its like."""
    return f"{asked.kind} ({FOR}: {asked.about})" if asked.about else asked.kind


def asks_for(decisions: Sequence[Decision]) -> str:
    """Return what a side is asked for, to be read behind what it is not."""
    asked = sorted({named(decision) for decision in decisions})
    if asked:
        return f"it asks for {', '.join(asked)}"
    return f"it asks nothing of you; orders for what comes have the line `{AHEAD}: true` above them"
