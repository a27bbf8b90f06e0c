"""Voyages: setting out, naval combat, landing, and backing up across the sea (8.8, 9.3)."""

from __future__ import annotations

from typing import Final

from pbem.game import Table
from pbem.protocol import Flow
from pbem.rules.rome_carthage.movement.card_play import note_stop, played_with
from pbem.rules.rome_carthage.movement.passes import named_space
from pbem.rules.rome_carthage.movement.weather import storm
from pbem.rules.rome_carthage.position.board import SEA
from pbem.rules.rome_carthage.position.generals import displace
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import CARTHAGE, ROME, Game
from pbem.rules.rome_carthage.position.under_way import March
from pbem.rules.rome_carthage.siege.siege import lift_left
from pbem.rules.rome_carthage.siege.walls import enter_city

SAFE: Final = "none"
RETURN: Final = "return"
SUNK: Final = "sunk"
SYRACUSE: Final = "syracuse"
PIRATES: Final = "pirates"


def sail(game: Game, table: Table, march: March, to: str) -> Flow[None]:
    """Sail from port to port; the march is over if the army does not land (8.8)."""
    port = march.at
    march.spend(game.board.movement.cost[SEA])
    march.came_from, march.at, march.came_by = port, to, SEA
    march.entered.append(to)
    game.the_card.sailed = True
    table.tell(
        "sails",
        side=march.side,
        general=march.general,
        origin=port,
        space=to,
        cu=march.force.cu,
        elephants=march.force.elephants,
        rule="8.8",
    )
    lift_left(game, table, march.side, port)
    yield from storm(game, table, march)
    if march.over:
        return
    outcome = naval_combat(game, table, march, port, to, named_space(march))
    if outcome == SUNK:
        yield from sink(game, table, march)
    elif outcome == RETURN:
        put_back(game, march)
        table.tell("fleet_returns", side=march.side, general=march.general, space=port, rule="8.8.3")
    else:
        table.tell("lands", side=march.side, general=march.general, space=to, cu=march.force.cu, rule="8.8")


def put_back(game: Game, march: March) -> None:
    """Put a fleet back into the port it came from: the rest of its move is lost (8.8.3, cards 41 and 60)."""
    march.at, march.over, march.halted = march.the_way_back, True, True
    march.path = []


def naval_combat(game: Game, table: Table, march: March, start: str, to: str, name: str) -> str:
    """Roll for Rome against a Carthaginian voyage, and return the result: none, return or sunk (8.8.3)."""
    if unopposed(game, march, start, to):
        return SAFE
    roll = table.roll(
        f"naval/{march.general}/{name}",
        rule="8.8.3",
        modifiers=naval_modifiers(game, march, start, to),
        side=ROME,
        general=march.general,
        space=to,
        origin=start,
        cu=march.force.cu,
    )
    return game.board.naval_result(roll.total)


def unopposed(game: Game, march: March, start: str, to: str) -> bool:
    """Tell whether a voyage needs no roll: Rome's own, in a Truce, or with the pirates (8.8.3, cards 50 and 64).

    The Adriatic Pirates help up to three CU to or from three ports, when their card is played for operations; by
    the rules of 1998 the port must be the one of arrival.
    """
    if march.side != CARTHAGE or game.truce:
        return True
    record = game.board.cards[game.the_card.card]
    if not played_with(game, PIRATES) or march.force.cu > record.about["cu"]:
        return False
    ends = (to,) if game.options["pirates_port"] == "landing" else (start, to)
    return any(port in record.about["ports"] for port in ends)


def naval_modifiers(game: Game, march: March, start: str, to: str) -> dict[str, int]:
    """Return the modifiers of the naval combat roll by reason (8.8.3)."""
    table, spaces = game.board.tables["naval"], game.board.spaces
    both = game.options["naval_roman_pc_ports"] == "both"
    small = march.force.cu == 1 or (not march.force.cu and game.options["small_voyage"] == "general_or_one")
    return {
        "port_left": spaces[start].port_modifier or 0,
        "port_reached": spaces[to].port_modifier or 0,
        "roman_port_left": table["roman_port"] if both and game.control.get(start) == ROME else 0,
        "roman_port_reached": table["roman_port"] if game.control.get(to) == ROME else 0,
        "small_voyage": table["small"] if small else 0,
        "syracuse": table["syracuse"] if game.control.get(SYRACUSE) == CARTHAGE else 0,
        "macedonia": table["macedonia"] if game.macedonia else 0,
        "naval_victory": table["naval_victory"] if game.naval_victory else 0,
        "admiral": game.board.generals[march.general].naval,
    }


def sink(game: Game, table: Table, march: March) -> Flow[None]:
    """Lose a fleet with all its CU, and displace its generals; there are no political consequences (8.8.3, 8.9)."""
    force, march.force = march.force, Stack()
    march.over, march.path = True, []
    table.tell(
        "fleet_sunk",
        side=march.side,
        general=march.general,
        space=march.at,
        cu=force.cu,
        elephants=force.elephants,
        rule="8.8.3",
    )
    yield from displace(game, table, march.side, force.generals, cause="sunk")


def land_in_city(game: Game, table: Table, march: March, rule: str = "8.8.1") -> None:
    """Take an army behind the walls of its own city, where its move ends; by sea straight from the ships (8.8.1)."""
    force = march.force
    march.over, march.path = True, []
    enter_city(game, march.at, force)
    note_stop(game, march, force)
    march.force = Stack()
    table.tell(
        "goes_inside",
        side=march.side,
        general=march.general,
        space=march.at,
        cu=force.cu,
        generals=force.generals,
        rule=rule,
    )


def sail_back(game: Game, table: Table, march: March) -> Flow[bool]:
    """Back up across the sea to the port of departure; return whether the army has left the space (9.3).

    By the rules of 2007 a Carthaginian fleet faces the Romans once more, and one that is turned back must stay.
    """
    space, port = march.at, march.the_way_back
    outcome = SAFE
    if game.options["naval_roll_when_backing_up"]:
        outcome = naval_combat(game, table, march, space, port, f"{named_space(march)}/back")
    if outcome == SUNK:
        yield from sink(game, table, march)
    elif outcome == RETURN:
        table.tell("must_stay", side=march.side, general=march.general, space=space, rule="9.3")
        return False
    else:
        put_back(game, march)
        table.tell("sails_back", side=march.side, general=march.general, space=port, rule="9.3")
    return True
