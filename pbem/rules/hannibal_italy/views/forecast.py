"""Forecasts of a march before it is ordered, its price, and the positions that it may lead to (7).

The rules themselves are played on from the position as its side knows it. What the side may not see counts as
nothing, so that each chance is taken at its best. Where this matters, the forecast says so (7.5).
The next march of a sheet is checked in the positions that this one may lead to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, TypeVar

from pbem.game import Table, plain
from pbem.protocol import Decision, Flow, Order, Record, Roll, Side
from pbem.rules.hannibal_italy.movement.check import check
from pbem.rules.hannibal_italy.movement.diplomacy import modifiers
from pbem.rules.hannibal_italy.movement.march import lay_out, set_out
from pbem.rules.hannibal_italy.movement.orders import MarchOrder, ends_marches
from pbem.rules.hannibal_italy.movement.paths import named, points
from pbem.rules.hannibal_italy.movement.taking import allowance, ready_to_march
from pbem.rules.hannibal_italy.position.board import FOOT, UNFORTIFIED, Board, Unit
from pbem.rules.hannibal_italy.position.forces import here, outside, present, sp, sp_here
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, UNSEEN, Game
from pbem.rules.hannibal_italy.siege.siege import needed

T = TypeVar("T")
_BEST: Final = 6
_WORST: Final = 1


# ---- forecasts: getting away, diplomacy, the enemy at the end of a march


def foresee(view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
    """Return the flow that plays on from a march as a forecast; None for the end of all marches (7.1)."""
    march = MarchOrder.read(order)
    return None if march is None else _march(view, table, decision.side, march)


def _march(view: Game, table: Table, side: Side, march: MarchOrder) -> Flow[None]:
    game = table.lay(view)
    game.board = with_unseen(view.board)
    plan = lay_out(game, march)
    tried = [step.city for step in plan.route.steps if step.city]
    before = len(table.events)
    set_out(game, table, plan)
    happened = table.events[before:]
    for event in list(happened):
        if event.kind in ("overrun", "overrun_fails") and _hidden(view, side, event.facts["hex"]):
            table.tell("overrun_unsure", hex=event.facts["hex"], rule="7.7")
    for city in tried:
        if _hidden(view, side, view.board.cities[city].hex):
            table.tell("could_be_held", city=city, rule="7.42")
    _at_its_end(game, view, table, side, plan.leader)
    return
    yield  # nobody is asked anything on a march


@lru_cache(maxsize=8)
def with_unseen(board: Board) -> Board:
    """Return the board with a unit of no strength, for what its viewer may not see."""
    unseen = Unit(UNSEEN, UNSEEN, CARTHAGE, FOOT, 0, 0, UNSEEN, None, None, False)
    return replace(board, units={**board.units, UNSEEN: unseen})


def _hidden(view: Game, side: Side, hex: str) -> bool:
    """Tell whether the enemy has units in a hex that the viewer may not see (7.5)."""
    return UNSEEN in here(view, ENEMY[side], hex)


def _at_its_end(game: Game, view: Game, table: Table, side: Side, leader: str) -> None:
    """Tell how the march ends: the movement points spent, and the enemy at its end (7.2, 9.1, 9.7)."""
    board, hex, enemy = game.board, game.leaders[leader].at, ENEMY[side]
    marched = next((each for each in reversed(table.events) if each.kind in ("marched", "stays")), None)
    if marched is None:
        return
    table.tell("arrives", spent=points(marched.facts["spent"]), rule="7.3")
    own = sp(board, outside(game, side, hex))
    if present(game, enemy, hex):
        facts: dict[str, Any] = {"hex": hex, "own_sp": own, "enemy_leaders": game.leaders_at(enemy, hex)}
        if not _hidden(view, side, hex):
            facts["enemy_sp"] = sp_here(game, enemy, hex)
        table.tell("battle_ahead", rule="9.1", **facts)
    city = game.city_at(hex)
    if city is not None and game.cities[city.id] == enemy and city.kind != UNFORTIFIED:
        if _hidden(view, side, hex):
            table.tell("siege_unsure", city=city.id, own_sp=own, rule="9.7")
        else:
            table.tell("siege_ahead", city=city.id, own_sp=own, needed=needed(game, city), rule="9.7")


def outcome(game: Game, roll: Roll, facts: Record) -> tuple[int, str]:
    """Return the result of a roll without a number to reach: how bad it is for the mover, and in words (7.41)."""
    city = facts.get("city")
    if city is None or game.march is None:
        return 0, ""
    total = roll.total + sum(modifiers(game, facts["side"], game.march.together, city).values())
    won = total >= (game.board.cities[city].loyalty or 0)
    return int(not won), "won over" if won else "refuses"


# ---- what a march costs, and what it may lead to


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
