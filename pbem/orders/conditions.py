"""The terms of a standing order: conditions on facts, alternatives in its body, and how long it holds.

    mover: hannibal                   the value
    mover: [hannibal, mago]           one of several
    enemy_cu: "<= 10"                 a comparison: <, <=, >, >=
    odds: "100 to 200"                a range, both ends included
    at: {not: [capua, rome]}          none of these

If a fact is a list, one matching member is enough; with `not`, no member may match. A missing fact never matches.

Alternatives in the body of an order are tried when the decision comes. The first one that is legal is used:

    avoid_battle: {to: {any: refuges}}             a fact of the decision that is a list
    losses: {elephants: {any: [2, 1, 0]}}          values, in order of preference

An order holds

* `until: withdrawn`: as without `until`;
* `until: end_of_turn`: of a period that the game has, its rules say which it is in (`periods`);
* `until: 2026-12-24`: through that day, by the clock of whoever adjudicates.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice, product
from typing import Any, Final

from pbem.game.order_form import OrderForm
from pbem.game.wording import listing, shown
from pbem.protocol import MALFORMED, Fault, Path

NOT: Final = "not"
ANY: Final = "any"
_COMPARE: Final[Mapping[str, tuple[Callable[[int, int], bool], str]]] = {
    "<=": (operator.le, "more than"),
    ">=": (operator.ge, "less than"),
    "<": (operator.lt, "not less than"),
    ">": (operator.gt, "not more than"),
}
_COMPARISON: Final = re.compile(r"(<=|>=|<|>) ?(-?\d{1,9})")
_RANGE: Final = re.compile(r"(-?\d{1,9}) to (-?\d{1,9})")
_MEANT_AS_COMPARISON: Final = re.compile(r"[<>=!]|.*\d\s*(?:to|\.\.)\s*\d")
MOST_BODIES: Final = 64
"""The most combinations of alternatives that are tried."""
WITHDRAWN: Final = "withdrawn"
END_OF: Final = "end_of_"
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def faults_in(wanted: object) -> Iterator[tuple[Path, str]]:
    """Yield the faults of a wanted value: the path within it, and the reason."""
    if isinstance(wanted, Mapping):
        if set(wanted) != {NOT}:
            yield (), "must be a value, a list of values, a comparison such as '<= 10', or {not: ...}"
        elif isinstance(wanted[NOT], Mapping):
            yield (NOT,), "must be a value, a list of values, or a comparison such as '<= 10'"
        else:
            yield from (((NOT, *path), reason) for path, reason in faults_in(wanted[NOT]))
    elif isinstance(wanted, (list, tuple)):
        for at, one in enumerate(wanted):
            if isinstance(one, (Mapping, list, tuple)):
                yield (at,), "must be a value or a comparison such as '<= 10'"
            else:
                yield from (((at, *path), reason) for path, reason in faults_in(one))
    elif isinstance(wanted, str) and _MEANT_AS_COMPARISON.match(wanted) and not _comparison(wanted):
        yield (), "must be a value, a list of values, a comparison such as '<= 10', or a range such as '3 to 5'"


def words_in(wanted: object) -> Iterator[tuple[Path, str]]:
    """Yield the words among wanted values, each with its path."""
    if isinstance(wanted, str) and _comparison(wanted) is None:
        yield (), wanted
    elif isinstance(wanted, (list, tuple)):
        for at, one in enumerate(wanted):
            yield from (((at, *path), word) for path, word in words_in(one))
    elif isinstance(wanted, Mapping):
        for key, one in wanted.items():
            yield from (((key, *path), word) for path, word in words_in(one))


def condition_holds(wanted: object, fact: object) -> bool:
    """Tell whether a fact has a wanted value."""
    if isinstance(wanted, Mapping):
        return not condition_holds(wanted[NOT], fact)
    if isinstance(fact, (list, tuple)):
        return any(condition_holds(wanted, one) for one in fact)
    if isinstance(wanted, (list, tuple)):
        return any(condition_holds(one, fact) for one in wanted)
    bound = _comparison(wanted)
    if bound is not None:
        return isinstance(fact, int) and not isinstance(fact, bool) and bound(fact)
    return type(wanted) is type(fact) and bool(wanted == fact)


def why_not(name: str, wanted: object, fact: object) -> str:
    """Say in what a fact is not as it is wanted: `enemy_cu 8 is more than 5`."""
    stands = f"{name} {_value_said(fact)}"
    if isinstance(wanted, Mapping):
        return f"{name} is {_value_said(fact)}"
    if isinstance(wanted, (list, tuple)):
        return f"{stands} is not {listing(map(_value_said, wanted), 'or') if wanted else 'one of an empty list'}"
    found = _COMPARISON.fullmatch(wanted) if isinstance(wanted, str) else None
    if found is not None and isinstance(fact, int):
        return f"{stands} is {_COMPARE[found[1]][1]} {found[2]}"
    return f"{stands} is not {_value_said(wanted)}"


def _comparison(wanted: object) -> Callable[[int], bool] | None:
    """Return the test that a comparison or a range stands for; None: it is a plain value."""
    if not isinstance(wanted, str):
        return None
    if (found := _COMPARISON.fullmatch(wanted)) is not None:
        compare, limit = _COMPARE[found[1]][0], int(found[2])
        return lambda fact: compare(fact, limit)
    if (found := _RANGE.fullmatch(wanted)) is not None:
        low, high = int(found[1]), int(found[2])
        return lambda fact: low <= fact <= high
    return None


def _value_said(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return listing(map(_value_said, value), "and") if value else "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)


def bodies(body: object, fact: Callable[[str], object]) -> Iterator[Any]:
    """Yield a body with each choice of its alternatives; `fact` returns a fact by its name."""
    spots = list(_spots(body))
    choices = [_values_said(fact(named) if isinstance(named, str) else named) for _, named in spots]
    for chosen in islice(product(*choices), MOST_BODIES):
        filled = body
        for (path, _), value in zip(spots, chosen, strict=True):
            filled = _with_value(filled, path, value)
        yield filled


def check_body(form: OrderForm, body: object, where: Path) -> Iterator[Fault]:
    """Yield the faults in the shape of a body, alternatives included; `where` is its path in the sheet."""
    spots = list(_spots(body))
    plain = body
    for path, named in spots:
        if isinstance(named, (list, tuple)) and named:
            for at, value in enumerate(named):
                for misfit in form.misfits(_with_value(body, path, value)):
                    if misfit.path[: len(path)] == path:
                        yield Fault(MALFORMED, (*where, *path, ANY, at), misfit.reason, rule=misfit.rule or None)
            plain = _with_value(plain, path, named[0])
        elif not isinstance(named, str) or named not in form.facts:
            reason = f"any takes a list of values, or one of the facts {listing(form.facts or ['(none)'], 'and')}"
            yield Fault(MALFORMED, (*where, *path, ANY), reason)
    for misfit in form.misfits(plain):
        if not any(misfit.path[: len(path)] == path for path, _ in spots):
            yield Fault(MALFORMED, (*where, *misfit.path), misfit.reason, rule=misfit.rule or None)


def _spots(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    """Yield the path of each set of alternatives in a body, and the list or fact that they come from."""
    if isinstance(value, Mapping):
        if set(value) == {ANY}:
            yield path, value[ANY]
            return
        for key, inner in value.items():
            yield from _spots(inner, (*path, key))
    elif isinstance(value, (list, tuple)):
        for at, inner in enumerate(value):
            yield from _spots(inner, (*path, at))


def _values_said(values: object) -> Sequence[object]:
    return values if isinstance(values, (list, tuple)) else []


def _with_value(body: Any, path: Path, value: object) -> object:
    """Return a body with another value at a path."""
    if not path:
        return value
    key, *below = path
    if isinstance(body, Mapping):
        return {each: _with_value(inner, tuple(below), value) if each == key else inner for each, inner in body.items()}
    return [_with_value(inner, tuple(below), value) if at == key else inner for at, inner in enumerate(body)]


def fault_of(until: object, periods: Collection[str], today: str | None) -> str | None:
    """Return what is wrong with `until`; None: nothing. `today` is a day as it is written; None: unknown."""
    words = [WITHDRAWN, *(END_OF + period for period in periods)]
    if until in words:
        return None
    if not isinstance(until, str) or not _is_day(until):
        return f"until must be {listing([*words, 'a day such as 2026-12-24'], 'or')}, not {shown(until)}"
    if today is not None and until < today:
        return f"until {until} is over: today is {today}"
    return None


def of_period(until: str) -> str | None:
    """Return the period at whose end an order expires; None: it is not bound to one."""
    return until.removeprefix(END_OF) if until.startswith(END_OF) else None


def is_expired(until: str, filed_in: object, now: Mapping[str, object], today: str) -> bool:
    """Tell whether an order has expired: the period in which it was filed is over, or its day is past."""
    period = of_period(until)
    if period is not None:
        return bool(now.get(period) != filed_in)
    return until != WITHDRAWN and today > until


def _is_day(text: str) -> bool:
    try:
        return bool(_DAY.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False
