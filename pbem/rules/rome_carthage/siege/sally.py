"""A sally: a general inside a city is activated to attack the army outside (8.1, 16.4.4)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.battle.battle import fight
from pbem.rules.rome_carthage.movement.activation import force_of
from pbem.rules.rome_carthage.movement.card_play import (
    exhausted,
    note_departure,
    note_outcome,
    note_stop,
    picked,
    walked,
)
from pbem.rules.rome_carthage.orders import Force
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import Game
from pbem.rules.rome_carthage.position.under_way import March
from pbem.rules.rome_carthage.siege.sorties import come_out


def sally(game: Game, table: Table, side: Side, said: Force) -> Flow[None]:
    """Come out with a general and his force, and fight the enemy army before the walls (16.4.4).

    Nobody enters a space, so that the enemy can neither intercept nor avoid battle (9.1, 10.1).
    """
    space, _ = game.whereabouts(said.general)
    force = force_of(game, game.garrisons[space], said, exhausted(game, side, space))
    note_departure(game, side, space, picked(walked(game, side, space), game.garrisons[space].cu, force.cu))
    general = force.generals[0]
    march = game.march = March(side, general, Stack(), space, space, 0, over=True, fought=True)
    come_out(game, side, space, force)
    march.force = force
    note_stop(game, march, game.stack(side, space))
    march.force = Stack()
    table.tell(
        "sallies_out",
        rule="16.4.4",
        side=side,
        card=game.the_card.card,
        general=general,
        companions=force.generals[1:],
        space=space,
        cu=force.cu,
        elephants=force.elephants,
    )
    yield from fight(
        game,
        table,
        attacker=side,
        space=space,
        came_from=None,
        defender_from={},
        intercepted=False,
        avoid_failed=False,
        sallied=force,
    )
    note_outcome(game, march, besiegers=None)
