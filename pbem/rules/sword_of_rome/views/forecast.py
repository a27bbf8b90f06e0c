"""Forecasts of an activation or a march before it is ordered: who could react, and with what chance (9 to 14).

The rules themselves are played on from the position as its side knows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pbem.game import Table, percent
from pbem.protocol import Decision, Event, Flow, Order, Roll
from pbem.rules.sword_of_rome.movement import march as movement
from pbem.rules.sword_of_rome.movement.activation import carry_out
from pbem.rules.sword_of_rome.movement.avoidance import ports_of_refuge, refuges, why_not_avoid
from pbem.rules.sword_of_rome.movement.interception import modifier
from pbem.rules.sword_of_rome.movement.orders import MarchOrder
from pbem.rules.sword_of_rome.movement.voyages import ATTRITION, SUCCESS
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn import sequence as turn

NAVAL: Final = {
    SUCCESS: (0, "arrives"),
    "return": (1, "turns back"),
    ATTRITION: (2, "turns back and suffers attrition"),
}


def foresee_march(view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
    """Return the flow that plays on from an order to a leader who is activated, or to a force under way (9.1).

    The march of a flank cannot be told apart from the battle that is held for it.
    """
    if view.battle is not None:
        return None
    return _march_on(table.lay(view), table, MarchOrder.read(order.body))


def foresee_act(view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
    """Return the flow that plays on from the activation of a leader; None for any other action (9)."""
    if view.battle is not None or "leader" not in order.body:
        return None
    return _act(turn.play(table.lay(view), table), order)


def _march_on(game: Game, table: Table, said: MarchOrder) -> Flow[None]:
    """Follow an order to a leader who has been activated, or to a force that is under way (9.1)."""
    if game.the_march.force.empty:
        yield from carry_out(game, table, said)
    else:
        yield from movement.go_on(game, table, said)
        yield from movement.march(game, table)


def _act(flow: Flow[None], order: Order) -> Flow[None]:
    """Answer the first question of a flow, which is the one that the order answers, and play on."""
    next(flow)
    question = flow.send(order)
    while True:
        answer = yield question
        try:
            question = flow.send(answer)
        except StopIteration:
            return


def outcome(game: Game, roll: Roll, facts: Mapping[str, Any]) -> tuple[int, str]:
    """Return how bad a result on a table is for the roller, and a sentence that says it (5.5, 9.6.4, 13.2, 14.2)."""
    sort = roll.name.partition("/")[0]
    if "cu" in facts:
        lost = game.board.attrition(roll.faces[0], facts["cu"])
        return lost, _lost(lost)
    if sort in ("siege", "raid"):
        points, lost = game.board.siege_result(roll.total)
        return lost - points, f"{_count(points, 'point')}, {_lost(lost)}"
    if sort == "voyage":
        return NAVAL[game.board.naval_result(roll.total)]
    return 0, ""


def _count(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"


def _lost(lost: int) -> str:
    return f"{lost} CU lost" if lost else "nothing lost"


def interceptors(game: Game, decision: Decision) -> Iterator[Event]:
    """Yield who could intercept, and with what chance (10.3)."""
    power, space = decision.facts["power"], decision.facts["at"]
    for origin in decision.facts["from"]:
        army = game.force(power, origin)
        for leader in army.leaders:
            needs = game.board.leaders[leader].tactics - modifier(game, power, space)
            facts = {"leader": leader, "origin": origin, "cu": army.cu, "needs": needs, "percent": percent(needs)}
            yield Event("could_intercept", facts, "10.3")


def avoiders(game: Game, decision: Decision) -> Iterator[Event]:
    """Yield who could avoid battle, where to, and with what chance (11.1)."""
    power, space = decision.facts["power"], decision.facts["at"]
    ways = [*refuges(game, power, space), *ports_of_refuge(game, power, space)]
    for leader in game.force(power, space).leaders:
        if why_not_avoid(game, leader) is None:
            needs = game.board.leaders[leader].tactics
            facts = {"leader": leader, "spaces": list(dict.fromkeys(ways)), "cu": decision.facts["own_cu"]}
            yield Event("could_avoid", {**facts, "needs": needs, "percent": percent(needs)}, "11.1")
