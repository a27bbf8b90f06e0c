"""Several orders of a kind are judged one after the other, on the best and the worst that those before lead to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pbem.engine.faults import costs_in_sequence, faults_in_sequence
from pbem.protocol import Decision, Fault, Order
from tests.support.no_game import NoGame

ASKED = Decision("go", "north", "1", {})
DOUBTFUL = "dice"
"""An order that leads to three positions: their names are its own with +, 0 and -."""


class Walk(NoGame):
    """Positions are the ways that led to them; an order is at fault where it names the end of the way."""

    def check(self, view: str, decision: Decision, order: Order) -> Iterator[Fault]:
        for end in order["not_after"]:
            if view.endswith(end):
                yield order.fault(("not_after",), f"not after {end}", rule="1")

    def successors(self, view: str, decision: Decision, order: Order) -> list[tuple[str, Decision]]:
        ends = "+0-" if order["word"] == DOUBTFUL else "."
        return [] if order["word"] == "end" else [(f"{view} {order['word']}{end}", decision) for end in ends]

    def cost(self, view: str, decision: Decision, order: Order) -> str:
        return f"after{view}"


def go(word: str, *not_after: str) -> Order:
    return Order("go", {"word": word, "not_after": list(not_after)})


def faulty(*orders: Order) -> list[int]:
    rules: Any = Walk()
    return [at for at, faults in enumerate(faults_in_sequence(rules, "", ASKED, orders)) if faults]


@pytest.mark.parametrize(
    ("second", "found"),
    [
        (go("b", "dice+", "dice-"), [1]),
        (go("b", "dice+"), []),
        (go("b", "dice-"), []),
        (go("b", "dice0"), []),  # what lies between the best and the worst is not thought through
    ],
)
def test_order_is_at_fault_if_it_is_with_good_and_bad_luck(second: Order, found: list[int]) -> None:
    """An order is at fault if it is so whether all goes well or badly."""
    assert faulty(go(DOUBTFUL), second) == found


def test_course_on_which_an_order_is_faulty_goes_on_without_it() -> None:
    """A course on which an order is at fault goes on without it."""
    assert faulty(go(DOUBTFUL), go("b", "dice+"), go("c", "dice+", "b.")) == [2]
    assert faulty(go(DOUBTFUL), go("b", "dice+"), go("c", "b.")) == []


def test_order_at_fault_is_passed_over_and_the_next_judged() -> None:
    """An order at fault is passed over, and the next is judged without it."""
    assert faulty(go("a"), go("b", "a."), go("c", "b."), go("d", "c.")) == [1, 3]


def test_what_cannot_be_foreseen_has_no_faults_yet() -> None:
    assert faulty(go("end"), go("b", "end")) == []
    assert len(faults_in_sequence(Walk(), "", ASKED, [go("end"), go("b"), go("c")])) == 3


def test_costs_are_those_of_the_best_course_and_of_legal_orders() -> None:
    rules: Any = Walk()
    orders = [go(DOUBTFUL), go("b", "dice+"), go("c"), go("end"), go("d")]
    assert costs_in_sequence(rules, "", ASKED, orders) == ["after", "after dice+", "after dice+ c."]
