"""Reactions to an army that comes: interception, avoiding battle, and the pursuit that follows (10, 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from pbem.game import UNTOLD, AllOf, Gathered, Kind, Lazy, OneOf, Part, Refusal, Table, Value, listing, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.minor_leaders import take_command
from pbem.rules.sword_of_rome.movement.parts import (
    Body,
    Wanted,
    companies,
    illegal,
    move_out,
    part_of,
    rest_of,
    strengths,
    why_consul_alone,
    why_not_part,
)
from pbem.rules.sword_of_rome.movement.paths import can_go_on, enemy_cu_at, why_barred, why_no_home, why_not_end
from pbem.rules.sword_of_rome.movement.voyages import (
    Crossing,
    borrow,
    capacity,
    cards_of,
    may_get_leave,
    play_beside,
    sail,
    sink,
    why_he_stays,
    why_not_held,
    without_card,
)
from pbem.rules.sword_of_rome.position.board import SEA
from pbem.rules.sword_of_rome.position.changes import displace_leaders, lift_sieges, lose
from pbem.rules.sword_of_rome.position.naming import (
    NOBODY,
    card_value,
    fixed_or_not,
    no_such_leader,
    no_such_space,
    power_named,
    space_named,
    units,
    with_others,
)
from pbem.rules.sword_of_rome.position.state import NONE, UNSEEN, Force, Game, window_decision
from pbem.rules.sword_of_rome.turn.order_of_play import decider, tie_winner

STAYS: Final[Body] = {"to": NONE}

# ---- who may intercept (10.1, 10.2)


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


# ---- orders to intercept (10.1 to 10.3)


def intercept_choices(view: Game, decision: Decision) -> Part:
    """Return every interception: from each space one army or none (10.3)."""
    power = decision.facts["power"]
    return Gathered("with", [Lazy(partial(_army_from, view, power, origin)) for origin in decision.facts["from"]])


def _army_from(view: Game, power: str, origin: str) -> Part:
    """Return the forces that may leave a space to intercept (10.2)."""
    stack = view.force(power, origin)
    leaders = [Value(leader, _sent(view, stack, leader), at=origin) for leader in stack.leaders]
    return AllOf(fixed_or_not("from", origin, at=origin, of="space"), OneOf("leader", leaders, of="leader"))


def _sent(view: Game, stack: Force, leader: str, most: int | None = None, to: str = "") -> Part:
    """Return with whom a leader may go away from his army; who commands there goes, or keeps a CU (10.2, 11.1)."""
    values: list[tuple[Sequence[str], Part]] = []
    for others in companies(view, stack, leader):
        if to and why_he_stays(view, (leader, *others), to) is not None:
            continue
        limit = stack.cu - (stack.commander not in (leader, *others))
        limit = limit if most is None else min(most, limit)
        able = [cu for cu, _ in strengths(view, stack, (leader, *others), 1, limit)]
        values.append((others, units(stack, list(dict.fromkeys(able)), limit)))
    return with_others(values)


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
        for word, why in why_not_sent(view, view.force(power, origin), wanted, wanted.leader, None):
            yield illegal((*path, word) if word in body else path, why.reason, rule=why.rule)


def why_not_sent(
    game: Game, stack: Force, wanted: Wanted, leader: str, most: int | None
) -> Iterator[tuple[str, Refusal]]:
    """Yield why a part of an army cannot be sent by itself: units, leaders, the commander who stays (10.2, 11.1)."""
    stays = stack.commander not in (leader, *wanted.others)
    part = part_of(stack, wanted, leader, stack.cu - stays if most is None else min(most, stack.cu - stays))
    wrong = list(why_not_part(game, stack, part))
    yield from wrong
    if wrong:
        return
    rest = rest_of(stack, part)
    if part.cu < 1 or (most is not None and part.cu > most):
        many = f"to {most}" if most is not None else "or more"
        yield "cu", Refusal(f"1 {many} CU can go, not {part.cu}", "10.1" if most is None else "11.1")
    elif stays and not rest.cu:
        yield "cu", Refusal("a subordinate goes only if the commander keeps 1 CU", "10.2")
    elif (alone := why_consul_alone(game, part, rest)) is not None:
        yield "cu", alone


# ---- attempts to intercept (10.3, 10.4)


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


# ---- who may avoid battle, and where to (11.1, 11.2)


def why_not_avoid(game: Game, leader: str) -> Refusal | None:
    """Say why a leader cannot avoid battle with the force under way; None: he can (10.6, 11.2)."""
    if leader in game.the_march.failed_interceptors:
        name = game.board.leaders[leader].name
        return Refusal(f"{name} has tried to intercept this army and does not avoid it", "10.6")
    return None


def open_to(game: Game, power: str, to: str) -> bool:
    """Tell whether an army that avoids battle may stop in a space: friendly, without enemy or other CU (11.1, 15.3)."""
    if to == game.the_march.came_from or not game.friendly(power, to):
        return False
    others = any(other != power and game.outside(other, to) for other in game.board.powers)
    limit = why_barred(game, power, to) or why_no_home(game, power, to)
    return not others and not enemy_cu_at(game, power, to) and limit is None


def refuges(game: Game, power: str, space: str) -> list[str]:
    """List where an army may avoid battle to by land (11.1).

    Next to it, over no rough path and no strait. If there is no such space it may pass through allied armies, four
    spaces at most.
    """
    came_from = game.the_march.came_from
    near = [to for to in game.board.by_land[power][space] if to != came_from]
    found = [to for to in near if open_to(game, power, to)]
    seen = {space, came_from}
    for _ in range(1, game.board.tables["avoidance"]["spaces"]):
        if found:
            break
        passed = [to for to in near if to not in seen and _allied_army(game, power, to)]
        seen |= {*near}
        near = sorted({to for at in passed for to in game.board.by_land[power][at] if to not in seen})
        found = [to for to in near if open_to(game, power, to)]
    return found


def _allied_army(game: Game, power: str, space: str) -> bool:
    return any(game.force(ally, space).army for ally in game.allies(power)) and not enemy_cu_at(game, power, space)


def ports_of_refuge(game: Game, power: str, space: str) -> list[str]:
    """List the ports to which an army may avoid battle by sea, if a card carries it (11.1.1)."""
    if not game.is_harbour(power, space):
        return []
    ports = [to for to in game.harbours(power) if game.board.spaces[to].port]
    return [to for to in ports if to != space and open_to(game, power, to)]


def avoidance_questions(game: Game, table: Table) -> Flow[list[Decision]]:
    """Return the questions to all powers whose armies the force under way has come upon (9.3.2, 11.1).

    An army in the capital overseas of a power without a player does not avoid battle (17.1).
    """
    asked: list[Decision] = []
    march = game.the_march
    space = march.at
    for power in game.enemies_in(march.power, space) if march.force.army else ():
        if game.board.is_capital(space) and game.board.powers[power].overseas is not None:
            continue
        there = game.force(power, space)
        leaders = [leader for leader in there.leaders if why_not_avoid(game, leader) is None]
        if not (there.cu and leaders and (refuges(game, power, space) or ports_of_refuge(game, power, space))):
            continue
        side = yield from decider(game, table, power)
        facts = {
            "power": power,
            "at": space,
            "mover": march.power,
            "enemy_cu": march.force.cu,
            "own_cu": there.cu,
        }
        asked.append(window_decision(game, Decision("avoid", side, "11.1", facts, STAYS, about=power)))
    return asked


# ---- orders to avoid battle (11.1, 11.1.1)


class Flight(NamedTuple):
    """How an army avoids battle: by a card of a value, by a fleet of Carthage's, or by land with neither."""

    to: str
    most: int
    card: str | None = None


