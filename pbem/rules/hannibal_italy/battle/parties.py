"""The two sides of a battle: who fights and commands, what each has in the line, how strong it is (9.1, 9.2, 10.31)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from pbem.game import Kind, Table, each_of
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy.position.board import ELEPHANTS, MOUNTAIN
from pbem.rules.hannibal_italy.position.forces import (
    added,
    hexes_of,
    loose_inside,
    put_loose,
    sp,
    take_loose,
    taken,
    walled,
)
from pbem.rules.hannibal_italy.position.leadership import candidates, chooser, hard_to_save
from pbem.rules.hannibal_italy.position.naming import leader_named, leaders_named, place_named, why_not_at_hand
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, SIDES, Battle, Game, Party

LOOSE: Final = ""
"""The holder of units without a leader."""


def field_hexes(game: Game) -> list[str]:
    """Return the hexes in which a field battle may be fought now, by their numbers (9.1, 9.71)."""
    shared = set(hexes_of(game, CARTHAGE)).intersection(hexes_of(game, ROME))
    return [hex for hex in sorted(shared) if hex not in game.fought_in and _face_each_other(game, hex)]


def _face_each_other(game: Game, hex: str) -> bool:
    """Tell whether both sides stand before the walls of a hex, or the besieged may come out (9.1, 9.71, terrain)."""
    place = game.board.hexes[hex]
    if place.terrain == MOUNTAIN and place.city is None:
        return False
    if all(_stands(game, side, hex) for side in SIDES):
        return True
    siege = game.besieged(hex)
    return siege is not None and _stands(game, siege.side, hex) and waits_inside(game, ENEMY[siege.side], hex)


def _stands(game: Game, side: Side, hex: str) -> bool:
    """Tell whether a side has a leader or a unit that fights in the field: nobody is safe in a city without walls."""
    if not walled(game, hex):
        return bool(game.leaders_at(side, hex)) or bool(game.loose[side].get(hex))
    loose = bool(game.loose[side].get(hex)) and not loose_inside(game, side, hex)
    return loose or bool(game.leaders_at(side, hex, inside=False))


def waits_inside(game: Game, side: Side, hex: str) -> bool:
    """Tell whether a side has a leader or a unit behind the walls of a hex, garrison units apart (9.71)."""
    loose = bool(game.loose[side].get(hex)) and loose_inside(game, side, hex)
    return loose or bool(game.leaders_at(side, hex, inside=True))


def draw_up(game: Game, hex: str) -> Battle:
    """Return a battle in a hex with whoever stands before the walls; the besieged join in if they sally (9.1, 9.71)."""
    battle = Battle(hex)
    walls = walled(game, hex)
    for side in SIDES:
        loose = bool(game.loose[side].get(hex)) and not (walls and loose_inside(game, side, hex))
        leaders = game.leaders_at(side, hex, inside=False if walls else None)
        battle.parties[side] = Party(leaders=leaders, armed=_armed(game, side, leaders), loose=loose)
    return battle


def join_inside(game: Game, battle: Battle, side: Side) -> None:
    """Let those inside a besieged city join their side in the battle before its walls (9.71)."""
    party = battle.parties[side]
    party.sallies = True
    insiders = game.leaders_at(side, battle.hex, inside=True)
    party.leaders, party.armed = [*party.leaders, *insiders], [*party.armed, *_armed(game, side, insiders)]
    party.loose = party.loose or bool(game.loose[side].get(battle.hex))


def _armed(game: Game, side: Side, leaders: Sequence[str]) -> list[str]:
    """Return the Romans among some leaders who have units; Rome may not see which Carthaginians do (7.5, 10.2)."""
    return [leader for leader in leaders if game.leaders[leader].units] if side == ROME else []


def came_out(game: Game, party: Party) -> list[str]:
    """Return the leaders of a party who have come out of the besieged city, and go back there (9.71)."""
    return [leader for leader in party.leaders if party.sallies and game.leaders[leader].inside]


def held_by(game: Game, side: Side) -> dict[str, dict[str, int]]:
    """Return the units in a side's line by their holders: its leaders, the commander first, and LOOSE (9.2).

    Who comes first keeps most of what is left after losses (9.3).
    """
    battle = game.the_battle
    party = battle.parties[side]
    leaders = sorted(party.leaders, key=lambda leader: leader != party.commander)
    held = {leader: game.leaders[leader].units for leader in leaders}
    if party.loose:
        held[LOOSE] = game.loose[side].get(battle.hex, {})
    return held


def in_line(game: Game, side: Side) -> dict[str, int]:
    """Return the units of a side that fight: all with its leaders there, and those without one (9.2)."""
    return added(*held_by(game, side).values())


def set_in_line(game: Game, side: Side, units: Mapping[str, int]) -> None:
    """Give a side's units in the line back after losses: each holder keeps what is left of his own (9.3)."""
    battle = game.the_battle
    share_out(game, side, battle.hex, held_by(game, side), units)


