"""Leaders in the Reinforcement Phase: consuls, displaced leaders, the price of Greek ones (5.10.2, 8.2, 8.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from typing import Final

from pbem.game import Kind, LegalOrders, Refusal, Table, counted, lazy, listing, multisets, of
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.sword_of_rome.events.minor_leaders import candidates, take_command
from pbem.rules.sword_of_rome.events.support import own_support, remove, settle_support
from pbem.rules.sword_of_rome.position.board import CARTHAGE, CONSUL, GREEKS, ROMANS, SICILY
from pbem.rules.sword_of_rome.position.naming import no_such_space, power_named, space_named
from pbem.rules.sword_of_rome.position.state import Force, Game

CONSULS: Final = 2

# ---- consuls (8.2.2)


def change_consuls(game: Game, table: Table) -> Flow[None]:
    """Put the consuls into the cup, draw two, and place them (8.2.2).

    Displaced ones go back too. Each stands with a CU of his own; whoever finds none goes back into the cup.
    """
    consuls = [leader.id for leader in game.board.leaders.values() if leader.role == CONSUL]
    for leader in consuls:
        if leader in game.displaced:
            game.displaced.remove(leader)
            game.cup.append(leader)
        elif _off_the_map(game, ROMANS, leader):
            game.cup.append(leader)
    cup = table.shuffle(f"consuls/turn-{game.turn}", sorted(game.cup))
    room = sum(game.forces[ROMANS][space].cu for space in consul_spaces(game))
    count = min(CONSULS, len(cup), room)
    drawn, game.cup = cup[:count], cup[count:]
    table.tell("consuls_drawn", leaders=drawn, rule="8.2.2")
    if drawn:
        game.reserve += drawn  # until they are placed
        spaces = _default_places(game, drawn)
        order = yield from table.ask(ROMANS, "consuls", rule="8.2.2", default={"at": spaces}, leaders=drawn)
        yield from _bring_back(game, table, order["at"], "8.2.2")


def _off_the_map(game: Game, power: str, leader: str) -> bool:
    for places in (game.forces[power], game.inside):
        for space, force in list(places.items()):
            if leader in force.leaders:
                force.leaders.remove(leader)
                if force.empty:
                    del places[space]
                return True
    return False


def consul_spaces(game: Game) -> list[str]:
    """Return the spaces with Roman CU where consuls can come, those inside a besieged city left out (8.2.2, 13.3)."""
    return armies_to_join(game, ROMANS)


def places_of(game: Game, leader: str) -> list[str]:
    """Return where a named leader can come: to own CU, some only overseas (8.4, 17.1.1)."""
    record = game.board.leaders[leader]
    return [space for space in armies_to_join(game, record.power) if not record.stays or space in record.stays]


def armies_to_join(game: Game, power: str) -> list[str]:
    """Return the spaces where a named leader of a power can come: own CU stand there, and not besieged (8.4, 13.3)."""
    return sorted(space for space, force in game.forces[power].items() if force.cu)


def _default_places(game: Game, leaders: Sequence[str]) -> dict[str, str]:
    """Return the default: the largest armies, one leader each as long as there are any."""
    places: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for leader in leaders:
        power = game.board.leaders[leader].power
        spaces = [space for space in armies_to_join(game, power) if taken[space] < game.force(power, space).cu]
        best = max(spaces, key=lambda space: (-taken[space], game.force(power, space).cu))
        taken[best] += 1
        places[leader] = best
    return places


def _bring_back(game: Game, table: Table, at: Mapping[str, str], rule: str) -> Flow[None]:
    for leader, space in at.items():
        power = game.board.leaders[leader].power
        (game.displaced if leader in game.displaced else game.reserve).remove(leader)
        game.put(power, space, Force(leaders=[leader]))
        table.tell("leader_returns", leader=leader, power=power, space=space, rule=rule)
    places = {(game.board.leaders[leader].power, space) for leader, space in at.items()}
    # Where nobody is asked comes first: while a side is asked, no minor leader commands a named one anywhere.
    for power, space in sorted(
        places, key=lambda place: (len(candidates(game, game.force(*place).leaders)) > 1, place)
    ):
        yield from take_command(game, table, power, space)


def consul_orders(view: Game, decision: Decision) -> LegalOrders:
    """List every way to place the new consuls (8.2.2)."""
    leaders = decision.facts["leaders"]
    ways = [dict(zip(leaders, spaces, strict=True)) for spaces in _spread(view, leaders)]
    return of([Order("consuls", {"at": at}) for at in ways if not list(_crowded(view, at))])


def _spread(view: Game, leaders: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return product(*(places_of(view, leader) for leader in leaders))


def _crowded(view: Game, at: Mapping[str, str]) -> Iterator[str]:
    """Yield the spaces with fewer CU than consuls: each keeps one at least (8.2.2, 9.1.2)."""
    for space, count in Counter(at.values()).items():
        if count > view.force(ROMANS, space).cu > 0:
            yield space


def check_consuls(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of consuls (8.2.2)."""
    yield from _wrong_places(view, decision, order, "8.2.2")
    for space in _crowded(view, order["at"]):
        reason = f"each consul keeps a CU, and {space_named(view, space)} has {view.force(ROMANS, space).cu}"
        yield order.fault(("at",), reason, rule="8.2.2")


