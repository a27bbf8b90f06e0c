"""Standing orders: what a side answers in advance to questions of a kind, as long as the facts are as it says.

Written in a sheet under `standing`, each an order with `when` beside or inside it::

    standing:
    - intercept:
        when: {mover: [hannibal, mago], enemy_cu: "<= 10"}
        with: [{general: fabius, cu: 8}]

A fact must be the value, or one of the list, or compare as `"<= 10"` says; a fact that a question does not have never
fits. The first order that fits answers. A sheet with `standing` replaces all that the side had; `standing: []`
withdraws it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pbem.engine import Queued
from pbem.protocol import ILLEGAL, MALFORMED, Decision, Fault, Order, Path
from pbem.sheet import STANDING, UNTIL, WHEN, OrderForm

_COMPARE: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_COMPARISON: Final = re.compile(r"(<=|>=|<|>) ?(-?\d{1,9})")


@dataclass(slots=True, frozen=True)
class StandingOrder:
    """One standing order: its number in the sheet, from 1, the order, and the facts it waits for."""

    number: int
    order: Order
    when: Mapping[str, Any]

    def fits(self, decision: Decision) -> bool:
        """Tell whether this order answers a question."""
        return self.order.kind == decision.kind and all(
            name in decision.facts and _holds(wanted, decision.facts[name]) for name, wanted in self.when.items()
        )


def standing_orders(written: Sequence[Mapping[str, Any]]) -> list[StandingOrder]:
    """Return standing orders from their plain form, which has been checked."""
    found = []
    for number, item in enumerate(written, 1):
        kind, body, when = _parts(item)
        found.append(StandingOrder(number, Order(kind, body), when))
    return found


def answer(orders: Sequence[StandingOrder], decision: Decision) -> Queued | None:
    """Return the first standing order that answers a question."""
    for each in orders:
        if each.fits(decision):
            return Queued(each.order, f"{STANDING} {each.number}")
    return None


def check_standing(written: Sequence[Mapping[str, Any]], forms: Mapping[str, OrderForm]) -> Iterator[Fault]:
    """Yield what is wrong with standing orders, with paths within the sheet."""
    for at, item in enumerate(written):
        kind, body, when = _parts(item)
        path: Path = (STANDING, at, kind)
        for misfit in forms[kind].misfits(body):
            yield Fault(MALFORMED, (*path, *misfit.path), misfit.reason)
        where: Path = (STANDING, at, WHEN) if WHEN in item else (*path, WHEN)
        if not isinstance(when, Mapping):
            yield Fault(MALFORMED, where, "when must name facts and their values, such as {enemy_cu: '<= 10'}")
            continue
        for name, wanted in when.items():
            if isinstance(wanted, Mapping) or (isinstance(wanted, str) and wanted[:1] in "<>" and not _bound(wanted)):
                reason = f"{name} must be a value, a list of values, or a comparison such as '<= 10'"
                yield Fault(MALFORMED, (*where, name), reason)
        if UNTIL in item or UNTIL in (item[kind] or {}):
            at_until: Path = (STANDING, at, UNTIL) if UNTIL in item else (*path, UNTIL)
            reason = "until is not in play yet; a standing order holds until a sheet with standing: replaces it"
            yield Fault(ILLEGAL, at_until, reason)


def _parts(item: Mapping[str, Any]) -> tuple[str, dict[str, Any], Any]:
    """Return the kind, the body without conditions, and the conditions of a standing order."""
    kind = next(key for key in item if key not in (WHEN, UNTIL))
    written = item[kind] or {}
    body = {key: value for key, value in written.items() if key not in (WHEN, UNTIL)}
    return kind, body, item.get(WHEN, written.get(WHEN, {}))


def _bound(wanted: Any) -> tuple[Callable[[int, int], bool], int] | None:
    found = _COMPARISON.fullmatch(wanted) if isinstance(wanted, str) else None
    return (_COMPARE[found[1]], int(found[2])) if found else None


def _holds(wanted: Any, fact: Any) -> bool:
    """Tell whether a fact is as it is wanted; of a fact that is a list one member is enough."""
    if isinstance(fact, (list, tuple)):
        return any(_holds(wanted, one) for one in fact)
    if isinstance(wanted, (list, tuple)):
        return any(_holds(one, fact) for one in wanted)
    bound = _bound(wanted)
    if bound is not None and isinstance(fact, int):
        compare, limit = bound
        return compare(fact, limit)
    return bool(wanted == fact)
