"""Battles of Hannibal: Rome vs. Carthage: random ones keep every promise, and faults say what would be right.

What the paragraphs say stands in the rulings (`rules/rome_carthage/cases`); here is what must hold for any battle.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, cast

import pytest

from pbem.crypto.dice import SeededDice
from pbem.game.boxes.box import open_box
from pbem.game.plain import copy
from pbem.game.table import Table
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.rome_carthage import KINDS
from pbem.rules.rome_carthage.battle import battle, politics, retreat
from pbem.rules.rome_carthage.battle.battle import allies
from pbem.rules.rome_carthage.battle.rounds import POLICIES
from pbem.rules.rome_carthage.battle.routes import retreat_of, routes
from pbem.rules.rome_carthage.position.generals import arrange
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, ROME, SIDES, Game, Options
from pbem.rules.rome_carthage.position.under_way import Battle, March, Retreat, Stack
from pbem.rules.rome_carthage.position.unpack import unpack
from pbem.rules.rome_carthage.turn.sequence import set_up
from pbem.rules.rome_carthage.views.secrets import view
from tests.support.chance import seed_of
from tests.support.soak import quick_first

BOX = open_box("rome_carthage")
BOARD = unpack(BOX)
EDITIONS = {name: cast(Options, BOX.options(name)) for name in ("valley2007", "descartes1998")}
GENERALS = {side: [general.id for general in BOARD.generals.values() if general.side == side] for side in SIDES}


def empty_board(edition: str = "valley2007") -> Game:
    """Return the standard set-up with no army on the map."""
    game = set_up(BOARD, EDITIONS[edition], BOX.scenario("standard"), Table(SeededDice(0)))
    game.stacks = {side: {} for side in SIDES}
    return game


def random_battle(dice: random.Random, edition: str) -> tuple[Game, Battle]:
    """Return a position with two armies in one space, and the battle between them."""
    game = empty_board(edition)
    space = dice.choice([space for space in BOARD.spaces if BOARD.neighbours[space]])
    came_from = dice.choice(list(BOARD.neighbours[space]))
    attacker = dice.choice(SIDES)
    for other in dice.sample(list(BOARD.spaces), 30):
        if BOARD.spaces[other].kind == "plain":
            game.control[other] = dice.choice(SIDES)
    for side in SIDES:
        free = [general for general in GENERALS[side] if BOARD.generals[general].stays_in is None]
        dice.shuffle(free)
        others = [place for place in BOARD.spaces if place not in (space, came_from, *game.stacks[ENEMY[side]])]
        for place in [space, *dice.sample(others, 6)]:
            cu = dice.randint(1, 12)
            beasts = min(cu, dice.choice([0, 0, 1, 2])) if side == CARTHAGE and place == space else 0
            leads = side == attacker and place == space
            names = [free.pop() for _ in range(dice.choice([1, 1, 2] if leads else [0, 1, 2])) if free]
            game.stacks[side][place] = Stack(cu, beasts, names)
    roman = game.stacks[ROME][space].generals
    game.offices = dict.fromkeys(roman[: dice.choice([0, 1, 2])], "consul")
    for stacks in game.stacks.values():
        for stack in stacks.values():
            arrange(game, stack)
    if BOARD.spaces[space].kind != "plain" and dice.random() < 0.5:
        game.siege_points[space] = dice.randint(1, 2)
    force = game.stacks[attacker][space]
    game.march = March(attacker, force.generals[0], Stack(), came_from, space, 0, came_from=came_from, over=True)
    intercepted = dice.random() < 0.2
    origins = {dice.choice(list(BOARD.neighbours[space])): 1} if intercepted else {}
    return game, Battle(space, attacker, attacker, came_from, origins, intercepted, dice.random() < 0.2)


def faults(game: Game, decision: Decision, order: Order) -> list[Fault]:
    """Return what is wrong with an order in the eyes of the side that gives it."""
    return list(KINDS[decision.kind].check(view(game, decision.side), decision, order))


def examine(game: Game, decision: Decision, dice: random.Random) -> Order:
    """Check what is promised of every question, and return one of its answers."""
    choices = KINDS[decision.kind].legal_orders(view(game, decision.side), decision)
    assert choices.certain
    assert len(choices) > 1 or decision.kind in ("match", "battle_card"), f"{decision.kind} has one answer"
    for order in [choices[0], choices[-1], *(choices[dice.randrange(len(choices))] for _ in range(4))]:
        assert order.kind == decision.kind
        assert faults(game, decision, order) == [], order
    assert decision.default is not None
    assert faults(game, decision, Order(decision.kind, decision.default)) == []
    seen = KINDS[decision.kind].legal_orders(view(game, None), decision)
    assert not seen.certain or (len(seen), seen[0], seen[-1]) == (len(choices), choices[0], choices[-1])
    for kind, body in garbage(dice):
        if kind == decision.kind:
            faults(game, decision, Order(kind, body))
    chosen: Order = choices[dice.randrange(len(choices))]
    return chosen


def garbage(dice: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield orders of the right shape with any words in them."""
    spaces = [dice.choice([*BOARD.spaces, "atlantis"]) for _ in range(dice.randrange(6))]
    card = dice.choice([*BOARD.battle_cards, "strongest", "commonest"])
    part = {"cu": dice.randrange(9), "elephants": dice.randrange(3), "generals": dice.sample(list(BOARD.generals), 2)}
    yield "battle_card", dice.choice([{}, {"card": card}, {"card": card, "as": "probe"}, {"withdraw": True}])
    yield "match", {"card": dice.choice([*BOARD.battle_cards, "any", "none"])}
    yield "losses", {"elephants": dice.randrange(40)}
    yield "withdraw_to", {"space": dice.choice(list(BOARD.spaces))}
    yield "remove_markers", {"spaces": spaces}
    yield (
        "retreat",
        dice.choice([{}, {"path": spaces}, {"city": "all"}, {"city": part}, {"city": part, "path": spaces}]),
    )


