"""Hannibal's ambush: part of his army attacks in the second round, or the third, or never (9.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import NOT_TOLD, Kind, LegalOrders, Table, listing, of
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.hannibal_italy.battle.foraging import LEAST, NONE, SetAsideOrder, least
from pbem.rules.hannibal_italy.battle.parties import LOOSE, bring_back, in_line, set_aside
from pbem.rules.hannibal_italy.position.forces import added, covers, sp, veiled
from pbem.rules.hannibal_italy.position.state import CARTHAGE, Game

SECOND, THIRD = 2, 3


def lay_ambush(game: Game, table: Table) -> Flow[None]:
    """Let Hannibal set at least a quarter of the SP in his line aside, once Rome has shown its strength (9.5)."""
    battle, board = game.the_battle, game.board
    party = battle.parties[CARTHAGE]
    chiefs = [leader for leader in party.leaders if game.card(leader).ambushes]
    units = in_line(game, CARTHAGE)
    if not chiefs or sum(units.values()) < 2:
        return
    due = -(-sp(board, units) // int(board.tables["ambush"]["least"]))
    answer = yield from table.ask(
        CARTHAGE, "ambush", rule="9.5", default={"units": NONE}, secret=True, hex=battle.hex, least=due, units=units
    )
    order = SetAsideOrder.read(answer)
    if order.nobody:
        return
    chosen = order.units(board, units, due)
    holders = [LOOSE, *party.leaders] if party.loose else party.leaders
    battle.ambush = set_aside(game, CARTHAGE, chosen, holders)
    table.tell("ambush_laid", leader=chiefs[0], hex=battle.hex, sp=sp(board, chosen), rule="9.5")


def spring(game: Game, table: Table) -> bool:
    """Roll in the second round whether the ambush arrives, and tell whether it arrives in this round (9.5)."""
    battle, numbers = game.the_battle, game.board.tables["ambush"]
    if not battle.ambush:
        return False
    if battle.round == SECOND:
        roll = table.roll(
            f"battle/{battle.hex}/ambush", at_most=int(numbers["arrives_on"]), rule="9.5", side=CARTHAGE, hex=battle.hex
        )
        if roll.success:
            battle.ambush_comes = SECOND
        elif roll.total <= int(numbers["late_on"]):
            battle.ambush_comes = THIRD
            table.tell("ambush_late", hex=battle.hex, rule="9.5")
        else:
            battle.ambush_failed = True
            table.tell("ambush_lost", hex=battle.hex, rule="9.5")
    if battle.round != battle.ambush_comes:
        return False
    table.tell("ambush_springs", hex=battle.hex, sp=sp(game.board, added(*battle.ambush.values())), rule="9.5")
    bring_back(game, CARTHAGE, battle.ambush)
    battle.ambush = {}
    return True


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an ambush: units that are not there, too few, or all (9.5)."""
    units, due, ambush = decision.facts["units"], decision.facts["least"], SetAsideOrder.read(order)
    if ambush.nobody:
        return
    chosen = ambush.units(view.board, units, due)
    absent = [unit for unit, count in chosen.items() if not covers(units, {unit: count})]
    there = listing(f"{count} {each}" for each, count in units.items()) or "none"
    for unit in absent:
        reason = f"there are only {units[unit]} {unit} here" if units.get(unit) else f"there are no {unit} here"
        yield order.fault(("units", unit), f"{reason}; there are {there}", rule="9.5")
    if absent:
        return
    if sp(view.board, chosen) < due:
        reason = f"an ambush takes {due} SP at least; these are {sp(view.board, chosen)}"
        yield order.fault(("units",), reason, rule="9.5")
    elif covers(chosen, units):
        yield order.fault(("units",), "some units must fight the first round; all would lie in ambush", rule="9.5")


def legal_orders(view: Game, decision: Decision) -> LegalOrders:
    """Return no ambush, the smallest one, and each kind of unit that is enough for one (9.5)."""
    units, due = decision.facts["units"], decision.facts["least"]
    if veiled(view, CARTHAGE, decision.facts["hex"]):
        return NOT_TOLD
    bodies: list[object] = [NONE]
    if least(view.board, units, due) != units:
        bodies.append(LEAST)
    for unit, count in units.items():
        needed = -(-due // view.board.units[unit].sp)
        if needed <= count and {unit: needed} != units:
            bodies.append({unit: needed})
    return of([Order("ambush", {"units": chosen}) for chosen in bodies])


AMBUSH_KINDS: Final = (Kind("ambush", legal_orders, check, hints="views.hints:ambush"),)
