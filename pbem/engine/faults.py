"""The faults of an order, all at once, and of several in sequence; and which open decision an order is for.

An order says which decision it is for by its kind, and by `for` where several decisions of a kind are open to one side
at once. Without `for` it is for the only one of them that it answers legally. This is asked wherever orders meet
decisions: when a sheet comes in, in the queue, and when it is told whom a game waits for.

In the queue an order may also be for a decision that is not open yet, which only the rules know
(`Rules.is_for_later`). A sheet that comes in answers what is open.

`Rules.check` may stop at a part that is wrong: without a general it cannot follow a path. So each wrong part is
replaced by what legal orders have in its place. A fault that all these orders share does not depend on the wrong part.
All this follows from the view of the side, and tells it nothing that it cannot see.

Each order of a sequence is checked against the positions that the earlier ones may lead to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from itertools import islice
from typing import Any, Final, TypeAlias, TypeVar

from pbem.game.contract import Rules
from pbem.protocol import FOR, Decision, Fault, Order, Path, Record

IsLegal: TypeAlias = Callable[[Decision, Order], bool]
"""Tells whether an order is a legal answer to a decision."""
S = TypeVar("S")
_SAMPLES: Final = 120
"""Legal orders that are drawn, to mend an order with their parts."""
_ROUNDS: Final = 6
"""Times that an order is mended and checked again: each may bring a fault to light."""
_FEW: Final = 3
"""Where a word has no more values than these, they tell sorts of orders apart."""
_MISSING: Final = object()
Course: TypeAlias = tuple[S, Decision]
"""A position that earlier orders may lead to, as their side sees it, with the decision that comes then."""


def is_for(order: Order, decision: Decision, open_decisions: Sequence[Decision], is_legal: IsLegal) -> bool:
    """Tell whether an order is for a decision, which is one of those that are open.

    An order that is legal for none of those like it is for any of them: it will be found at fault. One that is legal
    for several is for none until it says which.
    """
    if order.kind != decision.kind:
        return False
    if order.about or not decision.about:
        return order.about == decision.about
    return fitting(order, like(decision, open_decisions), is_legal) in ([decision], [])


def name_in_full(kind: str, about: str) -> str:
    """Return the kind of an order or of a decision, and what tells it from its like.

    >>> name_in_full("march", ""), name_in_full("intercept", "capua")
    ('march', 'intercept (for: capua)')
    """
    return f"{kind} ({FOR}: {about})" if about else kind


def like(decision: Decision, open_decisions: Sequence[Decision]) -> list[Decision]:
    """Return the open decisions of the same side and kind as one, itself among them."""
    return [each for each in open_decisions if each.is_like(decision)]


def fitting(order: Order, among: Sequence[Decision], is_legal: IsLegal) -> list[Decision]:
    """Return the decisions that an order without `for` may be meant for: those that it answers legally.

    A single one is never asked: the order is for it, right or wrong.
    """
    return [*among] if len(among) == 1 else [each for each in among if is_legal(each, order)]


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
    samples: list[Record] = []
    for _ in range(_ROUNDS):
        if not wrong or () in wrong:
            break
        samples = samples or _samples(rules, view, decision)
        bodies = _mended_bodies(order.body, wrong, samples)
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


def _samples(rules: Rules[S], view: S, decision: Decision) -> list[Record]:
    """Return the bodies of some legal orders, the same ones each time."""
    orders, numbers = rules.legal_orders(view, decision), _steady_numbers()
    picked = (orders.pick(lambda: next(numbers)) for _ in range(_SAMPLES))
    return list({repr(order.body): order.body for order in picked if order is not None}.values())


def _steady_numbers() -> Iterator[float]:
    """Yield numbers from 0 up to, not including, 1, to pick samples by: a linear congruential generator."""
    state = 1
    while True:
        state = (state * 1_103_515_245 + 12_345) % 2**31
        yield state / 2**31


def _mended_bodies(body: Record, wrong: Sequence[Path], samples: Sequence[Record]) -> list[Record]:
    """Return the body with its wrong parts replaced by those of each sample that is like it, as far as they differ."""
    made: dict[str, Record] = {}
    for sample in _similar_samples(body, wrong, samples):
        mended = deepcopy(dict(body))
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


def _similar_samples(body: Record, wrong: Sequence[Path], samples: Sequence[Record]) -> Sequence[Record]:
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


def costs_in_sequence(rules: Rules[S], view: S, decision: Decision, orders: Sequence[Order]) -> list[str]:
    """Return sentences about the cost of legal orders in sequence, as long as all goes well; see `Rules.cost`."""
    told: list[str] = []
    for order in orders:
        if order.kind != decision.kind or list(rules.check(view, decision, order)):
            continue
        told.append(rules.cost(view, decision, order))
        if not (then := rules.successors(view, decision, order)):
            break
        view, decision = then[0]
    return [line for line in told if line]


def faults_in_sequence(rules: Rules[S], view: S, decision: Decision, orders: Sequence[Order]) -> list[list[Fault]]:
    """Check a sequence of orders of a side, each against the positions that the earlier ones may lead to.

    `Rules.successors` returns what an order may lead to. Where dice or others decide, two branches are followed: all
    goes well, and all goes badly. An order is at fault if it is at fault in both. If it is at fault in one, that branch
    goes on without it. Orders beyond the forecast have no faults yet, nor those of a kind that is not asked for then.
    """
    found: list[list[Fault]] = []
    for order, (courses, wrong) in zip(orders, _followed(rules, view, decision, orders), strict=False):
        if courses and all(wrong):
            least = min(range(len(wrong)), key=lambda at: len(wrong[at]))
            found.append(every_fault(rules, *courses[least], order))
        else:
            found.append([])
    return found + [[] for _ in orders[len(found) :]]


def second_answers(rules: Rules[S], view: S, decision: Decision, orders: Sequence[Order]) -> list[tuple[int, int]]:
    """Return the index of each order that no decision is left for, with that of the last one that could be used.

    Nothing follows an order of which `Rules.is_last` says so on every branch, or one that ends what its side is doing.
    Of the orders beyond the forecast only the latter are known. To end what is over by itself does no harm: an order
    that ends may stand behind the last of the others.
    """
    ending = (at for at, order in enumerate(orders) if rules.ends(order))
    followed = enumerate(zip(orders, _followed(rules, view, decision, orders), strict=False))
    final = (
        at
        for at, (order, (courses, _)) in followed
        if courses and all(rules.is_last(*course, order) for course in courses)
    )
    last = min([*islice(ending, 1), *islice(final, 1)], default=len(orders))
    if last + 1 < len(orders) and rules.ends(orders[last + 1]) and not rules.ends(orders[last]):
        last += 1
    return [(number, last) for number in range(last + 1, len(orders))]


def _followed(
    rules: Rules[S], view: S, decision: Decision, orders: Sequence[Order]
) -> Iterator[tuple[list[Course[S]], list[list[Fault]]]]:
    """Yield for each order the branches that the earlier ones lead to, and its faults on each of them.

    An order that none of these decisions asks for has no branch. It waits for another decision of its side. Where that
    may come before the next one here, nothing more is foreseen.
    """
    courses: list[Course[S]] = [(view, decision)]
    for order in orders:
        if order.kind != courses[0][1].kind:
            if courses[0][1].kind != decision.kind:
                return
            yield [], []
            continue
        wrong = [list(rules.check(*course, order)) for course in courses]
        yield courses, wrong
        if all(wrong):
            continue
        then: list[Course[S]] = []
        for course, faults in zip(courses, wrong, strict=True):
            then += [course] if faults else rules.successors(*course, order)
        if not then:
            return
        courses = then[:1] if len(then) == 1 else [then[0], then[-1]]
