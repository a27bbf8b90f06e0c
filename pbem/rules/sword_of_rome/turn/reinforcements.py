"""The Reinforcement Phase: powers without a player first, then the sides by descending VP (5.10, S 5.10).

New CU, then leaders: consuls, displaced ones, the price of Greek ones (8.2, 8.4). Where new units may be placed holds
for cards that bring CU, too (7.2, 7.3.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from pbem.game import NOTHING, AllOf, Kind, Nested, OneOf, Part, Refusal, Some, Table, Value, counted, listing
from pbem.protocol import Decision, Fault, Flow, Order, Record, Side
from pbem.rules.sword_of_rome.events import minor_leaders
from pbem.rules.sword_of_rome.events.minor_leaders import candidates, take_command
from pbem.rules.sword_of_rome.events.support import own_support, remove, settle_support
from pbem.rules.sword_of_rome.position.board import (
    BOX,
    CARTHAGE,
    CONSUL,
    GARRISON_BOX,
    GREEKS,
    REBELS,
    ROMA,
    ROMANS,
    SICILY,
    WALLED,
)
from pbem.rules.sword_of_rome.position.changes import INSURRECTION, pull_out, settle_spaces
from pbem.rules.sword_of_rome.position.naming import handful, no_such_space, points, power_named, space_named, spaces
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.turn.order_of_play import decider, ranked
from pbem.rules.sword_of_rome.turn.scoring import drop_out

Place: TypeAlias = tuple[str, str]
"""A power, and a space where it may place."""
MERCENARIES: Final = "mercenaries"
CHOICE: Final = "choice"
"""Carthage chooses the mercenaries that go home (option `leaving_mercenaries`)."""
CONSULS: Final = 2


# ---- where new units may be placed


def eligible(game: Game, power: str) -> list[str]:
    """Return the spaces where a power may place new units, in the order of the board (5.10).

    They are friendly and without enemy CU, and connected by such spaces, over no rough path and no strait, with an
    own unbesieged home reinforcement space; for Rome with any city. Carthage and its allies connect by sea too.
    Carthage may place in the Garrison box (S 19.1), and without a player never in Italy (16.3). The rebels have no
    home: new ones join those who are there (S 5.10.1).
    """
    board = game.board
    if not board.homes[power]:
        return board.in_order(game.stands(power))
    friends = {other for other in board.powers if game.allied(power, other)}
    free = {space for space, holder in game.control.items() if holder in friends}
    free.difference_update(space for space in game.sieges if game.kind(space) == WALLED)
    taken = {space for space, force in game.inside.items() if force.cu and game.control.get(space) != power}
    for other in board.powers:
        if other != power:
            there = game.stands(other)
            taken |= there
            if other not in friends:
                free -= there
    sails = CARTHAGE in friends and CARTHAGE not in game.fallen
    found = [space for space in _sources(game, power) if space in free]
    seen = set(found)
    free -= seen
    while found:
        at = found.pop()
        new = free.intersection(board.by_land[power][at])
        if sails and board.spaces[at].port:
            new |= free.intersection(game.harbours(power))
            sails = False  # the first port reaches all the others
        seen |= new
        free -= new
        found += new
    if power == CARTHAGE and GARRISON_BOX in board.spaces:
        seen.add(GARRISON_BOX)
    seen -= board.powers[power].barred
    return board.in_order(seen - taken)  # powers do not stack (15.3, 16.2)


def sources(game: Game, power: str) -> list[str]:
    """Return the reinforcement spaces that bring a power CU: its own home ones, controlled and unbesieged (5.10.1).

    For Rome they are all its walled cities.
    """
    if power == ROMANS:
        cities = {*game.cities(ROMANS)}
        return [space for space in game.board.spaces if space in cities and not game.besieged(space)]
    return [
        space
        for space in game.board.homes[power]
        if game.board.spaces[space].reinforcement and game.control.get(space) == power and not game.besieged(space)
    ]


def _sources(game: Game, power: str) -> list[str]:
    boxes = [space for space in game.board.homes[power] if game.board.spaces[space].kind == BOX and power != CARTHAGE]
    return [*sources(game, power), *boxes]


def wrong_places(game: Game, power: str, spaces: Iterable[str]) -> Iterator[tuple[str, Refusal]]:
    """Yield the spaces of a list in which a power cannot place new units, and why (5.10)."""
    open_to = eligible(game, power)
    who = game.board.powers[power].name
    for space in spaces:
        unknown, where = no_such_space(game, space), space_named(game, space)
        if unknown is not None:
            yield space, unknown
        elif space not in open_to and not game.friendly(power, space):
            yield space, Refusal(f"{where} is not friendly to {who}", "5.10")
        elif space not in open_to:
            reason = f"no friendly spaces lead from a reinforcement space of {who} to {where}, or enemies are there"
            yield space, Refusal(reason, "5.10")


def why_not_place(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot place new units in a space; None: it can (5.10)."""
    return next((refusal for _, refusal in wrong_places(game, power, [space])), None)


