"""The Attrition Phase: a roll for each enemy space with CU of a power (5.5)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.position.board import BOX
from pbem.rules.sword_of_rome.position.changes import lose, settle_spaces
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.deciders import without_players
from pbem.rules.sword_of_rome.turn.order_of_play import by_vp


def attrition(game: Game, table: Table) -> Flow[None]:
    """Roll for every force in an enemy space, independent ones included: powers without a player first (5.5).

    CU inside a friendly city are in a friendly space (option `besieged_attrition`), and so are all in an ally's (15.2).
    Only responses are left to choose, so those tied roll in the order of ties.
    """
    sides = [power for side in by_vp(game) for power in game.board.powers_of[side]]
    for power in [*without_players(game), *sides]:
        for space in sorted(game.forces[power]):
            if game.board.spaces[space].kind != BOX and not game.friendly(power, space):
                yield from _roll(game, table, power, space)
        for space in sorted(game.inside) if game.options["besieged_attrition"] else ():
            if game.control.get(space) == power:
                yield from _roll(game, table, power, space, inside=True)
    settle_spaces(game, table)
    game.phase = "surrender"


def _roll(game: Game, table: Table, power: str, space: str, *, inside: bool = False) -> Flow[None]:
    """Roll for what a power has in a space, or inside its city; who responds may have left nothing to roll for."""
    if not _there(game, power, space, inside).cu:
        return
    yield from responses.window(game, table, "attrition", about={"space": space, "power": power})
    cu = _there(game, power, space, inside).cu
    if not cu:
        return
    name = f"attrition/turn-{game.turn}/{power}/{space}" + ("/inside" if inside else "")
    roll = table.roll(name, rule="5.5", power=power, space=space, cu=cu)
    lost = lose(game, power, space, game.board.attrition(roll.faces[0], cu), inside=inside)
    table.tell("attrition", power=power, space=space, cu=lost, rule="5.5")


def _there(game: Game, power: str, space: str, inside: bool) -> Force:
    return game.garrison(power, space) if inside else game.force(power, space)
