"""The decks of The Sword of Rome hold to their plan, docs/sword_of_rome/decks.md: places, values, budget."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from pbem.crypto.dice import SeededDice
from pbem.engine.playout import play_out
from pbem.game.boxes.box import open_box
from pbem.protocol import Event
from pbem.render.text.messages import sentences
from tests.support.walks import loaded, start

BOX = open_box("sword_of_rome")
CARDS: Final = BOX.table("cards")["cards"]
BASE_CARDS: Final = BOX.table("cards")["base_cards"]
SIDES: Final = BOX.side_ids
PAGE: Final = Path("docs/sword_of_rome/decks.md").read_text("utf-8")
PLACES: Final = {
    "campaign": {3},
    "nonplayer": {3},
    "leader": {1, 2, 3, 4},
    "battle": {6, 7},
    "siege": {3},
    "levy": {4},
    "support": {5},
    "movement": {3},
    "hand": {2},
    "theme": {4, 5, 6},
}
CU: Final = Fraction(4, 3)
MARKERS: Final = {"appian_way": 2, "duoviri_navales": 2, "wild_beasts": 2, "elephants": 3}
CANCELLED: Final = {"activation": 3, "event": 2, "interception": 2, "avoidance": 2}
WORTH: Final[Mapping[str, Callable[[Any], Fraction | int]]] = {
    "support": int,
    "revolt": lambda told: told["points"],
    "levy": lambda told: told * CU,
    "mercenaries": int,
    "colony": lambda _: 2,
    "roll": lambda told: abs(told["by"]),
    "siege_modifier": abs,
    "intercept": abs,
    "siege_points": int,
    "siege": lambda _: 2,
    "dice": lambda _: 3,
    "no_losses": lambda _: 2,
    "battle_again": lambda _: 4,
    "flight": lambda _: 4,
    "ambush": lambda _: 4,
    "no_city": lambda _: 2,
    "storm": lambda _: 2,
    "sail": lambda _: 2,
    "avoid": lambda _: 2,
    "cancel": lambda told: CANCELLED[told],
    "attrition": lambda _: 2,
    "march": lambda told: Fraction(told, 2),
    "draw": int,
    "plunder": lambda told: told.get("gain", 0) + told.get("lose", 0),
    "unrest": lambda told: Fraction(3 * abs(told), 2),
    "vp": lambda told: 3 * told,
    "insurrection": lambda told: told * CU,
    "campaign": lambda _: 3,
    "nonplayer": lambda _: 2,
    "marker": lambda told: MARKERS[told["name"]],
}
"""Effect -> what it is worth in points of support, as the page has it in words; a leader's stands in `worth`."""
COMMON: Final = (None, "battle_roll", "activation", "event")
"""The moments that come often."""

each_side = pytest.mark.parametrize("side", SIDES)


class Seen(NamedTuple):
    """An event as a report takes it."""

    adjudication: int
    event: Event
    roll: int | None


def deck(side: str) -> list[Mapping[str, Any]]:
    return [card for card in CARDS if card["deck"] == side]


