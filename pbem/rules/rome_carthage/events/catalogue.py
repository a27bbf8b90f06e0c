"""The events of the 64 strategy cards: `cards.yaml` names for each card the function that plays it (7.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.game import LegalOrders, Table, did_you_mean, of, plain
from pbem.protocol import Fault, Flow, Order, Path, Side
from pbem.rules.rome_carthage.events import cities, councils, counters, marches, markers, misfortunes, units
from pbem.rules.rome_carthage.events.base import CardEvent, Elsewhere
from pbem.rules.rome_carthage.movement.bounds import ends_truce
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.records import CardRecord
from pbem.rules.rome_carthage.position.state import Game

IN_VAIN: Final = "in_vain"
"""The word of an order that plays an event although it cannot take place (7.4)."""
MODULES: Final[tuple[Mapping[str, CardEvent | Elsewhere], ...]] = (
    markers.EVENTS,
    units.EVENTS,
    cities.EVENTS,
    misfortunes.EVENTS,
    counters.EVENTS,
    councils.EVENTS,
    marches.EVENTS,
)
"""The `EVENTS` of the modules that play them."""
EVENTS: Final[Mapping[str, CardEvent | Elsewhere]] = {
    name: event for events in MODULES for name, event in events.items()
}
"""Name in `cards.yaml` -> the event."""


def play_event(game: Game, table: Table, side: Side, order: Order) -> Flow[None]:
    """Carry out the event of a card that was played for it (7.4)."""
    card = game.board.cards[order["card"]]
    event = EVENTS[card.event]
    assert isinstance(event, CardEvent)
    yield from event.play(game, table, side, order, card)


def event_orders(view: Game, side: Side, card: StrategyCard) -> LegalOrders:
    """List the ways to play a card for its event; none if it is not his, or its condition is not met (7.4)."""
    event = EVENTS.get(card.event)
    if not isinstance(event, CardEvent) or not card.event_of(side):
        return of([])
    return event.legal_orders(at_play(view, card), side, card)


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
