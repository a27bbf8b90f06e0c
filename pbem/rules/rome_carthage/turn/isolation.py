"""Political isolation: control markers that are cut off come off the board at the end of a turn (5.5, 15.4)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Side
from pbem.rules.rome_carthage.battle.politics import removable_markers
from pbem.rules.rome_carthage.position.board import WALLED_CITY
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, ROME, Game


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
    spaces, ends, theirs = game.board.spaces, with_units(game, side), with_units(game, ENEMY[side])
    for space, holder in game.control.items():
        if holder == side and (spaces[space].port or spaces[space].kind == WALLED_CITY or space in game.tribes):
            ends.add(space)
    return [space for space in removable_markers(game, side) if not connected(game, side, space, ends, theirs)]


def connected(game: Game, side: Side, start: str, ends: set[str], theirs: set[str]) -> bool:
    """Tell whether a way leads from a space to one of those that hold a side's markers in place (15.4).

    It may lead through the side's own markers, and through spaces without a marker, a tribe or enemy units; `theirs`
    are the spaces with enemy units.
    """
    control, seen, edge = game.control, {start}, [start]
    while edge:
        here = edge.pop()
        if here in ends or not ends.isdisjoint(game.board.but_for_passes[here]):
            return True
        for near in game.board.but_for_passes[here]:
            marker = control.get(near)
            if near not in seen and (marker == side or not (marker or near in theirs or near in game.tribes)):
                seen.add(near)
                edge.append(near)
    return False


def with_units(game: Game, side: Side) -> set[str]:
    """Return the spaces in which a side has units, in the open or inside its city (15.4)."""
    inside = {space for space, garrison in game.garrisons.items() if garrison.cu and game.control.get(space) == side}
    return inside | {space for space, stack in game.stacks[side].items() if stack.cu}
