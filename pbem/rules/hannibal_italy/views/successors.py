"""Successors of a march: the positions that it may lead to, as its side knows them. The next march is checked there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pbem.game import Table, plain
from pbem.protocol import Decision, Order
from pbem.rules.hannibal_italy.movement.check import check
from pbem.rules.hannibal_italy.movement.march import set_out
from pbem.rules.hannibal_italy.movement.orders import MarchOrder, ends_marches
from pbem.rules.hannibal_italy.movement.paths import named, points
from pbem.rules.hannibal_italy.movement.plan import lay_out
from pbem.rules.hannibal_italy.movement.taking import allowance, ready_to_march
from pbem.rules.hannibal_italy.position.state import Game
from pbem.rules.hannibal_italy.views.forecast import with_unseen

T = TypeVar("T")

_BEST: Final = 6
_WORST: Final = 1


def successors(view: Game, decision: Decision, order: Order) -> list[tuple[Game, Decision]]:
    """Return the positions that a march may lead to, each with its next decision, the luckiest first (7.1).

    Dice all fall well, or all badly; what the enemy hides is weak, or stops an overrun (7.5, 7.7). Where the phase is
    over there are none.
    """
    march = MarchOrder.read(order)
    if march is None:
        return []
    found: list[tuple[Game, Decision]] = []
    for position in _outcomes(view, march):
        if ready := ready_to_march(position, decision.side):
            found.append((position, replace(decision, facts={**decision.facts, "leaders": ready})))
    return found


def is_last_march(view: Game, decision: Decision, order: Order) -> bool:
    """Tell whether nobody can march after a march, whatever the dice say, or whether it ends them all (4.2)."""
    if ends_marches(order):
        return True
    return not any(True for _ in check(view, decision, order)) and not successors(view, decision, order)


def cost(view: Game, decision: Decision, order: Order) -> str:
    """Return what a march costs, item by item, and of how many points; nothing for the end of the phase (7.3, 7.4)."""
    march = MarchOrder.read(order)
    if march is None:
        return ""
    plan, board = lay_out(view, march), view.board
    at, spent, parts = plan.start, 0, dict[int, tuple[str, int]]()
    for step in plan.route.steps:
        if step.city:
            word, price = f"try {step.city}", int(board.tables["movement"]["diplomacy"])
        elif step.drop:
            continue
        else:
            word, price, at = named(board, step.hex), board.costs[at][step.hex], step.hex
        spent += price
        parts[step.item] = (word, parts.get(step.item, ("", 0))[1] + price)
    more = ""
    if march.overruns:
        more = f", and {points(int(board.tables['movement']['overrun']['cost']))} more for an overrun"
    items = ", ".join(f"{word} {points(price)}" for word, price in parts.values())
    most = allowance(view, plan.division.forces)
    return f"{plan.leader}: {items or 'stays'}; {points(spent)} of {points(most)} movement points{more}"


def _outcomes(view: Game, march: MarchOrder) -> Iterator[Game]:
    """Yield the positions after a march; only one where neither dice nor the enemy have a say."""
    table = Table(_Fixed(_BEST))
    yield _marched(view, table, march)
    if table.rolls or march.overruns:
        yield _marched(view, Table(_Fixed(_WORST)), march.without_overruns())


def _marched(view: Game, table: Table, march: MarchOrder) -> Game:
    then = plain.copy(view)
    then.board = with_unseen(view.board)
    set_out(then, table, lay_out(then, march))
    then.board = view.board
    return then


class _Fixed:
    """Dice that all show the same face."""

    def __init__(self, face: int) -> None:
        self._face = face

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        return [self._face] * count

    def shuffled(self, name: str, items: Sequence[T]) -> list[T]:
        return list(items)

    def reseed(self, step_key: bytes) -> None:
        """Do nothing: these dice have no seed."""
