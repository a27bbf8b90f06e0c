"""Voyages: who sails with how many CU, and by whose fleet (9.6, S 9.6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import NOT_TOLD, Kinds, LegalOrders, Refusal, Table, of
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DESPERATE_TIMES
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game

NONE: Final = "none"


def carried(game: Game, power: str, value: int, origin: str, to: str, *, fleeing: bool = False) -> int:
    """Return the CU that a power carries with a card of a value from a port to another; 0: it cannot sail (9.6.3)."""
    most = 0
    for row in game.board.voyages:
        if row.power != power or row.value != value:
            continue
        if row.holds is not None and game.control.get(row.holds) != power:
            continue
        if row.marker is not None and game.mark(row.marker) is None:
            continue
        if row.holds is not None and game.options["greek_great_fleet"] == "from":
            ends: tuple[str, ...] = (origin,)
        else:
            ends = (to,) if fleeing else (origin, to)
        if not row.ports or set(row.ports) & set(ends):
            most = max(most, row.cu)
    return most


def capacity(game: Game, power: str, card: str, origin: str, to: str, *, fleeing: bool = False) -> int:
    """Return the CU that a power carries with a card from a port to another; 0: it cannot sail (9.6.3)."""
    return carried(game, power, value_of(game, card), origin, to, fleeing=fleeing)


def is_harbour(game: Game, power: str, space: str) -> bool:
    """Tell whether a power can sail from and to a space (9.6)."""
    return game.board.spaces[space].port


def holds_cards(game: Game, side: Side) -> bool:
    """Tell whether a side may have a card to play: all see that (6.1)."""
    return bool(game.hands[side] or game.desperate_times[side])


def cards_of(view: Game, side: Side) -> list[str]:
    """List the cards that a side can play out of its hand, its Desperate Times last (7.4.6)."""
    return [*view.hands[side], *([DESPERATE_TIMES] if view.desperate_times[side] else [])]


def why_not_held(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a side cannot play a card; None: it holds it (7.1)."""
    return None if card in cards_of(view, side) else Refusal(f"{card} is not in your hand", "7.1")


def play_card(game: Game, table: Table, side: Side, card: str, use: str, *, remove: bool = False) -> None:
    """Play a card from a hand beside the one on the table (7.2.2, S 9.6)."""
    if card == DESPERATE_TIMES:
        game.desperate_times[side] -= 1
    else:
        game.hands[side].remove(card)
        (game.removed if remove else game.discards[side]).append(card)
        if game.board.cards[card].reshuffle and not remove and side not in game.reshuffle:
            game.reshuffle.append(side)
    table.tell("card_played", side=side, card=card, use=use, rule="7.1")


def lender(game: Game, power: str) -> Side | None:
    """Return the side that may lend its fleet to a power: Carthage, if it is an ally and may hold a card (S 9.6.3)."""
    side = game.board.powers[CARTHAGE].side
    if side is None or side in game.out or power == CARTHAGE or not game.allied(power, CARTHAGE):
        return None
    return side if holds_cards(game, side) else None


def borrow(game: Game, table: Table, power: str, origin: str, to: str, cu: int, *, fleeing: bool = False) -> Flow[int]:
    """Ask Carthage to lend its fleet to an ally, and return the CU that it carries; 0: it does not (S 9.6.3)."""
    side = lender(game, power)
    if side is None:
        return 0
    facts = {"power": power, "from": origin, "to": to, "cu": cu}
    order = yield Decision("lend_fleet", side, "S 9.6.3", facts, {"card": NONE}, waits=game.options["windows"] == "ask")
    if order["card"] == NONE:
        return 0
    most = capacity(game, CARTHAGE, order["card"], origin, to, fleeing=fleeing)
    play_card(game, table, side, order["card"], "lend_fleet")
    return most


def card_orders(view: Game, decision: Decision) -> LegalOrders:
    """List the cards of a side, and none."""
    if UNSEEN in view.hands[decision.side]:
        return NOT_TOLD
    return of([Order(decision.kind, {"card": card}) for card in [NONE, *cards_of(view, decision.side)]])


def check_card(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a card that is played for a voyage: it is held (S 9.6.3)."""
    if order["card"] != NONE and (refusal := why_not_held(view, decision.side, order["card"])) is not None:
        yield order.fault(("card",), refusal.reason, rule=refusal.rule)


def sail(game: Game, table: Table, power: str, origin: str, to: str, force: Force, name: str) -> Flow[bool]:
    """Make a voyage and return whether it arrives; who calls moves the force (9.6.4)."""
    table.tell("sails", power=power, space=origin, to=to, cu=force.cu, rule="9.6")
    return True
    yield


KINDS: Final[Kinds] = {"lend_fleet": (card_orders, check_card)}