def play_out(game: Game, flow: Flow[None], dice: random.Random) -> int:
    """Play a battle out with random answers and return how many questions there were."""
    asked = 0
    try:
        question = next(flow)
        while True:
            assert isinstance(question, Decision)
            asked += 1
            question = flow.send(examine(game, question, dice))
    except StopIteration:
        return asked


def units(game: Game) -> dict[str, tuple[int, int]]:
    """Return the CU and the elephants each side has on the map."""
    found = {}
    for side in SIDES:
        stacks = [*game.stacks[side].values()]
        stacks += [inside for space, inside in game.garrisons.items() if game.control[space] == side]
        found[side] = (sum(stack.cu for stack in stacks), sum(stack.elephants for stack in stacks))
    return found


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("seed", quick_first(range(120), 30))
def test_a_random_battle_keeps_its_promises(seed: int, edition: str) -> None:
    dice = random.Random(f"{edition} {seed_of(seed)}")
    start, fought = random_battle(dice, edition)
    before = units(start)
    table = Table(SeededDice(seed_of(seed)))
    game: Game = table.lay(start)
    play_out(game, battle.fight(game, table, fought), dice)
    assert units(start) == before, "the argument was changed"
    assert game.battle is None
    assert game.retreat is None
    assert game.owed_markers == {}
    for side in SIDES:
        lost = [event for event in table.events if event.kind in ("lost", "eliminated") and event.facts["side"] == side]
        after = units(game)[side]
        assert after[0] == before[side][0] - sum(event.facts["cu"] for event in lost)
        assert after[1] == before[side][1] - sum(event.facts["elephants"] for event in lost)
        for space, stack in game.stacks[side].items():
            assert not stack.empty
            assert 0 <= stack.elephants <= stack.cu
            assert not stack.cu or not game.stack(ENEMY[side], space).cu or game.result is not None
    names = [general for side in SIDES for stack in game.stacks[side].values() for general in stack.generals]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("seed", range(40))