def effects(card: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for effect in card["do"]:
        yield from effect.items()


def worth(card: Mapping[str, Any]) -> Fraction | int:
    """Return what an event is worth in points of support, by the budget."""
    leader = Fraction(1, 2) if card["deck"] == "greeks" else 1
    found: Fraction | int = int(card.get("extra", False))
    for word, told in effects(card):
        found += leader + CU * told.get("cu", 0) if word == "leader" else WORTH[word](told)
    return found


def named(card: Mapping[str, Any]) -> set[str]:
    """Return the powers of others that the conditions of a card name."""
    told = [value for condition in card.get("if", ()) for value in condition.values()]
    words = {value["power"] if isinstance(value, Mapping) else value for value in told if not isinstance(value, list)}
    own = [power["id"] for power in BOX.table("powers")["powers"] if power.get("side") == card["deck"]]
    return words - {*own, "own", "ally", "other"}


def is_less(card: Mapping[str, Any]) -> bool:
    """Tell whether an event is worth less than the value of its card in most positions, as the page counts it."""
    return (
        worth(card) < card["value"]
        or card.get("when") not in COMMON
        or bool(named(card))
        or any(word in condition for condition in card.get("if", ()) for word in ("region", "near"))
        or any(
            word == "siege" or (word == "unrest" and told < 0) or (word == "plunder" and "lose" in told)
            for word, told in effects(card)
        )
    )


@each_side
def test_each_place_has_its_number_of_cards(side: str) -> None:
    places = Counter(card["place"] for card in deck(side))
    assert places.keys() == PLACES.keys()
    assert {place: count for place, count in places.items() if count not in PLACES[place]} == {}
    assert sum(places.values()) == BOX.table("cards")["deck_size"] == 37


@each_side
def test_places_fit_what_the_cards_do(side: str) -> None:
    wanted = {
        "campaign": {"campaign"},
        "nonplayer": {"nonplayer"},
        "leader": {"leader"},
        "levy": {"levy"},
        "siege": {"siege", "siege_points", "siege_modifier"},
        "support": {"support", "revolt", "levy", "draw"},
    }
    for card in deck(side):
        if card["place"] in wanted:
            assert {word for word, _ in effects(card)} <= wanted[card["place"]], card["id"]
        elif card["place"] == "battle":
            assert card["when"].startswith("battle_") or card["when"] == "army_enters", card["id"]


@each_side
def test_values_responses_and_removals(side: str) -> None:
    cards = deck(side)
    values = Counter(card["value"] for card in cards)
    assert [values[value] for value in (1, 2, 3)] == [14, 13, 10] == BOX.table("cards")["values"]
    assert {card["value"] for card in cards if card["place"] == "campaign"} == {3}
    assert {card["value"] for card in cards if card["place"] == "nonplayer"} == {2}
    assert 10 <= sum("when" in card for card in cards) <= 14
    assert 6 <= sum(card.get("remove", False) for card in cards) <= 8
    assert [card["place"] for card in cards if card.get("reshuffle")] == ["levy"]


@each_side
def test_no_event_is_worth_more_than_its_value_and_one(side: str) -> None:
    assert [(card["id"], worth(card)) for card in deck(side) if worth(card) > card["value"] + 1] == []


@each_side
def test_about_one_in_three_is_worth_less_than_its_value(side: str) -> None:
    less = [card["id"] for card in deck(side) if is_less(card)]
    assert 11 <= len(less) <= 14, less
    rows = re.findall(r"^\| ([a-z]\d+) \|.*\| less \|$", PAGE, re.MULTILINE)
    assert sorted(less) == sorted(row for row in rows if row in {card["id"] for card in deck(side)})


def test_every_named_leader_who_is_not_on_the_map_has_an_event() -> None:
    forces = [force for force in BOX.scenario("short")["forces"] if 5 in force.get("players", [5])]
    setup = {leader for force in forces for leader in force["leaders"]}
    wanted = {
        leader["id"]
        for leader in BOX.table("leaders")["leaders"]
        if leader["kind"] == "named" and leader["id"] not in setup and leader.get("role") != "consul"
    }
    told = [each for card in CARDS for word, each in effects(card) if word == "leader"]
    assert {leader for each in told for leader in each["one_of"]} == wanted


def test_no_event_takes_cards_or_ends_the_game() -> None:
    words = {word for card in CARDS for word, _ in effects(card)}
    assert "discard" not in words
    assert [card["id"] for card in CARDS if "vp" in dict(effects(card))] == ["g1"]
    assert next(card for card in CARDS if card["id"] == "g1")["if"] == [{"winner": "own"}, {"army_of": "romans"}]


def test_each_event_of_ours_has_a_name_of_its_own() -> None:
    names = Counter(card["name"] for card in CARDS if "printed" not in card)
    printed = {card["name"] for card in CARDS if "printed" in card}
    assert [name for name, count in names.items() if count > 1 or name in printed] == []


def test_the_page_lists_the_cards_as_they_are() -> None:
    rows = re.findall(r"^\| ([a-z]\d+) \| ([^|]+) \| (\d) \| (\w+) \|.*\| (\w+) \| (?:less)? \|$", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted(
        (card["id"], card["name"], str(card["value"]), card["place"], card.get("printed", "ours")) for card in CARDS
    )
    base = re.findall(r"^\| (\w\d+) \| (\w\d+) \| ([^|]+) \| (\d) \|.*\| (\w+) \|$", PAGE, re.MULTILINE)
    assert sorted(base) == sorted(
        (card["id"], card["in_place_of"], card["name"], str(card["value"]), card.get("printed", "ours"))
        for card in BASE_CARDS
    )


def test_the_page_counts_the_cards_whose_events_are_printed() -> None:
    whole = [card["place"] == "campaign" for card in CARDS if card.get("printed") == "whole"]
    text = " ".join(PAGE.split())
    assert f"So {len(whole)} of the {len(CARDS)} cards count as printed: {whole.count(False)} with events of" in text
    assert f"and {whole.count(True)} Campaigns." in text


def test_cards_of_the_base_game_keep_the_values_of_a_deck() -> None:
    values = {card["id"]: (card["deck"], card["value"]) for card in CARDS}
    assert [(card["deck"], card["value"]) for card in BASE_CARDS] == [
        values[card["in_place_of"]] for card in BASE_CARDS
    ]


def test_every_effect_of_the_decks_is_in_the_budget() -> None:
    assert {word for card in CARDS for word, _ in effects(card)} <= WORTH.keys() | {"leader"}


def test_a_report_marks_the_cards_that_are_ours() -> None:
    facts = [{"side": "romans", "card": card, "use": "event"} for card in ("r21", "r12")]
    told = [Seen(1, Event("card_played", each, "7.1"), None) for each in facts]
    assert [said.text for said in sentences(BOX).tell(told)] == [
        "The Romans play Gallic Tumult° (r21, value 2).",
        "The Romans play Appian Way (r12, value 2).",
    ]


def events_of_bots(seed: int) -> set[str]:
    """Return the cards that five bots play for their events in a whole game."""
    rules: Any = loaded("sword_of_rome").rules
    bots = dict.fromkeys(rules.sides, rules.bot_order)
    scenario = ("short", "full")[seed % 2]
    played = play_out(
        rules, start(rules, scenario, seed), SeededDice(seed), Random(seed), players=bots, check=False
    ).events
    return {str(event.facts["card"]) for event in played if event.kind == "responds"} | {
        str(event.facts["card"])
        for event in played
        if event.kind == "card_played" and event.facts["use"] in ("event", "extra", "campaign")
    }


@pytest.mark.slow
def test_bots_play_events_as_actions_and_as_responses() -> None:
    played = events_of_bots(0) | events_of_bots(2)
    kinds = Counter("response" if card.get("when") else "action" for card in CARDS if card["id"] in played)
    assert kinds["action"] >= 20
    assert kinds["response"] >= 8
    assert {card["deck"] for card in CARDS if card["id"] in played} == {*SIDES}


@pytest.mark.soak
def test_no_event_stays_unused_over_a_hundred_games_of_bots() -> None:
    left = {card["id"] for card in CARDS}
    games = 0
    while left and games < 100:
        left -= events_of_bots(games)
        games += 1
    print(f"every event is played by the bots within {games} games")
    assert sorted(left) == []
