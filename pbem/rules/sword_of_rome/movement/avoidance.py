"""Avoiding battle, by land and by sea, and the pursuit that follows (11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from pbem.game import NOT_TOLD, Kind, LegalOrders, Refusal, Table, concat, flat_map, listing, of, product, yes_or_no
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.events.minor_leaders import take_command
from pbem.rules.sword_of_rome.movement.interception import let_go, why_not_sent
from pbem.rules.sword_of_rome.movement.orders import Body, Wanted
from pbem.rules.sword_of_rome.movement.parts import companies, move_out, part_of, strengths, told
from pbem.rules.sword_of_rome.movement.paths import can_go_on, enemy_cu_at, why_barred, why_no_home
from pbem.rules.sword_of_rome.movement.voyages import (
    Crossing,
    borrow,
    capacity,
    cards_of,
    may_get_leave,
    play_beside,
    sail,
    why_he_stays,
    why_not_held,
    without_card,
)
from pbem.rules.sword_of_rome.position.changes import displace_leaders, lift_sieges, lose
from pbem.rules.sword_of_rome.position.naming import no_such_leader, no_such_space, space_named
from pbem.rules.sword_of_rome.position.state import NONE, UNSEEN, Force, Game, window_decision
from pbem.rules.sword_of_rome.turn.order_of_play import decider

STAYS: Final[Body] = {"to": NONE}


# ---- who may avoid, and where to (11.1, 11.2)


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


# ---- the orders


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


def avoid_orders(view: Game, decision: Decision) -> LegalOrders:
    """List every way to avoid battle, and to stand (11.1)."""
    power, space = decision.facts["power"], decision.facts["at"]
    stack = view.force(power, space)
    if UNSEEN in view.hands[decision.side] and ports_of_refuge(view, power, space):
        return NOT_TOLD

    def by(flight: Flight) -> LegalOrders:
        leaders = [leader for leader in stack.leaders if why_not_avoid(view, leader) is None]
        return flat_map(lambda leader: _led(view, stack, flight, leader), leaders)

    return concat(of([Order("avoid", STAYS)]), flat_map(by, flights(view, decision)))


def _led(view: Game, stack: Force, flight: Flight, leader: str) -> LegalOrders:
    def with_them(others: tuple[str, ...]) -> LegalOrders:
        if why_he_stays(view, (leader, *others), flight.to) is not None:
            return of([])
        stays = stack.commander not in (leader, *others)
        some = strengths(view, stack, (leader, *others), 1, min(flight.most, stack.cu - stays))

        def order(units: tuple[int, int]) -> Order:
            body = {"to": flight.to, "leader": leader, **told(*units, stack), "with": list(others)}
            return Order("avoid", body if flight.card is None else {**body, "card": flight.card})

        return product(order, some)

    return flat_map(with_them, list(companies(view, stack, leader)))


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
    for word, why in why_not_sent(view, stack, Wanted.read(order.body), leader, 1, most):
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


# ---- what comes of it


def declared(game: Game, power: str, order: Order) -> Force:
    """Return the part of an army that an order wants to avoid battle, of those who are there now (9.3.2).

    Who intercepts later does not go with it (11.2).
    """
    stack, wanted = game.force(power, game.the_march.at), Wanted.read(order.body)
    leader: str = order.get("leader", stack.commander)
    stays = stack.commander not in (leader, *wanted.others)
    return part_of(stack, wanted, leader, min(game.board.tables["avoidance"]["cu"], stack.cu - stays))


def avoid(game: Game, table: Table, power: str, order: Order, part: Force, name: str) -> Flow[bool]:
    """Try to avoid battle with a part that was declared, and return whether it succeeds (11.1, 11.1.1).

    What stays behind must fight. A fleet that carries fewer takes mercenaries first.
    """
    space, to, card, leader = game.the_march.at, order["to"], order.get("card"), part.leaders[0]
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
    if by_sea and not (yield from _sail_away(game, table, power, to, part, f"{name}/{leader}")):
        return False
    moved = move_out(game, power, space, part)
    game.put(power, to, moved)
    table.tell("avoided", power=power, leader=leader, space=to, cu=moved.cu, rule="11.1")
    lift_sieges(game, table)
    yield from take_command(game, table, power, to)
    return True


def _sail_away(game: Game, table: Table, power: str, to: str, part: Force, name: str) -> Flow[bool]:
    """Make the voyage of a part that avoids battle, and return whether it arrives (11.1.1).

    Whose CU are all lost at sea is displaced (8.4).
    """
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
    order = yield from table.ask(
        march.side,
        "pursue",
        rule="11.3",
        default={"roll": True},
        power=march.power,
        leader=march.leader,
        at=march.at,
        points=march.points,
    )
    if not order["roll"]:
        march.over = True
        return
    tactics = game.board.leaders[march.leader].tactics
    roll = table.roll(
        f"pursue/{name}", at_most=tactics, rule="11.3", power=march.power, leader=march.leader, space=march.at
    )
    table.tell(
        "pursues" if roll.success else "pursuit_fails",
        power=march.power,
        leader=march.leader,
        space=march.at,
        rule="11.3",
    )
    march.over = not roll.success
    march.fought = march.fought or march.over


AVOIDANCE_KINDS: Final = (
    Kind(
        "avoid",
        avoid_orders,
        check_avoid,
        hints="views.hints:avoid_hints",
        bot="policy.replies:best_avoidance",
        prospects="views.forecast:avoiders",
    ),
    Kind("pursue", *yes_or_no("roll"), hints="views.hints:pursue_hints"),
)
