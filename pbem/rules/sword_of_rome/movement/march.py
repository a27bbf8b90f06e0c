"""The march of an active leader, space by space, until his path, his points or the enemy stop him (9.1 to 9.4).

On the way he picks up and drops units. A sortie is the attack of a leader inside a city on its besiegers. They may
avoid battle, and nobody intercepts him. A Campaign may bring its second army to his flank (9.5.8, 13.4.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from pbem.game import Refusal, Table
from pbem.protocol import Flow
from pbem.rules.sword_of_rome.battle.battle import Attack, Outcome, fight
from pbem.rules.sword_of_rome.movement import reactions
from pbem.rules.sword_of_rome.movement.entering import Met, enter, react
from pbem.rules.sword_of_rome.movement.fatigue import exhaust, legs_without, set_off, spend, stay
from pbem.rules.sword_of_rome.movement.flanks import choose_flank, way_of_flank
from pbem.rules.sword_of_rome.movement.parts import (
    ASK,
    ATTACK_UNREST,
    Body,
    MarchOrder,
    Step,
    Wanted,
    arrange,
    move_out,
    part_of,
    rest_of,
    subordinates,
    told,
    why_consul_alone,
    why_not_part,
)
from pbem.rules.sword_of_rome.movement.paths import can_go_on, step_cost, why_not_end, why_not_raid, why_not_step
from pbem.rules.sword_of_rome.movement.reactions import pursue
from pbem.rules.sword_of_rome.movement.voyages import Crossing, borrow, carried, sail, sink
from pbem.rules.sword_of_rome.position.board import GARRISON_BOX, SEA
from pbem.rules.sword_of_rome.position.changes import displace, settle_spaces
from pbem.rules.sword_of_rome.position.state import NONE, Battle, Force, Game, March
from pbem.rules.sword_of_rome.siege import siege, unrest
from pbem.rules.sword_of_rome.siege.siege import place_marker, sally_out

# ---- picking up and dropping off on the way, and joining what stands where a march ends (9.1.1, 9.1.2)


def part_named(stack: Force, wanted: Wanted) -> Force:
    """Return the part that an order drops or takes: no CU where it names none."""
    return part_of(stack, wanted._replace(cu=wanted.cu or 0), wanted.leader, stack.cu)


def added(stack: Force, part: Force) -> Force:
    """Return a stack with a part more."""
    return Force(stack.cu + part.cu, stack.mercenaries + part.mercenaries, [*stack.leaders, *part.leaders])


def why_not_drop(game: Game, march: March, ground: Force, part: Force) -> Iterator[tuple[str, Refusal]]:
    """Yield why a part of the force under way cannot stay where it is now (9.1.2, 15.3, 16.3)."""
    if march.leader in part.leaders:
        yield "with", Refusal("the commander stays with his army: let it stop instead", "9.1.2")
        return
    wrong = list(why_not_part(game, march.force, part, led=False))
    yield from wrong
    if wrong:
        return
    refusal = why_not_end(game, march, march.at)
    if refusal is None and game.enemies_in(march.power, march.at):
        refusal = Refusal("enemies are there", "9.1.2")
    refusal = refusal or why_consul_alone(game, rest_of(march.force, part), added(ground, part))
    if refusal is not None:
        yield "cu", refusal


def why_not_take(game: Game, march: March, ground: Force, part: Force) -> Iterator[tuple[str, Refusal]]:
    """Yield why the force under way cannot take a part of what is there along (9.1.1, 9.1.2)."""
    leaders, most = game.board.leaders, game.board.tables["movement"]["cu"]
    wrong = list(why_not_part(game, ground, part, led=False))
    yield from wrong
    if wrong:
        return
    if not leaders[march.leader].named and (named := [each for each in part.leaders if leaders[each].named]):
        yield "with", Refusal(f"{leaders[named[0]].name} does not serve under a minor leader", "9.1.2")
    if march.force.cu + part.cu > most:
        yield "cu", Refusal(f"no more than {most} CU move together", "9.1.1")
    elif (alone := why_consul_alone(game, added(march.force, part), rest_of(ground, part))) is not None:
        yield "cu", alone


def exchange(game: Game, table: Table, march: March, step: Step) -> None:
    """Drop and take before a step, as far as that can still be done (9.1.2)."""
    ground = game.force(march.power, march.at)
    if step.drop is not None:
        part = part_named(march.force, step.drop)
        if any(why_not_drop(game, march, ground, part)):
            table.tell("not_exchanged", power=march.power, leader=march.leader, space=march.at, rule="9.1.2")
        else:
            drop(game, march, part)
            _told(table, march, part, "drops")
    if step.take is not None:
        ground = game.force(march.power, march.at)
        part = part_named(ground, step.take)
        if any(why_not_take(game, march, ground, part)):
            table.tell("not_exchanged", power=march.power, leader=march.leader, space=march.at, rule="9.1.2")
        else:
            there = ground.cu
            taken = move_out(game, march.power, march.at, part)
            set_off(game, march, march.at, there, taken.cu)
            march.force = added(march.force, taken)
            _told(table, march, part, "takes")


def _told(table: Table, march: March, part: Force, word: str) -> None:
    table.tell(word, power=march.power, space=march.at, cu=part.cu, leaders=list(part.leaders), rule="9.1.2")


def drop(game: Game, march: March, part: Force) -> None:
    """Leave a part of the force under way where it is."""
    stay(game, march, part)
    march.force = rest_of(march.force, part)
    arrange(game, game.put(march.power, march.at, part))


def leave_behind(game: Game, table: Table, march: March, cu: int) -> None:
    """Leave CU that find no room in a fleet in the port, mercenaries last (S 9.6.3)."""
    if cu > 0:
        part = Force(cu, march.force.fewest_mercenaries(cu))
        drop(game, march, part)
        _told(table, march, part, "drops")


def join(game: Game, march: March) -> None:
    """Let the force under way join what its power has in the space where it stops."""
    stay(game, march, march.force)
    put_down(game, march)


def put_down(game: Game, march: March) -> None:
    """Put the force under way among what its power has there, to stay or to act; its commander leads (8.2.1)."""
    going, space = march.force, march.at
    march.force = Force()
    stack = game.put(march.power, space, going)
    stack.leaders = [*going.leaders, *(leader for leader in stack.leaders if leader not in going.leaders)]
    arrange(game, stack)


def take_up(game: Game, march: March, force: Force) -> None:
    """Take up again what is left of a force that was put down to fight or to raid, as far as it is there (9.4.1)."""
    there = game.force(march.power, march.at)
    cu = min(force.cu, there.cu)
    mercenaries = max(there.fewest_mercenaries(cu), min(cu, force.mercenaries, there.mercenaries))
    march.legs = legs_without(march, len(march.legs) - cu)
    leaders = [leader for leader in force.leaders if leader in there.leaders]
    march.force = move_out(game, march.power, march.at, Force(cu, mercenaries, leaders))


# ---- what can be exchanged


def exchanges(game: Game, march: March, ground: Force) -> Iterator[Body]:
    """Yield all that can be dropped or taken before the next step, nothing first; never both at once (9.1.2)."""
    yield {}
    force, room = march.force, game.board.tables["movement"]["cu"] - march.force.cu
    if why_not_end(game, march, march.at) is None and not game.enemies_in(march.power, march.at):
        for part in _parts(force, force.leaders[1:], force.cu):
            if why_consul_alone(game, rest_of(force, part), added(ground, part)) is None:
                yield {"drop": _written(part, force)}
    leaders = game.board.leaders
    named = leaders[march.leader].named
    follow = [leader for leader in ground.leaders if named or not leaders[leader].named]
    for part in _parts(ground, follow, room):
        if why_consul_alone(game, added(force, part), rest_of(ground, part)) is None:
            yield {"take": _written(part, ground)}


def _parts(stack: Force, leaders: list[str], most: int) -> Iterator[Force]:
    """Yield the parts of a stack that have at least a CU or a leader."""
    for size in range(len(leaders) + 1):
        for some in combinations(leaders, size):
            for cu in range(0 if some else 1, min(stack.cu, most) + 1):
                yield from (Force(*units, list(some)) for units in stack.units(cu))


def _written(part: Force, stack: Force) -> Body:
    body: dict[str, object] = {}
    if part.cu:
        body |= told(part.cu, part.mercenaries, stack)
    if part.leaders:
        body["with"] = list(part.leaders)
    return body


# ---- the march (9.1)


def march(game: Game, table: Table) -> Flow[None]:
    """March on with the force under way to the end, and stop (9.1)."""
    yield from follow(game, table)
    yield from stop(game, table)


def set_out(game: Game, table: Table, part: Force) -> None:
    """Take the force of the active leader out of the space where he stands (9.1.1)."""
    march = game.the_march
    there = game.force(march.power, march.at).cu
    march.force = move_out(game, march.power, march.at, part)
    set_off(game, march, march.at, there, part.cu)
    table.tell(
        "marches",
        power=march.power,
        leader=march.leader,
        others=march.force.leaders[1:],
        space=march.at,
        cu=march.force.cu,
        rule="9.1",
    )


def obey(march: March, order: MarchOrder) -> None:
    """Note an order: the path, and what follows it."""
    march.path = [dict(step) for step in order.written]
    march.then, march.against = order.then, order.against


def follow(game: Game, table: Table) -> Flow[None]:
    """Follow the ordered path, asking for more of it where the order says so (9.1)."""
    march = game.the_march
    while not march.over:
        if march.path:
            yield from take_step(game, table, Step.read(march.path.pop(0)))
        elif march.then == ASK and can_go_on(game, march):
            yield from ask_on(game, table)
        else:
            march.over = True


def ask_on(game: Game, table: Table) -> Flow[None]:
    """Ask the side of the force under way where it goes next."""
    march = game.the_march
    order = yield from table.ask(march.side, "march", rule="9.1", **march.asked)
    yield from go_on(game, table, MarchOrder.read(order.body))


def go_on(game: Game, table: Table, said: MarchOrder) -> Flow[None]:
    """Note where the force under way goes next, and raid before it does (9.1, 14.2)."""
    march = game.the_march
    obey(march, said)
    yield from raid_until_done(game, table, said.raid)
    march.over = march.over or not (march.path or march.then == ASK)


def name_of(march: March) -> str:
    """Return the step of a march, for names of rolls."""
    return f"{march.leader}/{len(march.trail) - 1}/{march.at}"


# ---- a step


def take_step(game: Game, table: Table, step: Step) -> Flow[None]:
    """Take the next step: who stays behind or comes along, the way, reactions, battle, raids (9.1.2 to 9.4)."""
    march = game.the_march
    exchange(game, table, march, step)
    if why_not_step(game, march, step) is not None:
        close_path(game, table, step.to)
        return
    if step.by_sea:
        yield from cross(game, table, step.to)
        if march.over or march.at != step.to:
            return
    else:
        kind = game.board.path(march.power, march.at, step.to)
        assert kind is not None
        spend(game, march, step_cost(game, march, step.to, kind))
        arrive(game, table, step.to, kind)
    yield from meet(game, table, (yield from enter(game, table, name_of(march))))
    if not march.over:
        yield from raid_until_done(game, table, step.raid)


def close_path(game: Game, table: Table, to: str) -> None:
    """Report that a path can be followed no further; its side is asked for another (9.2)."""
    march = game.the_march
    march.path, march.then = [], ASK
    table.tell("path_closed", power=march.power, leader=march.leader, origin=march.at, space=to, rule="9.2")


def arrive(game: Game, table: Table, to: str, kind: str) -> None:
    """Come into a space; sieges and armies that were left behind are looked after (9.2, 13.4)."""
    march = game.the_march
    march.came_from, march.at, march.came_by = march.at, to, kind
    march.trail.append(to)
    march.pursuing = False
    table.tell("enters", power=march.power, leader=march.leader, space=to, cu=march.force.cu, rule="9.2")
    settle_spaces(game, table)


def cross(game: Game, table: Table, to: str) -> Flow[None]:
    """Sail to a port; who finds no room in a fleet that is lent stays behind (9.6, S 9.6.3).

    A voyage that does not arrive has cost its points, and the march is over: nothing says that it goes on.
    """
    march, origin = game.the_march, game.the_march.at
    value = game.card.value if game.card is not None else 0
    crossing = Crossing(march.power, origin, to)
    most = max(carried(game, crossing, value), march.lent or 0)
    if march.force.cu > most or not most:
        march.lent = yield from borrow(game, table, crossing, march.force.cu)
        most = max(most, march.lent)
        if not most:
            close_path(game, table, to)
            return
        leave_behind(game, table, march, march.force.cu - most)
    spend(game, march, game.board.tables["movement"]["cost"]["sea"])
    before = march.force.cu
    arrives = yield from sail(game, table, crossing, march.force, name_of(march))
    if arrives:
        arrive(game, table, to, SEA)
    else:
        march.over = True
        sink(game, table, before)


def raid_until_done(game: Game, table: Table, attempts: int) -> Flow[None]:
    """Raid the space where the force under way is, until it succeeds or the attempts are used up (14.2)."""
    march = game.the_march
    for number in range(1, attempts + 1):
        if why_not_raid(game, march) is not None:
            return
        spend(game, march, game.board.tables["movement"]["cost"]["raid"])
        power, space, force = march.power, march.at, march.force
        before = game.force(power, space).cu
        put_down(game, march)
        yield from siege.raid(game, table, power, space, f"{name_of(march)}/{march.points}/{number}")
        lost = before + force.cu - game.force(power, space).cu
        take_up(game, march, Force(force.cu - lost, force.mercenaries, force.leaders))


# ---- battle (9.4.1)


def meet(game: Game, table: Table, met: Met) -> Flow[None]:
    """Fight the enemies whom the force under way has met, or pursue those who have avoided it (9.4, 11.3)."""
    march = game.the_march
    if march.over:
        return
    enemies = [] if march.at in march.bribed else game.enemies_in(march.power, march.at)
    if march.force.cu and enemies:
        yield from attack_enemies(game, table, met, enemies[0])
    elif met.avoided:
        yield from pursue(game, table, name_of(march))


def attack_enemies(game: Game, table: Table, met: Met, defender: str) -> Flow[None]:
    """Attack enemies in the space, with a flank if a Campaign brings one (9.4.1, 9.5.6)."""
    march, space = game.the_march, game.the_march.at
    force, name = march.force, name_of(march)
    march.fought = True
    put_down(game, march)
    fought = stack_there(game, march)
    game.battle = Battle(space, march.power, defender, came_from=march.came_from, came_by=march.came_by)
    flank = yield from bring_flank(game, table)
    attack = Attack(
        march.power,
        defender,
        space,
        march.came_from,
        march.came_by,
        intercepted=met.intercepted_by == defender,
        failed_avoidance=defender in met.failed_avoidance,
    )
    outcome: Outcome = yield from fight(game, table, attack, f"battle/{name}")
    go_on = outcome.goes_on and outcome.winner == march.power and march.leader in game.force(march.power, space).leaders
    if go_on:
        take_up(game, march, force)  # dice may have cost CU before the battle was fought again (21.3)
    else:
        march.over = True
        tire(game, march, fought)
    if flank is not None:
        yield from after_flank(game, table, *flank, go_on)


def stack_there(game: Game, march: March) -> Force:
    """Return what the power of a march has where it is now, as a force of its own."""
    there = game.force(march.power, march.at)
    return Force(there.cu, there.mercenaries, list(there.leaders))


def tire(game: Game, march: March, fought: Force) -> None:
    """Note that an army that has fought has done all that it can in this Campaign, wherever it is now (9.5.2)."""
    exhaust(game, march, game.where(march.leader) or march.at, fought)


# ---- the flank of a Campaign (9.5.6 to 9.5.9)


def bring_flank(game: Game, table: Table) -> Flow[tuple[March, Force] | None]:
    """Hold the battle until the second commander of a Campaign is on its flank, if there is to be one (9.5.6).

    Return his march, and the force that stands there now.
    """
    primary, held = game.march, game.the_battle
    flank = yield from choose_flank(game, table)
    if flank is None:
        return None
    game.march = flank
    part = yield from way_of_flank(game, table)
    set_out(game, table, part)
    yield from follow(game, table)
    game.march = primary
    adjacent = held.space in game.board.neighbours[flank.at] and flank.at != held.came_from
    comes = flank.caught_by is None and flank.force.army and adjacent and not flank.fought
    if flank.caught_by is not None and game.options["intercepted_flank"]:
        comes = adjacent
    if comes:
        held.flank, held.flank_at, held.flank_cu = flank.power, flank.at, flank.force.cu
        table.tell("flanks", power=flank.power, leader=flank.leader, space=held.space, at=flank.at, rule="9.5.6")
    force = flank.force
    if not force.empty:
        put_down(game, flank)
    return flank, force


def after_flank(game: Game, table: Table, flank: March, force: Force, goes_on: bool) -> Flow[None]:
    """Do what is left for a flank: its own battle if it was intercepted, or its way on after an automatic victory.

    The primary force goes on first (9.5.7); an intercepted flank fights after its battle (9.5.9).
    """
    primary, by = game.march, flank.caught_by
    if by is None and goes_on:
        yield from follow(game, table)
        yield from stop(game, table)
    if flank.leader not in game.force(flank.power, flank.at).leaders:  # beaten, or taken along
        return
    if by is None and not goes_on:
        settle_at(game, table, flank.power, flank.at)
        return
    game.march = flank
    take_up(game, flank, force)
    flank.flanking = None
    flank.over, flank.then = False, ASK
    if by is not None:
        yield from meet(game, table, (yield from react(game, table, Met(by), name_of(flank))))
    yield from follow(game, table)
    yield from stop(game, table)
    game.march = primary


# ---- the end (9.4.4, 13.1)


def stop(game: Game, table: Table) -> Flow[None]:
    """Stop: attack what was only to be passed, or stand where one may, and lay siege (9.4, 13.1, 15.3, 16.3)."""
    march = game.the_march
    if march.force.empty:
        return
    there = march.at == GARRISON_BOX and not march.path  # and not back in port after a storm
    if march.then == ATTACK_UNREST and there and march.force.cu and march.points >= 1:
        yield from attack_unrest(game, table)
        return
    if march.at in march.bribed and march.force.cu and (enemies := game.enemies_in(march.power, march.at)):
        march.bribed.remove(march.at)
        yield from attack_enemies(game, table, Met(), enemies[0])
        if march.force.empty:
            return
    stand(game, table, march)
    settle_at(game, table, march.power, march.at)


def attack_unrest(game: Game, table: Table) -> Flow[None]:
    """Attack the unrest with some of the CU that have come to the Garrison box, with the last point (S 20.3)."""
    march = game.the_march
    force, name = march.force, name_of(march)
    join(game, march)
    before = game.force(march.power, march.at).cu
    cu = min(march.against or force.cu, unrest.fresh_cu(game))
    yield from unrest.fight_unrest(game, table, march.leader, cu, name)
    lost = before - game.force(march.power, march.at).cu
    tire(game, march, Force(cu - lost, 0, force.leaders))
    settle_spaces(game, table)


def stand(game: Game, table: Table, march: March) -> None:
    """Join what stands in the space; where the force may not stop it goes back as far as it must (15.3, 16.3)."""
    if why_not_end(game, march, march.at) is not None:
        back = [space for space in reversed(march.trail[:-1]) if not game.enemies_in(march.power, space)]
        march.at = next((space for space in back if why_not_end(game, march, space) is None), march.origin)
        table.tell("goes_back", power=march.power, leader=march.leader, space=march.at, rule="9.4")
    power, space = march.power, march.at
    table.tell("stops", power=power, leader=march.leader, space=space, cu=march.force.cu, rule="9.1")
    join(game, march)


def settle_at(game: Game, table: Table, power: str, space: str) -> None:
    """Draw the consequences of an army that stands in a space: displaced leaders, a siege (8.4, 13.1)."""
    if not game.force(power, space).cu and game.enemies_in(power, space):
        displace(game, table, power, space)
    settle_spaces(game, table)
    if game.force(power, space).army and not game.enemies_in(power, space):
        place_marker(game, table, power, space)


# ---- sorties (13.4.1)


def part_for_sortie(game: Game, inside: Force, wanted: Wanted, leader: str) -> Force:
    """Return the force that attacks out of a city (8.2.1, 13.4.2).

    Unless the order names less, that is all CU, and all leaders whom the active one can command.
    """
    others = subordinates(game, inside, leader) if wanted.cu is None else wanted.others
    return part_of(inside, wanted._replace(others=wanted.others or others), leader, inside.cu)


def sally(game: Game, table: Table, wanted: Wanted) -> Flow[None]:
    """Attack the besiegers with the active leader; they may avoid battle before (11.1, 13.4.1)."""
    march = game.the_march
    power, space, leader = march.power, march.at, march.leader
    inside = game.inside[space]
    part = part_for_sortie(game, inside, wanted, leader)
    name = f"{leader}/{space}"
    march.force, rest = part, rest_of(inside, part)
    if rest.empty:
        del game.inside[space]
    else:
        game.inside[space] = rest
    failed = False
    asked = yield from reactions.avoidance_questions(game, table)
    if asked:
        orders = yield from table.ask_all(asked)
        for decision, order in zip(asked, orders, strict=True):
            if order["to"] != NONE:
                leaving = reactions.declared(game, decision.facts["power"], order)
                failed = not (yield from reactions.avoid(game, table, leaving, name))
    march.force = Force()
    game.inside[space] = inside
    if game.enemies_in(power, space):
        yield from _attack(game, table, part, failed_avoidance=failed, name=f"sortie/{name}")
    settle_spaces(game, table)


def _attack(game: Game, table: Table, part: Force, *, failed_avoidance: bool, name: str) -> Flow[None]:
    """Attack the besiegers, with a flank if a Campaign brings one; who loses goes back inside (9.5.8, 13.4.1)."""
    power, space = game.the_march.power, game.the_march.at
    besieger = game.enemies_in(power, space)[0]
    game.battle = Battle(space, power, besieger)
    sally_out(game, power, space, part.cu, part.leaders)
    table.tell("sortie", power=power, space=space, cu=part.cu, leaders=list(part.leaders), rule="13.4.1")
    flank = yield from bring_flank(game, table)
    outcome = yield from fight(game, table, Attack(power, besieger, space, failed_avoidance=failed_avoidance), name)
    if flank is not None:
        yield from after_flank(game, table, *flank, outcome.goes_on and outcome.winner == power)
