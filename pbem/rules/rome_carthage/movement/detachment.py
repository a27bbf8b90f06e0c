"""Detachments: who may be sent to intercept, to avoid battle or into a city, and who stays (9.3, 9.5, 10.1, 16.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from pbem.game import Fixed, Gathered, Kind, OneOf, Part, Refusal, Share, Value
from pbem.protocol import Decision, Fault, Order, Path, Side
from pbem.rules.rome_carthage.movement.activation import Split, force_of, stray_companions
from pbem.rules.rome_carthage.orders import ArmyPart, AvoidOrder, Force, InterceptOrder, illegal
from pbem.rules.rome_carthage.position.generals import is_consul, may_be_in, may_command, why_not_at_hand
from pbem.rules.rome_carthage.position.naming import (
    general_named,
    generals_named,
    no_such_general,
    no_such_space,
    space_named,
    spaces_named,
    why_no_elephants,
    why_no_such_elephants,
)
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March, Reaction, Stack
from pbem.rules.rome_carthage.siege.walls import interceptors, room, whole


def leaders(game: Game, side: Side, near: str, space: str) -> list[str]:
    """List the generals in a space who may lead an interception into another: only armies intercept (9.1)."""
    if near not in game.stacks[side] and near not in game.garrisons:
        return []
    stack = interceptors(game, side, near)
    if not stack.cu:
        return []
    return [general for general in stack.generals if may_be_in(game, general, space)]


def interception_modifier(game: Game, side: Side, space: str) -> int:
    """Return the modifier of an interception roll: for an enemy marker where no own CU are (9.2)."""
    marker = game.control.get(space) == ENEMY[side] and not game.stack(side, space).cu
    return game.board.battle.interception_marker if marker else 0


class Attempt(NamedTuple):
    """An attempt to intercept or to avoid battle: from which stack, with how many CU, by which rule (9.3, 10.1)."""

    stack: Stack
    least: int
    most: int
    rule: str


def check_force(view: Game, path: Path, said: Force, attempt: Attempt) -> Iterator[Fault]:
    """Yield what is wrong with the force that an attempt names (9.3, 9.5, 10.1)."""
    stack, least, most, rule = attempt
    force = force_of(view, stack, said)
    strays = stray_companions(view, stack, force)
    for at, not_there in strays:
        yield not_there.at((*path, "with", at))
    where = (*path, "cu") if said.cu is not None else path
    too_many = not least <= force.cu <= most
    if too_many:
        yield illegal(where, f"{least} to {most} CU can go, not {force.cu}", rule=rule)
    if (more := why_no_such_elephants(stack, said.elephants)) is not None:
        yield more.at((*path, "elephants"))
    elif strays or too_many:
        return
    elif (why := why_no_elephants(stack, force.cu, force.elephants)) is not None:
        yield why.at((*path, "elephants"))
    else:
        split = Split(view, stack, force.generals[0], force.generals[1:])
        if (why := split.why_not_sent_by()) is not None:
            yield why.at((*path, "with") if said.companions is not None else path)
        if (why := split.why_left_alone(force.cu, rule) or split.why_not(force.cu)) is not None:
            yield why.at(where)


def most_sent(game: Game, stack: Stack) -> int:
    """Return how many CU of a stack can be sent at once (8.2, 9.3)."""
    return min(stack.cu, game.board.movement.cu)


def force_choices(view: Game, attempt: Attempt, general: str, to: str, among: Sequence[str] = ()) -> Part | None:
    """Return the forces that a general may be sent with to a space: whom he takes, units, elephants (9.3, 9.5, 10.1).

    `among` are the only generals who may go, if it has any. None: he may not be sent.
    """
    stack, least, most, _ = attempt
    others = [other for other in stack.generals if other != general and may_command(view, general, (other,))]
    usual, usual_cu = others if stack.commander == general else [], most_sent(view, stack)
    led = [other for other in others if may_be_in(view, other, to) and (not among or other in among)]
    values, default = list[Value](), None
    for some in [some for size in range(len(led) + 1) for some in combinations(led, size)]:
        split = Split(view, stack, general, some)
        if split.why_not_sent_by() is not None:
            continue
        able = [cu for cu in range(least, most + 1) if split.why_not_sent(cu) is None]
        if not able:
            continue
        if list(some) == usual:
            default = len(values)
        share = Share(("cu", "elephants"), stack.cu, stack.elephants, able, usual_cu if usual_cu in able else None)
        values.append(Value(list(some), share, says=("nobody else",) if led and not some else ()))
    return OneOf("with", values, of="general", default=default) if values else None


def city_choices(view: Game, decision: Decision) -> Part:
    """Return what may stand inside a city: units up to its capacity, and any of the generals (16.2)."""
    side, space = decision.side, decision.facts["at"]
    both, values = whole(view, side, space), []
    most = min(view.board.spaces[space].capacity, both.cu)
    for names in [some for size in range(len(both.generals) + 1) for some in combinations(both.generals, size)]:
        able = [cu for cu in range(most + 1) if why_not_parted(view, side, space, cu, names) is None]
        values.append(Value(list(names), Share(("cu", "elephants"), both.cu, both.elephants, able, filled=False)))
    return OneOf("generals", values, of="general", default=0)


def why_not_parted(game: Game, side: Side, space: str, inside: int, names: Sequence[str]) -> Refusal | None:
    """Say why so many CU and these generals may not be inside, the rest outside: a consul keeps five CU (14.2).

    A consul who has fewer already keeps those he has.
    """
    both, garrison, army = whole(game, side, space), game.garrison(side, space), game.board.consular_army
    for general in both.generals:
        has = garrison.cu if general in garrison.generals else game.stack(side, space).cu
        keeps = inside if general in names else both.cu - inside
        if is_consul(game, general) and keeps < min(army, has):
            name = game.board.generals[general].name
            return Refusal(f"{name} is consul and keeps {army} CU with him, not {keeps}", "14.2")
    return None


def check_city(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with manning a city: its capacity, and who is there (16.2)."""
    space = decision.facts["at"]
    both, capacity = whole(view, decision.side, space), view.board.spaces[space].capacity
    part = ArmyPart.read(order.body)
    cu, elephants, names = part.cu, part.elephants or 0, part.generals
    if cu > capacity:
        yield order.fault(("cu",), f"{capacity} CU fit into {space_named(view, space)}, not {cu}", rule="16.2")
    elif cu > both.cu:
        yield order.fault(("cu",), f"you have {both.cu} CU in {space_named(view, space)}, not {cu}", rule="16.2")
    if (more := why_no_such_elephants(both, part.elephants, "16.2")) is not None:
        yield more.at(("elephants",))
    elif cu <= min(capacity, both.cu) and (why := why_no_elephants(both, cu, elephants, "16.2")) is not None:
        at: Path = ("elephants",) if part.elephants is not None else ("cu",)
        yield why.at(at)
    for at_name, general in enumerate(names):
        if general not in both.generals or general in names[:at_name]:
            have = generals_named(view, both.generals)
            twice = general in names[:at_name]
            no = "is named twice" if twice else f"is not in {space_named(view, space)}; there is: {have}"
            yield order.fault(("generals", at_name), f"{general_named(view, general)} {no}", rule="16.3")
    if (why := why_not_parted(view, decision.side, space, cu, names)) is not None:
        yield why.at(("cu",))


