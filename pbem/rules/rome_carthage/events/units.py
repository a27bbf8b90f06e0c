"""Events that bring units: recruits, auxiliaries, slaves, elephants, slingers (cards 10 to 16, 23, 43 to 48)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pbem.game import Refusal, Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.events.aims import GENERAL, SPACE, Aim, event, refusal, rule_of
from pbem.rules.rome_carthage.events.playing import CardEvent
from pbem.rules.rome_carthage.orders import EventOrder
from pbem.rules.rome_carthage.position.board import StrategyCard
from pbem.rules.rome_carthage.position.generals import drive_off_generals, why_not_at_hand
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.walls import enter_city, room

# ---- where units can come (16.2, 16.4.3)


def why_no_units(game: Game, side: Side, card: StrategyCard, space: str, *, inside: bool = False) -> Refusal | None:
    """Say why the units of a card cannot come to a space; None: they can (16.2, 16.4.3).

    Nothing gets into a besieged city. Where enemy CU stand in the open they can come inside the walls only, if there
    is room for all; `inside` says that a general who waits inside the city is to have them.
    """
    name = game.board.spaces[space].name
    if (inside or game.control.get(space) == side) and game.besieged(space):
        return refusal(card, f"{name} is besieged")
    enemies = game.cu(ENEMY[side], space)
    if enemies and (room(game, side, space) or 0) < card.about["cu"]:
        return refusal(card, f"{enemies} enemy CU stand in {name}")
    return None


class Levy(NamedTuple):
    """Units that a card brings to a space: how many, of them elephants, to which general, whether he is inside."""

    card: StrategyCard
    space: str
    cu: int
    elephants: int = 0
    general: str | None = None
    inside: bool = False


def send_units(game: Game, table: Table, side: Side, levy: Levy) -> Flow[None]:
    """Bring units to a space: behind the walls if the general is there or the enemy stands before them (16.2).

    An enemy general who is alone there is displaced (8.9).
    """
    card, space, cu, elephants, general, inside = levy
    behind_walls = (inside or game.cu(ENEMY[side], space) > 0) and (room(game, side, space) or 0) >= cu
    if behind_walls:
        enter_city(game, space, Stack(cu, elephants))
    else:
        game.put(side, space, Stack(cu, elephants))
    table.tell(
        "units_come",
        side=side,
        space=space,
        cu=cu,
        elephants=elephants,
        general=general,
        inside=behind_walls,
        rule=rule_of(card),
    )
    if not behind_walls:
        yield from drive_off_generals(game, table, side, space)


# ---- with a general (cards 13 to 16, 44 to 48)


def _recruits(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Bring units to a general (cards 13 to 16, 44 to 48)."""
    general = order.general
    space, inside = game.whereabouts(general)
    levy = Levy(card, space, card.about["cu"], general=general, inside=inside)
    yield from send_units(game, table, side, levy)


def own_generals(game: Game, side: Side, card: StrategyCard) -> list[str]:
    """List a side's generals on the map, for an event that comes to one of them (cards 13 to 16, 30, 44 to 48)."""
    return [general for general, *_ in game.generals_in_play(side)]


def _why_not_his(game: Game, side: Side, card: StrategyCard, general: str) -> Refusal | None:
    """Say why a general cannot have recruits, wherever they come from; None: he can."""
    if (why := why_not_at_hand(game, side, general, rule_of(card))) is not None:
        return why
    space, inside = game.whereabouts(general)
    return why_no_units(game, side, card, space, inside=inside)


def _why_no_recruits(game: Game, side: Side, card: StrategyCard, general: str) -> Refusal | None:
    why, about = _why_not_his(game, side, card, general), card.about
    if why is not None:
        return why
    name, here = game.board.generals[general].name, game.board.spaces[game.whereabouts(general)[0]]
    provinces = about.get("provinces")
    if provinces is not None and here.province not in provinces:
        names = " or ".join(game.board.provinces[province].name for province in provinces)
        return refusal(card, f"{name} is in {here.name}, not in {names}")
    if "region" in about and here.region != about["region"]:
        return refusal(card, f"{name} is in {here.name}, not in {about['region'].title()}")
    if about.get("if_controlled") and game.controller(here.province) != side:
        return refusal(card, f"{name} is in {game.board.provinces[here.province].name}, which you do not control")
    return None


