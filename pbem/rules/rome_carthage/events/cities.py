"""Events at cities and tribes: new masters, sieges broken, the siege train (cards 17, 25, 26, 30, 49, 53)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Refusal, Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.events.aims import GENERAL, SPACE, Aim, event, refusal, rule_of
from pbem.rules.rome_carthage.events.playing import CardEvent
from pbem.rules.rome_carthage.events.units import own_generals, provinces_held
from pbem.rules.rome_carthage.orders import EventOrder
from pbem.rules.rome_carthage.position.board import WALLED_CITY, StrategyCard
from pbem.rules.rome_carthage.position.generals import why_not_at_hand
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.siege import capture, take_points
from pbem.rules.rome_carthage.siege.walls import enter_city

# ---- a city changes sides (cards 25, 26)


def _change_sides(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Let a city come over: what the enemy has inside is lost, what stands outside stays (cards 25, 26)."""
    yield from capture(game, table, side, card.about["space"])


def _why_loyal(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    space, region = game.board.spaces[card.about["space"]], card.about.get("if_region")
    if game.control.get(space.id) == side:
        return refusal(card, f"{space.name} is yours already")
    held = provinces_held(game, side, region) if region else 0
    least = game.options["capua_provinces"]
    if region and held < least:
        return refusal(card, f"you control {held} provinces in Italy; it takes {least}")
    return None


# ---- sieges broken (cards 17, 49, 53)


def _surprise_sortie(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Take a siege point off a city (card 17)."""
    take_points(game, table, order.space, card.about["points"], rule=rule_of(card))


def _break_siege(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Take all points off a city or a tribe (cards 49, 53)."""
    space = order.space
    take_points(game, table, space, game.siege_points[space], rule=rule_of(card))


def _under_attack(game: Game, side: Side, card: StrategyCard) -> list[str]:
    return sorted(game.siege_points)


def _why_not_besieged(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    record = game.board.spaces[space]
    if record.kind != WALLED_CITY:
        return refusal(card, f"{record.name} is no walled city")
    return None if game.besieged(space) else refusal(card, f"{record.name} has no siege points")


def _why_no_fleet(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    record = game.board.spaces[space]
    if not record.port or space in card.about["spaces_not"]:
        return refusal(card, f"no fleet comes to {record.name}: it is no port")
    return _why_not_besieged(game, side, card, space)


def _why_no_resistance(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    name = game.board.spaces[space].name
    if space not in game.tribes:
        return refusal(card, f"{name} is no tribe")
    return None if game.siege_points.get(space) else refusal(card, f"{name} has no subjugation points")


# ---- the siege train (card 30)


def _siege_train(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Give the siege train to a general, from wherever it is: there is only one (card 30)."""
    general = order.general
    _take_train(game)
    space, inside = game.whereabouts(general)
    train = Stack(train=True)
    if inside and game.cu(ENEMY[side], space):
        enter_city(game, space, train)
    else:
        game.put(side, space, train)
    table.tell("train_placed", side=side, general=general, space=space, rule=rule_of(card))


def _with_train(game: Game) -> tuple[dict[str, Stack], str] | None:
    """Return the stacks among which the siege train is, and its space; None: it is not on the map (card 30)."""
    for stacks in (game.stacks[CARTHAGE], game.garrisons):
        for space, stack in stacks.items():
            if stack.train:
                return stacks, space
    return None


def _take_train(game: Game) -> None:
    found = _with_train(game)
    if found is not None:
        stacks, space = found
        stacks[space].train = False
        if stacks[space].empty:
            del stacks[space]


def _why_no_train(game: Game, side: Side, card: StrategyCard, general: str) -> Refusal | None:
    if (why := why_not_at_hand(game, side, general, rule_of(card))) is not None:
        return why
    space, inside = game.whereabouts(general)
    name, found = game.board.spaces[space].name, _with_train(game)
    if found is not None and found[1] == space:
        return refusal(card, f"the siege train is in {name} already")
    besieged = inside and game.besieged(space)
    return refusal(card, f"{game.board.generals[general].name} is besieged in {name}") if besieged else None


EVENTS: Final[Mapping[str, CardEvent]] = {
    "city_changes_sides": event(_change_sides, _why_loyal),
    "surprise_sortie": event(_surprise_sortie, aim=Aim(SPACE, _under_attack, _why_not_besieged)),
    "fleet_breaks_siege": event(_break_siege, aim=Aim(SPACE, _under_attack, _why_no_fleet)),
    "tribal_resistance": event(_break_siege, aim=Aim(SPACE, _under_attack, _why_no_resistance)),
    "siege_train": event(_siege_train, aim=Aim(GENERAL, own_generals, _why_no_train)),
}
