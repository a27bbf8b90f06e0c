"""The standing orders in force, tried on the questions of one adjudication: each once, first to last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pbem.engine.session import Queued, Session
from pbem.orders.standing import scope
from pbem.orders.standing.alternatives import bodies as alternatives
from pbem.orders.standing.conditions import holds, why_not
from pbem.orders.standing.filing import Filed
from pbem.protocol import Decision, Event, Order, Rules, Side

PASSED: Final = "standing_passed"
MOST_REASONS: Final = 3
_MISSING: Final = object()


@dataclass(slots=True)
class _Tried:
    """What the orders of a side came to on one question: the answer, or why each of its kind gave none."""

    decision: Decision
    answer: Queued | None
    stopped: list[tuple[Filed, str]]


class InForce:
    """The standing orders of all sides during one adjudication.

    `earlier` are questions that were open when it began, `opened` the adjudication that asked them: an order filed
    after that one does not act on them. `today` is the day by which orders that name one lapse.
    """

    def __init__(
        self, rules: Rules[Any], filed: Mapping[Side, Sequence[Filed]], *, today: str,
        earlier: Sequence[Decision] = (), opened: int = 0,
    ) -> None:  # fmt: skip
        self._rules = rules
        self._filed = filed
        self._today = today
        self._earlier = earlier
        self._opened = opened
        self._tried: list[_Tried] = []

    def answer(self, session: Session[Any], decision: Decision) -> Queued | None:
        """Return the answer of the first order that fits a question and is legal; the question is tried only once."""
        for before in self._tried:
            if before.decision is decision:
                return before.answer
        tried = _Tried(decision, None, [])
        self._tried.append(tried)
        orders = [each for each in self._filed.get(decision.side, ()) if each.kind == decision.kind]
        if not orders:
            return None
        facts, now = _Facts(self._rules, session, decision), periods_of(self._rules, session.position)
        for each in orders:
            if scope.is_over(each.until, each.period, now, self._today):
                continue
            if self._is_earlier(decision) and each.after >= self._opened:
                continue
            if (why := _why_not(each, facts)) is None:
                order, why = _first_legal(session, decision, each, facts)
                if order is not None:
                    tried.answer = Queued(order, each.by)
                    break
            tried.stopped.append((each, why))
        return tried.answer

    def told(self) -> Iterator[Event]:
        """Yield, for its side alone, each order that did not act on a question which nobody else answered before.

        What an order comes to on several questions is told at once. Where nobody waits, an order is told of only if
        it had conditions: it would be told of again and again.
        """
        stopped: dict[tuple[Side, str, str], list[str]] = {}
        for tried in self._tried:
            if tried.answer is not None or self._is_earlier(tried.decision):
                continue
            for each, why in tried.stopped:
                if tried.decision.waits or each.when:
                    reasons = stopped.setdefault((tried.decision.side, each.kind, each.by), [])
                    if why not in reasons and len(reasons) < MOST_REASONS:
                        reasons.append(why)
        for (side, kind, by), reasons in stopped.items():
            yield Event(PASSED, {"order": kind, "by": by, "reasons": reasons}, None, (side,))

    def over(self, position: Any) -> Iterator[tuple[Side, Filed]]:
        """Yield the orders that have lapsed in a position, by the end of their period or of their day."""
        now = periods_of(self._rules, position)
        for side, orders in self._filed.items():
            for each in orders:
                if scope.is_over(each.until, each.period, now, self._today):
                    yield side, each

    def _is_earlier(self, decision: Decision) -> bool:
        return any(decision is each for each in self._earlier)


def periods_of(rules: Rules[Any], position: Any) -> Mapping[str, Any]:
    """Return the periods that a game is in, by name; a game without them has no `periods`."""
    periods: Mapping[str, Any] = rules.periods(position)
    return periods


class _Facts:
    """What a condition may ask about a question: its own facts, and those that the rules know besides."""

    def __init__(self, rules: Rules[Any], session: Session[Any], decision: Decision) -> None:
        self._rules = rules
        self._session = session
        self._decision = decision
        self._more: Mapping[str, Any] | None = None

    def get(self, name: str) -> Any:
        """Return a fact by its name, as the side that is asked may know it; `_MISSING` if there is none."""
        if name in self._decision.facts:
            return self._decision.facts[name]
        if self._more is None:
            rules = self._rules
            view = rules.view(self._session.position, self._decision.side)
            self._more = rules.facts(view, self._decision)
        return self._more.get(name, _MISSING)


def _first_legal(session: Session[Any], decision: Decision, filed: Filed, facts: _Facts) -> tuple[Order | None, str]:
    """Return what an order comes to, the first of its alternatives that is legal; else None, and what is wrong."""
    why = "none of its alternatives is there"
    bodies = [decision.default] if filed.body is None else alternatives(filed.body, facts.get)
    for at, body in enumerate(bodies):
        order = Order(decision.kind, body or {})
        faults = session.faults(decision, order)
        if not faults:
            return order, ""
        if at == 0:
            why = "; ".join(fault.reason for fault in faults)
    return None, why


def _why_not(order: Filed, facts: _Facts) -> str | None:
    """Say which condition of an order does not hold; None: all do."""
    for name, wanted in order.when.items():
        fact = facts.get(name)
        if fact is _MISSING:
            return f"there is no {name} here"
        if not holds(wanted, fact):
            return why_not(name, wanted, fact)
    if order.body is None and facts._decision.default is None:
        return "this question has no default"
    return None
