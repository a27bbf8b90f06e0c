"""Interception: who may try it, with whom, and the roll; the battle that it forces may be refused (10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.game import Kind, LegalOrders, Refusal, Table, lazy, product, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.minor_leaders import take_command
from pbem.rules.sword_of_rome.movement.orders import Body, Wanted, illegal
from pbem.rules.sword_of_rome.movement.parts import (
    companies,
    move_out,
    part_of,
    rest_of,
    strengths,
    told,
    why_consul_alone,
    why_not_part,
)
from pbem.rules.sword_of_rome.movement.paths import why_barred, why_no_home, why_not_end
from pbem.rules.sword_of_rome.movement.voyages import Crossing, sail, sink
from pbem.rules.sword_of_rome.position.board import SEA
from pbem.rules.sword_of_rome.position.changes import lift_sieges
from pbem.rules.sword_of_rome.position.naming import no_such_leader, power_named, space_named
from pbem.rules.sword_of_rome.position.state import Force, Game, window_decision
from pbem.rules.sword_of_rome.turn.order_of_play import decider, tie_winner

# ---- who may try (10.1, 10.2)


def why_not_into(game: Game, power: str) -> Refusal | None:
    """Say why a power may not intercept the force under way where it is now; None: it may (10.2, 15.2.2, 16.3)."""
    march = game.the_march
    space, where = march.at, space_named(game, march.at)
    if game.allied(power, march.power):
        return Refusal(f"{game.board.powers[march.power].name} is an ally", "15.2.2")
    for other in game.board.powers:
        if other != power and game.force(other, space).cu:
            return Refusal(f"CU of {power_named(game, other)} stand in {where}", "10.2")
    return why_barred(game, power, space) or why_no_home(game, power, space)


def why_not_from(game: Game, power: str, origin: str) -> Refusal | None:
    """Say why no army of a power can intercept the force under way from a space; None: one can (10.1, 10.2)."""
    march = game.the_march
    here, there = space_named(game, origin), space_named(game, march.at)
    if not game.force(power, origin).army:
        return Refusal(f"no army stands in {here} outside a city", "10.2")
    if origin == march.at or march.at not in game.board.neighbours[origin]:
        return Refusal(f"no path leads from {here} to {there}", "10.1")
    if march.at not in game.board.by_land[power][origin]:
        return Refusal(f"the path from {here} to {there} is a rough one or a strait", "10.2")
    if origin in march.bribed:
        return Refusal(f"the army in {here} is bribed", "7.2.2")
    if game.battle is not None and game.battle.space == origin:
        return Refusal(f"the army in {here} has been brought to battle", "9.5.6")
    return None


def origins(game: Game, power: str) -> list[str]:
    """List the spaces from which a power may try to intercept the force under way (10.1, 10.2)."""
    if not game.the_march.force.army or why_not_into(game, power) is not None:
        return []
    return [space for space in sorted(game.forces[power]) if why_not_from(game, power, space) is None]


def interception_questions(game: Game, table: Table) -> Flow[list[Decision]]:
    """Return the questions to all powers that may try to intercept the force under way (9.3.2, 10.1)."""
    asked: list[Decision] = []
    march = game.the_march
    for power in game.board.powers:
        near = origins(game, power)
        if near:
            side = yield from decider(game, table, power)
            facts = {"power": power, "at": march.at, "mover": march.power, "enemy_cu": march.force.cu, "from": near}
            asked.append(window_decision(game, Decision("intercept", side, "10.1", facts, {"with": []}, about=power)))
    return asked


# ---- the orders


def intercept_orders(view: Game, decision: Decision) -> LegalOrders:
    """List every interception: from each space one army or none (10.3)."""
    power = decision.facts["power"]

    def of_all() -> LegalOrders:
        axes = [[None, *_forces(view, power, origin)] for origin in decision.facts["from"]]
        return product(_order, *axes)

    return lazy(of_all)


def _order(*parts: Body | None) -> Order:
    return Order("intercept", {"with": [part for part in parts if part is not None]})


def _forces(view: Game, power: str, origin: str) -> Iterator[Body]:
    """Yield the forces that may leave a space to intercept; who commands there goes, or keeps a CU (10.2)."""
    stack = view.force(power, origin)
    for leader in stack.leaders:
        for others in companies(view, stack, leader):
            commander_stays = stack.commander not in (leader, *others)
            for cu, mercenaries in strengths(view, stack, (leader, *others), 1, stack.cu - commander_stays):
                yield {"from": origin, "leader": leader, **told(cu, mercenaries, stack), "with": list(others)}


def check_intercept(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an interception: where from, with whom, one for each space (10.1 to 10.3)."""
    power, used = decision.facts["power"], list[str]()
    for at, body in enumerate(order["with"]):
        wanted, path = Wanted.read(body), ("with", at)
        if wanted.leader is None:
            yield illegal(path, "say which leader intercepts", rule="10.1")
            continue
        unknown = no_such_leader(view, wanted.leader)
        if unknown is not None:
            yield illegal((*path, "leader"), unknown.reason, rule=unknown.rule)
            continue
        origin = view.where(wanted.leader)
        if origin is None or view.board.leaders[wanted.leader].power != power:
            yield illegal((*path, "leader"), f"{wanted.leader} does not lead an army of {power}", rule="10.1")
            continue
        if wanted.at not in (None, origin):
            yield illegal((*path, "from"), f"{wanted.leader} is in {space_named(view, origin)}", rule="10.1")
            continue
        refusal = why_not_into(view, power) or why_not_from(view, power, origin)
        if refusal is None and origin in used:
            refusal = Refusal(f"one interception from {space_named(view, origin)}", "10.3")
        if refusal is not None:
            yield illegal((*path, "leader"), refusal.reason, rule=refusal.rule)
            continue
        used.append(origin)
        for word, why in why_not_sent(view, view.force(power, origin), wanted, wanted.leader, 1, None):
            yield illegal((*path, word) if word in body else path, why.reason, rule=why.rule)


