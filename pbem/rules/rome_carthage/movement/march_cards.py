"""Cards that bind or help a march: a Truce, the counsels of Hanno and Cato, Hannibal Charms Italy (28, 57, 58, 64)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Refusal, Table
from pbem.protocol import Fault, Side
from pbem.rules.rome_carthage.movement.card_play import OPERATIONS, played_with
from pbem.rules.rome_carthage.orders import CardUse, WayOrder, illegal
from pbem.rules.rome_carthage.position.board import AFRICA, WALLED_CITY, StrategyCard
from pbem.rules.rome_carthage.position.generals import HANNIBAL
from pbem.rules.rome_carthage.position.naming import no_such_space
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, ROME, Game
from pbem.rules.rome_carthage.position.under_way import March

TRUCE: Final = "truce"
"""The event of card 64."""
CHARMS: Final = "hannibal_charms"


# ---- limits on where a force may go, by land or sea (cards 57, 58, 64)


def why_barred(game: Game, side: Side, cu: int, start: str, to: str) -> Refusal | None:
    """Say why a force with so many CU may not go from a space to another, by any road; None: nothing bars it.

    By a Truce neither side enters a space with enemy CU or an enemy marker; what stands there already may stay (card
    64). Hanno keeps the CU of Carthage in Africa (card 57), Cato those of Rome out of it (card 58); generals without
    CU are free, and so are Romans who are in Africa already.
    """
    if game.truce and (game.control.get(to) == ENEMY[side] or _enemy_cu(game, side, to)):
        return Refusal(f"there is a Truce, and {game.board.spaces[to].name} is the enemy's (card 64)", "8.4")
    if cu and side in game.counsels:
        from_africa = game.board.spaces[start].region == AFRICA
        to_africa = game.board.spaces[to].region == AFRICA
        if side == CARTHAGE and from_africa and not to_africa:
            return Refusal("Hanno keeps the units of Carthage in Africa (card 57)", "8.4")
        if side == ROME and to_africa and not from_africa:
            return Refusal("Cato keeps the units of Rome out of Africa (card 58)", "8.4")
    return None


def _enemy_cu(game: Game, side: Side, space: str) -> int:
    enemy = ENEMY[side]
    return game.cu(enemy, space) + game.garrison(enemy, space).cu


def ends_truce(game: Game, card: StrategyCard, in_vain: bool = False) -> bool:
    """Tell whether a Truce ends when a card is played for its event: one of the list, by the older rule any (card 64).

    The Truce itself never ends one. One of the list that does not take place does not either (V card 64).
    """
    return card.event != TRUCE and (game.options["truce_end"] == "any" or (card.breaks_truce and not in_vain))


def free(game: Game) -> bool:
    """Tell whether nothing is in force that could bar anybody: a quick test, true most of the time."""
    return not game.truce and not game.counsels


# ---- Roman markers that go as Hannibal marches by (card 28)


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


def may_charm(game: Game, general: str, play: CardUse | None) -> bool:
    """Tell whether an order for a march with a general may say which markers go as he marches by (card 28)."""
    if play is None and game.card is not None:
        play = CardUse(game.card.card, game.card.use)
    used = play is not None and game.board.cards[play.card].event == CHARMS and play.use == OPERATIONS
    return used and _charms(game, general)


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
