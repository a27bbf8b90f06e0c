"""Open decisions: those of one side, all that its sheet is checked against, and which orders are for which decision."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from pbem.crypto.closing import Closing
from pbem.crypto.player_chains import PlayerChain
from pbem.engine.matching import is_for
from pbem.game.box import Box
from pbem.game.plain import Record
from pbem.game.wording import listing
from pbem.orders.forgive import Answering
from pbem.orders.sheet import ORDERS, Sheet
from pbem.protocol import FOR, ILLEGAL, Decision, Fault, Order, Path, Side


class Faults(Protocol):
    """Says what is wrong with an order; `unread` are the parts of it that have not the right form, told by `fits`."""

    def __call__(
        self, decision: Decision, order: Order, unread: Sequence[Path] = ..., fits: Callable[[Order], bool] = ...
    ) -> Iterable[Fault]: ...


Further: TypeAlias = Callable[[Decision, Sequence[Order]], Sequence[Iterable[Fault]]]
"""Says what is wrong with each of several orders of a kind."""
Second: TypeAlias = Callable[[Decision, Sequence[Order]], Sequence[tuple[int, int]]]
"""Says for which of several orders of a kind no decision is left, each with the last one that could be used."""
Costs: TypeAlias = Callable[[Decision, Sequence[Order]], Sequence[str]]
"""Says what several orders of a kind cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDecisions:
    """The open decisions of a side, and all else that its sheet is checked against, at the referee's or at home."""

    box: Box
    game: str
    sides: Sequence[Side]
    side: Side
    adjudication: int
    decisions: Sequence[Decision]
    faults: Faults
    """Says what the rules have against an order."""
    further: Further | None = None
    """Says what is wrong with each of several orders of a kind, as far as it can be forecast. None: unchecked."""
    second: Second | None = None
    """Says for which of several orders of a kind no decision is left. None: nobody knows it."""
    costs: Costs | None = None
    """Says what several orders of a kind cost. None: nobody knows it."""
    answered: Callable[[Decision], bool] = lambda decision: False
    """Tells whether a decision has an answer without a sheet: a standing order's, or the only one that is legal."""
    standing: Sequence[Record] | None = None
    """The standing orders in force, as `Filed.written` writes them: those that a sheet adds go before them.

    None: nobody knows them.
    """
    waiting: bool = False
    """Whether orders of an earlier sheet are still waiting, so that an empty list of orders takes them back."""
    periods: Collection[str] = ()
    """The periods at whose end a standing order may expire."""
    today: str | None = None
    """The day on which no standing order may have expired already. None: nobody knows it."""
    chain: PlayerChain | None = None
    """The chain of the player. None: they have none."""
    closed: Closing | None = None
    """The closing of the sheets, while none may come in."""
    recorded: bool = False
    """Whether the sheet is on record already. It is then read strictly, and nobody is asked what they meant by it."""
    answering: Answering | None = None
    """The report that the letter of the sheet answers. None: only the sheet itself says it."""

    def all_faults(self, decision: Decision, orders: Sequence[Order]) -> Sequence[Iterable[Fault]]:
        """Return the faults of orders of a kind; without `further` those of the first order alone."""
        if self.further is not None and len(orders) > 1:
            return self.further(decision, orders)
        return [list(self.faults(decision, orders[0]))]

    def is_for(self, order: Order, decision: Decision) -> bool:
        """Tell whether an order is for a decision."""
        return is_for(order, decision, self.decisions, self._is_legal)

    def may_be_for(self, order: Order) -> list[Decision]:
        """Return the decisions that an order may be for that does not say which of several it answers."""
        alike = [each for each in self.decisions if each.kind == order.kind]
        return alike if len(alike) > 1 and not order.about else []

    def _is_legal(self, decision: Decision, order: Order) -> bool:
        return not any(True for _ in self.faults(decision, order))

    def given(self, decision: Decision, orders: Sequence[Order]) -> list[int]:
        """Return the indexes of the orders that are for a decision."""
        return [number for number, order in enumerate(orders) if self.is_for(order, decision)]

    def second_answers(self, orders: Sequence[Order]) -> Iterator[tuple[int, int]]:
        """Yield the index of each order that answers what an earlier one has answered, with the index of that one."""
        if self.second is None or self.recorded:
            return
        for decision in self.decisions:
            given = self.given(decision, orders)
            if len(given) > 1:
                for second, first in self.second(decision, [orders[number] for number in given]):
                    yield given[second], given[first]

    def all_costs(self, sheet: Sheet) -> Iterator[str]:
        """Yield sentences that say what the orders of a sheet cost."""
        if self.costs is None:
            return
        for decision in self.decisions:
            yield from self.costs(decision, [sheet.orders[number] for number in self.given(decision, sheet.orders)])


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
    return f"it asks for {', '.join(asked)}" if asked else "it asks nothing of you"
