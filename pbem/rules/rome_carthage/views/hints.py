"""Hints of an order form: who can do something, what they must roll, how likely that is, and orders to choose from.

Hints use only what their reader may know. A form shows texts as remarks and orders as choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from pbem.game import Answers, Part, legal, percent, some
from pbem.protocol import Decision, Order, Side
from pbem.rules.rome_carthage.battle.events import declare_choices, round_choices, why_no_maharbal
from pbem.rules.rome_carthage.battle.politics import removable_markers
from pbem.rules.rome_carthage.battle.rounds import RESERVE, STRONGEST, battle_card_choices, matches, strongest
from pbem.rules.rome_carthage.battle.routes import routes
from pbem.rules.rome_carthage.battle.withdrawal import why_no_withdrawal
from pbem.rules.rome_carthage.events.catalogue import event_needs, event_orders
from pbem.rules.rome_carthage.events.playing import ADVANCE, NONE, window_choices
from pbem.rules.rome_carthage.movement.activation import spaces_with_generals
from pbem.rules.rome_carthage.movement.campaigns import check_campaign, moved_by
from pbem.rules.rome_carthage.movement.card_play import (
    CAMPAIGN,
    FORCE_MARCH,
    OPERATIONS,
    points_to_ride,
    resting,
    ridden,
    walked,
)
from pbem.rules.rome_carthage.movement.detachment import (
    check_avoid,
    check_intercept,
    interception_modifier,
    leaders,
    most_sent,
)
from pbem.rules.rome_carthage.movement.fleet import carries, has_sailed
from pbem.rules.rome_carthage.movement.hazards import RETURN, SAFE, SUNK, Voyage, naval_modifiers, unopposed
from pbem.rules.rome_carthage.movement.intercepted import intercepted_choices
from pbem.rules.rome_carthage.movement.march import stands_on_lone_general
from pbem.rules.rome_carthage.movement.paths import first_steps, onward, open_ports, overseas, step_cost
from pbem.rules.rome_carthage.orders import Body
from pbem.rules.rome_carthage.position.board import ITALY, SEA
from pbem.rules.rome_carthage.position.generals import strategy_rating
from pbem.rules.rome_carthage.position.state import ENEMY, ROME, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.siege import is_enemy_city, is_target, siege_modifiers
from pbem.rules.rome_carthage.siege.sorties import why_no_sortie
from pbem.rules.rome_carthage.siege.walls import interceptors, pool, whole
from pbem.rules.rome_carthage.turn.consuls import places_for, proconsul_candidates
from pbem.rules.rome_carthage.turn.operations import check_play, open_spaces, playable, recruiters
from pbem.rules.rome_carthage.turn.reinforcements import arrivals, homecomings, lots, roman_spaces
from pbem.rules.rome_carthage.turn.sequence import claim_choices

Hint: TypeAlias = str | Order
MOST_SPACES: Final = 24
_MOST_OPEN: Final = 10
_MOST_MARCHES: Final = 2
_IN_ADVANCE: Final[Mapping[str, str]] = {
    "bad_weather": "bad_weather: {card: any}",
    "hostile_tribes": "hostile_tribes: {card: any}",
    "storms_at_sea": "storms_at_sea: {card: any}",
    "elephant_fright": "elephant_fright: {card: any}",
    "spy": "battle_events: {cards: [spy]}",
    "allies_desert": "battle_events: {cards: [allies_desert]}",
    "ally_deserts": "round_events: {card: any}",
}
"""The standing order that plays a counter event, where nobody waits for one (7.4.1)."""
_CLAIM: Final = "by a standing order: claim_first: {card: any} claims it with a Campaign card."
MOST_ROUTES: Final = 6
_OF_WINDOWS: Final = "In a standing order any means: a card that fits, if you hold one by then."


# ---- a card play, and the next march of a campaign (7, 8)


def units(stack: Stack) -> str:
    """Return the units of a stack in words.

    >>> units(Stack(8, 2))
    '8 CU (2 el.)'
    """
    return f"{stack.cu} CU ({stack.elephants} el.)" if stack.elephants else f"{stack.cu} CU"


def spaces_in_words(spaces: Sequence[str]) -> str:
    """Return spaces in a row, the first of them if they are many.

    >>> spaces_in_words([])
    'no space'
    """
    return some(spaces, MOST_SPACES) or "no space"


def play(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who marches on which card, where markers and units may go, and an example of each (7.3, 8.1, 15.2)."""
    side, board = decision.side, view.board
    cards = sorted(playable(view, side), key=lambda card: (board.cards[card].ops, card))
    ops = board.cards[cards[-1]].ops
    marching = [space for space in spaces_with_generals(view, side) if _able(view, side, _at(view, side, space), ops)]
    yield "March: needs a card with the general's number or more." if marching else "No card of yours moves a general."
    for space in marching:
        yield _army(view, side, space, lambda general: f"{general} ({strategy_rating(view, general)})")
    yield from _ships(view, side, cards)
    spaces, raisers = open_spaces(view, side), recruiters(view, side)
    yield f"Place: up to as many markers as the card has ops, in {some(spaces, _MOST_OPEN) or 'no space'}."
    if board.cards[cards[-1]].ops >= board.raising_ops and raisers:
        yield f"Raise: a card with {board.raising_ops} ops adds a CU to {', '.join(raisers)}."
    events: dict[str, list[str]] = {}
    for number in sorted(cards):
        record = board.cards[number]
        if (aim := event_needs(view, side, record)) is not None:
            events.setdefault(f"{record.name}{': ' if aim else ''}{aim}", []).append(f"{number}")
    for says, numbers in events.items():
        yield f"Event {', '.join(numbers)}, {says}"
    for number in sorted(cards):
        record = board.cards[number]
        if view.options["windows"] == ADVANCE and record.event_of(side) and record.event in _IN_ADVANCE:
            yield f"Counter {number}, by a standing order: {_IN_ADVANCE[record.event]}"
    if view.options["windows"] == ADVANCE and side == ROME and len(cards) == 1 and view.turn < view.last_turn:
        yield f"First play of the next turn, {_CLAIM}"
    for bodies, most in _examples(view, side, cards):
        yield from islice(legal(check_play, view, decision, bodies), most)


