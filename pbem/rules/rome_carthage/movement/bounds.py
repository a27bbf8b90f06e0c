"""Limits on where a force may go, by land or sea: a Truce, the counsels of Hanno and Cato (cards 57, 58, 64)."""

from __future__ import annotations

from typing import Final

from pbem.game import Refusal
from pbem.protocol import Side
from pbem.rules.rome_carthage.position.board import AFRICA, StrategyCard
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, ROME, Game

TRUCE: Final = "truce"
"""The event of card 64."""


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
