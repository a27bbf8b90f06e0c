"""The bot's answers on consuls, to enemy marches and in battle (6.4, 9 to 14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.protocol import Decision, Order
from pbem.rules.rome_carthage.battle.politics import removable_markers
from pbem.rules.rome_carthage.battle.rounds import STRONGEST, battle_card_orders
from pbem.rules.rome_carthage.policy.markers import cheapest_to_lose
from pbem.rules.rome_carthage.policy.worth import cards_in_battle, chance
from pbem.rules.rome_carthage.position.board import ITALY
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.siege.walls import pool
from pbem.rules.rome_carthage.turn.consuls import default_places

WILLING: Final = 0.6
"""The chance of victory from which the bot seeks a battle."""
AFRAID: Final = 0.4
"""The chance below which it avoids one."""


def _wins(view: Game, decision: Decision, own: Stack, space: str) -> float:
    """Estimate the chance of an own army against the force on the march (11)."""
    side, march = decision.side, view.the_march
    mine = cards_in_battle(view, side, space, own)
    return chance(mine, cards_in_battle(view, ENEMY[side], space, march.force), leads=False)


def intercept(view: Game, decision: Decision) -> Iterator[Order]:
    """Intercept with the strongest army that is likely to win (9)."""
    space, side = decision.facts["at"], decision.side
    for origin in decision.facts["from"]:
        stack = pool(view, side, origin)
        if _wins(view, decision, stack, space) >= WILLING:
            for general in stack.generals:
                yield Order("intercept", {"with": [{"general": general}]})
    yield Order("intercept", {"with": []})


def avoid(view: Game, decision: Decision) -> Iterator[Order]:
    """Avoid a battle that would likely be lost, to where most of one's own stand (10)."""
    space, side = decision.facts["at"], decision.side
    if _wins(view, decision, view.stack(side, space), space) < AFRAID:
        for refuge in sorted(decision.facts["refuges"], key=lambda near: (-view.cu(side, near), near)):
            yield Order("avoid_battle", {"to": refuge})
    yield Order("avoid_battle", {"to": "none"})


def intercepted(view: Game, decision: Decision) -> Iterator[Order]:
    """Fight unless the battle would likely be lost (9.3)."""
    march = view.the_march
    enemy = view.stack(ENEMY[decision.side], march.at)
    own = cards_in_battle(view, decision.side, march.at, march.force)
    fights = chance(own, 1 + cards_in_battle(view, ENEMY[decision.side], march.at, enemy)) >= AFRAID
    yield Order("intercepted", {"choice": "fight" if fights else "back_up"})


def battle_card(view: Game, decision: Decision) -> Iterator[Order]:
    """Break off a battle that goes badly; else lead the kind hardest to match (11.5, 11.11)."""
    if 3 * decision.facts["cards"] <= decision.facts["enemy_cards"]:
        yield Order("battle_card", {"withdraw": True})
    yield Order("battle_card", {"card": STRONGEST})
    yield from battle_card_orders(view, decision)


def remove_markers(view: Game, decision: Decision) -> Iterator[Order]:
    """Give up the markers whose loss costs least (12.2, 15.2)."""
    side = decision.side
    spaces = cheapest_to_lose(view, side, removable_markers(view, side), decision.facts["count"])
    yield Order("remove_markers", {"spaces": spaces})


def consuls(view: Game, decision: Decision) -> Iterator[Order]:
    """Give the new consuls armies in Italy, where there are any (6.4.2)."""
    yield Order("consuls", {"at": default_places(view, ITALY)})
