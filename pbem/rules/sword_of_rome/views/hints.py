"""Hints of an order form: what can be chosen, what it costs, and orders to choose from.

Hints use only what their reader may know. A form shows texts as remarks and orders as choices.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, islice
from typing import Final, TypeAlias

from pbem.game import AllOf, Answers, Fixed, Part, counted, legal, listing, percent
from pbem.protocol import Decision, Order, Side
from pbem.rules.sword_of_rome.battle.retreat import cost, loss_choices, retreat_choices
from pbem.rules.sword_of_rome.battle.spoils import (
    ADD,
    FOR_ALLY,
    REMOVE,
    ally,
    check_spoils,
    losers,
    most_unrest,
    taker,
    why_not_add_own,
    why_not_take_away,
)
from pbem.rules.sword_of_rome.events import effects
from pbem.rules.sword_of_rome.events.card_play import playable, value_of
from pbem.rules.sword_of_rome.events.card_uses import why_no_event, why_not_laid
from pbem.rules.sword_of_rome.events.desperate_times import announcements, contestable, named_events
from pbem.rules.sword_of_rome.events.effects import EFFECTS
from pbem.rules.sword_of_rome.events.minor_leaders import minor_choices
from pbem.rules.sword_of_rome.events.nonplayers import listed
from pbem.rules.sword_of_rome.events.responses import responses
from pbem.rules.sword_of_rome.movement.activation import activatable
from pbem.rules.sword_of_rome.movement.entering import check_city
from pbem.rules.sword_of_rome.movement.flanks import next_commanders, ways_to_flank
from pbem.rules.sword_of_rome.movement.march_orders import (
    check_flank,
    check_march,
    flank_choices,
    most_cu,
    why_not_roll_now,
)
from pbem.rules.sword_of_rome.movement.parts import ASK, STOP, Wanted, part_of
from pbem.rules.sword_of_rome.movement.paths import onward, overseas, step_cost, why_not_end
from pbem.rules.sword_of_rome.movement.reactions import avoid_choices, flights, intercept_choices, modifier
from pbem.rules.sword_of_rome.movement.voyages import card_choices, naval_modifiers
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GAULS
from pbem.rules.sword_of_rome.position.state import NONE, UNSEEN, Game, March
from pbem.rules.sword_of_rome.siege.siege import joining
from pbem.rules.sword_of_rome.turn.action import USES, why_not_use
from pbem.rules.sword_of_rome.turn.draw import hand_limit
from pbem.rules.sword_of_rome.turn.reinforcements import (
    MERCENARIES,
    consul_choices,
    easable,
    keep_choices,
    lots,
    relief,
    return_choices,
)
from pbem.rules.sword_of_rome.views.event_words import MOMENTS_IN_WORDS, event_in_words, who

Hint: TypeAlias = str | Order
"""A remark, or an order to choose."""
MOST_EXAMPLES: Final = 6
"""So many orders are shown to choose from."""


def first_of(decision: Decision, choices: Part, most: int = MOST_EXAMPLES) -> Iterator[Order]:
    """Yield the first of the orders that some choices list."""
    return islice(Answers(decision.kind, choices), most)


# ---- Marches, and the reactions to them (9 to 11)


DIE: Final = range(1, 7)


def chance_of_at_most(at_most: int, more: int = 0) -> str:
    """Return the chance that a die with something added is at most a number.

    >>> chance_of_at_most(3, 1)
    '33 %'
    """
    return f"{percent(at_most - more)} %"


def _as_it_goes(view: Game, march: March) -> March:
    """Return the force under way; before it has set out, as it would go without a word."""
    if not march.force.empty:
        return march
    stack = view.force(march.power, march.at)
    return march.as_if(part_of(stack, Wanted(), march.leader, most_cu(view)))


def march_hints(view: Game, decision: Decision) -> Iterator[Hint]:
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
    for to in steps[: MOST_EXAMPLES - 1]:
        body = {"path": [{"to": to}], "then": ASK}
        yield from islice(legal(check_march, view, decision, (body, {**company, **body})), 1)
    if why_not_end(view, view.the_march, march.at) is None:
        yield Order("march", {"then": STOP})


def flank_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the ways to the flank (9.5.6)."""
    march = _as_it_goes(view, view.the_march)
    ways = list(islice(ways_to_flank(view, march), MOST_EXAMPLES))
    for way in ways:
        yield f"  {', '.join(step['to'] for step in way.steps) or 'he stays where he is'}"
    yield "All CU that can go along do, unless you write with how many: cu."
    whole = [{"path": way.steps} for way in ways]
    yield from list(legal(check_flank, view, decision, whole)) or first_of(decision, flank_choices(view, decision))


