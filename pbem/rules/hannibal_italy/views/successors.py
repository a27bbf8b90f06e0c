"""What marches in a row may lead to, as far as their side can tell: the next is checked on what the last leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from pbem.game import Table, plain
from pbem.protocol import Decision, Order
from pbem.rules.hannibal_italy.movement.march import END, points, set_out, way_of
from pbem.rules.hannibal_italy.movement.overrun import stops
from pbem.rules.hannibal_italy.movement.paths import named
from pbem.rules.hannibal_italy.movement.taking import allowance, ready_to_march, share_out, takers
from pbem.rules.hannibal_italy.position.stacking import forbidden
from pbem.rules.hannibal_italy.position.state import Game
from pbem.rules.hannibal_italy.views.forecast import with_unseen

_BEST: Final = 6
_WORST: Final = 1


def successors(view: Game, decision: Decision, order: Order) -> list[tuple[Game, Decision]]:
    """Return the positions that a march may lead to with their next questions, the luckiest first (7.1).

    Dice all fall well, or all badly; what the enemy hides is weak, or stops an overrun (7.5, 7.7). Where the phase is
    over there are none.
    """
    if order.body == END:
        return []
    found: list[tuple[Game, Decision]] = []
    for position in _courses(view, order):
        if ready := ready_to_march(position, decision.side):
            found.append((position, replace(decision, facts={**decision.facts, "leaders": ready})))
    return found


def cost(view: Game, decision: Decision, order: Order) -> str:
    """Return what a march costs, item by item, and of how many points; nothing for the end of the phase (7.3, 7.4)."""
    if order.body == END:
        return ""
    side, going, board = decision.side, takers(order), view.board
    together = [taker.leader for taker in going]
    at, spent, parts = view.leaders[together[0]].at, 0, dict[int, tuple[str, int]]()
    for step in way_of(view, order, at, forbidden(view, side, together), stops(view, side)).steps:
        if step.city:
            word, price = f"try {step.city}", int(board.tables["movement"]["diplomacy"])
        elif step.drop:
            continue
        else:
            word, price, at = named(board, step.hex), board.costs[at][step.hex], step.hex
        spent += price
        parts[step.item] = (word, parts.get(step.item, ("", 0))[1] + price)
    more = ""
    if order.get("overrun"):
        more = f", and {points(int(board.tables['movement']['overrun']['cost']))} more for an overrun"
    told = ", ".join(f"{word} {points(price)}" for word, price in parts.values())
    most = allowance(view, [share_out(view, order, going).units[leader] for leader in together])
    return f"{together[0]}: {told or 'stays'}; {points(spent)} of {points(most)} movement points{more}"


def _courses(view: Game, order: Order) -> Iterator[Game]:
    """Yield the positions after a march; only one where neither dice nor the enemy have a say."""
    table = Table(_Fixed(_BEST))
    yield _marched(view, table, order)
    if table.rolls or order.get("overrun"):
        stopped = {key: value for key, value in order.body.items() if key != "overrun"}
        yield _marched(view, Table(_Fixed(_WORST)), Order(order.kind, stopped))


def _marched(view: Game, table: Table, order: Order) -> Game:
    then = plain.copy(view)
    then.board = with_unseen(view.board)
    set_out(then, table, order)
    then.board = view.board
    return then


class _Fixed:
    """Dice for what can be foreseen: each shows the same face."""

    def __init__(self, face: int) -> None:
        self._face = face

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        return [self._face] * count

    def shuffled(self, name: str, items: Sequence[Any]) -> list[Any]:
        return list(items)

    def reseed(self, step_key: bytes) -> None:
        """There is nothing to turn."""
