"""The Etruscan bribe: a card of value 3 turns an enemy army back, or opens the way of one's own (7.2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import NOT_TOLD, Kinds, LegalOrders, Table, of
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.movement.orders import NONE
from pbem.rules.sword_of_rome.movement.paths import why_not_end
from pbem.rules.sword_of_rome.movement.voyages import cards_of, holds_cards, play_card, why_not_held
from pbem.rules.sword_of_rome.position.board import DESPERATE_VALUE, ETRUSCANS
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game
from pbem.rules.sword_of_rome.position.windows import window_decision


def stands_to_bribe(game: Game) -> bool:
    """Tell whether a bribe may be paid where the force under way has come to (7.2.2).

    Either it has come upon an Etruscan army, or it is one itself, among enemy CU. The mines must be working.
    """
    march = game.the_march
    side = game.board.powers[ETRUSCANS].side
    if game.mines_depleted or side is None or side in game.out or not holds_cards(game, side):
        return False
    enemies = game.enemies_in(march.power, march.at)
    if march.power == ETRUSCANS:
        return march.force.army and bool(enemies)
    return ETRUSCANS in enemies and game.force(ETRUSCANS, march.at).army


def bribe(game: Game, table: Table) -> Flow[bool]:
    """Let the Etruscans pay a bribe, after interception and avoidance, and before other cards (7.2.2).

    An enemy army goes back one space and stops. An own one passes through, and those whom it has bribed do not
    intercept it. The card is out of the game. Return whether it was paid.
    """
    if not stands_to_bribe(game):
        return False
    march, side = game.the_march, game.board.powers[ETRUSCANS].side
    assert side is not None
    own = march.power == ETRUSCANS
    enemies = game.enemies_in(march.power, march.at)
    cu = sum(game.force(power, march.at).cu for power in enemies) if own else march.force.cu
    facts = {"space": march.at, "mover": march.power, "enemy_cu": cu}
    order = yield window_decision(game, "bribe", side, "7.2.2", facts, {"card": NONE})
    if order["card"] == NONE:
        return False
    play_card(game, table, side, order["card"], "bribe", remove=True)
    march.bribed.append(march.at)
    table.tell("bribed", power=march.power, space=march.at, rule="7.2.2")
    if not own:
        turn_back(game, table)
    return True


def turn_back(game: Game, table: Table) -> None:
    """Send the force under way back one space, or as far as it may stop, and end its march (7.2.2, 15.3)."""
    march = game.the_march
    march.over = True
    for space in reversed(march.trail[:-1]):
        march.at = space
        if why_not_end(game, march, space) is None and not game.enemies_in(march.power, space):
            break
    table.tell("goes_back", power=march.power, leader=march.leader, space=march.at, rule="7.2.2")


def bribes(view: Game, decision: Decision) -> LegalOrders:
    """List the cards of value 3 with which a bribe can be paid, and none (7.2.2)."""
    if UNSEEN in view.hands[decision.side]:
        return NOT_TOLD
    cards = [card for card in cards_of(view, decision.side) if value_of(view, card) >= DESPERATE_VALUE]
    return of([Order("bribe", {"card": card}) for card in (NONE, *cards)])


def check_bribe(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a bribe: it takes a card of value 3 (7.2.2)."""
    card = order["card"]
    if card == NONE:
        return
    refusal = why_not_held(view, decision.side, card)
    if refusal is not None:
        yield order.fault(("card",), refusal.reason, rule=refusal.rule)
    elif value_of(view, card) < DESPERATE_VALUE:
        yield order.fault(("card",), f"a bribe takes a card of value {DESPERATE_VALUE}", rule="7.2.2")


KINDS: Final[Kinds] = {"bribe": (bribes, check_bribe)}
