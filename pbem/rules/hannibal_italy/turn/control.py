"""Control of the provinces and of cities without walls, and the points that Carthage scores for them (8, 9.7, 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pbem.game import Table
from pbem.protocol import Side
from pbem.rules.hannibal_italy.position.board import CAPUA, TARENTUM, UNFORTIFIED
from pbem.rules.hannibal_italy.position.forces import (
    Units,
    at_enemy_cities,
    garrison,
    here,
    hexes_of,
    outside,
    sp,
    without_elephants,
)
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, SIDES, Game, Result

TWICE = 2
ROME_FALLS = "rome_falls"
POINTS = "points"
DRAW = "draw"
RULES = {"provinces": "12.2", "cities": "12.2", "foot": "12.2", "capua": "12.21", "tarentum": "12.22"}


# ---- control (8, 9.7)


@dataclass(frozen=True, slots=True)
class Presence:
    """The forces of both sides, by province, when control is determined."""

    hexes: Mapping[Side, Mapping[str, Sequence[str]]]
    """The hexes in which a side has a leader or a unit."""
    garrisons: Mapping[Side, Mapping[str, int]]
    """The SP of garrison units that are not besieged."""


def determine(game: Game, table: Table, provinces: Iterable[str], *, rule: str = "8.1") -> None:
    """Determine again who controls some provinces, and tell what has changed (8.1, 8.22)."""
    where = presence(game)
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


def presence(game: Game) -> Presence:
    """Return in which hexes of each province a side has a leader or a unit, and its garrison units there."""
    board = game.board
    hexes: dict[Side, dict[str, list[str]]] = {side: {} for side in SIDES}
    garrisons: dict[Side, dict[str, int]] = {side: {} for side in SIDES}
    for side in SIDES:
        for hex in hexes_of(game, side):
            hexes[side].setdefault(board.hexes[hex].province, []).append(hex)
    for city in game.garrisons if game.options["garrisons_control"] else ():
        if city not in game.sieges:
            province, of_side = board.cities[city].province, garrisons[game.cities[city]]
            of_side[province] = of_side.get(province, 0) + board.cities[city].garrison
    return Presence(hexes, garrisons)


def controller(game: Game, province: str, where: Presence | None = None) -> Side | None:
    """Return the side that controls a province: all its cities, or twice the enemy's SP there (8.2, 8.21)."""
    found = presence(game) if where is None else where
    holders = {game.cities[city] for city in game.board.provinces[province].cities}
    qualified = [side for side in SIDES if holders <= {side} or outweighs(game, side, province, found)]
    return qualified[0] if len(qualified) == 1 else None


def outweighs(game: Game, side: Side, province: str, where: Presence) -> bool:
    """Tell whether a side has units in a province with twice the enemy's SP, the besieged left out (8.2, 11.3)."""
    garrisons = where.garrisons[side].get(province, 0)
    if not garrisons and province not in where.hexes[side]:
        return False
    units = _forces(game, side, province, where)
    own = sum(sp(game.board, force) for force in units) + garrisons
    if own == 0 or not (garrisons or any(without_elephants(game.board, force) for force in units)):
        return False
    enemies = _forces(game, ENEMY[side], province, where)
    enemy = sum(sp(game.board, force) for force in enemies) + where.garrisons[ENEMY[side]].get(province, 0)
    return own >= TWICE * enemy


def _forces(game: Game, side: Side, province: str, where: Presence) -> list[Units]:
    return [free(game, side, hex) for hex in where.hexes[side].get(province, ())]


def free(game: Game, side: Side, hex: str) -> Units:
    """Return what a side has in a hex that is not besieged: a relief force before the walls counts (8.2)."""
    siege = game.besieged(hex)
    return here(game, side, hex) if siege is None or siege.side == side else outside(game, side, hex)


