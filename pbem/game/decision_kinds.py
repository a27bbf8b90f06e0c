"""Kinds of decisions: for each its legal orders and its check; ready-made ones; refusals, declining, the bot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.game.contract import Rules
from pbem.game.legal_orders import LegalOrders, of
from pbem.game.plain import Record
from pbem.protocol import Decision, Fault, Order, S

# ---- A refusal: why something cannot be done, and by which rule. The rules of a game have no other value for "no"


class Refusal(NamedTuple):
    """A reason for the player to read, and the paragraph of the rulebook."""

    reason: str
    rule: str


# ---- Kinds of decisions: for each its legal orders and its check, and ready-made ones for plain questions


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


# ---- Declining: which answers do nothing, and which one a side gives that wants nothing done


NO: Final = frozenset({"end", "hold", "leave", "none", "pass", "stop"})
"""Words by which an answer does nothing: `card: none`, `stop: true`. So do false, 0 and an empty list."""
_MOST_LOOKED_AT: Final = 1_000
"""Legal orders among which `decline` looks for the one that does nothing."""


def decline(rules: Rules[S], view: S, decision: Decision) -> Order | None:
    """Return the legal answer by which a side does nothing; None: there is none, as far as is seen.

    It is one of which every part says no (`NO`).
    """
    if decision.default is not None and does_nothing(decision.default):
        return Order(decision.kind, decision.default)
    few = islice(rules.legal_orders(view, decision), _MOST_LOOKED_AT)
    return next((order for order in few if does_nothing(order.body)), None)


def does_nothing(body: Mapping[str, Any]) -> bool:
    """Tell whether an answer says no to all that it is asked.

    >>> does_nothing({"fight": False}), does_nothing({"stop": True}), does_nothing({"card": 33})
    (True, True, False)
    """
    return bool(body) and all(
        not value or (key in NO if value is True else isinstance(value, str) and value in NO)
        for key, value in body.items()
    )


# ---- The bot of a game: it answers for a player who is away with the first proposal that the rules allow


Reply: TypeAlias = Callable[[Any, Decision], Iterator[Order]]
"""Yields answers to propose to a decision, the best first, from what its side knows."""
Proposals: TypeAlias = Mapping[str, Reply]
"""Kind of decision -> what proposes answers to it; the rules may refuse some of them."""


def propose_order(rules: Rules[S], ideas: Proposals, view: S, decision: Decision) -> Order:
    """Return a legal answer to a decision, from what its side knows.

    Where no proposal is legal, that is the default of the decision, or else its first legal order.
    """
    for order in _thoughts(ideas, view, decision):
        if not any(True for _ in rules.check(view, decision, order)):
            return order
    first: Order = rules.legal_orders(view, decision)[0]
    return first


def _thoughts(ideas: Proposals, view: object, decision: Decision) -> Iterator[Order]:
    if decision.kind in ideas:
        yield from ideas[decision.kind](view, decision)
    if decision.default is not None:
        yield Order(decision.kind, decision.default)