def why_not_sent(
    game: Game, stack: Force, wanted: Wanted, leader: str, least: int, most: int | None
) -> Iterator[tuple[str, Refusal]]:
    """Yield why a part of an army cannot be sent by itself: units, leaders, the commander who stays (10.2, 11.1)."""
    stays = stack.commander not in (leader, *wanted.others)
    part = part_of(stack, wanted, leader, stack.cu - stays if most is None else min(most, stack.cu - stays))
    wrong = list(why_not_part(game, stack, part))
    yield from wrong
    if wrong:
        return
    rest = rest_of(stack, part)
    if part.cu < least or (most is not None and part.cu > most):
        many = f"to {most}" if most is not None else "or more"
        yield "cu", Refusal(f"{least} {many} CU can go, not {part.cu}", "10.1" if most is None else "11.1")
    elif stays and not rest.cu:
        yield "cu", Refusal("a subordinate goes only if the commander keeps 1 CU", "10.2")
    elif (alone := why_consul_alone(game, part, rest)) is not None:
        yield "cu", alone


# ---- what comes of it (10.3, 10.4)


def intercept(game: Game, table: Table, declared: Mapping[str, Sequence[Body]], name: str) -> Flow[str | None]:
    """Roll for all interceptions that were declared, and return the power that has intercepted (10.3, 10.4).

    If several players try, the winner of the tie sets their order; only one power succeeds in a space.
    """
    trying = [power for power, forces in declared.items() if forces]
    for power in (yield from _in_order(game, table, trying)):
        caught = False
        for body in declared[power]:
            caught = (yield from _attempt(game, table, power, Wanted.read(body), name)) or caught
        if caught:
            return power
    return None


def _in_order(game: Game, table: Table, trying: list[str]) -> Flow[list[str]]:
    """Return the powers that try to intercept in the order that the winner of the tie sets (10.3, 4.4)."""
    deciding: dict[str, str] = {}
    for power in trying:
        deciding[power] = yield from decider(game, table, power)
    sides = list(dict.fromkeys(deciding.values()))
    if len(sides) > 1:
        sides.sort(key=game.board.side_rank)
        answer = yield from table.ask(
            tie_winner(game, sides),
            "tie_order",
            rule="10.3",
            default={"order": sides},
            waits=False,
            phase="interception",
            tied=sides,
        )
        sides = list(answer["order"])
    return sorted(trying, key=lambda power: sides.index(deciding[power]))


def modifier(game: Game, power: str, space: str) -> int:
    """Return the modifier of an interception roll: for an enemy space without own CU (10.3)."""
    foreign = not game.friendly(power, space) and not game.cu(power, space)
    value: int = game.board.tables["interception"]["enemy_space"]
    return value if foreign else 0


