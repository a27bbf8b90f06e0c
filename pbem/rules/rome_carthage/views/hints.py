"""Hints of an order form: who can do something, what they must roll, how likely that is, and orders to choose from.

Hints use only what their reader may know. A form shows texts as remarks and orders as choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from pbem.game import legal, percent
from pbem.protocol import Decision, Order
from pbem.rules.rome_carthage.battle.events import declare_orders, round_orders, why_no_maharbal
from pbem.rules.rome_carthage.battle.politics import removable_markers
from pbem.rules.rome_carthage.battle.rounds import RESERVE, STRONGEST, battle_card_orders, matches, strongest
from pbem.rules.rome_carthage.battle.routes import routes
from pbem.rules.rome_carthage.battle.withdrawal import why_no_withdrawal
from pbem.rules.rome_carthage.events.windows import window_orders
from pbem.rules.rome_carthage.movement.detachment import (
    check_avoid,
    check_intercept,
    interception_modifier,
    leaders,
    most_sent,
)
from pbem.rules.rome_carthage.movement.intercepted import intercepted_orders
from pbem.rules.rome_carthage.movement.next_step import stands_on_lone_general
from pbem.rules.rome_carthage.movement.paths import onward, overseas, step_cost
from pbem.rules.rome_carthage.movement.sea import RETURN, SAFE, SUNK, naval_modifiers, unopposed
from pbem.rules.rome_carthage.orders import Body
from pbem.rules.rome_carthage.position.board import ITALY, SEA
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import ENEMY, ROME, Game
from pbem.rules.rome_carthage.siege.siege import is_enemy_city, siege_modifiers
from pbem.rules.rome_carthage.siege.walls import interceptors, whole
from pbem.rules.rome_carthage.turn.consuls import places_for, proconsul_candidates
from pbem.rules.rome_carthage.turn.distributions import lots, roman_spaces
from pbem.rules.rome_carthage.turn.reinforcements import arrivals, homecomings
from pbem.rules.rome_carthage.views.hints_of_plays import MOST_SPACES, Hint, spaces_in_words, units

MOST_ROUTES: Final = 6


def odds(at_most: int, modifier: int = 0) -> str:
    """Return the chance that a die with a modifier is at most a number, in words.

    >>> odds(3, 1)
    '33 %'
    """
    return f"{percent(at_most - modifier)} %"


# ---- on the march (8, 10.3)


def _by_sea(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield to which ports a force may sail, and one voyage of each kind (8.8, 8.8.1)."""
    voyages = [dict(step) for step in overseas(view, view.the_march) if not isinstance(step, str)]
    ports = [step for step in voyages if "into" not in step]
    cities = [step for step in voyages if "into" in step]
    if ports:
        cost = view.board.movement.cost[SEA]
        yield f"By sea, {cost} movement points, as {{to: port, by: sea}}: {', '.join(step['to'] for step in ports)}."
    if cities:
        yield f"Straight into your city, with into: city: {', '.join(step['to'] for step in cities)}."
    ports.sort(key=lambda step: view.control.get(step["to"]) != decision.side)
    for some_way in (ports, cities):
        yield from (Order(decision.kind, {"path": [step], "then": "ask"}) for step in some_way[:1])


