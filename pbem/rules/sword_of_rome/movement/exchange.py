"""Picking up and dropping off on the way, and joining what stands where a march ends (9.1.1, 9.1.2)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from pbem.game import Refusal, Table
from pbem.rules.sword_of_rome.movement.fatigue import legs_without, set_off, stay
from pbem.rules.sword_of_rome.movement.orders import Body, Step, Wanted
from pbem.rules.sword_of_rome.movement.parts import (
    arrange,
    move_out,
    part_of,
    rest_of,
    told,
    why_consul_alone,
    why_not_part,
)
from pbem.rules.sword_of_rome.movement.paths import why_not_end
from pbem.rules.sword_of_rome.position.state import Force, Game, March


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
        others = march.force.cu - march.force.mercenaries
        part = Force(cu, max(0, cu - others))
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
    fewest = cu - (there.cu - there.mercenaries)
    mercenaries = max(fewest, min(cu, force.mercenaries, there.mercenaries))
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
                fewest = max(0, cu - (stack.cu - stack.mercenaries))
                yield from (Force(cu, each, list(some)) for each in range(fewest, min(cu, stack.mercenaries) + 1))


def _written(part: Force, stack: Force) -> Body:
    body: dict[str, object] = {}
    if part.cu:
        body |= told(part.cu, part.mercenaries, stack)
    if part.leaders:
        body["with"] = list(part.leaders)
    return body