def test_nothing_asked_or_told_depends_on_the_hand_of_the_enemy(seed: int) -> None:
    """Nothing that is asked or told depends on a hand that is not one's own.

    Deal the enemy another hand; up to their next card the question, its facts and its default stay the same.
    """
    dice = random.Random(seed_of(seed))
    start, fought = random_battle(dice, "valley2007")
    table = Table(SeededDice(seed_of(seed)))
    game: Game = table.lay(start)
    flow = battle.fight(game, table, fought)
    question = next(flow)
    while not (isinstance(question, Decision) and question.kind == "battle_card"):
        assert isinstance(question, Decision)
        question = flow.send(examine(game, question, dice))
    enemy = ENEMY[question.side]
    other = copy(game)
    assert other.battle is not None
    other.battle.hands[enemy] = ["probe"] * len(other.battle.hands[enemy])
    options = KINDS["battle_card"].legal_orders
    assert list(options(view(other, question.side), question)) == list(options(view(game, question.side), question))
    own = game.battle.hands[question.side] if game.battle is not None else []
    assert question.default == {"card": "strongest"}
    for word, pick in POLICIES.items():
        chosen = pick(BOARD, game.the_battle, question.side)
        assert chosen == pick(BOARD, other.the_battle, question.side), word
        assert chosen == pick(BOARD, view(game, question.side).the_battle, question.side), word
    assert all(card not in question.facts.values() for card in own)
    assert faults(other, question, Order("battle_card", {"card": own[0]})) == [] or (own[0] == "reserve")


def test_the_same_answers_and_dice_give_the_same_battle() -> None:
    def run() -> tuple[Any, ...]:
        dice = random.Random(5)
        start, fought = random_battle(dice, "valley2007")
        table = Table(SeededDice(5))
        game: Game = table.lay(start)
        play_out(game, battle.fight(game, table, fought), dice)
        return table.events, table.rolls, game

    assert run() == run()


# ---- what a player is told


def battle_at(space: str, attacker: str, came_from: str, armies: dict[str, Stack], hands: dict[str, list[str]]) -> Game:
    """Return a battle under way."""
    game = empty_board()
    for side, stack in armies.items():
        game.stacks[side][space] = stack
    commanders = {side: stack.generals[0] for side, stack in armies.items() if stack.generals}
    strength = {side: stack.cu for side, stack in armies.items()}
    game.battle = Battle(
        space, attacker, attacker, came_from, commanders=commanders, strength=strength, hands=hands, led="probe"
    )
    return game


CANNAE = battle_at(
    "cannae",
    CARTHAGE,
    "arpi",
    {CARTHAGE: Stack(6, 2, ["hannibal"]), ROME: Stack(8, 0, ["varro"])},
    {CARTHAGE: ["flank_left", "flank_left", "probe", "reserve"], ROME: ["flank_left", "probe", "reserve"]},
)


@pytest.mark.parametrize(
    ("kind", "body", "path", "reason"),
    [
        ("battle_card", {}, (), "name a card to lead, or write withdraw: true, one of the two"),
        (
            "battle_card",
            {"card": "flank_right"},
            ("card",),
            "you hold no Flank Right; you hold 2 Flank Left, 1 Probe, 1 Reserve",
        ),
        (
            "battle_card",
            {"card": "flank_left", "as": "probe"},
            ("as",),
            "only a Reserve is played under another name; a Flank Left is what it is",
        ),
        (
            "battle_card",
            {"card": "probe", "as": "frontal_assault"},
            ("as",),
            "Hannibal may use a Probe as Flank Left, Flank Right, Double Envelopment",
        ),
        (
            "battle_card",
            {"card": "commonest", "as": "probe"},
            ("as",),
            "the commonest card is led under its own name; leave out `as`",
        ),
        (
            "battle_card",
            {"withdraw": True},
            ("withdraw",),
            "you could withdraw only to Arpi, where you came from, and that is barred",
        ),
        ("match", {"card": "flank_left"}, ("card",), "Flank Left does not match Probe; Probe or Reserve does"),
        (
            "match",
            {"card": "flank_right"},
            ("card",),
            "you hold no Flank Right; you hold 1 Flank Left, 1 Probe, 1 Reserve",
        ),
    ],
)
def test_faults_say_what_would_be_right(kind: str, body: dict[str, Any], path: tuple[str, ...], reason: str) -> None:
    side = CARTHAGE if kind == "battle_card" else ROME
    (fault,) = faults(CANNAE, Decision(kind, side, "11.4", {}), Order(kind, body))
    assert (fault.path, fault.reason) == (path, reason)


