"""Withdrawals: from a trap, before a battle, after a round; and the hex to which they lead (10.4, 10.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.game import Table, direction, distance
from pbem.protocol import Side
from pbem.rules.hannibal_italy.movement.overrun import stops
from pbem.rules.hannibal_italy.position.forces import put_loose
from pbem.rules.hannibal_italy.position.leadership import crowded, dies, why_not_enter
from pbem.rules.hannibal_italy.position.naming import no_such_place, place_named, places_named
from pbem.rules.hannibal_italy.position.state import Game


def hexes_to(game: Game, side: Side, hex: str, leaders: Sequence[str], *, attacking: bool) -> list[str]:
    """Return the hexes that a beaten side may go to, the one that the rules point to first (10.4).

    An attacker goes on as he was marching, or back where he came from; a defender towards the nearest city of his, and
    into none of the enemy's while there is another way as near. Hexes with the enemy, forbidden or full ones are left
    out; empty: there is no way out.
    """
    ranked = _ranked(game, side, hex, leaders, attacking=attacking)
    return sorted(ranked, key=lambda there: (*ranked[there], there))


def equals(game: Game, side: Side, hex: str, leaders: Sequence[str], *, attacking: bool) -> list[str]:
    """Return the hexes to which the rules point alike: the side that goes chooses one of them (10.4)."""
    ranked = _ranked(game, side, hex, leaders, attacking=attacking)
    return sorted(there for there, rank in ranked.items() if rank == min(ranked.values()))


def _ranked(
    game: Game, side: Side, hex: str, leaders: Sequence[str], *, attacking: bool
) -> dict[str, tuple[bool, int, bool]]:
    """Return the hexes that are open, and what makes each worse: off the way, far from a city, the enemy's (10.4)."""
    enemies = stops(game, side)
    able = [
        there
        for there, _ in game.board.steps[hex]
        if there not in enemies
        and why_not_enter(game, side, leaders, there) is None
        and not crowded(game, side, there, leaders)
    ]
    preferred = _pointed_to(game, hex, leaders) if attacking else None
    theirs = {game.board.cities[city].hex for city, owner in game.cities.items() if owner != side}
    return {there: (there != preferred, _to_a_city(game, side, there), there in theirs) for there in able}


def why_no_way(game: Game, side: Side, hex: str, to: str | int, able: Sequence[str]) -> str:
    """Say why a side may not go from a hex to another one, as far as it can see (9.71, 10.4)."""
    there, open_to = game.board.find(to), f"open are {places_named(game.board, able)}"
    if there is None:
        return f"{no_such_place(game.board, to)}; {open_to}"
    name = place_named(game.board, there)
    if there not in game.board.costs[hex]:
        return f"{name} is not next to {place_named(game.board, hex)}; {open_to}"
    if there in stops(game, side):
        return f"the enemy is at {name}; {open_to}"
    leaders = game.leaders_at(side, hex)
    if (shut := why_not_enter(game, side, leaders, there)) is not None:
        return f"{shut.reason}; {open_to}"
    if crowded(game, side, there, leaders):
        return f"too many leaders would be at {name}; {open_to}"
    return f"the way to {name} is longer, or leads into an enemy city; {open_to}"


def _pointed_to(game: Game, hex: str, leaders: Sequence[str]) -> str | None:
    """Return the hex that an attacker withdraws to: onward in his direction, or back (10.4)."""
    came_from = next((game.leaders[each].came_from for each in leaders if game.leaders[each].came_from), "")
    if not came_from or game.options["attacker_withdraws"] == "back":
        return came_from or None
    board = game.board
    heading = direction(board.hexes[came_from].at, board.hexes[hex].at)
    return next(
        (there for there, _ in board.steps[hex] if direction(board.hexes[hex].at, board.hexes[there].at) == heading),
        None,
    )


def _to_a_city(game: Game, side: Side, hex: str) -> int:
    """Return how far the nearest city of a side is from a hex (10.4)."""
    board = game.board
    own = [board.hexes[board.cities[city].hex].at for city, owner in game.cities.items() if owner == side]
    return min((distance(board.hexes[hex].at, city) for city in own), default=0)


class Withdrawal(NamedTuple):
    """Who withdraws from a hex to another one; with `loose`, the units there that have no leader as well."""

    side: Side
    hex: str
    to: str
    leaders: Sequence[str]
    loose: bool = True


def move_out(game: Game, table: Table, withdrawal: Withdrawal, *, rule: str) -> None:
    """Move leaders, and units without one, from a hex to another one (9.71, 10.4)."""
    side, hex, to, leaders, loose = withdrawal
    for leader in leaders:
        game.leaders[leader].at, game.leaders[leader].came_from, game.leaders[leader].inside = to, hex, False
    if loose:
        put_loose(game, side, to, game.loose[side].pop(hex, {}))
    table.tell("withdrawn", side=side, hex=hex, refuge=to, leaders=list(leaders), rule=rule)


def risk(game: Game, table: Table, leaders: Sequence[str], name: str) -> None:
    """Roll for each leader who withdraws during a battle: he is killed on a 1, and his units stay (10.5)."""
    for leader in leaders:
        record = game.leaders[leader]
        hex, units = record.at, record.units
        if dies(game, table, leader, int(game.board.tables["dies_on"]["withdrawing"]), f"{name}/{leader}"):
            record.units = {}
            put_loose(game, game.card(leader).side, hex, units)
