"""Responses: shaded cards that anybody may play at their moment, the active side first, then clockwise (7.1.1).

What this module offers to the others: `moment = yield from window(game, table, name, about={...})`. The name is a word
of `when` in `schemas/cards.yaml`; `about` holds public facts of the moment: `space`, `power` (who acts), `other`
(against whom), `value` (of the card that was played). What responses have made of it stands in the `Moment` that
comes back: `cancelled`, `modifier`, `points`, `sails`, `avoided`, `flight`, `again`. Modifiers, dice and losses of a
battle stand in `Game.battle`, a cancelled activation in `Game.card` too.

A window opens to a side by public facts only: it holds a card, and a card of its deck fits that lies neither in its
discards nor out of the game. Whether it is in the hand does not count, so no question betrays a hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pbem.game import UNTOLD, Kind, OneOf, Part, Refusal, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Record, Side
from pbem.rules.sword_of_rome.events import effects
from pbem.rules.sword_of_rome.events.card_play import file_away
from pbem.rules.sword_of_rome.events.conditions import hold
from pbem.rules.sword_of_rome.position.naming import NOBODY, card_value, not_in_hand
from pbem.rules.sword_of_rome.position.state import NONE, UNSEEN, Game, Moment, window_decision

EVENT_PLAYED: Final = "event"


def window(game: Game, table: Table, name: str, *, about: Record) -> Flow[Moment]:
    """Let each side play responses at a moment, and return what they have made of it (7.1.1).

    The active side plays all of its own first, then the others clockwise. Outside the Action Phase responses are
    played only by option `responses`.
    """
    facts = {word: about[word] for word in ("space", "power", "other", "value") if about.get(word) is not None}
    moment = Moment(name, **facts)
    if game.phase != "action" and game.options["responses"] == "action_phase":
        return moment
    game.moments.append(moment)
    for side in _in_order(game):
        while fitting(game, side) and not moment.cancelled:
            order = yield _asked(game, side, moment)
            if order["card"] == NONE:
                break
            yield from respond(game, table, side, order)
    game.moments.pop()
    return moment


def takes_place(game: Game, table: Table, side: Side, card: str) -> Flow[bool]:
    """Let all respond to a card that is played for its event, and return whether that takes place (7.1.1)."""
    about = {"power": game.board.powers_of[side][0], "value": game.board.cards[card].value}
    moment = yield from window(game, table, EVENT_PLAYED, about=about)
    if moment.cancelled:
        table.tell("event_cancelled", side=side, card=card, rule="7.1.1")
    return not moment.cancelled


def _in_order(game: Game) -> list[Side]:
    """Return the sides in the order in which they respond; out of an activation the first player begins (7.1.1)."""
    first = game.activation.side if game.activation is not None else game.first
    return game.clockwise(first) if first is not None else game.in_play


def _asked(game: Game, side: Side, moment: Moment) -> Decision:
    facts = {
        "moment": moment.name,
        "space": moment.space or None,
        "power": moment.power or None,
        "other": moment.other or None,
        "value": moment.value,
    }
    return window_decision(game, Decision("respond", side, "7.1.1", facts, {"card": NONE}, secret=True))


def respond(game: Game, table: Table, side: Side, order: Order) -> Flow[None]:
    """Play a response: others may respond to it before it takes effect (7.1.1).

    It is discarded; what leaves the game after its event does so once that takes place (7.1.3).
    """
    card = order["card"]
    game.hands[side].remove(card)
    table.tell("responds", side=side, card=card, rule="7.1.1")
    file_away(game, table, side, card, event=False)
    if (yield from takes_place(game, table, side, card)):
        if game.board.cards[card].remove:
            game.discards[side].remove(card)
            file_away(game, table, side, card, event=True)
        yield from effects.play_effects(game, table, side, card, order.get("effect", {}))


def why_not_at_moment(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a card of a side's deck does not respond to the open moment, whatever it does; None: it does (7.1.1)."""
    record = view.board.cards[card]
    moment = view.moment
    if moment is None or record.when != moment.name:
        return Refusal(f"{record.name} ({card}) is no response to this", "7.1.1")
    return hold(view, side, card)


def why_no_response(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why a card of a side's deck cannot be played as a response at the open moment; None: it can (7.1.1)."""
    return why_not_at_moment(view, side, card) or effects.why_not(view, side, card)


def fitting(game: Game, side: Side) -> list[str]:
    """Return the cards by which a side may be able to respond now, as far as everybody can see (7.1.1)."""
    if game.moment is None or not game.hands[side]:
        return []
    return [
        card
        for card in game.board.responses[side].get(game.moment.name, ())
        if card not in game.discards[side]
        and card not in game.removed
        and not (game.card is not None and game.card.card == card)
        and why_no_response(game, side, card) is None
    ]


def is_for_later(view: Game, decision: Decision, order: Order) -> bool:
    """Tell whether a response is meant for a moment that is still to come: its card fits no more than that (7.1.1)."""
    card = order.get("card")
    if card not in view.hands[decision.side] or view.board.cards[card].when is None:
        return False
    return why_no_response(view, decision.side, card) is not None


def responses(view: Game, decision: Decision) -> Part:
    """Return the responses in a hand, each with every way to play it, and none (7.1.1)."""
    side, hand = decision.side, view.hands[decision.side]
    if UNSEEN in hand:
        return UNTOLD
    able = [card for card in fitting(view, side) if card in hand]
    shut = [card for card in hand if card not in able]
    values = [card_value(view, card, effects.choices(view, side, card)) for card in able]
    for card in shut:
        refusal = why_no_response(view, side, card)
        if refusal is not None:
            values.append(replace(card_value(view, card), why=refusal.reason))
    return OneOf("card", [Value(NONE, says=NOBODY, must=True), *values], of="card")


def check_response(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a response: it is in the hand, fits the moment, and can take effect (7.1.1)."""
    card = order["card"]
    if card == NONE:
        return
    if card not in view.hands[decision.side]:
        yield order.fault(
            ("card",), f"{not_in_hand(view, decision.side, card)}; write a card of it, or none", rule="7.1.1"
        )
        return
    refusal = why_not_at_moment(view, decision.side, card)
    if refusal is not None:
        yield order.fault(("card",), refusal.reason, rule=refusal.rule)
        return
    yield from effects.faults(view, decision.side, card, order)


RESPONSE_KINDS: Final = (
    Kind(
        "respond",
        responses,
        check_response,
        hints="views.hints:respond_hints",
        bot="policy.replies:best_response",
        is_for_later=is_for_later,
    ),
)
