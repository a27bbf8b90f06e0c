"""Set-up of a scenario, and what in its box is not certain (12.31, 12.32)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from pbem.game import Table
from pbem.protocol import Record, Side
from pbem.rules.hannibal_italy.position.board import Board, Options
from pbem.rules.hannibal_italy.position.forces import added, on_board
from pbem.rules.hannibal_italy.position.state import AWAY, CONSUL, ROME, SENATE, SIDES, Game, Leader

if TYPE_CHECKING:
    from pbem.game import Box

_FILES: Final = ("map", "counters", "leaders", "tables")
_RECONSTRUCTED: Final = "reconstructed"
_FOR_BALANCE: Final = "for balance"


def set_up(board: Board, options: Options, id: str, scenario: Record, table: Table) -> Game:
    """Return the position at the start: all Italy Roman, one Roman army, Hannibal over the Alps (12.31)."""
    game = Game(
        year=scenario["start"]["year"],
        segment=scenario["start"]["segment"],
        phase="first_initiative",
        leaders={id: Leader(at=SENATE if card.side == ROME else AWAY) for id, card in sorted(board.leaders.items())},
        loose={side: {} for side in SIDES},
        pools=_pools(board),
        cities=dict.fromkeys(board.cities, ROME),
        garrisons=list(scenario["garrisons"]),
        provinces=dict.fromkeys(board.provinces, ROME),
        served=[card.id for card in board.leaders.values() if card.served],
        due=list(range(len(scenario["reinforcements"]))),
        scenario=id,
        board=board,
        options=options,
    )
    for side in SIDES:
        for army in scenario[side]:
            place_army(game, table, side, army["hex"], army)
    game.last_consuls = [leader for leader in board.roster[ROME] if game.leaders[leader].office == CONSUL]
    return game


def place_army(game: Game, table: Table, side: Side, hex: str, army: Record) -> None:
    """Put an army of a scenario on the map: its units go to the first of its leaders, its Gauls to theirs (12.31)."""
    named = army.get("leaders", {})
    offices = named if isinstance(named, Mapping) else dict.fromkeys(named, "")
    for leader, office in offices.items():
        game.put(leader, hex)
        game.leaders[leader].office = office
    units = dict(army.get("units", {}))
    chiefs = [leader for leader in offices if not game.card(leader).gaulish]
    if chiefs:
        game.leaders[chiefs[0]].units = added(game.leaders[chiefs[0]].units, units)
    elif units:
        game.loose[side][hex] = added(game.loose[side].get(hex, {}), units)
    if army.get("gauls"):
        (chief,) = (leader for leader in offices if game.card(leader).gaulish)
        drawn = draw(game, table, "gaul", army["gauls"], "set-up/gauls")
        game.leaders[chief].units = added(game.leaders[chief].units, drawn)


def draw(game: Game, table: Table, pool: str, count: int, name: str) -> dict[str, int]:
    """Draw so many units unseen from a pool, fewer if it holds no more, and return them (6.3, 6.31).

    All counters of the pool are shuffled, also those that are on the map: how many lie in it is not for Rome to know
    (7.5), and a shuffle tells how many were shuffled. Those that do not lie in the pool are passed over.
    """
    lying, board = game.pools[pool], game.board
    kinds = sorted(unit.id for unit in board.units.values() if unit.pool == pool and unit.id == unit.whole)
    cup = table.shuffle(name, [f"{unit} {at + 1}" for unit in kinds for at in range(board.counts[unit])])
    there = (unit for unit, _, number in (each.partition(" ") for each in cup) if int(number) <= lying.get(unit, 0))
    drawn: dict[str, int] = {}
    for unit in islice(there, count):
        drawn[unit] = drawn.get(unit, 0) + 1
    game.pools[pool] = {unit: left for unit in sorted(lying) if (left := lying[unit] - drawn.get(unit, 0))}
    return drawn


def _pools(board: Board) -> dict[str, dict[str, int]]:
    pools: dict[str, dict[str, int]] = {}
    for unit in board.units.values():
        if unit.pool is not None and unit.id == unit.whole:
            pools.setdefault(unit.pool, {})[unit.id] = board.counts[unit.id]
    return pools


def settle(game: Game) -> Game:
    """Take units that somebody has put on the map out of the pools, as far as the counters are short (6.3, 6.31)."""
    there, counts = on_board(game), game.board.counts
    for pool, lying in game.pools.items():
        short = {unit: min(count, counts[unit] - there.get(unit, 0)) for unit, count in lying.items()}
        game.pools[pool] = {unit: count for unit, count in short.items() if count > 0}
    return game


# ---- the sources of the box


def reconstructed(box: Box) -> list[str]:
    """Return the files of a box that say of some of their values that they are reconstructed."""
    return _files_that_say(box, _RECONSTRUCTED)


def chosen_for_balance(box: Box) -> list[str]:
    """Return the files of a box that say of some of their values that they are ours, to be fair to both sides."""
    return _files_that_say(box, _FOR_BALANCE)


def _files_that_say(box: Box, word: str) -> list[str]:
    notes = {file: box.table(file).get("confidence", {}) for file in _FILES}
    return [file for file, said in notes.items() if any(word in str(about) for about in (*said, *said.values()))]
