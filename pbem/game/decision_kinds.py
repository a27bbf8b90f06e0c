"""Kinds of decisions: for each its legal orders and its check, and ready-made ones for plain questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from pbem.game.legal_orders import LegalOrders, of
from pbem.game.plain import Record
from pbem.protocol import Decision, Fault, Order

LegalOrdersOf: TypeAlias = Callable[[Any, Decision], LegalOrders]
Check: TypeAlias = Callable[[Any, Decision, Order], Iterable[Fault]]
Kinds: TypeAlias = Mapping[str, tuple[LegalOrdersOf, Check]]
"""Kind of decision -> its legal orders and its check. Each module of rules that asks has one such table."""


def one_of(kind: str, word: str, answers: Iterable[object]) -> tuple[LegalOrdersOf, Check]:
    """Return legal orders and check of a decision that is answered by `{word: answer}` for one of some answers.

    The check finds nothing: the schema of the order refuses everything else.
    """
    orders = of([Order(kind, {word: answer}) for answer in answers])

    def legal_orders(view: object, decision: Decision) -> LegalOrders:
        return orders

    def check(view: object, decision: Decision, order: Order) -> Iterable[Fault]:
        return ()

    return legal_orders, check


def yes_or_no(kind: str, word: str) -> tuple[LegalOrdersOf, Check]:
    """Return legal orders and check of a decision that is answered by `{word: true}` or `{word: false}`."""
    return one_of(kind, word, (True, False))


def legal(check: Check, view: object, decision: Decision, bodies: Iterable[Record]) -> Iterator[Order]:
    """Yield as orders those of some bodies that pass the check."""
    for body in bodies:
        order = Order(decision.kind, body)
        if not any(True for _ in check(view, decision, order)):
            yield order
