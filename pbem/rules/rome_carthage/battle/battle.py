"""A battle from its declaration to its political consequences: command, charge, cards; a sally (11 to 14, 16.4.4)."""

from __future__ import annotations

from typing import Final

from pbem.game import Kind, Table, yes_or_no
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.battle.events import declare_events, show_cards
from pbem.rules.rome_carthage.battle.losses import battle_casualties
from pbem.rules.rome_carthage.battle.retreat import suffer_defeat
from pbem.rules.rome_carthage.battle.rounds import fight_rounds
from pbem.rules.rome_carthage.battle.withdrawal import withdraw
from pbem.rules.rome_carthage.events.playing import Window, check_window, open_window, window_choices
from pbem.rules.rome_carthage.movement.activation import force_of
from pbem.rules.rome_carthage.movement.card_play import (
    exhausted,
    note_departure,
    note_outcome,
    note_stop,
    picked,
    walked,
)
from pbem.rules.rome_carthage.orders import Force
from pbem.rules.rome_carthage.position.board import ITALY
from pbem.rules.rome_carthage.position.generals import arrange, is_consul
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, ROME, Game, once_a_march
from pbem.rules.rome_carthage.position.under_way import Battle, March, Stack
from pbem.rules.rome_carthage.siege.siege import lift_empty, lift_of
from pbem.rules.rome_carthage.siege.sorties import come_out, relieve

FRIGHT: Final = "elephant_fright"


# ---- hands of battle cards: how many and for what, allies and militia, and the deal (11.1, 11.2)


def deal_hands(game: Game, table: Table) -> None:
    """Shuffle the whole battle deck and deal both hands, the first attacker's from the top (11, 11.1).

    Dealing in blocks gives the same chances as dealing alternately. Both sides may know how many cards each
    gets and why; each sees only its own.
    """
    battle = game.the_battle
    deck = table.shuffle(f"battle/{battle.space}/deck", game.board.battle_deck)
    order = {kind: at for at, kind in enumerate(game.board.battle_cards)}
    dealt = 0
    for side in (battle.attacker, ENEMY[battle.attacker]):
        reasons = hand_reasons(game, battle, side)
        cards = sum(reasons.values())
        battle.cards[side] = reasons
        hand = battle.hands[side] = sorted(deck[dealt : dealt + cards], key=order.__getitem__)
        dealt += cards
        table.tell("battle_hand", rule="11.1", side=side, space=battle.space, count=cards, reasons=dict(reasons))
        table.tell("battle_cards", rule="11.1", to=[side], side=side, space=battle.space, cards=list(hand))


def hand_reasons(game: Game, battle: Battle, side: Side) -> dict[str, int]:
    """Return how many battle cards a side gets for each reason; the numbers add up to its hand (11.1).

    The limit of 20 cards holds before the elephants take any; nobody is dealt fewer than none.
    """
    numbers, space = game.board.battle, battle.space
    commander = battle.commanders.get(side)
    defends = side != battle.attacker
    reasons = {
        "general": game.board.generals[commander].battle if commander else 0,
        "cu": battle.strength[side],
        "interception": numbers.interceptor if defends and battle.intercepted else 0,
        "failed_avoidance": numbers.failed_avoidance if defends and battle.avoid_failed else 0,
        "allies": allies(game, side, space) if commander else 0,
        "desertion": -sum(game.board.provinces[ally].allies_value for ally in battle.deserted.get(side, ())),
        "militia": militia(game, side, space),
        "tribe": numbers.friendly_tribe if friendly_tribe(game, side, space) else 0,
    }
    cards = sum(reasons.values())
    reasons["limit"] = min(0, numbers.hand - cards)
    reasons["charge"] = -min(battle.charge_cost.get(side, 0), cards + reasons["limit"])
    return {reason: count for reason, count in reasons.items() if count}