# ---- the phase


class Lot(NamedTuple):
    """CU that are placed together: how many, of what kind, and where they may go."""

    cu: int
    mercenaries: bool
    places: tuple[Place, ...]


def reinforce(game: Game, table: Table) -> Flow[None]:
    """Give all powers their reinforcements, and take out of the game who has no CU left (5.10)."""
    for power in game.board.powers.values():
        if power.side is None and (levy(game, power.id) or returning(game, [power.id])):
            side = yield from decider(game, table, power.id)
            yield from place_new(game, table, side, [power.id])
            yield from return_displaced(game, table, side, [power.id])
            yield from minor_leaders.place(game, table, side, [power.id])
    for side in (yield from ranked(game, table)):
        powers = game.board.powers_of[side]
        if CARTHAGE in powers:
            yield from halve_mercenaries(game, table)
        for group in [powers] if game.options["pooled_levies"] else [(power,) for power in powers]:
            yield from place_new(game, table, side, group)
        if ROMANS in powers:
            yield from change_consuls(game, table)
        yield from return_displaced(game, table, side, powers)
        if GREEKS in powers:
            yield from pay_for_leaders(game, table)
        yield from minor_leaders.place(game, table, side, powers)
    drop_out(game, table)
    game.phase = "turn_end"


def levy(game: Game, power: str) -> int:
    """Return the CU that a power gets, mercenaries not counted (5.10.1, S 5.10.1).

    The rebels get theirs while the Insurrection is in effect; a power that has lost its capital overseas gets none.
    """
    if power in game.fallen:
        return 0
    numbers = game.board.tables["reinforcements"]
    if power == REBELS:
        return numbers["in_insurrection"] if game.mark(INSURRECTION) is not None else 0
    if power == ROMANS:
        cities = sources(game, ROMANS)
        return sum(game.board.spaces[ROMA].reinforcement if city == ROMA else numbers["roman_city"] for city in cities)
    return game.board.powers[power].levy + sum(game.board.spaces[space].reinforcement for space in sources(game, power))


def mercenaries_due(game: Game) -> int:
    """Return the mercenaries that Carthage gets: fewer while the Insurrection is in effect (S 5.10.1)."""
    numbers = game.board.tables["reinforcements"]
    due: int = numbers["in_insurrection" if game.mark(INSURRECTION) is not None else MERCENARIES]
    return due


def lots(game: Game, powers: Sequence[str]) -> list[Lot]:
    """Return what some powers of one decider place together; what finds no place is forfeited (5.10)."""
    places = {power: [(power, space) for space in eligible(game, power)] for power in powers}
    everywhere = tuple(place for power in powers for place in places[power])
    found = [Lot(sum(levy(game, power) for power in powers), False, everywhere)]
    if CARTHAGE in powers and game.board.powers[CARTHAGE].side is not None:
        found.append(Lot(mercenaries_due(game), True, everywhere))
    return [lot for lot in found if lot.cu and lot.places]


