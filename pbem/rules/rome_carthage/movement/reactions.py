"""Reactions to a force that enters a space: city gates, interception, avoiding battle, backing up (9, 10, 16.2).

Everything is declared before the first roll. The avoidance is rolled first, then the interceptions in the order
of their declaration (9.4, 10.2).
"""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Decision, Flow, Side
from pbem.rules.rome_carthage.movement.activation import force_of
from pbem.rules.rome_carthage.movement.detachment import interception_modifier, leaders, why_no_refuge
from pbem.rules.rome_carthage.movement.hazards import named_space
from pbem.rules.rome_carthage.movement.intercepted import answer_interception
from pbem.rules.rome_carthage.orders import ArmyPart, AvoidOrder, Body, Force, InterceptOrder
from pbem.rules.rome_carthage.position.generals import arrange, arrive, drive_off_generals
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March, Reaction, Stack
from pbem.rules.rome_carthage.siege.siege import lift_left
from pbem.rules.rome_carthage.siege.walls import detach, enter_city, interceptors, room, whole, whole_cu


def react(game: Game, table: Table) -> Flow[None]:
    """Let the other side react to the force on the march in the space it has just entered (9, 10, 16.2)."""
    march = game.the_march
    side = ENEMY[march.side]
    yield from open_gates(game, table, march, side)
    from_spaces, to_spaces = origins(game, march, side), refuges(game, march, side)
    if not from_spaces and not to_spaces:
        return
    game.reaction = Reaction(side, march.at, origins=from_spaces, refuges=to_spaces)
    yield from declare(game, table, march, game.reaction)
    if game.reaction.avoidance:
        yield from avoid(game, table, march, game.reaction)
    if game.result is not None:
        return
    for attempt in game.reaction.interceptions:
        intercept(game, table, march, game.reaction, attempt)
    if game.reaction.arrived:
        take_command(game, game.reaction)
        yield from answer_interception(game, table, march)


def open_gates(game: Game, table: Table, march: March, side: Side) -> Flow[None]:
    """Let the owner of an unbesieged city choose again what stands inside and outside when units come (16.2)."""
    space = march.at
    if not march.force.cu or room(game, side, space) is None or (both := whole(game, side, space)).empty:
        return
    capacity = game.board.spaces[space].capacity
    order = yield from table.ask(
        side,
        "man_city",
        rule="16.2",
        default=_as_it_stands(game, side, space),
        mover=march.general,
        at=space,
        enemy_cu=march.force.cu,
        capacity=capacity,
    )
    part = ArmyPart.read(order.body)
    inside = Stack(part.cu, part.elephants or 0, list(part.generals))
    outside = Stack(
        both.cu - inside.cu,
        both.elephants - inside.elephants,
        [general for general in both.generals if general not in inside.generals],
    )
    garrison = game.garrison(side, space)
    if both.train:
        inside.train = _train_inside(inside, outside, was_in=garrison.train)
        outside.train = not inside.train
    game.stacks[side].pop(space, None)
    game.garrisons.pop(space, None)
    if not outside.empty:
        stack = game.put(side, space, outside)
        arrive(game, stack, [general for general in garrison.generals if general in outside.generals])
    if not inside.empty:
        arrange(game, inside)
        game.garrisons[space] = inside
    table.tell(
        "gates", side=side, space=space, inside=inside.cu, outside=outside.cu, generals=inside.generals, rule="16.2"
    )


def _train_inside(inside: Stack, outside: Stack, *, was_in: bool) -> bool:
    """Tell whether the siege train is inside now: with the generals, or where it was if they part (card 30)."""
    if bool(inside.generals) != bool(outside.generals):
        return bool(inside.generals)
    return outside.empty or (was_in and not inside.empty)


def _as_it_stands(game: Game, side: Side, space: str) -> dict[str, object]:
    inside = game.garrison(side, space)
    return {"cu": inside.cu, "elephants": inside.elephants, "generals": list(inside.generals)}


def origins(game: Game, march: March, side: Side) -> list[str]:
    """List the spaces from which an army may try to intercept: next to it by an ordinary line (9.1, 8.3.4).

    Units of the mover's side that stood there before bar it, inside a city or out; so does a Truce (card 64). Editions
    differ on generals without units, and on whether a space that has made an attempt may make another in the same
    card play.
    """
    space, options = march.at, game.options
    if game.truce or not (march.force.cu or options["lone_generals_intercepted"]):
        return []
    if not options["intercept_into_enemy"] and whole_cu(game, march.side, space):
        return []
    found = [near for near in game.board.by_land[space] if leaders(game, side, near, space)]
    if found and options["interceptions_from_a_space"] == "card_play":
        return [near for near in found if near not in game.the_card.intercepted_from]
    return found


def refuges(game: Game, march: March, side: Side) -> list[str]:
    """List where a stack may go to avoid battle: by an ordinary line, no enemy, and not the enemy's way in (10.1).

    Neither an enemy marker nor a tribe that is no friend gives refuge, nor, by the rules of 2007, does a neutral
    tribe; by them an unbesieged city of its own in the space does. A stack whose generals failed to intercept this very
    force must stand, unless the edition spares it.
    """
    space, options = march.at, game.options
    stack = game.stack(side, space)
    failed = () if options["failed_interceptor_avoids"] else march.failed_interceptors
    if not march.force.cu or march.into_city or not any(general not in failed for general in stack.generals):
        return []
    near_by = [near for near in game.board.by_land[space] if why_no_refuge(game, march, side, near) is None]
    if not options["avoid_into_city"] or room(game, side, space) is None:
        return near_by
    return [*near_by, space]


