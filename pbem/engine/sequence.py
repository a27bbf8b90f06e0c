"""Sequences of orders: each is checked against the positions that the earlier ones may lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias, TypeVar

from pbem.engine.every_fault import every_fault
from pbem.game.contract import Rules
from pbem.protocol import Decision, Fault, Order

S = TypeVar("S")
Course: TypeAlias = tuple[S, Decision]
"""A position that earlier orders may lead to, as their side sees it, with the decision that comes then."""


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
