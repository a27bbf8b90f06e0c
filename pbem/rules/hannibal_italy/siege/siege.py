"""Sieges: enough strength before the walls and a roll each segment; siege works against fortresses (9.7 to 9.92)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import UNTOLD, Kind, OneOf, Part, Table, Value, each_of
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy.battle.parties import waits_inside
from pbem.rules.hannibal_italy.battle.withdrawal import Withdrawal, hexes_to, move_out, why_no_way
from pbem.rules.hannibal_italy.movement.diplomacy import lose_inside
from pbem.rules.hannibal_italy.position.board import CLASS_1, NO_CASE, ROME_CITY, UNFORTIFIED, City, assault_column
from pbem.rules.hannibal_italy.position.forces import (
    any_outside,
    at_enemy_cities,
    garrison,
    inside,
    loose_inside,
    loose_seen,
    outside,
    sp,
    veiled,
    without_elephants,
)
from pbem.rules.hannibal_italy.position.leadership import candidates
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, SIDES, UNSEEN, Game, Siege
from pbem.rules.hannibal_italy.turn.control import fall_of_rome, give_city

SIEGE: Final = "siege"
ASSAULT: Final = "assault"
LEAVE: Final = "leave"
"""Stand before the city and do nothing; a siege is given up (9.7)."""
PARTIAL: Final = "partial"
COMPLETE: Final = "complete"


def besieged_hexes(game: Game) -> list[str]:
    """Return the hexes with a walled city of one side and the other before it, by number (9.7).

    A Roman leader alone besieges nothing; whether a Carthaginian is alone Rome does not see (7.5).
    """
    return sorted(
        hex
        for side in SIDES
        for hex in at_enemy_cities(game, side)
        if (city := game.city_at(hex)) is not None
        and city.kind not in (UNFORTIFIED, CLASS_1)
        and hex not in game.fought_in
        and stands_before(game, side, hex)
    )


def stands_before(game: Game, side: Side, hex: str) -> bool:
    """Tell whether a side may have units before the walls of a hex, as far as its enemy can see (7.5)."""
    leader = side == CARTHAGE and bool(game.leaders_at(side, hex, inside=False))
    return leader or any_outside(game, side, hex)


def lift_abandoned(game: Game) -> None:
    """Take off the markers of sieges whose besiegers have gone, or are dead (9.7, 9.71)."""
    for city, siege in list(game.sieges.items()):
        if not any_outside(game, siege.side, game.board.cities[city].hex):
            del game.sieges[city]


def needed(game: Game, city: City) -> int:
    """Return the SP that stand against a besieger: walls, garrison unit, units inside (9.7, 9.72, 9.82)."""
    within = inside(game, game.cities[city.id], city.hex)
    units = {unit: count for unit, count in within.items() if unit != UNSEEN}
    return city.intrinsic + garrison(game, city.id) + sp(game.board, units)


def visible_need(game: Game, side: Side, city: City) -> int:
    """Return the SP that a besieger sees against it: units with a leader Rome does not see before it besieges (7.5)."""
    if unseen_inside(game, side, city):
        loose = loose_seen(game, side) and loose_inside(game, CARTHAGE, city.hex)
        seen = game.loose[CARTHAGE].get(city.hex, {}) if loose else {}
        return city.intrinsic + garrison(game, city.id) + sp(game.board, seen)
    return needed(game, city)


def unseen_inside(game: Game, side: Side, city: City) -> bool:
    """Tell whether there is somebody inside whose strength a besieger cannot see yet (7.5, 9.7)."""
    if side != ROME or city.id in game.sieges or not waits_inside(game, CARTHAGE, city.hex):
        return False
    return not loose_seen(game, side) or bool(game.leaders_at(CARTHAGE, city.hex, inside=True))


def relieved(game: Game, city: City) -> bool:
    """Tell whether the owner of a city has units before its walls: they would have to be beaten first (9.7)."""
    return any_outside(game, game.cities[city.id], city.hex)


def too_weak(game: Game, table: Table, side: Side, city: City) -> Flow[None]:
    """Let a besieger without the strength go back a hex; a siege is over with that (9.7, 9.71)."""
    game.sieges.pop(city.id, None)
    table.tell("too_weak", city=city.id, side=side, needed=needed(game, city), rule="9.7")
    yield from go_back(game, table, side, city.hex)


def go_back(game: Game, table: Table, side: Side, hex: str) -> Flow[None]:
    """Let a side go to a hex next to it, of its own choice, and stay there for the segment (9.7, 9.71, 9.8)."""
    leaders = game.leaders_at(side, hex, inside=False)
    able = hexes_to(game, side, hex, leaders, attacking=False)
    if not able or not (leaders or any_outside(game, side, hex)):
        return
    to = able[0]
    if len(able) > 1:
        order = yield from table.ask(side, "retreat", rule="9.71", default={"hex": to}, hex=hex, hexes=able)
        to = game.board.find(order["hex"]) or to
    move_out(game, table, Withdrawal(side, hex, to, leaders), rule="9.71")


def roll_for_surrender(game: Game, table: Table, side: Side, city: City) -> None:
    """Roll whether a besieged city surrenders: on a 6 at first, then on 5, on 4, and on 3 from then on (9.7)."""
    numbers = [int(number) for number in game.board.tables["siege_numbers"]]
    siege = game.sieges.get(city.id)
    if siege is None:
        siege = game.sieges[city.id] = Siege(side, numbers[0])
        shut_in(game, city)
        table.tell("siege_begins", city=city.id, side=side, rule="9.7")
    roll = table.roll(f"siege/{city.id}", at_least=siege.number, rule="9.7", side=side, city=city.id)
    if roll.success:
        fall(game, table, side, city, rule="9.7")
    else:
        siege.number = max(siege.number - 1, numbers[-1])
        table.tell("holds_out", city=city.id, side=side, rule="9.7")


def shut_in(game: Game, city: City) -> None:
    """Put the leaders of a besieged city, who have no units before its walls, inside (9.71)."""
    for leader in game.leaders_at(game.cities[city.id], city.hex):
        game.leaders[leader].inside = True


def fall(game: Game, table: Table, side: Side, city: City, *, rule: str) -> None:
    """Let a city fall: what is inside is lost, its leaders roll for their lives (9.7, 9.8, 9.91, 10.5)."""
    lose_inside(game, table, ENEMY[side], city.id)
    give_city(game, table, city.id, side, rule=rule)
    if city.id == ROME_CITY and side == CARTHAGE:
        fall_of_rome(game, table)


def column_of(game: Game, side: Side, city: City, against: int | None = None) -> int:
    """Return the column of an assault; NO_CASE: fewer than three to two. An empty city is stormed as at 5-1 (9.72).

    `against` is what stands against it, as far as somebody knows; left out, what there is.
    """
    own = sp(game.board, without_elephants(game.board, outside(game, side, city.hex)))
    need = needed(game, city) if against is None else against
    column = assault_column(game.board, own, need, str(game.options["assault_odds"]))
    empty = not inside(game, game.cities[city.id], city.hex) and not garrison(game, city.id)
    return len(game.board.assault.columns) - 1 if empty and column != NO_CASE else column


def assault_modifiers(game: Game, side: Side, city: City) -> dict[str, int]:
    """Return the modifiers of an assault: commanders, and Carthage's lack of a siege train (9.81, 10.3).

    Before the commanders of an assault under way are named, the first who may command is taken for each side.
    """
    owner = game.cities[city.id]
    leaders = {
        side: game.leaders_at(side, city.hex, inside=False),
        owner: game.leaders_at(owner, city.hex, inside=True),
    }
    modifiers = {"leaders": _rating(game, side, leaders[side]) - _rating(game, owner, leaders[owner])}
    if side == CARTHAGE:
        modifiers["no_siege_train"] = int(game.board.tables["carthage_assaults"])
    return modifiers


def _rating(game: Game, side: Side, leaders: list[str]) -> int:
    named = game.battle.parties[side].commander if game.battle is not None else ""
    able = [named] if named else candidates(game, side, leaders)
    return game.card(able[0]).combat if able else 0


# ---- what may be ordered


def _siege_choices(view: Game, decision: Decision) -> Part:
    """Return a siege, leaving the city alone, and an assault, for which one must be strong enough (9.8)."""
    if veiled(view, decision.side, view.board.cities[decision.facts["city"]].hex):
        return UNTOLD
    why = "" if decision.facts["can_assault"] else _why_no_assault(view, decision)
    ways = [
        Value(SIEGE, says=(SIEGE,)),
        Value(LEAVE, says=(LEAVE,), must=True),
        Value(ASSAULT, says=(ASSAULT,), why=why),
    ]
    return OneOf("do", ways)


def _check_siege(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an assault: three to two are needed (9.8)."""
    if order["do"] == ASSAULT and not decision.facts["can_assault"]:
        yield order.fault(("do",), _why_no_assault(view, decision), rule="9.8")