def flights(view: Game, decision: Decision) -> list[Flight]:
    """List where the army may go and how, with the CU that it may take (11.1, 11.1.1)."""
    power, space = decision.facts["power"], decision.facts["at"]
    side, limit = decision.side, view.board.tables["avoidance"]["cu"]
    found = [Flight(to, limit) for to in refuges(view, power, space)]
    own = view.board.powers[power].side == side
    for to in ports_of_refuge(view, power, space):
        for card in cards_of(view, side) if own else ():
            most = capacity(view, Crossing(power, space, to, fleeing=True), card)
            if most:
                found.append(Flight(to, min(most, limit), card))
        if most := without_card(view, power, space, to):
            found.append(Flight(to, min(most, limit)))
        if may_get_leave(view, power) and all(to != flight.to or flight.card for flight in found):
            found.append(Flight(to, limit))
    return found


def avoid_choices(view: Game, decision: Decision) -> Part:
    """Return every way to avoid battle, and to stand (11.1)."""
    power, space = decision.facts["power"], decision.facts["at"]
    if UNSEEN in view.hands[decision.side] and ports_of_refuge(view, power, space):
        return UNTOLD
    stack, ways = view.force(power, space), dict[str, list[Value]]()
    for flight in flights(view, decision):
        led = Lazy(partial(_led, view, stack, flight))
        way = Value(None, led) if flight.card is None else card_value(view, flight.card, led)
        ways.setdefault(flight.to, []).append(way)
    going = [Value(to, OneOf("card", by, of="card", inferred=True), at=to) for to, by in ways.items()]
    return OneOf("to", [Value(NONE, says=(*NOBODY, "stand", "fight"), must=True), *going], of="space")


