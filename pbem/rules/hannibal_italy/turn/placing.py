"""The placing of newly elected leaders: where the old ones stood, with new legions, or in Rome (5.23, 7.8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pbem.game import Table
from pbem.protocol import Fault, Order
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.forces import SLAVES, added, put_loose, shut_up, sp, steps, take_loose, taken
from pbem.rules.hannibal_italy.position.leadership import limit
from pbem.rules.hannibal_italy.position.naming import (
    leader_named,
    leaders_named,
    no_such_place,
    place_named,
    places_named,
    why_not_at_hand,
)
from pbem.rules.hannibal_italy.position.stacking import crowded
from pbem.rules.hannibal_italy.position.state import RANKS, ROME, UNPLACED, Game


def found(board: Board, place: str | int) -> str:
    """Return the hex that an order names, which has been checked."""
    hex = board.find(place)
    assert hex is not None, place
    return hex


def unplaced(game: Game) -> list[str]:
    """Return the elected leaders who are not on the map yet, the highest office first (5.23)."""
    waiting = [leader for leader in game.board.roster[ROME] if game.leaders[leader].at == UNPLACED]
    return sorted(waiting, key=lambda leader: RANKS.index(game.leaders[leader].office))


def places_for(game: Game, raised: Iterable[str]) -> list[str]:
    """Return the hexes in which they may be put: left by the old magistrates, with new legions, or Rome (5.23)."""
    hexes = {*game.vacant, *(game.board.cities[city].hex for city in raised), game.board.home}
    return sorted(hex for hex in hexes if not crowded(game, ROME, hex, ["somebody"]))


def place(game: Game, table: Table, leader: str, hex: str) -> None:
    """Put an elected leader on the map, to take over as many loose units as the office may lead (5.23, 7.8).

    In a city that is besieged or before which an enemy leader stands they are inside (7.6, 9.71), and so is he.
    """
    record = game.leaders[leader]
    record.inside = shut_up(game, ROME, hex)
    game.put(leader, hex)
    units = _commanded(game, leader, game.loose[ROME].get(hex, {}))
    take_loose(game, ROME, hex, units)
    record.units = added(record.units, units)
    table.tell("placed", leader=leader, office=record.office, hex=hex, rule="5.23")


def _commanded(game: Game, leader: str, units: Mapping[str, int]) -> dict[str, int]:
    """Return as many units as a leader may have with him, the strongest first, slaves before all (6.22, 7.8)."""
    most, board = limit(game, leader), game.board
    chosen: dict[str, int] = {}
    total = sp(board, game.leaders[leader].units)
    for unit in sorted(units, key=lambda each: (board.units[each].whole != SLAVES, -board.units[each].sp, each)):
        room = units[unit] if most is None else max(0, (most - total) // board.units[unit].sp)
        count = min(units[unit], room)
        if count and steps(board, {unit: count}):
            chosen[unit] = count
            total += count * board.units[unit].sp
    return chosen


def shed(game: Game, leader: str) -> None:
    """Let a leader leave behind the units that exceed what the office may lead (7.8)."""
    record = game.leaders[leader]
    units, record.units = record.units, {}
    record.units = _commanded(game, leader, units)
    put_loose(game, ROME, record.at, taken(units, record.units))


def leave_for_rome(game: Game, table: Table) -> None:
    """Send the elected who have no place yet to Rome (5.23)."""
    for leader in unplaced(game):
        place(game, table, leader, game.board.home)


def wrong_places(view: Game, order: Order, leaders: Mapping[str, str | int], raised: Iterable[str]) -> Iterator[Fault]:
    """Yield what is wrong with where an order puts leaders: not elected, or where they may not go (5.23, 7.8)."""
    if not leaders:
        return
    waiting, able = unplaced(view), places_for(view, raised)
    coming: dict[str, int] = {}
    for leader, place in leaders.items():
        hex = view.board.find(place)
        if leader not in waiting:
            able_to = leaders_named(view.board, waiting)
            reason = f"{why_not_at_hand(view, ROME, leader)}; who waits for a place: {able_to}".replace("?;", "?")
            yield order.fault(("leaders", leader), reason, rule="5.23")
        elif hex not in able:
            yield order.fault(("leaders", leader), _why_not_placed(view, able, leader, place), rule="5.23")
        else:
            coming[hex] = coming.get(hex, 0) + 1
            if crowded(view, ROME, hex, [f"number {number}" for number in range(coming[hex])]):
                most = view.board.tables["stacking"]["leaders"]
                reason = f"too many leaders would be at {place_named(view.board, place)}; {most} may be"
                yield order.fault(("leaders", leader), reason, rule="7.8")


def _why_not_placed(view: Game, able: Sequence[str], leader: str, place: str | int) -> str:
    """Say why an elected leader may not be put into a hex (5.23, 7.8)."""
    hex = view.board.find(place)
    open_to_him = f"open are {places_named(view.board, able)}"
    if hex is None:
        return f"{no_such_place(view.board, place)}; {open_to_him}"
    name, who = place_named(view.board, hex), leader_named(view.board, leader)
    if crowded(view, ROME, hex, [leader]):
        most = view.board.tables["stacking"]["leaders"]
        return f"{most} leaders are at {name} already; {open_to_him}"
    return (
        f"{who} cannot come to {name}: the elected go to Rome, to new legions, or to where a magistrate stood; "
        f"{open_to_him}"
    )
