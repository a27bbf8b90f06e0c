"""The bot's answers about marches: the active leader, the second of a Campaign, a flank (9.1, 9.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pbem.protocol import Decision, Order, Side
from pbem.rules.sword_of_rome.movement.flanks import can_flank, ways_to_flank, why_not_next
from pbem.rules.sword_of_rome.movement.orders import NONE
from pbem.rules.sword_of_rome.movement.parts import strengths
from pbem.rules.sword_of_rome.policy.plans import Plan, Plans
from pbem.rules.sword_of_rome.position.board import DESPERATE_VALUE
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game

LOOKED_AT: Final = 6
"""Plans that are proposed, the best first; the rules may refuse some."""
WORTH_IT: Final = 0.08
"""The worth without which nobody marches."""


def leaders_of(game: Game, power: str) -> list[str]:
    """Return the leaders of a power on the map."""
    return [leader for _, force in game.everywhere(power) for leader in force.leaders]


def best_plan(plans: Plans, value: int, leaders: list[str]) -> tuple[Plan, str] | None:
    """Return the best plan of some leaders whom a card of a value activates, and whose it is."""
    board = plans.board
    points = board.powers[plans.power].points[value - 1]
    best = [
        (found[0], leader)
        for leader in leaders
        if board.leaders[leader].initiative <= value and (found := plans.of(leader, points, value))
    ]
    return max(best, key=lambda each: each[0].worth, default=None)


def best_march(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield orders to the active leader, the best first (9.1, 13.1.1, 13.4.1)."""
    march = view.the_march
    plans = Plans(view, decision.side, march.power)
    if march.force.empty:
        value = view.card.value if view.card is not None else DESPERATE_VALUE
        found = plans.of(march.leader, decision.facts["points"], value)
    else:
        found = plans.onward()
    least = WORTH_IT if march.force.empty else 0.0
    for plan in found[:LOOKED_AT]:
        if plan.worth > least or "then" in plan.body:
            yield Order("march", plan.body)
    yield Order("march", {"then": "stop"})


def best_next(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield the second commander of a Campaign: to the flank of a battle, or for a march of his own (9.5.1)."""
    side = decision.side
    if decision.facts["space"]:
        able = [leader for leader in view.board.leaders if can_flank(view, leader) and _own(view, side, leader)]
        for leader in sorted(able, key=lambda each: -_cu_with(view, each)):
            yield Order("next_commander", {"leader": leader})
        yield Order("next_commander", {"leader": NONE})
        return
    able_now = []
    for power in view.board.powers_of[side]:
        plans = Plans(view, side, power)
        rested = [leader for leader in leaders_of(view, power) if why_not_next(view, leader) is None]
        able_now += [
            (plan, leader)
            for leader in rested
            if (found := best_plan(plans, DESPERATE_VALUE, [leader])) is not None
            for plan in found[:1]
        ]
    for plan, leader in sorted(able_now, key=lambda each: -each[0].worth):
        if plan.worth > WORTH_IT:
            yield Order("next_commander", {"leader": leader})
    yield Order("next_commander", {"leader": NONE})


def _own(view: Game, side: Side, leader: str) -> bool:
    return view.board.leaders[leader].power in view.board.powers_of[side]


def _cu_with(view: Game, leader: str) -> int:
    space = view.where(leader)
    return view.force(view.board.leaders[leader].power, space).cu if space is not None else 0


def best_flank(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield the shortest way to the flank, with all who can go (9.5.6)."""
    march = view.the_march
    stack = view.force(march.power, march.at)
    most = view.board.tables["movement"]["cu"]
    units = strengths(view, stack, [march.leader], 1, most)
    if not units:
        return
    force = Force(*units[-1], [march.leader])
    ways = sorted(ways_to_flank(view, replace(march, force=force)), key=lambda way: len(way.steps))
    for way in ways[:LOOKED_AT]:
        yield Order("flank", {"cu": force.cu, "mercenaries": force.mercenaries, "path": way.steps})
