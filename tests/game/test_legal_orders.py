"""Legal orders: what choices list, counted and picked without being listed."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game import NONE, UNTOLD, AllOf, Answers, OneOf, Part, Value
from pbem.protocol import Order


def letters(text: str) -> Part:
    return OneOf("to", [Value(letter) for letter in text])


def numbers(count: int) -> Part:
    return AllOf(OneOf("at", [Value(number) for number in range(count)]), letters("xy"))


def orders(*parts: Part) -> Answers:
    """Return the orders of several parts, one after another."""
    return Answers("go", OneOf(None, [Value("", part) for part in parts]))


def test_a_list_is_itself() -> None:
    legal = orders(letters("abc"))
    expected = [Order("go", {"to": letter}) for letter in "abc"]
    assert (len(legal), legal[0], legal[-1], legal[1:]) == (3, expected[0], expected[2], expected[1:])
    assert list(legal) == expected


@pytest.mark.parametrize("index", [3, -4])
def test_there_is_nothing_beyond_either_end(index: int) -> None:
    with pytest.raises(IndexError):
        orders(letters("abc"))[index]


def test_parts_follow_one_another() -> None:
    legal = orders(letters("ab"), letters(""), letters("c"))
    assert list(legal) == [legal[i] for i in range(3)] == [Order("go", {"to": letter}) for letter in "abc"]


def test_not_to_know_is_not_the_same_as_no_choice() -> None:
    assert not Answers("go", UNTOLD).certain
    assert Answers("go", NONE).certain
    assert len(Answers("go", UNTOLD)) == len(Answers("go", NONE)) == 0


def test_a_pick_gives_every_part_its_chance() -> None:
    legal, random = orders(letters(""), letters("a"), numbers(10_000)), Random(1).random
    picked = [legal.pick(random) for _ in range(1000)]
    assert 400 < sum(order == Order("go", {"to": "a"}) for order in picked) < 600


def test_a_pick_finds_the_only_choice_there_is() -> None:
    legal = orders(letters(""), letters(""), letters("x"))
    assert {str(legal.pick(Random(seed).random)) for seed in range(20)} == {str(Order("go", {"to": "x"}))}
    assert orders(letters(""), NONE).pick(Random(1).random) is None


@given(st.lists(st.integers(0, 4), min_size=1, max_size=5), st.integers(0, 1000))
def test_index_and_listing_agree_whatever_the_parts(sizes: list[int], seed: int) -> None:
    legal = orders(*map(numbers, sizes))
    assert [legal[i] for i in range(len(legal))] == list(legal)
    picked = legal.pick(Random(seed).random)
    assert (picked in list(legal)) if len(legal) else picked is None
