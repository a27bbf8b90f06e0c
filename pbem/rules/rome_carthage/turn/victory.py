"""The victory check at the end of a turn: sudden victories, political points, the end of the war (5.6, 18, 19)."""

from __future__ import annotations

from typing import Final

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.battle.politics import give_up_markers
from pbem.rules.rome_carthage.position.board import ITALY
from pbem.rules.rome_carthage.position.state import CAPITAL, CARTHAGE, ENEMY, ROME, SIDES, Game, Result

HOME: Final = "latium"
"""The province of Italy that Carthage may lack."""


def check_victory(game: Game, table: Table) -> Flow[None]:
    """Check for victory; the side with fewer political points gives up markers for the difference (18, 19).

    After the last turn the points are counted once more when these markers are gone: more points win, a tie is
    Carthage's (18.3).
    """
    reason = carthage_wins(game)
    if reason is not None:
        game.result = Result(CARTHAGE, reason)
        return
    points = political_points(game)
    table.tell("political_points", carthage=points[CARTHAGE], rome=points[ROME], rule="18.1")
    behind = min(SIDES, key=lambda side: points[side])
    lead = points[ENEMY[behind]] - points[behind]
    yield from give_up_markers(game, table, behind, lead, "political_points", rule="18.2")
    if game.result is None and game.turn >= game.last_turn:
        end_the_war(game, table)
    game.phase = "turn_end"


def carthage_wins(game: Game) -> str | None:
    """Say how Carthage has won at once: it holds Rome, or all provinces of Italy but Latium; None: it has not (19)."""
    if game.control.get(CAPITAL[ROME]) == CARTHAGE:
        return "rome_falls"
    provinces = (id for id, record in game.board.provinces.items() if record.region == ITALY and id != HOME)
    return "italy_lost" if all(game.controller(id) == CARTHAGE for id in provinces) else None


def political_points(game: Game) -> dict[Side, int]:
    """Return the political points of each side: one for each province that counts (18.1)."""
    holders = [game.controller(id) for id, record in game.board.provinces.items() if record.political_point]
    return {side: holders.count(side) for side in SIDES}


def end_the_war(game: Game, table: Table) -> None:
    """Count the points after the last turn (18.3)."""
    points = political_points(game)
    table.tell("final_count", carthage=points[CARTHAGE], rome=points[ROME], rule="18.3")
    if points[CARTHAGE] == points[ROME]:
        game.result = Result(CARTHAGE, "points_tied")
    else:
        game.result = Result(max(SIDES, key=lambda side: points[side]), "points")
