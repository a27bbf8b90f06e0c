"""Declining: which answers do nothing, and which one a side gives that wants nothing done."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from pbem.protocol import Decision, Order, Rules, S

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
