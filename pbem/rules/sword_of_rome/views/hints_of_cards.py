"""Hints on cards, alliances and leaders: what can be done, and orders to choose from (7, 8, 15, 16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from typing import Final

from pbem.game import LegalOrders, counted, listing
from pbem.protocol import Decision, Order, Side
from pbem.rules.sword_of_rome.events import effects
from pbem.rules.sword_of_rome.events.card_play import playable, value_of
from pbem.rules.sword_of_rome.events.desperate_times import announcements, contestable, named_events
from pbem.rules.sword_of_rome.events.effects.base import EFFECTS
from pbem.rules.sword_of_rome.events.events import why_no_event, why_not_laid
from pbem.rules.sword_of_rome.events.minor_leaders import minor_orders
from pbem.rules.sword_of_rome.events.nonplayers import listed
from pbem.rules.sword_of_rome.events.responses import responses
from pbem.rules.sword_of_rome.movement.activation import activatable
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game
from pbem.rules.sword_of_rome.turn.action import USES, why_not_use
from pbem.rules.sword_of_rome.turn.returning import consul_orders, easable, keep_orders, relief, return_orders
from pbem.rules.sword_of_rome.views.event_words import MOMENTS, event_in_words, who
from pbem.rules.sword_of_rome.views.hinting import MOST, Hint, HintsOf, first_of

_EXAMPLES: Final = {"activate": 3}
"""Uses of which several orders are shown; of the others one."""
_MOST_EVENTS: Final = 3
_SEEN_TO: Final = 2_000
"""Among so many ways to pay those that keep different leaders are looked for."""


# ---- the active side (5.4, 7.1)


def _act(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each card can do, whom it activates, and an order of each use (5.4, 7.1, 8.1)."""
    side, activation = decision.side, view.the_activation
    if activation.desperate:
        names = listing((f"{view.board.cards[card].name} ({card})" for card in named_events(view, side)), "or")
        event = f"; or named_event: {names}" if names else ""
        yield f"This is your Desperate Times (7.4.3): one action with card: desperate_times, a 3; or redraw{event}."
    elif activation.played:
        yield "Your card of this round is played. What is not a card may still be done, and then: do: end."
    else:
        yield "More orders may stand below the first, for what comes next: the march, and - act: {do: end}."
    cards = playable(view, side)
    yield from _activations(view, side, sorted({value_of(view, card) for card in cards}))
    if not activation.desperate:
        hand = [card for card in view.hands[side] if card != UNSEEN]
        left = [card for card in hand if view.board.cards[card].extra] if activation.played else hand
        yield from (f"  {_card(view, side, card)}" for card in left)
    for word, use in USES.items():
        if word == "event" and not activation.desperate:
            yield from _events(view, side)
        elif word not in ("event", "end") and why_not_use(view, word) is None:
            yield from islice(use.options(view, decision), _EXAMPLES.get(word, 1))
    yield Order("act", {"do": "end"})


def _activations(view: Game, side: Side, values: list[int]) -> Iterator[str]:
    """Yield whom cards of some values activate, values that activate the same leaders together (8.1)."""
    for leaders, some in groupby(values, key=lambda value: activatable(view, side, value)):
        same = [str(value) for value in some]
        word = "Values" if len(same) > 1 else "Value"
        verb = "activate" if len(same) > 1 else "activates"
        yield f"{word} {listing(same, 'and')} {verb} {listing(leaders, 'or') or 'nobody'}."


def _card(view: Game, side: Side, card: str) -> str:
    """Return a line about a card: its value, its event, and whether that can be played now."""
    record = view.board.cards[card]
    acting = listed(view, side, card)
    words = f"nonplayer {listing(acting, 'or')}" if acting and record.extra else event_in_words(view.board, record)
    line = f"{card} {record.name}, {record.value}: {words}"
    if acting and not record.extra:
        line += f", or as a 3 nonplayer {listing(acting, 'or')}"
    if record.when is not None:
        return f"{line} (response: {MOMENTS[record.when]})"
    beside = " beside your card" if record.extra else ""
    if all(word in EFFECTS for effect in record.effects for word in effect):
        refusal = why_no_event(view, side, card)
        if refusal is not None:
            return f"{line} (not now: {refusal.reason})"
    return line + (f" ({beside.strip()})" if beside else "")


def _events(view: Game, side: Side) -> Iterator[Order]:
    """Yield the first way to play some events of the hand, no two of the same name (7.1)."""
    names: set[str] = set()
    for card in view.hands[side]:
        name = view.board.cards[card].name
        if name not in names and len(names) < _MOST_EVENTS and why_not_laid(view, side, card) is None:
            names.add(name)
            yield effects.orders(view, side, card, Order("act", {"do": "event", "card": card}))[0]


# ---- answers about cards and alliances (7.1.1, 7.4, 15.1)


