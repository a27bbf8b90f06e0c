"""Who controls the provinces (8), and when the cities without walls change hands (9.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from pbem.protocol import Side
from pbem.rules.hannibal_italy.board import UNFORTIFIED
from pbem.rules.hannibal_italy.forces import Units, garrison, here, hexes_of, outside, present, sp, without_elephants
from pbem.rules.hannibal_italy.state import CARTHAGE, ENEMY, ROME, SIDES, Game
from pbem.table import Table

TWICE = 2

Standing: TypeAlias = Mapping[Side, Mapping[str, Sequence[str]]]
"""Side -> province -> the hexes in which the side has a leader or a unit."""


def determine(game: Game, table: Table, provinces: Iterable[str], *, rule: str = "8.1") -> None:
    """Determine anew who controls some provinces, and tell what has changed (8.1, 8.22)."""
    where = standing(game)
    for province in provinces:
        before, now = game.provinces.get(province), controller(game, province, where)
        if now == before:
            continue
        if now is None:
            del game.provinces[province]
            table.tell("province_lost", province=province, side=before, rule="8.21")
        else:
            game.provinces[province] = now
            table.tell("province_won", province=province, side=now, rule="8.2")


def standing(game: Game) -> Standing:
    """Return in which hexes of each province a side has a leader or a unit."""
    where: dict[Side, dict[str, list[str]]] = {side: {} for side in SIDES}
    for side in SIDES:
        for hex in hexes_of(game, side):
            where[side].setdefault(game.board.hexes[hex].province, []).append(hex)
    return where


def controller(game: Game, province: str, where: Standing | None = None) -> Side | None:
    """Return the side that controls a province: all its cities, or twice the enemy's SP there (8.2, 8.21)."""
    found = standing(game) if where is None else where
    qualified = [side for side in SIDES if holds_all(game, side, province) or outweighs(game, side, province, found)]
    return qualified[0] if len(qualified) == 1 else None


def holds_all(game: Game, side: Side, province: str) -> bool:
    """Tell whether a side controls all cities and fortresses of a province (8.2)."""
    return all(game.cities[city] == side for city in game.board.provinces[province].cities)


def outweighs(game: Game, side: Side, province: str, where: Standing) -> bool:
    """Tell whether a side has units in a province with twice the enemy's SP, the besieged left out (8.2, 11.3)."""
    own = strength(game, side, province, where)
    if own == 0:
        return False
    enemy = strength(game, ENEMY[side], province, where)
    units = [free(game, side, hex) for hex in where[side].get(province, ())]
    others = any(without_elephants(game.board, force) for force in units) or _garrisons(game, side, province)
    return bool(others) and own >= TWICE * enemy


def strength(game: Game, side: Side, province: str, where: Standing) -> int:
    """Return the SP of a side in a province that are not besieged, garrison units included (8.2)."""
    board = game.board
    total = _garrisons(game, side, province)
    for hex in where[side].get(province, ()):
        total += sp(board, free(game, side, hex))
    return total


def free(game: Game, side: Side, hex: str) -> Units:
    """Return what a side has in a hex that is not besieged: a relief force before the walls counts (8.2)."""
    siege = game.besieged(hex)
    return here(game, side, hex) if siege is None or siege.side == side else outside(game, side, hex)


def _garrisons(game: Game, side: Side, province: str) -> int:
    board = game.board
    return sum(
        garrison(game, city)
        for city in game.garrisons
        if board.cities[city].province == province and game.cities[city] == side and city not in game.sieges
    )


def take_open_cities(game: Game, table: Table) -> None:
    """Let unfortified cities pass to a side that alone has units in their hex (9.7)."""
    for hex in sorted({*hexes_of(game, CARTHAGE), *hexes_of(game, ROME)}):
        _take_open_city(game, table, hex)


def enter(game: Game, table: Table, hex: str) -> None:
    """Let an unfortified city pass to a side that has just marched into it, if that is agreed on (9.7)."""
    if game.options["open_city_falls"] == "entered":
        _take_open_city(game, table, hex)


def _take_open_city(game: Game, table: Table, hex: str) -> None:
    city = game.city_at(hex)
    if city is None or city.kind != UNFORTIFIED:
        return
    owner = game.cities[city.id]
    if here(game, ENEMY[owner], hex) and not here(game, owner, hex):
        give_city(game, table, city.id, ENEMY[owner], rule="9.7")


def give_city(game: Game, table: Table, city: str, side: Side, *, rule: str) -> None:
    """Put a city into a side's hands: sieges end, and its garrison unit, if any, is gone for good (9.82)."""
    game.cities[city] = side
    game.sieges.pop(city, None)
    if city in game.garrisons:
        game.garrisons.remove(city)
    if city == "tarentum" and side == CARTHAGE:
        game.tarentum_taken = True
    for leader in game.leaders_at(ENEMY[side], game.board.cities[city].hex):
        game.leaders[leader].inside = False
    table.tell("city_taken", city=city, side=side, rule=rule)


def with_combat(game: Game) -> list[str]:
    """Return the provinces in which combat may take place: both sides stand in a hex, or one before a city (8.1)."""
    found = set()
    for side in SIDES:
        for hex in hexes_of(game, side):
            city = game.city_at(hex)
            enemy_city = city is not None and game.cities[city.id] != side
            if enemy_city or present(game, ENEMY[side], hex):
                found.add(game.board.hexes[hex].province)
    return [province for province in game.board.provinces if province in found]