def share_out(
    game: Game, side: Side, hex: str, held: Mapping[str, Mapping[str, int]], units: Mapping[str, int]
) -> None:
    """Share the units left after losses among their holders: each gets back only units that were theirs (9.3)."""
    left = dict(units)
    for holder, own in held.items():
        kept, left = _share(game, own, left)
        if holder == LOOSE:
            game.loose[side].pop(hex, None)
            put_loose(game, side, hex, kept)
        else:
            game.leaders[holder].units = kept
    assert not left, f"{left} belongs to nobody"


def _share(game: Game, own: Mapping[str, int], left: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Return what a holder keeps of the units left, whole ones first and then reduced ones, and the rest."""
    kept = {unit: min(count, left.get(unit, 0)) for unit, count in own.items() if left.get(unit)}
    rest = taken(left, kept)
    for unit, count in own.items():
        reduced = game.board.units[unit].reduced
        missing = count - kept.get(unit, 0)
        if reduced is not None and missing and rest.get(reduced):
            some = {reduced: min(missing, rest[reduced])}
            kept, rest = added(kept, some), taken(rest, some)
    return added(kept), rest


def strength(game: Game, side: Side) -> int:
    """Return the SP of a side in the line (9.2)."""
    return sp(game.board, in_line(game, side))


def set_aside(game: Game, side: Side, units: Mapping[str, int], holders: Sequence[str]) -> dict[str, dict[str, int]]:
    """Take units out of the line, from the last of some holders first, and return them by holder (9.4, 9.5)."""
    battle, need, apart = game.the_battle, dict(units), {}
    for holder in reversed(holders):
        own = held_by(game, side)[holder]
        some = {unit: min(count, own[unit]) for unit, count in need.items() if own.get(unit)}
        if not some:
            continue
        need = taken(need, some)
        apart[holder] = some
        if holder == LOOSE:
            take_loose(game, side, battle.hex, some)
        else:
            game.leaders[holder].units = taken(own, some)
    assert not need, f"{need} is not there to be set aside"
    return apart


def bring_back(game: Game, side: Side, apart: Mapping[str, Mapping[str, int]]) -> None:
    """Put units that were set aside back with those who had them (9.4, 9.5)."""
    for holder, units in apart.items():
        if holder == LOOSE:
            put_loose(game, side, game.the_battle.hex, units)
        else:
            game.leaders[holder].units = added(game.leaders[holder].units, units)


def has_elephants(game: Game) -> bool:
    """Tell whether Carthage has elephants in the line (11.1)."""
    return any(game.board.units[unit].kind == ELEPHANTS for unit in in_line(game, CARTHAGE))


def living(game: Game, leaders: Sequence[str], hex: str) -> list[str]:
    """Return the leaders, of some, who are still in a hex (10.5)."""
    return [leader for leader in leaders if game.leaders[leader].at == hex]


# ---- commanders: the highest office, Hannibal, or a leader whom a side chooses (10.31)


def commander_of(game: Game, table: Table, side: Side, leaders: Sequence[str], hex: str) -> Flow[str]:
    """Return the leader who commands a side; where several may, the side that has the choice is asked (10.31).

    The text is empty if there are none. A side that is silent gets the best of its own leaders, or the enemy's worst.
    """
    able = candidates(game, side, leaders)
    if len(able) < 2:
        return able[0] if able else ""
    who = chooser(game, side, able)
    silent = (max if who == side else min)(able, key=partial(worth, game))
    order = yield from table.ask(
        who, "command", rule="10.31", default={"leader": silent}, hex=hex, leaders=able, army=side
    )
    leader: str = order["leader"]
    return leader


def worth(game: Game, leader: str) -> tuple[int, int]:
    """Return how good a commander is: what he does to the die, then how easily he gets away (10.3, 10.4)."""
    return game.card(leader).combat, -hard_to_save(game, leader)


def _check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the choice of a commander (10.31)."""
    able = decision.facts["leaders"]
    if order["leader"] not in able:
        reason = f"{_why_not_in_command(view, decision, order['leader'])}; {leaders_named(view.board, able, 'or')} can"
        yield order.fault(("leader",), reason, rule="10.31")


def _why_not_in_command(view: Game, decision: Decision, leader: str) -> str:
    """Say why somebody cannot command an army: not of its side, not in the hex, or of lower rank (10.31)."""
    army, name = decision.facts["army"], leader_named(view.board, leader)
    if leader not in view.on_map(army):
        return why_not_at_hand(view, army, leader).replace("your leader", "a leader of this army")
    hex = decision.facts["hex"]
    if view.leaders[leader].at != hex:
        return f"{name} is not at {place_named(view.board, hex)}"
    return f"{name} cannot command there: the highest office goes first, and Hannibal before all"


COMMAND_KINDS: Final = (
    Kind(
        "command",
        each_of("leader", "leaders", "leader"),
        _check,
        hints="views.hints:command",
        bot="policy.replies:command",
    ),
)
