"""Choices: each part lists, draws, tests and shows the same bodies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import combinations, combinations_with_replacement
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game import (
    NONE,
    NOTHING,
    UNTOLD,
    AllOf,
    Among,
    Assign,
    Edge,
    Fixed,
    Follow,
    Gathered,
    Graph,
    Lazy,
    Nested,
    OneOf,
    Part,
    Share,
    Some,
    Value,
    Walk,
    Ways,
    listed,
    option,
)
from pbem.game.choices.legal_orders import Answers
from pbem.game.choices.parts import Body
from pbem.protocol import Order

LEADERS = OneOf("leader", [Value("paullus"), Value("varro", why="has moved"), Value("fabius")])


def shown(part: Part) -> Any:
    """Return a part as a page gets it."""
    return json.loads(json.dumps(Answers("go", part).tree()))


def values(text: str) -> Sequence[Value]:
    return [Value(letter) for letter in text]


def bodies(part: Part) -> list[Body]:
    return [part.make(at) for at in range(len(part))]


def steps(state: str) -> list[Edge]:
    """Return the steps on a road a - b - c - d, and on a ferry from a to d, which marks who has sailed."""
    place, _, mark = state.partition("~")
    land = {"a": "b", "b": "ac", "c": "bd", "d": "c"}[place]
    on = [Edge(f"{to}~{mark}" if mark else to, 1, {"to": to}) for to in land]
    return [*on, Edge("d~s", 2, {"to": "d", "by": "sea"}, "sea")] if state == "a" else on


ROAD = Graph(steps, ways=Ways({"sea": ("sail",)}, {"": {"to": "$"}, "sea": {"to": "$", "by": "sea"}}))
PARTS: dict[str, Part] = {
    "fixed": Fixed({"end": True}),
    "nothing": NOTHING,
    "one of some": LEADERS,
    "one that leads on": OneOf("leader", [Value("a", Some("drop", values("xyz"), 1, 2)), Value("b", weight=3)]),
    "one that is meant anyhow": OneOf("with", [Value([]), Value(["b"]), Value(["b", "c"])], default=0),
    "alternatives": OneOf(None, [Value("march", LEADERS), Value("end", Fixed({"end": True}))]),
    "a preference": AllOf(LEADERS, option("overrun", Value(True), Value(False))),
    "some": Some("place", values("abcd"), 1, 3),
    "some more than once": Some("add", values("abc"), 1, 4, room={"a": 2, "b": 1, "c": 3}),
    "some by number": Some("units", values("ab"), 2, 2, room={"a": 2, "b": 2}, counts=True),
    "some in any order": Some("leaders", values("abc"), 2, 3, ordered=True),
    "some, or the key is left out": Some("dismiss", values("abc"), 0, 2, optional=True),
    "some that may go unsaid": Some("give_up", values("abc"), 2, 2, optional=True),
    "a share": Share(("cu", "elephants"), 10, 2, [3, 4, 10], usual=10),
    "a share of one kind": Share(("cu", None), 5, 0, [1, 2, 5]),
    "all of several": AllOf(LEADERS, Some("place", values("ab"), 0, 2), Fixed({"as": "ops"})),
    "nested": Nested("effect", OneOf("space", values("ab"))),
    "gathered": Gathered(
        "with", [AllOf(LEADERS, Share(("cu", None), 3, 0, [1, 2])), OneOf("leader", [Value("varro")])]
    ),
    "gathered, one at least": Gathered("with", [LEADERS, OneOf("leader", [Value("varro")])], least=1),
    "a share of which none is filled in": Share(("cu", "elephants"), 5, 2, [1, 4], filled=False),
    "nested, or nothing": Nested("effect", OneOf(None, [Value("", NOTHING), Value("", LEADERS)])),
    "assigned": Assign("leaders", [("a", ["x", "y"]), ("b", ["x"])]),
    "assigned, or to nobody in words": Assign("leaders", [("a", ["x", "y"]), ("b", ["x"])], always=True),
    "assigned to one at least": Assign("leaders", [("a", ["x", "y"]), ("b", ["x"])], least=1),
    "assigned to one": Assign("leaders", [("a", ["x", "y"]), ("b", ["x"])], least=1, one=True),
    "followed": AllOf(LEADERS, Follow("march", Fixed({"then": "stop"}))),
    "lazy": Lazy(lambda: LEADERS),
    "a walk": Walk("path", "a", ROAD, 2),
    "a walk that may stay": Walk("path", "b", ROAD, 1, stay=True),
    "a walk with what comes first": Walk("path", "a", ROAD, 2, first={"drop": 3}),
    "a walk to some ends": Walk("path", "a", ROAD, 3, only={"c", "~s"}, no_ends={"b"}),
    "some of what parts make": Among(
        listed([{"a": "x", "b": "y"}, {"a": "y"}]),
        OneOf("a", values("xy")),
        Some("b", values("xy"), 0, 1, optional=True),
    ),
    "a list": listed([{"do": "a", "at": 1}, {"end": True}, {"do": "b"}, {"do": "a", "at": 2}]),
}
each_part = pytest.mark.parametrize("name", PARTS)


@each_part
def test_length_is_the_number_of_different_bodies(name: str) -> None:
    part = PARTS[name]
    made = bodies(part)
    assert len({json.dumps(body, sort_keys=True) for body in made}) == len(made) == len(part) > 0


@each_part
def test_what_is_listed_or_drawn_is_in_it(name: str) -> None:
    part, random = PARTS[name], Random(1).random
    made, drawn = bodies(part), [part.draw(random) for _ in range(300)]
    assert all(part.has(body) for body in made)
    assert all(body in made for body in drawn), "a plain draw keeps to the list"
    assert len({json.dumps(body) for body in drawn}) == len(made), "and comes to all of it"
    wide = [part.draw(random, wide=True) for _ in range(300)]
    assert all(body is not None and part.has(body) for body in wide)


@each_part
def test_a_strange_key_or_a_lack_is_not_in_it(name: str) -> None:
    part = PARTS[name]
    for body in bodies(part):
        assert not part.has({**body, "strange": 1})
        assert all(not part.has({**body, key: "strange"}) for key in body)


@each_part
def test_a_tree_is_plain_data(name: str) -> None:
    told = Answers("go", PARTS[name]).tree()
    assert json.loads(json.dumps(told)) == told
    assert told["kind"] == "go"


@pytest.mark.parametrize("part", [NONE, UNTOLD, OneOf("a", []), Some("a", values("a"), 2, 2), Lazy(lambda: None)])
def test_nothing_is_made_where_there_is_nothing(part: Part) -> None:
    assert len(part) == 0
    assert part.draw(Random(1).random) is None
    assert part.draw(Random(1).random, wide=True) is None
    assert not part.has({})
    assert not part.has({"a": "a"})


def test_only_what_is_not_told_is_uncertain() -> None:
    assert not Answers("go", UNTOLD).certain
    assert Answers("go", NONE).certain
    assert list(Answers("go", UNTOLD)) == []


def test_a_lazy_part_is_made_once_and_only_when_asked() -> None:
    asked = []

    def of(word: str) -> Part:
        asked.append(word)
        return Some("place", values(word), 1, 1)

    part = OneOf("leader", [Value(word, Lazy(partial(of, word))) for word in ("ab", "cd", "ef")])
    assert asked == []
    part.draw(Random(1).random)
    assert len(asked) == 1
    assert [len(part), len(bodies(part)), len(Answers("go", part).tree())] == [6, 6, 4]
    assert sorted(asked) == ["ab", "cd", "ef"]


def test_a_part_that_is_shared_stands_once_in_the_tree() -> None:
    once = Some("place", values("ab"), 1, 2)
    alike = Some("place", values("ab"), 1, 2)
    part = OneOf("leader", [Value("x", once), Value("y", once), Value("z", Lazy(lambda: alike))])
    told = shown(part)["parts"]
    assert [each["some"] for each in told if "some" in each] == ["place"]
    assert [value["then"] for value in told[-1]["values"]] == [0, 0, 0]


def test_what_is_shut_is_shown_and_never_made() -> None:
    assert bodies(LEADERS) == [{"leader": "paullus"}, {"leader": "fabius"}]
    assert not LEADERS.has({"leader": "varro"})
    (told,) = shown(LEADERS)["parts"]
    assert told["values"][1] == {"word": "varro", "why": "has moved"}


def test_a_key_that_is_left_out_means_its_default() -> None:
    part = PARTS["one that is meant anyhow"]
    assert bodies(part) == [{}, {"with": ["b"]}, {"with": ["b", "c"]}]
    assert part.has({"with": []})
    assert part.has({"with": ["c", "b"]}), "the order of a list does not matter"
    assert PARTS["a share"].has({}), "as many as usual"
    assert not PARTS["a share"].has({"elephants": 1}), "ten of ten have both elephants"
    assert PARTS["a share"].has({"elephants": 2})


def test_no_number_is_yes() -> None:
    assert not OneOf("fight", [Value(True)]).has({"fight": 1})
    assert not Share(("cu", None), 3, 0, [1]).has({"cu": True})


def test_a_value_is_drawn_as_often_as_its_weight() -> None:
    part, random = OneOf("a", [Value(1), Value(2, weight=9)]), Random(1).random
    assert 850 < sum(part.draw(random) == {"a": 2} for _ in range(1000)) < 950


@given(st.integers(0, 7), st.integers(0, 4), st.integers(0, 4))
def test_selections_are_the_combinations(count: int, least: int, more: int) -> None:
    words = [str(at) for at in range(count)]
    part = Some("a", [Value(word) for word in words], least, least + more)
    expected = [list(some) for size in range(least, least + more + 1) for some in combinations(words, size)]
    assert [body["a"] for body in bodies(part)] == expected


@given(st.lists(st.integers(0, 3), max_size=5), st.integers(0, 3), st.integers(0, 3))
def test_selections_with_room_are_combinations_with_it(room: list[int], least: int, more: int) -> None:
    rooms = {str(at): each for at, each in enumerate(room)}
    part = Some("a", [Value(word) for word in rooms], least, least + more, room=rooms)
    expected = [
        list(some)
        for size in range(least, least + more + 1)
        for some in combinations_with_replacement(rooms, size)
        if all(some.count(word) <= rooms[word] for word in some)
    ]
    assert [body["a"] for body in bodies(part)] == expected


def test_a_walk_lists_a_cheapest_way_to_each_end() -> None:
    ways = [body["path"] for body in bodies(Walk("path", "a", ROAD, 2))]
    assert ways == [[{"to": "b"}], [{"to": "d", "by": "sea"}], [{"to": "b"}, {"to": "c"}]]
    there_and_back = {"path": [{"to": "b"}, {"to": "a"}]}
    assert not Walk("path", "a", ROAD, 1).has(there_and_back), "two steps for one point"
    assert Walk("path", "a", ROAD, 2, stay=True).has(there_and_back)


def test_a_walk_ends_where_it_is_stopped() -> None:
    barred = Graph(steps, stops={"b"})
    assert Walk("path", "a", barred, 3).make(0) == {"path": [{"to": "b"}]}
    assert not Walk("path", "a", barred, 3).has({"path": [{"to": "b"}, {"to": "c"}]})
    assert Walk("path", "b", barred, 3).has({"path": [{"to": "c"}]}), "it may set out from there"


def test_ground_stands_once_in_a_tree_for_all_its_walks() -> None:
    part = OneOf("leader", [Value(start, Walk("path", start, ROAD, points)) for start, points in (("b", 1), ("c", 2))])
    (ground,) = shown(part)["grounds"]
    assert ground["edges"]["c"] == [["b", 1], ["d", 1]]
    assert ground["says"] == {"sea": ["sail"]}


def test_a_list_keeps_its_order_and_becomes_a_structure() -> None:
    part = listed([{"do": "a", "at": 1}, {"do": "b"}, {"do": "a", "at": 2}], of={"at": "space"})
    assert bodies(part) == [{"do": "a", "at": 1}, {"do": "b"}, {"do": "a", "at": 2}]
    assert [each["one"] for each in shown(part)["parts"]] == ["at", "do"]


def test_choices_are_a_sequence_of_orders() -> None:
    orders = Answers("go", OneOf("at", values("abc")))
    assert orders[0] == Order("go", {"at": "a"})
    assert orders[-1] == Order("go", {"at": "c"})
    assert orders[1:] == [Order("go", {"at": "b"}), Order("go", {"at": "c"})]
    assert list(orders) == [orders[0], orders[1], orders[2]]
    assert orders.has(Order("go", {"at": "b"}))
    assert not orders.has(Order("stay", {"at": "b"}))
    assert orders.pick(lambda: 0.5) == orders[1]
    with pytest.raises(IndexError):
        orders[3]