def _respond(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the cards of the hand that fit, each with the first way to play it (7.1.1)."""
    cards: list[str] = []
    for order in responses(view, decision):
        card = order["card"]
        if card not in cards and card in view.board.cards:
            cards.append(card)
            record = view.board.cards[card]
            yield f"{card} {record.name}: {event_in_words(view.board, record)}"
            yield order
    if not cards:
        yield "You hold no card that fits. You are asked because your deck has one, and nobody sees your hand."


def _desperate(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who would play of those who announce one, and the plain answers (7.4.2)."""
    board = view.board
    able = [side for side in view.in_play if view.desperate_times[side]]
    first = sorted(able, key=lambda side: (view.vp[side], board.side_rank(side)))
    yield f"Of those who announce one plays who stands first here: {listing(first)}. The others keep theirs."
    named = [f"{board.cards[card].name} ({card})" for card in named_events(view, decision.side)]
    if named:
        yield f"Yours names {listing(named, 'or')}; it may also be a card of value 3, or replace cards of your hand."
    holder = decision.facts["next"] if decision.facts["last"] else None
    others = contestable(view, decision.side, holder)
    yield from (order for order in first_of(announcements(view, decision)) if order["announce"])
    if others:
        yield Order("desperate_times", {"announce": False, "contest": others})


def _alliance(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how the two stand, and what an alliance changes (15.2 to 15.5)."""
    power, to = decision.facts["power"], decision.facts["to"]
    board = view.board
    side = board.powers[power].side
    friends = [who(board, other) for other in view.allies(power)]
    if side is not None:
        yield f"VP of {who(board, power)}: {view.vp[side]}. Yours: {view.vp[decision.side]}."
    yield f"Allies of {who(board, power)}: {listing(friends, 'and') or 'none'}."
    if side is not None and len(board.powers_of[side]) > 1:
        yield f"The alliance is one with {who(board, power)} alone (15.1.2)."
    if len(board.powers_of[decision.side]) > 1:
        yield f"The alliance is one of {who(board, to)} alone (15.1.2)."
    yield "It ends with the turn unless both renew it; breaking it costs 3 points of own support (15.4, 15.5)."
    yield Order("alliance", {"accept": True})


def _renew(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how the two stand after the scoring, and what comes of the answers (5.9)."""
    own, ally = decision.facts["power"], decision.facts["ally"]
    sides = [view.board.powers[power].side or "" for power in (ally, own)]
    yield f"VP of {who(view.board, ally)}: {view.vp[sides[0]]}. Yours: {view.vp[sides[1]]}."
    if not decision.facts["offered"]:
        yield "If you renew it, your ally is asked next; if you do not, it ends at once."
    yield Order("renew", {"renew": True})


# ---- leaders (8.2 to 8.4)


def _ratings(view: Game, leaders: list[str]) -> Iterator[str]:
    for leader in leaders:
        record = view.board.leaders[leader]
        yield f"{record.name}: initiative {record.initiative}, tactics {record.tactics}"


def _consuls(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who the consuls are, and places (8.2.2)."""
    yield from _ratings(view, decision.facts["leaders"])
    yield from _strongest(view, consul_orders(view, decision))


def _return(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who comes back, and places (8.4)."""
    yield from _ratings(view, decision.facts["leaders"])
    yield from _strongest(view, return_orders(view, decision))


def _strongest(view: Game, orders: LegalOrders) -> Iterator[Order]:
    """Yield the orders that bring leaders to the largest armies."""

    def strength(order: Order) -> int:
        return sum(view.force(view.board.leaders[leader].power, space).cu for leader, space in order["at"].items())

    yield from sorted(islice(orders, _SEEN_TO), key=strength, reverse=True)[:MOST]


def _command(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who can command (8.2.1)."""
    yield from _ratings(view, decision.facts["leaders"])
    yield from (Order("command", {"leader": leader}) for leader in decision.facts["leaders"])


def _keep(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each leader costs, what there is to pay with, and how all or one can be kept (8.2.3, S 8.2.3)."""
    for leader in decision.facts["leaders"]:
        record = view.board.leaders[leader]
        yield f"{record.name} costs {counted(record.penalty, 'point')} of loyalty; unpaid he leaves the game."
    if easable(view):
        yield f"Sicily takes {counted(relief(view), 'point')} off the price of one of them, by ease: NAME."
    cities = [f"{space} {points}" for space, points in view.loyalty.items() if view.control.get(space) == "greeks"]
    yield f"Loyalty: {listing(cities) or 'none'}."
    by_kept: dict[tuple[str, ...], Order] = {}
    for order in islice(keep_orders(view, decision), _SEEN_TO):
        by_kept.setdefault(tuple(order["keep"]), order)
    yield from islice(sorted(by_kept.values(), key=lambda order: -len(order["keep"])), 6)


def _minors(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield places of minor leaders (8.3)."""
    yield from first_of(minor_orders(view, decision))


HINTS: Final[Mapping[str, HintsOf]] = {
    "act": _act,
    "respond": _respond,
    "desperate_times": _desperate,
    "alliance": _alliance,
    "renew": _renew,
    "consuls": _consuls,
    "return_leaders": _return,
    "command": _command,
    "keep_leaders": _keep,
    "minor_leaders": _minors,
}
