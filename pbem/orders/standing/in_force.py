"""Standing orders in force: tried on the decisions of one adjudication, each decision once, first order to last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from pbem.engine.session import Queued, Session
from pbem.game.contract import Rules
from pbem.game.plain import Record
from pbem.orders.sheet import ASK, DEFAULT, shortened
from pbem.orders.standing import conditions
from pbem.orders.standing.conditions import bodies as alternatives
from pbem.orders.standing.conditions import holds, why_not
from pbem.orders.standing.filing import Filed
from pbem.protocol import FOR, Decision, Event, Order, Side

S = TypeVar("S")

PASSED: Final = "standing_passed"
MOST_REASONS: Final = 3
LONGEST_REASON: Final = 120
MOST_TOLD: Final = 8
"""A side is told of so many standing orders that did not answer in one adjudication."""
_MISSING: Final = object()


@dataclass(slots=True)
class _Tried:
    """The result of trying a side's orders on one decision: the answer, or why each order of its kind gave none."""

    decision: Decision
    answer: Queued | None = None
    asks: bool = False
    """Whether the side wants to be waited for."""
    stopped: list[tuple[Filed, str]] = field(default_factory=list)


class InForce:
    """The standing orders of all sides during one adjudication.

    `earlier` are the decisions that were open when it began, `opened` is the adjudication that asked them. An order
    filed after that adjudication does not answer them. `today` is the day by which orders that name a day expire.
    """

    def __init__(
        self,
        rules: Rules[Any],
        filed: Mapping[Side, Sequence[Filed]],
        *,
        today: str,
        earlier: Sequence[Decision] = (),
        opened: int = 0,
    ) -> None:
        self._rules = rules
        self._filed = filed
        self._today = today
        self._earlier = earlier
        self._opened = opened
        self._tried: list[_Tried] = []

    def answer(self, session: Session[S], decision: Decision) -> Queued | None:
        """Return the answer of the first order that fits a decision and is legal."""
        return self._try(session, decision).answer

    def waits(self, session: Session[S], decision: Decision) -> bool:
        """Tell whether the game waits for the answer to a decision, as the orders of its side want it."""
        return decision.waits and (not decision.on_request or self._try(session, decision).asks)

    def as_wanted(self, session: Session[S], decision: Decision) -> Decision:
        """Return a decision that waits if its side wants it."""
        return replace(decision, waits=self.waits(session, decision)) if decision.on_request else decision

    def _try(self, session: Session[S], decision: Decision) -> _Tried:
        """Try the orders of a side on a decision, each decision only once."""
        for before in self._tried:
            if before.decision is decision:
                return before
        tried = _Tried(decision)
        self._tried.append(tried)
        orders = [each for each in self._filed.get(decision.side, ()) if each.kind == decision.kind]
        if not orders:
            return tried
        facts, now = _Facts(self._rules, session, decision), periods_of(self._rules, session.position)
        for each in orders:
            if conditions.is_expired(each.until, each.period, now, self._today):
                continue
            asks = each.body == ASK
            if self._is_earlier(decision) and each.after >= self._opened and not asks:
                continue
            why = _why_not(each, facts)
            if why is None and asks:
                tried.asks = True
                break
            if why is None:
                order, why = _first_legal(session, decision, each, facts)
                if order is not None:
                    tried.answer = Queued(order, each.by)
                    break
            tried.stopped.append((each, why))
        return tried

    def notices(self) -> Iterator[Event]:
        """Yield private notices about orders that did not answer a decision of their kind, one for each order.

        If the decision does not wait for an answer, only orders with conditions are mentioned: the others would be
        mentioned again and again.
        """
        stopped: dict[tuple[Side, str, str], list[str]] = {}
        told: Counter[Side] = Counter()
        for tried in self._tried:
            if tried.answer is not None or tried.asks or self._is_earlier(tried.decision):
                continue
            for each, why in tried.stopped:
                if each.when or (tried.decision.waits and not tried.decision.on_request):
                    reasons = stopped.setdefault((tried.decision.side, each.kind, each.by), [])
                    brief = shortened(why, LONGEST_REASON)
                    if brief not in reasons and len(reasons) < MOST_REASONS:
                        reasons.append(brief)
        for (side, kind, by), reasons in stopped.items():
            told[side] += 1
            if told[side] > MOST_TOLD:
                continue
            yield Event(PASSED, {"order": kind, "by": by, "reasons": reasons}, None, (side,))

    def expired(self, position: object) -> Iterator[tuple[Side, Filed]]:
        """Yield the orders that have expired in a position, because their period or their day is over."""
        now = periods_of(self._rules, position)
        for side, orders in self._filed.items():
            for each in orders:
                if conditions.is_expired(each.until, each.period, now, self._today):
                    yield side, each

    def _is_earlier(self, decision: Decision) -> bool:
        return any(decision is each for each in self._earlier)


def periods_of(rules: Rules[S], position: S) -> Mapping[str, object]:
    """Return the periods that a game is in, by name."""
    return rules.periods(position)


class _Facts:
    """The facts that a condition may use: those of the decision, and those that the rules add."""

    def __init__(self, rules: Rules[Any], session: Session[Any], decision: Decision) -> None:
        self._rules = rules
        self._session = session
        self._decision = decision
        self._more: Record | None = None

    def get(self, name: str) -> Any:
        """Return a fact by its name, in the view of the side that is asked; `_MISSING` if there is none."""
        if name in self._decision.facts:
            return self._decision.facts[name]
        if name == FOR and self._decision.about:
            return self._decision.about
        if self._more is None:
            rules = self._rules
            view = rules.view(self._session.position, self._decision.side)
            self._more = rules.facts(view, self._decision)
        return self._more.get(name, _MISSING)


def _first_legal(session: Session[S], decision: Decision, filed: Filed, facts: _Facts) -> tuple[Order | None, str]:
    """Return the first alternative of an order that is legal; else None, and what is wrong with it."""
    why = "none of its alternatives is there"
    bodies = [decision.default] if filed.body == DEFAULT else alternatives(filed.body, facts.get)
    for at, body in enumerate(bodies):
        order = Order.read(decision.kind, body or {})
        if order.about and order.about != decision.about:
            why = f"it is for {order.about}"
            continue
        faults = session.faults(decision, order)
        if not faults:
            return order, ""
        if at == 0:
            why = "; ".join(fault.reason for fault in faults)
    return None, why


def _why_not(order: Filed, facts: _Facts) -> str | None:
    """Return a sentence about the condition of an order that does not hold; None: all hold."""
    for name, wanted in order.when.items():
        fact = facts.get(name)
        if fact is _MISSING:
            return f"there is no {name} here"
        if not holds(wanted, fact):
            return why_not(name, wanted, fact)
    if order.body == DEFAULT and facts._decision.default is None:
        return "this question has no default"
    return None
