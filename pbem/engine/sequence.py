"""Sequences of orders: each is checked against the positions that the earlier ones may lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pbem.engine.every_fault import every_fault
from pbem.protocol import Decision, Fault, Order, Rules

S = TypeVar("S")


def costs_in_sequence(rules: Rules[S], view: S, decision: Decision, orders: Sequence[Order]) -> list[str]:
    """Return sentences about the cost of legal orders in sequence, as long as all goes well; see `Rules.cost`."""
    told: list[str] = []
    for order in orders:
        if list(rules.check(view, decision, order)):
            continue
        told.append(rules.cost(view, decision, order))
        if not (then := rules.successors(view, decision, order)):
            break
        view, decision = then[0]
    return [line for line in told if line]


def faults_in_sequence(rules: Rules[S], view: S, decision: Decision, orders: Sequence[Order]) -> list[list[Fault]]:
    """Check a sequence of orders of a kind, each against the positions that the earlier ones may lead to.

    `Rules.successors` returns what an order may lead to. Where dice or the enemy decide, two branches are followed: all
    goes well, and all goes badly. An order is at fault if it is at fault in both. If it is at fault in one, that branch
    goes on without it. Orders beyond the forecast have no faults yet.
    """
    courses = [(view, decision)]
    found: list[list[Fault]] = []
    for order in orders:
        wrong = [list(rules.check(*course, order)) for course in courses]
        if all(wrong):
            least = min(range(len(wrong)), key=lambda at: len(wrong[at]))
            found.append(every_fault(rules, *courses[least], order))
            continue
        found.append([])
        then: list[tuple[S, Decision]] = []
        for course, faults in zip(courses, wrong, strict=True):
            then += [course] if faults else rules.successors(*course, order)
        if not then:
            break
        courses = then[:1] if len(then) == 1 else [then[0], then[-1]]
    return found + [[] for _ in orders[len(found) :]]
