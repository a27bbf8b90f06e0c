"""Hints for a card play and for the next march of a campaign: who can do what, and an example of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from pbem.game import legal
from pbem.protocol import Decision, Order, Side
from pbem.rules.rome_carthage.events.catalogue import event_needs, event_orders
from pbem.rules.rome_carthage.events.windows import ADVANCE, NONE
from pbem.rules.rome_carthage.movement.activation import spaces_with_generals
from pbem.rules.rome_carthage.movement.campaigns import check_campaign, moved_by
from pbem.rules.rome_carthage.movement.card_play import (
    CAMPAIGN,
    FORCE_MARCH,
    OPERATIONS,
    points_to_ride,
    resting,
    ridden,
    walked,
)
from pbem.rules.rome_carthage.movement.fleet import carries, has_sailed
from pbem.rules.rome_carthage.movement.paths import first_steps, open_ports
from pbem.rules.rome_carthage.orders import Body
from pbem.rules.rome_carthage.position.board import SEA
from pbem.rules.rome_carthage.position.generals import strategy_rating
from pbem.rules.rome_carthage.position.naming import some
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import ROME, Game
from pbem.rules.rome_carthage.siege.siege import is_target
from pbem.rules.rome_carthage.siege.sorties import why_no_sortie
from pbem.rules.rome_carthage.siege.walls import pool
from pbem.rules.rome_carthage.turn.operations import check_play, open_spaces, playable, recruiters
from pbem.rules.rome_carthage.turn.sequence import claim_orders

Hint: TypeAlias = str | Order
MOST_SPACES: Final = 24
_MOST_OPEN: Final = 10
_MOST_MARCHES: Final = 2
_IN_ADVANCE: Final[Mapping[str, str]] = {
    "bad_weather": "bad_weather: {card: any}",
    "hostile_tribes": "hostile_tribes: {card: any}",
    "storms_at_sea": "storms_at_sea: {card: any}",
    "elephant_fright": "elephant_fright: {card: any}",
    "spy": "battle_events: {cards: [spy]}",
    "allies_desert": "battle_events: {cards: [allies_desert]}",
    "ally_deserts": "round_events: {card: any}",
}
"""The standing order that plays a counter event, where nobody waits for one (7.4.1)."""
_CLAIM: Final = "by a standing order: claim_first: {card: any} claims it with a Campaign card."


def units(stack: Stack) -> str:
    """Return the units of a stack in words.

    >>> units(Stack(8, 2))
    '8 CU (2 el.)'
    """
    return f"{stack.cu} CU ({stack.elephants} el.)" if stack.elephants else f"{stack.cu} CU"


def spaces_in_words(spaces: Sequence[str]) -> str:
    """Return spaces in a row, the first of them if they are many.

    >>> spaces_in_words([])
    'no space'
    """
    return some(spaces, MOST_SPACES) or "no space"


def play(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who marches on which card, where markers and units may go, and an example of each (7.3, 8.1, 15.2)."""
    side, board = decision.side, view.board
    cards = sorted(playable(view, side), key=lambda card: (board.cards[card].ops, card))
    ops = board.cards[cards[-1]].ops
    marching = [space for space in spaces_with_generals(view, side) if _able(view, side, _at(view, side, space), ops)]
    yield "March: needs a card with the general's number or more." if marching else "No card of yours moves a general."
    for space in marching:
        yield _army(view, side, space, lambda general: f"{general} ({strategy_rating(view, general)})")
    yield from _ships(view, side, cards)
    spaces, raisers = open_spaces(view, side), recruiters(view, side)
    yield f"Place: up to as many markers as the card has ops, in {some(spaces, _MOST_OPEN) or 'no space'}."
    if board.cards[cards[-1]].ops >= board.raising_ops and raisers:
        yield f"Raise: a card with {board.raising_ops} ops adds a CU to {', '.join(raisers)}."
    events: dict[str, list[str]] = {}
    for number in sorted(cards):
        record = board.cards[number]
        if (aim := event_needs(view, side, record)) is not None:
            events.setdefault(f"{record.name}{': ' if aim else ''}{aim}", []).append(f"{number}")
    for says, numbers in events.items():
        yield f"Event {', '.join(numbers)}, {says}"
    for number in sorted(cards):
        record = board.cards[number]
        if view.options["windows"] == ADVANCE and record.event_of(side) and record.event in _IN_ADVANCE:
            yield f"Counter {number}, by a standing order: {_IN_ADVANCE[record.event]}"
    if view.options["windows"] == ADVANCE and side == ROME and len(cards) == 1 and view.turn < view.last_turn:
        yield f"First play of the next turn, {_CLAIM}"
    for bodies, most in _examples(view, side, cards):
        yield from islice(legal(check_play, view, decision, bodies), most)


