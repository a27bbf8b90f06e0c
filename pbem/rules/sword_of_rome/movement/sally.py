"""An active leader who attacks the besiegers out of his city: they may avoid battle, nobody intercepts (13.4.1)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.movement import avoidance
from pbem.rules.sword_of_rome.movement.orders import NONE, Wanted
from pbem.rules.sword_of_rome.movement.parts import part_of, rest_of
from pbem.rules.sword_of_rome.position.changes import settle_spaces
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege.sorties import sortie


def part_for_sortie(inside: Force, wanted: Wanted, leader: str) -> Force:
    """Return the force that attacks out of a city: all of it, unless the order names less (13.4.2)."""
    others = tuple(each for each in inside.leaders if each != leader) if wanted.cu is None else wanted.others
    return part_of(inside, wanted._replace(others=wanted.others or others), leader, inside.cu)


def sally(game: Game, table: Table, wanted: Wanted) -> Flow[None]:
    """Attack the besiegers with the active leader; they may avoid battle before (11.1, 13.4.1)."""
    march = game.the_march
    power, space, leader = march.power, march.at, march.leader
    inside = game.inside[space]
    part = part_for_sortie(inside, wanted, leader)
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
                failed = not (yield from avoidance.avoid(game, table, decision.facts["power"], order, name))
    march.force = Force()
    game.inside[space] = inside
    if game.enemies_in(power, space):
        yield from sortie(
            game, table, power, space, part.cu, part.leaders, failed_avoidance=failed, name=f"sortie/{name}"
        )
    settle_spaces(game, table)
