"""The Attrition Phase: a roll for each enemy space with CU of a power (5.5)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.position.board import BOX
from pbem.rules.sword_of_rome.position.changes import lose, settle_spaces
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.deciders import without_players
from pbem.rules.sword_of_rome.turn.order_of_play import by_vp


def attrition(game: Game, table: Table) -> Flow[None]:
    """Roll for every force in an enemy space, independent ones included: powers without a player first (5.5).

    CU inside a friendly city are in a friendly space, and so are all in an ally's (15.2). Only responses are left
    to choose, so those tied roll in the order of ties.
    """
    sides = [power for side in by_vp(game) for power in game.board.powers_of[side]]
    for power in [*without_players(game), *sides]:
        for space in sorted(game.forces[power]):
            force = game.forces[power].get(space)
            if force is None or not force.cu or game.board.spaces[space].kind == BOX or game.friendly(power, space):
                continue
            yield from responses.window(game, table, "attrition", about={"space": space, "power": power})
            force = game.force(power, space)
            if not force.cu:
                continue
            name = f"attrition/turn-{game.turn}/{power}/{space}"
            roll = table.roll(name, rule="5.5", power=power, space=space, cu=force.cu)
            lost = lose(game, power, space, game.board.attrition(roll.faces[0], force.cu))
            table.tell("attrition", power=power, space=space, cu=lost, rule="5.5")
    settle_spaces(game, table)
    game.phase = "surrender"