def allies(game: Game, side: Side, space: str) -> int:
    """Return the cards that allies give a side with a general in a battle (11.2.1).

    Each province it controls in the same country counts, on an island those of the island, elsewhere the
    province of the battle alone. Rome has at most two from Italy by the rules of 2007.
    """
    board = game.board
    province = board.spaces[space].province
    cards = sum(
        ally.allies_value
        for ally in board.allied(province, game.options["allies_on_islands"])
        if ally.allies_value and game.controller(ally.id) == side
    )
    if side == ROME and board.provinces[province].region == ITALY:
        most = game.options["rome_italy_ally_cap"]
        return cards if most is None else min(cards, most)
    return cards


def militia(game: Game, side: Side, space: str) -> int:
    """Return the cards of the militia, who fight for Rome in Latium, with or without a general (11.2.2)."""
    home = game.board.battle.militia
    return home.cards if side == home.side and game.board.spaces[space].province == home.province else 0


def friendly_tribe(game: Game, side: Side, space: str) -> bool:
    """Tell whether a battle is in the space of a tribe that sides with Carthage (11.2.3, 16.6)."""
    return side == CARTHAGE and space in game.tribes and game.control.get(space) == CARTHAGE


# ---- two consuls in one army: the roll that may change its commander before a battle (14.1)


def change_of_command(game: Game, table: Table) -> Flow[None]:
    """Let Carthage roll for a change of command if both consuls are in the battle (14.1).

    By the rules of 2007 it must roll when it attacks; otherwise it may.
    """
    battle = game.the_battle
    generals = game.stack(ROME, battle.space).generals
    consuls = [general for general in generals if is_consul(game, general)]
    if len(consuls) < 2:
        return
    commander, other = consuls
    if not (battle.attacker == CARTHAGE and game.options["change_of_command_forced"]):
        records = game.board.generals
        order = yield from table.ask(
            CARTHAGE,
            "change_command",
            rule="14.1",
            default={"roll": records[other].battle < records[commander].battle},
            space=battle.space,
            commander=commander,
            other=other,
        )
        if not order["roll"]:
            return
    roll = table.roll(
        f"battle/{battle.space}/change_of_command",
        rule="14.1",
        at_least=game.board.battle.change_of_command_from,
        side=ROME,
        commander=commander,
        other=other,
    )
    if roll.success:
        first, second = generals.index(commander), generals.index(other)
        generals[first], generals[second] = other, commander
        table.tell("command_changes", rule="14.1", side=ROME, space=battle.space, commander=other, instead_of=commander)


# ---- the charge of the elephants before the battle cards are dealt (13.3)


def elephant_charge(game: Game, table: Table) -> Flow[None]:
    """Let Carthage charge with its elephants and roll more than the Roman commander's battle rating (13.3).

    A charge that succeeds costs Rome a battle card for each elephant CU (13.3.1); elephants that run amok
    cost Carthage a card (13.3.2). The cards are taken from what would be dealt, which is the same as a
    blind draw from the hand.
    """
    battle, board = game.the_battle, game.board
    elephants = game.stack(CARTHAGE, battle.space).elephants
    if not elephants:
        return
    roman = battle.commanders.get(ROME)
    resists = board.generals[roman].battle if roman else board.elephants.charge_without_general
    order = yield from table.ask(
        CARTHAGE,
        "charge",
        rule="13.3",
        default={"elephants": True},
        space=battle.space,
        elephant_cu=elephants,
        enemy_general=roman,
        needs=resists + 1,
    )
    if not order["elephants"] or (yield from frightened(game, table, elephants)):
        return
    roll = table.roll(
        f"battle/{battle.space}/charge", rule="13.3", at_least=resists + 1, side=CARTHAGE, elephant_cu=elephants
    )
    if roll.success:
        battle.charge_cost[ROME] = elephants
        table.tell("charge_succeeds", rule="13.3.1", space=battle.space, side=ROME, cards=elephants)
    elif roll.total <= board.elephants.rampage_on:
        cards = battle.charge_cost[CARTHAGE] = board.elephants.rampage_cards
        table.tell("elephants_rampage", rule="13.3.2", space=battle.space, side=CARTHAGE, cards=cards)
    else:
        table.tell("charge_fails", rule="13.3", space=battle.space)


