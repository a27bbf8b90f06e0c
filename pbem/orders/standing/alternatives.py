"""Alternatives in the body of a standing order: the first one that is legal when the decision comes is used.

avoid_battle: {to: {any: refuges}}             a fact of the decision that is a list
losses: {elephants: {any: [2, 1, 0]}}          values, in order of preference
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, Final

from pbem.game.order_form import OrderForm
from pbem.game.wording import listing
from pbem.protocol import MALFORMED, Fault, Path

ANY: Final = "any"
MOST_BODIES: Final = 64
"""The most combinations of alternatives that are tried."""


def bodies(body: Any, fact: Callable[[str], object]) -> Iterator[Any]:
    """Yield a body with each choice of its alternatives; `fact` returns a fact by its name."""
    spots = list(_spots(body))
    choices = [_listed(fact(named) if isinstance(named, str) else named) for _, named in spots]
    for chosen in islice(product(*choices), MOST_BODIES):
        filled = body
        for (path, _), value in zip(spots, chosen, strict=True):
            filled = _put(filled, path, value)
        yield filled


def check_body(form: OrderForm, body: Any, where: Path) -> Iterator[Fault]:
    """Yield the faults in the shape of a body, alternatives included; `where` is its path in the sheet."""
    spots = list(_spots(body))
    plain = body
    for path, named in spots:
        if isinstance(named, (list, tuple)) and named:
            for at, value in enumerate(named):
                for misfit in form.misfits(_put(body, path, value)):
                    if misfit.path[: len(path)] == path:
                        yield Fault(MALFORMED, (*where, *path, ANY, at), misfit.reason, rule=misfit.rule or None)
            plain = _put(plain, path, named[0])
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


def _listed(values: object) -> Sequence[Any]:
    return values if isinstance(values, (list, tuple)) else []


def _put(body: Any, path: Path, value: object) -> Any:
    """Return a body with another value at a path."""
    if not path:
        return value
    key, *below = path
    if isinstance(body, Mapping):
        return {each: _put(inner, tuple(below), value) if each == key else inner for each, inner in body.items()}
    return [_put(inner, tuple(below), value) if at == key else inner for at, inner in enumerate(body)]
