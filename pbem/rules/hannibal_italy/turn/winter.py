"""The end of winter: control is determined, and armies in a province not their own lose half their SP (8.2, 8.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Final, NamedTuple

from pbem.game import Kind, OneOf, Part, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy.battle.losses import (
    CHEAPEST,
    WAYS,
    LossOrder,
    has_choice,
    order_of,
    price_of_a_step,
    wholly_lost,
)
from pbem.rules.hannibal_italy.battle.parties import LOOSE, share_out
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.forces import (
    any_outside,
    bury,
    count_losses,
    hexes_of,
    loose_inside,
    outside,
    sp,
    steps,
    weakened,
)
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, SIDES, Game
from pbem.rules.hannibal_italy.turn.control import determine, take_open_cities

HALF: Final = 2


class Starving(NamedTuple):
    """Units of a side that suffer in a hex."""

    side: Side
    hex: str
    units: Mapping[str, int]


def end_of_winter(game: Game, table: Table) -> Flow[bool]:
    """Determine control all over Italy, then let both sides suffer where they have none (8.1, 8.3)."""
    take_open_cities(game, table)
    determine(game, table, game.board.provinces)
    stacks = [
        Starving(side, hex, outside(game, side, hex))
        for side in SIDES
        for hex in hexes_of(game, side)
        if suffers(game, side, hex)
    ]
    asked = [
        [_question(game, stack) for stack in stacks if stack.side == side and _has_choice(game, side, stack.units)]
        for side in SIDES
    ]
    chosen: dict[tuple[Side, str], LossOrder] = {}
    for several in zip_longest(*asked):  # one of each side at once: of two of one side an order could not say which
        questions = [question for question in several if question is not None]
        orders = yield from table.ask_all(questions)
        for question, order in zip(questions, orders, strict=True):
            chosen[question.side, question.facts["hex"]] = LossOrder.read(order)
    for stack in stacks:
        _suffer(game, table, stack, chosen.get((stack.side, stack.hex), LossOrder()))
    return True


def suffers(game: Game, side: Side, hex: str) -> bool:
    """Tell whether a side has something in a hex that starves: in a province not its own, in no city of its own (8.3).

    Where no enemy leader stands before it nothing keeps a stack from going into its city. Whether a Carthaginian
    leader is alone Rome does not see (7.5).
    """
    owner = game.provinces.get(game.board.hexes[hex].province)
    spared = owner is not None if game.options["winter_losses"] == "uncontrolled" else owner == side
    sheltered = game.friendly_city(side, hex) and not (game.besieged(hex) or game.leaders_at(ENEMY[side], hex))
    if spared or sheltered:
        return False
    return any_outside(game, side, hex) or (side == CARTHAGE and bool(game.leaders_at(side, hex, inside=False)))


def _due(game: Game, units: Mapping[str, int]) -> int:
    """Return the SP that a stack loses at least: half of what it has (8.3)."""
    total = sp(game.board, units)
    return -(-total // HALF) if game.options["winter_half"] == "up" else total // HALF


def _has_choice(game: Game, side: Side, units: Mapping[str, int]) -> bool:
    """Tell whether a side is asked what it loses: Carthage always is, for Rome does not see what it has (7.5)."""
    return side == CARTHAGE or (_due(game, units) > 0 and has_choice(game.board, units, steps(game.board, units)))


def _question(game: Game, stack: Starving) -> Decision:
    side, hex, units = stack
    facts = {"hex": hex, "target": _due(game, units), "units": units}
    return Decision("winter_losses", side, "8.3", facts, {"lose": CHEAPEST}, secret=side == CARTHAGE)


def _suffer(game: Game, table: Table, stack: Starving, order: LossOrder) -> None:
    """Let a side lose half the SP of a stack, in steps of its own choice (8.3)."""
    side, hex, units = stack
    chosen = order.units if order.way is None else enough(game.board, units, order.way, _due(game, units))
    after = weakened(game.board, units, chosen)
    held = {leader: game.leaders[leader].units for leader in game.leaders_at(side, hex, inside=False)}
    if hex in game.loose[side] and not loose_inside(game, side, hex):
        held[LOOSE] = game.loose[side][hex]
    share_out(game, side, hex, held, after)
    lost = count_losses(game, units, after, combat=False)
    bury(game, wholly_lost(game.board, units, after))
    if lost:
        table.tell("winter_losses", side=side, hex=hex, sp=lost, to=None if side == ROME else [side], rule="8.3")
    table.tell("suffers", side=side, hex=hex, rule="8.3")


def enough(board: Board, units: Mapping[str, int], way: str, target: int) -> list[str]:
    """Return the steps to lose, cheapest or dearest first, until at least so many SP are gone (8.3)."""
    lost: list[str] = []
    gone = 0
    for unit in order_of(board, units, way, steps(board, units)):
        if gone >= target:
            break
        lost.append(unit)
        gone += price_of_a_step(board, unit)
    return lost


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with winter losses: units that are not there, too little lost, or more than must be (8.3)."""
    losses, target = LossOrder.read(order), decision.facts["target"]
    if losses.way is not None:
        return
    units: Mapping[str, int] = decision.facts["units"]
    left = dict(units)
    for at, unit in enumerate(losses.units):
        if sp(view.board, units) - sp(view.board, left) >= target:
            yield order.fault(
                ("lose", at), f"{target} SP must go, and they have gone by then; leave it out", rule="8.3"
            )
            return
        if not left.get(unit):
            there = ", ".join(each for each, number in left.items() if number) or "none"
            yield order.fault(("lose", at), f"there is no {unit} left to lose a step; there are {there}", rule="8.3")
            continue
        left = weakened(view.board, left, [unit])
    gone = sp(view.board, units) - sp(view.board, left)
    if gone < target:
        yield order.fault(("lose",), f"{target} SP must go; the steps that are named make {gone}", rule="8.3")


def choices(view: Game, decision: Decision) -> Part:
    """Return the ways to lose half that need no list: the cheapest or the dearest steps first (8.3)."""
    return OneOf("lose", [Value(way, says=(way,)) for way in WAYS])


WINTER_KINDS: Final = (Kind("winter_losses", choices, check, hints="views.hints:winter_losses"),)