def intercept_choices(view: Game, decision: Decision) -> Part:
    """Return every set of interceptions: none, or one force, from each space next to it (9.1, 9.4, 9.5)."""
    reaction, side, origins = view.the_reaction, decision.side, []
    for origin in reaction.origins:
        stack, values = interceptors(view, side, origin), []
        attempt = Attempt(stack, 1, most_sent(view, stack), "9.3")
        for general in leaders(view, side, origin, reaction.space):
            sent = force_choices(view, attempt, general, reaction.space)
            if sent is not None:
                values.append(Value(general, sent, at=origin, note=f"{stack.cu} CU"))
        origins.append(OneOf("general", values, of="general"))
    nobody = Value("nobody", Fixed({"with": []}), says=("nobody", "no"), must=True)
    tries = Value("intercept", Gathered("with", origins, least=1), says=("intercept", "yes"))
    return OneOf(None, [nobody, tries], inferred=True)


def check_intercept(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with declared interceptions: who, from where, with how many (9.1, 9.3, 9.5)."""
    reaction = view.the_reaction
    side, used = decision.side, set()
    able = {general: near for near in reaction.origins for general in leaders(view, side, near, reaction.space)}
    said = InterceptOrder.read(order)
    meet = set(view.stack(side, reaction.space).generals)
    for at, attempt in enumerate(said.attempts):
        general = attempt.general
        origin = able.get(general)
        if origin is None:
            can = generals_named(view, able, "or")
            reason = f"{_why_no_interceptor(view, side, general, reaction)}; {can} can intercept"
            yield order.fault(("with", at, "general"), reason, rule="9.1")
            continue
        if origin in used:
            reason = f"only one attempt may be made from {space_named(view, origin)}"
            yield order.fault(("with", at, "general"), reason, rule="9.5")
            continue
        used.add(origin)
        stack = interceptors(view, side, origin)
        yield from check_force(view, ("with", at), attempt, Attempt(stack, 1, most_sent(view, stack), "9.3"))
        meet.update(force_of(view, stack, attempt).generals)
        for companion in force_of(view, stack, attempt).generals[1:]:
            if companion in view.board.generals and not may_be_in(view, companion, reaction.space):
                yield order.fault(("with", at), why_not_there(view, companion, reaction.space), rule="8.7")
    if said.command is not None and said.command not in meet:
        can, name = generals_named(view, sorted(meet), "or"), general_named(view, said.command)
        reason = f"{name} will not be in {space_named(view, reaction.space)}; who may command there: {can}"
        yield order.fault(("command",), reason, rule="8.6")


def _why_no_interceptor(view: Game, side: Side, general: str, reaction: Reaction) -> str:
    """Say why a general cannot intercept in a space (9.1, 8.7)."""
    if general not in view.board.generals:
        return no_such_general(view, general)
    if (absent := why_not_at_hand(view, side, general, "9.1")) is not None:
        return absent.reason
    name, (space, inside) = general_named(view, general), view.whereabouts(general)
    if inside:
        return f"{name} is inside {space_named(view, space)}"
    if not may_be_in(view, general, reaction.space):
        return why_not_there(view, general, reaction.space)
    if space not in reaction.origins:
        near = spaces_named(view, reaction.origins, "or")
        return f"{name} is in {space_named(view, space)}; an attempt is made from {near}"
    return (
        f"{name} cannot lead an attempt from {space_named(view, space)}: he has no CU to go with, or has tried before"
    )


def why_not_there(view: Game, general: str, to: str) -> str:
    """Say that a general never leaves his part of the map (8.7, board)."""
    record = view.board.generals[general]
    stays = str(record.stays_in).replace("_", " ").title()
    return f"{general_named(view, general)} never leaves {stays}, and {space_named(view, to)} lies outside"


def able_to_avoid(game: Game, march: March, side: Side, to: str) -> tuple[list[str], int]:
    """Return the generals who may avoid battle, and how many CU may go to a refuge at most (10.1, 16.2).

    Generals and units of an interception that failed must face the army they missed, unless the edition spares them.
    """
    stack = game.stack(side, march.at)
    if game.options["failed_interceptor_avoids"]:
        generals, most = list(stack.generals), most_sent(game, stack)
    else:
        generals = [general for general in stack.generals if general not in march.failed_interceptors]
        most = min(stack.cu - march.failed_cu.get(march.at, 0), game.board.movement.cu)
    return generals, max(0, min(most, room(game, side, to) or 0) if to == march.at else most)


def alone_among_enemies(game: Game, side: Side, cu: int, to: str) -> bool:
    """Tell whether a general without units would have to stop on an enemy general (8.4.2)."""
    return not cu and bool(game.stack(ENEMY[side], to).generals)


def why_no_refuge(game: Game, march: March, side: Side, to: str) -> str | None:
    """Say why a stack may not go to a space to avoid battle; None: it may (10.1)."""
    enemy, name = march.side, space_named(game, to)
    if to == march.at:
        return f"{name} has no unbesieged city of yours with room to go into"
    if to not in game.board.by_land[march.at]:
        return f"no ordinary line leads from {space_named(game, march.at)} to {name}"
    if to == march.came_from:
        return f"the enemy came from {name}"
    if game.control.get(to) == enemy:
        return f"{name} has an enemy marker"
    if not game.options["avoid_into_tribe"] and game.unfriendly_tribe(side, to):
        return f"{name} is a tribe that is not friendly"
    return f"enemy CU stand in {name}" if game.cu(enemy, to) else None


def avoid_choices(view: Game, decision: Decision) -> Part:
    """Return every way to avoid battle: who goes, with what, where to; and the choice to stand (10.1)."""
    reaction, march, side = view.the_reaction, view.the_march, decision.side
    stack = view.stack(side, reaction.space)
    values = [Value("none", says=("stand", "no"), must=True)]
    for to in reaction.refuges:
        able, most = able_to_avoid(view, march, side, to)
        attempt, sent = Attempt(stack, int(alone_among_enemies(view, side, 0, to)), most, "10.1"), []
        for general in [general for general in able if may_be_in(view, general, to)]:
            force = force_choices(view, attempt, general, to, able)
            if force is not None:
                sent.append(Value(general, force))
        default = next((at for at, value in enumerate(sent) if value.word == stack.commander), None)
        values.append(Value(to, OneOf("general", sent, of="general", default=default), at=to))
    return OneOf("to", values, of="space")


def check_avoid(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an attempt to avoid battle (10.1)."""
    reaction, march, said, side = view.the_reaction, view.the_march, AvoidOrder.read(order), decision.side
    if said.stands:
        return
    to = said.to
    stack = view.stack(side, reaction.space)
    if to not in reaction.refuges:
        why = why_no_refuge(view, march, side, to) if to in view.board.spaces else no_such_space(view, to)
        yield order.fault(("to",), f"{why}; there is refuge in {spaces_named(view, reaction.refuges)}", rule="10.1")
        return
    sent = said.led_by(stack.commander)
    if sent.general not in stack.generals:
        there = f"in {space_named(view, reaction.space)}"
        have = generals_named(view, stack.generals)
        reason = f"{general_named(view, sent.general)} is not {there}; there is: {have}"
        yield order.fault(("general",), reason, rule="10.1")
        return
    able, most = able_to_avoid(view, march, side, to)
    yield from check_force(view, (), sent, Attempt(stack, 0, most, "10.1"))
    force = force_of(view, stack, sent)
    for at, name in enumerate(force.generals, -1):
        named: Path = ("with", at) if at >= 0 else ("general",)
        where = named if named[0] in order.body else ("to",)
        if name in stack.generals and name not in able:
            reason = f"{general_named(view, name)} has failed to intercept this army and must face it"
            yield order.fault(where, reason, rule="10.1")
        elif name in view.board.generals and not may_be_in(view, name, to):
            yield order.fault(("to",), why_not_there(view, name, to), rule="8.7")
    if alone_among_enemies(view, side, force.cu, to):
        reason = f"a general without CU may not stop on the enemy general in {space_named(view, to)}"
        yield order.fault(("to",), reason, rule="8.4.2")


REACTION_KINDS: Final = (
    Kind("man_city", city_choices, check_city, hints="views.hints:man_city"),
    Kind(
        "intercept",
        intercept_choices,
        check_intercept,
        hints="views.hints:intercept",
        bot="policy.answers:intercept",
        prospects="views.forecast:interceptors_ahead",
    ),
    Kind(
        "avoid_battle",
        avoid_choices,
        check_avoid,
        hints="views.hints:avoid",
        bot="policy.answers:avoid",
        prospects="views.forecast:avoiders_ahead",
    ),
)