def _led(view: Game, stack: Force, flight: Flight) -> Part:
    """Return who may lead an army that avoids battle, with whom and how many; its commander, unless it is said."""
    able = [leader for leader in stack.leaders if why_not_avoid(view, leader) is None]
    values = [Value(leader, _sent(view, stack, leader, flight.most, flight.to)) for leader in able]
    leads = OneOf("leader", values, of="leader", inferred=True)
    if stack.commander not in able:
        return leads
    return OneOf(None, [Value("", leads, weight=3), Value("", values[0].then, unlisted=True)], inferred=True)


def check_avoid(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with avoiding battle: where to, by what means, with whom (10.6, 11.1, 11.1.1)."""
    if order["to"] == NONE:
        return
    power, space = decision.facts["power"], decision.facts["at"]
    stack = view.force(power, space)
    refusal = no_such_space(view, order["to"])
    if refusal is not None:
        yield order.fault(("to",), refusal.reason, rule=refusal.rule)
        return
    flight = _flight(view, decision, order)
    if not isinstance(flight, Flight):
        word, refusal = flight
        yield order.fault((word,), refusal.reason, rule=refusal.rule)
    leader = order.get("leader", stack.commander)
    refusal = no_such_leader(view, leader) or why_not_avoid(view, leader)
    refusal = refusal or why_he_stays(view, [leader, *Wanted.read(order.body).others], order["to"])
    if refusal is not None:
        yield order.fault(("leader",), refusal.reason, rule=refusal.rule)
        return
    most = flight.most if isinstance(flight, Flight) else view.board.tables["avoidance"]["cu"]
    for word, why in why_not_sent(view, stack, Wanted.read(order.body), leader, most):
        yield order.fault((word,) if word in order.body else (), why.reason, rule=why.rule)


def _flight(view: Game, decision: Decision, order: Order) -> Flight | tuple[str, Refusal]:
    """Return how an army goes where an order says; or the word that is wrong, and why (11.1, 11.1.1)."""
    power, space, to = decision.facts["power"], decision.facts["at"], order["to"]
    limit, where = view.board.tables["avoidance"]["cu"], space_named(view, to)
    card = order.get("card")
    harbour = to in ports_of_refuge(view, power, space)
    if card is None:
        ways = refuges(view, power, space)
        if to in ways or (harbour and may_get_leave(view, power)):
            return Flight(to, limit)
        if harbour and (most := without_card(view, power, space, to)):
            return Flight(to, min(most, limit))
        led = listing((space_named(view, each) for each in ways), "or") or "nowhere"
        return "to", Refusal(f"the army cannot go to {where}; by land it can go to {led}", "11.1")
    held = why_not_held(view, decision.side, card)
    if held is not None:
        return "card", held
    if not harbour:
        return "to", Refusal(f"no voyage leads to {where}: both must be ports, that one friendly", "11.1.1")
    most = capacity(view, Crossing(power, space, to, fleeing=True), card)
    if not most or view.board.powers[power].side != decision.side:
        return "card", Refusal(f"no fleet sails to {where} with {card}", "11.1.1")
    return Flight(to, min(most, limit), card)


# ---- attempts to avoid battle (11.1)


class Avoidance(NamedTuple):
    """An attempt to avoid battle as it was declared: by a power, to a space, with a card or none, and with whom."""

    power: str
    to: str
    card: str | None
    part: Force


def declared(game: Game, power: str, order: Order) -> Avoidance:
    """Return the attempt that an order declares, with those who are there now (9.3.2).

    Who intercepts later does not go with it (11.2).
    """
    stack, wanted = game.force(power, game.the_march.at), Wanted.read(order.body)
    leader: str = order.get("leader", stack.commander)
    stays = stack.commander not in (leader, *wanted.others)
    part = part_of(stack, wanted, leader, min(game.board.tables["avoidance"]["cu"], stack.cu - stays))
    return Avoidance(power, order["to"], order.get("card"), part)


def avoid(game: Game, table: Table, avoidance: Avoidance, name: str) -> Flow[bool]:
    """Try to avoid battle as it was declared, and return whether that succeeds (11.1, 11.1.1).

    What stays behind must fight. A fleet that carries fewer takes mercenaries first.
    """
    power, to, card, part = avoidance
    space, leader = game.the_march.at, part.leaders[0]
    by_sea = card is not None or to not in refuges(game, power, space)
    table.tell("avoids", power=power, leader=leader, origin=space, space=to, rule="11.1")
    if card is not None:
        side = game.board.powers[power].side
        assert side is not None
        part.cu = min(part.cu, capacity(game, Crossing(power, space, to, fleeing=True), card))
        play_beside(game, table, side, card, "sail")
    elif by_sea:
        most = without_card(game, power, space, to)
        most = most or (yield from borrow(game, table, Crossing(power, space, to, fleeing=True), part.cu))
        part.cu = min(part.cu, most)
    part.mercenaries = min(part.mercenaries, part.cu)
    if not part.cu or not (yield from _succeeds(game, table, power, leader, name)):
        table.tell("avoidance_fails", power=power, leader=leader, space=space, rule="11.1")
        return False
    if by_sea and not (yield from _sail_away(game, table, avoidance, f"{name}/{leader}")):
        return False
    moved = move_out(game, power, space, part)
    game.put(power, to, moved)
    table.tell("avoided", power=power, leader=leader, space=to, cu=moved.cu, rule="11.1")
    lift_sieges(game, table)
    yield from take_command(game, table, power, to)
    return True


def _sail_away(game: Game, table: Table, avoidance: Avoidance, name: str) -> Flow[bool]:
    """Make the voyage of a part that avoids battle, and return whether it arrives (11.1.1).

    Whose CU are all lost at sea is displaced (8.4).
    """
    power, to, _, part = avoidance
    space = game.the_march.at
    at_sea = Force(part.cu, part.mercenaries, list(part.leaders))
    arrives = yield from sail(game, table, Crossing(power, space, to, fleeing=True), at_sea, name)
    lose(game, power, space, part.cu - at_sea.cu)
    if not at_sea.cu:
        leaders = game.take(power, space, Force(leaders=list(part.leaders))).leaders
        displace_leaders(game, table, power, space, leaders)
    return arrives


def _succeeds(game: Game, table: Table, power: str, leader: str, name: str) -> Flow[bool]:
    """Return whether an attempt succeeds: the enemy lets it, a response settles it, or the roll is good (11.1)."""
    march = game.the_march
    if (yield from let_go(game, table, march.power, power, march.at)):
        return True
    about = {"space": march.at, "power": power, "other": march.power}
    moment = yield from responses.window(game, table, "avoidance", about=about)
    if moment.cancelled or moment.avoided:
        return moment.avoided and not moment.cancelled
    roll = table.roll(
        f"avoid/{name}/{leader}",
        at_most=game.board.leaders[leader].tactics,
        rule="11.1",
        power=power,
        leader=leader,
        space=march.at,
    )
    return roll.success


# ---- pursuit (11.3, 11.4)


def pursue(game: Game, table: Table, name: str) -> Flow[None]:
    """Let a force whose enemy has avoided battle go on, if it rolls for it; else it stops (11.3, 9.4.2)."""
    march = game.the_march
    march.pursuing = True
    if not (march.path or march.then == "ask") or not can_go_on(game, march):
        march.over = True
        return
    order = yield from table.ask(march.side, "pursue", rule="11.3", default={"roll": True}, **march.asked)
    if not order["roll"]:
        march.over = True
        return
    tactics = game.board.leaders[march.leader].tactics
    roll = table.roll(
        f"pursue/{name}", at_most=tactics, rule="11.3", power=march.power, leader=march.leader, space=march.at
    )
    what = "pursues" if roll.success else "pursuit_fails"
    table.tell(what, power=march.power, leader=march.leader, space=march.at, rule="11.3")
    march.over = not roll.success
    march.fought = march.fought or march.over


REACTION_KINDS: Final = (
    Kind(
        "intercept",
        intercept_choices,
        check_intercept,
        hints="views.hints:intercept_hints",
        bot="policy.replies:best_interception",
        prospects="views.forecast:interceptors",
    ),
    Kind("refuse", *yes_or_no("back"), hints="views.hints:refuse_hints", bot="policy.replies:best_refusal"),
    Kind("let_go", *yes_or_no("allow")),
    Kind(
        "avoid",
        avoid_choices,
        check_avoid,
        hints="views.hints:avoid_hints",
        bot="policy.replies:best_avoidance",
        prospects="views.forecast:avoiders",
    ),
    Kind("pursue", *yes_or_no("roll"), hints="views.hints:pursue_hints"),
)
