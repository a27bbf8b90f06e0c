"""The card on the table: how it is laid down, what it is worth, and where it goes (7.1, 7.1.3, 6.4.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from pbem.game import Part, Refusal, Table
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.position.board import DESPERATE_TIMES, DESPERATE_VALUE
from pbem.rules.sword_of_rome.position.naming import not_in_hand, refused
from pbem.rules.sword_of_rome.position.state import CardPlay, Game

EVENT = "event"
EXTRA = "extra"
HIRE = "hire"
BESIDE = (EXTRA, HIRE)
"""Uses that are not the one card of the round (7.1.2, S 7.2.4)."""

UseChoices: TypeAlias = Callable[[Game, Decision], Part]
UseCheck: TypeAlias = Callable[[Game, Decision, Order], Iterable[Fault]]
UseFlow: TypeAlias = Callable[[Game, Table, Order], Flow[None]]


class Use(NamedTuple):
    """One thing that the active side may do, by a word of its order (`do`): an entry of `USES` of a chapter (5.4)."""

    choices: UseChoices
    """Every way to do it, without the word."""
    check: UseCheck
    carry_out: UseFlow
    says: Sequence[str]
    """How it is said."""


def own_power(view: Game, side: Side, order: Order) -> str | None:
    """Return the power of a side that an order means: who leads one alone need not name it. None: it is unclear."""
    own = view.board.powers_of[side]
    power = order.get("power", own[0] if len(own) == 1 else None)
    return power if power in own else None


def value_of(game: Game, card: str) -> int:
    """Return the value of a card; a Desperate Times has 3 (7.4.6)."""
    return DESPERATE_VALUE if card == DESPERATE_TIMES else game.board.cards[card].value


def playable(view: Game, side: Side) -> list[str]:
    """Return the cards that a side can lay down now as its one card (5.4).

    That is its hand, or in the activation of a Desperate Times that card alone (7.4.3).
    """
    activation = view.the_activation
    if activation.played:
        return []
    return [DESPERATE_TIMES] if activation.desperate else list(view.hands[side])


def why_no_desperate(view: Game, side: Side) -> Refusal | None:
    """Say why a side has no Desperate Times to pay with; None: it has (7.4.6)."""
    return None if view.desperate_times[side] else Refusal("you have no Desperate Times left", "7.4")


def why_not_play(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a side cannot lay down a card as its one card; None: it can (5.4)."""
    if view.the_activation.played:
        return Refusal("you have played your card of this round", "5.4")
    if view.the_activation.desperate and card != DESPERATE_TIMES:
        return Refusal("a Desperate Times is played: write desperate_times as the card", "7.4.3")
    if card not in playable(view, side):
        return Refusal(not_in_hand(view, side, card), "5.4")
    return None


def card_faults(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield why the card of an order cannot be laid down as the one card of the round (5.4)."""
    if "card" not in order.body:
        yield order.fault(("card",), "say by which card", rule="7.1")
        return
    yield from refused(("card",), why_not_play(view, decision.side, order["card"]))


def lay_down(game: Game, table: Table, card: str, use: str, power: str = "") -> CardPlay:
    """Take a card out of the hand of the active side and lay it on the table (7.1)."""
    side = game.the_activation.side
    if card != DESPERATE_TIMES:
        game.hands[side].remove(card)
    elif not game.the_activation.desperate:
        game.desperate_times[side] -= 1  # one that was announced has been counted off (7.4)
    if use not in BESIDE:
        game.the_activation.played = True
    game.card = CardPlay(side, card, value_of(game, card), use, power)
    table.tell("card_played", side=side, card=card, use=use, rule="7.1")
    return game.card


def put_away(game: Game, table: Table) -> None:
    """Discard the card on the table, or take it out of the game after its event (7.1.3).

    Desperate Times are out of the game once they were used (7.4).
    """
    play = game.card
    assert play is not None
    game.card = None
    if play.card != DESPERATE_TIMES:
        file_away(game, table, play.side, play.card, event=play.use in (EVENT, EXTRA) and not play.cancelled)


def file_away(game: Game, table: Table, side: Side, card: str, *, event: bool) -> None:
    """Put a card that was played on the discards, or out of the game if its event says so (6.4.1, 7.1.3)."""
    record = game.board.cards[card]
    if record.remove and event:
        game.removed.append(card)
        table.tell("card_removed", card=card, rule="7.1.3")
    else:
        game.discards[side].append(card)
    if record.reshuffle and side not in game.reshuffle:
        game.reshuffle.append(side)
