"""What is wrong with several orders that are to be carried out one after the other, as far as it can be foreseen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pbem.protocol import Decision, Fault, Order, Rules

S = TypeVar("S")


def costs_in_turn(rules: Rules[S], known: S, decision: Decision, orders: Sequence[Order]) -> list[str]:
    """Return what legal orders of a kind cost, to be carried out in turn, as long as all goes well.

    A game that has such costs tells them by `cost(known, decision, order)`, in words.
    """
    cost, after = getattr(rules, "cost", None), getattr(rules, "after", None)
    told: list[str] = []
    for order in orders:
        if cost is None:
            break
        if list(rules.check(known, decision, order)):
            continue
        told.append(cost(known, decision, order))
        if after is None or not (then := after(known, decision, order)):
            break
        known, decision = then[0]
    return [line for line in told if line]


def faults_in_turn(
    rules: Rules[S], known: S, decision: Decision, orders: Sequence[Order]
) -> list[list[Fault]]:  # fmt: skip
    """Return what is wrong with each of several orders of a kind, one after the other, as far as can be foreseen.

    A game that can has `after(known, decision, order)`: the positions that an order may lead to with their questions,
    as its side knows them, the luckiest first; none where nothing follows. Where dice or the enemy have a say, two
    courses are thought through: all goes well, or all goes badly. An order is at fault if it is on both; where it is
    on one, that course goes on without it. What cannot be foreseen has no faults yet.
    """
    after = getattr(rules, "after", None)
    courses = [(known, decision)]
    found: list[list[Fault]] = []
    for order in orders:
        wrong = [list(rules.check(*course, order)) for course in courses]
        found.append(min(wrong, key=len) if all(wrong) else [])
        if found[-1]:
            continue
        if after is None:
            break
        then: list[tuple[S, Decision]] = []
        for course, faults in zip(courses, wrong, strict=True):
            then += [course] if faults else after(*course, order)
        if not then:
            break
        courses = then[:1] if len(then) == 1 else [then[0], then[-1]]
    return found + [[] for _ in orders[len(found) :]]
