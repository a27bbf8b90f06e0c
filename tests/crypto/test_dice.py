"""Dice: the scheme as written down, fairness, and what loaded dice refuse."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.crypto.dice import (
    INPUTS,
    SCHEME,
    BadLoad,
    Chain,
    ChainDice,
    LoadedDice,
    NotLoaded,
    SeededDice,
    below,
    canonical,
    check_link,
    inputs_digest,
    step_key,
)
from tests.support.bencode import parse
from tests.support.soak import quick_first

SECRET, HIDDEN = b"a secret of thirty-two bytes ...", b"another one, for what is hidden."
CHAIN = Chain(SECRET, 100)
TURN: dict[str, Any] = {
    "adjudication": 42,
    "previous": "5f" * 32,
    "joined": {"rome": {"phrase": "Cannae!", "chain": {"tip": "66" * 32, "length": 500}}},
    "sheets": {
        "rome": {"sheets/rome/000/0001.age": "11" * 32},
        "carthage": {"sheets/carthage/000/0007.age": "22" * 32},
    },
    "standing": {"rome": "44" * 32},
    "player_chains": {"rome": {"link": "55" * 32}},
    "rolls": [],
}
BEFORE = "77" * 32
DIGEST = inputs_digest(BEFORE, TURN)
KEY = step_key(CHAIN.link(42), "punica", 42, DIGEST)


def dice() -> ChainDice:
    return ChainDice(KEY, HIDDEN)


class TestKnownAnswers:
    """These never change under the name chain-v2: every game that is under way depends on them."""

    def test_chain(self) -> None:
        assert SCHEME == "chain-v2"
        assert CHAIN.tip == "8be3ba0a4908a725db9d802dc0aef59966567bf9122e2d022ca0562e8f1fe1cc"
        assert CHAIN.link(1) == "d708d7a0198138a6057a4a2bfe625f048f75fc5c500a26c3a3a9b548fe7bc971"
        assert CHAIN.link(100) == hashlib.sha256(SECRET).hexdigest()
        assert Chain(SECRET).tip == "18147b28c2bbf43377dc4f4bc4c2c0f890f4a05e13b20eaeb9a4db21fd4deb82"

    def test_keys(self) -> None:
        assert DIGEST == "af9adb0934f06d489368063120bd1085d71bdd71ff981e601bf906e91ed2f2b4"
        assert KEY.hex() == "514fd00f19708e8e227b79ca1477dcdc620656d71f043308573eb33ac74358c7"

    def test_faces(self) -> None:
        assert dice().faces("battle/cannae/round-2", 8, 6) == [5, 6, 5, 1, 3, 1, 5, 2]
        assert dice().faces("battle/cannae/round-2", 3, 2) == [1, 2, 1]
        assert dice().faces("weather", 20, 1000) == [
            380, 836, 598, 182, 742, 509, 860, 869, 803, 522,
            886, 568, 813, 656, 122, 430, 664, 730, 276, 446,
        ]  # fmt: skip

    def test_shuffle(self) -> None:
        assert dice().shuffled("deck", range(1, 21)) == [
            5, 17, 9, 4, 20, 12, 10, 2, 16, 1, 3, 6, 14, 11, 19, 8, 18, 7, 15, 13,
        ]  # fmt: skip


def sceptic(key: bytes, kind: str, *label: str) -> list[int]:
    """Draw numbers again, with nothing of ours: the labels are bencoded by hand."""
    numbers: list[int] = []
    for block in range(8):
        text = "l" + "".join(f"{len(word)}:{word}" for word in (kind, *label)) + f"i{block}e" + "e"
        digest = hmac.new(key, text.encode(), hashlib.sha256).digest()
        numbers += [digest[i] * 256 + digest[i + 1] for i in range(0, 32, 2)]
    return numbers


def test_a_sceptic_can_check_a_roll_without_our_code() -> None:
    for sides in (2, 6, 10, 1000):
        fair = [n for n in sceptic(KEY, "faces", "ambush") if n < 65536 // sides * sides]
        assert dice().faces("ambush", 90, sides) == [n % sides + 1 for n in fair[:90]]


def test_a_sceptic_can_check_a_shuffle_once_the_secret_is_out() -> None:
    order = list("hannibal")
    numbers = iter(sceptic(HIDDEN, "shuffle", KEY.hex(), "deck"))
    for last in range(7, 0, -1):
        limit = last + 1
        other = next(n for n in numbers if n < 65536 // limit * limit) % limit
        order[last], order[other] = order[other], order[last]
    assert dice().shuffled("deck", "hannibal") == order


def test_links_follow_each_other() -> None:
    for n in range(1, 101):
        assert check_link(CHAIN.link(n), CHAIN.link(n - 1) if n > 1 else CHAIN.tip)
    assert not check_link(CHAIN.link(2), CHAIN.tip)


def test_a_link_lies_as_many_links_behind_as_it_must() -> None:
    for count in (1, 2, 7):
        assert check_link(CHAIN.link(3 + count), CHAIN.link(3), count)
        assert not check_link(CHAIN.link(4 + count), CHAIN.link(3), count)
        assert not check_link(CHAIN.link(2 + count), CHAIN.link(3), count)
    for count in (0, -1):
        assert not check_link(CHAIN.link(3), CHAIN.link(3), count), "a link that was opened before is none"


@pytest.mark.parametrize("link", ["", "00", "no hex", CHAIN.link(1)[:-2], CHAIN.link(1).upper(), CHAIN.link(1) + " "])
def test_what_is_no_link_is_refused(link: str) -> None:
    assert not check_link(link, CHAIN.tip)


def test_there_is_no_link_before_the_first() -> None:
    with pytest.raises(ValueError, match="from number 1 on"):
        CHAIN.link(0)


def test_chain_is_renewed_as_its_last_link_is_opened() -> None:
    """A chain is renewed by the adjudication that opens its last link."""
    short = Chain(SECRET, 5)
    tip = short.tip
    for n in range(1, 18):
        assert check_link(short.link(n), tip), n
        renewal = short.renewal(n)
        assert (renewal is not None) == (n in (5, 10, 15))
        tip = renewal or short.link(n)
    assert len({short.link(n) for n in range(1, 18)}) == 17


def test_a_chain_does_not_print_its_links() -> None:
    assert CHAIN.link(1) not in repr(CHAIN)


CANONICAL = st.recursive(
    st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(CANONICAL)
def test_no_two_values_share_an_encoding(value: object) -> None:
    text = canonical(value)  # type: ignore[arg-type]
    assert parse(text) == (value, len(text))


def test_the_encoding_knows_no_order_of_keys_and_no_other_types() -> None:
    assert canonical({"b": 1, "a": 2}) == canonical({"a": 2, "b": 1})
    for wrong in (True, None, 1.5, b"bytes", {1: "one"}):
        with pytest.raises((TypeError, AttributeError)):
            canonical(wrong)  # type: ignore[arg-type]


def test_everything_that_goes_in_changes_every_face() -> None:
    turn = {**TURN, "beacon": {"round": 7, "signature": "ab"}, "act": {"kind": "ruling", "side": "rome", "to": 3}}
    others = [
        {**turn, word: {**turn[word], key: "other"}}
        for word, keys in INPUTS.items()
        for key in keys or ("carthage", "syracuse")
    ]
    others += [{key: value for key, value in turn.items() if key != word} for word in INPUTS]
    digests = {inputs_digest(BEFORE, each) for each in [turn, *others]} | {inputs_digest("78" * 32, turn)}
    assert len(digests) == 1 + len(others) + 1
    link = CHAIN.link(1)
    keys = {step_key(link, "g", 1, d) for d in digests} | {step_key(link, "g", 2, "d"), step_key(link, "h", 1, "d")}
    assert len({tuple(ChainDice(key, HIDDEN).faces("x", 20, 6)) for key in keys}) == len(digests) + 2


OUTPUTS: tuple[dict[str, Any], ...] = (
    {"previous": "60" * 32}, {"day": "2026-11-23"}, {"late": ["rome"]}, {"absent": ["rome"]},
    {"answers": [{"side": "rome", "by": "default"}]}, {"rolls": [1]}, {"draws": [1]}, {"events": [1]},
    {"open_decisions": [1]}, {"result": {"winner": "rome"}}, {"position": "61" * 32}, {"renewal": "62" * 32},
    {"code": "63" * 32},
)  # fmt: skip


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: next(iter(output)))
def test_what_comes_of_a_turn_turns_no_die(output: dict[str, Any]) -> None:
    assert inputs_digest(BEFORE, TURN | output) == DIGEST


def test_free_text_turns_no_die() -> None:
    for word, said, others in (
        ("act", {"kind": "ruling", "side": "rome"}, ({"reason": "a"}, {"reason": "b"}, {"hidden": "c"}, {"by": "d"})),
        ("beacon", {"round": 7}, ({"missing": "it is late"}, {"missing": "it is gone"})),
    ):
        digests = {inputs_digest(BEFORE, TURN | {word: said | other}) for other in ({}, *others)}
        assert len(digests) == 1, word


@pytest.mark.parametrize("sides", quick_first([2, 3, 6, 10, 256, 257, 1000], 2))
def test_every_face_stands_for_equally_many_numbers(sides: int) -> None:
    tally: Counter[int] = Counter()
    refused = 0
    for number in range(65536):
        try:
            tally[below(sides, iter([number]))] += 1
        except StopIteration:
            refused += 1
    assert set(tally.values()) == {65536 // sides}
    assert sorted(tally) == list(range(sides))
    assert refused == 65536 % sides


def chi_square(tally: Counter[Any], cells: int) -> float:
    mean = tally.total() / cells
    return sum((count - mean) ** 2 / mean for count in tally.values()) + (cells - len(tally)) * mean


KINDS = pytest.mark.parametrize(
    "kind", [lambda: ChainDice(KEY, HIDDEN), lambda: SeededDice(218)], ids=["chain", "seeded"]
)


@KINDS
def test_faces_are_even(kind) -> None:
    fair = kind()
    pairs = Counter(tuple(fair.faces(f"roll/{n}", 2, 6)) for n in range(9000))
    assert chi_square(pairs, 36) < 80  # 35 degrees of freedom: exceeded by chance once in 40,000 seeds


@KINDS
def test_orders_are_even(kind) -> None:
    fair = kind()
    orders: Counter[tuple[str, ...]] = Counter(tuple(fair.shuffled(f"deck/{n}", "abcd")) for n in range(6000))
    assert set(orders) == set(permutations("abcd"))
    assert chi_square(orders, 24) < 62  # 23 degrees of freedom: once in 50,000 seeds


@KINDS
@pytest.mark.parametrize(("count", "sides"), [(1, 1), (1, 0), (1, 1001), (-1, 6)])
def test_dice_that_do_not_exist_are_refused(kind, count: int, sides: int) -> None:
    with pytest.raises(ValueError, match="dice have 2 to 1000 sides"):
        kind().faces("x", count, sides)


@KINDS
def test_shuffling_leaves_what_it_is_given_alone(kind) -> None:
    deck = list(range(100))
    shuffled = kind().shuffled("deck", deck)
    assert deck == list(range(100)) == sorted(shuffled) != shuffled
    assert kind().shuffled("none", []) == []


class TestChainDice:
    def test_code_moved_about_changes_no_roll(self) -> None:
        one, other = dice(), dice()
        assert one.faces("a", 5, 6) == [other.shuffled("c", "xyz"), other.faces("b", 5, 6), other.faces("a", 5, 6)][2]

    def test_more_dice_begin_with_the_same_faces(self) -> None:
        assert dice().faces("a", 40, 6)[:2] == dice().faces("a", 2, 6)

    def test_steps_can_be_turned_to_and_back(self) -> None:
        other = step_key(CHAIN.link(43), "punica", 43, DIGEST)
        turning = dice()
        first = turning.faces("a", 20, 6), turning.shuffled("b", range(20))
        turning.reseed(other)
        second = turning.faces("a", 20, 6), turning.shuffled("b", range(20))
        turning.reseed(KEY)
        assert (turning.faces("a", 20, 6), turning.shuffled("b", range(20))) == first
        assert ChainDice(other, HIDDEN).faces("a", 20, 6) == second[0] != first[0]
        assert second[1] != first[1]

    def test_the_hidden_secret_decides_shuffles_only(self) -> None:
        other = ChainDice(KEY, b"x" * 32)
        assert other.faces("a", 20, 6) == dice().faces("a", 20, 6)
        assert other.shuffled("a", range(20)) != dice().shuffled("a", range(20))


class TestSeededDice:
    def test_the_seed_decides(self) -> None:
        assert SeededDice(1).faces("a", 20, 6) == SeededDice(1).faces("a", 20, 6)
        assert len({tuple(SeededDice(seed).faces("a", 20, 6)) for seed in (1, 2, "1", "2")}) == 4

    def test_these_faces_are_kept(self) -> None:
        assert SeededDice(1).faces("a", 10, 6) == [4, 3, 2, 4, 3, 3, 2, 1, 5, 3]
        assert SeededDice(1).shuffled("a", range(10)) == [1, 0, 6, 9, 3, 5, 4, 2, 8, 7]

    def test_a_name_that_comes_again_falls_anew(self) -> None:
        seeded = SeededDice(1)
        assert len({tuple(seeded.faces("a", 20, 6)) for _ in range(50)}) == 50

    def test_other_names_do_not_matter(self) -> None:
        seeded = SeededDice(1)
        seeded.faces("b", 20, 6)
        seeded.shuffled("c", range(20))
        assert seeded.faces("a", 20, 6) == SeededDice(1).faces("a", 20, 6)

    def test_turning_to_a_step_begins_it_afresh(self) -> None:
        seeded = SeededDice(1)
        seeded.reseed(b"step 1")
        first = seeded.faces("a", 20, 6)
        seeded.reseed(b"step 2")
        second = seeded.faces("a", 20, 6)
        seeded.reseed(b"step 1")
        assert first == seeded.faces("a", 20, 6) != second
        other = SeededDice(2)
        other.reseed(b"step 1")
        assert other.faces("a", 20, 6) != first

    def test_many_dice_do_not_repeat_themselves(self) -> None:
        faces = SeededDice(1).faces("a", 4000, 1000)
        assert len({tuple(faces[i : i + 8]) for i in range(0, 4000, 8)}) == 500


class TestLoadedDice:
    def test_they_fall_as_told(self) -> None:
        loaded = LoadedDice({"a": [3, 4], "b": [1]})
        assert loaded.faces("a", 2, 6) == [3, 4]
        assert loaded.unused() == ["b"]
        assert loaded.faces("b", 1, 6) == [1]
        assert loaded.unused() == []

    def test_what_is_not_loaded_is_named(self) -> None:
        with pytest.raises(NotLoaded, match=r"no faces are loaded for b \(2 dice of 6 sides\); .* not yet used: a$"):
            LoadedDice({"a": [3]}).faces("b", 2, 6)
        with pytest.raises(NotLoaded, match=r"no order is loaded for deck \(3 items\); nothing loaded is left"):
            LoadedDice({"deck": [3]}).shuffled("deck", "abc")

    def test_a_name_that_comes_again_has_a_number(self) -> None:
        loaded = LoadedDice({"a": [3], "a#2": [4]})
        assert [loaded.faces("a", 1, 6), loaded.faces("a", 1, 6)] == [[3], [4]]
        with pytest.raises(NotLoaded, match=r"a#3 \(1 die of 6 sides\)"):
            loaded.faces("a", 1, 6)

    @pytest.mark.parametrize(
        ("faces", "reason"),
        [
            ([3], r"a rolls 2 dice of 6 sides, but 1 faces are loaded: \[3\]"),
            ([], r"but 0 faces are loaded"),
            ([3, 7], "7 is none of the faces 1 to 6"),
            ([0, 1], "0 is none of the faces 1 to 6"),
            ([1, "2"], "2 is none of the faces 1 to 6"),
        ],
    )
    def test_faces_that_do_not_fit_are_refused(self, faces: list[int], reason: str) -> None:
        loaded = LoadedDice({"a": faces})
        with pytest.raises(BadLoad, match=reason):
            loaded.faces("a", 2, 6)
        assert loaded.unused() == ["a"]

    def test_a_shuffle_begins_as_told(self) -> None:
        loaded = LoadedDice({}, {"deck": [33, 7]})
        assert loaded.shuffled("deck", [1, 7, 12, 33, 64]) == [33, 7, 1, 12, 64]
        assert loaded.unused() == []

    def test_a_shuffle_knows_twins(self) -> None:
        assert LoadedDice({}, {"cup": [1, 1]}).shuffled("cup", [2, 1, 1, 1]) == [1, 1, 2, 1]
        with pytest.raises(BadLoad, match="cup: 2 is loaded more often than it is among the 4 items"):
            LoadedDice({}, {"cup": [2, 2]}).shuffled("cup", [2, 1, 1, 1])

    def test_a_shuffle_of_something_else_is_refused(self) -> None:
        with pytest.raises(BadLoad, match="deck: 65 is not among the 2 items"):
            LoadedDice({}, {"deck": [65]}).shuffled("deck", [1, 64])

    def test_others_may_stand_in(self) -> None:
        loaded = LoadedDice({"a": [3]}, {"deck": [33]}, otherwise=SeededDice(1))
        assert loaded.faces("b", 20, 6) == SeededDice(1).faces("b", 20, 6)
        assert loaded.shuffled("cup", range(9)) == SeededDice(1).shuffled("cup", range(9))
        assert loaded.unused() == ["a", "deck"]

    def test_those_who_stand_in_are_turned_too(self) -> None:
        loaded = LoadedDice({"a": [3]}, otherwise=ChainDice(b"x" * 32, HIDDEN))
        loaded.reseed(KEY)
        assert loaded.faces("b", 20, 6) == dice().faces("b", 20, 6)
        LoadedDice({}).reseed(KEY)