def march(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where the next step may lead, what it costs, and who stands there (8.2, 8.3)."""
    march, board = view.the_march, view.board
    enemy = ENEMY[march.side]
    if decision.kind == "pursue":
        needs = board.generals[march.general].pursues_on
        yield f"{march.general} pursues on {needs} or less: {odds(needs)}"
    steps = onward(view, march)
    for step in steps:
        cost = step_cost(view, board.neighbours[march.at][step])
        there = [f"{cost} movement point{'s' if cost > 1 else ''}"]
        for owner, whose in ((enemy, "enemy "), (march.side, "own ")):
            stack = view.stack(owner, step)
            if not stack.empty:
                there.append(whose + ", ".join([*([units(stack)] if stack.cu else []), *stack.generals]))
        yield f"  {step}: {', '.join(there)}"
    yield from _by_sea(view, decision)
    yield from (Order(decision.kind, {"path": [step], "then": "ask"}) for step in steps[:MOST_ROUTES])
    if march.force.cu or not stands_on_lone_general(view, march):
        yield Order(decision.kind, {"stop": True})


# ---- reactions (9, 10, 16.2)


def intercept(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield each general who may intercept, with his odds, and an attempt with all that may go (9.1, 9.2)."""
    reaction = view.the_reaction
    side, space, board = decision.side, reaction.space, view.board
    drm = interception_modifier(view, side, space)
    attempts: list[list[Body]] = []
    for origin in reaction.origins:
        stack, here = interceptors(view, side, origin), []
        for general in leaders(view, side, origin, space):
            bodies = ({"with": [force]} for force in _forces(view, general, stack))
            attempt = next(legal(check_intercept, view, decision, bodies), None)
            if attempt is not None:
                needs = board.generals[general].intercepts_on
                change = f", {drm:+d} to the die for the enemy marker" if drm else ""
                yield f"{general} at {origin}, {units(stack)}: needs {needs} or less{change}: {odds(needs, drm)}"
                here.append(attempt["with"][0])
        attempts += [here] if here else []
    singles = [{"with": [attempt]} for here in attempts for attempt in here]
    every = [{"with": [here[0] for here in attempts]}] if len(attempts) > 1 else []
    yield from legal(check_intercept, view, decision, [*singles, *every])
    yield Order("intercept", {"with": []})


def intercepted(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the way back across the sea may cost, and what may be done (8.8.3, 9.3)."""
    march, board = view.the_march, view.board
    space, port = march.at, decision.facts["back_to"]
    rolls = view.options["naval_roll_when_backing_up"] and not unopposed(view, march, space, port)
    if march.came_by == SEA and rolls:
        drm = sum(naval_modifiers(view, march, space, port).values())
        results = [board.naval_result(die + drm) for die in range(1, 7)]
        chances = {result: odds(results.count(result)) for result in (SAFE, RETURN, SUNK)}
        yield f"To sail back: safe {chances[SAFE]}, barred {chances[RETURN]}, sunk {chances[SUNK]}."
    yield from intercepted_orders(view, decision)[:MOST_ROUTES]


def _forces(view: Game, general: str, stack: Stack) -> Iterator[Body]:
    """Yield what a general might be sent with: all that may go, then fewer and fewer (9.3)."""
    yield {"general": general}
    for cu in range(most_sent(view, stack) - 1, -1, -1):
        yield {"general": general, "cu": cu}


def avoid(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who may lead the army away, with his odds, and where to (10.1)."""
    reaction, march = view.the_reaction, view.the_march
    stack = view.stack(decision.side, reaction.space)
    yield f"You have {units(stack)} there, the enemy {units(march.force)}."
    for general in stack.generals:
        bodies = ({"to": to, **force} for force in _forces(view, general, stack) for to in reaction.refuges)
        sent = next(legal(check_avoid, view, decision, bodies), None)
        if sent is not None:
            needs = view.board.generals[general].avoids_on
            yield f"{general} leads you away on {needs} or less: {odds(needs)}"
            yield from legal(check_avoid, view, decision, [{**sent.body, "to": to} for to in reaction.refuges])
    yield Order("avoid_battle", {"to": "none"})


def man_city(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who is there to be sent inside or out, and both extremes (16.2)."""
    space, side = decision.facts["at"], decision.side
    both, inside = whole(view, side, space), view.garrison(side, space)
    generals = ", ".join(both.generals) or "no general"
    yield f"In and before {space}: {units(both)}, {generals}; inside now: {inside.cu} CU."
    yield Order("man_city", {"cu": 0, "elephants": 0, "generals": []})
    if both.cu <= view.board.spaces[space].capacity:
        yield Order("man_city", {"cu": both.cu, "elephants": both.elephants, "generals": list(both.generals)})


# ---- battle (11, 12, 13)


def battle_card(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the strongest card, what a withdrawal needs, one order for each kind of card (11.4, 11.7, 11.11)."""
    battle, board, side = view.the_battle, view.board, decision.side
    best = strongest(board, battle, side)
    if best != RESERVE:
        yield f"card: {STRONGEST} leads {best} now."
    if RESERVE in battle.hands[side]:
        names = ", ".join(kind for kind in board.battle_cards if kind != RESERVE)
        yield f"A Reserve stands for any card; say which with `as`: {names}."
    if why_no_withdrawal(view, side) is None:
        own, other = battle.commanders[side], battle.commanders.get(ENEMY[side])
        needs = board.generals[own].battle
        then = f"; then {other} holds you on {board.generals[other].cancels_withdrawal_on} or less" if other else ""
        yield f"To withdraw {own} needs {needs} or less: {odds(needs)}{then}."
    seen = set()
    for order in battle_card_orders(view, decision):
        shape = (order.get("card"), "as" in order.body and order.get("card") == RESERVE)
        if shape not in seen or "as" not in order.body:
            seen.add(shape)
            yield order


def match(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield which cards match the one led (11.5)."""
    battle = view.the_battle
    hand = battle.hands[decision.side]
    able = [f"{hand.count(kind)} {kind}" for kind in matches(view.board, battle, decision.side)]
    if why_no_maharbal(view, decision.side) is None:
        able.append("Maharbal's Cavalry, as maharbal")
    yield f"What matches it in your hand: {', '.join(able) or 'nothing'}."


_OF_WINDOWS: Final = "In a standing order any means: a card that fits, if you hold one by then."


def window(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what may be answered in a window of one event (7.4.1)."""
    yield _OF_WINDOWS
    yield from window_orders(view, decision)[:MOST_SPACES]


def events_before_battle(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield which events may be declared (11.3)."""
    yield _OF_WINDOWS
    yield from declare_orders(view, decision)[:MOST_SPACES]


def events_of_round(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield which events may be played in a round of battle (7.4.1)."""
    yield _OF_WINDOWS
    yield from round_orders(view, decision)[:MOST_SPACES]


def at_most(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the chance of a roll that must not be more than a number."""
    needs = decision.facts["needs"]
    yield f"{needs} or less: {odds(needs)}"


def at_least(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the chance of a charge (11.2)."""
    needs = decision.facts["needs"]
    yield f"The charge succeeds on {needs} or more: {odds(7 - needs)}"


def besiege(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how likely a siege or a subjugation is to gain points, and to cost a unit (16.4)."""
    side, space, board = decision.side, decision.facts["space"], view.board
    for general in decision.facts["able"]:
        drm = sum(siege_modifiers(view, side, space, general).values()) if is_enemy_city(view, side, space) else 0
        results = [board.siege_result(die + drm) for die in range(1, 7)]
        gains = sum(points > 0 for points, _ in results)
        losses = sum(lost > 0 for _, lost in results)
        yield f"{general} conducts it: a point or more {odds(gains)}; a CU lost {odds(losses)}"
    if [*decision.facts["able"]] != [decision.facts["general"]]:  # else the default says who
        yield from (Order("besiege", {"attempt": True, "by": general}) for general in decision.facts["able"])
    yield Order("besiege", {"attempt": False})


def sortie(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield both extremes: all come out, or nobody (16.4.4)."""
    yield f"You attack with {decision.facts['relief_cu']} CU; the enemy has {decision.facts['besieger_cu']}."
    yield Order("sortie", decision.default or {})
    yield Order("sortie", {"cu": 0})


def retreat(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the open roads with what they cost (12.1)."""
    bound = view.the_retreat
    stack = view.stack(bound.side, bound.space)
    for route in routes(view, bound, stack.cu)[:MOST_ROUTES]:
        yield f"  to {' - '.join(route.path)}: {route.lost or 'no'} CU lost"


def remove_markers(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the markers that can go, by province, with how many the province can spare (12.2, 15.1)."""
    side, board = decision.side, view.board
    removable = removable_markers(view, side)
    yield "Markers that may go, by province (* counts for political points):"
    for province in board.provinces.values():
        here = [space for space in province.spaces if space in removable]
        if here:
            held = sum(view.control.get(space) == side for space in province.spaces)
            counts = "*" if province.political_point else ""
            spare = held - province.majority
            says = f"yours, {spare} to spare" if spare >= 0 else "not yours"
            yield f"  {province.name}{counts} ({says}): {', '.join(here)}"
    if decision.default is not None:
        yield Order("remove_markers", decision.default)


# ---- the year (6)


def reinforce(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where units and generals may come to the map, who may be proconsul, and one answer (6)."""
    board, side = view.board, decision.side
    if side == ROME:
        places = ", ".join(f"{space} ({units(whole(view, side, space))})" for space in roman_spaces(view))
        lot = board.tables["reinforcements"][ROME][0]
        yield f"Units: to {places or 'nowhere'}; at least {lot['at_least'][ITALY]} of {lot['cu']} in Italy."
        for general, spaces in arrivals(view).items():
            yield f"{board.generals[general].name} lands in {spaces_in_words(spaces)}."
        able = ", ".join(f"{general} ({board.generals[general].battle})" for general in proconsul_candidates(view))
        yield f"Proconsul (battle rating): {able or 'nobody'}. The others leave the map."
    else:
        for places, cu in Counter(spaces_in_words(open_to) if open_to else "lost" for open_to in lots(view)).items():
            yield f"{cu} CU{', each' if cu > 1 and ', ' in places else ''}: {places}"
        for general in decision.facts["generals"]:
            places = spaces_in_words(homecomings(view, general, ()))
            yield f"{board.generals[general].name} returns to own CU: {places}"
    if decision.default is not None:
        yield Order("reinforce", decision.default)


def consuls(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where each new consul may take up his command, and one answer (6.4.2)."""
    for general in decision.facts["generals"]:
        record = view.board.generals[general]
        places = ", ".join(f"{space} ({_led(view, space)})" for space in places_for(view, general))
        yield f"{general} (strategy {record.strategy}, battle {record.battle}): {places}"
    yield "With both in one space, commands: [name] says who commands; else it is the better in battle."
    if decision.default is not None:
        yield Order("consuls", decision.default)


def _led(view: Game, space: str) -> str:
    army = whole(view, ROME, space)
    return f"{units(army)}, {', '.join(army.generals)}" if army.generals else units(army)