def take_open_cities(game: Game, table: Table) -> None:
    """Let unfortified cities pass to a side that alone has units in their hex (9.7)."""
    for hex in sorted([hex for side in SIDES for hex in at_enemy_cities(game, side)]):
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
    lose_garrison(game, city)
    game.cities[city] = side
    game.sieges.pop(city, None)
    if city == "tarentum" and side == CARTHAGE:
        game.tarentum_taken = True
    for leader in game.leaders_at(ENEMY[side], game.board.cities[city].hex):
        game.leaders[leader].inside = False
    table.tell("city_taken", city=city, side=side, rule=rule)


def lose_garrison(game: Game, city: str) -> None:
    """Take the garrison unit of a city, if it has one, out of the game for good (9.82, 12.2)."""
    if city not in game.garrisons:
        return
    if game.cities[city] == ROME and game.options["garrisons_score"]:
        game.foot_lost += garrison(game, city)
    game.garrisons.remove(city)


def with_combat(game: Game) -> list[str]:
    """Return the provinces in which combat may take place: both sides stand in a hex, or one before a city (8.1)."""
    shared = set(hexes_of(game, CARTHAGE)).intersection(hexes_of(game, ROME))
    hexes = shared.union(*(at_enemy_cities(game, side) for side in SIDES))
    found = {game.board.hexes[hex].province for hex in hexes}
    return [province for province in game.board.provinces if province in found]


# ---- victory points, and the end of the scenario (12)


def score(game: Game, table: Table) -> None:
    """Add what Carthage scores this winter, and end the game after its last one (12.2, 12.312, 12.322)."""
    for reason, points, facts in scored(game):
        game.vp += points
        amounts: dict[str, int | str] = {"count": "", "sp": "", **facts}
        table.tell("scored", reason=reason, points=points, vp=game.vp, rule=RULES[reason], to=None, **amounts)
    game.foot_lost = 0
    if game.year == game.plan["end"]["year"]:
        end(game, table, game.plan["victory"])


def scored(game: Game) -> Iterator[tuple[str, int, dict[str, int]]]:
    """Yield what Carthage would score now: for what, how many points, and the facts of the sentence (12.2)."""
    board = game.board
    provinces = [province for province, side in game.provinces.items() if side == CARTHAGE]
    if provinces:
        yield "provinces", sum(board.provinces[each].vp for each in provinces), {"count": len(provinces)}
    cities = [city for city, side in game.cities.items() if side == CARTHAGE and board.cities[city].loyalty]
    if cities:
        yield "cities", sum(board.cities[each].loyalty or 0 for each in cities), {"count": len(cities)}
    if game.foot_lost:
        yield "foot", game.foot_lost, {"sp": game.foot_lost}
    if game.cities[CAPUA] == CARTHAGE:
        yield "capua", board.tables["capua"]["vp"], {}
    if game.cities[TARENTUM] == ROME and _tarentum_counts(game):
        yield "tarentum", board.tables["tarentum"]["vp"], {}


def _tarentum_counts(game: Game) -> bool:
    """Tell whether a Roman Tarentum costs points: from 216 on, or once Carthage has lost it again (12.22)."""
    lost_again = game.options["tarentum_from"] == "once_lost" and game.tarentum_taken
    return game.year <= game.board.tables["tarentum"]["from"] or lost_again


def end(game: Game, table: Table, victory: Mapping[str, int]) -> None:
    """End the game by its points (12.312, 12.322)."""
    if game.vp >= victory[CARTHAGE]:
        game.result = Result(CARTHAGE, POINTS)
    elif game.vp < victory["draw"]:
        game.result = Result(ROME, POINTS)
    else:
        game.result = Result(None, DRAW)
    table.tell("game_over", winner=game.result.winner or "nobody", reason=game.result.reason, vp=game.vp, rule="12.3")


def fall_of_rome(game: Game, table: Table) -> None:
    """End the game with the fall of Rome, if that is agreed on (12)."""
    if game.options["fall_of_rome"] == "carthage_wins":
        game.result = Result(CARTHAGE, ROME_FALLS)
        table.tell("game_over", winner=CARTHAGE, reason=ROME_FALLS, vp=game.vp, rule="12")
