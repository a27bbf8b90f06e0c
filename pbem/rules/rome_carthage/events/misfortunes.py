"""Events that cost an army units: hostile tribes, deserters, epidemic and pestilence (cards 7, 8, 21, 51, 52)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.game import Refusal, Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.battle.losses import Army, Cause, Hardship, attrition
from pbem.rules.rome_carthage.events.aims import GENERAL, SPACE, Aim, event, refusal, rule_of
from pbem.rules.rome_carthage.events.playing import CardEvent
from pbem.rules.rome_carthage.orders import EventOrder
from pbem.rules.rome_carthage.position.board import WALLED_CITY, StrategyCard
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, Game
from pbem.rules.rome_carthage.siege.siege import is_enemy_city, lift_left

# ---- hostile tribes (cards 7, 8)


def _hostile_tribes(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Let the tribes fall on enemy units that stand in their country, on a column of its own (cards 7, 8)."""
    space, enemy = order.space, ENEMY[side]
    name, cause = f"hostile_tribes/{space}/{card.number}", Cause("hostile_tribes", rule_of(card))
    army = Army(enemy, game.stack(enemy, space), space)
    yield from attrition(game, table, army, Hardship(name, cause, column=card.about["column"]))
    lift_left(game, table, enemy, space)


def _tribal_country(game: Game, side: Side, card: StrategyCard) -> list[str]:
    """List the spaces of the hostile tribes (cards 7, 8)."""
    return [space for province in card.about["provinces"] for space in game.board.provinces[province].spaces]


def _why_not_tribes(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    record = game.board.spaces[space]
    if record.province not in card.about["provinces"]:
        where = " and ".join(game.board.provinces[province].name for province in card.about["provinces"])
        return refusal(card, f"{record.name} is not in the country of the hostile tribes: {where}")
    if not game.stack(ENEMY[side], space).cu:
        return refusal(card, f"no enemy CU stand in {record.name}")
    return None


# ---- mercenaries desert (card 21)


def _mercenaries_desert(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Let each Carthaginian force outside the spaces of its own cities lose deserters, in the order of the map.

    A force is spared if its commander rolls his battle rating or less (card 21).
    """
    for space in _wavering(game):
        stack = game.stack(CARTHAGE, space)
        if stack.commander is not None:
            roll = table.roll(
                f"mercenaries/{space}/loyal",
                at_most=game.board.generals[stack.commander].battle,
                rule=rule_of(card),
                side=CARTHAGE,
                general=stack.commander,
                space=space,
            )
            if roll.success:
                table.tell("mercenaries_stay", general=stack.commander, space=space, rule=rule_of(card))
                continue
        desertion = Hardship(f"mercenaries/{space}", Cause("mercenaries", rule_of(card)))
        yield from attrition(game, table, Army(CARTHAGE, stack, space), desertion)
        lift_left(game, table, CARTHAGE, space)


def _wavering(game: Game) -> list[str]:
    """List where Carthaginian CU waver: in the open, by the rules of 2007 not before an own city (card 21)."""
    stacks, control, spared = game.stacks[CARTHAGE], game.control, game.options["mercenaries_spared"] == "city_space"
    return [
        space
        for space, record in game.board.spaces.items()
        if space in stacks
        and stacks[space].cu
        and not (spared and record.kind == WALLED_CITY and control.get(space) == CARTHAGE)
    ]


def _none_wavering(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    return None if _wavering(game) else refusal(card, "every Carthaginian force is safe in a city of its own")


# ---- epidemic and pestilence (cards 51, 52)


def _sickness(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Let an enemy army suffer attrition (cards 51, 52)."""
    general, enemy = order.general, ENEMY[side]
    space, inside = game.whereabouts(general)
    stack = game.garrison(enemy, space) if inside else game.stack(enemy, space)
    modifiers, cause = {card.event: card.about["drm"]}, Cause(card.event, rule_of(card))
    yield from attrition(game, table, Army(enemy, stack, space), Hardship(f"sickness/{space}", cause, modifiers))
    lift_left(game, table, enemy, space)


def _enemy_commanders(game: Game, side: Side, card: StrategyCard) -> list[str]:
    found = game.generals_in_play(ENEMY[side])
    return [general for general, _, stack, _ in found if stack.commander == general]


def _why_not_sick(game: Game, side: Side, card: StrategyCard, general: str) -> Refusal | None:
    record = game.board.generals[general]
    if record.side == side:
        return refusal(card, f"{record.name} is your own general")
    place = game.where(general)
    if place is None:
        return refusal(card, f"{record.name} is not on the map")
    space, inside = place
    stack = game.garrison(ENEMY[side], space) if inside else game.stack(ENEMY[side], space)
    if stack.commander != general:
        return refusal(card, f"{stack.commander} commands that army: name him")
    return None if stack.cu else refusal(card, f"{record.name} has no CU with him, so he is no army")


def _why_not_pestilence(game: Game, side: Side, card: StrategyCard, general: str) -> Refusal | None:
    why = _why_not_sick(game, side, card, general)
    if why is None:
        space, inside = game.whereabouts(general)
        if inside or not game.besieged(space) or not is_enemy_city(game, ENEMY[side], space):
            return refusal(card, f"the army of {game.board.generals[general].name} besieges no city")
    return why


EVENTS: Final[Mapping[str, CardEvent]] = {
    "hostile_tribes": event(_hostile_tribes, aim=Aim(SPACE, _tribal_country, _why_not_tribes)),
    "mercenaries_desert": event(_mercenaries_desert, _none_wavering),
    "epidemic": event(_sickness, aim=Aim(GENERAL, _enemy_commanders, _why_not_sick)),
    "pestilence": event(_sickness, aim=Aim(GENERAL, _enemy_commanders, _why_not_pestilence)),
}
