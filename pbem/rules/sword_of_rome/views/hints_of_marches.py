"""Hints on marches and the reactions to them: where a step leads, who may react, and with what chance (9 to 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from pbem.game import counted, legal, listing, percent
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.movement.avoidance import avoid_orders, flights
from pbem.rules.sword_of_rome.movement.cities import check_city
from pbem.rules.sword_of_rome.movement.flanks import next_commanders, ways_to_flank
from pbem.rules.sword_of_rome.movement.interception import intercept_orders, modifier
from pbem.rules.sword_of_rome.movement.march_check import check_flank, check_march, most_cu, why_not_roll_now
from pbem.rules.sword_of_rome.movement.march_orders import flanks
from pbem.rules.sword_of_rome.movement.orders import ASK, NONE, STOP, Wanted
from pbem.rules.sword_of_rome.movement.parts import part_of
from pbem.rules.sword_of_rome.movement.paths import onward, overseas, step_cost, why_not_end
from pbem.rules.sword_of_rome.movement.voyages import card_orders, cards_of, naval_modifiers
from pbem.rules.sword_of_rome.position.state import UNSEEN, Game
from pbem.rules.sword_of_rome.position.under_way import March
from pbem.rules.sword_of_rome.views.hinting import MOST, Hint, HintsOf, first_of

DIE: Final = range(1, 7)


def odds(at_most: int, more: int = 0) -> str:
    """Return the chance that a die with something added is at most a number.

    >>> odds(3, 1)
    '33 %'
    """
    return f"{percent(at_most - more)} %"


def _as_it_goes(view: Game, march: March) -> March:
    """Return the force under way; before it has set out, as it would go without a word."""
    if not march.force.empty:
        return march
    stack = view.force(march.power, march.at)
    return march.as_if(part_of(stack, Wanted(), march.leader, most_cu(view)))


def _march(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where the next step may lead, what it costs and who stands there; ports apart (9.2, 9.6)."""
    march = _as_it_goes(view, view.the_march)
    if view.the_march.leader in view.garrison(march.power, march.origin).leaders:
        yield "He is inside a besieged city: sortie: true attacks the besiegers (13.4.1)."
        yield Order("march", {"sortie": True})
        yield Order("march", {"then": STOP})
        return
    steps = onward(view, march)
    for to in steps:
        kind = view.board.path(march.power, march.at, to) or ""
        there = [counted(step_cost(view, march, to, kind), "movement point")]
        for power in view.board.powers:
            cu = view.cu(power, to)
            if cu:
                there.append(f"{view.board.powers[power].name} {cu} CU")
        yield f"  {to}: {', '.join(there)}"
    ports = overseas(view, march)
    if ports:
        cost = counted(view.board.tables["movement"]["cost"]["sea"], "movement point")
        yield f"By sea, {cost}, as {{to: port, by: sea}}: {listing(ports, 'or')}."
    yield "Write the whole path. With then: ask you are asked again at its end; without it the march ends there."
    if why_not_roll_now(view, march) is None:
        yield "With roll: true he stays and rolls for the siege."
        yield Order("march", {"roll": True})
    others = view.force(march.power, march.at).leaders if view.the_march.force.empty else []
    company = {"with": [leader for leader in others if leader != march.leader]}  # a consul is not left alone
    for to in steps[: MOST - 1]:
        body = {"path": [{"to": to}], "then": ASK}
        yield from islice(legal(check_march, view, decision, (body, {**company, **body})), 1)
    if why_not_end(view, view.the_march, march.at) is None:
        yield Order("march", {"then": STOP})


