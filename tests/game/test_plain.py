"""Positions as plain data: written short, read back the same, copied deep."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game.plain import copy, decode, encode, static, twin


@dataclass(slots=True)
class Unit:
    name: str
    steps: int = 4
    officers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class War:
    turn: int = 1
    over: bool = False
    winner: str | None = None
    units: dict[str, dict[str, Unit]] = field(default_factory=dict)
    reserve: list[Unit] = field(default_factory=list)
    leader: Unit | None = None
    notes: Any = None
    board: Any = static()


words = st.text("abc", min_size=1, max_size=3)
units = st.builds(Unit, words, st.integers(0, 9), st.lists(words, max_size=3))
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | words, lambda v: st.lists(v) | st.dictionaries(words, v)
)
wars = st.builds(
    War,
    st.integers(),
    st.booleans(),
    st.none() | words,
    st.dictionaries(words, st.dictionaries(words, units)),
    st.lists(units, max_size=3),
    st.none() | units,
    plain_values,
    st.just("the board"),
)


def rewrite(war: War) -> War:
    return decode(War, json.loads(json.dumps(encode(war))), board="the board")


@given(wars)
def test_what_is_written_is_read_back(war: War) -> None:
    assert rewrite(war) == war
    assert rewrite(war).board == "the board"
    assert encode(rewrite(war)) == encode(war)


@given(wars)
def test_a_copy_is_equal_and_shares_only_the_board(war: War) -> None:
    before = encode(war)
    other = copy(war)
    assert other == war
    assert other.board is war.board
    other.turn += 1
    other.reserve.append(Unit("x"))
    for unit in [*war.reserve, *(unit for of in war.units.values() for unit in of.values())]:
        assert unit not in [one for one in other.reserve if one is unit]
    for of in other.units.values():
        for unit in of.values():
            unit.steps += 1
            unit.officers.append("x")
        of["new"] = Unit("x")
    if isinstance(other.notes, list):
        other.notes.append("x")
    if other.leader is not None:
        other.leader.officers.append("x")
    assert encode(war) == before


def test_only_what_differs_from_its_default_is_written() -> None:
    assert encode(War()) == {}
    assert encode(War(turn=2, reserve=[Unit("x", 4, ["a"])])) == {
        "turn": 2,
        "reserve": [{"name": "x", "officers": ["a"]}],
    }


def test_defaults_are_not_shared_between_two_that_are_read() -> None:
    one, other = decode(War, {}, board=None), decode(War, {}, board=None)
    one.reserve.append(Unit("x"))
    assert other.reserve == []


def test_mappings_come_out_in_the_order_of_their_keys() -> None:
    war = War(units={"b": {"z": Unit("z"), "y": Unit("y")}, "a": {}}, notes={"k": 1, "j": [{"b": 1, "a": 2}]})
    for other in (copy(war), rewrite(war)):
        assert list(other.units) == ["a", "b"]
        assert list(other.units["b"]) == ["y", "z"]
        assert list(other.notes) == ["j", "k"]
        assert list(other.notes["j"][0]) == ["a", "b"]
    assert list(encode(war)["units"]["b"]) == ["y", "z"]


def test_a_twin_shares_what_is_in_it() -> None:
    war = War(reserve=[Unit("x")], board="the board")
    other = twin(war)
    other.turn = 7
    assert war.turn == 1
    assert other.reserve is war.reserve
    assert other.board is war.board


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"trun": 1}, "War has other fields: trun"),
        ({"reserve": [{"steps": 1}]}, "Unit has other fields: name"),
        ({"leader": {"name": "x", "board": 1}}, "Unit has other fields: board"),
        ({"board": 1}, "War has other fields: board"),
    ],
)
def test_fields_that_are_not_there_are_named(written: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        decode(War, written, board=None)


@dataclass
class Odd:
    when: float = 0.0


@dataclass
class Numbered:
    by: dict[int, str] = field(default_factory=dict)


@pytest.mark.parametrize("odd", [Odd(), Numbered()])
def test_what_yaml_cannot_hold_is_refused(odd: Any) -> None:
    with pytest.raises(TypeError):
        encode(odd)
