"""The events of the 64 strategy cards: `cards.yaml` names for each card the function that plays it (7.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.game import NONE, AllOf, Answers, Fixed, LegalOrders, Part, Table, did_you_mean, plain
from pbem.protocol import Fault, Flow, Order, Path, Side
from pbem.rules.rome_carthage.events import cities, councils, markers, misfortunes, units
from pbem.rules.rome_carthage.events.playing import CardEvent, Elsewhere
from pbem.rules.rome_carthage.movement.campaigns import (
    campaign_needs,
    check_event_march,
    event_marches,
    force_march,
    force_march_needs,
    play_campaign,
)
from pbem.rules.rome_carthage.movement.march_cards import ends_truce
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.records import CardRecord
from pbem.rules.rome_carthage.position.state import Game

IN_VAIN: Final = "in_vain"
"""The word of an order that plays an event although it cannot take place (7.4)."""
COUNTER_EVENTS: Final[Mapping[str, CardEvent | Elsewhere]] = {
    "maharbal": Elsewhere("it counts as a battle card when you lead one or match one"),
    "spy": Elsewhere("it is declared when a battle begins"),
    "allies_desert": Elsewhere("it is declared when a battle begins"),
    "ally_deserts": Elsewhere("it is played in a battle, before a round"),
    "elephant_fright": Elsewhere("it is played when the elephants of Carthage charge"),
    "bad_weather": Elsewhere("it is played against a general of the enemy on the march"),
    "storms_at_sea": Elsewhere("it is played against a force of the enemy at sea"),
}
"""Events that are never a card play of their own, and when they are played instead (7.4.1)."""
EVENTS_OF_MARCHES: Final[Mapping[str, CardEvent | Elsewhere]] = {
    "campaign": CardEvent(play_campaign, event_marches, check_event_march, campaign_needs),
    "force_march": CardEvent(force_march, event_marches, check_event_march, force_march_needs),
    "native_guide": Elsewhere("play it for operations, to march over a mountain pass"),
    "traitor": Elsewhere("play it for operations, with an army of 3 CU that besieges Tarentum"),
    "hannibal_charms": Elsewhere("play it for operations, to march with Hannibal in Italy"),
    "pirates": Elsewhere("play it for operations, to sail with up to 3 CU"),
    "treachery": Elsewhere("play it for operations, to besiege a city"),
}
"""Campaign cards, Force Marches, and the dual cards, which go together with operations (7.2, 8.1).

Cards 5, 18, 28, 33, 34, 37 to 40, 50, 54, 61 to 63.
"""
EVENTS: Final[Mapping[str, CardEvent | Elsewhere]] = {
    **markers.EVENTS,
    **units.EVENTS,
    **cities.EVENTS,
    **misfortunes.EVENTS,
    **COUNTER_EVENTS,
    **councils.EVENTS,
    **EVENTS_OF_MARCHES,
}
"""Name in `cards.yaml` -> the event."""


def play_event(game: Game, table: Table, side: Side, order: Order) -> Flow[None]:
    """Carry out the event of a card that was played for it (7.4)."""
    card = game.board.cards[order["card"]]
    event = EVENTS[card.event]
    assert isinstance(event, CardEvent)
    yield from event.play(game, table, side, order, card)


def event_choices(view: Game, side: Side, card: StrategyCard) -> Part:
    """Return what an order to play a card for its event says besides; none if it is not his, or cannot be (7.4)."""
    event = EVENTS.get(card.event)
    if not isinstance(event, CardEvent) or not card.event_of(side):
        return NONE
    return event.choices(at_play(view, card), side, card)


def event_orders(view: Game, side: Side, card: StrategyCard) -> LegalOrders:
    """List the ways to play a card for its event (7.4)."""
    as_event = Fixed({"card": card.number, "as": "event"})
    return Answers("play", AllOf(as_event, event_choices(view, side, card)))


def check_event(view: Game, side: Side, order: Order, card: StrategyCard) -> Iterator[Fault]:
    """Yield what is wrong with playing a card for its event (7.4)."""
    event = EVENTS.get(card.event)
    name = f"{card.name} ({card.number})"
    if event is None:
        yield order.fault(("as",), f"the event of {name} cannot be played yet; play it for operations", rule="7.4")
    elif isinstance(event, Elsewhere):
        yield order.fault(("as",), f"{name} is no event of your own play: {event.when}", rule="7.4")
    elif not card.event_of(side):
        yield order.fault(("as",), f"the event of {name} is the enemy's; play it for operations", rule="7.4")
    elif IN_VAIN in order.body:
        yield from _check_in_vain(view, side, order, card)
    else:
        yield from event.check(at_play(view, card), side, order, card)


def _check_in_vain(view: Game, side: Side, order: Order, card: StrategyCard) -> Iterator[Fault]:
    """Yield what is wrong with playing an event in vain: it must have no condition that is met, and no aim (7.4)."""
    if event_orders(view, side, card)[:1]:
        reason = f"the event of {card.name} ({card.number}) can take place; leave out {IN_VAIN}"
        yield order.fault((IN_VAIN,), reason, rule="7.4")
    for word in order.body:
        if word not in ("card", "as", IN_VAIN):
            yield order.fault((word,), f"an event that is played in vain does nothing; leave out {word}", rule="7.4")


def event_needs(view: Game, side: Side, card: StrategyCard) -> str | None:
    """Say what the event of a card needs if it can be played now, for a form; None: nothing is to be said (7.4)."""
    event = EVENTS.get(card.event)
    if not isinstance(event, CardEvent) or not card.event_of(side):
        return None
    return event.needs(at_play(view, card), side, card)


def at_play(view: Game, card: StrategyCard) -> Game:
    """Return the position in which an event takes place: a Truce that it breaks is over first (card 64)."""
    if not view.truce or not ends_truce(view, card):
        return view
    seen = plain.twin(view)
    seen.truce = False
    return seen


def unmatched(records: Sequence[CardRecord]) -> Iterator[tuple[str, Path, str]]:
    """Yield every card whose event nothing plays, and every event that no card names, as findings of a box (7.4)."""
    for at, record in enumerate(records):
        if record["event"] not in EVENTS:
            reason = f"nothing plays the event {record['event']}{did_you_mean(record['event'], EVENTS)}"
            yield "cards", ("cards", at, "event"), reason
    for name in sorted(EVENTS.keys() - {record["event"] for record in records}):
        yield "cards", ("cards",), f"no card names the event {name}"
