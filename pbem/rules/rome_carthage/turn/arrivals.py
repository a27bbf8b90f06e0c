"""Arrivals of units and generals: where there is room for them, inside the walls or out (6.3, 8.9, 16.2)."""

from __future__ import annotations

from typing import Final

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.position.generals import arrive, drive_off_generals
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.siege.walls import enter_city, room

MANY: Final = 40
"""More units than are ever placed at once: unlimited room."""


def place(game: Game, table: Table, side: Side, space: str, force: Stack) -> Flow[None]:
    """Put units or generals that come to the map into a space, behind the walls where the open is no place (16.2).

    Generals alone go to where the units are. A lone enemy general outside is displaced by units, which come out.
    """
    inside = game.garrison(side, space)
    alone = space in game.stacks[ENEMY[side]]
    fits = not inside.empty and force.cu <= (room(game, side, space) or 0) and not (force.cu and alone)
    if only_inside(game, side, space) or (fits and not game.stack(side, space).cu):
        enter_city(game, space, force)
    else:
        arrive(game, game.put(side, space, force), force.generals)
        yield from drive_off_generals(game, table, side, space)


def only_inside(game: Game, side: Side, space: str) -> bool:
    """Tell whether a side can only be inside its city in a space: it is besieged, or the enemy stands there (16.2)."""
    own_city = game.control.get(space) == side and game.besieged(space)
    return own_city or game.cu(ENEMY[side], space) > 0


def capacity(game: Game, side: Side, space: str) -> int:
    """Return how many units can be added in a space: none in a besieged city, else what its walls hold (6.3, 16.2)."""
    return (room(game, side, space) or 0) if only_inside(game, side, space) else MANY
