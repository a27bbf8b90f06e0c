"""Overruns: an army eight times as strong rides down a small one in the open and marches on (7.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.game import Refusal, Table
from pbem.protocol import Side
from pbem.rules.hannibal_italy.position.board import CLEAR
from pbem.rules.hannibal_italy.position.forces import added, bury, count_losses, out_of_sight, outside, sp
from pbem.rules.hannibal_italy.position.leadership import dies, find_refuge, kill
from pbem.rules.hannibal_italy.position.state import ENEMY, Game


def stops(game: Game, side: Side) -> frozenset[str]:
    """Return the hexes in which a side's marches end because of the enemy there (7.2, 7.31)."""
    cities, owners, leaders, enemy = game.board.cities, game.cities, game.leaders, ENEMY[side]
    garrisons = [cities[city].hex for city in game.garrisons if owners[city] != side]
    return frozenset([leaders[leader].at for leader in game.on_map(enemy)]).union(game.loose[enemy], garrisons)


def possible(view: Game, hex: str) -> bool:
    """Tell whether the ground of a hex allows an overrun: clear, without a city (7.7)."""
    return view.board.hexes[hex].terrain == CLEAR and view.board.hexes[hex].city is None


def why_not(view: Game, side: Side, hex: str, forces: Sequence[Mapping[str, int]]) -> Refusal | None:
    """Say why forces cannot overrun the enemy in a hex whose ground allows it; None: they may be able to (7.7).

    Carthage sees the odds. Units with a leader, whom Rome would ride down, it does not see before it is there (7.5).
    """
    if out_of_sight(view, side, hex) or strong_enough(view, side, hex, forces):
        return None
    own, small = sp(view.board, added(*forces)), sp(view.board, outside(view, ENEMY[side], hex))
    odds = int(view.board.tables["movement"]["overrun"]["odds"])
    return Refusal(f"an overrun takes {odds} to 1; {own} SP would come against {small}", "7.7")


def strong_enough(game: Game, side: Side, hex: str, forces: Sequence[Mapping[str, int]]) -> bool:
    """Tell whether forces are strong enough to overrun what the enemy has in a hex: eight to one (7.7)."""
    own, small = sp(game.board, added(*forces)), sp(game.board, outside(game, ENEMY[side], hex))
    return 0 < own >= int(game.board.tables["movement"]["overrun"]["odds"]) * small


def ride_down(game: Game, table: Table, side: Side) -> bool:
    """Overrun the enemy in the hex entered if odds and points allow it; tell whether the march goes on (7.7)."""
    march, enemy = game.the_march, ENEMY[side]
    rule = game.board.tables["movement"]["overrun"]
    forces = [game.leaders[leader].units for leader in march.together]
    if not possible(game, march.at) or not strong_enough(game, side, march.at, forces):
        table.tell("overrun_fails", leader=march.leader, hex=march.at, rule="7.7")
        return False
    if march.spent + int(rule["cost"]) > march.allowance:
        return False
    march.spent += int(rule["cost"])
    game.lost_in_battle = 0
    eliminate(game, table, enemy, march.at)
    return True


def eliminate(game: Game, table: Table, side: Side, hex: str) -> None:
    """Eliminate a force that was overrun; its leaders go with it, or roll as in a lost city (7.7)."""
    leaders = game.leaders_at(side, hex)
    for leader in leaders:
        record = game.leaders[leader]
        count_losses(game, record.units, {}, combat=True)
        bury(game, record.units)
        record.units = {}
    loose = game.loose[side].pop(hex, {})
    count_losses(game, loose, {}, combat=True)
    bury(game, loose)
    table.tell("overrun", side=side, hex=hex, leaders=leaders, rule="7.7")
    for leader in leaders:
        if game.options["overrun_leaders"] == "eliminated":
            kill(game, table, leader)
        elif not dies(game, table, leader, int(game.board.tables["dies_on"]["city_lost"]), f"danger/{hex}/{leader}"):
            find_refuge(game, table, leader)