def claim_first(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how Rome claims the first play of later turns, and with which cards it can now (5.3)."""
    if view.options["windows"] == ADVANCE:
        yield f"You are asked in the first turn alone. Later, {_CLAIM}"
    claims = [order for order in Answers(decision.kind, claim_choices(view, decision)) if order["card"] != NONE]
    if not claims:
        yield "You hold no Campaign card."
    yield from claims


def campaign(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who may still march on a campaign card, with how many units, and how far these can go (8.1, 8.4.1)."""
    side, done = decision.side, resting(view, decision.side)
    for space in spaces_with_generals(view, side):
        if any(general not in done for general in _at(view, side, space).generals):
            yield _army(view, side, space, lambda general: f"{general} (moved)" if general in done else general)
    card = view.board.cards[view.the_card.card]
    ops, most = moved_by(card), 0 if has_sailed(view) else carries(view, side, card.number, CAMPAIGN)
    if most:
        yield f"Sail from port to port: up to {most} CU. A step is {{to: port, by: sea}}."
    for ways in (_by_land(view, side, ops), _by_sea(view, side, ops, most)):
        yield from islice(legal(check_campaign, view, decision, [body for _, body in ways]), _MOST_MARCHES)
    yield Order("campaign", {"stop": True})


def _at(view: Game, side: Side, space: str) -> Stack:
    """Return those in a space who may march: if they can only sally out, those inside (8.1, 16.4.4)."""
    return view.garrison(side, space) if _sallies(view, side, space) else pool(view, side, space)


def _sallies(view: Game, side: Side, space: str) -> bool:
    return space in view.garrisons and why_no_sortie(view, side, space) is None


def _army(view: Game, side: Side, space: str, named: Callable[[str], str]) -> str:
    """Return who may march from a space, and where to."""
    stack = _at(view, side, space)
    who = f"  {space}, {units(stack)}: {', '.join(map(named, stack.generals))}"
    if _sallies(view, side, space):
        return f"{who} may sally out (sortie: true)"
    steps = first_steps(view, side, space, bool(stack.cu), view.board.movement.points)
    legs = sorted(Counter(walked(view, side, space)).items())
    tired = [f"{cu} CU with {left or 'no'} point{'' if left == 1 else 's'} left" for left, cu in legs]
    tired += [
        f"{view.board.generals[general].name} with {points_to_ride(view, general)} of four points left"
        for general in stack.generals
        if ridden(view, general)
    ]
    stays = "to besiege it, path: []; " if _besieges(view, side, space, stack) else ""
    return "; ".join([f"{who}; {stays}to {', '.join(steps) or 'nowhere'}", *tired])


def _besieges(view: Game, side: Side, space: str, stack: Stack) -> bool:
    return stack.cu >= view.board.siege.cu and is_target(view, side, space)


def _ships(view: Game, side: Side, cards: Sequence[int]) -> Iterator[str]:
    """Yield on which cards an army may sail, and of how many CU (8.8, 8.8.2)."""
    sizes: dict[int, list[str]] = {}
    for card in cards:
        uses = [OPERATIONS] if view.board.cards[card].type != CAMPAIGN else [OPERATIONS, CAMPAIGN]
        for kind in uses:
            if most := carries(view, side, card, kind):
                sizes.setdefault(most, []).append(f"{card}" if kind == OPERATIONS else f"{card} as event")
    if sizes:
        fleets = "; ".join(f"up to {most} CU on card {', '.join(names)}" for most, names in sorted(sizes.items()))
        yield f"Sail from port to port: {fleets}. A step is {{to: port, by: sea}}."


def _examples(view: Game, side: Side, cards: Sequence[int]) -> Iterator[tuple[Iterable[Body], int]]:
    """Yield candidates for orders of each kind, and how many of them a form shows (7.2 to 7.5)."""
    board, best = view.board, cards[-1]
    ops = board.cards[best].ops

    def on_operations(ways: Iterable[tuple[int, Body]], ship: bool) -> Iterator[Body]:
        for needs, way in ways:
            for card in cards:
                if board.cards[card].ops >= needs and (not ship or carries(view, side, card, OPERATIONS)):
                    yield {"card": card, "as": "operations", **way}
                    break

    most = max(carries(view, side, card, OPERATIONS) for card in cards)
    yield on_operations(_by_land(view, side, ops), False), _MOST_MARCHES
    yield on_operations(_by_sea(view, side, ops, most), True), 1
    if spaces := open_spaces(view, side):
        yield [{"card": best, "as": "operations", "place": spaces[:ops]}], 1
    yield [{"card": best, "as": "operations", "raise": general} for general in recruiters(view, side)], 1
    marching = [card for card in cards if board.cards[card].type in (CAMPAIGN, FORCE_MARCH)]
    by_event = ((card, way) for card in marching for _, way in _by_land(view, side, moved_by(board.cards[card])))
    yield ({"card": card, "as": "event", **way} for card, way in by_event), 1
    events = (event_orders(view, side, board.cards[card]) for card in cards if board.cards[card].type == "event")
    yield [dict(choices[0].body) for choices in events if len(choices)], 1
    yield [{"card": cards[0], "as": "discard"}], 1


def _by_land(view: Game, side: Side, ops: int) -> Iterator[tuple[int, Body]]:
    """Yield one march or sally from each space with its strategy rating, the largest army first (8.1, 16.4.4)."""
    spaces = sorted(spaces_with_generals(view, side), key=lambda space: -_at(view, side, space).cu)
    for space in spaces:
        stack = _at(view, side, space)
        steps = first_steps(view, side, space, bool(stack.cu), view.board.movement.points)
        for general in _able(view, side, stack, ops)[:1]:
            needs = strategy_rating(view, general)
            if _sallies(view, side, space):
                yield needs, {"general": general, "sortie": True}
            elif _besieges(view, side, space, stack):
                yield needs, {"general": general, "path": []}
            elif steps:
                yield needs, {"general": general, "path": steps[:1]}


def _able(view: Game, side: Side, stack: Stack, ops: int) -> list[str]:
    """List the generals of a stack whom some operations activate, the commander first (8.1)."""
    done = resting(view, side)
    return [general for general in stack.generals if general not in done and strategy_rating(view, general) <= ops]


def _by_sea(view: Game, side: Side, ops: int, most: int) -> Iterator[tuple[int, Body]]:
    """Yield one voyage from each port with its strategy rating, to a port of one's own if there is one (8.8)."""
    for space in spaces_with_generals(view, side) if most else ():
        stack = pool(view, side, space)
        for general in _able(view, side, stack, ops)[:1]:
            ports = open_ports(view, side, space, Stack(stack.cu, 0, [general]), view.board.movement.points)
            for port in sorted(ports, key=lambda port: view.control.get(port) != side)[:1]:
                fleet = {"cu": most} if stack.cu > most else {}
                path = [{"to": port, "by": SEA}]
                yield strategy_rating(view, general), {"general": general, **fleet, "path": path}


def odds(at_most: int, modifier: int = 0) -> str:
    """Return the chance that a die with a modifier is at most a number, in words.

    >>> odds(3, 1)
    '33 %'
    """
    return f"{percent(at_most - modifier)} %"


# ---- on the march (8, 10.3)


def _voyages_ahead(view: Game, decision: Decision) -> Iterator[Hint]:
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
    yield from _voyages_ahead(view, decision)
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
    voyage = Voyage(march.at, decision.facts["back_to"])
    rolls = view.options["naval_roll_when_backing_up"] and not unopposed(view, march, voyage)
    if march.came_by == SEA and rolls:
        drm = sum(naval_modifiers(view, march, voyage).values())
        results = [board.naval_result(die + drm) for die in range(1, 7)]
        chances = {result: odds(results.count(result)) for result in (SAFE, RETURN, SUNK)}
        yield f"To sail back: safe {chances[SAFE]}, barred {chances[RETURN]}, sunk {chances[SUNK]}."
    yield from Answers(decision.kind, intercepted_choices(view, decision))[:MOST_ROUTES]


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
    for order in Answers(decision.kind, battle_card_choices(view, decision)):
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


def _choices(choices: Callable[[Game, Decision], Part]) -> Callable[[Game, Decision], Iterator[Hint]]:
    """Return hints that yield what may be answered in a window of events (7.4.1)."""

    def hints(view: Game, decision: Decision) -> Iterator[Hint]:
        yield _OF_WINDOWS
        yield from Answers(decision.kind, choices(view, decision))[:MOST_SPACES]

    return hints


window = _choices(window_choices)
events_before_battle = _choices(declare_choices)
events_of_round = _choices(round_choices)


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
