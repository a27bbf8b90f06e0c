"""The vocabulary of a position: the words that a test case may write in it, by class and field."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.state import BOXES, GONE, RANKS, SIDES, SUMMER, UNSEEN, WINTER
from pbem.rules.hannibal_italy.siege.siege import COMPLETE, PARTIAL
from pbem.rules.hannibal_italy.turn.sequence import PHASES, SILENT

Words = Collection[str | int]


def vocabulary(board: Board, reasons: Words) -> Mapping[str, Words]:
    """Return the words of every field that holds any; `reasons` are those for which a game ends."""
    units = (*board.units, UNSEEN)
    of_leaders = ("served", "last_consuls", "dictators", "moved", "held")
    of_hexes = ("fallen", "dropped", "vacant", "left_by_consuls", "fought_in")
    return {
        "Result.winner": SIDES,
        "Result.reason": reasons,
        "Leader.at": (*board.hexes, *BOXES),
        "Leader.office": RANKS,
        "Leader.units": units,
        "Leader.came_from": board.hexes,
        "Game.segment": (SUMMER, WINTER),
        "Game.phase": (*PHASES, *SILENT),
        "Game.first": SIDES,
        "Game.leaders": board.leaders,
        "Game.loose": SIDES,
        "Game.loose.*": board.hexes,
        "Game.loose.*.*": units,
        "Game.pools": [unit.pool for unit in board.units.values() if unit.pool is not None],
        "Game.pools.*": units,
        "Game.provinces": board.provinces,
        "Game.provinces.*": SIDES,
        "Game.cities.*": SIDES,
        **{f"Game.{field}": board.cities for field in ("cities", "garrisons", "sieges", "tried", "raised")},
        **{f"Game.{field}": board.leaders for field in of_leaders},
        "Game.slaves": (*board.leaders, GONE),
        **{f"Game.{field}": board.hexes for field in of_hexes},
        "Game.dropped.*": units,
        "Game.scenario": board.scenarios,
        **_under_way(board, units),
    }


def _under_way(board: Board, units: Words) -> Mapping[str, Words]:
    return {
        "March.leader": board.leaders,
        "March.together": board.leaders,
        "March.at": board.hexes,
        "March.way": board.hexes,
        "Party.leaders": board.leaders,
        "Party.armed": board.leaders,
        "Party.commander": board.leaders,
        "Party.foragers": (*board.leaders, ""),
        "Party.foragers.*": units,
        "Battle.hex": board.hexes,
        "Battle.attacker": SIDES,
        "Battle.parties": SIDES,
        "Battle.ambush": (*board.leaders, ""),
        "Battle.ambush.*": units,
        "Siege.side": SIDES,
        "Siege.works": (PARTIAL, COMPLETE),
    }
