"""Campaign cards, which move two or three generals, and Force Marches (8.1, 8.2, 8.4.1; cards 33 to 40, 61 to 63)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Fixed, Kind, OneOf, Part, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.movement.activation import MARCHING, check_activation
from pbem.rules.rome_carthage.movement.march import march
from pbem.rules.rome_carthage.movement.setting_out import Marches, Roads
from pbem.rules.rome_carthage.orders import CardUse, MarchOrder
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.state import Game

NOT_MARCHING: Final = ("place", "raise", "space", "spaces", "province")


def play_campaign(game: Game, table: Table, side: Side, order: Order, card: StrategyCard) -> Flow[None]:
    """March with the first general of a campaign; each of the others follows after a checkpoint (8.1)."""
    game.the_card.generals_left = card.about["generals"] - 1
    yield from march(game, table, side, MarchOrder.read(order))


def next_general(game: Game, table: Table) -> Flow[None]:
    """Ask for the next general of a campaign and march with him, or end it; each moves once (8.1)."""
    card = game.the_card
    order = yield from table.ask(
        card.side,
        "campaign",
        rule="8.1",
        default={"stop": True},
        card=card.card,
        generals=card.generals_left,
        moved=list(card.moved),
    )
    if order.get("stop"):
        card.generals_left = 0
        table.tell("campaign_over", side=card.side, rule="8.1")
        return
    card.generals_left -= 1
    yield from march(game, table, card.side, MarchOrder.read(order))


def force_march(game: Game, table: Table, side: Side, order: Order, card: StrategyCard) -> Flow[None]:
    """March with one general, with six movement points (8.2; cards 61 to 63)."""
    yield from march(game, table, side, MarchOrder.read(order))


def campaign_needs(view: Game, side: Side, card: StrategyCard) -> str:
    """Say what the event of a campaign card does, and how it is ordered (8.1)."""
    return f"{card.about['generals']} generals march one by one; after `play` order each of the others by `campaign`"


def force_march_needs(view: Game, side: Side, card: StrategyCard) -> str:
    """Say whom a Force March moves, and how far (8.2)."""
    return f"a general with a {moved_by(card)} or less has {view.board.movement.force_march} movement points"


def moved_by(card: StrategyCard) -> int:
    """Return the highest strategy rating that the event of a card moves: a Campaign card moves anybody (8.1)."""
    return card.about.get("strategy", card.ops)


def event_marches(view: Game, side: Side, card: StrategyCard) -> Part:
    """Return the marches by the event of a card (8.1, 8.2)."""
    return Marches(Roads(view, side), CardUse(card.number, "event")).part(moved_by(card))


def check_event_march(view: Game, side: Side, order: Order, card: StrategyCard) -> Iterator[Fault]:
    """Yield what is wrong with a march by the event of a card (8.1, 8.2)."""
    for word in (*NOT_MARCHING, "charm"):
        if word in order.body:
            yield order.fault((word,), f"the event of {card.name} moves a general; leave out {word}", rule="8.1")
    if "general" not in order.body:
        yield order.fault((), f"the event of {card.name} moves a general; name him", rule="8.1")
    else:
        yield from check_activation(view, side, order, MarchOrder.read(order), moved_by(card))


def campaign_choices(view: Game, decision: Decision) -> Part:
    """Return the marches of the next general, and the end of the campaign (8.1)."""
    marches = Marches(Roads(view, decision.side), None).part(moved_by(view.board.cards[view.the_card.card]))
    stop = Value("stop", Fixed({"stop": True}), says=("stop", "end"), must=True)
    return OneOf(None, [stop, Value("march", marches, weight=4)], inferred=True)


def check_campaign(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the march of the next general, or with ending the campaign (8.1)."""
    if order.get("stop"):
        for word in ("general", *MARCHING):
            if word in order.body:
                yield order.fault((word,), f"either stop, or march: leave out stop or {word}", rule="8.1")
    elif "general" not in order.body:
        yield order.fault((), "name the next general, or stop: true", rule="8.1")
    else:
        card = view.board.cards[view.the_card.card]
        yield from check_activation(view, decision.side, order, MarchOrder.read(order), moved_by(card))


def ends_campaign(order: Order) -> bool:
    """Tell whether an order ends a campaign: it waits if a march before it cannot be carried out (8.1)."""
    return bool(order.get("stop"))


def is_last_of_campaign(view: Game, decision: Decision, order: Order) -> bool:
    """Tell whether no general of the campaign marches after an order: the card asks again for each (8.1)."""
    return ends_campaign(order) or view.marches_left == 1


CAMPAIGN_KINDS: Final = (
    Kind(
        "campaign",
        campaign_choices,
        check_campaign,
        hints="views.hints:campaign",
        bot="policy.answers:best_campaign",
        is_last=is_last_of_campaign,
        ends=ends_campaign,
        foresee="views.forecast:foresee_play",
    ),
)
