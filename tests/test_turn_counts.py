"""How many answers there are at the start of the war, counted by hand, and once more by trying everything.

Hannibal: Rome vs. Carthage, standard scenario. The numbers by hand:

* Markers. Of 96 spaces 13 are walled cities and 8 tribes, 29 have a Carthaginian marker, 26 a Roman one: 20 are
  free, and no army stands on an enemy marker. A card of n places 1 to n: 20, 20 + 190, 20 + 190 + 1140.
* Carthage. Saguntum has four roads and 10 CU, 2 of them elephants. A force of 1 CU has 0 or 1 elephants, of 2 to 8
  CU 0 to 2, of 9 at least 1, of 10 both: 2 + 7 x 3 + 2 + 1 = 26, and 27 with the generals alone. Hannibal may go
  alone, with either of the others or with both (4 parties); Mago and Gisgo, with a 2, alone or with each other
  (2 + 2), for neither commands Hannibal. Hasdrubal (2) has four roads from New Carthage and 0 to 2 CU, Hanno (3)
  four from Carthage and 0 to 4.
* Rome. A consul's army keeps 5 CU or leaves none behind: of 8 CU 5, 6, 7 or 8 march, and no consul goes alone.
  Longus (2) has three roads from Agrigentum, Scipio (3) four from Rome.
* Raising a unit takes a 3 and a general in a friendly space of a friendly province: all of them are. A card can
  always be laid off, except the one that claimed the first play.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import pytest

from pbem.protocol import Decision, Order
from tests.walks import faults_of_shape, loaded, start

GAME, PRESET = "rome_carthage", "valley2007"
OPS_1, OPS_2, OPS_3, CAMPAIGN = 6, 5, 1, 33

MARKERS = {1: 20, 2: 20 + 190, 3: 20 + 190 + 1140}
HANNIBAL = 4 * 27 * 4
MAGO_AND_GISGO = (2 + 2) * 27 * 4
HASDRUBAL, HANNO = 3 * 4, 5 * 4
LONGUS, SCIPIO = 4 * 3, 4 * 4
LAY_OFF = 1


def standing(**changes: Any) -> Any:
    """Return the position at the start with some changes; cards that lie nowhere are in the deck."""
    rules = loaded(GAME, PRESET).rules
    written = {**rules.encode(start(rules, "standard", 1)), **changes}
    return rules.settle(rules.decode(written))  # type: ignore[attr-defined]


def choices(position: Any, side: str, kind: str) -> list[Order]:
    rules = loaded(GAME, PRESET).rules
    found = rules.options(rules.known(position, side), Decision(kind, side, "", {}))
    orders = list(found)
    assert len(orders) == len(found)
    assert len({written(order) for order in orders}) == len(orders), "no two choices are the same"
    return orders


def written(order: Order) -> str:
    return json.dumps(order.body, sort_keys=True)


@pytest.mark.parametrize(("hand", "count"), [([OPS_1, OPS_2], 1), ([CAMPAIGN, OPS_1], 2), ([33, 34, 37, 1], 4)])
def test_a_claim_to_the_first_play(hand: list[int], count: int) -> None:
    """`none`, and each Campaign card in hand."""
    position = standing(phase="first_play", hands={"rome": hand, "carthage": []})
    assert len(choices(position, "rome", "claim_first")) == count


def test_the_first_player_is_one_of_two() -> None:
    assert len(choices(standing(phase="first_play"), "carthage", "first_player")) == 2


@pytest.mark.parametrize(
    ("side", "hand", "count"),
    [
        ("carthage", [OPS_1], MARKERS[1] + HANNIBAL + LAY_OFF),
        ("carthage", [OPS_2], MARKERS[2] + HANNIBAL + MAGO_AND_GISGO + HASDRUBAL + LAY_OFF),
        ("carthage", [OPS_3], MARKERS[3] + HANNIBAL + MAGO_AND_GISGO + HASDRUBAL + HANNO + 5 + LAY_OFF),
        ("carthage", [OPS_1, OPS_2, OPS_3], 453 + 1087 + 2252),
        ("rome", [OPS_1], MARKERS[1] + LAY_OFF),
        ("rome", [OPS_2], MARKERS[2] + LONGUS + LAY_OFF),
        ("rome", [OPS_3], MARKERS[3] + LONGUS + SCIPIO + 2 + LAY_OFF),
        ("rome", [], 0),
    ],
)
def test_a_card_play(side: str, hand: list[int], count: int) -> None:
    position = standing(phase="strategy", to_play=side, hands={"rome": [], "carthage": [], side: hand})
    assert len(choices(position, side, "play")) == count


def test_the_card_that_claimed_the_first_play_must_be_played() -> None:
    hands = {"rome": [CAMPAIGN, OPS_1], "carthage": []}
    position = standing(phase="strategy", to_play="rome", must_play=CAMPAIGN, hands=hands)
    assert len(choices(position, "rome", "play")) == MARKERS[3] + LONGUS + SCIPIO + 2


@pytest.mark.parametrize("side", ["carthage", "rome"])
def test_the_choices_are_all_that_the_check_lets_pass(side: str) -> None:
    """Try every march one might write, wrong ones too, and single markers: what passes is what is offered."""
    rules = loaded(GAME, PRESET).rules
    for card in (OPS_1, OPS_2, OPS_3):
        position = standing(phase="strategy", to_play=side, hands={"rome": [], "carthage": [], side: [card]})
        known, decision = rules.known(position, side), Decision("play", side, "", {})
        tried = [*marches(position, side, card), *other_uses(position, card)]
        passed = {written(order) for order in tried if not list(rules.check(known, decision, order))}
        offered = {written(order) for order in choices(position, side, "play") if len(order.get("place", "x")) == 1}
        assert passed == offered
        assert not any(faults_of_shape(GAME, tried[at]) for at in range(0, len(tried), 997))


def marches(position: Any, side: str, card: int) -> Iterator[Order]:
    """Yield first steps of marches with any general, any company, too many CU and elephants, to anywhere near."""
    board = position.board
    homes = {general: space for general, space, _, _ in position.generals_in_play(side)}
    near = sorted({to for home in homes.values() for to in [home, *board.neighbours[home]]})
    for general in homes:
        others = [other for other in homes if other != general]
        for size in range(3):
            for company, cu, elephants, to in product(combinations(others, size), range(12), range(4), near):
                body = {"card": card, "as": "operations", "general": general, "cu": cu, "elephants": elephants}
                yield Order("play", {**body, "with": list(company), "path": [to], "then": "ask"})


def other_uses(position: Any, card: int) -> Iterator[Order]:
    """Yield one marker on each space, a unit raised with each general, and laying the card off."""
    for space in position.board.spaces:
        yield Order("play", {"card": card, "as": "operations", "place": [space]})
    for general in position.board.generals:
        yield Order("play", {"card": card, "as": "operations", "raise": general})
    yield Order("play", {"card": card, "as": "discard"})