def place_new(game: Game, table: Table, side: str, powers: Sequence[str]) -> Flow[None]:
    """Ask where the new CU of some powers go, and put them there (5.10)."""
    found = lots(game, powers)
    if not found:
        table.tell("no_reinforcements", powers=list(powers), rule="5.10")
        return
    order = yield from table.ask(
        side,
        "reinforce",
        rule="5.10",
        default=_placing(found).make(0),
        powers=list(powers),
        cu=sum(lot.cu for lot in found if not lot.mercenaries),
        mercenaries=sum(lot.cu for lot in found if lot.mercenaries),
    )
    for power, places in order.get("place", {}).items():
        for space, cu in places.items():
            game.put(power, space, Force(cu=cu))
            table.tell("reinforced", power=power, space=space, cu=cu, rule="5.10")
    for space, cu in order.get(MERCENARIES, {}).items():
        game.put(CARTHAGE, space, Force(cu=cu, mercenaries=cu))
        table.tell("hired", space=space, cu=cu, rule="S 5.10.1")


def halve_mercenaries(game: Game, table: Table) -> Flow[None]:
    """Send half of the mercenaries on the board home, rounded up (S 5.10).

    Carthage says which, or they are those of the largest forces (option `leaving_mercenaries`).
    """
    there = mercenaries(game)
    leaving = (sum(there.values()) + 1) // 2
    if not leaving:
        return
    gone = _first(there, leaving)
    if game.options["leaving_mercenaries"] == CHOICE:
        order = yield from table.ask(
            CARTHAGE, "halve", rule="S 5.10", default={"remove": gone}, leaving=leaving, there=there
        )
        gone = order["remove"]
    for space, cu in gone.items():
        inside = space not in game.forces[CARTHAGE] or game.forces[CARTHAGE][space].mercenaries < cu
        force = game.inside[space] if inside else game.forces[CARTHAGE][space]
        force.cu -= cu
        force.mercenaries -= cu
        if force.empty:
            (game.inside if inside else game.forces[CARTHAGE]).pop(space)
    table.tell("mercenaries_leave", cu=leaving, spaces=gone, rule="S 5.10")
    settle_spaces(game, table)


def mercenaries(game: Game) -> dict[str, int]:
    """Return the mercenaries that count as those on the board, by space (S 5.10)."""
    there: dict[str, int] = {}
    for space, force in game.everywhere(CARTHAGE):
        if force.mercenaries and (game.options["box_mercenaries"] or game.board.spaces[space].kind != BOX):
            there[space] = there.get(space, 0) + force.mercenaries
    return dict(sorted(there.items()))


def _first(there: Mapping[str, int], leaving: int) -> dict[str, int]:
    """Return the default: those of the largest forces go."""
    left = dict(there)
    for _ in range(leaving):
        most = max(left, key=lambda space: left[space])
        left[most] -= 1
    return {space: there[space] - left[space] for space in there if left[space] < there[space]}


# ---- legal orders and checks


def _placing(lots: Sequence[Lot]) -> Part:
    """Return every way to place some lots."""
    return AllOf(*map(_of_lot, lots))


def _of_lot(lot: Lot) -> Part:
    """Return every way to place a lot: mercenaries by space, others by power and space."""
    by_power: dict[str, list[str]] = {}
    for power, space in lot.places:
        by_power.setdefault(power, []).append(space)
    if lot.mercenaries:
        return handful(MERCENARIES, by_power[CARTHAGE], lot.cu)
    return Nested("place", _divided(list(by_power.items()), lot.cu))


def _divided(places: Sequence[tuple[str, Sequence[str]]], cu: int) -> Part:
    """Return every way to divide CU among powers, each with its own spaces; most for the first comes first."""
    power, some = places[0]
    if len(places) == 1:
        return handful(power, some, cu)
    ways = []
    for share in range(cu, -1, -1):
        mine = handful(power, some, share) if share else NOTHING
        rest = _divided(places[1:], cu - share) if share < cu else NOTHING
        ways.append(Value("", AllOf(mine, rest), label=f"{share} CU"))
    return OneOf(None, ways, inferred=True)


