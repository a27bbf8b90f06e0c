"""The uses of a card: points of support, a CU, the mercenaries of Carthage, or its event (7.1, 7.3.1, S 7.2.4).

An event is played as the one card of the round or beside it (7.1.2). What an effect needs to be told stands under its
word in the order (`levy: {space: cu}`, `support: [spaces]`). An event that lasts is a `Mark` in `Game.marks`, for which
chapters ask by `Game.mark`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.game import NONE, Part, Refusal, Table
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events import effects, responses
from pbem.rules.sword_of_rome.events.card_play import (
    EVENT,
    EXTRA,
    HIRE,
    Use,
    card_faults,
    lay_down,
    own_power,
    playable,
    put_away,
    value_of,
    why_no_desperate,
    why_not_play,
)
from pbem.rules.sword_of_rome.events.conditions import hold
from pbem.rules.sword_of_rome.events.effects import EFFECTS, lasting, moments
from pbem.rules.sword_of_rome.events.support import add_all, rooms, wrong_additions
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DESPERATE_TIMES, DESPERATE_VALUE
from pbem.rules.sword_of_rome.position.naming import cards, handful, not_in_hand, one_space, own, points, refused
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.turn.reinforcements import eligible, why_not_place, wrong_places

LEVY_VALUE: Final = 3
ELSEWHERE: Final[Mapping[str, str]] = {
    "campaign": "a Campaign is played as do campaign, with the leader who goes first",
    "nonplayer": "this card is played as do nonplayer, with the power that acts",
}
"""Words of `do` that are a use of their own in the order `act`, and how they are written."""


# ---- support (7.3.1)


def support_choices(view: Game, decision: Decision) -> Part:
    """Return every way to add support with a card: one point at least, its value at most (7.1, 7.3.1)."""
    able = playable(view, decision.side)
    room = rooms(view, decision.side) if able else {}
    by_value = {value: points("add", room, 1, value) for value in {value_of(view, card) for card in able}}
    return cards(view, able, lambda card: by_value[value_of(view, card)])


def check_support(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the points of support that a card buys (7.1, 7.3.1)."""
    yield from card_faults(view, decision, order)
    spaces: Sequence[str] = order.get("add", ())
    if not spaces:
        yield order.fault(("add",), "say where support is added", rule="7.3.1")
    value = value_of(view, order["card"]) if order.get("card") in playable(view, decision.side) else 0
    if value and len(spaces) > value:
        yield order.fault(("add",), f"the card has {value} points, not {len(spaces)}", rule="7.1")
    for at, refusal in wrong_additions(view, decision.side, spaces):
        yield order.fault(("add", at), refusal.reason, rule=refusal.rule)


def add_support(game: Game, table: Table, order: Order) -> Flow[None]:
    """Add the points of support that a card buys (7.1, 7.3.1)."""
    side = game.the_activation.side
    lay_down(game, table, order["card"], "support")
    add_all(game, table, side, order["add"])
    put_away(game, table)
    yield from ()


# ---- a CU for a 3 (7.1)


def levy_choices(view: Game, decision: Decision) -> Part:
    """Return every place for the CU that a card of value 3 brings (7.1)."""
    side = decision.side
    able = [card for card in playable(view, side) if value_of(view, card) >= LEVY_VALUE]
    if not able:
        return NONE
    places = own(view.board.powers_of[side], lambda power: one_space("at", eligible(view, power)))
    return cards(view, able, lambda card: places)


