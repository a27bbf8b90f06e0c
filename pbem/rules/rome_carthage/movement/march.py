"""Movement: a general marches step by step and meets what is on the way (8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Fixed, Kind, OneOf, Part, Table, Value, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.rome_carthage.battle.battle import fight, sally
from pbem.rules.rome_carthage.movement.activation import force_of, home_of
from pbem.rules.rome_carthage.movement.card_play import (
    CAMPAIGN,
    allowance,
    exhausted,
    march_type,
    note_departure,
    note_exchange,
    note_outcome,
    note_stop,
    picked,
    points_left,
    riders_at_start,
    walked,
)
from pbem.rules.rome_carthage.movement.hazards import (
    bad_weather,
    cross_pass,
    land_in_city,
    meet_tribes,
    named_space,
    pay_for_passes,
    sail,
)
from pbem.rules.rome_carthage.movement.march_cards import charm, check_charm
from pbem.rules.rome_carthage.movement.paths import (
    Meeting,
    can_go_on,
    check_path,
    enemy_cu_at,
    exchange,
    must_stop,
    next_steps,
    onward,
    overseas,
    step_cost,
    why_no_exchange,
)
from pbem.rules.rome_carthage.movement.reactions import react
from pbem.rules.rome_carthage.movement.setting_out import further
from pbem.rules.rome_carthage.orders import ALL, NONE, Body, MarchOrder, Step, WayOrder
from pbem.rules.rome_carthage.position.board import PLAIN, SEA
from pbem.rules.rome_carthage.position.generals import arrange, displace, drive_off_generals
from pbem.rules.rome_carthage.position.state import ENEMY, Game, once_a_march
from pbem.rules.rome_carthage.position.under_way import Battle, Besiegers, March, Stack
from pbem.rules.rome_carthage.siege.siege import end_of_march, lift_left
from pbem.rules.rome_carthage.siege.train import bring_train, leave_train, lose_lone_train, part_with_train
from pbem.rules.rome_carthage.siege.walls import detach, enter_city, pool, room, why_not_inside

# ---- the next step: what may be ordered, and what is wrong with an order (8.2, 10.3, 16.2)


def march_choices(view: Game, decision: Decision) -> Part:
    """Return the ways on of a general on the march, into a city there, or the stop (8.2, 10.3, 16.2)."""
    march = view.the_march
    ways = [Value("march", further(view, march), says=("march",), weight=3)]
    if march.force.cu or not stands_on_lone_general(view, march):
        ways.insert(0, Value("stop", Fixed({"stop": True}), says=("stop",), must=True))
    return OneOf(None, ways, inferred=True)


def unordered(game: Game, march: March) -> Body:
    """Return the default for a general on the march: he stops, or goes back if he may not stop there (8.4.2)."""
    if march.force.cu or not stands_on_lone_general(game, march):
        return {"stop": True}
    steps = next_steps(game, march)
    return {"path": [march.came_from if march.came_from in steps else steps[0]], "then": "ask"}


def stands_on_lone_general(game: Game, march: March) -> bool:
    """Tell whether an enemy general alone stands here: a general alone may not stop on him (8.4.2)."""
    lone = game.stack(ENEMY[march.side], march.at)
    return bool(lone.generals) and not lone.cu


def last_rest(game: Game, march: March) -> str:
    """Return the last space on a general's way without enemies, or where he is (8.4.2)."""
    enemy = ENEMY[march.side]
    way = reversed([march.origin, *march.entered])
    free = (space for space in way if not (game.stack(enemy, space).generals or enemy_cu_at(game, march.side, space)))
    return next(free, march.at)