def claim_first(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how Rome claims the first play of later turns, and with which cards it can now (5.3)."""
    if view.options["windows"] == ADVANCE:
        yield f"You are asked in the first turn alone. Later, {_CLAIM}"
    if not any(order["card"] != NONE for order in claim_orders(view, decision)):
        yield "You hold no Campaign card."
    yield from (order for order in claim_orders(view, decision) if order["card"] != NONE)


def campaign(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who may still march on a campaign card, with how many units, and how far these can go (8.1, 8.4.1)."""
    side, done = decision.side, resting(view, decision.side)
    for space in spaces_with_generals(view, side):
        if any(general not in done for general in _at(view, side, space).generals):
            yield _army(view, side, space, lambda general: f"{general} (moved)" if general in done else general)
    card = view.board.cards[view.the_card.card]
    ops, most = moved_by(card), 0 if has_sailed(view) else carries(view, side, card.number, CAMPAIGN)
    if most:
        yield f"Sail from port to port: up to {most} CU. A step is {{to: port, by: sea}}."
    for ways in (_by_land(view, side, ops), _by_sea(view, side, ops, most)):
        yield from islice(legal(check_campaign, view, decision, [body for _, body in ways]), _MOST_MARCHES)
    yield Order("campaign", {"stop": True})


def _at(view: Game, side: Side, space: str) -> Stack:
    """Return those in a space who may march: if they can only sally out, those inside (8.1, 16.4.4)."""
    return view.garrison(side, space) if _sallies(view, side, space) else pool(view, side, space)


def _sallies(view: Game, side: Side, space: str) -> bool:
    return space in view.garrisons and why_no_sortie(view, side, space) is None


def _army(view: Game, side: Side, space: str, named: Callable[[str], str]) -> str:
    """Return who may march from a space, and where to."""
    stack = _at(view, side, space)
    who = f"  {space}, {units(stack)}: {', '.join(map(named, stack.generals))}"
    if _sallies(view, side, space):
        return f"{who} may sally out (sortie: true)"
    steps = first_steps(view, side, space, bool(stack.cu), view.board.movement.points)
    legs = sorted(Counter(walked(view, side, space)).items())
    tired = [f"{cu} CU with {left or 'no'} point{'' if left == 1 else 's'} left" for left, cu in legs]
    tired += [
        f"{view.board.generals[general].name} with {points_to_ride(view, general)} of four points left"
        for general in stack.generals
        if ridden(view, general)
    ]
    stays = "to besiege it, path: []; " if _besieges(view, side, space, stack) else ""
    return "; ".join([f"{who}; {stays}to {', '.join(steps) or 'nowhere'}", *tired])


def _besieges(view: Game, side: Side, space: str, stack: Stack) -> bool:
    return stack.cu >= view.board.siege.cu and is_target(view, side, space)


def _ships(view: Game, side: Side, cards: Sequence[int]) -> Iterator[str]:
    """Yield on which cards an army may sail, and of how many CU (8.8, 8.8.2)."""
    sizes: dict[int, list[str]] = {}
    for card in cards:
        uses = [OPERATIONS] if view.board.cards[card].type != CAMPAIGN else [OPERATIONS, CAMPAIGN]
        for kind in uses:
            if most := carries(view, side, card, kind):
                sizes.setdefault(most, []).append(f"{card}" if kind == OPERATIONS else f"{card} as event")
    if sizes:
        fleets = "; ".join(f"up to {most} CU on card {', '.join(names)}" for most, names in sorted(sizes.items()))
        yield f"Sail from port to port: {fleets}. A step is {{to: port, by: sea}}."


def _examples(view: Game, side: Side, cards: Sequence[int]) -> Iterator[tuple[Iterable[Body], int]]:
    """Yield candidates for orders of each kind, and how many of them a form shows (7.2 to 7.5)."""
    board, best = view.board, cards[-1]
    ops = board.cards[best].ops

    def on_operations(ways: Iterable[tuple[int, Body]], ship: bool) -> Iterator[Body]:
        for needs, way in ways:
            for card in cards:
                if board.cards[card].ops >= needs and (not ship or carries(view, side, card, OPERATIONS)):
                    yield {"card": card, "as": "operations", **way}
                    break

    most = max(carries(view, side, card, OPERATIONS) for card in cards)
    yield on_operations(_by_land(view, side, ops), False), _MOST_MARCHES
    yield on_operations(_by_sea(view, side, ops, most), True), 1
    if spaces := open_spaces(view, side):
        yield [{"card": best, "as": "operations", "place": spaces[:ops]}], 1
    yield [{"card": best, "as": "operations", "raise": general} for general in recruiters(view, side)], 1
    marching = [card for card in cards if board.cards[card].type in (CAMPAIGN, FORCE_MARCH)]
    by_event = ((card, way) for card in marching for _, way in _by_land(view, side, moved_by(board.cards[card])))
    yield ({"card": card, "as": "event", **way} for card, way in by_event), 1
    events = (event_orders(view, side, board.cards[card]) for card in cards if board.cards[card].type == "event")
    yield [dict(choices[0].body) for choices in events if len(choices)], 1
    yield [{"card": cards[0], "as": "discard"}], 1


def _by_land(view: Game, side: Side, ops: int) -> Iterator[tuple[int, Body]]:
    """Yield one march or sally from each space with its strategy rating, the largest army first (8.1, 16.4.4)."""
    spaces = sorted(spaces_with_generals(view, side), key=lambda space: -_at(view, side, space).cu)
    for space in spaces:
        stack = _at(view, side, space)
        steps = first_steps(view, side, space, bool(stack.cu), view.board.movement.points)
        for general in _able(view, side, stack, ops)[:1]:
            needs = strategy_rating(view, general)
            if _sallies(view, side, space):
                yield needs, {"general": general, "sortie": True}
            elif _besieges(view, side, space, stack):
                yield needs, {"general": general, "path": []}
            elif steps:
                yield needs, {"general": general, "path": steps[:1]}


def _able(view: Game, side: Side, stack: Stack, ops: int) -> list[str]:
    """List the generals of a stack whom some operations activate, the commander first (8.1)."""
    done = resting(view, side)
    return [general for general in stack.generals if general not in done and strategy_rating(view, general) <= ops]


def _by_sea(view: Game, side: Side, ops: int, most: int) -> Iterator[tuple[int, Body]]:
    """Yield one voyage from each port with its strategy rating, to a port of one's own if there is one (8.8)."""
    for space in spaces_with_generals(view, side) if most else ():
        stack = pool(view, side, space)
        for general in _able(view, side, stack, ops)[:1]:
            ports = open_ports(view, side, space, [general], bool(stack.cu), view.board.movement.points)
            for port in sorted(ports, key=lambda port: view.control.get(port) != side)[:1]:
                fleet = {"cu": most} if stack.cu > most else {}
                path = [{"to": port, "by": SEA}]
                yield strategy_rating(view, general), {"general": general, **fleet, "path": path}
