"""What a kind of question has: its options and its check. Some have answers that are all legal, always."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from pbem.game.choices import LegalOrders, of
from pbem.protocol import Decision, Fault, Order

LegalOrdersOf: TypeAlias = Callable[[Any, Decision], LegalOrders]
Check: TypeAlias = Callable[[Any, Decision, Order], Iterable[Fault]]
Kinds: TypeAlias = Mapping[str, tuple[LegalOrdersOf, Check]]
"""Kind of question -> its options and its check. Each module of rules that asks has one."""


def one_of(kind: str, word: str, answers: Iterable[Any]) -> tuple[LegalOrdersOf, Check]:
    """Return the options and the check of a question answered by `{word: answer}`; the order's schema has no other."""
    orders = of([Order(kind, {word: answer}) for answer in answers])

    def legal_orders(view: Any, decision: Decision) -> LegalOrders:
        return orders

    def check(view: Any, decision: Decision, order: Order) -> Iterable[Fault]:
        return ()

    return legal_orders, check


def yes_or_no(kind: str, word: str) -> tuple[LegalOrdersOf, Check]:
    """Return the options and the check of a question answered by `{word: true}` or `{word: false}`."""
    return one_of(kind, word, (True, False))


def legal(check: Check, view: Any, decision: Decision, bodies: Iterable[Mapping[str, Any]]) -> Iterator[Order]:
    """Yield those bodies as orders that the rules have nothing against."""
    for body in bodies:
        order = Order(decision.kind, body)
        if not any(True for _ in check(view, decision, order)):
            yield order