def check_march(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with more of a path, or with stopping here (8.2 to 8.5, 10.3)."""
    march, way = view.the_march, WayOrder.read(order)
    if way.stop:
        for word in ("path", "then", "if_intercepted", "if_avoided", "charm"):
            if word in order.body:
                yield order.fault((word,), f"either stop, or go on by {word}", rule="8.2")
        if not march.force.cu and stands_on_lone_general(view, march):
            yield order.fault(("stop",), "a general alone may not stop on an enemy general", rule="8.4.2")
    elif not way.path:
        yield order.fault((), "give a path, or stop: true", rule="8.2")
    else:
        yield from check_charm(view, way, march.general)
        yield from check_path(view, way, march.at, march.force, march.points)


def stops_for_good(view: Game, decision: Decision, order: Order) -> bool:
    """Tell whether an order ends the last march: a path may close on the way, and then the general is asked again."""
    return bool(order.get("stop")) and not view.marches_left


# ---- the march


def march(game: Game, table: Table, side: Side, order: MarchOrder) -> Flow[None]:
    """March with a general and his force until his path, his points or the enemy stop him (8.2), or sally (16.4.4)."""
    if order.sortie:
        yield from sally(game, table, side, order.force)
        return
    space, stack = home_of(game, side, order.force.general, by_sea=order.way.sets_sail)
    force = force_of(game, stack, order.force, exhausted(game, side, space))
    general, kind = force.generals[0], march_type(game)
    stack_cu, legs = stack.cu, picked(walked(game, side, space), stack.cu, force.cu)
    riders = riders_at_start(game, force.generals[1:])
    note_departure(game, side, space, legs)
    if kind == CAMPAIGN:
        game.the_card.moved.append(general)
    detach(game, side, space, force)
    game.march = March(side, general, force, space, space, allowance(game, general, kind), stack_cu, legs=legs)
    game.march.riders = riders
    obey(game.march, order.way)
    table.tell(
        "marches",
        side=side,
        card=game.the_card.card,
        general=force.generals[0],
        companions=force.generals[1:],
        space=space,
        cu=force.cu,
        elephants=force.elephants,
        rule="8.2",
    )
    bring_train(game, table, game.march, order.train)
    yield from follow(game, table)
    besiegers = None
    if game.result is not None:
        join(game, game.march)
    elif not game.march.fought:
        besiegers = yield from end_march(game, table)
    note_outcome(game, game.march, besiegers)


def obey(march: March, way: WayOrder) -> None:
    """Note an order to march: the path, what follows it, and what to do if the enemy reacts (8.2, 9.3, 10.3).

    What a later order leaves out about the enemy stays as ordered before.
    """
    march.path = [{"to": step} if isinstance(step, str) else dict(step) for step in way.written]
    march.then = way.then
    march.if_intercepted = way.if_intercepted or march.if_intercepted
    march.if_avoided = way.if_avoided or march.if_avoided
    if way.charm == ALL:
        march.charm = None
    elif way.charm is not None:
        march.charm = [] if way.charm == NONE else list(way.charm)


def follow(game: Game, table: Table) -> Flow[None]:
    """Follow the ordered path, asking for more of it where the order says so (8.2)."""
    march = game.the_march
    while not march.over:
        if march.path:
            yield from take_step(game, table, march, Step.read(march.path.pop(0)))
        elif march.then == "ask" and can_go_on(game, march):
            obey(march, (yield from ask_the_way(game, table, march, "march", "8.2")))
            march.over = not march.path
        else:
            march.over = True


def ask_the_way(game: Game, table: Table, march: March, kind: str, rule: str) -> Flow[WayOrder]:
    """Ask where a general on the march goes next, and return the answer (8.2, 10.3)."""
    order = yield from table.ask(
        march.side,
        kind,
        rule=rule,
        default=unordered(game, march),
        general=march.general,
        at=march.at,
        cu=march.force.cu,
        points=points_left(march),
    )
    return WayOrder.read(order)


def take_step(game: Game, table: Table, march: March, step: Step) -> Flow[None]:
    """Enter the next space: cost, pass, reactions, overrun or battle, then what is dropped and taken (8.2 to 8.4)."""
    to = step.to
    if not still_open(game, march, step):
        table.tell("path_closed", side=march.side, general=march.general, space=to, rule="8.2")
        march.path, march.then = [], "ask"
        return
    kind = SEA if step.by_sea else game.board.neighbours[march.at][to]
    if (yield from bad_weather(game, table, march, to, kind)):
        return
    leave_train(game, table, march, kind)
    march.into_city = step.into_city
    if kind == SEA:
        yield from sail(game, table, march, to)
    else:
        yield from walk(game, table, march, to)
    if len(march.entered) == 1:
        charm(game, table, march, march.origin)
    if not march.over:
        yield from meet_tribes(game, table, march)
    if not march.over:
        yield from react(game, table)
    if game.result is not None:
        march.over = True
    if march.over:
        return
    if march.into_city and (game.reaction is None or not game.reaction.arrived):
        game.reaction = None
        land_in_city(game, table, march)
        return
    yield from meet_enemy(game, table, march)
    lose_lone_train(game, table, march.at)
    if march.over:
        return
    exchange_on_the_way(game, table, march, step)
    if must_stop(game, march.force, game.stack(march.side, march.at)) and (march.path or march.then == "ask"):
        march.over = True
        table.tell("consul_needs_units", side=march.side, general=march.general, space=march.at, rule="14.3")


def still_open(game: Game, march: March, step: Step) -> bool:
    """Tell whether the next step of a path may still be taken, by land or by sea (8.2 to 8.4, 8.8)."""
    return step.voyage in overseas(game, march) if step.by_sea else step.to in onward(game, march)


def walk(game: Game, table: Table, march: March, to: str) -> Flow[None]:
    """Walk to the next space: points, the siege left behind, the losses of a mountain pass (8.2, 8.3)."""
    kind = game.board.neighbours[march.at][to]
    march.came_from, march.at, march.came_by = march.at, to, kind
    march.spend(step_cost(game, kind))
    march.entered.append(to)
    table.tell("entered", side=march.side, general=march.general, space=to, cu=march.force.cu, rule="8.2")
    lift_left(game, table, march.side, march.came_from)
    yield from cross_pass(game, table, march, kind, named_space(march))


def meet_enemy(game: Game, table: Table, march: March) -> Flow[None]:
    """Overrun, fight or displace any enemy still in the space; else pursue or march on (8.2, 8.9, 10.3)."""
    enemy, reaction = ENEMY[march.side], game.reaction
    stack = game.stack(enemy, march.at)
    if march.force.cu >= game.board.movement.overrun and stack.cu == 1 and not stack.generals:
        game.take(enemy, march.at, Stack(stack.cu, stack.elephants))
        table.tell("overrun", side=enemy, general=march.general, space=march.at, rule="8.2")
        lift_left(game, table, enemy, march.at)
    elif stack.cu and game.cu(march.side, march.at):
        yield from pay_for_passes(game, table, march)
        if march.over:
            game.reaction = None
            return
        battle = Battle(march.at, march.side, march.side, None if march.came_by == SEA else march.came_from)
        if reaction is not None:
            battle.defender_from, battle.intercepted = dict(reaction.arrived), bool(reaction.arrived)
            battle.avoid_failed = reaction.avoid_failed
        game.reaction = None
        march.over = march.fought = True
        join(game, march)
        yield from fight(game, table, battle)
        return
    elif stack.generals and march.force.cu:
        generals = list(stack.generals)
        game.take(enemy, march.at, Stack(0, 0, generals))
        yield from displace(game, table, enemy, generals, cause="enemy_army")
        march.over = game.result is not None
    avoided = reaction is not None and reaction.avoided
    game.reaction = None
    if not march.over:
        charm(game, table, march, march.at)
    if avoided and not march.over:
        yield from pursue(game, table, march)


def pursue(game: Game, table: Table, march: March) -> Flow[None]:
    """Let a general march on after the enemy gave way, in any direction, if he rolls for it (10.3).

    If the order covers this case, nobody is asked: the general stops, besieges, or pursues along the rest of the path.
    """
    if march.if_avoided in ("stop", "siege"):
        march.path, march.then, march.over = [], march.if_avoided, True
        return
    ordered = march.if_avoided == "pursue"
    if ordered and not march.path and march.then != "ask":
        march.over = True
        return
    if not ordered:
        march.path, march.then = [], ""
    if not can_go_on(game, march):
        march.over = True
        return
    if not ordered:
        way = yield from ask_the_way(game, table, march, "pursue", "10.3")
        if not way.path:
            march.over = True
            return
        obey(march, way)
    pursues_on = game.board.generals[march.general].pursues_on
    name = f"pursue/{march.general}/{named_space(march)}"
    roll = table.roll(name, at_most=pursues_on, rule="10.3", **march.told)
    if not roll.success:
        march.over = march.halted = True
        march.path, march.then = [], ""
        table.tell("pursuit_failed", side=march.side, general=march.general, space=march.at, rule="10.3")


def exchange_on_the_way(game: Game, table: Table, march: March, step: Step) -> None:
    """Drop and take units and generals in the space just entered, as far as they are still there (8.2, 8.7)."""
    for wanted, drops in ((step.drop, True), (step.take, False)):
        if wanted is None:
            continue
        stack = pool(game, march.side, march.at)
        source = march.force if drops else stack
        names = [general for general in wanted.generals if general in source.generals]
        cu = min(wanted.cu, source.cu)
        elephants = max(min(wanted.elephants, source.elephants), source.fewest_elephants(cu))
        meeting, nothing = Meeting(march.force, stack, march.at, march.army), not cu and not names
        if nothing or why_no_exchange(game, meeting, names, cu, drops) is not None:
            table.tell("not_exchanged", side=march.side, general=march.general, space=march.at, rule="8.7")
            continue
        part = Stack(cu, elephants, names)
        note_exchange(game, march, stack, part, drops)
        inside = drops and wanted.inside and (room(game, march.side, march.at) or 0) >= cu
        if not drops:
            detach(game, march.side, march.at, part)
        elif inside:
            enter_city(game, march.at, part)
        else:
            arrange(game, game.put(march.side, march.at, part))
        exchange(march.force, names, cu, elephants, drops)
        part_with_train(game, march, part)
        table.tell(
            "dropped" if drops else "taken",
            **march.told,
            cu=cu,
            elephants=elephants,
            generals=names,
            inside=inside,
            rule="8.7",
        )


def join(game: Game, march: March) -> Stack:
    """Let the marching force join its side's stack; its generals go before equals in rank (8.5)."""
    stack = game.put(march.side, march.at, march.force)
    going = march.force.generals
    stack.generals = going + [general for general in stack.generals if general not in going]
    arrange(game, stack)
    note_stop(game, march, stack)
    march.force = Stack()
    return stack


def end_march(game: Game, table: Table) -> Flow[Besiegers | None]:
    """Stop: join the stack there, then clear a marker, besiege or subjugate; return who did (8.5, 16.4)."""
    march = game.the_march
    if march.force.empty:
        return None
    if march.path or march.halted:
        march.then = ""
    yield from pay_for_passes(game, table, march)
    # A fleet that comes back to a watched city is inside again: outside stands the enemy.
    inside = march.then == "inside" or game.cu(ENEMY[march.side], march.at) > 0
    if inside and why_not_inside(game, march.side, march.at, march.force, march.origin) is None:
        land_in_city(game, table, march, rule="16.2")
        return None
    if not march.force.cu and stands_on_lone_general(game, march):
        march.at = last_rest(game, march)
        table.tell("turned_back", side=march.side, general=march.general, space=march.at, rule="8.4.2")
    join(game, march)
    table.tell("stopped", side=march.side, general=march.general, space=march.at, rule="8.5")
    yield from drive_off_generals(game, table, march.side, march.at)
    if game.result is not None:
        return None
    holder = game.control.get(march.at)
    plain = game.board.spaces[march.at].kind == PLAIN
    commands = game.stack(march.side, march.at).commander == march.general
    if game.board.generals[march.general].removes_marker and commands and plain and holder == ENEMY[march.side]:
        order = yield from table.ask(
            march.side, "clear_marker", rule="8.7", default={"remove": True}, general=march.general, at=march.at
        )
        if order["remove"]:
            del game.control[march.at]
            table.tell("marker_cleared", side=march.side, general=march.general, space=march.at, rule="8.7")
    if march.then == "stop":
        return None
    return (yield from end_of_march(game, table, march.side, march.at))


MARCH_KINDS: Final = (
    Kind("clear_marker", *yes_or_no("remove"), is_last=once_a_march),
    *(
        Kind(
            kind,
            march_choices,
            check_march,
            hints="views.hints:march",
            is_last=stops_for_good,
            foresee="views.forecast:foresee_march",
        )
        for kind in ("march", "pursue")
    ),
)