def next_commander_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who can be activated, and what stands with each (9.5.1)."""
    orders = list(first_of(decision, next_commanders(view, decision)))
    for leader in dict.fromkeys(order["leader"] for order in orders if order["leader"] != NONE):
        space = view.where(leader)
        if space is not None:
            force = view.force(view.board.leaders[leader].power, space)
            yield f"  {leader}: {force.cu} CU in {space}"
    yield from orders


def city_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the walls hold (9.3.1)."""
    room = min(view.board.tables["city"]["cu"], decision.facts["own_cu"])
    leaders = view.force(decision.facts["power"], decision.facts["at"]).leaders
    yield f"Up to {room} CU and any leaders go inside; who stays outside can avoid battle or must fight."
    bodies = ({"cu": room, "leaders": list(leaders)}, {"cu": room, "leaders": []}, {"cu": 0, "leaders": []})
    yield from legal(check_city, view, decision, bodies)


def intercept_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield each army that may intercept, with its chance (10.3)."""
    power, space = decision.facts["power"], decision.facts["at"]
    more = modifier(view, power, space)
    for origin in decision.facts["from"]:
        force = view.force(power, origin)
        for leader in force.leaders:
            record = view.board.leaders[leader]
            yield f"  {record.name} in {origin}, {force.cu} CU: {chance_of_at_most(record.tactics, more)}"
    yield from first_of(decision, intercept_choices(view, decision))


def avoid_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the chance of each leader, and where the army may go (11.1)."""
    for leader in view.force(decision.facts["power"], decision.facts["at"]).leaders:
        record = view.board.leaders[leader]
        yield f"  {record.name}: {chance_of_at_most(record.tactics)}"
    if UNSEEN in view.hands[decision.side]:
        return
    found = flights(view, decision)
    by_land = [flight.to for flight in found if flight.card is None]
    if by_land:
        yield f"The army can go to {listing(by_land, 'or')}."
    by_sea = list(dict.fromkeys(flight.to for flight in found if flight.card is not None))
    if by_sea:
        yield f"By a card, written as card, it can sail to {listing(by_sea, 'or')}."
    yield from first_of(decision, avoid_choices(view, decision))


def refuse_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the chance to get away (10.5.1)."""
    march = view.the_march
    yield f"To go back to {march.came_from}: {chance_of_at_most(view.board.leaders[march.leader].tactics)}."
    yield from (Order("refuse", {"back": back}) for back in (True, False))


def pursue_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the chance to go on (11.3)."""
    yield f"To go on: {chance_of_at_most(view.board.leaders[view.the_march.leader].tactics)}."
    yield from (Order("pursue", {"roll": roll}) for roll in (True, False))


def contest_voyage_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each value of a card does to the voyage (S 9.6.4)."""
    facts = decision.facts
    for value in (1, 2, 3):
        more = sum(naval_modifiers(view, facts["power"], value, facts["from"], facts["to"]).values())
        stopped = sum(view.board.naval_result(die + more) != "success" for die in DIE)
        yield f"  a card of value {value} stops it with {percent(stopped)} %"
    yield from first_of(decision, card_choices(view, decision))


def reaction_card_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the cards that can be played, and none (7.2.2, S 9.6.3)."""
    yield from first_of(decision, card_choices(view, decision), 2 * MOST_EXAMPLES + 1)


# ---- Cards, alliances and leaders (7, 8, 15)


_EXAMPLES: Final = {"activate": 3}
"""Uses of which several orders are shown; of the others one."""
_MOST_EVENTS: Final = 3
_SEEN_TO: Final = 2_000
"""Among so many ways to pay those that keep different leaders are looked for."""


# ---- the active side (5.4, 7.1)


