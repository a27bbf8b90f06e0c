"""Events of the councils: allies, dismissals, messengers, fleets, counsels, a Truce (cards 9, 19, 29, 55 to 64)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Refusal, Table
from pbem.protocol import Side
from pbem.rules.rome_carthage.events.aims import GENERAL, Aim, event, refusal, rule_of
from pbem.rules.rome_carthage.events.playing import CardEvent
from pbem.rules.rome_carthage.movement.march_cards import TRUCE
from pbem.rules.rome_carthage.orders import EventOrder
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.generals import arrange, may_be_in
from pbem.rules.rome_carthage.position.naming import generals_named
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, PROCONSUL, ROME, SIDES, Game

# ---- cards out of the enemy's hand (cards 9, 55)


def _drawn(game: Game, table: Table, side: Side, card: StrategyCard) -> int | None:
    """Draw a card blindly out of a side's hand and return it; None: it has none (cards 9, 55)."""
    hand = game.hands[side]
    if not hand:
        return None
    number: int = table.shuffle(f"{card.event}/{game.turn}-{game.plays}", sorted(hand))[0]
    hand.remove(number)
    return number


def _lose_card(game: Game, table: Table, side: Side, card: StrategyCard) -> None:
    """Make a side discard a card drawn from its hand, face up (card 9)."""
    number = _drawn(game, table, side, card)
    if number is None:
        return
    game.discards.append(number)
    if game.board.cards[number].event == TRUCE and game.options["truce_reshuffle_on_discard"]:
        game.reshuffle_due = True
    table.tell("card_lost", side=side, card=number, rule=rule_of(card))


def _philip(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Ally Philip V with Carthage, or make Rome's peace with him; either costs the enemy a card (card 9)."""
    game.macedonia = side == CARTHAGE
    table.tell("macedonia_allied" if game.macedonia else "macedonia_leaves", rule=rule_of(card))
    _lose_card(game, table, ENEMY[side], card)


def _why_no_philip(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    if side == ROME:
        return None if game.macedonia else refusal(card, "Philip V is not allied with Carthage")
    if game.macedonia:
        return refusal(card, "Philip V is allied with Carthage already, and only Rome can use it now")
    return None


def _messenger(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Take a card blindly out of the enemy's hand; by the rules of 1998 it is played next (card 55)."""
    number = _drawn(game, table, ENEMY[side], card)
    assert number is not None
    game.hands[side] = sorted([*game.hands[side], number])
    table.tell("messenger_caught", side=side, rule=rule_of(card))
    table.tell("messenger_brings", side=side, card=number, to=list(SIDES), rule=rule_of(card))
    if game.options["messenger_use"] == "at_once":
        game.play_next = number


def _why_no_messenger(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    return None if game.hands[ENEMY[side]] else refusal(card, "the enemy has no card left")


# ---- a proconsul is dismissed (card 19)


def proconsul(game: Game) -> str | None:
    """Return the proconsul on the map, Scipio Africanus aside; None: there is none (6.4.3, card 19)."""
    held, records = game.offices.items(), game.board.generals
    here = (general for general, office in held if office == PROCONSUL and records[general].token)
    return next((general for general in here if game.where(general) is not None), None)


def _dismissal(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Replace the proconsul by a Roman general who is not in play (card 19)."""
    old, new = proconsul(game), order.general
    assert old is not None
    space, inside = game.whereabouts(old)
    stack = game.garrisons[space] if inside else game.stacks[ROME][space]
    stack.generals[stack.generals.index(old)] = new
    del game.offices[old]
    game.offices[new] = PROCONSUL
    game.reserve[game.reserve.index(new)] = old
    arrange(game, stack)
    table.tell("dismissed", general=old, successor=new, space=space, rule=rule_of(card))


def _why_no_dismissal(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    if proconsul(game) is None:
        return refusal(card, "Rome has no proconsul on the map, Scipio Africanus aside")
    return None


def _in_reserve(game: Game, side: Side, card: StrategyCard) -> list[str]:
    return list(game.reserve)


def _why_no_successor(game: Game, side: Side, card: StrategyCard, general: str) -> Refusal | None:
    record, old = game.board.generals[general], proconsul(game)
    if general not in game.reserve:
        there = generals_named(game, game.reserve)
        return refusal(card, f"{record.name} is no Roman general out of play; there are: {there}")
    if old is not None and not may_be_in(game, general, game.whereabouts(old)[0]):
        return refusal(card, f"{record.name} cannot be where {game.board.generals[old].name} is")
    return None


# ---- what holds for some time (cards 29, 57, 58, 64)


def _naval_victory(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Give Carthage the sea until the end of the turn (card 29)."""
    game.naval_victory = True
    table.tell("naval_victory", rule=rule_of(card))


def _counsel(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Bind a side by the counsel of Hanno or Cato (cards 57, 58)."""
    bound = card.about["binds"]
    if bound not in game.counsels:
        game.counsels.append(bound)
    if bound in game.counsels_ending:
        game.counsels_ending.remove(bound)
    table.tell("counsel", side=bound, card=card.number, rule=rule_of(card))


def _truce(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Agree on a Truce, which lasts until an event breaks it (card 64)."""
    game.truce = True
    table.tell("truce_begins", rule=rule_of(card))


EVENTS: Final[Mapping[str, CardEvent]] = {
    "philip": event(_philip, _why_no_philip),
    "messenger_intercepted": event(_messenger, _why_no_messenger),
    "dismissal": event(_dismissal, _why_no_dismissal, Aim(GENERAL, _in_reserve, _why_no_successor)),
    "naval_victory": event(_naval_victory),
    "counsel": event(_counsel),
    TRUCE: event(_truce),
}