def _province_held(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    """Say that a side does not control the province that a card needs; None: it does (cards 11, 44 to 48)."""
    province = card.about.get("if_province")
    if province is None or game.controller(province) == side:
        return None
    return refusal(card, f"you do not control {game.board.provinces[province].name}")


# ---- in a port (cards 10, 11)


def _port_recruits(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Bring units to a port (cards 10, 11)."""
    yield from send_units(game, table, side, Levy(card, order.space, card.about["cu"]))


def _ports(game: Game, side: Side, card: StrategyCard) -> list[str]:
    return list(game.board.ports)


def _why_not_at_port(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    record, about = game.board.spaces[space], card.about
    if not record.port:
        return refusal(card, f"{record.name} is no port")
    if record.region not in about.get("regions", (record.region,)):
        return refusal(card, f"{record.name} is not in {' or '.join(region.title() for region in about['regions'])}")
    if game.control.get(space) != side:
        return refusal(card, f"{record.name} is not under your control")
    if about.get("no_enemy") and game.cu(ENEMY[side], space):
        return refusal(card, f"{game.cu(ENEMY[side], space)} enemy CU stand in {record.name}")
    return why_no_units(game, side, card, space)


def _why_no_landing(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    if card.about.get("if_macedonia") and not game.macedonia:
        return refusal(card, "Philip V is not allied with Carthage")
    return _province_held(game, side, card)


# ---- in one place (cards 12, 43)


def _elephants(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Bring elephants to Carthage, and normal units for those that would be too many (card 12, 13.1).

    By the older rule they come as one piece of two: both fit under the limit, or neither comes.
    """
    cu = card.about["cu"]
    left = game.board.elephants.most - _beasts(game)
    elephants = min(cu, left)
    if game.options["elephant_reinforcement"] == "both" and elephants < cu:
        elephants = 0
    yield from send_units(game, table, side, Levy(card, card.about["space"], cu, elephants))


def _beasts(game: Game) -> int:
    inside = [stack for space, stack in game.garrisons.items() if game.control.get(space) == CARTHAGE]
    return sum(stack.elephants for stack in [*inside, *game.stacks[CARTHAGE].values()])


def _why_no_elephants(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    return why_no_units(game, side, card, card.about["space"])


def _volones(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Raise two legions of slaves in Latium (card 43)."""
    yield from send_units(game, table, side, Levy(card, card.about["space"], card.about["cu"]))


def _why_no_volones(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    enemy, space = ENEMY[side], card.about["space"]
    held, least = provinces_held(game, enemy, card.about["region"]), card.about["enemy_holds"]
    if held < least:
        return refusal(card, f"{enemy.title()} controls {held} of the {least} provinces in Italy that it takes")
    enemies = game.cu(enemy, space) + game.garrison(enemy, space).cu
    return refusal(card, f"{enemies} enemy CU are in {game.board.spaces[space].name}") if enemies else None


def provinces_held(game: Game, side: Side, region: str) -> int:
    """Return how many provinces of a region a side controls (15.1; cards 25, 43)."""
    return sum(record.region == region and game.controller(id) == side for id, record in game.board.provinces.items())


_WITH_A_GENERAL: Final = Aim(GENERAL, own_generals, _why_no_recruits)

EVENTS: Final[Mapping[str, CardEvent]] = {
    "port_recruits": event(_port_recruits, _why_no_landing, Aim(SPACE, _ports, _why_not_at_port)),
    "elephants": event(_elephants, _why_no_elephants),
    "recruits": event(_recruits, aim=_WITH_A_GENERAL),
    "auxiliaries": event(_recruits, _province_held, _WITH_A_GENERAL),
    "volones": event(_volones, _why_no_volones),
}