def reinforce_choices(view: Game, decision: Decision) -> Part:
    """Return every way to place the new CU (5.10)."""
    return _placing(lots(view, decision.facts["powers"]))


def check_reinforce(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of new CU (5.10)."""
    powers = decision.facts["powers"]
    found = lots(view, powers)
    open_to = {place for lot in found for place in lot.places}
    placed: dict[str, int] = {}
    for power, places in order.get("place", {}).items():
        if power not in powers:
            yield order.fault(("place", power), f"{power} gets no CU here", rule="5.10")
            continue
        yield from _misplaced(order, power, places, ("place", power), open_to)
        placed["cu"] = placed.get("cu", 0) + sum(places.values())
    hired = order.get(MERCENARIES, {})
    if hired and CARTHAGE not in powers:
        yield order.fault((MERCENARIES,), "only Carthage has mercenaries", rule="S 5.10.1")
    elif hired:
        yield from _misplaced(order, CARTHAGE, hired, (MERCENARIES,), open_to)
    wanted = {lot.mercenaries: lot.cu for lot in found}
    if placed.get("cu", 0) != wanted.get(False, 0):
        yield order.fault(("place",), f"place {wanted.get(False, 0)} CU, not {placed.get('cu', 0)}", rule="5.10.1")
    if sum(hired.values()) != wanted.get(True, 0):
        reason = f"place {wanted.get(True, 0)} mercenaries, not {sum(hired.values())}"
        yield order.fault((MERCENARIES,), reason, rule="S 5.10.1")


def _misplaced(
    order: Order, power: str, places: Mapping[str, int], at: tuple[str, ...], open_to: Collection[Place]
) -> Iterator[Fault]:
    for space in places:
        if (power, space) not in open_to:
            yield order.fault((*at, space), f"{power} cannot place reinforcements in {space}", rule="5.10")


def halve_choices(view: Game, decision: Decision) -> Part:
    """Return every way to send the mercenaries home (S 5.10)."""
    there, leaving = decision.facts["there"], decision.facts["leaving"]
    return Some("remove", spaces(there), leaving, leaving, of="space", room=there, counts=True)


def check_halve(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the mercenaries that go home (S 5.10)."""
    there: Mapping[str, int] = decision.facts["there"]
    for space, cu in order["remove"].items():
        if cu > there.get(space, 0):
            yield order.fault(("remove", space), f"there are {there.get(space, 0)} mercenaries", rule="S 5.10")
    gone = sum(order["remove"].values())
    if gone != decision.facts["leaving"]:
        yield order.fault(("remove",), f"{decision.facts['leaving']} CU leave, not {gone}", rule="S 5.10")


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
        elif pull_out(game, leader):
            game.cup.append(leader)
    cup = table.shuffle(f"consuls/turn-{game.turn}", sorted(game.cup))
    room = sum(game.forces[ROMANS][space].cu for space in armies_to_join(game, ROMANS))
    count = min(CONSULS, len(cup), room)
    drawn, game.cup = cup[:count], cup[count:]
    table.tell("consuls_drawn", leaders=drawn, rule="8.2.2")
    if drawn:
        game.reserve += drawn  # until they are placed
        spaces = _default_places(game, drawn)
        order = yield from table.ask(ROMANS, "consuls", rule="8.2.2", default={"at": spaces}, leaders=drawn)
        yield from _bring_back(game, table, order["at"], "8.2.2")


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


def consul_choices(view: Game, decision: Decision) -> Part:
    """Return every way to place the new consuls (8.2.2)."""
    return Nested("at", _spread(view, decision.facts["leaders"], {}))


def _spread(view: Game, leaders: Sequence[str], at: Mapping[str, str]) -> Part:
    """Return every way to place leaders, after some others; no more consuls than CU stand anywhere (8.2.2, 8.4)."""
    if not leaders:
        return NOTHING
    leader, *others = leaders
    values = []
    for space in places_of(view, leader):
        placed = {**at, leader: space}
        if not list(_crowded(view, {each: to for each, to in placed.items() if _is_consul(view, each)})):
            values.append(Value(space, _spread(view, others, placed), at=space))
    return OneOf(leader, values, of="space", title=view.board.leaders[leader].name)


def _is_consul(view: Game, leader: str) -> bool:
    return view.board.leaders[leader].role == CONSUL


def _crowded(view: Game, at: Mapping[str, str]) -> Iterator[str]:
    """Yield the spaces with fewer CU than consuls: each keeps one at least (8.2.2, 9.1.2)."""
    for space, count in Counter(at.values()).items():
        if count > view.force(ROMANS, space).cu > 0:
            yield space


def check_consuls(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of consuls (8.2.2)."""
    yield from check_return(view, decision, order)
    for space in _crowded(view, order["at"]):
        reason = f"each consul keeps a CU, and {space_named(view, space)} has {view.force(ROMANS, space).cu}"
        yield order.fault(("at",), reason, rule="8.2.2")


def check_return(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the places of leaders who come (8.2.2, 8.4)."""
    leaders, at, rule = decision.facts["leaders"], order["at"], decision.rule
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


def return_choices(view: Game, decision: Decision) -> Part:
    """Return every way to bring displaced leaders back (8.4)."""
    return Nested("at", _spread(view, decision.facts["leaders"], {}))


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
            pull_out(game, leader)
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


def _eased(game: Game, order: Order | Record) -> dict[str, int]:
    """Return whose price is eased and by how much: the leader whom the order names, else the dearest (S 8.2.3)."""
    able = easable(game)
    leader = order.get("ease") or max(able, key=lambda each: game.board.leaders[each].penalty, default=None)
    return {leader: relief(game)} if leader is not None else {}


def _price(game: Game, leader: str, order: Order | Record) -> int:
    return max(0, game.board.leaders[leader].penalty - _eased(game, order).get(leader, 0))


def keep_choices(view: Game, decision: Decision) -> Part:
    """Return every way to pay for any of the Greek leaders (8.2.3); Sicily eases the dearest, unless it is said."""
    leaders, able = decision.facts["leaders"], easable(view)
    if not able:
        return _ways_to_pay(view, leaders, {})
    eased = [Value(leader, _ways_to_pay(view, leaders, {"ease": leader})) for leader in able]
    return OneOf("ease", eased, of="leader", default=able.index(next(iter(_eased(view, {})))))


def _ways_to_pay(view: Game, leaders: Sequence[str], eased: Record) -> Part:
    """Return whom the Greeks may keep, each time with every way to pay, if the price of some leader is eased."""
    cities, costs = _cities(view), {leader: _price(view, leader, eased) for leader in leaders}
    paid = [leader for leader in leaders if costs[leader]]
    values = []
    for size in range(len(paid) + 1):
        for kept in combinations(paid, size):
            price = sum(costs[leader] for leader in kept)
            values.append(Value(list(kept), points("pay", cities, price, price), must=not kept, note=f"{price} points"))
    return OneOf("keep", values, of="leader")


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


REINFORCEMENT_KINDS: Final = (
    Kind(
        "reinforce",
        reinforce_choices,
        check_reinforce,
        hints="views.hints:reinforce_hints",
        bot="policy.placing:best_reinforcements",
    ),
    Kind("halve", halve_choices, check_halve, bot="policy.placing:best_halving"),
    Kind("consuls", consul_choices, check_consuls, hints="views.hints:arriving_leaders_hints"),
    Kind("return_leaders", return_choices, check_return, hints="views.hints:arriving_leaders_hints"),
    Kind(
        "keep_leaders",
        keep_choices,
        check_keep,
        hints="views.hints:keep_leaders_hints",
        bot="policy.placing:best_keeping",
    ),
)