def act_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each card can do, whom it activates, and an order of each use (5.4, 7.1, 8.1)."""
    side, activation = decision.side, view.the_activation
    if activation.desperate:
        names = listing((f"{view.board.cards[card].name} ({card})" for card in named_events(view, side)), "or")
        event = f"; or named_event: {names}" if names else ""
        yield f"This is your Desperate Times (7.4.3): one action with card: desperate_times, a 3; or redraw{event}."
    elif activation.played:
        yield "Your card of this round is played. What is not a card may still be done, and then: do: end."
    else:
        yield "More orders may stand below the first, for what comes next: the march, and - act: {do: end}."
    cards = playable(view, side)
    yield from _activations(view, side, sorted({value_of(view, card) for card in cards}))
    if not activation.desperate:
        hand = [card for card in view.hands[side] if card != UNSEEN]
        left = [card for card in hand if view.board.cards[card].extra] if activation.played else hand
        yield from (f"  {_card(view, side, card)}" for card in left)
    for word, use in USES.items():
        if word == "event" and not activation.desperate:
            yield from _events(view, side)
        elif word not in ("event", "end") and why_not_use(view, word) is None:
            yield from first_of(
                decision, AllOf(Fixed({"do": word}), use.choices(view, decision)), _EXAMPLES.get(word, 1)
            )
    yield Order("act", {"do": "end"})


def _activations(view: Game, side: Side, values: list[int]) -> Iterator[str]:
    """Yield whom cards of some values activate, values that activate the same leaders together (8.1)."""
    for leaders, some in groupby(values, key=lambda value: activatable(view, side, value)):
        same = [str(value) for value in some]
        word = "Values" if len(same) > 1 else "Value"
        verb = "activate" if len(same) > 1 else "activates"
        yield f"{word} {listing(same, 'and')} {verb} {listing(leaders, 'or') or 'nobody'}."


def _card(view: Game, side: Side, card: str) -> str:
    """Return a line about a card: its value, its event, and whether that can be played now."""
    record = view.board.cards[card]
    acting = listed(view, side, card)
    words = f"nonplayer {listing(acting, 'or')}" if acting and record.extra else event_in_words(view.board, record)
    line = f"{card} {record.name}, {record.value}: {words}"
    if acting and not record.extra:
        line += f", or as a 3 nonplayer {listing(acting, 'or')}"
    if record.when is not None:
        return f"{line} (response: {MOMENTS_IN_WORDS[record.when]})"
    beside = " beside your card" if record.extra else ""
    if all(word in EFFECTS for effect in record.effects for word in effect):
        refusal = why_no_event(view, side, card)
        if refusal is not None:
            return f"{line} (not now: {refusal.reason})"
    return line + (f" ({beside.strip()})" if beside else "")


def _events(view: Game, side: Side) -> Iterator[Order]:
    """Yield the first way to play some events of the hand, no two of the same name (7.1)."""
    names: set[str] = set()
    for card in view.hands[side]:
        name = view.board.cards[card].name
        if name not in names and len(names) < _MOST_EVENTS and why_not_laid(view, side, card) is None:
            names.add(name)
            yield Order("act", {"do": "event", "card": card, **effects.choices(view, side, card).make(0)})


# ---- answers about cards and alliances (7.1.1, 7.4, 15.1)


def respond_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the cards of the hand that fit, each with the first way to play it (7.1.1)."""
    cards: list[str] = []
    for order in Answers(decision.kind, responses(view, decision)):
        card = order["card"]
        if card not in cards and card in view.board.cards:
            cards.append(card)
            record = view.board.cards[card]
            yield f"{card} {record.name}: {event_in_words(view.board, record)}"
            yield order
    if not cards:
        yield "You hold no card that fits. You are asked because your deck has one, and nobody sees your hand."


def desperate_times_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who would play of those who announce one, and the plain answers (7.4.2)."""
    board = view.board
    able = [side for side in view.in_play if view.desperate_times[side]]
    first = sorted(able, key=lambda side: (view.vp[side], board.side_rank(side)))
    yield f"Of those who announce one plays who stands first here: {listing(first)}. The others keep theirs."
    named = [f"{board.cards[card].name} ({card})" for card in named_events(view, decision.side)]
    if named:
        yield f"Yours names {listing(named, 'or')}; it may also be a card of value 3, or replace cards of your hand."
    holder = decision.facts["next"] if decision.facts["last"] else None
    others = contestable(view, decision.side, holder)
    yield from (order for order in first_of(decision, announcements(view, decision)) if order["announce"])
    if others:
        yield Order("desperate_times", {"announce": False, "contest": others})


def alliance_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how the two stand, and what an alliance changes (15.2 to 15.5)."""
    power, to = decision.facts["power"], decision.facts["to"]
    board = view.board
    side = board.powers[power].side
    friends = [who(board, other) for other in view.allies(power)]
    if side is not None:
        yield f"VP of {who(board, power)}: {view.vp[side]}. Yours: {view.vp[decision.side]}."
    yield f"Allies of {who(board, power)}: {listing(friends, 'and') or 'none'}."
    if side is not None and len(board.powers_of[side]) > 1:
        yield f"The alliance is one with {who(board, power)} alone (15.1.2)."
    if len(board.powers_of[decision.side]) > 1:
        yield f"The alliance is one of {who(board, to)} alone (15.1.2)."
    yield "It ends with the turn unless both renew it; breaking it costs 3 points of own support (15.4, 15.5)."
    yield Order("alliance", {"accept": True})


