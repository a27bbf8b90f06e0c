"""Events that take control markers off, turn or place them: revolts, allies, diplomacy (cards 1 to 4, 22 to 56)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final

from pbem.game import Refusal, Table, listing
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.events.aims import (
    PROVINCE,
    SPACE,
    SPACES,
    Aim,
    Several,
    event,
    in_one,
    refusal,
    rule_of,
    whichever,
)
from pbem.rules.rome_carthage.events.playing import CardEvent
from pbem.rules.rome_carthage.events.units import Levy, send_units
from pbem.rules.rome_carthage.orders import EventOrder
from pbem.rules.rome_carthage.position.board import WALLED_CITY, StrategyCard
from pbem.rules.rome_carthage.position.generals import HANNIBAL
from pbem.rules.rome_carthage.position.state import ENEMY, Game

# ---- markers that an event can take, turn or place


def why_no_marker_of(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    """Say why a space has no control marker of a side that an event could take; None: it has one (15.1).

    Cities and friendly tribes are held, but not by a marker.
    """
    record = game.board.spaces[space]
    if record.kind == WALLED_CITY:
        return refusal(card, f"{record.name} is a walled city")
    if space in game.tribes:
        return refusal(card, f"{record.name} is a tribe")
    if game.control.get(space) != side:
        return refusal(card, f"{record.name} has no marker of {side.title()}")
    return None


def why_not_turned(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    """Say why an event cannot turn an enemy marker in a space to a side; None: it can (cards 27, 35)."""
    enemy = ENEMY[side]
    why = why_no_marker_of(game, enemy, card, space)
    return why if why is not None else _why_held(game, enemy, card, space)


def _why_held(game: Game, enemy: Side, card: StrategyCard, space: str) -> Refusal | None:
    cu = game.stack(enemy, space).cu
    return refusal(card, f"{cu} CU of {enemy.title()} stand in {game.board.spaces[space].name}") if cu else None


def why_not_won(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    """Say why an event cannot give a side a marker in a space, turned or new; None: it can (cards 22 to 24)."""
    record = game.board.spaces[space]
    if record.kind == WALLED_CITY:
        return refusal(card, f"{record.name} is a walled city")
    if space in game.tribes:
        return refusal(card, f"{record.name} is a tribe")
    if game.control.get(space) == side:
        return refusal(card, f"{record.name} has your marker already")
    return _why_held(game, ENEMY[side], card, space)


def spaces_of(game: Game, provinces: Iterable[str]) -> list[str]:
    """List the spaces of some provinces, province by province."""
    return [space for province in provinces for space in game.board.provinces[province].spaces]


def _anywhere(game: Game, side: Side, card: StrategyCard) -> list[str]:
    return list(game.board.spaces)


def _out_of(game: Game, card: StrategyCard, provinces: Iterable[str], space: str) -> Refusal | None:
    record = game.board.spaces[space]
    if record.province in provinces:
        return None
    names = " or ".join(game.board.provinces[province].name for province in provinces)
    return refusal(card, f"{record.name} is not in {names}")


def win(game: Game, table: Table, side: Side, spaces: Iterable[str], card: StrategyCard) -> None:
    """Place a side's control markers, or turn the enemy's, without any of its units (cards 22 to 36)."""
    turned = [space for space in spaces if game.control.get(space) == ENEMY[side]]
    placed = [space for space in spaces if game.control.get(space) is None]
    for space in spaces:
        game.control[space] = side
    table.tell("won_over", side=side, placed=placed, turned=turned, rule=rule_of(card))


# ---- revolts (cards 1 to 4)


def _revolt(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Take off the enemy's markers in a province, except those under their CU (cards 1 to 4)."""
    spaces = _rebels(game, side, card, order.province or card.about["provinces"][0])
    for space in spaces:
        del game.control[space]
    table.tell("markers_fall", side=ENEMY[side], spaces=spaces, rule=rule_of(card))


def _rebels(game: Game, side: Side, card: StrategyCard, province: str) -> list[str]:
    spaces = game.board.provinces[province].spaces
    return [space for space in spaces if why_not_turned(game, side, card, space) is None]


def _why_no_revolt(game: Game, side: Side, card: StrategyCard, province: str) -> Refusal | None:
    name, enemy = game.board.provinces[province].name, ENEMY[side]
    if province not in card.about["provinces"]:
        rebels = listing((game.board.provinces[each].name for each in card.about["provinces"]), "or")
        return refusal(card, f"{name} does not revolt; it is one of {rebels}")
    if card.about.get("if_controlled") and game.controller(province) != enemy:
        return refusal(card, f"{enemy.title()} does not control {name}")
    if not _rebels(game, side, card, province):
        return refusal(card, f"in {name} {enemy.title()} has no marker without CU on it")
    return None