def frightened(game: Game, table: Table, elephants: int) -> Flow[bool]:
    """Let Rome frighten the elephants before the roll; return whether the charge is cancelled (card 42).

    It costs Carthage two battle cards, by the rules of 1998 as many as there are elephant CU.
    """
    battle = game.the_battle
    facts = {
        "space": battle.space,
        "elephant_cu": elephants,
        "own_cu": battle.strength[ROME],
        "enemy_cu": battle.strength[CARTHAGE],
        "enemy_general": battle.commanders.get(CARTHAGE),
    }
    card = yield from open_window(game, table, ROME, Window(FRIGHT, "card 42", facts))
    if card is None:
        return False
    cards = elephants if game.options["elephant_fright_loss"] == "per_elephant" else card.about["cards"]
    battle.charge_cost[CARTHAGE] = cards
    table.tell("elephants_frightened", rule="card 42", space=battle.space, side=CARTHAGE, cards=cards)
    return True


# ---- the battle


def fight(game: Game, table: Table, battle: Battle) -> Flow[None]:
    """Fight a battle between the two armies in a space, to the end (11, 12).

    The active side leads first even if it was intercepted (11.3). Sets `game.result` if the battle ends the game.
    """
    game.battle = battle
    yield from relieve(game, table)
    yield from change_of_command(game, table)
    muster(game, table)
    yield from declare_events(game, table)
    yield from elephant_charge(game, table)
    deal_hands(game, table)
    show_cards(game, table)
    yield from fight_rounds(game, table)
    yield from battle_casualties(game, table)
    if battle.withdrawer is not None:
        yield from withdraw(game, table)
    else:
        yield from suffer_defeat(game, table)
    lift_of(game, table, battle)
    lift_empty(game, table)
    # Who took command for the battle alone gives it back where ratings decide (8.6, 14.1).
    arrange(game, game.stack(ROME, battle.space))
    game.battle = game.retreat = None


def muster(game: Game, table: Table) -> None:
    """Note who commands each side and how strong it is when the battle begins (11.3, 11.10)."""
    battle = game.the_battle
    for side in (battle.attacker, ENEMY[battle.attacker]):
        stack = game.stack(side, battle.space)
        battle.strength[side] = stack.cu
        if stack.commander is not None:
            battle.commanders[side] = stack.commander
    attacker, defender = battle.attacker, ENEMY[battle.attacker]
    table.tell(
        "battle",
        rule="11",
        space=battle.space,
        attacker=attacker,
        attacker_general=battle.commanders.get(attacker),
        attacker_cu=battle.strength[attacker],
        defender=defender,
        defender_general=battle.commanders.get(defender),
        defender_cu=battle.strength[defender],
    )


# ---- a sally: a general inside a city is activated to attack the army outside (8.1, 16.4.4)


def sally(game: Game, table: Table, side: Side, said: Force) -> Flow[None]:
    """Come out with a general and his force, and fight the enemy army before the walls (16.4.4).

    Nobody enters a space, so that the enemy can neither intercept nor avoid battle (9.1, 10.1).
    """
    space, _ = game.whereabouts(said.general)
    force = force_of(game, game.garrisons[space], said, exhausted(game, side, space))
    note_departure(game, side, space, picked(walked(game, side, space), game.garrisons[space].cu, force.cu))
    general = force.generals[0]
    march = game.march = March(side, general, Stack(), space, space, 0, over=True, fought=True)
    come_out(game, side, space, force)
    march.force = force
    note_stop(game, march, game.stack(side, space))
    march.force = Stack()
    table.tell(
        "sallies_out",
        rule="16.4.4",
        side=side,
        card=game.the_card.card,
        general=general,
        companions=force.generals[1:],
        space=space,
        cu=force.cu,
        elephants=force.elephants,
    )
    yield from fight(game, table, Battle(space, side, side, sallied=force))
    note_outcome(game, march, besiegers=None)


BATTLE_KINDS: Final = (
    Kind("change_command", *yes_or_no("roll"), is_last=once_a_march),
    Kind("charge", *yes_or_no("elephants"), hints="views.hints:at_least", is_last=once_a_march),
    Kind(FRIGHT, window_choices, check_window, hints="views.hints:window"),
)