def declare(game: Game, table: Table, march: March, reaction: Reaction) -> Flow[None]:
    """Ask for all interceptions and for an attempt to avoid battle at once, before any die is rolled (9.4, 10.2)."""
    facts = {"mover": march.general, "at": march.at, "enemy_cu": march.force.cu}
    decisions = []
    if reaction.origins:
        default: dict[str, object] = {"with": []}
        decisions.append(Decision("intercept", reaction.side, "9.4", {**facts, "from": reaction.origins}, default))
    if reaction.refuges:
        to = {**facts, "refuges": reaction.refuges}
        decisions.append(Decision("avoid_battle", reaction.side, "10.2", to, {"to": "none"}))
    orders = yield from table.ask_all(decisions)
    for order in orders:
        if order.kind == "intercept":
            said = InterceptOrder.read(order)
            reaction.interceptions = [interception(game, reaction.side, attempt) for attempt in said.attempts]
            reaction.command = said.command
        elif not (avoidance := AvoidOrder.read(order)).stands:
            here = game.stack(reaction.side, march.at)
            force = declared(game, here, avoidance.led_by(here.commander))
            reaction.avoidance = {"to": avoidance.to, **force}
    for attempt in reaction.interceptions:
        table.tell("interception_declared", side=reaction.side, general=attempt["general"], at=march.at, rule="9.4")
    if reaction.avoidance:
        general = reaction.avoidance["general"]
        table.tell("avoidance_declared", side=reaction.side, general=general, at=march.at, rule="10.2")


def interception(game: Game, side: Side, attempt: Force) -> dict[str, object]:
    """Return an attempt to intercept with its force in full, and note where it is made from (9.5)."""
    origin, _ = game.whereabouts(attempt.general)
    game.the_card.intercepted_from.append(origin)
    return declared(game, interceptors(game, side, origin), attempt)


def declared(game: Game, stack: Stack, attempt: Force) -> dict[str, object]:
    """Return an attempt with its force in full: units that join the general later do not go with him (9.5, 10.2)."""
    force = force_of(game, stack, attempt)
    general, *companions = force.generals
    return {"general": general, "cu": force.cu, "elephants": force.elephants, "with": companions}


def avoid(game: Game, table: Table, march: March, reaction: Reaction) -> Flow[None]:
    """Roll for avoiding battle, and move one space, or into the city, if it succeeds (10.1)."""
    order, side, space = reaction.avoidance, reaction.side, reaction.space
    general = order["general"]
    roll = table.roll(
        f"avoid/{general}/{named_space(march)}",
        at_most=game.board.generals[general].avoids_on,
        rule="10.1",
        side=side,
        general=general,
        space=space,
    )
    if not roll.success:
        reaction.avoid_failed = True
        table.tell("avoidance_failed", side=side, general=general, at=space, rule="10.1")
        return
    force = detach(game, side, space, sent(order))
    to = order["to"]
    reaction.avoided = True
    if to == space:
        enter_city(game, space, force)
        table.tell("enters_city", rule="16.2", side=side, space=space, cu=force.cu, generals=force.generals)
        return
    arrive(game, game.put(side, to, force), force.generals)
    table.tell("avoided", side=side, general=general, at=space, refuge=to, cu=force.cu, rule="10.1")
    lift_left(game, table, side, space)
    yield from drive_off_generals(game, table, side, to)


def sent(attempt: Body) -> Stack:
    """Return the force that an attempt was declared with (9.5)."""
    return Stack(attempt["cu"], attempt["elephants"], [attempt["general"], *attempt["with"]])


def take_command(game: Game, reaction: Reaction) -> None:
    """Let the owner's choice command the armies that have met; who outranks him commands all the same (8.6, 9.4)."""
    stack = game.stack(reaction.side, reaction.space)
    if reaction.command in stack.generals:
        stack.generals.remove(reaction.command)
        stack.generals.insert(0, reaction.command)
        arrange(game, stack)


def intercept(game: Game, table: Table, march: March, reaction: Reaction, attempt: Body) -> None:
    """Roll for one declared interception, and move the force in if it succeeds (9.2, 9.3)."""
    general, side, space, force = attempt["general"], reaction.side, reaction.space, sent(attempt)
    origin, _ = game.whereabouts(general)
    roll = table.roll(
        f"intercept/{general}/{named_space(march)}",
        at_most=game.board.generals[general].intercepts_on,
        rule="9.2",
        modifiers={"enemy_marker": interception_modifier(game, side, space)},
        side=side,
        general=general,
        space=space,
    )
    if not roll.success:
        march.failed_interceptors += [name for name in force.generals if name not in march.failed_interceptors]
        march.failed_cu[origin] = max(force.cu, march.failed_cu.get(origin, 0))
        table.tell("interception_failed", side=side, general=general, at=space, rule="9.2")
        return
    arrive(game, game.put(side, space, detach(game, side, origin, force)), force.generals)
    reaction.arrived[origin] = force.cu
    table.tell("intercepted", side=side, general=general, at=space, cu=force.cu, origin=origin, rule="9.3")
    lift_left(game, table, side, origin)
