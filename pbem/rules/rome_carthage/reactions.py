"""Reactions to a force that enters a space: city gates, interception, avoiding battle, backing up (9, 10, 16.2).

All is declared before anything is rolled; then the avoidance is rolled, then the interceptions in the order
in which they were declared (9.4, 10.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.protocol import Decision, Flow, Side
from pbem.rules.rome_carthage.activation import force_of
from pbem.rules.rome_carthage.detachment import leaders
from pbem.rules.rome_carthage.generals import arrange, drive_off_generals
from pbem.rules.rome_carthage.passes import cross_pass, named_space
from pbem.rules.rome_carthage.siege import lift_left
from pbem.rules.rome_carthage.state import ENEMY, Game, March, Reaction, Stack
from pbem.rules.rome_carthage.walls import detach, enter_city, pool, room, whole
from pbem.table import Table


def react(game: Game, table: Table) -> Flow[None]:
    """Let the other side react to the force on the march in the space it has just entered (9, 10, 16.2)."""
    march = game.the_march
    side = ENEMY[march.side]
    yield from open_gates(game, table, march, side)
    game.reaction = Reaction(side, march.at, origins=origins(game, march, side), refuges=refuges(game, march, side))
    yield from declare(game, table, march, game.reaction)
    if game.reaction.avoidance:
        yield from avoid(game, table, march, game.reaction)
    if game.result is not None:
        return
    for attempt in game.reaction.interceptions:
        intercept(game, table, march, game.reaction, attempt)
    if game.reaction.arrived:
        yield from answer_interception(game, table, march)


def open_gates(game: Game, table: Table, march: March, side: Side) -> Flow[None]:
    """Let the owner of an unbesieged city choose anew what stands inside and what outside when units come (16.2)."""
    space = march.at
    both = whole(game, side, space)
    if not march.force.cu or room(game, side, space) is None or both.empty:
        return
    capacity = game.board.spaces[space].capacity
    order = yield from table.ask(
        side, "man_city", rule="16.2", default=_as_it_stands(game, side, space),
        mover=march.general, at=space, enemy_cu=march.force.cu, capacity=capacity,
    )  # fmt: skip
    inside = Stack(order["cu"], order.get("elephants", 0), list(order.get("generals", ())))
    outside = Stack(
        both.cu - inside.cu,
        both.elephants - inside.elephants,
        [general for general in both.generals if general not in inside.generals],
    )
    game.stacks[side].pop(space, None)
    game.garrisons.pop(space, None)
    if not outside.empty:
        game.put(side, space, outside)
    if not inside.empty:
        arrange(game, inside)
        game.garrisons[space] = inside
    table.tell(
        "gates", side=side, space=space, inside=inside.cu, outside=outside.cu, generals=inside.generals, rule="16.2"
    )


def _as_it_stands(game: Game, side: Side, space: str) -> dict[str, object]:
    inside = game.garrison(side, space)
    return {"cu": inside.cu, "elephants": inside.elephants, "generals": list(inside.generals)}


def origins(game: Game, march: March, side: Side) -> list[str]:
    """List the spaces from which an army may try to intercept: next to it by an ordinary line (9.1, 8.3.4).

    Units of the mover's side that stood there before bar it, inside a city or out; so does a Truce (card 64).
    """
    space = march.at
    if game.truce:
        return []
    if not game.options["intercept_into_enemy"] and whole(game, march.side, space).cu:
        return []
    return [near for near in game.board.by_land[space] if leaders(game, side, near, space)]


def refuges(game: Game, march: March, side: Side) -> list[str]:
    """List where a stack may go to avoid battle: by an ordinary line, no enemy, and not his way in (10.1).

    Neither an enemy marker nor a tribe that is no friend gives refuge; his own unbesieged city in the space does.
    A stack whose generals failed to intercept this very force must stand.
    """
    space, enemy = march.at, march.side
    stack = game.stack(side, space)
    if not march.force.cu or not any(general not in march.failed_interceptors for general in stack.generals):
        return []
    near_by = [
        near
        for near in game.board.by_land[space]
        if near != march.came_from
        and game.control.get(near) != enemy
        and not game.unfriendly_tribe(side, near)
        and not game.cu(enemy, near)
    ]
    return near_by if room(game, side, space) is None else [*near_by, space]


def declare(game: Game, table: Table, march: March, reaction: Reaction) -> Flow[None]:
    """Ask for all interceptions and for an attempt to avoid battle at once, before any die is rolled (9.4, 10.2)."""
    facts = {"mover": march.general, "at": march.at, "enemy_cu": march.force.cu}
    questions = []
    if reaction.origins:
        default: dict[str, object] = {"with": []}
        questions.append(Decision("intercept", reaction.side, "9.4", {**facts, "from": reaction.origins}, default))
    if reaction.refuges:
        to = {**facts, "refuges": reaction.refuges}
        questions.append(Decision("avoid_battle", reaction.side, "10.2", to, {"to": "none"}))
    if not questions:
        return
    orders = yield from table.ask_all(questions)
    for order in orders:
        if order.kind == "intercept":
            reaction.interceptions = [declared(game, reaction.side, attempt) for attempt in order["with"]]
        elif order["to"] != "none":
            general = order.get("general") or game.stack(reaction.side, march.at).commander
            reaction.avoidance = declared(game, reaction.side, {**order.body, "general": general})
    for attempt in reaction.interceptions:
        table.tell("interception_declared", side=reaction.side, general=attempt["general"], at=march.at, rule="9.4")
    if reaction.avoidance:
        general = reaction.avoidance["general"]
        table.tell("avoidance_declared", side=reaction.side, general=general, at=march.at, rule="10.2")


def declared(game: Game, side: Side, attempt: Mapping[str, Any]) -> dict[str, Any]:
    """Return an attempt with its force written out: who joins the general later does not go with him (9.5, 10.2)."""
    space, _ = game.whereabouts(attempt["general"])
    force = force_of(game, pool(game, side, space), attempt)
    return {**attempt, "cu": force.cu, "elephants": force.elephants, "with": force.generals[1:]}


def avoid(game: Game, table: Table, march: March, reaction: Reaction) -> Flow[None]:
    """Roll for avoiding battle, and move one space, or into the city, if it succeeds (10.1)."""
    order, side, space = reaction.avoidance, reaction.side, reaction.space
    general = order["general"]
    roll = table.roll(
        f"avoid/{general}/{named_space(march)}", at_most=game.board.generals[general].avoids_on, rule="10.1",
        general=general, space=space,
    )  # fmt: skip
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
    arrange(game, game.put(side, to, force))
    table.tell("avoided", side=side, general=general, at=space, refuge=to, cu=force.cu, rule="10.1")
    lift_left(game, table, side, space)
    yield from drive_off_generals(game, table, side, to)


def sent(attempt: Mapping[str, Any]) -> Stack:
    """Return the force that an attempt was declared with (9.5)."""
    return Stack(attempt["cu"], attempt["elephants"], [attempt["general"], *attempt["with"]])


def intercept(game: Game, table: Table, march: March, reaction: Reaction, attempt: Mapping[str, Any]) -> None:
    """Roll for one declared interception, and move the force in if it succeeds (9.2, 9.3)."""
    general, side, space, force = attempt["general"], reaction.side, reaction.space, sent(attempt)
    origin, _ = game.whereabouts(general)
    marker = game.control.get(space) == march.side and not game.stack(side, space).cu
    roll = table.roll(
        f"intercept/{general}/{named_space(march)}", at_most=game.board.generals[general].intercepts_on, rule="9.2",
        modifiers={"enemy_marker": game.board.battle.interception_marker if marker else 0},
        general=general, space=space,
    )  # fmt: skip
    if not roll.success:
        march.failed_interceptors += [name for name in force.generals if name not in march.failed_interceptors]
        march.failed_cu[origin] = max(force.cu, march.failed_cu.get(origin, 0))
        table.tell("interception_failed", side=side, general=general, at=space, rule="9.2")
        return
    arrange(game, game.put(side, space, detach(game, side, origin, force)))
    reaction.arrived[origin] = force.cu
    table.tell("intercepted", side=side, general=general, at=space, cu=force.cu, origin=origin, rule="9.3")
    lift_left(game, table, side, origin)


def answer_interception(game: Game, table: Table, march: March) -> Flow[None]:
    """Let the intercepted army fight, or back up to the space it came from and stop (9.3).

    A general without units cannot fight: he backs up. Where units of his side stood before, all fight: armies of
    both sides never stay in one space (9.1 of 1998). Who backs up over a pass rolls for it again, and a general of
    his who stood there alone is displaced (8.9).
    """
    if game.stack(march.side, march.at).cu:
        return
    choice = "back_up"
    if march.force.cu:
        order = yield from table.ask(
            march.side, "intercepted", rule="9.3", default={"choice": "fight"},
            general=march.general, at=march.at, enemy_cu=game.stack(ENEMY[march.side], march.at).cu,
        )  # fmt: skip
        choice = order["choice"]
    if choice == "back_up":
        space, side = march.at, ENEMY[march.side]
        march.at, march.over = march.the_way_back, True
        game.reaction = None
        table.tell("backed_up", side=march.side, general=march.general, space=march.at, rule="9.3")
        yield from cross_pass(game, table, march, game.board.neighbours[space][march.at], f"{march.at}/back")
        yield from drive_off_generals(game, table, side, space)