def renew_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how the two stand after the scoring, and what comes of the answers (5.9)."""
    own, ally = decision.facts["power"], decision.facts["ally"]
    sides = [view.board.powers[power].side or "" for power in (ally, own)]
    yield f"VP of {who(view.board, ally)}: {view.vp[sides[0]]}. Yours: {view.vp[sides[1]]}."
    if not decision.facts["offered"]:
        yield "If you renew it, your ally is asked next; if you do not, it ends at once."
    yield Order("renew", {"renew": True})


# ---- leaders (8.2 to 8.4)


def _ratings(view: Game, leaders: list[str]) -> Iterator[str]:
    for leader in leaders:
        record = view.board.leaders[leader]
        yield f"{record.name}: initiative {record.initiative}, tactics {record.tactics}"


def arriving_leaders_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who comes, and places with the largest armies (8.2.2, 8.4)."""
    yield from _ratings(view, decision.facts["leaders"])
    choices = (consul_choices if decision.kind == "consuls" else return_choices)(view, decision)

    def strength(order: Order) -> int:
        return sum(view.force(view.board.leaders[leader].power, space).cu for leader, space in order["at"].items())

    yield from sorted(first_of(decision, choices, _SEEN_TO), key=strength, reverse=True)[:MOST_EXAMPLES]


def command_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who can command (8.2.1)."""
    yield from _ratings(view, decision.facts["leaders"])
    yield from (Order("command", {"leader": leader}) for leader in decision.facts["leaders"])


def keep_leaders_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each leader costs, what there is to pay with, and how all or one can be kept (8.2.3, S 8.2.3)."""
    for leader in decision.facts["leaders"]:
        record = view.board.leaders[leader]
        yield f"{record.name} costs {counted(record.penalty, 'point')} of loyalty; unpaid he leaves the game."
    if easable(view):
        yield f"Sicily takes {counted(relief(view), 'point')} off the price of one of them, by ease: NAME."
    cities = [f"{space} {points}" for space, points in view.loyalty.items() if view.control.get(space) == "greeks"]
    yield f"Loyalty: {listing(cities) or 'none'}."
    by_kept: dict[tuple[str, ...], Order] = {}
    for order in first_of(decision, keep_choices(view, decision), _SEEN_TO):
        by_kept.setdefault(tuple(order["keep"]), order)
    yield from islice(sorted(by_kept.values(), key=lambda order: -len(order["keep"])), 6)


def minor_leaders_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield places of minor leaders (8.3)."""
    yield from first_of(decision, minor_choices(view, decision))


# ---- Battles and sieges (12 to 14)


def losses_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the force has (12.3)."""
    facts = decision.facts
    force = view.force(facts["power"], facts["space"])
    yield f"The force has {force.cu} CU, {force.mercenaries} of them mercenaries. Half of those leave each turn."
    yield from first_of(decision, loss_choices(view, decision))


