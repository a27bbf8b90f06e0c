"""Losses in steps: the owner says which units lose them (9.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.game import UNTOLD, Kind, OneOf, Part, Table, Value, counted
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy.position.board import ELEPHANTS, Board
from pbem.rules.hannibal_italy.position.forces import Units, added, bury, count_losses, steps, veiled, weakened
from pbem.rules.hannibal_italy.position.state import CARTHAGE, Game

CHEAPEST: Final = "cheapest"
DEAREST: Final = "dearest"
WAYS: Final = (CHEAPEST, DEAREST)
"""Orders of losses that can be given without naming units: by SP a step, the lowest or the highest first."""


@dataclass(frozen=True, slots=True)
class LossOrder:
    """The steps that a side chooses to lose: a way to find them, or the units that lose one, one after the other."""

    way: str | None = CHEAPEST
    """One of WAYS; None: the units are named."""
    units: Sequence[str] = ()

    @classmethod
    def read(cls, order: Order) -> LossOrder:
        """Read an order to lose steps, in battle or in winter."""
        lose = order["lose"]
        return cls(lose) if isinstance(lose, str) else cls(None, tuple(lose))


def order_of(board: Board, units: Mapping[str, int], way: str, count: int) -> list[str]:
    """Return which units lose so many steps, one after the other, by the SP that each step costs (9.3)."""
    left, lost = dict(units), []
    sign = 1 if way == CHEAPEST else -1
    dearness = {unit: (sign * price_of_a_step(board, unit), unit) for unit in _with_reduced(board, units)}
    for _ in range(count):
        able = [dearness[unit] for unit, number in left.items() if number]
        if not able:
            break
        _, unit = min(able)
        lost.append(unit)
        left[unit] -= 1
        if (reduced := board.units[unit].reduced) is not None:
            left[reduced] = left.get(reduced, 0) + 1
    return lost


def _with_reduced(board: Board, units: Mapping[str, int]) -> set[str]:
    """Return kinds of units, and the kinds that they become with a step less."""
    return {*units, *(reduced for unit in units if (reduced := board.units[unit].reduced) is not None)}


def price_of_a_step(board: Board, unit: str) -> int:
    """Return the SP that a unit loses with its next step (9.3)."""
    kind = board.units[unit]
    return kind.sp - (board.units[kind.reduced].sp if kind.reduced is not None else 0)


def take_losses(
    game: Game, table: Table, lines: Mapping[Side, Mapping[str, int]], count: int, rule: str
) -> Flow[dict[Side, Units]]:
    """Ask each of some sides which of its units lose so many steps and return what is left of them (9.3).

    Where everything is lost, or nothing can be chosen, nobody is asked: but Carthage always is as long as Rome
    does not see what it has (7.5).
    """
    board = game.board
    lost: dict[Side, Sequence[str]] = {side: order_of(board, units, CHEAPEST, count) for side, units in lines.items()}
    questions = [
        Decision(
            "losses",
            side,
            rule,
            {"steps": count, "units": dict(units), "hex": game.the_battle.hex},
            {"lose": CHEAPEST},
            secret=_hidden(game, side),
        )
        for side, units in lines.items()
        if 0 < count < steps(board, units) and (has_choice(board, units, count) or _hidden(game, side))
    ]
    if questions:
        orders = yield from table.ask_all(questions)
        for question, order in zip(questions, orders, strict=True):
            lost[question.side] = _chosen(board, lines[question.side], LossOrder.read(order), count)
    return {side: weakened(board, units, lost[side]) for side, units in lines.items()}


def has_choice(board: Board, units: Mapping[str, int], count: int) -> bool:
    """Tell whether losing some steps leaves a choice: between kinds, or to turn over two units or lose one (9.3)."""
    two_sided = any(number > 1 and board.units[unit].reduced is not None for unit, number in units.items())
    return len(units) > 1 or (count > 1 and two_sided)


def _hidden(game: Game, side: Side) -> bool:
    return side == CARTHAGE and not game.the_battle.revealed


def _chosen(board: Board, units: Mapping[str, int], order: LossOrder, count: int) -> Sequence[str]:
    """Return the units that lose steps, one after the other (9.3)."""
    return order.units if order.way is None else order_of(board, units, order.way, count)


def account(game: Game, table: Table, side: Side, before: Mapping[str, int], after: Mapping[str, int]) -> None:
    """Count what a side lost in the battle, bury it, and tell it (9.2, 9.3)."""
    lost = count_losses(game, before, after, combat=True)
    bury(game, wholly_lost(game.board, before, after))
    game.elephants_dead += _elephants(game.board, before) - _elephants(game.board, after)
    game.the_battle.parties[side].lost += lost
    if lost:
        table.tell("lost", side=side, sp=lost, hex=game.the_battle.hex, rule="9.3")


def _elephants(board: Board, units: Mapping[str, int]) -> int:
    return steps(board, {unit: count for unit, count in units.items() if board.units[unit].kind == ELEPHANTS})


def wholly_lost(board: Board, before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """Return the units, by their whole counters, of which nothing is left (9.3)."""
    wholes: dict[str, int] = {}
    for units, sign in ((before, 1), (after, -1)):
        for unit, count in units.items():
            whole = board.units[unit].whole
            wholes[whole] = wholes.get(whole, 0) + sign * count
    return added(wholes)


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with losses: units that are not there, too few or too many steps (9.3)."""
    losses, count = LossOrder.read(order), decision.facts["steps"]
    if losses.way is not None:
        return
    left = dict(decision.facts["units"])
    for at, unit in enumerate(losses.units):
        if not left.get(unit):
            there = ", ".join(each for each, number in left.items() if number) or "none"
            yield order.fault(("lose", at), f"there is no {unit} left to lose a step; there are {there}", rule="9.3")
            continue
        left = weakened(view.board, left, [unit])
    if len(losses.units) != count:
        yield order.fault(
            ("lose",), f"{counted(count, 'step')} must be lost; this names {len(losses.units)}", rule="9.3"
        )


def choices(view: Game, decision: Decision) -> Part:
    """Return the ways to lose steps that differ: the cheapest, the dearest, and each unit first (9.3)."""
    units: Mapping[str, int] = decision.facts["units"]
    if veiled(view, decision.side, decision.facts["hex"]):
        return UNTOLD
    first = [Value(list(lose), must=True) for lose in _each_first(view.board, units, decision.facts["steps"])]
    return OneOf("lose", [*[Value(way, says=(way,)) for way in WAYS], *first], of="unit")


def _each_first(board: Board, units: Mapping[str, int], count: int) -> Iterator[Sequence[str]]:
    for unit in units:
        rest = order_of(board, weakened(board, units, [unit]), CHEAPEST, count - 1)
        yield [unit, *rest]


LOSSES_KINDS: Final = (Kind("losses", choices, check, hints="views.hints:losses"),)
