"""Sorties: an active leader attacks the besiegers out of his city (13.4.1).

They may avoid battle, and nobody intercepts him. A Campaign may bring its second army to his flank (9.5.8).
"""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.battle.battle import fight
from pbem.rules.sword_of_rome.movement import avoidance
from pbem.rules.sword_of_rome.movement.march import after_flank, bring_flank
from pbem.rules.sword_of_rome.movement.orders import NONE, Wanted
from pbem.rules.sword_of_rome.movement.parts import part_of, rest_of, subordinates
from pbem.rules.sword_of_rome.position.changes import settle_spaces
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.position.under_way import Battle
from pbem.rules.sword_of_rome.siege.relief import sally_out


def part_for_sortie(game: Game, inside: Force, wanted: Wanted, leader: str) -> Force:
    """Return the force that attacks out of a city (8.2.1, 13.4.2).

    Unless the order names less, that is all CU, and all leaders whom the active one can command.
    """
    others = subordinates(game, inside, leader) if wanted.cu is None else wanted.others
    return part_of(inside, wanted._replace(others=wanted.others or others), leader, inside.cu)


def sally(game: Game, table: Table, wanted: Wanted) -> Flow[None]:
    """Attack the besiegers with the active leader; they may avoid battle before (11.1, 13.4.1)."""
    march = game.the_march
    power, space, leader = march.power, march.at, march.leader
    inside = game.inside[space]
    part = part_for_sortie(game, inside, wanted, leader)
    name = f"{leader}/{space}"
    march.force, rest = part, rest_of(inside, part)
    if rest.empty:
        del game.inside[space]
    else:
        game.inside[space] = rest
    failed = False
    asked = yield from avoidance.questions(game, table)
    if asked:
        orders = yield from table.ask_all(asked)
        for decision, order in zip(asked, orders, strict=True):
            if order["to"] != NONE:
                besieger = decision.facts["power"]
                leaving = avoidance.declared(game, besieger, order)
                failed = not (yield from avoidance.avoid(game, table, besieger, order, leaving, name))
    march.force = Force()
    game.inside[space] = inside
    if game.enemies_in(power, space):
        yield from _attack(game, table, part, failed_avoidance=failed, name=f"sortie/{name}")
    settle_spaces(game, table)


def _attack(game: Game, table: Table, part: Force, *, failed_avoidance: bool, name: str) -> Flow[None]:
    """Attack the besiegers, with a flank if a Campaign brings one; who loses goes back inside (9.5.8, 13.4.1)."""
    power, space = game.the_march.power, game.the_march.at
    besieger = game.enemies_in(power, space)[0]
    game.battle = Battle(space, power, besieger)
    sally_out(game, power, space, part.cu, part.leaders)
    table.tell("sortie", power=power, space=space, cu=part.cu, leaders=list(part.leaders), rule="13.4.1")
    flank = yield from bring_flank(game, table)
    outcome = yield from fight(
        game, table, power, besieger, space, came_from=None, failed_avoidance=failed_avoidance, name=name
    )
    if flank is not None:
        yield from after_flank(game, table, *flank, outcome.goes_on and outcome.winner == power)
