"""Political isolation: control markers that are cut off come off the board at the end of a turn (5.5, 15.4)."""

from __future__ import annotations

from pbem.protocol import Side
from pbem.rules.rome_carthage.board import WALLED_CITY
from pbem.rules.rome_carthage.passes import PASSES
from pbem.rules.rome_carthage.politics import removable_markers
from pbem.rules.rome_carthage.state import CARTHAGE, ENEMY, ROME, Game
from pbem.table import Table


def remove_isolated(game: Game, table: Table) -> None:
    """Take isolated markers off, those of Rome first, then those of Carthage (5.5, 15.4)."""
    for side in (ROME, CARTHAGE):
        if spaces := isolated(game, side):
            for space in spaces:
                del game.control[space]
            table.tell("isolated", side=side, spaces=spaces, rule="15.4")
    game.phase = "victory"


def isolated(game: Game, side: Side) -> list[str]:
    """List a side's markers from which no way leads to its units, a city, a tribe or a port of its own (15.4)."""
    safe = connected(game, side)
    return [space for space in removable_markers(game, side) if space not in safe]


def connected(game: Game, side: Side) -> set[str]:
    """Return the spaces from which a side can trace a way to what holds its markers in place (15.4).

    The ways are followed from their ends: own units, own cities, tribes and ports.
    """
    spaces, tribes, theirs = game.board.spaces, game.tribes, with_units(game, ENEMY[side])
    reached = with_units(game, side)
    for space, holder in game.control.items():
        if holder == side and (spaces[space].port or spaces[space].kind == WALLED_CITY or space in tribes):
            reached.add(space)
    edge = list(reached)
    while edge:
        for near, kind in game.board.neighbours[edge.pop()].items():
            if near not in reached and kind not in PASSES and passable(game, side, near, theirs):
                reached.add(near)
                edge.append(near)
    return reached


def passable(game: Game, side: Side, space: str, theirs: set[str]) -> bool:
    """Tell whether a way may lead through a space where the side has no units (15.4).

    Not an enemy marker, not a neutral tribe; enemy units, which stand in `theirs`, block it unless the side's own
    marker is there.
    """
    holder = game.control.get(space)
    if holder is None:
        return space not in theirs and space not in game.tribes
    return holder == side


def with_units(game: Game, side: Side) -> set[str]:
    """Return the spaces in which a side has units, in the open or inside its city (15.4)."""
    inside = {space for space, garrison in game.garrisons.items() if garrison.cu and game.control.get(space) == side}
    return inside | {space for space, stack in game.stacks[side].items() if stack.cu}
