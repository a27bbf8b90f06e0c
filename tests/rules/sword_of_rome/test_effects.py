"""The effects and conditions of The Sword of Rome: each played and refused, on cards that have them for the test.

Those of the cards of the box are played in its cases too. An owner's cards may use every word of the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from pbem.crypto.dice import SeededDice
from pbem.game.plain import copy
from pbem.game.table import Table
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.events import effects
from pbem.rules.sword_of_rome.events.card_uses import ELSEWHERE
from pbem.rules.sword_of_rome.events.conditions import CONDITIONS, hold
from pbem.rules.sword_of_rome.events.effects import EFFECTS
from pbem.rules.sword_of_rome.events.responses import why_no_response
from pbem.rules.sword_of_rome.position.state import (
    Activation,
    Battle,
    CardPlay,
    Force,
    Game,
    March,
    Mark,
    Moment,
    Siege,
)
from pbem.rules.sword_of_rome.views.event_words import CONDITIONS_IN_WORDS as IN_WORDS
from pbem.rules.sword_of_rome.views.event_words import EFFECTS_IN_WORDS, MOMENTS_IN_WORDS, event_in_words
from tests.support.rulings import cases_in
from tests.support.walks import loaded

EVENT_WORDS = re.compile(r"[^{}\[\]_]+$")
"""Plain words: no data shine through."""
CARD = "r27"
"""A card of the Romans, whose effect the tests change."""
NO_ROMANS: Mapping[str, Any] = {power["id"]: {} for power in loaded("sword_of_rome").box.table("powers")["powers"]}
AT_WAR: Mapping[str, Any] = {"battle": Battle("vulci", "romans", "etruscans")}


def begun(effect: Mapping[str, Any], condition: Mapping[str, Any] | None = None, **changes: Any) -> Game:
    """Return a position of the Action Phase in which the Romans hold a card with one effect."""
    rules = loaded("sword_of_rome", changes.pop("edition", None)).rules
    game: Game = copy(rules.setup("short", Table(SeededDice(0))))
    conditions = () if condition is None else (condition,)
    card = game.board.cards[CARD]._replace(effects=(effect,), conditions=conditions)
    game.board = replace(game.board, cards={**game.board.cards, CARD: card})
    game.phase, game.round, game.activation = "action", 1, Activation("romans")
    for name, value in changes.items():
        setattr(game, name, value)
    return game


def moment(name: str, power: str = "", other: str = "", space: str = "") -> dict[str, Any]:
    return {"moments": [Moment(name, space, power, other)]}


def played(game: Game, body: Mapping[str, Any], side: str = "romans") -> list[str]:
    """Play the card, and return the kinds of what was told; what is asked is answered by its default."""
    order = Order("event", {"card": CARD, **({"effect": body} if body else {})})
    faults = list(effects.faults(game, side, CARD, order))
    assert faults == []
    assert effects.why_not(game, side, CARD) is None
    assert effects.choices(game, side, CARD).has({key: body for key, body in order.body.items() if key != "card"})
    table = Table(SeededDice(1))
    flow, answer = effects.play_effects(game, table, side, CARD, body), None
    try:
        while True:
            question = flow.send(answer)
            assert isinstance(question, Decision)
            assert question.default is not None
            answer = Order(question.kind, question.default)
    except StopIteration:
        pass
    return [event.kind for event in table.events]


Check = Callable[[Game], bool]
PLAYED: list[tuple[str, Mapping[str, Any], Mapping[str, Any], Mapping[str, Any], Check]] = [
    ("levy", {"levy": 2}, {}, {"levy": {"roma": 2}}, lambda game: game.cu("romans", "roma") == 9),
    (
        "mercenaries",
        {"mercenaries": 3},
        {},
        {"mercenaries": {"carthago": 2, "garrison_box": 1}},
        lambda game: (
            game.force("carthage", "carthago") == Force(7, 2, ["carthaginian_minor_a"])
            and game.force("carthage", "garrison_box") == Force(1, 1)
        ),
    ),
    (
        "colony",
        {"colony": 1},
        {},
        {"colony": "velitrae"},
        lambda game: (
            game.kind("velitrae") == "walled" and game.loyalty["velitrae"] == 1 and game.cu("romans", "velitrae") == 4
        ),
    ),
    ("support", {"support": 2}, {}, {"support": ["capua"]}, lambda game: game.loyalty["capua"] == 2),
    (
        "revolt",
        {"revolt": {"of": "other", "points": 2}},
        {},
        {"revolt": ["vulci", "messana"]},
        lambda game: not {"vulci", "messana"} & game.control.keys() and game.loyalty["messana"] == 1,
    ),
    (
        "leader",
        {"leader": {"one_of": ["dictator"]}},
        {},
        {"leader": {"name": "dictator", "at": "velitrae"}},
        lambda game: "dictator" in game.force("romans", "velitrae").leaders,
    ),
    ("attrition", {"attrition": {"of": "greeks"}}, {}, {"attrition": "tarentum"}, lambda game: True),
    (
        "siege",
        {"siege": 1},
        {"sieges": {"antium": Siege("romans")}, "marched": ("velitrae", "antium")},
        {"siege": "antium"},
        lambda game: bool(game.sieges["antium"].rolled),
    ),
    (
        "insurrection",
        {"insurrection": 2},
        {},
        {"insurrection": "kerkouane"},
        lambda game: game.cu("rebels", "kerkouane") == 2 and game.mark("insurrection") is not None,
    ),
    (
        "roll",
        {"roll": {"of": "other", "by": -2}},
        {**AT_WAR, **moment("battle_roll", "romans", "etruscans")},
        {},
        lambda game: game.the_battle.modifiers == {"etruscans": -2},
    ),
    (
        "dice",
        {"dice": 4},
        {**AT_WAR, **moment("battle_roll", "romans", "etruscans")},
        {},
        lambda game: game.the_battle.dice == {"romans": 4},
    ),
    (
        "no_losses",
        {"no_losses": 1},
        {**AT_WAR, **moment("battle_roll", "romans", "etruscans")},
        {},
        lambda game: game.the_battle.no_losses,
    ),
    (
        "battle_again",
        {"battle_again": 1},
        {**AT_WAR, **moment("battle_lost", "romans", "etruscans")},
        {},
        lambda game: game.moments[0].again,
    ),
    (
        "flight",
        {"flight": 1},
        {**AT_WAR, **moment("battle_begins", "romans", "etruscans")},
        {},
        lambda game: game.moments[0].flight,
    ),
    (
        "no_city",
        {"no_city": 1},
        {"card": CardPlay("romans", "r10", 2, "activate"), **moment("into_city", "etruscans", space="pisae")},
        {},
        lambda game: game.card is not None and game.card.closed == ["pisae"],
    ),
    (
        "ambush",
        {"ambush": {"power": "romans"}},
        moment("army_enters", "etruscans", space="praeneste"),
        {"ambush": {"from": "velitrae", "cu": 3}},
        lambda game: game.cu("romans", "praeneste") == 3,
    ),
    (
        "cancel",
        {"cancel": "interception"},
        moment("interception", "gauls"),
        {},
        lambda game: game.moments[0].cancelled,
    ),
    ("storm", {"storm": 1}, moment("voyage", "greeks"), {}, lambda game: game.moments[0].cancelled),
    (
        "sail",
        {"sail": {"power": "romans", "cu": 3}},
        moment("voyage_wanted", "romans"),
        {},
        lambda game: game.moments[0].sails == 3,
    ),
    (
        "siege_points",
        {"siege_points": 2},
        {"sieges": {"antium": Siege("romans")}, **moment("siege_roll", "romans", space="antium")},
        {},
        lambda game: game.moments[0].points == 2,
    ),
    (
        "siege_modifier",
        {"siege_modifier": -1},
        {"sieges": {"antium": Siege("gauls")}, **moment("siege_roll", "gauls", space="antium")},
        {},
        lambda game: game.moments[0].modifier == -1,
    ),
    (
        "march",
        {"march": 2},
        {"march": March("romans", "romans", "camillus", Force(1), "roma", "roma", 4)},
        {},
        lambda game: (game.the_march.points, game.the_march.further) == (6, 2),
    ),
    ("intercept", {"intercept": -1}, moment("interception", "gauls"), {}, lambda game: game.moments[0].modifier == -1),
    ("avoid", {"avoid": 1}, moment("avoidance", "romans"), {}, lambda game: game.moments[0].avoided),
    (
        "marker",
        {"marker": {"name": "elephants", "until": "turn"}},
        {},
        {},
        lambda game: game.marks == [Mark("elephants", "romans", "turn")],
    ),
    ("draw", {"draw": 2}, {}, {}, lambda game: len(game.hands["romans"]) == 10),
    (
        "discard",
        {"discard": {"of": "other", "cards": 2}},
        {},
        {"discard": "greeks"},
        lambda game: len(game.hands["greeks"]) == 5 and len(game.discards["greeks"]) == 2,
    ),
    ("plunder", {"plunder": {"by": "gauls", "gain": 2}}, {}, {}, lambda game: game.plunder == 2),
    ("unrest", {"unrest": 2}, {}, {}, lambda game: game.unrest == 2),
    ("vp", {"vp": 1}, {}, {}, lambda game: game.vp["gauls"] == 7),
    ("treaty", {"treaty": "carthage"}, {"edition": "four"}, {}, lambda game: game.guardian("carthage") == "romans"),
    (
        "land",
        {"land": 4},
        {"edition": "four"},
        {"land": {"leader": "valerius", "cu": 4}},
        lambda game: game.cu("romans", "kerkouane") == 4,
    ),
]


@pytest.mark.parametrize(("word", "effect", "changes", "body", "done"), PLAYED, ids=[each[0] for each in PLAYED])
def test_effect_played(
    word: str, effect: Mapping[str, Any], changes: Mapping[str, Any], body: Mapping[str, Any], done: Check
) -> None:
    game = situation(effect, changes)
    assert played(game, body, "carthage" if word == "mercenaries" else "romans") != []
    assert done(game)


def situation(effect: Mapping[str, Any], changes: Mapping[str, Any]) -> Game:
    """Return a position with the changes of a test; `marched` moves a Roman army from one space to another."""
    left = dict(changes)
    origin, to = left.pop("marched", (None, None))
    game = begun(effect, **left)
    if origin is not None:
        game.forces["romans"][to] = game.forces["romans"].pop(origin)
    return game


REFUSED: list[tuple[str, Mapping[str, Any], Mapping[str, Any], Mapping[str, Any], str, str]] = [
    ("levy", {"levy": 2}, {}, {"levy": {"roma": 1}}, "5.10", "place them all"),
    ("mercenaries", {"mercenaries": 3}, {}, {"mercenaries": {"roma": 3}}, "S 7.2.4", "only Carthage"),
    ("colony", {"colony": 1}, {}, {"colony": "capua"}, "7.2.1", "cannot be chosen"),
    ("colony", {"colony": 1}, {"forces": NO_ROMANS}, {"colony": "velitrae"}, "7.2.1", "no 3 Roman CU"),
    ("support", {"support": 2}, {}, {"support": ["roma"]}, "7.3.1", "has loyalty 3"),
    ("revolt", {"revolt": {"of": "other", "points": 2}}, {}, {"revolt": ["capua"]}, "7.3.3", "not held by another"),
    ("revolt", {"revolt": {"of": "other", "points": 2}}, {}, {"revolt": ["luna"]}, "7.3.3", "CU guard"),
    ("revolt", {"revolt": {"of": "other", "points": 2}}, {}, {"revolt": ["vulci"] * 2}, "7.3.3", "2 points"),
    (
        "revolt",
        {"revolt": {"of": "other", "points": 1}},
        {"alliances": ["etruscans+samnites", "etruscans+romans"]},
        {"revolt": ["vulci"]},
        "15.2.2",
        "an ally's",
    ),
    ("leader", {"leader": {"one_of": ["pyrrhus"]}}, {}, {}, "8.2.1", "no place"),
    (
        "attrition",
        {"attrition": {"of": "greeks"}},
        {"alliances": ["etruscans+samnites", "greeks+romans"]},
        {"attrition": "tarentum"},
        "5.5",
        "no army of Greeks",
    ),
    ("siege", {"siege": 1}, {}, {"siege": "antium"}, "13.1.1", "no commander"),
    (
        "insurrection",
        {"insurrection": 2},
        {"marks": [Mark("insurrection", "gauls", "game")]},
        {"insurrection": "carthago"},
        "S 16.4",
        "in revolt",
    ),
    ("roll", {"roll": {"of": "gauls", "by": 2}}, {**AT_WAR, **moment("battle_roll")}, {}, "12.2.3", "Gauls fights"),
    ("dice", {"dice": 4}, moment("battle_roll", "gauls", "greeks"), {}, "12.2.3", "no army of yours"),
    ("no_losses", {"no_losses": 1}, {}, {}, "7.1.1", "only at its moment"),
    ("battle_again", {"battle_again": 1}, moment("battle_lost", "gauls", "romans"), {}, "21.3", "not yours"),
    ("flight", {"flight": 1}, moment("battle_begins", "gauls", "greeks"), {}, "21.3", "no army of yours"),
    ("no_city", {"no_city": 1}, moment("into_city"), {}, "21.3", "card is on the table"),
    ("ambush", {"ambush": {"power": "romans"}}, moment("army_enters", "gauls", space="luna"), {}, "9.3.3", "can reach"),
    ("cancel", {"cancel": "avoidance"}, moment("interception", "gauls"), {}, "7.1.1", "only at its moment"),
    ("storm", {"storm": 1}, moment("voyage_wanted"), {}, "7.1.1", "only at its moment"),
    ("sail", {"sail": {"power": "etruscans", "cu": 3}}, moment("voyage_wanted", "romans"), {}, "9.6.3", "carry only"),
    ("siege_points", {"siege_points": 2}, moment("siege_roll", space="antium"), {}, "13.2", "no city"),
    ("siege_modifier", {"siege_modifier": 2}, {}, {}, "7.1.1", "only at its moment"),
    ("march", {"march": 2}, {}, {}, "9.2", "is activated"),
    ("intercept", {"intercept": 1}, moment("avoidance"), {}, "7.1.1", "only at its moment"),
    ("avoid", {"avoid": 1}, moment("avoidance", "gauls"), {}, "11.1", "no army of yours"),
    (
        "marker",
        {"marker": {"name": "elephants", "until": "turn"}},
        {"marks": [Mark("elephants", "greeks", "turn")]},
        {},
        "7.1",
        "in effect already",
    ),
    ("draw", {"draw": 2}, {"decks": {"romans": []}, "discards": {"romans": []}}, {}, "6.4.2", "no card"),
    ("discard", {"discard": {"of": "gauls", "cards": 1}}, {}, {"discard": "greeks"}, "6.2.1", "cannot be chosen"),
    ("plunder", {"plunder": {"by": "gauls", "lose": 1}}, {}, {}, "14.1", "no marker"),
    ("unrest", {"unrest": -1}, {}, {}, "S 20.1", "no unrest"),
    ("vp", {"vp": 1}, {"vp": dict.fromkeys(("gauls", "greeks", "romans"), 12)}, {}, "5.8.1", "all the VP"),
    ("unrest", {"unrest": 1}, {"edition": "four"}, {}, "S 20", "without a player"),
    ("insurrection", {"insurrection": 1}, {"edition": "four"}, {}, "S 16.4", "without a player"),
    ("treaty", {"treaty": "carthage"}, {}, {}, "18", "has a player"),
    (
        "treaty",
        {"treaty": "carthage"},
        {"edition": "four", "alliances": ["etruscans+samnites", "greeks+romans"]},
        {},
        "18",
        "no ally of the Greeks",
    ),
    ("land", {"land": 4}, {}, {}, "17.2", "no enemy overseas"),
    ("land", {"land": 4}, {"edition": "four"}, {"land": {"leader": "camillus", "cu": 4}}, "17.2", "cannot be chosen"),
]


@pytest.mark.parametrize(("word", "effect", "changes", "body", "rule", "says"), REFUSED)
def test_effect_refused(
    word: str, effect: Mapping[str, Any], changes: Mapping[str, Any], body: Mapping[str, Any], rule: str, says: str
) -> None:
    game = situation(effect, changes)
    faults = list(effects.faults(game, "romans", CARD, Order("event", {"card": CARD, "effect": body})))
    assert [fault.rule for fault in faults] == [rule]
    assert says in faults[0].reason
    refusal = effects.why_not(game, "romans", CARD)
    assert refusal is None or refusal.reason == faults[0].reason


@pytest.mark.parametrize(("meant", "spared"), [("side", True), ("person", False)])
def test_an_event_spares_allies_of_a_whole_side_or_person(meant: str, spared: bool) -> None:
    """15.1.2: with two players the Etruscans and Samnites are the other side of the person who leads the Romans."""
    game = begun(
        {"revolt": {"of": "other", "points": 1}}, edition="two", alliances=["etruscans+samnites", "gauls+romans"]
    )
    game.options = {**game.options, "player_ally": meant}
    order = Order("event", {"card": CARD, "effect": {"revolt": ["brixia"]}})
    assert [fault.rule for fault in effects.faults(game, "romans", CARD, order)] == ["15.2.2"] * spared


def test_every_effect_is_played_and_refused_here() -> None:
    schema = loaded("sword_of_rome").box.table("schemas/cards")["$defs"]
    assert {each[0] for each in PLAYED} == {each[0] for each in REFUSED} == EFFECTS.keys()
    assert schema["effect"]["properties"].keys() == EFFECTS.keys() | ELSEWHERE.keys()
    assert schema["condition"]["properties"].keys() == CONDITIONS.keys()


def test_every_word_of_the_vocabulary_is_explained() -> None:
    box = loaded("sword_of_rome").box
    words = {key: [each["word"] for each in told] for key, told in box.table("card_words")["words"].items()}
    schema = box.table("schemas/cards")
    assert words["when"] == schema["properties"]["cards"]["items"]["properties"]["when"]["enum"]
    assert words["if"] == list(schema["$defs"]["condition"]["properties"])
    assert words["do"] == list(schema["$defs"]["effect"]["properties"])
    assert [*map(set, words.values())] == [each.keys() for each in (MOMENTS_IN_WORDS, IN_WORDS, EFFECTS_IN_WORDS)]


MOMENTS_USED: list[tuple[str, Mapping[str, Any], dict[str, Any]]] = [
    ("activation", {"march": 2}, {**moment("activation", "romans"), "card": CardPlay("romans", "r10", 2, "activate")}),
    ("army_enters", {"ambush": {"power": "romans"}}, moment("army_enters", "etruscans", space="praeneste")),
    ("into_city", {"draw": 1}, moment("into_city", "etruscans", space="pisae")),
    ("voyage_wanted", {"sail": {"power": "romans", "cu": 3}}, moment("voyage_wanted", "romans")),
    ("voyage", {"storm": 1}, moment("voyage", "greeks")),
    ("interception", {"cancel": "interception"}, moment("interception", "gauls", "romans")),
    ("avoidance", {"cancel": "avoidance"}, moment("avoidance", "gauls", "romans")),
    ("battle_begins", {"flight": 1}, {**AT_WAR, **moment("battle_begins", "romans", "etruscans")}),
    ("battle_roll", {"dice": 4}, {**AT_WAR, **moment("battle_roll", "romans", "etruscans")}),
    ("battle_won", {"support": 1}, {**AT_WAR, **moment("battle_won", "romans", "etruscans")}),
    ("battle_lost", {"battle_again": 1}, {**AT_WAR, **moment("battle_lost", "romans", "etruscans")}),
    ("siege_roll", {"siege_modifier": 1}, moment("siege_roll", "romans", space="antium")),
    ("raid", {"siege_modifier": -1}, moment("raid", "gauls", "romans", space="velitrae")),
    ("event", {"cancel": "event"}, moment("event", "gauls")),
    ("attrition", {"levy": 1}, moment("attrition", "romans", space="antium")),
    ("gallic_event", {"cancel": "gallic_event"}, moment("gallic_event", "", "etruscans", "vulci")),
]


@pytest.mark.parametrize(("name", "effect", "changes"), MOMENTS_USED, ids=[each[0] for each in MOMENTS_USED])
def test_a_response_fits_its_moment_and_no_other(
    name: str, effect: Mapping[str, Any], changes: Mapping[str, Any]
) -> None:
    game = begun(effect, **changes)
    card = game.board.cards[CARD]._replace(when=name)
    game.board = replace(game.board, cards={**game.board.cards, CARD: card})
    assert why_no_response(game, "romans", CARD) is None
    assert EVENT_WORDS.match(event_in_words(game.board, card))
    other = next(each for each in MOMENTS_IN_WORDS if each != name)
    game.moments = [replace(game.moments[0], name=other)]
    refusal = why_no_response(game, "romans", CARD)
    assert refusal is not None
    assert (refusal.rule, "is no response to this" in refusal.reason) == ("7.1.1", True)


def test_every_moment_is_tried_here() -> None:
    assert {each[0] for each in MOMENTS_USED} == MOMENTS_IN_WORDS.keys()


def events(order: Mapping[str, Any]) -> set[str]:
    """Return the cards that an order of a case plays for their events."""
    uses = ("event", "named_event", "campaign", "nonplayer")
    return {
        str(body["card"])
        for kind, body in order.items()
        if isinstance(body, Mapping) and body.get("card") and (kind == "respond" or body.get("do") in uses)
    }


def test_a_case_plays_each_card() -> None:
    """Cards of a deck with the same name and words are one: a case plays any of them."""
    box, board = loaded("sword_of_rome").box, begun({"levy": 1}).board
    named = [given for path in box.cases() for case in cases_in(path) for given in case.told.get("play", ())]
    played = {card for given in named for order in given.values() for card in events(order)}
    words = {(card.deck, card.name) for card in board.cards.values() if card.id in played}
    assert [card.id for card in board.cards.values() if (card.deck, card.name) not in words] == []


CONDITION: list[tuple[Mapping[str, Any], Mapping[str, Any], bool]] = [
    ({"active": "own"}, {}, True),
    ({"active": "gauls"}, {}, False),
    ({"army_of": "etruscans"}, AT_WAR, True),
    ({"army_of": "greeks"}, AT_WAR, False),
    ({"attacker": "own"}, AT_WAR, True),
    ({"attacker": "other"}, AT_WAR, False),
    ({"besieger": "own"}, moment("siege_roll", "romans"), True),
    ({"besieger": "own"}, moment("siege_roll", "gauls"), False),
    ({"mover": "other"}, moment("voyage", "greeks"), True),
    ({"mover": {"power": "etruscans"}}, moment("voyage", "greeks"), False),
    ({"near": "own"}, moment("army_enters", space="antium"), True),
    ({"near": "ally"}, moment("army_enters", space="antium"), False),
    ({"winner": "own"}, moment("battle_won", "romans", "gauls"), True),
    ({"winner": "own"}, moment("battle_lost", "romans", "gauls"), False),
    ({"winner": "other"}, moment("battle_lost", "romans", "gauls"), True),
    ({"winner": "other"}, moment("battle_won", "carthage"), True),
    ({"winner": "other"}, {}, False),
    ({"region": ["samnium", "latium"]}, moment("activation", "romans", space="roma"), True),
    ({"region": ["samnium"]}, moment("activation", "romans", space="roma"), False),
    ({"region": ["latium"]}, {}, False),
    ({"control": {"space": "roma", "by": "own"}}, {}, True),
    ({"control": {"space": "roma", "by": "other"}}, {}, False),
    ({"marker": "elephants"}, {"marks": [Mark("elephants", "greeks", "turn")]}, True),
    ({"marker": "elephants"}, {}, False),
    ({"players": [4, 5]}, {}, True),
    ({"players": [2, 3]}, {}, False),
    ({"phase": "action"}, {}, True),
    ({"phase": "surrender"}, {}, False),
]


@pytest.mark.parametrize(("condition", "changes", "holds"), CONDITION)
def test_condition(condition: Mapping[str, Any], changes: Mapping[str, Any], holds: bool) -> None:
    game = begun({"levy": 1}, condition, **changes)
    assert (hold(game, "romans", CARD) is None) == holds


def test_every_condition_holds_and_fails_here() -> None:
    for holds in (True, False):
        assert {next(iter(each)) for each, _, wanted in CONDITION if wanted == holds} == CONDITIONS.keys()


def test_every_event_of_the_decks_stands_in_plain_words() -> None:
    """As a reader of a hand has it: no word of the data, and each name of a power as it is."""
    board = begun({"levy": 1}).board
    told = {card.id: event_in_words(board, card) for card in board.cards.values()}
    assert {id: words for id, words in told.items() if not EVENT_WORDS.match(words)} == {}
    assert told["r1"] == "if the Etruscans take part: -2 to the battle roll of the Etruscans"
    assert told["k1"] == "Elephants for this turn (+2 to the battle rolls of Greek armies)"
    assert told["r2"] == "Duoviri Navales for the rest of the game (3 CU sail by a card of value 3)"
    assert told["r19"] == "a Roman colony where 3 CU stand; 1 new CU"
    assert told["c24"] == "if you take part and it is in Sicily, Africa or Sardinia: +2 to your battle roll"
