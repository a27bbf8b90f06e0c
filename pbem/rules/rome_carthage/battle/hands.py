"""Hands of battle cards: how many each side gets and for what, allies and militia, and the deal (11.1, 11.2)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Side
from pbem.rules.rome_carthage.position.board import ITALY
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, ROME, Game
from pbem.rules.rome_carthage.position.under_way import Battle


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