def retreat_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each way costs, and how many get inside or on board (12.4)."""
    facts = decision.facts
    for way in facts["ways"]:
        cu = cost(view, facts["power"], way)
        yield f"  {', '.join(way)}: costs {f'{cu} CU' if cu else 'nothing'}"
    if facts["room"]:
        inside = min(facts["room"], facts["cu"])
        yield f"{inside} CU can go inside the city: inside: true. Write a path as well for the others."
    if facts["free"] is not None:
        yield f"The fleet in which it came takes all of it back to {facts['free']}."
    if facts["ports"]:
        yield f"By a card it can sail to {listing(facts['ports'], 'or')}; who finds no room is lost."
    if not (facts["ways"] or facts["room"] or facts["free"]):
        yield "No way by land is open: without a voyage the army is lost."
    if UNSEEN not in view.hands[decision.side]:
        yield from first_of(decision, retreat_choices(view, decision))


def spoils_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the points can buy, each a point (12.5)."""
    facts = decision.facts
    winner, loser, points = facts["power"], facts["loser"], facts["points"]
    yield f"Each entry of a list costs a point; you have {counted(points, 'point')}. A city can stand there twice."
    takes = [space for space in view.board.spaces if why_not_take_away(view, losers(view, loser), space) is None]
    at_once = [space for space in takes if view.loyalty.get(space, 1) == 1 and space not in view.sieges]
    won = [space for space in at_once if taker(view, winner, space) == winner]
    for words, spaces in (("becomes yours", won), ("loses support", [space for space in takes if space not in won])):
        if spaces:
            yield f"  {REMOVE}, {words}: {listing(spaces, 'and')}"
    friend = ally(view, winner)
    for word, power in ((ADD, winner), (FOR_ALLY, friend)):
        gains = [
            space for space in view.board.spaces if power is not None and why_not_add_own(view, power, space) is None
        ]
        if gains:
            yield f"  {word}: {listing(gains, 'and')}"
    if view.board.powers[winner].raids:
        yield f"  plunder: up to {points}; the track stands at {view.plunder}"
    unrest = most_unrest(view, winner, loser)
    if unrest:
        yield f"  unrest: it can {'fall' if winner == CARTHAGE else 'rise'} by {unrest}"
    removed = [*won, *(space for space in takes if space not in won)][:points]
    added = [space for space in view.board.spaces if why_not_add_own(view, winner, space) is None][
        : points - len(removed)
    ]
    many = Order("spoils", {word: spaces for word, spaces in ((REMOVE, removed), (ADD, added)) if spaces})
    if len(removed) + len(added) > 1 and not any(True for _ in check_spoils(view, decision, many)):
        yield many
    for space in (won or takes)[:points]:
        yield Order("spoils", {REMOVE: [space]})
    if view.board.powers[winner].raids:
        yield Order("spoils", {"plunder": points})
    if unrest:
        yield Order("spoils", {"unrest": min(points, unrest)})


def sack_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what looting brings, and what keeping (13.5, 14.4)."""
    table = view.board.tables["plunder"]
    sign = 1 if decision.facts["power"] == GAULS else -1
    after = view.plunder + sign * table["city"]
    full = ": it is full, and scores" if abs(after) >= table["track"] else ""
    yield f"Looting makes the city independent, and brings {table['city']} markers to a track at {view.plunder}{full}."
    yield f"Kept, the city is yours with loyalty {view.board.tables['city']['converted']}."
    yield Order("sack", {"loot": True})
    yield Order("sack", {"loot": False})


def sortie_joins_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who is inside (13.4.2)."""
    yield "If the battle is lost they go back inside; the army that came retreats."
    yield from first_of(decision, joining(view, decision))


# ---- The other phases of a turn (5)


def discard_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each card of the hand does, how many are drawn, and each card alone (6.2.1, 6.2.2)."""
    side = decision.side
    hand = [card for card in view.hands[side] if card != UNSEEN]
    yield f"Then you draw up to {counted(hand_limit(view, side), 'card')}."
    for card in hand:
        record = view.board.cards[card]
        yield f"  {card} {record.name}, {record.value}: {event_in_words(view.board, record)}"
    yield from (Order("discard", {"cards": [card]}) for card in hand[:MOST_EXAMPLES])


def reinforce_hints(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where the new CU may go, and all of them at the largest forces that are there (5.10)."""
    found = lots(view, decision.facts["powers"])
    places = list(dict.fromkeys(place for lot in found for place in lot.places))
    for power in dict.fromkeys(power for power, _ in places):
        yield f"For {who(view.board, power)}: {listing(space for each, space in places if each == power)}."
    yield "They may be split among these in any way."
    for power, space in sorted(places, key=lambda place: -view.cu(*place))[:MOST_EXAMPLES]:
        body: dict[str, object] = {}
        for lot in found:
            body |= {MERCENARIES: {space: lot.cu}} if lot.mercenaries else {"place": {power: {space: lot.cu}}}
        yield Order("reinforce", body)
