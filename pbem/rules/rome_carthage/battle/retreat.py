"""The retreat of the beaten army: into the city, over land, or elimination (11.10, 12.1, 16.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from pbem.game import NOTHING, AllOf, Answers, Fixed, Kind, Nested, OneOf, Part, Table, Value
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.battle.losses import Army, Cause, retreat_table, suffer
from pbem.rules.rome_carthage.battle.politics import political_consequences
from pbem.rules.rome_carthage.battle.routes import Route, retreat_of, routes, toll, ways_named, why_no_route
from pbem.rules.rome_carthage.orders import ALL, ArmyPart, RetreatOrder, illegal
from pbem.rules.rome_carthage.position.generals import (
    arrive,
    displace,
    displace_the_destroyed,
    drive_off_generals,
    is_consul,
)
from pbem.rules.rome_carthage.position.naming import general_named, generals_named, no_such_space, why_no_elephants
from pbem.rules.rome_carthage.position.state import ENEMY, Game, once_a_march
from pbem.rules.rome_carthage.position.under_way import Retreat, Stack
from pbem.rules.rome_carthage.siege.train import lose_train
from pbem.rules.rome_carthage.siege.walls import enter_city


def suffer_defeat(game: Game, table: Table) -> Flow[None]:
    """Carry out a defeat: the retreat table, the retreat, the political consequences (11.10, 12).

    Generals whose last CU falls to the table or on the retreat are displaced; those whose CU all fell in the
    battle itself retreat alone, or are displaced by the rules of 1998 (8.9).
    """
    battle = game.the_battle
    side, space = battle.the_loser, battle.space
    lose_train(game, table, side, space)
    yield from displace_the_destroyed(game, table)
    if game.result is not None:
        return
    fought_on = game.stack(side, space).cu > 0
    yield from retreat_table(game, table)
    if fought_on and not game.stack(side, space).cu:
        yield from _end(game, table, side, space, "retreat_table")
    else:
        yield from retreat(game, table)
    if game.result is None:
        yield from political_consequences(game, table)


def retreat(game: Game, table: Table) -> Flow[None]:
    """Let the loser retreat, by choice if there is one; an army with no way out is eliminated (12.1)."""
    bound = game.retreat = retreat_of(game)
    side, space = bound.side, bound.space
    stack = game.stack(side, space)
    if stack.empty:
        return
    choices = Answers("retreat", retreats(game))
    if not len(choices):
        yield from _end(game, table, side, space, "retreat")
        return
    order: Order = choices[0]
    if len(choices) > 1:
        order = yield from table.ask(
            side,
            "retreat",
            rule="12.1",
            default={"city": ALL} if _prefers_city(game, bound, stack) else choices[0].body,
            space=space,
            cu=stack.cu,
            elephant_cu=stack.elephants,
            generals=list(stack.generals),
            room=bound.room,
        )
    said = RetreatOrder.read(order)
    if said.city is not None:
        _enter_city(game, table, said.city)
    if said.path is not None:
        yield from _take_road(game, table, said.path)
    elif not game.stack(side, space).empty:
        yield from _end(game, table, side, space, "retreat")


def _prefers_city(game: Game, bound: Retreat, stack: Stack) -> bool:
    """Tell whether an army does best to enter the city: it fits, and every road costs CU (12.1, 16.2)."""
    if not fits(bound, stack):
        return False
    roads = routes(game, bound, stack.cu)
    return not roads or roads[0].lost > 0


def _enter_city(game: Game, table: Table, part: ArmyPart | str) -> None:
    """Take the army, or the part of it that is named, behind the walls (16.2)."""
    bound = game.the_retreat
    side, space = bound.side, bound.space
    force = game.take(side, space, part_of(game.stack(side, space), part))
    enter_city(game, space, force)
    table.tell("enters_city", rule="16.2", side=side, space=space, cu=force.cu, generals=force.generals)


def _take_road(game: Game, table: Table, path: Sequence[str]) -> Flow[None]:
    """March the beaten army along its path, losing CU to what it meets and sweeping along its own (12.1, 12.1.2)."""
    bound, battle = game.the_retreat, game.the_battle
    side, here = bound.side, bound.space
    stack = game.stack(side, here)
    generals = list(stack.generals)
    table.tell(
        "retreats", rule="12.1", side=side, space=here, refuge=path[-1], path=list(path), cu=stack.cu, generals=generals
    )
    left_behind: list[str] = []
    for step in path:
        moving = [general for general in stack.generals if general not in left_behind]
        force = game.take(side, here, Stack(stack.cu, stack.elephants, moving))
        paid = toll(game, bound, step) if force.cu else 0
        met = game.stack(side, step)
        # CU on the way are swept along with their generals; generals alone stay where they are.
        left_behind = [] if met.cu else list(met.generals)
        if met.cu and step != path[-1]:
            table.tell("swept_along", rule="12.1", side=side, space=step, cu=met.cu, generals=list(met.generals))
        stack = game.put(side, step, Stack(force.cu, force.elephants, force.generals, force.train))
        arrive(game, stack, force.generals)
        lost = yield from suffer(game, table, Army(side, stack, step), (paid, 0), Cause("retreat", "12.1.2"))
        battle.lost[side] = battle.lost.get(side, 0) + lost
        if stack.cu:
            yield from drive_off_generals(game, table, side, step)
        here = step
    if game.stack(ENEMY[side], here).cu and stack.cu:
        force = game.take(side, here, part_of(stack, ALL))
        enter_city(game, here, force)
        table.tell("enters_city", rule="16.2", side=side, space=here, cu=force.cu, generals=force.generals)


def _end(game: Game, table: Table, side: Side, space: str, cause: str) -> Flow[None]:
    """Eliminate what is left of the beaten army in a space, and displace its generals (8.9, 12.1.2)."""
    battle = game.the_battle
    stack = game.stacks[side].pop(space, None)
    if stack is None:
        return
    if stack.cu:
        battle.lost[side] = battle.lost.get(side, 0) + stack.cu
        table.tell(
            "eliminated", rule="12.1.2", side=side, space=space, cu=stack.cu, elephants=stack.elephants, cause=cause
        )
    yield from displace(game, table, side, stack.generals, cause)


def part_of(stack: Stack, part: ArmyPart | str) -> Stack:
    """Return the part of an army that an order sends into the city: all, or CU, elephants and generals (16.2)."""
    if isinstance(part, str):
        return Stack(stack.cu, stack.elephants, list(stack.generals), stack.train)
    return Stack(part.cu, part.elephants or 0, list(part.generals))


def fits(bound: Retreat, part: Stack) -> bool:
    """Tell whether the beaten army, or a part of it, may go into its city (16.2, 16.5.5).

    There must be room, and a besieged city takes back only what sallied out of it.
    """
    if bound.room is None or part.cu > bound.room:
        return False
    back = bound.sallied
    return back is None or (
        part.elephants <= back.elephants
        and part.cu - part.elephants <= back.cu - back.elephants
        and all(general in back.generals for general in part.generals)
    )


def retreats(view: Game) -> Part:
    """Return every retreat of the beaten army: a road, the city, or both for an army too large for it (12.1, 16.2)."""
    bound = view.the_retreat
    stack = view.stack(bound.side, bound.space)
    ways = []
    if roads := routes(view, bound, stack.cu):
        ways.append(Value("road", _along(roads), says=("retreat",), weight=2))
    if bound.room is not None and (bound.room or not stack.cu):
        if fits(bound, stack):
            ways.append(Value("city", Fixed({"city": ALL}), says=("inside",), must=True))
        else:
            most, fewest = min(bound.room, stack.cu), 1 if bound.sallied is None else 0
            parts = [Value("", _split(view, bound, stack, cu)) for cu in range(most, fewest - 1, -1)]
            ways.append(Value("part", OneOf(None, parts, inferred=True), says=("inside",), must=True))
    return OneOf(None, ways, inferred=True)


def _along(roads: Sequence[Route]) -> Part:
    """Return the choice of a road (12.1)."""
    return OneOf("path", [Value(list(road.path), at=road.path[-1]) for road in roads], of="space", ordered=True)


def _split(view: Game, bound: Retreat, stack: Stack, cu: int) -> Part:
    """Return the retreats that leave some CU in the city, and any generals, and send the rest on (16.2, 16.5.5)."""
    roads = routes(view, bound, stack.cu - cu)
    groups = [
        list(group)
        for size in range(0 if cu else 1, len(stack.generals) + 1)
        for group in combinations(stack.generals, size)
        if fits(bound, Stack(0, 0, list(group))) and (not roads or not splits_consul(view, stack, cu, group))
    ]
    elephants = [beasts for beasts in stack.elephants_among(cu) if fits(bound, Stack(cu, beasts))]
    inside = AllOf(
        Fixed({"cu": cu}),
        OneOf("elephants", [Value(beasts or None) for beasts in elephants]),
        OneOf("generals", [Value(group or None) for group in groups], of="general"),
    )
    return AllOf(Nested("city", inside), _along(roads) if roads else NOTHING)


def splits_consul(view: Game, stack: Stack, cu: int, group: tuple[str, ...] | list[str]) -> bool:
    """Tell whether a split would leave a consul in either part with fewer than five CU (14.2).

    An army that has fewer than five anyway may leave nobody behind.
    """
    inside = any(is_consul(view, general) for general in group)
    outside = any(is_consul(view, general) for general in stack.generals if general not in group)
    return (inside and cu < view.board.consular_army) or (outside and stack.cu - cu < view.board.consular_army)


def check_retreat(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a retreat (12.1, 16.2)."""
    bound = view.the_retreat
    stack = view.stack(bound.side, bound.space)
    said, rest, everybody = RetreatOrder.read(order), stack.cu, False
    part, path = said.city, said.path
    if part is not None:
        wrong = list(_check_city(view, bound, stack, part))
        yield from wrong
        if wrong:
            if path is not None:
                yield from (
                    order.fault(("path", at), no_such_space(view, step), rule="12.1")
                    for at, step in enumerate(path)
                    if step not in view.board.spaces
                )
            return
        inside = part_of(stack, part)
        rest, everybody = rest - inside.cu, whole_army(stack, inside)
    if everybody:
        if path is not None:
            yield order.fault(("path",), "the whole army enters the city; leave out path", rule="16.2")
        return
    open_routes = routes(view, bound, rest)
    if path is None:
        if open_routes or part is None:
            reason = f"name the path of {rest} CU; open are: {ways_named(view, open_routes)}"
            yield order.fault((), reason, rule="12.1")
    elif not open_routes:
        reason = "no way of four spaces or fewer leads to a refuge without losing every CU; leave out path"
        yield order.fault(("path",), reason.replace("four", str(view.board.movement.retreat)), rule="12.1.1")
    elif path not in [route.path for route in open_routes]:
        at, why = why_no_route(view, bound, path, open_routes)
        yield why.at(("path", at) if path else ("path",))


