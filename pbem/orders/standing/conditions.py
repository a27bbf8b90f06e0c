"""The conditions of a standing order: facts by name, and what each must be.

    mover: hannibal                   the value
    mover: [hannibal, mago]           one of several
    enemy_cu: "<= 10"                 a comparison: <, <=, >, >=
    odds: "100 to 200"                a range, both ends included
    at: {not: [capua, rome]}          none of these

If a fact is a list, one matching member is enough; with `not`, no member may match. A missing fact never matches.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pbem.game.wording import listing
from pbem.protocol import Path

NOT: Final = "not"
_COMPARE: Final[Mapping[str, tuple[Callable[[int, int], bool], str]]] = {
    "<=": (operator.le, "more than"),
    ">=": (operator.ge, "less than"),
    "<": (operator.lt, "not less than"),
    ">": (operator.gt, "not more than"),
}
_COMPARISON: Final = re.compile(r"(<=|>=|<|>) ?(-?\d{1,9})")
_RANGE: Final = re.compile(r"(-?\d{1,9}) to (-?\d{1,9})")
_MEANT_AS_COMPARISON: Final = re.compile(r"[<>=!]|.*\d\s*(?:to|\.\.)\s*\d")


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
    elif isinstance(wanted, str) and _MEANT_AS_COMPARISON.match(wanted) and not _bound(wanted):
        yield (), "must be a value, a list of values, a comparison such as '<= 10', or a range such as '3 to 5'"


def words_in(wanted: object) -> Iterator[tuple[Path, str]]:
    """Yield the words among wanted values, each with its path."""
    if isinstance(wanted, str) and _bound(wanted) is None:
        yield (), wanted
    elif isinstance(wanted, (list, tuple)):
        for at, one in enumerate(wanted):
            yield from (((at, *path), word) for path, word in words_in(one))
    elif isinstance(wanted, Mapping):
        for key, one in wanted.items():
            yield from (((key, *path), word) for path, word in words_in(one))


def holds(wanted: object, fact: object) -> bool:
    """Tell whether a fact has a wanted value."""
    if isinstance(wanted, Mapping):
        return not holds(wanted[NOT], fact)
    if isinstance(fact, (list, tuple)):
        return any(holds(wanted, one) for one in fact)
    if isinstance(wanted, (list, tuple)):
        return any(holds(one, fact) for one in wanted)
    bound = _bound(wanted)
    if bound is not None:
        return isinstance(fact, int) and not isinstance(fact, bool) and bound(fact)
    return type(wanted) is type(fact) and bool(wanted == fact)


def why_not(name: str, wanted: object, fact: object) -> str:
    """Say in what a fact is not as it is wanted: `enemy_cu 8 is more than 5`."""
    stands = f"{name} {_shown(fact)}"
    if isinstance(wanted, Mapping):
        return f"{name} is {_shown(fact)}"
    if isinstance(wanted, (list, tuple)):
        return f"{stands} is not {listing(map(_shown, wanted), 'or') if wanted else 'one of an empty list'}"
    found = _COMPARISON.fullmatch(wanted) if isinstance(wanted, str) else None
    if found is not None and isinstance(fact, int):
        return f"{stands} is {_COMPARE[found[1]][1]} {found[2]}"
    return f"{stands} is not {_shown(wanted)}"


def _bound(wanted: object) -> Callable[[int], bool] | None:
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


def _shown(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return listing(map(_shown, value), "and") if value else "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)
