"""Forces: units counted by kind, their strength and steps, and which units stand where (3.3, 7.1, 9.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pbem.protocol import Side
from pbem.rules.hannibal_italy.position.board import ELEPHANTS, FOOT, UNFORTIFIED, Board
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, GONE, ROME, UNSEEN, Game

SLAVES: Final = "slaves"

Units = dict[str, int]
"""Kind of counter -> how many."""


def sp(board: Board, units: Mapping[str, int]) -> int:
    """Return the strength of units in SP (9.2)."""
    kinds, total = board.units, 0
    for unit, count in units.items():
        total += kinds[unit].sp * count
    return total


def steps(board: Board, units: Mapping[str, int]) -> int:
    """Return how many steps units have (9.3)."""
    return sum(board.units[unit].steps * count for unit, count in units.items())


def without_elephants(board: Board, units: Mapping[str, int]) -> Units:
    """Return the units that can forage, assault and control a province (11.3)."""
    return {unit: count for unit, count in units.items() if board.units[unit].kind != ELEPHANTS}


def added(*forces: Mapping[str, int]) -> Units:
    """Return all units of some forces, by the order of their ids."""
    total: Units = {}
    for units in forces:
        if not total:
            total = dict(units)
            continue
        for unit, count in units.items():
            total[unit] = total.get(unit, 0) + count
    return {unit: total[unit] for unit in sorted(total) if total[unit]}


def taken(units: Mapping[str, int], some: Mapping[str, int]) -> Units:
    """Return units less some of them, which must be there."""
    left = dict(units)
    for unit, count in some.items():
        left[unit] = left.get(unit, 0) - count
        assert left[unit] >= 0, f"{unit} is not there {count} times"
    return {unit: count for unit, count in left.items() if count}


def covers(units: Mapping[str, int], some: Mapping[str, int]) -> bool:
    """Tell whether some units are all among others."""
    return all(units.get(unit, 0) >= count for unit, count in some.items())


def outside(game: Game, side: Side, hex: str) -> Units:
    """Return what a side has in a hex that is not inside its city: what fights in the field (9.1)."""
    forces: list[Mapping[str, int]] = [
        game.leaders[leader].units for leader in game.leaders_at(side, hex, inside=False)
    ]
    if not loose_inside(game, side, hex):
        forces.append(game.loose[side].get(hex, {}))
    return added(*forces)


def inside(game: Game, side: Side, hex: str) -> Units:
    """Return what a side has inside the city of a hex, without its garrison unit (7.6, 9.71)."""
    forces: list[Mapping[str, int]] = [game.leaders[leader].units for leader in game.leaders_at(side, hex, inside=True)]
    if loose_inside(game, side, hex):
        forces.append(game.loose[side].get(hex, {}))
    return added(*forces)


def here(game: Game, side: Side, hex: str) -> Units:
    """Return all that a side has in a hex, garrison units apart."""
    return added(*(game.leaders[leader].units for leader in game.leaders_at(side, hex)), game.loose[side].get(hex, {}))


def sp_here(game: Game, side: Side, hex: str) -> int:
    """Return the SP that a side has in a hex, garrison units apart."""
    forces = [game.leaders[leader].units for leader in game.leaders_at(side, hex)]
    return sum([sp(game.board, units) for units in forces]) + sp(game.board, game.loose[side].get(hex, {}))


def any_outside(game: Game, side: Side, hex: str) -> bool:
    """Tell whether a side has a unit in a hex that is not inside its city (9.1)."""
    if game.loose[side].get(hex) and not loose_inside(game, side, hex):
        return True
    return any(game.leaders[leader].units for leader in game.leaders_at(side, hex, inside=False))


def loose_inside(game: Game, side: Side, hex: str) -> bool:
    """Tell whether units without a leader are inside: they are in a hex with a city of their side (7.6)."""
    return game.friendly_city(side, hex)


def shut_up(game: Game, side: Side, hex: str) -> bool:
    """Tell whether a leader put into a hex is inside its city: besieged, or an enemy leader before it (7.6, 9.71)."""
    return game.friendly_city(side, hex) and (game.besieged(hex) is not None or bool(game.leaders_at(ENEMY[side], hex)))


def walled(game: Game, hex: str) -> bool:
    """Tell whether the city in a hex has walls: in one without them everybody fights in the field (9.7)."""
    city = game.city_at(hex)
    return city is not None and city.kind != UNFORTIFIED


def veiled(view: Game, side: Side, hex: str | None = None) -> bool:
    """Tell whether the viewer of a position does not see what a side has, in a hex or anywhere (7.5)."""
    leaders = view.on_map(side) if hex is None else view.leaders_at(side, hex)
    loose = view.loose[side]
    piles = loose.values() if hex is None else [loose.get(hex, {})]
    return any(UNSEEN in view.leaders[leader].units for leader in leaders) or any(UNSEEN in pile for pile in piles)


def loose_seen(game: Game, side: Side) -> bool:
    """Tell whether a side sees what enemy units without a leader are: Carthage always, Rome as agreed (7.5)."""
    return side == CARTHAGE or game.options["leaderless_seen"] == "all"


def out_of_sight(game: Game, side: Side, hex: str) -> bool:
    """Tell whether the enemy may have something in a hex that a side does not see the strength of (7.5)."""
    led = bool(game.leaders_at(CARTHAGE, hex))
    return side != CARTHAGE and (led or (bool(game.loose[CARTHAGE].get(hex)) and not loose_seen(game, side)))


def present(game: Game, side: Side, hex: str) -> bool:
    """Tell whether a side has a leader or a unit in a hex, garrison units apart."""
    return bool(game.leaders_at(side, hex)) or bool(game.loose[side].get(hex))


def garrison(game: Game, city: str) -> int:
    """Return the SP of the garrison unit of a city, 0 if it has none (9.82)."""
    return game.board.cities[city].garrison if city in game.garrisons else 0


def hexes_of(game: Game, side: Side) -> list[str]:
    """Return the hexes in which a side has a leader or a unit, by their numbers."""
    leaders = game.leaders
    return sorted({leaders[id].at for id in game.on_map(side)}.union(game.loose[side]))


def at_enemy_cities(game: Game, side: Side) -> list[str]:
    """Return the hexes with a city of the enemy in which a side has a leader or a unit, by their numbers."""
    hexes, owners = game.board.hexes, game.cities
    return [hex for hex in hexes_of(game, side) if (city := hexes[hex].city) is not None and owners[city] != side]


def put_loose(game: Game, side: Side, hex: str, units: Mapping[str, int]) -> None:
    """Leave units in a hex without a leader."""
    if units:
        game.loose[side][hex] = added(game.loose[side].get(hex, {}), units)


def take_loose(game: Game, side: Side, hex: str, units: Mapping[str, int]) -> None:
    """Take units away from those without a leader in a hex."""
    left = taken(game.loose[side].get(hex, {}), units)
    if left:
        game.loose[side][hex] = left
    else:
        game.loose[side].pop(hex, None)


def on_board(game: Game) -> Units:
    """Return all units in play that the viewer knows, of both sides, by the counter that they were at first."""
    board = game.board
    everywhere = added(
        *(leader.units for leader in game.leaders.values() if leader.units),
        *(units for sides in game.loose.values() for units in sides.values()),
        *_set_aside(game),
    )
    total: Units = {}
    everywhere.pop(UNSEEN, None)
    for unit, count in everywhere.items():
        whole = board.units[unit].whole
        total[whole] = total.get(whole, 0) + count
    return total


def _set_aside(game: Game) -> Iterable[Mapping[str, int]]:
    """Yield what has been set aside in a battle: foragers and an ambush (9.4, 9.5)."""
    if game.battle is not None:
        yield from game.battle.ambush.values()
        for party in game.battle.parties.values():
            yield from party.foragers.values()


def to_raise(game: Game) -> int:
    """Return how many legions the counters still allow (6.2)."""
    used = on_board(game)
    return min(game.board.counts[unit] - used.get(unit, 0) for unit in game.board.legion)


def weakened(board: Board, units: Mapping[str, int], losses: Sequence[str]) -> Units:
    """Return units after each unit named in `losses` has lost a step, one after the other (9.3)."""
    left = dict(units)
    for unit in losses:
        assert left.get(unit, 0) > 0, f"{unit} is not there to lose a step"
        left[unit] -= 1
        reduced = board.units[unit].reduced
        if reduced is not None:
            left[reduced] = left.get(reduced, 0) + 1
    return {unit: left[unit] for unit in sorted(left) if left[unit]}


def bury(game: Game, units: Mapping[str, int]) -> None:
    """Put units that are eliminated back into their pool, or out of the game (6.3, 6.31, 9.2).

    The units must already be off the map.
    """
    board = game.board
    for unit, count in units.items():
        kind = board.units[unit]
        pool = game.pools.get(kind.pool or "")  # in a view of Rome there are none
        if pool is not None and kind.back:
            pool[kind.whole] = pool.get(kind.whole, 0) + count
        if kind.whole == SLAVES:
            game.slaves = GONE


def count_losses(game: Game, before: Mapping[str, int], after: Mapping[str, int], *, combat: bool) -> int:
    """Count the SP that units lost, from what they were and what is left, and return the sum (5.4, 6.22, 12.2)."""
    board = game.board
    lost = sp(board, before) - sp(board, after)
    roman = {unit: count for unit, count in before.items() if board.units[unit].side == ROME}
    if roman:
        if combat:
            game.legions_lost += lost
            game.lost_in_battle += lost
            game.worst_battle = max(game.worst_battle, game.lost_in_battle)
        game.lost_this_segment += lost
        game.lost_this_year += lost
        if combat or game.options["foot_scored"] == "any":
            game.foot_lost += _foot(game, before) - _foot(game, after)
    return lost


def _foot(game: Game, units: Mapping[str, int]) -> int:
    kinds = ((game.board.units[unit], count) for unit, count in units.items())
    slaves = game.options["slaves_score"]
    return sum(kind.sp * count for kind, count in kinds if kind.kind == FOOT and (slaves or kind.whole != SLAVES))
