"""Changes of a position that several chapters make: control, losses, displaced leaders, and what follows from them.

A chapter that takes CU or loyalty away calls `settle_spaces` when it is done: sieges without besiegers are lifted,
garrisons come out, leaders alone among enemies are displaced, and cities that have fallen are told of.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from pbem.game import Table
from pbem.rules.sword_of_rome.position.board import REBELS, WALLED
from pbem.rules.sword_of_rome.position.state import Force, Game

INSURRECTION = "insurrection"
_SPACE = itemgetter(0)


def set_control(game: Game, space: str, power: str | None) -> None:
    """Give a space to a power, a city with loyalty 1; None makes it independent (7.3, 13.5).

    A garrison comes out of a city that its power loses in any other way than by a siege (9.3.1).
    """
    holder = game.control.get(space)
    if holder is not None and holder != power and space in game.inside:
        come_out(game, holder, space, game.inside.pop(space))
    if power is None:
        game.control.pop(space, None)
    else:
        game.control[space] = power
    if game.kind(space) == WALLED:
        game.loyalty[space] = game.board.tables["city"]["converted"]


def change_marker(game: Game, table: Table, power: str, space: str) -> bool:
    """Replace the marker of a normal space by a power's, and tell whether that lies there now (7.3.1).

    In an ally's home the marker only goes (15.2.3).
    """
    if not game.allys_home(power, space):
        set_control(game, space, power)
        return True
    set_control(game, space, None)
    table.tell("marker_removed", power=power, space=space, rule="15.2.3")
    return False


def lose(game: Game, power: str, space: str, cu: int, *, inside: bool = False) -> int:
    """Take CU from a force, mercenaries first, and return how many it had to give.

    Overseas the militia goes first: it is worth least, as it never leaves, and is not replaced (17.1.2).
    """
    force = game.inside.get(space) if inside else game.forces[power].get(space)
    if force is None:
        return 0
    lost = min(cu, force.cu)
    force.cu -= lost
    force.mercenaries = max(0, force.mercenaries - lost)
    home = game.board.powers[power].overseas
    if home is not None and space in home.spaces:
        game.militia = max(0, game.militia - lost)
    if force.empty:
        drop_force(game, power, space, inside=inside)
    return lost


def drop_force(game: Game, power: str, space: str, *, inside: bool = False) -> None:
    """Take what a power has in a space off the map; its leaders must be put elsewhere."""
    if inside:
        game.inside.pop(space, None)
    else:
        game.forces[power].pop(space, None)


def displace(game: Game, table: Table, power: str, space: str, *, inside: bool = False) -> None:
    """Displace the leaders of a power in a space (8.4)."""
    force = game.inside.get(space) if inside else game.forces[power].get(space)
    if force is None or not force.leaders:
        return
    leaders, force.leaders = force.leaders, []
    if force.empty:
        drop_force(game, power, space, inside=inside)
    displace_leaders(game, table, power, space, leaders)


def displace_leaders(game: Game, table: Table, power: str, space: str, leaders: list[str]) -> None:
    """Displace leaders who have been taken out of their force (8.4).

    Named ones go to the Displaced box, minor ones are set aside.
    """
    take_off(game, leaders)
    table.tell("displaced", power=power, space=space, leaders=leaders, rule="8.4")


def take_off(game: Game, leaders: Iterable[str]) -> None:
    """Put leaders who have been taken out of their force beside the map: named ones displaced, others set aside."""
    for leader in leaders:
        (game.displaced if game.board.leaders[leader].named else game.reserve).append(leader)


def pull_out(game: Game, leader: str) -> bool:
    """Take a leader out of the force that he is in, and tell whether he was in one."""
    for places in (game.forces[game.board.leaders[leader].power], game.inside):
        for space, force in list(places.items()):
            if leader in force.leaders:
                force.leaders.remove(leader)
                if force.empty:
                    del places[space]
                return True
    return False


def lift_sieges(game: Game, table: Table) -> None:
    """Lift the sieges whose besiegers have left, or are friends by now (13.4); in an order that a file keeps.

    A power that only moves as if it were an ally ends no siege by that (16.1.2).
    """
    for space, siege in sorted(game.sieges.items(), key=_SPACE):
        holder = game.control.get(space)
        friends = holder is not None and game.have_alliance(siege.by, holder)
        if friends or not game.outside(siege.by, space):
            del game.sieges[space]
            table.tell("siege_lifted", space=space, power=siege.by, rule="13.4")


def settle_spaces(game: Game, table: Table) -> None:
    """Draw the consequences of what has changed on the map (8.4, 13.4, 16.4); in an order that a file keeps."""
    lift_sieges(game, table)
    for space, force in sorted(game.inside.items(), key=_SPACE):
        power, before = game.control.get(space), [each for each in game.present(space) if game.outside(each, space)]
        if power is not None and all(game.have_alliance(power, each) for each in before):
            del game.inside[space]
            come_out(game, power, space, force)
    for power in game.board.powers:
        for space in sorted([space for space, force in game.forces[power].items() if not force.cu]):
            if game.enemies_in(power, space) and not (game.kind(space) == WALLED and game.friendly(power, space)):
                displace(game, table, power, space)
    _end_insurrection(game, table)


def _end_insurrection(game: Game, table: Table) -> None:
    """End the revolt once the last rebel CU is gone (S 16.4).

    The rebels are a power only while the event is in effect. Then their leaders go, and what they held is independent,
    as that of a player who is out (5.10.3).
    """
    insurrection = game.mark(INSURRECTION)
    if insurrection is None or any(force.cu for _, force in game.everywhere(REBELS)):
        return
    game.marks.remove(insurrection)
    for space in [space for space, holder in sorted(game.control.items()) if holder == REBELS]:
        set_control(game, space, None)
    for space in sorted(game.forces[REBELS]):
        displace(game, table, REBELS, space)
    table.tell("insurrection_ends", rule="S 16.4")


def go_in(game: Game, space: str, force: Force) -> None:
    """Put a force into a city, beside what is inside; a named commander stays before a minor one (8.2.1)."""
    there = game.inside.setdefault(space, Force())
    there.cu += force.cu
    there.mercenaries += force.mercenaries
    there.leaders = sorted([*there.leaders, *force.leaders], key=lambda leader: not game.board.leaders[leader].named)


def come_out(game: Game, power: str, space: str, force: Force) -> None:
    """Put what was inside a city before it; a named commander stays before a minor one (8.2.1)."""
    there = game.put(power, space, force)
    there.leaders.sort(key=lambda leader: not game.board.leaders[leader].named)
