"""Losing combat units: who chooses which, and the two tables that say how many (11.9, 11.10, 13.2, 17.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pbem.game import Kind, Part, Share, Table
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.orders import LossesOrder
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Stack


class Army(NamedTuple):
    """A stack that may lose units: whose it is, and where."""

    side: Side
    stack: Stack
    space: str


class Cause(NamedTuple):
    """What costs an army units, as reports call it, and the paragraph."""

    word: str
    rule: str


def suffer(game: Game, table: Table, army: Army, loss: tuple[int, int], cause: Cause) -> Flow[int]:
    """Take up to some CU off a stack, and return how many were lost (13.2, 17.2).

    `loss`: how many, and how many of them must be elephants as far as there are any. The owner is asked how many are
    elephants only if he has a choice. A stack that this leaves empty is taken off the board.
    """
    side, stack, space = army
    cu = min(loss[0], stack.cu)
    if not cu:
        return 0
    most = stack.most_elephants(cu)
    fewest = elephants = max(min(int(loss[1]), most), stack.fewest_elephants(cu))
    if fewest < most:
        order = yield from table.ask(
            side,
            "losses",
            rule=cause.rule,
            default={"elephants": fewest},
            space=space,
            cause=cause.word,
            cu=cu,
            at_least=fewest,
            at_most=most,
        )
        elephants = LossesOrder.read(order).elephants
    stack.cu -= cu
    stack.elephants -= elephants
    if stack.empty and game.stacks[side].get(space) is stack:
        del game.stacks[side][space]
    table.tell("lost", rule=cause.rule, side=side, space=space, cause=cause.word, cu=cu, elephants=elephants)
    return cu


class Hardship(NamedTuple):
    """What an army rolls for on the attrition table: the name of the roll, the cause, modifiers of the die.

    The column is the size of the army unless told otherwise.
    """

    name: str
    cause: Cause
    modifiers: Mapping[str, int] = {}
    column: int | None = None


def attrition(game: Game, table: Table, army: Army, hardship: Hardship) -> Flow[None]:
    """Roll on the attrition table for an army, which loses what the table says, but never a general (17.2)."""
    side, stack, space = army
    name, cause, modifiers, column = hardship
    roll = table.roll(name, rule=cause.rule, modifiers=modifiers, side=side, space=space, cu=stack.cu)
    yield from suffer(game, table, army, game.board.attrition(roll.total, column or stack.cu), cause)


def battle_casualties(game: Game, table: Table) -> Flow[None]:
    """Roll once for the casualties of a battle, which both sides suffer; the column is the rounds fought (11.9)."""
    battle = game.the_battle
    if not battle.round:
        return
    roll = table.roll(f"battle/{battle.space}/casualties", rule="11.9", rounds=battle.round)
    loss = game.board.attrition(roll.total, battle.round)
    for side in (battle.attacker, ENEMY[battle.attacker]):
        army = Army(side, game.stack(side, battle.space), battle.space)
        battle.lost[side] = yield from suffer(game, table, army, loss, Cause("battle", "11.9"))


def retreat_table(game: Game, table: Table) -> Flow[None]:
    """Roll for the further losses of the loser of a battle, and take them (11.10, 13.2).

    The column is his strength at the start; winning by a Double Envelopment or a Probe modifies the roll.
    Elephants fall first. Nobody rolls for an army of which nothing is left.
    """
    battle = game.the_battle
    side, space = battle.the_loser, battle.space
    stack = game.stack(side, space)
    if not stack.cu:
        return
    won_by = battle.won_by
    modifiers = {won_by: game.board.retreat_modifiers.get(won_by, 0)} if won_by else {}
    roll = table.roll(f"battle/{space}/retreat", rule="11.10", modifiers=modifiers, side=side, cu=battle.strength[side])
    cu = game.board.retreat_loss(roll.total, battle.strength[side])
    first = cu if game.options["elephant_retreat_loss"] == "all" else 1
    lost = yield from suffer(game, table, Army(side, stack, space), (cu, first), Cause("retreat_table", "11.10"))
    battle.lost[side] = battle.lost.get(side, 0) + lost


def losses_choices(view: Game, decision: Decision) -> Part:
    """Return how many of the CU lost may be elephants (13.2)."""
    able = range(decision.facts["at_least"], decision.facts["at_most"] + 1)
    return Share(("elephants", None), decision.facts["cu"], 0, able)


def check_losses(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the number of elephants lost (13.2)."""
    least, most = decision.facts["at_least"], decision.facts["at_most"]
    elephants = LossesOrder.read(order).elephants
    if not least <= elephants <= most:
        reason = f"of the {decision.facts['cu']} CU lost, {least} to {most} can be elephants, not {elephants}"
        yield order.fault(("elephants",), reason, rule="13.2")


LOSSES_KINDS: Final = (Kind("losses", losses_choices, check_losses),)
