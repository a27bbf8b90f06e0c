"""The audit of a position: units, leaders, stacks and offices are counted, broken invariants reported (3.3, 7.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pbem.rules.hannibal_italy.position.board import CAPUA, CLASS_1, UNFORTIFIED
from pbem.rules.hannibal_italy.position.forces import on_board, outside, present, sp
from pbem.rules.hannibal_italy.position.leadership import capua_shut, crowded, limit, may_lead
from pbem.rules.hannibal_italy.position.state import (
    BOXES,
    CARTHAGE,
    CONSUL,
    PRAETOR,
    PROCONSUL,
    ROME,
    SIDES,
    UNSEEN,
    Game,
)
from pbem.rules.hannibal_italy.siege.siege import COMPLETE, PARTIAL


def audit(game: Game) -> Iterator[str]:
    """Yield every broken invariant: units, leaders, stacks, offices, forbidden ground, cities."""
    yield from _units(game)
    yield from _leaders(game)
    yield from _offices(game)
    yield from _astray(game)
    yield from _cities(game)


def _units(game: Game) -> Iterator[str]:
    board = game.board
    there = on_board(game)
    for unit, count in there.items():
        if count > board.counts[unit]:
            yield f"{count} {unit} are in play; there are {board.counts[unit]} counters"
    for pool, units in game.pools.items():
        for unit, count in units.items():
            if board.units[unit].pool != pool:
                yield f"{unit} lies in the pool {pool}"
            if count + there.get(unit, 0) > board.counts[unit]:
                yield f"{count} {unit} lie in the pool and {there.get(unit, 0)} are in play"
    for holder, side, units in _holders(game):
        for unit, count in units.items():
            if count <= 0 or (unit != UNSEEN and board.units[unit].side != side):
                yield f"{holder} has {count} {unit}"


def _holders(game: Game) -> Iterator[tuple[str, str, dict[str, int]]]:
    for id, leader in game.leaders.items():
        yield id, game.card(id).side, leader.units
    for side in SIDES:
        for hex, units in game.loose[side].items():
            yield f"hex {hex}", side, units
            if not units:
                yield f"an empty stack in {hex}", side, {UNSEEN: 0}


def _leaders(game: Game) -> Iterator[str]:
    for id, leader in game.leaders.items():
        if leader.at not in BOXES and leader.at not in game.board.hexes:
            yield f"{id} is at {leader.at}"
        if leader.at in BOXES and leader.units:
            yield f"{id} is off the map with units"
        if leader.at in game.board.hexes and game.card(id).side == ROME and not leader.office:
            yield f"{id} is on the map without an office"
        most = limit(game, id)
        if most is not None and leader.at in game.board.hexes and sp(game.board, leader.units) > most:
            yield f"{id} leads {sp(game.board, leader.units)} SP; {most} are allowed"
        for unit in leader.units:
            if unit != UNSEEN and not may_lead(game, id, unit):
                yield f"{id} leads {unit}, who do not follow him"
        if leader.inside and not game.friendly_city(game.card(id).side, leader.at):
            yield f"{id} is inside a city that is not his at {leader.at}"
    for side in SIDES:
        if list(game.on_map(side)) != [id for id in game.board.roster[side] if game.leaders[id].at not in BOXES]:
            yield f"somebody of {side} was put on the map or taken off it unnoticed"
        for hex in {game.leaders[id].at for id in game.on_map(side)}:
            if hex != game.board.home and crowded(game, side, hex, []):
                yield f"too many leaders of {side} at {hex}"


def _offices(game: Game) -> Iterator[str]:
    """Yield offices that too many hold (5.2, 5.3, 5.4)."""
    rules = game.board.tables["elections"]
    most = {CONSUL: rules["consuls"], PRAETOR: rules["praetors"], PROCONSUL: rules["proconsuls"]["most"]}
    for office, count in Counter(leader.office for leader in game.leaders.values() if leader.office).items():
        if count > int(most.get(office, 1)):
            yield f"{count} leaders are {office}"


def _astray(game: Game) -> Iterator[str]:
    """Yield forces where they may never be: in Capua, or Gauls outside their lands (10.6, 12.21)."""
    board, capua = game.board, game.board.cities[CAPUA].hex
    lands = {hex for each in board.provinces.values() if each.recruits == "gaul" for hex in each.hexes}
    for side in SIDES:
        if capua_shut(game, side) and present(game, side, capua):
            yield f"{side} is in Capua"
    for leader in game.on_map(CARTHAGE):
        if game.card(leader).gaulish and game.leaders[leader].at not in lands:
            yield f"{leader} is at {game.leaders[leader].at}, which is no land of the Gauls"
    for hex, units in game.loose[CARTHAGE].items():
        for unit in units:
            if unit != UNSEEN and board.units[unit].pool == "gaul" and hex not in lands:
                yield f"{unit} is at {hex}, which is no land of the Gauls"
    if game.slaves in game.leaders and game.leaders[game.slaves].at in BOXES:
        yield f"the slave legion is with {game.slaves}, who is {game.leaders[game.slaves].at}"


def _cities(game: Game) -> Iterator[str]:
    for city in game.garrisons:
        if not game.board.cities[city].garrison:
            yield f"{city} has a garrison unit that does not exist"
    numbers = game.board.tables["siege_numbers"]
    for city, siege in game.sieges.items():
        kind = game.board.cities[city].kind
        works = siege.works in (PARTIAL, COMPLETE) and not siege.number
        if kind == UNFORTIFIED or not (works if kind == CLASS_1 else siege.number in numbers and not siege.works):
            yield f"the siege of {city} has the marker {siege.number} {siege.works}"
        if game.cities[city] == siege.side:
            yield f"{city} is besieged by its owner"
        elif game.phase not in ("field", "siege") and not outside(game, siege.side, game.board.cities[city].hex):
            yield f"nobody besieges {city}"