def check_levy(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the CU that a card of value 3 brings (7.1)."""
    yield from card_faults(view, decision, order)
    if order.get("card") in playable(view, decision.side) and value_of(view, order["card"]) < LEVY_VALUE:
        yield order.fault(("card",), "only a card of value 3 brings a CU", rule="7.1")
    yield from place_faults(view, decision.side, order)


def place_faults(view: Game, side: Side, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the power and the space of an order that places units."""
    power, space = own_power(view, side, order), order.get("at")
    if power is None:
        yield order.fault(
            ("power",), f"say which power gets the CU: {' or '.join(view.board.powers_of[side])}", rule="7.1"
        )
    elif space is None:
        yield order.fault(("at",), "say where the CU is placed", rule="5.10")
    else:
        yield from refused(("at",), why_not_place(view, power, space))


def bring_levy(game: Game, table: Table, order: Order) -> Flow[None]:
    """Place the CU that a card of value 3 brings (7.1)."""
    side = game.the_activation.side
    power = own_power(game, side, order)
    assert power is not None
    lay_down(game, table, order["card"], "levy", power)
    game.put(power, order["at"], Force(cu=1))
    table.tell("levied", power=power, space=order["at"], cu=1, rule="7.1")
    put_away(game, table)
    yield from ()


# ---- mercenaries (S 7.2.4)


def hire_choices(view: Game, decision: Decision) -> Part:
    """Return every way to hire mercenaries with a card (S 7.2.4)."""
    if decision.side != CARTHAGE or view.the_activation.hired:
        return NONE
    spaces = eligible(view, CARTHAGE)
    return cards(view, _paying(view), lambda card: handful("place", spaces, value_of(view, card)))


def _paying(view: Game) -> list[str]:
    """Return the cards that pay for mercenaries: any of the hand, or a Desperate Times (S 7.2.4, S 7.4.6).

    In the activation of a Desperate Times they are its one action (7.4.3).
    """
    if view.the_activation.desperate:
        return playable(view, CARTHAGE)
    return [*view.hands[CARTHAGE], *([DESPERATE_TIMES] if why_no_desperate(view, CARTHAGE) is None else [])]


def _why_not_paying(view: Game, card: str | None) -> Refusal | None:
    """Say why a card does not pay for mercenaries; None: it does (S 7.2.4, 7.4.3)."""
    if card in _paying(view):
        return None
    if view.the_activation.desperate:
        return why_not_play(view, CARTHAGE, str(card))
    if card == DESPERATE_TIMES:
        return why_no_desperate(view, CARTHAGE)
    return Refusal(f"{card} is not in your hand", "S 7.2.4")


def check_hire(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with hiring mercenaries (S 7.2.4)."""
    if decision.side != CARTHAGE:
        yield order.fault(("do",), "only Carthage hires mercenaries", rule="S 7.2.4")
        return
    if view.the_activation.hired:
        yield order.fault(("do",), "you have hired mercenaries in this round", rule="S 7.2.4")
    card, place = order.get("card"), order.get("place", {})
    refusal = _why_not_paying(view, card)
    yield from refused(("card",), refusal)
    if refusal is None and sum(place.values()) != (most := value_of(view, str(card))):
        yield order.fault(("place",), f"the card hires {most} CU: place them all", rule="S 7.2.4")
    for space, cu in place.items():
        if cu > DESPERATE_VALUE:
            yield order.fault(("place", space), f"no card hires more than {DESPERATE_VALUE} CU", rule="S 7.2.4")
    for space, refusal in wrong_places(view, CARTHAGE, place):
        yield order.fault(("place", space), refusal.reason, rule=refusal.rule)


def hire(game: Game, table: Table, order: Order) -> Flow[None]:
    """Hire mercenaries with a card beside the one of the round, or as the action of a Desperate Times (S 7.2.4)."""
    lay_down(game, table, order["card"], HIRE, CARTHAGE)
    activation = game.the_activation
    activation.hired = True
    activation.played = activation.played or activation.desperate
    for space, cu in order["place"].items():
        game.put(CARTHAGE, space, Force(cu=cu, mercenaries=cu))
        table.tell("hired", space=space, cu=cu, rule="S 7.2.4")
    put_away(game, table)
    yield from ()


# ---- events (7.1, 7.1.2, 7.1.3)


EFFECTS.update({**lasting.LASTING_EFFECTS, **moments.EFFECTS_AT_MOMENTS})


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


def event_choices(view: Game, decision: Decision) -> Part:
    """Return every event that the active side can play, each in every way (7.1)."""
    side = decision.side

    def why_not(card: str) -> Refusal | None:
        return why_not_its(view, side, card) or why_no_event(view, side, card)

    return cards(view, view.hands[side], lambda card: effects.choices(view, side, card), why_not)


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


CARD_USES: Final[Mapping[str, Use]] = {
    "support": Use(support_choices, check_support, add_support, ("support", "add support")),
    "levy": Use(levy_choices, check_levy, bring_levy, ("levy", "raise")),
    "hire": Use(hire_choices, check_hire, hire, ("hire",)),
    "event": Use(event_choices, check_event, play_event, ("event",)),
}
