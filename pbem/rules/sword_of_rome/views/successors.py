"""Successors of an activation: a march that a sheet orders with it is checked before the card is played (5.4, 9.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pbem.game import Table
from pbem.protocol import Checkpoint, Decision, Order, PbemError
from pbem.rules.sword_of_rome import KINDS
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn import sequence as turn

T = TypeVar("T")


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
