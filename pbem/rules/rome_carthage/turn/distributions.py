"""New units: how many come, and every way to spread them over the spaces that are open to them (6.1 to 6.3)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final, TypeAlias

from pbem.protocol import Side
from pbem.rules.rome_carthage.position.board import ITALY
from pbem.rules.rome_carthage.position.state import CARTHAGE, ROME, Game
from pbem.rules.rome_carthage.siege.walls import whole_cu
from pbem.rules.rome_carthage.turn.arrivals import MANY, capacity
from pbem.rules.rome_carthage.turn.consuls import strong_stacks

Units: TypeAlias = tuple[str, ...]
"""Where units go, one space for each CU, sorted."""

ANYWHERE: Final = "anywhere"


def lots(game: Game) -> list[tuple[str, ...]]:
    """List for each Carthaginian unit the spaces that it may go to; one with none is lost (6.1)."""
    control, spaces = game.control, game.board.spaces
    generals = {space for _, space, _, _ in game.generals_in_play(CARTHAGE)}
    found: list[set[str]] = []
    for lot in game.board.tables["reinforcements"][CARTHAGE]:
        region, cities = lot["generals_in"], lot["spaces"]
        allowed = True
        if "if_space" in lot:
            allowed = control.get(lot["if_space"]) == CARTHAGE
        elif "if_province" in lot:
            allowed = game.controller(lot["if_province"]) == CARTHAGE
            if game.options["baetica_cu"] == "friendly_space":
                cities = [id for id, record in spaces.items() if record.region == region]
        elif region == ANYWHERE and game.options["carthage_free_cu"] == "general":
            cities = []
        places = {space for space in cities if control.get(space) == CARTHAGE}
        places |= {space for space in generals if region in (ANYWHERE, spaces[space].region)}
        found.append(places if allowed else set())
    closed = {space for space in set().union(*found) if not capacity(game, CARTHAGE, space)}
    return [tuple(sorted(places - closed)) for places in found]


def distributions(game: Game, side: Side) -> list[Units]:
    """List every way to place the new units of a side, as many of them as can be placed (6.1 to 6.3)."""
    return _of_rome(game) if side == ROME else _of_carthage(game, lots(game))


def _of_carthage(game: Game, every: list[tuple[str, ...]]) -> list[Units]:
    open_lots = [lot for lot in every if lot]
    hold = {space: capacity(game, CARTHAGE, space) for lot in open_lots for space in lot}
    for count in range(len(open_lots), 0, -1):
        if fitting := _fitting(_one_to_each(tuple(open_lots), count), hold):
            return fitting
    return [()]


@lru_cache(maxsize=64)
def _one_to_each(open_lots: tuple[tuple[str, ...], ...], count: int) -> list[Units]:
    """List the ways to place a unit in a space of each of some lots. Do not change the list: it is cached."""
    return sorted(
        {tuple(way) for some in combinations(open_lots, count) for way in map(sorted, itertools.product(*some))}
    )


def _of_rome(game: Game) -> list[Units]:
    """List the ways for Rome: at least three units in Italy, and a stack of five if there is none (6.2, 6.3)."""
    lot = game.board.tables["reinforcements"][ROME][0]
    hold = {space: capacity(game, ROME, space) for space in roman_spaces(game)}
    home = tuple(space for space in hold if game.board.spaces[space].region == ITALY)
    abroad = tuple(space for space in hold if space not in home)
    for cu in range(lot["cu"], 0, -1):
        if fitting := _fitting(_mostly_at_home(home, abroad, cu, lot["cu"] - lot["at_least"][ITALY]), hold):
            return fitting if strong_stacks(game) else _strongest(game, fitting)
    return [()]


@lru_cache(maxsize=64)
def _mostly_at_home(home: tuple[str, ...], abroad: tuple[str, ...], cu: int, most_abroad: int) -> list[Units]:
    """List the ways to place units, only some of them outside Italy (6.3). Do not change the list: it is cached."""
    return sorted(
        tuple(sorted(there + here))
        for away in range(min(cu, most_abroad) + 1)
        for there in combinations_with_replacement(abroad, away)
        for here in combinations_with_replacement(home, cu - away)
    )


def _fitting(ways: list[Units], hold: Mapping[str, int]) -> list[Units]:
    """Keep the ways that put nowhere more units than there is room for (6.3, 16.2)."""
    narrow = {space: room for space, room in hold.items() if room < MANY}
    if not narrow:
        return ways
    return [way for way in ways if all(way.count(space) <= room for space, room in narrow.items())]


def _strongest(game: Game, ways: list[Units]) -> list[Units]:
    """Keep the ways that make a stack of five CU, if there are such (6.3)."""
    armies = army_sizes(game, ROME, ways)
    strong = [way for way in ways if any(armies[space] + way.count(space) >= game.board.consular_army for space in way)]
    return strong or ways


def army_sizes(game: Game, side: Side, ways: list[Units]) -> dict[str, int]:
    """Return the CU that a side has in each space where new units may come."""
    return {space: whole_cu(game, side, space) for space in set().union(*ways)}


def roman_spaces(game: Game) -> list[str]:
    """List where Roman units may come to the map: Rome, and with any general, but not inside a siege (6.2, 6.3)."""
    places = {space for _, space, _, _ in game.generals_in_play(ROME)}
    places |= {
        space for space in game.board.tables["reinforcements"][ROME][0]["spaces"] if game.control.get(space) == ROME
    }
    return sorted(space for space in places if capacity(game, ROME, space))
