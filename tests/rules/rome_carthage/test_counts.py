"""How many answers there are to a question, counted by hand, and once more by trying everything.

Hannibal: Rome vs. Carthage. The card plays of several positions stand with their arithmetic in
`counts.yaml` beside this file, kind by kind.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.cases.compare import change
from pbem.game import Answers, cheapest
from pbem.game import yaml as yamlio
from pbem.protocol import Decision, Order
from pbem.rules.rome_carthage.movement.paths import closed, step_cost
from tests.support.soak import quick_first
from tests.support.walks import faults_of_shape, loaded, start

GAME = "rome_carthage"
EDITIONS = ("valley2007", "descartes1998")
OPS_1, OPS_2, OPS_3, CAMPAIGN = 17, 5, 1, 34
OVERSEAS = ("rome", "agrigentum", "utica", "carthage", "gades", "tarraco", "capua")
"""Where a voyage is tried to: own cities and enemy ones, other ports, armies of both sides, and no port."""
REACH = {
    "carthage saguntum": 24,
    "carthage new_carthage": 21,
    "carthage carthage": 14,
    "rome agrigentum": 6,
    "rome rome": 25,
}
COUNTS = yamlio.read((Path(__file__).parent / "counts.yaml").read_bytes(), name="counts").value


def standing(edition: str = EDITIONS[0], **changes: Any) -> Any:
    """Return the position at the start with some changes; cards that lie nowhere are in the deck."""
    rules = loaded(GAME, edition).rules
    written = rules.encode(start(rules, "standard", 1))
    for dotted, value in changes.items():
        assert change(written, dotted, value) is None
    position = rules.settle(rules.decode(written))
    assert list(rules.audit(position)) == []
    return position


def choices(position: Any, side: str, kind: str) -> list[Order]:
    rules = loaded(GAME).rules
    found = rules.legal_orders(rules.view(position, side), Decision(kind, side, "", {}))
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


def to_play(side: str, hand: list[int], edition: str = EDITIONS[0], **changes: Any) -> Any:
    """Return a position in which a side is to play a card of this hand."""
    hands = {"rome": [], "carthage": [], side: hand}
    return standing(edition, **changes, phase="strategy", to_play=side, hands=hands)


def sort_of(order: Order) -> str:
    """Return under what a card play is counted."""
    body = order.body
    if "place" in body:
        return "markers"
    if "raise" in body:
        return "raise"
    if "sortie" in body:
        return "sortie"
    if body.get("then") in ("inside", "ask"):
        return str(body["then"])
    if "path" in body:
        first = body["path"][0]
        if isinstance(first, dict) and first.get("by") == "sea":
            return "into_city" if "into" in first else "sea"
        return "land"
    return "discard" if body["as"] == "discard" else "event"


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("told", [pytest.param(told, id=told["name"]) for told in COUNTS])
def test_card_plays(told: dict[str, Any], edition: str) -> None:
    position = to_play(told["side"], told["hand"], edition, **told.get("with", {}))
    counts = {sort: count[edition] if isinstance(count, dict) else count for sort, count in told["counts"].items()}
    assert Counter(map(sort_of, choices(position, told["side"], "play"))) == +Counter(counts)


@pytest.mark.parametrize(("side", "start", "count"), [(*each.split(), n) for each, n in REACH.items()])
def test_reach_is_what_the_lines_of_the_map_give(side: str, start: str, count: int) -> None:
    """Count what stands above the counts once more, from the lines alone."""
    position = to_play(side, [OPS_1])
    board = position.board

    def steps(space: str) -> list[tuple[str, int]]:
        ways = board.neighbours[space].items()
        return [(to, step_cost(position, kind)) for to, kind in ways if not closed(position, side, space, to)]

    assert len(cheapest(start, steps, 4)) - 1 == count


def test_three_cards_are_three_times_as_many() -> None:
    each = [sum(told["counts"].values()) for told in COUNTS[:3]]
    assert [told["hand"] for told in COUNTS[:3]] == [[OPS_1], [OPS_2], [OPS_3]]
    assert len(choices(to_play("carthage", [OPS_1, OPS_2, OPS_3]), "carthage", "play")) == sum(each)


def test_without_a_card_there_is_no_play() -> None:
    assert choices(to_play("rome", []), "rome", "play") == []


def test_the_card_that_claimed_the_first_play_must_be_played() -> None:
    """Laid off it would be one way more."""
    (told,) = [told for told in COUNTS if told["name"] == "set-up, Rome, a campaign"]
    position = to_play("rome", [CAMPAIGN, OPS_1], must_play=CAMPAIGN)
    assert len(choices(position, "rome", "play")) == sum(told["counts"].values()) - told["counts"]["discard"]


@pytest.mark.parametrize("edition", [EDITIONS[0], pytest.param(EDITIONS[1], marks=pytest.mark.soak)])
@pytest.mark.parametrize("side", quick_first(["rome", "carthage"]))
@pytest.mark.parametrize(
    "card", [OPS_1, pytest.param(OPS_2, marks=pytest.mark.slow), pytest.param(OPS_3, marks=pytest.mark.soak)]
)
def test_the_choices_are_all_that_the_check_lets_pass(card: int, side: str, edition: str) -> None:
    """Try every march one might write, wrong ones too, and single markers: what passes is what is offered."""
    rules = loaded(GAME, edition).rules
    position = to_play(side, [card], edition)
    view, decision = rules.view(position, side), Decision("play", side, "", {})
    legal = Answers("play", rules.choices(view, decision))
    tried = [*marches(position, side, card), *other_uses(position, card)]
    passed = {written(order) for order in tried if not list(rules.check(view, decision, order))}
    assert passed == {written(order) for order in tried if legal.has(order)}
    offered = [order for order in legal if is_tried(order)]
    assert len(offered) > 20
    assert not [order for order in offered if list(rules.check(view, decision, order))]
    assert not any(faults_of_shape(GAME, tried[at]) for at in range(0, len(tried), 997))


def is_tried(order: Order) -> bool:
    """Tell whether a choice is among those that are tried: of markers single ones, of voyages some."""
    if sort_of(order) in ("sea", "into_city"):
        return order["path"][0]["to"] in OVERSEAS
    return len(order.get("place", "x")) == 1


def marches(position: Any, side: str, card: int) -> Iterator[Order]:
    """Yield first steps of marches with any general, any company, too many CU and elephants, to anywhere near.

    With a ship on the card they sail as well.
    """
    board = position.board
    homes = {general: space for general, space, _, _ in position.generals_in_play(side)}
    near: list[Any] = sorted({to for home in homes.values() for to in [home, *board.neighbours[home]]})
    if board.cards[card].ship:
        near += [{"to": to, "by": "sea"} for to in OVERSEAS]
        near += [{"to": to, "by": "sea", "into": "city"} for to in OVERSEAS]
    for general in homes:
        others = [other for other in homes if other != general]
        for size in range(3):
            for company, cu, elephants, to in product(combinations(others, size), range(12), range(4), near):
                body = {"card": card, "as": "operations", "general": general, "cu": cu, "elephants": elephants}
                yield Order("play", {**body, "with": list(company), "path": [to], "then": "ask"})


def other_uses(position: Any, card: int) -> Iterator[Order]:
    """Yield one marker on each space, a unit raised with each general, the event, and laying the card off."""
    for space in position.board.spaces:
        yield Order("play", {"card": card, "as": "operations", "place": [space]})
    for general in position.board.generals:
        yield Order("play", {"card": card, "as": "operations", "raise": general})
    for use in ("event", "discard"):
        yield Order("play", {"card": card, "as": use})