def _attempt(game: Game, table: Table, power: str, wanted: Wanted, name: str) -> Flow[bool]:
    """Roll for one interception, and move the army in if it succeeds (10.3, 10.4)."""
    march, leader = game.the_march, wanted.leader
    assert leader is not None
    space, origin = march.at, game.where(leader)
    assert origin is not None
    table.tell("intercepts", power=power, leader=leader, origin=origin, space=space, rule="10.1")
    about = {"space": space, "power": power, "other": march.power}
    moment = yield from responses.window(game, table, "interception", about=about)
    success = False
    if not moment.cancelled:
        roll = table.roll(
            f"intercept/{name}/{leader}",
            at_most=game.board.leaders[leader].tactics,
            modifiers={"enemy_space": modifier(game, power, space), "event": moment.modifier},
            rule="10.3",
            power=power,
            leader=leader,
            space=space,
        )
        success = roll.success
    stack = game.force(power, origin)
    part = part_of(stack, wanted, leader, stack.cu - (stack.commander not in (leader, *wanted.others)))
    if not success:
        march.failed_interceptors += [each for each in part.leaders if each not in march.failed_interceptors]
        table.tell("interception_fails", power=power, leader=leader, space=space, rule="10.4")
        return False
    moved = move_out(game, power, origin, part)
    game.put(power, space, moved)
    table.tell("intercepted", power=power, leader=leader, space=space, cu=moved.cu, rule="10.4")
    lift_sieges(game, table)
    yield from take_command(game, table, power, space)
    return True


# ---- refusing battle (10.5.1)


def why_not_back(game: Game) -> Refusal | None:
    """Say why a force that was intercepted cannot go back where it came from; None: it can (10.5.1)."""
    march = game.the_march
    back = march.came_from
    if back is None:
        return Refusal("the army has not moved", "10.5.1")
    if game.enemies_in(march.power, back):
        return Refusal(f"enemies are in {space_named(game, back)}", "10.5.1")
    return why_not_end(game, march, back)


def refuse(game: Game, table: Table, by: str, name: str) -> Flow[bool]:
    """Let a force that was intercepted go back and stop, if the enemy lets it or it rolls for it (10.5.1).

    By sea that is a voyage, and one that does not arrive forces the battle.
    """
    march = game.the_march
    if why_not_back(game) is not None:
        return False
    back = march.came_from
    assert back is not None
    own, enemy = march.force.cu, game.force(by, march.at).cu
    order = yield from table.ask(
        march.side,
        "refuse",
        rule="10.5.1",
        default={"back": False},
        power=march.power,
        at=march.at,
        own_cu=own,
        enemy_cu=enemy,
    )
    if not order["back"]:
        return False
    if not (yield from let_go(game, table, by, march.power, march.at)):
        tactics = game.board.leaders[march.leader].tactics
        roll = table.roll(
            f"refuse/{name}", at_most=tactics, rule="10.5.1", power=march.power, leader=march.leader, space=march.at
        )
        if not roll.success:
            table.tell("refusal_fails", power=march.power, space=march.at, rule="10.5.1")
            return False
    if march.came_by == SEA and not (
        yield from sail(game, table, Crossing(march.power, march.at, back), march.force, f"{name}/back")
    ):
        sink(game, table, own)
        return False
    table.tell("refuses", power=march.power, leader=march.leader, space=back, rule="10.5.1")
    march.at, march.over, march.fought = back, True, True
    return True


def let_go(game: Game, table: Table, by: str, other: str, space: str) -> Flow[bool]:
    """Ask whether a power lets an enemy avoid or refuse battle without a roll; nobody waits for it (10.5.1, 11.1)."""
    side = yield from decider(game, table, by)
    order = yield from table.ask(
        side, "let_go", rule="11.1", default={"allow": False}, waits=False, power=by, other=other, at=space
    )
    allowed: bool = order["allow"]
    return allowed


INTERCEPTION_KINDS: Final = (
    Kind(
        "intercept",
        intercept_orders,
        check_intercept,
        hints="views.hints:intercept_hints",
        bot="policy.replies:best_interception",
        prospects="views.forecast:interceptors",
    ),
    Kind("refuse", *yes_or_no("back"), hints="views.hints:refuse_hints", bot="policy.replies:best_refusal"),
    Kind("let_go", *yes_or_no("allow")),
)