def _check_city(view: Game, bound: Retreat, stack: Stack, part: ArmyPart | str) -> Iterator[Fault]:
    """Yield what is wrong with the part of the army that goes into the city (14.2, 16.2)."""
    name = view.board.spaces[bound.space].name
    if bound.room is None or (stack.cu and not bound.room):
        reason = f"{name} is no city of yours with room" if bound.room is None else f"{name} has no room left"
        yield illegal(("city",), f"{reason}; name a path", rule="16.2")
    elif isinstance(part, str) or (fits(bound, stack) and whole_army(stack, part_of(stack, part))):
        if stack.cu > bound.room:
            reason = f"{bound.room} of the {stack.cu} CU fit into {name}; name {{cu, generals}} and a path for the rest"
            yield illegal(("city",), reason, rule="16.2")
        elif not fits(bound, stack):
            yield illegal(("city",), f"{_who_sallied(view, bound)} sallied out of {name}, no more", rule="16.5.5")
    elif fits(bound, stack):
        reason = f"the army fits into {name} and may not split: write city: all, or a path alone"
        yield illegal(("city",), reason, rule="16.2")
    else:
        yield from _check_part(view, bound, stack, part)


def _check_part(view: Game, bound: Retreat, stack: Stack, part: ArmyPart) -> Iterator[Fault]:
    """Yield what is wrong with a split between city and road: CU, elephants, generals, consuls (14.2, 16.2)."""
    assert bound.room is not None
    inside = part_of(stack, part)
    least = 0 if bound.sallied is not None and inside.generals else 1
    if not least <= inside.cu <= min(bound.room, stack.cu):
        reason = f"{least} to {min(bound.room, stack.cu)} CU may go into the city, not {inside.cu}"
        yield illegal(("city", "cu"), reason, rule="16.2")
        return
    if (why := why_no_elephants(stack, inside.cu, inside.elephants)) is not None:
        at = ("city", "elephants") if part.elephants is not None else ("city",)
        yield why.at(at)
    for at_general, general in enumerate(inside.generals):
        if general not in stack.generals or general in inside.generals[:at_general]:
            here = generals_named(view, stack.generals)
            twice = general in inside.generals[:at_general]
            no = "is named twice" if twice else f"is not with the army to go into the city; with it there is: {here}"
            reason = f"{general_named(view, general)} {no}"
            yield illegal(("city", "generals", at_general), reason, rule="16.2")
    if not fits(bound, inside):
        reason = f"a besieged city takes back only who sallied out of it: {_who_sallied(view, bound)}"
        yield illegal(("city",), reason, rule="16.5.5")
    if splits_consul(view, stack, inside.cu, inside.generals) and routes(view, bound, stack.cu - inside.cu):
        reason = f"a consul keeps {view.board.consular_army} CU with him: he may be left with no fewer in either part"
        yield illegal(("city",), reason, rule="14.2")


def whole_army(stack: Stack, part: Stack) -> bool:
    """Tell whether a part of an army is all of it (16.2)."""
    return (part.cu, part.elephants, set(part.generals)) == (stack.cu, stack.elephants, set(stack.generals))


def _who_sallied(view: Game, bound: Retreat) -> str:
    back = bound.sallied
    assert back is not None
    beasts = f", {back.elephants} of them elephants" if back.elephants else ""
    return f"{back.cu} CU{beasts}" + (f" and {generals_named(view, back.generals)}" if back.generals else "")


RETREAT_KINDS: Final = (
    Kind(
        "retreat",
        lambda view, decision: retreats(view),
        check_retreat,
        hints="views.hints:retreat",
        is_last=once_a_march,
    ),
)
