"""The joint combat phase: control, field battles, sieges and assaults, siege works (4.2 F)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Kind, LegalOrders, Table, of
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.hannibal_italy.battle.battle import fight
from pbem.rules.hannibal_italy.battle.parties import field_hexes
from pbem.rules.hannibal_italy.position.naming import no_such_place, place_named, places_named
from pbem.rules.hannibal_italy.position.state import CARTHAGE, Game
from pbem.rules.hannibal_italy.siege.assaults import besiege
from pbem.rules.hannibal_italy.siege.siege import besieged_hexes, build
from pbem.rules.hannibal_italy.turn.control import determine, take_open_cities, with_combat


def before_combat(game: Game, table: Table) -> None:
    """Determine who controls what before anybody fights (8.1)."""
    take_open_cities(game, table)
    everywhere = game.options["control_before_combat"] == "all"
    determine(game, table, game.board.provinces if everywhere else with_combat(game))


def next_battle(game: Game, table: Table) -> Flow[bool]:
    """Fight the next field battle, by the number of its hex, or where Carthage says; over when none is left (9.1)."""
    hexes = field_hexes(game)
    if not hexes:
        return True
    hex = hexes[0]
    if len(hexes) > 1 and game.options["battle_order"] == "carthage":
        order = yield from table.ask(CARTHAGE, "next_battle", rule="9.1", default={"hex": hex}, hexes=hexes)
        hex = game.board.find(order["hex"]) or hex
    game.fought_in.append(hex)
    game.lost_in_battle = 0
    yield from fight(game, table, hex)
    return False


def next_siege(game: Game, table: Table) -> Flow[bool]:
    """Go on with the next siege, by the number of its hex; the step is over when none is left (9.7)."""
    hexes = besieged_hexes(game)
    if not hexes:
        return True
    game.fought_in.append(hexes[0])
    game.lost_in_battle = 0
    yield from besiege(game, table, hexes[0])
    return False


def siege_works(game: Game, table: Table) -> Flow[bool]:
    """Build siege works round class 1 fortresses, and keep them up (9.9)."""
    yield from build(game, table)
    return True


# ---- what may be ordered


def _orders(view: Game, decision: Decision) -> LegalOrders:
    return of([Order("next_battle", {"hex": hex}) for hex in decision.facts["hexes"]])


def _check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the place of the next battle: nobody can fight there (9.1)."""
    hexes = decision.facts["hexes"]
    if view.board.find(order["hex"]) not in hexes:
        place, hex = order["hex"], view.board.find(order["hex"])
        able = f"the places left are {places_named(view.board, hexes)}"
        if hex is None:
            reason = f"{no_such_place(view.board, place)}; {able}"
        else:
            reason = f"no battle or siege is left to play at {place_named(view.board, hex)}; {able}"
        yield order.fault(("hex",), reason, rule="9.1")


COMBAT_KINDS: Final = (Kind("next_battle", _orders, _check),)
