"""What is wrong with several orders that are to be carried out one after the other, as far as it can be foreseen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pbem.protocol import Decision, Fault, Order, Rules

S = TypeVar("S")


def costs_in_turn(rules: Rules[S], view: S, decision: Decision, orders: Sequence[Order]) -> list[str]:
    """Return what legal orders of a kind cost, to be carried out in turn, as long as all goes well.

    A game that has such costs tells them by `Rules.cost`, in words.
    """
    told: list[str] = []
    for order in orders:
        if list(rules.check(view, decision, order)):
            continue
        told.append(rules.cost(view, decision, order))
        if not (then := rules.successors(view, decision, order)):
            break
        view, decision = then[0]
    return [line for line in told if line]


def faults_in_turn(
    rules: Rules[S], view: S, decision: Decision, orders: Sequence[Order]
) -> list[list[Fault]]:  # fmt: skip
    """Return what is wrong with each of several orders of a kind, one after the other, as far as can be foreseen.

    `Rules.successors` says what an order may lead to. Where dice or the enemy have a say, two courses are followed: all
    goes well, or all goes badly. An order is at fault if it is on both; where it is on one, that course goes on
    without it. What cannot be foreseen has no faults yet.
    """
    courses = [(view, decision)]
    found: list[list[Fault]] = []
    for order in orders:
        wrong = [list(rules.check(*course, order)) for course in courses]
        found.append(min(wrong, key=len) if all(wrong) else [])
        if found[-1]:
            continue
        then: list[tuple[S, Decision]] = []
        for course, faults in zip(courses, wrong, strict=True):
            then += [course] if faults else rules.successors(*course, order)
        if not then:
            break
        courses = then[:1] if len(then) == 1 else [then[0], then[-1]]
    return found + [[] for _ in orders[len(found) :]]