def _why_none_revolts(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    reasons = [_why_no_revolt(game, side, card, province) for province in card.about["provinces"]]
    return None if None in reasons else reasons[0]


def _rebellious(game: Game, side: Side, card: StrategyCard) -> list[str]:
    return list(card.about["provinces"])


# ---- grain shortage (card 56)


def _grain_shortage(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Take off three Roman markers, wherever they are (card 56)."""
    for space in order.spaces:
        del game.control[space]
    table.tell("markers_fall", side=ENEMY[side], spaces=list(order.spaces), rule=rule_of(card))


def _why_no_shortage(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    province = card.about["province"]
    if game.controller(province) == side:
        return None
    return refusal(card, f"you do not control {game.board.provinces[province].name}")


def _why_not_starved(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    return why_no_marker_of(game, ENEMY[side], card, space)


# ---- diplomacy, Italians (cards 27, 35, 36)


def _diplomacy(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Turn one enemy marker (cards 35, 36)."""
    win(game, table, side, [order.space], card)


def _win_spaces(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> None:
    """Place or turn the markers of the spaces that the order names (cards 23, 24, 27)."""
    win(game, table, side, list(order.spaces), card)


def _why_not_italian(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    record = game.board.spaces[space]
    if game.options["italians_won_over"] == "italy" and record.region != card.about["region"]:
        return refusal(card, f"{record.name} is not in Italy")
    return why_not_turned(game, side, card, space)


def _hannibal_in_italy(game: Game, side: Side, card: StrategyCard) -> Refusal | None:
    place = game.where(HANNIBAL)
    if place is not None and game.board.spaces[place[0]].region == card.about["region"]:
        return None
    return refusal(card, "Hannibal is not in Italy")


# ---- Numidians (cards 22 to 24)


def _in_a_province(game: Game, side: Side, card: StrategyCard) -> list[str]:
    return spaces_of(game, card.about["provinces"])


def _why_no_ally(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    why = _out_of(game, card, card.about["provinces"], space)
    return why if why is not None else why_not_won(game, side, card, space)


def _by_province(game: Game, spaces: list[str]) -> list[list[str]]:
    return [list(group) for _, group in groupby(spaces, lambda space: game.board.spaces[space].province)]


def _numidian_units(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Place up to three CU in one space of Numidia (card 23 of 1998)."""
    cu = card.about["cu"] if order.cu is None else order.cu
    yield from send_units(game, table, side, Levy(card, order.space, cu))


def _why_no_numidians(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    why = _out_of(game, card, card.about["units_in"], space)
    return why if why is not None else _why_held(game, ENEMY[side], card, space)


def _in_either_numidia(game: Game, side: Side, card: StrategyCard) -> list[str]:
    return spaces_of(game, card.about["units_in"])


def _mutin(game: Game, table: Table, side: Side, order: EventOrder, card: StrategyCard) -> Flow[None]:
    """Place a CU and a marker in Sicily; a Roman marker there turns (card 22)."""
    space = order.space
    if game.control.get(space) != side:
        win(game, table, side, [space], card)
    yield from send_units(game, table, side, Levy(card, space, card.about["cu"]))


def _in_the_province(game: Game, side: Side, card: StrategyCard) -> list[str]:
    return spaces_of(game, [card.about["province"]])


def _why_no_raid(game: Game, side: Side, card: StrategyCard, space: str) -> Refusal | None:
    why = _out_of(game, card, [card.about["province"]], space)
    if why is None and game.board.spaces[space].kind == WALLED_CITY:
        why = refusal(card, f"{game.board.spaces[space].name} is a walled city")
    return why if why is not None else _why_held(game, ENEMY[side], card, space)


def _as_many_as_printed(card: StrategyCard) -> int:
    return card.about["markers"]


def _one(card: StrategyCard) -> int:
    return 1


_ONE_REVOLTS: Final = event(_revolt, _why_none_revolts)
_EITHER_REVOLTS: Final = event(_revolt, _why_none_revolts, Aim(PROVINCE, _rebellious, _why_no_revolt))
_ALLIES: Final = event(_win_spaces, aim=Several(SPACES, _in_a_province, _why_no_ally, fewest=_one, split=_by_province))
_NUMIDIAN_UNITS: Final = event(_numidian_units, aim=Aim(SPACE, _in_either_numidia, _why_no_numidians, counted=True))

EVENTS: Final[Mapping[str, CardEvent]] = {
    "revolt": whichever(lambda game, card: _EITHER_REVOLTS if len(card.about["provinces"]) > 1 else _ONE_REVOLTS),
    "grain_shortage": event(
        _grain_shortage,
        _why_no_shortage,
        Several(SPACES, _anywhere, _why_not_starved, fewest=_as_many_as_printed, split=in_one),
    ),
    "diplomacy": event(_diplomacy, aim=Aim(SPACE, _anywhere, why_not_turned)),
    "italians_won_over": event(
        _win_spaces,
        _hannibal_in_italy,
        Several(SPACES, _anywhere, _why_not_italian, fewest=_as_many_as_printed, split=in_one),
    ),
    "mutin": event(_mutin, aim=Aim(SPACE, _in_the_province, _why_no_raid)),
    "numidian_ally": whichever(
        lambda game, card: _NUMIDIAN_UNITS if game.options["numidian_ally"] == "units" else _ALLIES
    ),
    "sophonisba": _ALLIES,
}