def _why_no_assault(view: Game, decision: Decision) -> str:
    """Say how many SP an assault takes, and how many there are: elephants do not count (9.8, 11.3)."""
    against, city = decision.facts["needed"], view.board.cities[decision.facts["city"]]
    units = outside(view, decision.side, city.hex)
    own, total = sp(view.board, without_elephants(view.board, units)), decision.facts["own_sp"]
    has = f"{own}, without the elephants" if own != total else f"{own}"
    least = -(-3 * against // 2)
    return f"an assault needs three to two: {least} SP against the {against} of {city.name}; you have {has}"


def _check_retreat(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a retreat: it does not lead to a hex next to it that is open (9.71, 10.4)."""
    able = decision.facts["hexes"]
    if view.board.find(order["hex"]) not in able:
        reason = why_no_way(view, decision.side, decision.facts["hex"], order["hex"], able)
        yield order.fault(("hex",), reason, rule=decision.rule)


# ---- siege works: the only way into a class 1 fortress (9.9 to 9.92)


def build(game: Game, table: Table) -> Flow[None]:
    """Begin, complete and keep up siege works, and roll for the fortresses inside complete ones (9.91, 9.92)."""
    for city in game.board.cities.values():
        if city.kind == CLASS_1 and stands_before(game, side := ENEMY[game.cities[city.id]], city.hex):
            yield from _at(game, table, side, city)
            if game.result is not None:
                return


def _at(game: Game, table: Table, side: Side, city: City) -> Flow[None]:
    own, need, siege = sp(game.board, outside(game, side, city.hex)), needed(game, city), game.sieges.get(city.id)
    if siege is not None and own < need:
        del game.sieges[city.id]
        table.tell("works_lost", city=city.id, side=side, needed=need, rule="9.92")
        yield from go_back(game, table, side, city.hex)
        return
    if relieved(game, city) or (siege is None and own < need and side == ROME):
        return
    order = yield from table.ask(
        side,
        "works",
        rule="9.92" if siege is not None else "9.91",
        default={"build": siege is not None},
        secret=side != ROME,
        city=city.id,
        own_sp=own,
        needed=need,
        works=siege.works if siege is not None else "none",
    )
    if order["build"]:
        _work(game, table, side, city)
    elif siege is not None:
        del game.sieges[city.id]
        table.tell("siege_given_up", city=city.id, side=side, rule="9.92")


def _work(game: Game, table: Table, side: Side, city: City) -> None:
    """Begin works, complete them, or keep them up; round complete ones a 6 takes the fortress (9.91)."""
    siege = game.sieges.get(city.id)
    if siege is None:
        game.sieges[city.id] = Siege(side, 0, PARTIAL)
        shut_in(game, city)
        table.tell("works_begun", city=city.id, side=side, rule="9.91")
        return
    if siege.works == PARTIAL:
        siege.works = COMPLETE
        table.tell("works_completed", city=city.id, side=side, rule="9.91")
    number = int(game.board.tables["works_number"])
    roll = table.roll(f"works/{city.id}", at_least=number, rule="9.91", side=side, city=city.id)
    if roll.success:
        fall(game, table, side, city, rule="9.91")
    else:
        table.tell("holds_out", city=city.id, side=side, rule="9.91")


# ---- what may be ordered of siege works


def _works_choices(view: Game, decision: Decision) -> Part:
    """Return whether to build: the weak can build nothing, but Rome does not see whether Carthage is (7.5, 9.91)."""
    facts = decision.facts
    if veiled(view, decision.side, view.board.cities[facts["city"]].hex):
        return UNTOLD
    return OneOf("build", [Value(False), Value(True, why=_too_few_to_build(facts["own_sp"], facts["needed"]))])


def _check_works(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with building: the strength is missing (9.91)."""
    why = _too_few_to_build(decision.facts["own_sp"], decision.facts["needed"])
    if order["build"] and why:
        yield order.fault(("build",), why, rule="9.91")


def _too_few_to_build(own: int, needed: int) -> str:
    """Say why nobody can build siege works with so many SP; empty: they can (9.91)."""
    return f"siege works take {needed} SP before the walls; you have {own}" if own < needed else ""


SIEGE_KINDS: Final = (
    Kind("besiege", _siege_choices, _check_siege, hints="views.hints:besiege", bot="policy.replies:besiege"),
    Kind("retreat", each_of("hex", "hexes", "hex", on_map=True), _check_retreat, hints="views.hints:retreat"),
    Kind("works", _works_choices, _check_works, hints="views.hints:works", bot="policy.replies:works"),
)