@pytest.mark.parametrize(
    ("body", "path", "reason"),
    [
        ({}, (), "name the path of 8 CU; open are: Beneventum; Brundisium; Heraclea"),
        ({"path": ["sagunt"]}, ("path", 0), "no space is called sagunt; did you mean saguntum?"),
        ({"path": ["capua"]}, ("path", 0), "the way from Cannae to Capua does not lead by an ordinary line"),
        (
            {"path": ["arpi"]},
            ("path", 0),
            "the enemy came to the battle from Arpi, and the army attacked never retreats there",
        ),
        (
            {"path": ["beneventum", "capua"]},
            ("path", 1),
            "this is not a way to the nearest refuge; open are: Beneventum; Brundisium; Heraclea",
        ),
        ({"city": "all"}, ("city",), "Cannae is no city of yours with room; name a path"),
    ],
)
def test_a_wrong_retreat_is_told_what_is_open(body: dict[str, Any], path: tuple[str | int, ...], reason: str) -> None:
    game = copy(CANNAE)
    assert game.battle is not None
    game.battle.loser = ROME
    game.retreat = retreat_of(game)
    (fault,) = faults(game, Decision("retreat", ROME, "12.1", {}), Order("retreat", body))
    assert (fault.path, fault.reason) == (path, reason)


# ---- what can be counted by hand


def test_hannibals_first_card_has_eleven_names() -> None:
    """Two kinds under their own name, a Probe as three others, a Reserve as five; Arpi is barred, so no withdrawal."""
    options = KINDS["battle_card"].legal_orders(view(CANNAE, CARTHAGE), Decision("battle_card", CARTHAGE, "11.4", {}))
    assert len(options) == 2 + 3 + 5


def test_an_observer_cannot_tell_the_choices_of_a_hand() -> None:
    for kind, side in (("battle_card", CARTHAGE), ("match", ROME)):
        options = KINDS[kind].legal_orders(view(CANNAE, None), Decision(kind, side, "11.4", {}))
        assert not options.certain


def test_allies_by_the_map_at_the_start() -> None:
    game = empty_board()
    assert [allies(game, ROME, space) for space in ("cannae", "enna", "carales", "massilia", "zama")] == [2, 2, 1, 0, 0]
    assert [allies(game, CARTHAGE, space) for space in ("zama", "saguntum", "baleares", "cannae")] == [6, 3, 1, 0]


def test_a_retreat_of_four_spaces_is_the_longest() -> None:
    game = empty_board()
    bound = Retreat(CARTHAGE, "gergovia", ["rhone"], ["gergovia"])
    for refuge, spaces in (("tarraco", None), ("emporiae", 4), ("narbo", 3)):
        game.control[refuge] = CARTHAGE
        found = routes(game, bound, 5)
        assert [len(route.path) for route in found] == ([] if spaces is None else [spaces])
        del game.control[refuge]


def test_lone_general_retreats_for_free_but_not_through_enemies() -> None:
    """A general alone retreats at no cost, but not through the enemy."""
    game = empty_board()
    game.control |= {"emporiae": ROME, "tarraco": CARTHAGE}
    bound = Retreat(CARTHAGE, "narbo", ["emporiae"], ["narbo"])
    assert [route.lost for route in routes(game, bound, 0)] == [0]
    assert [route.lost for route in routes(game, bound, 4)] == [1]
    game.stacks[ROME]["emporiae"] = Stack(1)
    assert routes(game, bound, 0) == []
    assert [route.lost for route in routes(game, bound, 4)] == [2]


def test_the_default_choice_of_markers_gives_no_province_away() -> None:
    game = empty_board()
    held = {province for province in BOARD.provinces if game.controller(province) == ROME}
    for space in politics.least_missed(game, ROME, politics.removable_markers(game, ROME), 5):
        del game.control[space]
    assert {province for province in BOARD.provinces if game.controller(province) == ROME} == held


def test_splitting_before_a_city_counts_every_way() -> None:
    """Four CU and two generals before Saguntum: one or two inside with any generals, the rest on the road."""
    game = empty_board()
    game.stacks[CARTHAGE]["saguntum"] = Stack(4, 1, ["hasdrubal", "mago"])
    game.battle = Battle("saguntum", ROME, ROME, "laminium", loser=CARTHAGE)
    bound = game.retreat = retreat_of(game)
    roads = len(routes(game, bound, 4))
    assert bound.room == 2
    assert len(retreat.retreats(game)) == roads + 2 * 2 * 4 * roads
    game.siege_points["saguntum"] = 1
    assert retreat_of(game).room is None
