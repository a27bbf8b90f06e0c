"""Mountain passes: what an army that crosses one loses, at once or when its move is over (8.3.2, 17.2)."""

from __future__ import annotations

from typing import Final

from pbem.game import Table
from pbem.protocol import Flow
from pbem.rules.rome_carthage.battle.losses import attrition
from pbem.rules.rome_carthage.movement.card_play import played_with
from pbem.rules.rome_carthage.position.board import ALPS_PASS, PASSES
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March

GUIDE: Final = "native_guide"
"""The event of the card that eases mountain passes for the march on it (card 5)."""


def named_space(march: March) -> str:
    """Return the space just entered as it stands in names of rolls: numbered when it is entered again."""
    times = march.entered.count(march.at)
    return march.at if times <= 1 else f"{march.at}.{times}"


def cross_pass(game: Game, table: Table, march: March, kind: str, name: str) -> Flow[None]:
    """Roll for the losses of an army that has crossed a mountain pass, or note that it must when it stops (8.3.2)."""
    if kind not in PASSES or not march.force.cu:
        return
    march.passes_due.append({"name": name, "kind": kind})
    if game.options["pass_roll_timing"] == "each_crossing":
        yield from pay_for_passes(game, table, march)


def pay_for_passes(game: Game, table: Table, march: March) -> Flow[None]:
    """Roll for each pass not yet paid for; a Native Guide eases them (8.3.2, 17.2, card 5).

    A force that loses its last unit there goes back where the space is held by the enemy: its generals are
    not displaced by attrition (8.9). Where other units of the side stand, they are not left alone.
    """
    due, march.passes_due = march.passes_due, []
    for crossed in due:
        if not march.force.cu:
            break
        kind = crossed["kind"]
        drm = game.options["pass_drm"]["alps" if kind == ALPS_PASS else "other"]
        guided = game.board.cards[game.the_card.card].about["pass"] if played_with(game, GUIDE) else 0
        yield from attrition(
            game,
            table,
            march.side,
            march.force,
            name=f"pass/{crossed['name']}",
            rule="8.3.2",
            modifiers={kind: drm, GUIDE: guided},
            space=march.at,
        )
    stays = game.stack(march.side, march.at).cu > 0
    if due and not march.force.cu and not stays and game.cu(ENEMY[march.side], march.at):
        march.at, march.over = march.the_way_back, True
        table.tell("turned_back", side=march.side, general=march.general, space=march.at, rule="8.4.2")
