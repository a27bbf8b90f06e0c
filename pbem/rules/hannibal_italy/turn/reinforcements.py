"""Carthaginian reinforcements, and the Gaulish leader's return (4.2 B, 10.6, 12.311, 12.321)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.game import Kind, Table, each_of
from pbem.protocol import Decision, Fault, Flow, Order, Record
from pbem.rules.hannibal_italy.position.forces import hexes_of
from pbem.rules.hannibal_italy.position.leadership import crowded
from pbem.rules.hannibal_italy.position.naming import few_places, no_such_place, place_named
from pbem.rules.hannibal_italy.position.state import AWAY, CARTHAGE, ROME, Game
from pbem.rules.hannibal_italy.turn.control import controller
from pbem.rules.hannibal_italy.turn.elections import found
from pbem.rules.hannibal_italy.turn.set_up import place_army

CISALPINE_GAUL: Final = "cisalpine_gaul"
GAULISH_LANDS: Final = (CISALPINE_GAUL, "liguria")


def arrive(game: Game, table: Table) -> Flow[bool]:
    """Bring on the reinforcements of this summer, and a Gaulish leader who was killed (12.311, 12.321, 10.6)."""
    for number in list(game.due):
        army = game.plan["reinforcements"][number]
        hexes = landings(game, army)
        if game.year > army["year"] or not hexes:
            continue
        rule = "12.321" if "edge" in army else "12.311"
        to = yield from _where(game, table, hexes, sorted(army.get("leaders", ["reinforcements"]))[0], rule)
        game.due.remove(number)
        place_army(game, table, CARTHAGE, to, army)
        table.tell("arrived", hex=to, leaders=list(army.get("leaders", [])), rule=rule)
    for leader in [each for each, card in game.board.leaders.items() if card.gaulish]:
        if game.leaders[leader].at == AWAY and (hexes := _gaulish_hexes(game)):
            to = yield from _where(game, table, hexes, leader, "10.6")
            game.put(leader, to)
            table.tell("arrived", hex=to, leaders=[leader], rule="10.6")
    return True


def _where(game: Game, table: Table, hexes: Sequence[str], who: str, rule: str) -> Flow[str]:
    order = yield from table.ask(CARTHAGE, "arrive", rule=rule, default={"hex": hexes[0]}, who=who, hexes=list(hexes))
    return found(game.board, order["hex"])


def landings(game: Game, army: Record) -> list[str]:
    """Return where reinforcements may come on, the usual hex first; empty: they wait (12.311, 12.321).

    Any coastal hex of the province, by the rules; hexes without Romans come first, and those near Rhegium.
    """
    if "edge" in army:
        hexes = game.board.edges[army["edge"]]
    else:
        province = army["controls"]
        last = game.options["bruttium_control"] == "last"
        if (game.provinces.get(province) if last else controller(game, province)) != CARTHAGE:
            return []
        hexes = tuple(hex for hex in game.board.provinces[province].hexes[::-1] if game.board.hexes[hex].coast)
    leaders = list(army.get("leaders", []))
    # Without a leader they would be inside a city of theirs, and nothing enters a besieged one (7.6, 9.71).
    shut = {hex for hex in hexes if not leaders and game.friendly_city(CARTHAGE, hex) and game.besieged(hex)}
    able = [hex for hex in hexes if hex not in shut and not crowded(game, CARTHAGE, hex, leaders)]
    romans = hexes_of(game, ROME)
    return sorted(able, key=lambda hex: hex in romans)


def _gaulish_hexes(game: Game) -> list[str]:
    """Return the hexes without Romans in which the Gaulish leader may come back (10.6)."""
    lands = [CISALPINE_GAUL] if game.options["gaulish_return"] == CISALPINE_GAUL else GAULISH_LANDS
    romans = hexes_of(game, ROME)
    return [
        hex
        for province in lands
        for hex in game.board.provinces[province].hexes
        if hex not in romans and not game.friendly_city(ROME, hex)
    ]


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a hex of arrival (12.311, 12.321, 10.6)."""
    hexes = decision.facts["hexes"]
    if view.board.find(order["hex"]) not in hexes:
        yield order.fault(("hex",), _why_no_arrival(view, decision, order["hex"]), rule=decision.rule)


def _why_no_arrival(view: Game, decision: Decision, place: str | int) -> str:
    """Say why nobody arrives in a hex: the enemy is there, or it is not where the box has them come on."""
    hex = view.board.find(place)
    able = f"open are {few_places(view.board, decision.facts['hexes'])}"
    if hex is None:
        return f"{no_such_place(view.board, place)}; {able}"
    name = place_named(view.board, hex)
    if hex in hexes_of(view, ROME):
        return f"the enemy stands at {name}; {able}"
    if view.friendly_city(ROME, hex):
        return f"{name} is an enemy city; {able}"
    if decision.rule == "10.6":
        return f"the Gaulish leader comes back in the lands of the Gauls, not at {name}; {able}"
    return f"they come on where the scenario says, by its coast or edge, not at {name}; {able}"


REINFORCEMENT_KINDS: Final = (
    Kind("arrive", each_of("hex", "hexes", "hex", on_map=True), check, hints="views.hints:arrive"),
)
