"""City positions: who goes inside when an enemy army comes; the walls hold three CU and any leaders (9.3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from pbem.game import Kind, LegalOrders, Table, flat_map, product
from pbem.protocol import Decision, Fault, Flow, Order
from pbem.rules.sword_of_rome.events import responses
from pbem.rules.sword_of_rome.movement.orders import Body
from pbem.rules.sword_of_rome.movement.parts import arrange, move_out, rest_of, told, why_consul_alone, why_not_part
from pbem.rules.sword_of_rome.position.board import WALLED
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.naming import space_named
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.position.windows import window_decision
from pbem.rules.sword_of_rome.turn.deciders import decider


def take_positions(game: Game, table: Table) -> Flow[None]:
    """Let the owner of the city into whose space an army has come say who goes inside (9.3.1).

    A power hides in its own cities only, not in those of an ally, and in its capital overseas it stands (17.1).
    Leaders without CU always go inside. Once it is said who goes, a response may bar the city (21.3).
    """
    march = game.the_march
    space = march.at
    holder = game.control.get(space)
    if game.kind(space) != WALLED or holder is None or game.allied(holder, march.power) or game.board.is_capital(space):
        return
    there = game.force(holder, space)
    if there.empty or space in game.inside:
        return
    if there.cu:
        if game.barred(space):
            return
        side = yield from decider(game, table, holder)
        facts = {"power": holder, "at": space, "mover": march.power, "enemy_cu": march.force.cu, "own_cu": there.cu}
        order = yield window_decision(game, "city", side, "9.3.1", facts, as_many(game, there))
        part = part_inside(there, order.body)
        if part.cu == there.cu:
            part.leaders = list(there.leaders)
    else:
        part = Force(leaders=list(there.leaders))
    if part.cu:
        yield from responses.window(game, table, "into_city", about={"space": space, "power": holder})
    if part.empty or (part.cu and game.barred(space)):
        return
    inside = move_out(game, holder, space, part)
    arrange(game, inside)
    game.inside[space] = inside
    table.tell("goes_inside", power=holder, space=space, cu=inside.cu, leaders=list(inside.leaders), rule="9.3.1")


def part_inside(there: Force, body: Body) -> Force:
    """Return the part of a force that an order puts inside a city; mercenaries stay out unless it names them."""
    cu: int = body["cu"]
    fewest = max(0, cu - (there.cu - there.mercenaries))
    return Force(cu, body.get("mercenaries", fewest), list(body.get("leaders", ())))


def as_many(game: Game, there: Force) -> dict[str, object]:
    """Return the order that puts as many CU as can go inside the city; the leaders too, if all can (9.3.1)."""
    room: int = game.board.tables["city"]["cu"]
    if there.cu <= room:
        return {"cu": there.cu, "leaders": list(there.leaders)}
    return {"cu": room, "leaders": []}


def city_orders(view: Game, decision: Decision) -> LegalOrders:
    """List what may stand inside a city: three CU at most, and any of the leaders (9.3.1)."""
    there = view.force(decision.facts["power"], decision.facts["at"])
    room = view.board.tables["city"]["cu"]
    names = [list(some) for size in range(len(there.leaders) + 1) for some in combinations(there.leaders, size)]

    def inside(leaders: list[str]) -> LegalOrders:
        kept = []
        for cu in range(min(room, there.cu) + 1):
            part = Force(cu, 0, leaders)
            if why_consul_alone(view, part, rest_of(there, part)) is None or cu == there.cu:
                fewest = max(0, cu - (there.cu - there.mercenaries))
                kept += [(cu, some) for some in range(fewest, min(cu, there.mercenaries) + 1)]

        def order(units: tuple[int, int]) -> Order:
            return Order("city", {**told(*units, there), "leaders": leaders})

        return product(order, kept)

    return flat_map(inside, names)


def check_city(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with who goes inside a city: its room, who is there, a consul left alone (9.1.2, 9.3.1)."""
    there = view.force(decision.facts["power"], decision.facts["at"])
    room = view.board.tables["city"]["cu"]
    part = part_inside(there, order.body)
    where = space_named(view, decision.facts["at"])
    if part.cu > room:
        yield order.fault(("cu",), f"{room} CU fit into {where}, not {part.cu}", rule="9.3.1")
    wrong = list(why_not_part(view, there, Force(part.cu, part.mercenaries)))
    yield from (order.fault((word,), refusal.reason, rule="9.3.1") for word, refusal in wrong)
    for at, leader in enumerate(part.leaders):
        if leader not in there.leaders or leader in part.leaders[:at]:
            yield order.fault(("leaders", at), f"{leader} does not stand before {where}", rule="9.3.1")
    if not wrong and part.cu < there.cu and (alone := why_consul_alone(view, part, rest_of(there, part))) is not None:
        yield order.fault(("cu",), alone.reason, rule=alone.rule)


CITY_KINDS: Final = (Kind("city", city_orders, check_city, hints="views.hints:city", bot="policy.replies:best_city"),)
