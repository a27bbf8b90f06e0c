"""What a kind of question has: its options and its check. Some have answers that are all legal, always."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from pbem.game.choices import Choices, listed
from pbem.protocol import Decision, Fault, Order

Options: TypeAlias = Callable[[Any, Decision], Choices]
Check: TypeAlias = Callable[[Any, Decision, Order], Iterable[Fault]]
Kinds: TypeAlias = Mapping[str, tuple[Options, Check]]
"""Kind of question -> its options and its check. Each module of rules that asks has one."""


def one_of(kind: str, word: str, answers: Iterable[Any]) -> tuple[Options, Check]:
    """Return the options and the check of a question answered by `{word: answer}`; the order's schema has no other."""
    orders = listed([Order(kind, {word: answer}) for answer in answers])

    def options(known: Any, decision: Decision) -> Choices:
        return orders

    def check(known: Any, decision: Decision, order: Order) -> Iterable[Fault]:
        return ()

    return options, check


def yes_or_no(kind: str, word: str) -> tuple[Options, Check]:
    """Return the options and the check of a question answered by `{word: true}` or `{word: false}`."""
    return one_of(kind, word, (True, False))


def legal(check: Check, known: Any, decision: Decision, bodies: Iterable[Mapping[str, Any]]) -> Iterator[Order]:
    """Yield those bodies as orders that the rules have nothing against."""
    for body in bodies:
        order = Order(decision.kind, body)
        if not any(True for _ in check(known, decision, order)):
            yield order
