"""Events: a card played for what it says, as the one card of the round or beside it (7.1, 7.1.2, 7.1.3).

What an effect needs to be told stands in the order under the word of the effect (`levy: {space: cu}`, `support:
[spaces]`). An event that lasts is a `Mark` in `Game.marks`; chapters ask for it by `Game.mark`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import LegalOrders, Refusal, Table, flat_map, of
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events import effects, responses
from pbem.rules.sword_of_rome.events.card_play import EVENT, EXTRA, Use, lay_down, put_away
from pbem.rules.sword_of_rome.events.conditions import hold
from pbem.rules.sword_of_rome.events.effects import EFFECTS, lasting, moments
from pbem.rules.sword_of_rome.position.naming import not_in_hand
from pbem.rules.sword_of_rome.position.state import Game

EFFECTS.update(
    {
        **lasting.EFFECTS_ON_UNITS,
        **lasting.EFFECTS_ON_SUPPORT,
        **moments.EFFECTS_ON_BATTLES,
        **moments.EFFECTS_ON_MOVEMENT,
        **lasting.OTHER_EFFECTS,
    }
)
ELSEWHERE: Final[Mapping[str, str]] = {
    "campaign": "a Campaign is played as do campaign, with the leader who goes first",
    "nonplayer": "this card is played as do nonplayer, with the power that acts",
}
"""Words of `do` that are a use of their own in the order `act`, and how they are written."""


def why_not_now(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why it is not the time for the event of a card, wherever it lies and whatever it does; None: it is (7.1)."""
    record = view.board.cards[card]
    if record.when is not None:
        when = record.when.replace("_", " ")
        return Refusal(f"{record.name} ({card}) is a response: it is played at its moment, {when}", "7.1.1")
    for effect in record.effects:
        for word in effect:
            if word not in EFFECTS:
                return Refusal(ELSEWHERE[word], "7.1")
    return hold(view, side, card)


def why_no_event(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a card cannot be played for its event now, wherever it lies; None: it can (7.1)."""
    return why_not_now(view, side, card) or effects.why_not(view, side, card)


def why_not_laid(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a side cannot lay down a card for its event; None: it can, as its card or beside it (5.4, 7.1.2)."""
    return why_not_its(view, side, card) or why_no_event(view, side, card)


def why_not_its(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a card is not one that a side can lay down now, whatever its event; None: it is (5.4, 7.1.2)."""
    if card not in view.hands[side]:
        return Refusal(not_in_hand(view, side, card), "5.4")
    if view.the_activation.played and not view.board.cards[card].extra:
        return Refusal("you have played your card of this round", "5.4")
    return None


def event_orders(view: Game, decision: Decision) -> LegalOrders:
    """List every event that the active side can play, each in every way (7.1)."""
    side = decision.side

    def ways(card: str) -> LegalOrders:
        if why_not_its(view, side, card) is not None or why_not_now(view, side, card) is not None:
            return of([])
        return effects.orders(view, side, card, Order("act", {"do": "event", "card": card}))

    return flat_map(ways, view.hands[side])


def check_event(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with playing an event (7.1)."""
    card = order.get("card")
    if card is None:
        yield order.fault(("card",), "say by which card", rule="7.1")
        return
    refusal = why_not_its(view, decision.side, card) or why_not_now(view, decision.side, card)
    if refusal is not None:
        yield order.fault(("card",), refusal.reason, rule=refusal.rule)
        return
    yield from effects.faults(view, decision.side, card, order)


def play_event(game: Game, table: Table, order: Order) -> Flow[None]:
    """Lay a card of a hand down for its event, let others respond, carry it out, and put it away (7.1, 7.1.1)."""
    side, card = game.the_activation.side, order["card"]
    record = game.board.cards[card]
    play = lay_down(game, table, card, EXTRA if record.extra else EVENT)
    if (yield from responses.takes_place(game, table, side, card)):
        table.tell("event_played", side=side, card=card, rule="7.1")
        yield from effects.play_effects(game, table, side, card, order.get("effect", {}))
    else:
        play.cancelled = True
    put_away(game, table)


EVENT_USES: Final[Mapping[str, Use]] = {"event": Use(event_orders, check_event, play_event)}
