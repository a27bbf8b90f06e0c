"""Entering a space: bribes, and what an army meets there.

1. The owner of a city says who goes inside (9.3.1).
2. Interceptions and avoidance are declared, secret and at once, then rolled for (9.3.2, 10, 11).
3. Who was intercepted may go back (10.5.1).
4. The Etruscans may pay a bribe, before any card is played (7.2.2).
5. Caudine Forks and other responses (9.3.3).

The battle that follows is that of `march`. A leader without CU meets none of this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.game import NOT_TOLD, Kind, LegalOrders, Table, of
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.movement import avoidance, cities, interception
from pbem.rules.sword_of_rome.movement.orders import NONE
from pbem.rules.sword_of_rome.movement.paths import why_not_end
from pbem.rules.sword_of_rome.movement.voyages import cards_of, holds_cards, play_card, why_not_held
from pbem.rules.sword_of_rome.position.board import DESPERATE_VALUE, ETRUSCANS
from pbem.rules.sword_of_rome.position.changes import settle_spaces
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game
from pbem.rules.sword_of_rome.position.windows import window_decision
from pbem.rules.sword_of_rome.siege.siege import place_marker

# ---- The Etruscan bribe: a card of value 3 turns an enemy army back, or opens the way of one's own (7.2.2)


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


BRIBE_KINDS: Final = (
    Kind("bribe", bribes, check_bribe, hints="views.hints:reaction_card", bot="policy.responses:bribe"),
)


# ---- Entering a space: the reactions to an army that comes, in the printed order (9.3)


Avoidance: TypeAlias = tuple[Order, Force]
"""The order to avoid battle, and the part of the army that it has declared for it."""


class Met(NamedTuple):
    """What an army has met in a space: who has intercepted it, who tried to avoid it, and whether somebody has."""

    intercepted_by: str | None = None
    failed_avoidance: tuple[str, ...] = ()
    avoided: bool = False


def enter(game: Game, table: Table, name: str) -> Flow[Met]:
    """Let all react to the army under way in the space that it has entered (9.3); `name` goes into names of rolls."""
    march = game.the_march
    if not march.force.army:
        return Met()
    yield from cities.take_positions(game, table)
    declared, avoiding = yield from _declarations(game, table)
    by = yield from interception.intercept(game, table, declared, name)
    failed: list[str] = []
    avoided = False
    for power, (order, part) in avoiding.items():
        if (yield from avoidance.avoid(game, table, power, order, part, name)):
            avoided = True
        else:
            failed.append(power)
    settle_spaces(game, table)
    met = Met(by, tuple(failed), avoided)
    if by is not None and march.flanking is not None:
        march.caught_by, march.over = by, True
        return met
    return (yield from react(game, table, met, name))


def react(game: Game, table: Table, met: Met, name: str) -> Flow[Met]:
    """Do what follows interceptions and avoidance: refusal, bribe, responses (10.5.1, 7.2.2, 9.3.3)."""
    march = game.the_march
    by, space = met.intercepted_by, march.at
    away = by is not None and (yield from interception.refuse(game, table, by, name))
    away = away or ((yield from bribe(game, table)) and march.over)
    if away:
        if by is not None:
            place_marker(game, table, by, space)  # its army stands before an enemy city now, if there is one (13.1)
        return met
    enemies = [power for power in game.enemies_in(march.power, march.at) if march.at not in march.bribed]
    about = {"space": march.at, "power": march.power, "other": enemies[0] if enemies else None}
    yield from responses.window(game, table, "army_enters", about=about)
    return met


def _declarations(game: Game, table: Table) -> Flow[tuple[Mapping[str, Sequence[Any]], Mapping[str, Avoidance]]]:
    """Ask all at once who intercepts and who avoids battle, and return both by power (9.3.2)."""
    asked = yield from interception.questions(game, table)
    asked += yield from avoidance.questions(game, table)
    if not asked:
        return {}, {}
    orders = yield from table.ask_all(asked)
    declared: dict[str, Sequence[Any]] = {}
    avoiding: dict[str, Avoidance] = {}
    for decision, order in zip(asked, orders, strict=True):
        power = decision.facts["power"]
        if decision.kind == "intercept":
            declared[power] = order["with"]
        elif order["to"] != NONE:
            avoiding[power] = order, avoidance.declared(game, power, order)
    return declared, avoiding
