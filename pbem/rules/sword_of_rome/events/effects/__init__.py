"""The effects of events: how a card's are played, checked and carried out, for actions and responses alike (7.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.game import LegalOrders, Refusal, Table, of, product
from pbem.protocol import Fault, Flow, Order, Path, Side
from pbem.rules.sword_of_rome.events.effects.base import EFFECT, EFFECTS, Body, Effect, Played
from pbem.rules.sword_of_rome.position.state import Game


def effects_of(game: Game, side: Side, card: str) -> list[tuple[Effect, Played]]:
    """Return the effects of a card that a side plays, in the order of the card."""
    words = [next(iter(effect.items())) for effect in game.board.cards[card].effects]
    return [(EFFECTS[word], Played(side, card, told)) for word, told in words]


def _some(ways: LegalOrders) -> bool:
    """Tell whether there are ways at all, without counting them."""
    return next(iter(ways), None) is not None


def why_not(view: Game, side: Side, card: str) -> Refusal | None:
    """Say why the effects of a card cannot take place; None: they can (7.1)."""
    for effect, played in effects_of(view, side, card):
        if not _some(effect.options(view, played)):
            return next(iter(effect.check(view, played, {})))[1]
    return None


def orders(view: Game, side: Side, card: str, base: Order) -> LegalOrders:
    """List an order with every way to play the effects of a card (7.1)."""

    def make(*parts: Order) -> Order:
        body: dict[str, Any] = {}
        for part in parts:
            body.update(part.body)
        return Order(base.kind, {**base.body, **({EFFECT: body} if body else {})})

    ways: Sequence[LegalOrders] = [effect.options(view, played) for effect, played in effects_of(view, side, card)]
    if len(ways) == 1 and len(ways[0]) == 1 and not ways[0][0].body:
        return of([make()])
    return product(make, *ways)


def faults(view: Game, side: Side, card: str, order: Order) -> Iterator[Fault]:
    """Yield why the effects of a card cannot take place, or what is wrong with what an order tells them (7.1)."""
    wrong = list(_wrong(view, side, card, order))
    if wrong and (refusal := why_not(view, side, card)) is not None:
        wrong = [order.fault(("card",), refusal.reason, rule=refusal.rule)]
    yield from wrong


def _wrong(view: Game, side: Side, card: str, order: Order) -> Iterator[Fault]:
    body: Body = order.get(EFFECT, {})
    for effect, played in effects_of(view, side, card):
        for path, refusal in effect.check(view, played, body):
            where = _as_far_as_there(order.body, (EFFECT, *path)) if path else ("card",)
            yield order.fault(where, refusal.reason, rule=refusal.rule)
    words = {word for each in view.board.cards[card].effects for word in each} | {"power"}
    for word in body:
        if word not in words:
            yield order.fault((EFFECT, word), f"the event of {card} has no {word}", rule="7.1")


def _as_far_as_there(body: Any, path: Path) -> Path:
    """Return a path up to the first key that a body does not have."""
    for at, step in enumerate(path):
        if isinstance(body, Mapping) and step not in body:
            return path[: at + 1]
        body = body[step]
    return path


def play(game: Game, table: Table, side: Side, card: str, body: Body) -> Flow[None]:
    """Carry out the effects of a card (7.1)."""
    for effect, played in effects_of(game, side, card):
        yield from effect.carry_out(game, table, played, body)
