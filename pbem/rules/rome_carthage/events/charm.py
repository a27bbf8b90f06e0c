"""Hannibal Charms Italy: Roman markers that go as Hannibal marches by (card 28)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Table
from pbem.protocol import Fault
from pbem.rules.rome_carthage.movement.card_play import OPERATIONS, played_with
from pbem.rules.rome_carthage.orders import WayOrder, illegal
from pbem.rules.rome_carthage.position.board import WALLED_CITY
from pbem.rules.rome_carthage.position.generals import HANNIBAL
from pbem.rules.rome_carthage.position.naming import no_such_space
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March

CHARMS: Final = "hannibal_charms"


def charm(game: Game, table: Table, march: March, space: str) -> None:
    """Take a Roman marker off an Italian space that Hannibal enters or sets out from (card 28).

    There must be no Roman units left in it: units that he overran or that avoided him do not count.
    """
    if not played_with(game, CHARMS) or not _charms(game, march.general):
        return
    if march.charm is not None and space not in march.charm:
        return
    enemy = ENEMY[march.side]
    region = game.board.cards[game.the_card.card].about["region"]
    if game.control.get(space) == enemy and _has_marker(game, region, space) and not game.cu(enemy, space):
        del game.control[space]
        table.tell("charmed", rule="card 28", side=march.side, general=march.general, space=space)


def _charms(game: Game, general: str) -> bool:
    return general == HANNIBAL or game.options["charming_general"] == "anybody"


def _has_marker(game: Game, region: str, space: str) -> bool:
    """Tell whether a space of a region is held by a marker that can be taken off (15.2, card 28)."""
    record = game.board.spaces[space]
    return record.region == region and record.kind != WALLED_CITY and space not in game.tribes


def check_charm(view: Game, way: WayOrder, general: str) -> Iterator[Fault]:
    """Yield what is wrong with the spaces that are to be charmed; nothing if the order names none (card 28)."""
    if way.charm is None:
        return
    card = use = None
    if way.play is not None:
        card, use = way.play.card, way.play.use
    elif view.card is not None:
        card, use = view.card.card, view.card.use
    if card is None or view.board.cards[card].event != CHARMS or use != OPERATIONS:
        yield illegal(("charm",), "charm goes with the operations of Hannibal Charms Italy (28)", rule="card 28")
    elif not _charms(view, general):
        yield illegal(("charm",), "it is Hannibal who charms Italy; the others only march", rule="card 28")
    elif not isinstance(way.charm, str):
        for at, space in enumerate(way.charm):
            if space not in view.board.spaces:
                yield illegal(("charm", at), no_such_space(view, space), rule="card 28")
            elif not _has_marker(view, view.board.cards[card].about["region"], space):
                reason = f"{view.board.spaces[space].name} has no marker in Italy that could be taken off"
                yield illegal(("charm", at), reason, rule="card 28")