def _wrong_places(view: Game, decision: Decision, order: Order, rule: str) -> Iterator[Fault]:
    leaders, at = decision.facts["leaders"], order["at"]
    if sorted(at) != sorted(leaders):
        yield order.fault(("at",), f"say of {listing(leaders, 'and')} where each comes, and of nobody else", rule=rule)
    for leader, space in at.items():
        if leader not in leaders:
            continue
        power = view.board.leaders[leader].power
        unknown = no_such_space(view, space)
        if unknown is None and space not in armies_to_join(view, power):
            where = space_named(view, space)
            unknown = Refusal(f"no CU of {power_named(view, power)} stand in {where}, out of a siege", rule)
        elif unknown is None and space not in places_of(view, leader):
            unknown = Refusal(f"{view.board.leaders[leader].name} never leaves Africa", "17.1.1")
        if unknown is not None:
            yield order.fault(("at", leader), unknown.reason, rule=unknown.rule)


# ---- displaced leaders (8.4)


def returning(game: Game, powers: Sequence[str]) -> list[str]:
    """Return the displaced leaders of some powers who can come back (8.4)."""
    return [
        leader for leader in game.displaced if game.board.leaders[leader].power in powers and places_of(game, leader)
    ]


def return_displaced(game: Game, table: Table, side: Side, powers: Sequence[str]) -> Flow[None]:
    """Bring the displaced leaders of some powers back, where own CU stand; the others stay displaced (8.4).

    `side` is who decides for the powers.
    """
    leaders = returning(game, powers)
    if not leaders:
        return
    default = {leader: _largest(game, leader) for leader in leaders}
    order = yield from table.ask(side, "return_leaders", rule="8.4", default={"at": default}, leaders=leaders)
    yield from _bring_back(game, table, order["at"], "8.4")


def _largest(game: Game, leader: str) -> str:
    power = game.board.leaders[leader].power
    return max(places_of(game, leader), key=lambda space: game.force(power, space).cu)


def return_orders(view: Game, decision: Decision) -> LegalOrders:
    """List every way to bring displaced leaders back (8.4)."""
    leaders = decision.facts["leaders"]
    return of([Order("return_leaders", {"at": dict(zip(leaders, at, strict=True))}) for at in _spread(view, leaders)])


