"""Leadership: who may command, how much each office may lead, rolls to withdraw and to survive (7.8, 10.2 to 10.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.game import Table
from pbem.protocol import Roll, Side
from pbem.rules.hannibal_italy.position.forces import SLAVES, sp
from pbem.rules.hannibal_italy.position.state import (
    AWAY,
    CONSUL,
    DEAD,
    DICTATOR,
    GONE,
    MASTER_OF_HORSE,
    RANKS,
    ROME,
    Game,
)

HIGHEST = (CONSUL, DICTATOR, MASTER_OF_HORSE)


def candidates(game: Game, side: Side, leaders: Sequence[str]) -> list[str]:
    """Return the leaders, of some, who may command: one, or several of whom a side chooses (10.31, 10.6)."""
    if side == ROME:
        ranked = [office for office in RANKS if any(game.leaders[each].office == office for each in leaders)]
        return [each for each in leaders if game.leaders[each].office == ranked[0]] if ranked else list(leaders)
    supreme = [each for each in leaders if game.card(each).supreme]
    others = [each for each in leaders if not game.card(each).gaulish]
    return supreme or others or list(leaders)


def chooser(game: Game, side: Side, among: Sequence[str]) -> Side:
    """Return the side that chooses between leaders who may both command (10.31)."""
    if side != ROME or any(game.leaders[each].office in HIGHEST for each in among):
        return "carthage"
    return str(game.options["equal_commanders"])


def hard_to_save(game: Game, leader: str) -> int:
    """Return the number that a leader needs to withdraw; 0: he always succeeds (10.4)."""
    return game.card(leader).withdraws_on or 0


def limit(game: Game, leader: str) -> int | None:
    """Return the SP that a leader may have with him; None: as many as there are (7.8)."""
    office = game.leaders[leader].office
    if game.card(leader).side != ROME:
        return None
    stacking = game.board.tables["stacking"]
    if office in (DICTATOR, MASTER_OF_HORSE) and game.options["dictator_as_consul"] == "combat":
        return None
    legions: int = stacking["legions"].get(office, 0)
    return legions * int(stacking["legion_sp"])


def has_legion(game: Game, leader: str, units: Mapping[str, int]) -> bool:
    """Tell whether a leader could move with some units; one who lost his army and is in Rome needs none (10.2)."""
    if game.board.leaders[leader].side != ROME or (game.leaders[leader].escaped and not units):
        return True
    return sp(game.board, units) >= int(game.options["legion_to_move"])


def try_to_withdraw(game: Game, table: Table, leader: str, name: str, *, rule: str = "10.4") -> bool:
    """Roll for a withdrawal and tell whether it succeeds; a leader without a number always succeeds (10.4)."""
    number = game.card(leader).withdraws_on
    if number is None:
        return True
    roll: Roll = table.roll(
        name, at_least=number, rule=rule, side=game.card(leader).side, leader=leader, hex=game.leaders[leader].at
    )
    return roll.success


def dies(game: Game, table: Table, leader: str, at_most: int, name: str) -> bool:
    """Roll whether a leader is killed, take him off the map if so, and tell (10.5)."""
    roll = table.roll(name, at_most=at_most, rule="10.5", side=game.card(leader).side, leader=leader)
    if roll.success:
        kill(game, table, leader)
    return roll.success


def kill(game: Game, table: Table, leader: str) -> None:
    """Take a killed leader out of the game; the Gaulish leader comes back (10.5, 10.6)."""
    record = game.leaders[leader]
    if record.office in HIGHEST:
        game.consuls_killed += 1
        game.fallen.append(record.at)
    table.tell("leader_killed", leader=leader, hex=record.at, rule="10.5")
    disband_slaves(game, table, leader)
    game.put(leader, AWAY if game.card(leader).gaulish else DEAD)
    record.office, record.inside, record.came_from, record.escaped = "", False, "", False


def disband_slaves(game: Game, table: Table, leader: str) -> None:
    """Take the slave legion out of the game for good: its leader is killed or loses his command (6.22)."""
    units = game.leaders[leader].units
    if units.pop(SLAVES, 0) + units.pop(f"{SLAVES}_reduced", 0):
        game.slaves = GONE
        table.tell("slaves_disbanded", leader=leader, rule="6.22")
