"""Losses of a battle: who bears them, and what becomes of leaders without CU (8.4, 9.5.6, 12.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Kind, LegalOrders, Table, of
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.position.board import CARTHAGE
from pbem.rules.sword_of_rome.position.changes import displace, drop_force, lose
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game


def divide(primary: int, flank: int, cu: int) -> tuple[int, int]:
    """Divide the losses of an army evenly with its flank, the odd one to the primary force (9.5.6).

    What one of the two lacks, the other gives.
    """
    cu = min(cu, primary + flank)
    on_flank = min(max(cu // 2, cu - primary), flank)
    return cu - on_flank, on_flank


def bear(game: Game, table: Table, power: str, space: str, cu: int, *, rule: str, leaders: bool = True) -> Flow[int]:
    """Take CU from a force in a space and return how many it had to give (12.3).

    Carthage may say how many of them are mercenaries; without an answer they go first. The leaders of a force of
    which nothing is left are displaced (8.4), unless `leaders` says no.
    """
    force = game.forces[power].get(space)
    if force is None or cu < 1:
        return 0
    cu = min(cu, force.cu)
    mercenaries = yield from _mercenaries_of(game, table, power, space, force, cu)
    if mercenaries is None:
        lose(game, power, space, cu)
    else:
        force.cu -= cu
        force.mercenaries -= mercenaries
        if force.empty:
            drop_force(game, power, space)
    if cu:
        table.tell("lost", power=power, space=space, cu=cu, rule=rule)
    if leaders and not game.force(power, space).cu:
        displace(game, table, power, space)
    return cu


def _mercenaries_of(game: Game, table: Table, power: str, space: str, force: Force, cu: int) -> Flow[int | None]:
    """Ask Carthage how many of the CU that it loses are mercenaries, where there is a choice (12.3)."""
    least, most = max(0, cu - (force.cu - force.mercenaries)), min(cu, force.mercenaries)
    if power != CARTHAGE or least == most:
        return None
    order = yield from table.ask(
        CARTHAGE,
        "losses",
        rule="12.3",
        default={"mercenaries": most},
        waits=False,
        power=power,
        space=space,
        cu=cu,
        least=least,
        most=most,
    )
    chosen: int = order["mercenaries"]
    return chosen


def loss_orders(view: Game, decision: Decision) -> LegalOrders:
    """List how many of the CU lost may be mercenaries (12.3)."""
    facts = decision.facts
    return of([Order("losses", {"mercenaries": number}) for number in range(facts["most"], facts["least"] - 1, -1)])


def check_losses(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the number of mercenaries lost (12.3)."""
    least, most = decision.facts["least"], decision.facts["most"]
    if not least <= order["mercenaries"] <= most:
        yield order.fault(("mercenaries",), f"{least} to {most} of the CU lost can be mercenaries", rule="12.3")


LOSSES_KINDS: Final = (Kind("losses", loss_orders, check_losses, hints="views.hints:losses"),)
