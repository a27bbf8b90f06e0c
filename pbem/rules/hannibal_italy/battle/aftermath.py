"""The aftermath of battles: how a side leaves one, and what is left behind (9.4, 9.5, 9.71, 10.2, 10.4, 10.5, 5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.hannibal_italy.battle.parties import bring_back, came_out, in_line, living
from pbem.rules.hannibal_italy.battle.withdrawal import Withdrawal, equals, hexes_to, move_out, risk
from pbem.rules.hannibal_italy.position.forces import added, bury, count_losses, sp
from pbem.rules.hannibal_italy.position.leadership import find_refuge, try_to_withdraw
from pbem.rules.hannibal_italy.position.state import BOXES, CARTHAGE, ROME, SIDES, Game


def way_out(game: Game, side: Side) -> list[str]:
    """Return the hexes that a side may withdraw to, the one that the rules point to first; empty: it cannot (10.4).

    Who came out of a besieged city goes back there; units without a leader go nowhere else.
    """
    battle = game.the_battle
    party = battle.parties[side]
    insiders = came_out(game, party)
    others = [leader for leader in _in_command(game, side) if leader not in insiders]
    if not others:
        return [battle.hex] if party.sallies else []
    return hexes_to(game, side, battle.hex, others, attacking=side == battle.attacker)


def _choose_the_way(game: Game, table: Table, side: Side, leaders: Sequence[str]) -> Flow[str]:
    """Return the hex that a side goes to; where the rules point to several alike it is asked (9.2, 10.4)."""
    battle = game.the_battle
    able = equals(game, side, battle.hex, leaders, attacking=side == battle.attacker)
    if len(able) == 1:
        return able[0]
    order = yield from table.ask(side, "retreat", rule="10.4", default={"hex": able[0]}, hex=battle.hex, hexes=able)
    return game.board.find(order["hex"]) or able[0]


def _in_command(game: Game, side: Side) -> list[str]:
    """Return the leaders of a side who are there, the commander first: he shows the way (10.4)."""
    battle = game.the_battle
    party = battle.parties[side]
    return sorted(living(game, party.leaders, battle.hex), key=lambda leader: leader != party.commander)


def break_off(game: Game, table: Table, side: Side, name: str, *, risky: bool) -> Flow[bool]:
    """Let a side try to withdraw and tell whether it got away; during a battle its leaders are at risk (10.4, 10.5)."""
    party = game.the_battle.parties[side]
    leaders = _in_command(game, side)
    if not party.commander or not way_out(game, side) or not _get_away(game, table, leaders, name):
        return False
    for leader in leaders:
        game.leaders[leader].year.withdrew = True
    yield from go_away(game, table, side)
    if risky:
        risk(game, table, leaders, f"danger/{name.partition('/')[2]}")
    return True


def _get_away(game: Game, table: Table, leaders: Sequence[str], name: str) -> bool:
    """Roll by the number of the commander for all with him, or for each of them, if that is agreed on (10.4)."""
    if not try_to_withdraw(game, table, leaders[0], name):
        return False
    others = leaders[1:] if game.options["withdraws_by"] == "each" else ()
    return all(try_to_withdraw(game, table, leader, f"{name}/{leader}") for leader in others)


def go_away(game: Game, table: Table, side: Side) -> Flow[None]:
    """Take a side out of a battle with all that was set aside: back into its city, or to the next hex (9.71, 10.4)."""
    battle = game.the_battle
    party = battle.parties[side]
    insiders = came_out(game, party)
    party.left = True
    return_apart(game, side)
    others = [leader for leader in _in_command(game, side) if leader not in insiders]
    if party.sallies:
        table.tell("goes_back_inside", side=side, hex=battle.hex, rule="9.71")
    if others:
        to = yield from _choose_the_way(game, table, side, others)
        loose = party.loose and not party.sallies
        move_out(game, table, Withdrawal(side, battle.hex, to, others, loose), rule="10.4")


def return_apart(game: Game, side: Side) -> None:
    """Give the leaders of a side back what forages and, to Carthage, what lies in ambush (9.4, 9.5)."""
    battle = game.the_battle
    party = battle.parties[side]
    bring_back(game, side, party.foragers)
    party.foragers = {}
    if side == CARTHAGE:
        bring_back(game, side, battle.ambush)
        battle.ambush = {}


def clear_away(game: Game, table: Table) -> None:
    """Settle what a battle leaves: foragers and an ambush, leaders without units, who fought (9.4, 9.5, 10.2, 5.2)."""
    battle = game.the_battle
    for side in SIDES:
        wiped_out = not battle.parties[side].left and not in_line(game, side)
        if side == CARTHAGE and battle.ambush and (wiped_out or _stays_away(game)):
            lose_apart(game, table, side, battle.ambush, rule="9.5")
            battle.ambush = {}
        if wiped_out and battle.parties[side].foragers:
            lose_apart(game, table, side, battle.parties[side].foragers, rule="9.4")
            battle.parties[side].foragers = {}
        return_apart(game, side)
    if battle.round:
        note_the_year(game)
    for side in SIDES:
        if not battle.parties[side].left and not in_line(game, side):
            for leader in living(game, battle.parties[side].leaders, battle.hex):
                find_refuge(game, table, leader, rule="10.2")
    send_home(game, table)


def send_home(game: Game, table: Table) -> None:
    """Put each Roman who has lost all his units into Rome, even if others of his army fight on (10.2)."""
    for leader in game.the_battle.parties[ROME].armed:
        record = game.leaders[leader]
        if record.at not in BOXES and not record.units and not record.escaped:
            find_refuge(game, table, leader, rule="10.2")


def _stays_away(game: Game) -> bool:
    """Tell whether an ambush that failed is lost although its army lives: if only his own withdrawal saves it (9.5)."""
    return game.the_battle.ambush_failed and game.options["ambush_returns"] == "hannibal_withdraws"


def lose_apart(game: Game, table: Table, side: Side, apart: Mapping[str, Mapping[str, int]], *, rule: str) -> None:
    """Eliminate what was set aside from an army that is gone (9.4, 9.5)."""
    units = added(*apart.values())
    count_losses(game, units, {}, combat=True)
    bury(game, units)
    game.the_battle.parties[side].lost += sp(game.board, units)
    table.tell("set_aside_lost", side=side, hex=game.the_battle.hex, rule=rule)


def note_the_year(game: Game) -> None:
    """Note for the next election what the Roman commander's battle cost both sides (5.2)."""
    battle = game.the_battle
    rome = battle.parties[ROME]
    who = rome.leaders if game.options["fought_by"] == "present" else [rome.commander] if rome.commander else []
    for leader in who:
        year = game.leaders[leader].year
        year.fought = True
        year.lost += rome.lost
        year.took += battle.parties[CARTHAGE].lost
