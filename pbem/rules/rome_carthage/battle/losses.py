"""Losing combat units: who chooses which, and the two tables that say how many (11.9, 11.10, 13.2, 17.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pbem.game import Kind, LegalOrders, Table, of
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.orders import LossesOrder
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import ENEMY, Game


def suffer(
    game: Game,
    table: Table,
    side: Side,
    stack: Stack,
    cu: int,
    *,
    elephant: bool | int,
    cause: str,
    rule: str,
    space: str,
) -> Flow[int]:
    """Take up to some CU off a stack, and return how many were lost (13.2, 17.2).

    `elephant`: how many of them must be elephants as far as there are any. The owner is asked how many are
    elephants only if he has a choice. A stack that this leaves empty is taken off the board.
    """
    cu = min(cu, stack.cu)
    if not cu:
        return 0
    most = stack.most_elephants(cu)
    fewest = elephants = max(min(int(elephant), most), stack.fewest_elephants(cu))
    if fewest < most:
        order = yield from table.ask(
            side,
            "losses",
            rule=rule,
            default={"elephants": fewest},
            space=space,
            cause=cause,
            cu=cu,
            at_least=fewest,
            at_most=most,
        )
        elephants = LossesOrder.read(order).elephants
    stack.cu -= cu
    stack.elephants -= elephants
    if stack.empty and game.stacks[side].get(space) is stack:
        del game.stacks[side][space]
    table.tell("lost", rule=rule, side=side, space=space, cause=cause, cu=cu, elephants=elephants)
    return cu


def attrition(
    game: Game,
    table: Table,
    side: Side,
    stack: Stack,
    *,
    name: str,
    modifiers: Mapping[str, int],
    rule: str,
    space: str,
    column: int | None = None,
    cause: str = "attrition",
) -> Flow[int]:
    """Roll on the attrition table for a stack and take what it loses; return how many CU (17.2).

    The column is the size of the stack unless told otherwise. Generals are never lost to attrition.
    """
    roll = table.roll(name, rule=rule, modifiers=modifiers, side=side, space=space, cu=stack.cu)
    cu, elephant = game.board.attrition(roll.total, stack.cu if column is None else column)
    lost = yield from suffer(game, table, side, stack, cu, elephant=elephant, cause=cause, rule=rule, space=space)
    return lost


def battle_casualties(game: Game, table: Table) -> Flow[None]:
    """Roll once for the casualties of a battle, which both sides suffer; the column is the rounds fought (11.9)."""
    battle = game.the_battle
    if not battle.round:
        return
    roll = table.roll(f"battle/{battle.space}/casualties", rule="11.9", rounds=battle.round)
    cu, elephant = game.board.attrition(roll.total, battle.round)
    for side in (battle.attacker, ENEMY[battle.attacker]):
        stack = game.stack(side, battle.space)
        battle.lost[side] = yield from suffer(
            game, table, side, stack, cu, elephant=elephant, cause="battle", rule="11.9", space=battle.space
        )


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
    lost = yield from suffer(
        game, table, side, stack, cu, elephant=first, cause="retreat_table", rule="11.10", space=space
    )
    battle.lost[side] = battle.lost.get(side, 0) + lost


def losses_orders(view: Game, decision: Decision) -> LegalOrders:
    """List how many of the CU lost may be elephants (13.2)."""
    facts = decision.facts
    return of([Order("losses", {"elephants": n}) for n in range(facts["at_least"], facts["at_most"] + 1)])


def check_losses(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the number of elephants lost (13.2)."""
    least, most = decision.facts["at_least"], decision.facts["at_most"]
    elephants = LossesOrder.read(order).elephants
    if not least <= elephants <= most:
        reason = f"of the {decision.facts['cu']} CU lost, {least} to {most} can be elephants, not {elephants}"
        yield order.fault(("elephants",), reason, rule="13.2")


LOSSES_KINDS: Final = (Kind("losses", losses_orders, check_losses),)
