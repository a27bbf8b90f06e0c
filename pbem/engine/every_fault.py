"""Every fault of an order at once: what else is wrong with it, whatever takes the place of a wrong part.

`Rules.check` may stop at a part that is wrong: without a general it cannot follow a path. So each wrong part is
replaced by what legal orders have in its place. A fault that all these orders share does not depend on the wrong part.
All this follows from the view of the side, and tells it nothing that it cannot see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, TypeVar

from pbem.game.contract import Rules
from pbem.protocol import Decision, Fault, Order, Path

S = TypeVar("S")

_SAMPLES: Final = 120
_ROUNDS: Final = 6
_FEW: Final = 3
"""Where a word has no more values than these, they tell sorts of orders apart."""
_MISSING: Final = object()


def every_fault(
    rules: Rules[S],
    view: S,
    decision: Decision,
    order: Order,
    unread: Sequence[Path] = (),
    fits: Callable[[Order], bool] = lambda order: True,
) -> list[Fault]:
    """Return the faults of an order; `unread` are the parts of its body that have not the right form.

    `fits` tells whether an order has the right form. Without `unread` this order must.
    """
    found = [] if unread else list(rules.check(view, decision, order))
    wrong = [*unread, *(fault.path for fault in found)]
    samples: list[Mapping[str, Any]] = []
    for _ in range(_ROUNDS):
        if not wrong or () in wrong:
            break
        samples = samples or _samples(rules, view, decision)
        bodies = _mended(order.body, wrong, samples)
        checks = [
            list(rules.check(view, decision, mended))
            for mended in (Order(order.kind, body) for body in bodies)
            if fits(mended)
        ]
        further = [fault for fault in _shared(checks, wrong) if not any(_meet(fault.path, path) for path in wrong)]
        if not further:
            break
        found += further
        wrong += [fault.path for fault in further]
    return found


def _samples(rules: Rules[S], view: S, decision: Decision) -> list[Mapping[str, Any]]:
    """Return the bodies of some legal orders, the same ones each time."""
    orders, numbers = rules.legal_orders(view, decision), _numbers()
    picked = (orders.pick(lambda: next(numbers)) for _ in range(_SAMPLES))
    return list({repr(order.body): order.body for order in picked if order is not None}.values())


def _numbers() -> Iterator[float]:
    """Yield numbers from 0 up to, not including, 1, to pick samples by: a linear congruential generator."""
    state = 1
    while True:
        state = (state * 1_103_515_245 + 12_345) % 2**31
        yield state / 2**31


def _mended(body: Mapping[str, Any], wrong: Sequence[Path], samples: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the body with its wrong parts replaced by those of each sample that is like it, as far as they differ."""
    made: dict[str, Any] = {}
    for sample in _alike(body, wrong, samples):
        mended: dict[str, Any] = deepcopy(dict(body))
        for path in sorted(wrong, key=len, reverse=True):
            key = str(path[0])
            if _at(mended, path) is not _MISSING and (value := _at(sample, path)) is not _MISSING:
                _at(mended, path[:-1])[path[-1]] = deepcopy(value)
            elif key in sample:
                mended[key] = deepcopy(sample[key])
            else:
                mended.pop(key, None)
        made[repr(mended)] = mended
    return list(made.values())


def _alike(
    body: Mapping[str, Any], wrong: Sequence[Path], samples: Sequence[Mapping[str, Any]]
) -> Sequence[Mapping[str, Any]]:
    """Return the samples that say the same sort of thing as a body: they have what is wrong in it, and its words.

    A word that has few values in all samples, such as what a card is played for, has the value of the body in them.
    """
    keys = dict.fromkeys(path[0] for path in wrong)
    for path in [*((key,) for key in keys), *wrong]:
        samples = [sample for sample in samples if _at(sample, path) is not _MISSING] or samples
    common = [len(body.keys() & sample.keys()) for sample in samples]
    samples = [sample for sample, count in zip(samples, common, strict=True) if count == max(common)]
    for key in (key for key in body if key not in keys):
        values = {repr(sample.get(key)) for sample in samples}
        if len(values) <= _FEW:
            samples = [sample for sample in samples if sample.get(key) == body[key]] or samples
    return samples


def _shared(checks: Sequence[Sequence[Fault]], wrong: Sequence[Path]) -> list[Fault]:
    """Return the faults that all of some orders have; those that took something wrong again do not count.

    What follows an item of a list, such as a step of a path, depends on it: one order alone would prove nothing.
    """
    checks = [
        faults for faults in checks if not any(_meet(each.path, path) for each in faults for path in wrong)
    ] or checks
    if not checks or (len(checks) < 2 and any(isinstance(path[-1], int) for path in wrong)):
        return []
    first, *others = checks
    every = [{(fault.path, fault.reason) for fault in faults} for faults in others]
    return [fault for fault in first if fault.path and all((fault.path, fault.reason) in each for each in every)]


def _at(value: Any, path: Path) -> Any:
    """Return what stands at a path within a plain value, or `_MISSING`: a part of a text has no place of its own."""
    for step in path:
        try:
            value = _MISSING if isinstance(value, str) else value[step]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return value


def _meet(one: Path, other: Path) -> bool:
    """Tell whether one of two paths leads to the other."""
    return one[: len(other)] == other or other[: len(one)] == one
