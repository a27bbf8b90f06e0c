"""Forecasts of an order: who could react to a march, and with what chance (9 to 14); what always follows an activation.

The rules themselves are played on from the position as its side knows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from pbem.game import Table, percent
from pbem.protocol import Checkpoint, Decision, Event, Flow, Order, PbemError
from pbem.rules.sword_of_rome import KINDS
from pbem.rules.sword_of_rome.movement import march as movement
from pbem.rules.sword_of_rome.movement.activation import carry_out
from pbem.rules.sword_of_rome.movement.parts import MarchOrder
from pbem.rules.sword_of_rome.movement.reactions import modifier, ports_of_refuge, refuges, why_not_avoid
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn import sequence as turn

T = TypeVar("T")


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


# ---- successors of an activation: a march ordered with it is checked before the card is played (5.4, 9.1)


def successors(view: Game, decision: Decision, order: Order) -> list[tuple[Game, Decision]]:
    """Return the view in which the leader is activated, with the question for his march (9.1).

    Nothing is foreseen where dice have a say, or where the side itself may do something before: it could be what makes
    the march possible. The others answer by default: nothing that they can do makes more marches legal.
    """
    if "leader" not in order.body:
        return []
    table = Table(_NoDice())
    game = table.lay(view)
    flow = turn.play(game, table)
    try:
        next(flow)
        asked = flow.send(order)
        while not isinstance(asked, Checkpoint):
            decisions = (asked,) if isinstance(asked, Decision) else asked
            if any((each.kind, each.side) == ("march", decision.side) for each in decisions):
                return [(game, decisions[0])]
            answers = [_answer(game, each, decision) for each in decisions]
            asked = flow.send(answers[0] if isinstance(asked, Decision) else tuple(answers))
    except (_Unforeseen, StopIteration):
        pass
    return []


class _Unforeseen(PbemError):
    """What comes next depends on dice, or on what somebody chooses."""


def _answer(game: Game, asked: Decision, own: Decision) -> Order:
    """Return the only answer of the side itself, and the default of another. Raises _Unforeseen."""
    if asked.side == own.side:
        legal = KINDS[asked.kind].legal_orders(game, asked)
        if len(legal) == 1:
            return legal[0]
    elif asked.default is not None:
        return Order(asked.kind, asked.default)
    raise _Unforeseen


class _NoDice:
    """Dice that nobody can foresee."""

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        raise _Unforeseen

    def shuffled(self, name: str, items: Sequence[T]) -> list[T]:
        raise _Unforeseen

    def reseed(self, step_key: bytes) -> None:
        """Do nothing: these dice have no seed."""
