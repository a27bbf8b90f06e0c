"""Refuge: a leader who has lost his army and lives goes to Rome, or to his nearest friends (10.2, 10.5)."""

from __future__ import annotations

from pbem.game import Table, distance
from pbem.rules.hannibal_italy.position.forces import hexes_of, shut_up
from pbem.rules.hannibal_italy.position.leadership import kill
from pbem.rules.hannibal_italy.position.stacking import crowded, why_not_enter
from pbem.rules.hannibal_italy.position.state import ENEMY, ROME, Game


def find_refuge(game: Game, table: Table, leader: str, *, rule: str = "10.5") -> None:
    """Send a leader without units away from where he was: out of a lost city (10.5), or a lost battle (10.2)."""
    side, record = game.card(leader).side, game.leaders[leader]
    if side != ROME and rule == "10.2" and game.options["army_lost"] == "stays":
        return
    record.inside, record.came_from = False, ""
    lost = side != ROME and rule == "10.5" and game.options["carthaginian_survivors"] == "eliminated"
    falls = rule == "10.5" and record.at == game.board.home  # Rome itself is lost, although it is not the enemy's yet
    home = side == ROME and game.friendly_city(ROME, game.board.home) and not falls
    goal = None if lost else game.board.home if home else _nearest(game, leader)
    if goal is None:
        kill(game, table, leader)
        return
    game.put(leader, goal)
    record.escaped = home
    record.inside = shut_up(game, side, goal)
    table.tell("leader_escapes", leader=leader, hex=goal, rule=rule)


def _nearest(game: Game, leader: str) -> str | None:
    """Return the nearest hex with friends or a city of a leader's side; None: he is lost (10.2, 10.5)."""
    side, here = game.card(leader).side, game.board.hexes[game.leaders[leader].at].at
    others = {hex for hex in hexes_of(game, side) if hex != game.leaders[leader].at}
    others |= {game.board.cities[city].hex for city, owner in game.cities.items() if owner == side}
    enemies = hexes_of(game, ENEMY[side])
    open_to_him = [
        hex
        for hex in others
        if why_not_enter(game, side, [leader], hex) is None
        and hex not in enemies
        and not crowded(game, side, hex, [leader])
    ]
    return min(open_to_him, key=lambda hex: (distance(here, game.board.hexes[hex].at), hex), default=None)
