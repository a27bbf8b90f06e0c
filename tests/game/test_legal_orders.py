"""Choices: counted and picked without being listed."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game.choices.legal_orders import (
    NOT_TOLD,
    LegalOrders,
    concat,
    of,
    product,
)
from pbem.protocol import Order


def order(*values: object) -> Order:
    return Order("go", {"values": list(values)})


def letters(text: str) -> LegalOrders:
    return of([order(letter) for letter in text])


def test_a_list_is_itself() -> None:
    choices = letters("abc")
    assert len(choices) == 3
    assert choices[0] == order("a")
    assert choices[-1] == order("c")
    assert choices[1:] == [order("b"), order("c")]
    assert list(choices) == [order(letter) for letter in "abc"]


@pytest.mark.parametrize("index", [3, -4])
def test_there_is_nothing_beyond_either_end(index: int) -> None:
    with pytest.raises(IndexError):
        letters("abc")[index]


def test_parts_follow_one_another() -> None:
    choices = concat(letters("ab"), letters(""), letters("c"))
    assert list(choices) == [choices[i] for i in range(3)] == [order("a"), order("b"), order("c")]


def test_the_last_axis_of_a_grid_turns_fastest() -> None:
    choices = product(lambda *values: order(*values), "ab", [1, 2, 3])
    assert [one["values"] for one in choices] == [["a", 1], ["a", 2], ["a", 3], ["b", 1], ["b", 2], ["b", 3]]


def test_an_axis_without_values_leaves_no_choice() -> None:
    choices = product(lambda *values: order(*values), "ab", [])
    assert len(choices) == 0
    assert choices.pick(Random(1).random) is None


def test_a_part_that_cannot_be_told_makes_the_whole_untold() -> None:
    choices = concat(letters("ab"), NOT_TOLD)
    assert not choices.certain
    assert len(choices) == 0
    assert letters("").certain, "no choice at all is not the same as not to know"


def test_a_pick_gives_every_part_its_chance() -> None:
    many = product(lambda n: order(n), range(10_000))
    choices = concat(letters(""), letters("a"), many)
    random = Random(1).random
    picked = Counter(isinstance(one["values"][0], str) for one in (choices.pick(random) for _ in range(1000)) if one)
    assert picked.total() == 1000
    assert 400 < picked[True] < 600


def test_a_pick_finds_the_only_choice_there_is() -> None:
    choices = concat(letters(""), letters(""), letters("x"))
    assert {str(choices.pick(Random(seed).random)) for seed in range(20)} == {str(order("x"))}
    assert concat(letters(""), letters("")).pick(Random(1).random) is None


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(0, 1000))
def test_index_and_listing_agree_whatever_the_parts(sizes: list[int], seed: int) -> None:
    choices = concat(*(product(lambda a, b: order(a, b), range(size), "xy") for size in sizes))
    assert [choices[i] for i in range(len(choices))] == list(choices)
    picked = choices.pick(Random(seed).random)
    assert (picked in list(choices)) if len(choices) else picked is None
