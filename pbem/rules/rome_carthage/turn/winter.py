"""Winter attrition of armies on enemy ground at the end of the year (5.4, 17)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.battle.losses import attrition
from pbem.rules.rome_carthage.position.state import ENEMY, SIDES, Game
from pbem.rules.rome_carthage.siege.siege import lift_left


def winter(game: Game, table: Table) -> Flow[None]:
    """Roll for every stack on an enemy marker, before an enemy city or with a tribe that is no friend (17.1).

    Carthage first, each side by the order of the board: the rulebook names no order, and none matters. Who is inside
    his own city is on his own ground. Generals are never lost, and stay where they are (17.2).
    """
    table.tell("winter_begins", turn=game.turn, rule="5.4")
    for side in SIDES:
        stacks = game.stacks[side]
        for space in [space for space in game.board.spaces if space in stacks and on_enemy_ground(game, side, space)]:
            stack = stacks[space]
            yield from attrition(
                game, table, side, stack, name=f"winter/{space}", modifiers={}, rule="17.1", space=space, cause="winter"
            )
            lift_left(game, table, side, space)
    game.phase = "isolation"


def on_enemy_ground(game: Game, side: Side, space: str) -> bool:
    """Tell whether a side has units in the open in a space where winter costs them (17.1)."""
    if not game.stacks[side][space].cu:
        return False
    return game.control.get(space) == ENEMY[side] or game.unfriendly_tribe(side, space)
