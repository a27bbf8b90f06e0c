"""Sorties: a garrison comes out of its city to fight, alone or beside a relieving army (16.4.4).

An army that attacks the besiegers of its own city may be joined by what is inside. By the rules of 2007 a besieged
army under a general may also be activated to attack on its own; where the city is not besieged yet, but an enemy army
stands before it, nothing but that army bars the way, and all editions let him (16.2, 8.2). Who sallied out is the
attacker, and of the beaten army he alone may go back into a besieged city (16.5.5). A general inside who outranks the
one who relieves him commands if his units sally out (V 20.7).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from pbem.game import Kind, OneOf, Part, Refusal, Share, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Path, Side
from pbem.rules.rome_carthage.movement.card_play import note_sortie
from pbem.rules.rome_carthage.orders import ArmyPart
from pbem.rules.rome_carthage.position.generals import arrange, is_consul, rank
from pbem.rules.rome_carthage.position.naming import general_named, generals_named, space_named, why_no_elephants
from pbem.rules.rome_carthage.position.state import ENEMY, Game, once_a_march
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.walls import leave_city


def why_no_sortie(game: Game, side: Side, space: str, rule: str = "16.4.4") -> Refusal | None:
    """Say why nobody may be activated to sally out of a city on his own; None: a general there may (16.4.4)."""
    inside, name = game.garrison(side, space), game.board.spaces[space].name
    if not inside.generals or not game.cu(ENEMY[side], space):
        reason = f"a sortie is made by a general inside a city before which an enemy army stands; {name} is none"
        return Refusal(reason, rule)
    if not inside.cu:
        return Refusal(f"there are no CU in {name} to sally out with", rule)
    if game.truce:
        return Refusal("there is a Truce (card 64)", rule)
    if game.besieged(space) and not game.options["lone_sortie"]:
        reason = "the besieged sally out only to join an army that attacks the besiegers (option lone_sortie)"
        return Refusal(reason, rule)
    return None


def come_out(game: Game, side: Side, space: str, force: Stack) -> None:
    """Bring a force out of its city into the open, beside what of its side fights there (16.4.4)."""
    leave_city(game, space, force)
    arrange(game, game.put(side, space, force))


def relieve(game: Game, table: Table) -> Flow[None]:
    """Ask the attacker at an own city which part of the garrison sallies out to join the battle (16.4.4)."""
    battle = game.the_battle
    side, space = battle.attacker, battle.space
    inside = game.garrison(side, space)
    if inside.empty or not battle.sallied.empty:
        return
    order = yield from table.ask(
        side,
        "sortie",
        rule="16.4.4",
        default={"cu": inside.cu, "elephants": inside.elephants, "generals": list(inside.generals)},
        space=space,
        cu=inside.cu,
        elephant_cu=inside.elephants,
        generals=list(inside.generals),
        relief_cu=game.stack(side, space).cu,
        besieger_cu=game.stack(ENEMY[side], space).cu,
        points=game.siege_points.get(space, 0),
    )
    said = ArmyPart.read(order.body)
    force = Stack(said.cu, said.elephants or 0, list(said.generals))
    if force.empty:
        return
    come_out(game, side, space, force)
    note_sortie(game, game.the_march, force)
    battle.sallied = Stack(force.cu, force.elephants, list(force.generals))
    table.tell("joins_battle", rule="16.4.4", side=side, space=space, cu=force.cu, generals=list(force.generals))


def why_consul_stays(game: Game, side: Side, space: str, cu: int, names: Sequence[str]) -> Refusal | None:
    """Say why so many CU and these generals may not come out: a consul keeps five CU, or those he has (14.2)."""
    inside, outside = game.garrison(side, space), game.stack(side, space)
    left, army = inside.cu - cu, game.board.consular_army
    for general in inside.generals:
        if not is_consul(game, general):
            continue
        name = game.board.generals[general].name
        if general not in names and cu and left < min(army, inside.cu):
            return Refusal(f"{name} is consul and keeps {army} CU with him inside, not {left}", "14.2")
        if general in names and left and outside.cu + cu < army:
            return Refusal(f"{name} is consul and has {army} CU with him outside, or all; {left} would stay", "14.2")
    return None


def why_leader_stays(game: Game, side: Side, space: str, cu: int, names: Sequence[str]) -> Refusal | None:
    """Say why units may not sally out without a general: he outranks whoever would command them (8.6; V 20.7)."""
    inside, outside = game.garrison(side, space), game.stack(side, space)
    highest = max((rank(game, general) for general in [*outside.generals, *names]), default=0)
    for general in inside.generals if cu else ():
        if general not in names and rank(game, general) > highest:
            name = game.board.generals[general].name
            return Refusal(
                f"{name} outranks the relieving general and commands if his units sally out: name him", "8.6"
            )
    return None


def sortie_choices(view: Game, decision: Decision) -> Part:
    """Return the parts of a garrison that may sally out to join the relieving army, or none (16.4.4)."""
    side, space = decision.side, decision.facts["space"]
    inside, values = view.garrison(side, space), []
    for names in [names for size in range(len(inside.generals) + 1) for names in combinations(inside.generals, size)]:
        able = [
            cu
            for cu in range(inside.cu + 1)
            if why_consul_stays(view, side, space, cu, names) is None
            and why_leader_stays(view, side, space, cu, names) is None
        ]
        share = Share(("cu", "elephants"), inside.cu, inside.elephants, able, filled=False)
        values.append(Value(list(names), share))
    return OneOf("generals", values, of="general", default=0)


def check_sortie(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with what is to sally out: what is inside, and what a consul keeps (14.2, 16.4.4)."""
    side, space = decision.side, decision.facts["space"]
    inside = view.garrison(side, space)
    said = ArmyPart.read(order.body)
    cu, elephants, names = said.cu, said.elephants or 0, said.generals
    if cu > inside.cu:
        yield order.fault(
            ("cu",), f"there are {inside.cu} CU inside {space_named(view, space)}, not {cu}", rule="16.4.4"
        )
    elif (why := why_no_elephants(inside, cu, elephants)) is not None:
        at: Path = ("elephants",) if said.elephants is not None else ("cu",)
        yield why.at(at)
    for at_name, general in enumerate(names):
        if general not in inside.generals or general in names[:at_name]:
            have = generals_named(view, inside.generals)
            yield order.fault(
                ("generals", at_name), f"{general_named(view, general)} is not inside; there is: {have}", rule="16.4.4"
            )
    if (why := why_consul_stays(view, side, space, cu, names)) is not None:
        yield why.at(("cu",))
    if (why := why_leader_stays(view, side, space, cu, names)) is not None:
        where: Path = ("generals",) if "generals" in order.body else ("cu",)
        yield why.at(where)


SORTIE_KINDS: Final = (Kind("sortie", sortie_choices, check_sortie, hints="views.hints:sortie", is_last=once_a_march),)