def _flank(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the ways to the flank (9.5.6)."""
    march = _as_it_goes(view, view.the_march)
    ways = list(islice(ways_to_flank(view, march), MOST))
    for way in ways:
        yield f"  {', '.join(step['to'] for step in way.steps) or 'he stays where he is'}"
    yield "All CU that can go along do, unless you write with how many: cu."
    whole = [{"path": way.steps} for way in ways]
    yield from list(legal(check_flank, view, decision, whole)) or first_of(flanks(view, decision))


def _next(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who can be activated, and what stands with each (9.5.1)."""
    orders = list(first_of(next_commanders(view, decision)))
    for leader in dict.fromkeys(order["leader"] for order in orders if order["leader"] != NONE):
        space = view.where(leader)
        if space is not None:
            force = view.force(view.board.leaders[leader].power, space)
            yield f"  {leader}: {force.cu} CU in {space}"
    yield from orders


def _city(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the walls hold (9.3.1)."""
    room = min(view.board.tables["city"]["cu"], decision.facts["own_cu"])
    leaders = view.force(decision.facts["power"], decision.facts["at"]).leaders
    yield f"Up to {room} CU and any leaders go inside; who stays outside can avoid battle or must fight."
    bodies = ({"cu": room, "leaders": list(leaders)}, {"cu": room, "leaders": []}, {"cu": 0, "leaders": []})
    yield from legal(check_city, view, decision, bodies)


def _intercept(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield each army that may intercept, with its chance (10.3)."""
    power, space = decision.facts["power"], decision.facts["at"]
    more = modifier(view, power, space)
    for origin in decision.facts["from"]:
        force = view.force(power, origin)
        for leader in force.leaders:
            record = view.board.leaders[leader]
            yield f"  {record.name} in {origin}, {force.cu} CU: {odds(record.tactics, more)}"
    yield from first_of(intercept_orders(view, decision))


def _avoid(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the chance of each leader, and where the army may go (11.1)."""
    for leader in view.force(decision.facts["power"], decision.facts["at"]).leaders:
        record = view.board.leaders[leader]
        yield f"  {record.name}: {odds(record.tactics)}"
    if UNSEEN in view.hands[decision.side]:
        return
    found = flights(view, decision)
    by_land = [flight.to for flight in found if flight.card is None]
    if by_land:
        yield f"The army can go to {listing(by_land, 'or')}."
    by_sea = list(dict.fromkeys(flight.to for flight in found if flight.card is not None))
    if by_sea:
        yield f"By a card, written as card, it can sail to {listing(by_sea, 'or')}."
    yield from first_of(avoid_orders(view, decision))


def _refuse(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the chance to get away (10.5.1)."""
    march = view.the_march
    yield f"To go back to {march.came_from}: {odds(view.board.leaders[march.leader].tactics)}."
    yield from (Order("refuse", {"back": back}) for back in (True, False))


def _pursue(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the chance to go on (11.3)."""
    yield f"To go on: {odds(view.board.leaders[view.the_march.leader].tactics)}."
    yield from (Order("pursue", {"roll": roll}) for roll in (True, False))


def _contest(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each value of a card does to the voyage (S 9.6.4)."""
    facts = decision.facts
    for value in (1, 2, 3):
        more = sum(naval_modifiers(view, facts["power"], value, facts["from"], facts["to"]).values())
        stopped = sum(view.board.naval_result(die + more) != "success" for die in DIE)
        yield f"  a card of value {value} stops it with {percent(stopped)} %"
    yield from first_of(card_orders(view, decision))


def _card(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the cards that can be played, and none (7.2.2, S 9.6.3)."""
    if UNSEEN not in view.hands[decision.side]:
        worth = 3 if decision.kind == "bribe" else 1
        yield Order(decision.kind, {"card": "none"})
        for card in cards_of(view, decision.side)[: 2 * MOST]:
            record = view.board.cards.get(card)
            if record is None or record.value >= worth:
                yield Order(decision.kind, {"card": card})


HINTS: Final[Mapping[str, HintsOf]] = {
    "march": _march,
    "flank": _flank,
    "next_commander": _next,
    "city": _city,
    "intercept": _intercept,
    "avoid": _avoid,
    "refuse": _refuse,
    "pursue": _pursue,
    "contest_voyage": _contest,
    "lend_fleet": _card,
    "bribe": _card,
}