def check_return(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of displaced leaders (8.4)."""
    yield from _wrong_places(view, decision, order, "8.4")


# ---- the price of Greek leaders (8.2.3, S 8.2.3)


def pay_for_leaders(game: Game, table: Table) -> Flow[None]:
    """Let the Greeks pay for the leaders whom they keep; the others leave the game for good (8.2.3)."""
    side = game.board.powers[GREEKS].side
    costs = {leader: game.board.leaders[leader].penalty for leader in greek_leaders(game)}
    if side is None or not any(costs.values()):
        return
    order = yield from table.ask(
        side,
        "keep_leaders",
        rule="8.2.3",
        default={"keep": [], "pay": []},
        leaders=[leader for leader, cost in costs.items() if cost],
        eased=relief(game),
    )
    for leader in costs:
        if leader in order["keep"] or not _price(game, leader, order):
            table.tell("leader_kept", leader=leader, rule="8.2.3")
        else:
            _off_the_map(game, GREEKS, leader)
            game.gone.append(leader)
            table.tell("leader_leaves", leader=leader, rule="8.2.3")
    spaces = list(order["pay"])
    if spaces:
        for space in spaces:
            remove(game, space)
        table.tell("leaders_paid", spaces=spaces, rule="8.2.3")
        yield from settle_support(game, table, spaces)


def greek_leaders(game: Game) -> list[str]:
    """Return the named Greek leaders on the map (8.2.3)."""
    return [
        leader.id
        for leader in game.board.leaders.values()
        if leader.power == GREEKS and leader.named and game.where(leader.id) is not None
    ]


def relief(game: Game) -> int:
    """Return by how much Sicily eases the price of one leader: a point for each Carthaginian home there (S 8.2.3)."""
    spaces = [space for space in game.board.spaces.values() if space.region == SICILY]
    if any(space.home == GREEKS and game.control.get(space.id) != GREEKS for space in spaces):
        return 0
    return sum(space.home == CARTHAGE and game.control.get(space.id) == GREEKS for space in spaces)


def easable(game: Game) -> list[str]:
    """Return whose price Sicily can ease: by option `eased_leader` only leaders who are there (S 8.2.3)."""
    if not relief(game):
        return []
    leaders = [leader for leader in greek_leaders(game) if game.board.leaders[leader].penalty]
    if not game.options["eased_leader"]:
        return leaders
    return [leader for leader in leaders if game.board.spaces[game.where(leader) or ""].region == SICILY]


def _eased(game: Game, order: Order) -> dict[str, int]:
    """Return whose price is eased and by how much: the leader whom the order names, else the dearest (S 8.2.3)."""
    able = easable(game)
    leader = order.get("ease") or max(able, key=lambda each: game.board.leaders[each].penalty, default=None)
    return {leader: relief(game)} if leader is not None else {}


def _price(game: Game, leader: str, order: Order) -> int:
    return max(0, game.board.leaders[leader].penalty - _eased(game, order).get(leader, 0))


def keep_orders(view: Game, decision: Decision) -> LegalOrders:
    """List every way to pay for any of the Greek leaders (8.2.3)."""
    return lazy(lambda: of(list(_ways_to_pay(view, decision.facts["leaders"]))))


def _ways_to_pay(view: Game, leaders: Sequence[str]) -> Iterator[Order]:
    own = _cities(view)
    easings: list[str | None] = [*easable(view)] or [None]
    for ease in easings:
        named = {"ease": ease} if ease is not None else {}
        costs = {leader: _price(view, leader, Order("keep_leaders", named)) for leader in leaders}
        paid = [leader for leader in leaders if costs[leader]]
        for size in range(len(paid) + 1):
            for kept in combinations(paid, size):
                keep = partial(_keep, kept, named)
                yield from multisets(keep, own, [sum(costs[leader] for leader in kept)])


def _keep(kept: Sequence[str], named: Mapping[str, str], pay: list[str]) -> Order:
    return Order("keep_leaders", {"keep": list(kept), "pay": pay, **named})


def _cities(view: Game) -> dict[str, int]:
    """Return the loyalty with which each city can pay; its last point only by option `price_to_nothing` (7.3.2)."""
    kept = 0 if view.options["price_to_nothing"] else 1
    own = {space: points - kept for space, points in own_support(view, [GREEKS]).items() if space in view.loyalty}
    return {space: points for space, points in own.items() if points}


def check_keep(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the payment for Greek leaders (8.2.3, S 8.2.3)."""
    ease = order.get("ease")
    if ease is not None and ease not in easable(view):
        yield order.fault(("ease",), f"Sicily does not ease the price of {ease}", rule="S 8.2.3")
        return
    for i, leader in enumerate(order["keep"]):
        if leader not in decision.facts["leaders"]:
            yield order.fault(("keep", i), f"{leader} is no leader who costs loyalty", rule="8.2.3")
            return
    price = sum(_price(view, leader, order) for leader in order["keep"])
    if len(order["pay"]) != price:
        reason = f"they cost {counted(price, 'point')} of loyalty, a city for each, not {len(order['pay'])}"
        yield order.fault(("pay",), reason, rule="8.2.3")
    own = _cities(view)
    for at, space in enumerate(order["pay"]):
        unknown = no_such_space(view, space)
        if unknown is None and order["pay"][: at + 1].count(space) > own.get(space, 0):
            unknown = Refusal(f"{space_named(view, space)} has {own.get(space, 0)} points of Greek loyalty", "8.2.3")
        if unknown is not None:
            yield order.fault(("pay", at), unknown.reason, rule=unknown.rule)


RETURN_KINDS: Final = (
    Kind("consuls", consul_orders, check_consuls, hints="views.hints:consuls_hints"),
    Kind("return_leaders", return_orders, check_return, hints="views.hints:return_leaders_hints"),
    Kind(
        "keep_leaders",
        keep_orders,
        check_keep,
        hints="views.hints:keep_leaders_hints",
        bot="policy.placing:best_keeping",
    ),
)
