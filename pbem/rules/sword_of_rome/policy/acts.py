"""The bot's actions: the card of the round, those beside it, marches, alliances, minor leaders (5.4, 7.1, 9, 15.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pbem.protocol import Decision, Order, Side
from pbem.rules.sword_of_rome.events.card_play import playable, value_of
from pbem.rules.sword_of_rome.events.card_uses import why_not_laid
from pbem.rules.sword_of_rome.events.nonplayers import listed, why_no_unrest, why_not_power
from pbem.rules.sword_of_rome.movement.activation import is_campaign
from pbem.rules.sword_of_rome.movement.flanks import can_flank, ways_to_flank, why_not_next
from pbem.rules.sword_of_rome.movement.parts import strengths
from pbem.rules.sword_of_rome.policy.alliances import proposals
from pbem.rules.sword_of_rome.policy.events import Hand, best_points, event, look_at, worth_of_levy
from pbem.rules.sword_of_rome.policy.placing import best_space, leaderless, spread
from pbem.rules.sword_of_rome.policy.plans import UNREST_POINT, Plan, Plans, unrest_gain
from pbem.rules.sword_of_rome.policy.worth import CU, RIVAL, rivalry
from pbem.rules.sword_of_rome.position.board import (
    CARTHAGE,
    DESPERATE_TIMES,
    DESPERATE_VALUE,
    GARRISON_BOX,
    NORMAL,
    ROMANS,
)
from pbem.rules.sword_of_rome.position.state import NONE, Force, Game

LOOKED_AT: Final = 6
"""Plans that are proposed, the best first; the rules may refuse some."""
WORTH_IT: Final = 0.08
"""The worth without which nobody marches."""
Way = tuple[float, Order]
"""What an action is worth, and the action."""
SPARE: Final = {1: 0.02, 2: 0.05, 3: 0.09}
"""What a card is worth for another day, by its value."""
RESPONSE: Final = 0.12
EXTRA: Final = 0.25
BESIDE: Final = 0.07
"""The worth without which no card is played beside the one of the round."""
EVENT: Final = 0.25
"""The part of the worth of an event that is lost if its card is played for anything else."""
ANYTHING: Final = 0.001
"""The part of its worth that the least use of a card has where there are more cards than rounds: better than none."""
SECOND: Final = 0.8
"""The part of its worth that the second march of a Campaign has."""
DESPERATE: Final = 0.9
"""The worth of an action from which a Desperate Times is spent on it."""


# ---- marches: the active leader, the second of a Campaign, a flank (9.1, 9.5)


def leaders_of(game: Game, power: str) -> list[str]:
    """Return the leaders of a power on the map."""
    return [leader for _, force in game.everywhere(power) for leader in force.leaders]


def best_plan(plans: Plans, value: int, leaders: list[str]) -> tuple[Plan, str] | None:
    """Return the best plan of some leaders whom a card of a value activates, and whose it is."""
    board = plans.board
    points = board.powers[plans.power].points[value - 1]
    best = [
        (found[0], leader)
        for leader in leaders
        if board.leaders[leader].initiative <= value and (found := plans.of(leader, points, value))
    ]
    return max(best, key=lambda each: each[0].worth, default=None)


def best_march(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield orders to the active leader, the best first (9.1, 13.1.1, 13.4.1)."""
    march = view.the_march
    plans = Plans(view, decision.side, march.power)
    if march.force.empty:
        value = view.card.value if view.card is not None else DESPERATE_VALUE
        found = plans.of(march.leader, decision.facts["points"], value)
    else:
        found = plans.onward()
    least = WORTH_IT if march.force.empty else 0.0
    for plan in found[:LOOKED_AT]:
        if plan.worth > least or "then" in plan.body:
            yield Order("march", plan.body)
    yield Order("march", {"then": "stop"})


def best_next(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield the second commander of a Campaign: to the flank of a battle, or for a march of his own (9.5.1)."""
    side = decision.side
    if decision.facts["space"]:
        able = [leader for leader in view.board.leaders if can_flank(view, leader) and _own(view, side, leader)]
        for leader in sorted(able, key=lambda each: -_cu_with(view, each)):
            yield Order("next_commander", {"leader": leader})
        yield Order("next_commander", {"leader": NONE})
        return
    able_now = []
    for power in view.board.powers_of[side]:
        plans = Plans(view, side, power)
        rested = [leader for leader in leaders_of(view, power) if why_not_next(view, leader) is None]
        able_now += [
            (plan, leader)
            for leader in rested
            if (found := best_plan(plans, DESPERATE_VALUE, [leader])) is not None
            for plan in found[:1]
        ]
    for plan, leader in sorted(able_now, key=lambda each: -each[0].worth):
        if plan.worth > WORTH_IT:
            yield Order("next_commander", {"leader": leader})
    yield Order("next_commander", {"leader": NONE})


def _own(view: Game, side: Side, leader: str) -> bool:
    return view.board.leaders[leader].power in view.board.powers_of[side]


def _cu_with(view: Game, leader: str) -> int:
    space = view.where(leader)
    return view.force(view.board.leaders[leader].power, space).cu if space is not None else 0


def best_flank(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield the shortest way to the flank, with all who can go (9.5.6)."""
    march = view.the_march
    stack = view.force(march.power, march.at)
    most = view.board.tables["movement"]["cu"]
    units = strengths(view, stack, [march.leader], 1, most)
    if not units:
        return
    force = Force(*units[-1], [march.leader])
    ways = sorted(ways_to_flank(view, replace(march, force=force)), key=lambda way: len(way.steps))
    for way in ways[:LOOKED_AT]:
        yield Order("flank", {"cu": force.cu, "mercenaries": force.mercenaries, "path": way.steps})


# ---- actions


def best_act(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield actions: what costs nothing, then what goes beside the card of the round, that card, the end (5.4)."""
    side = decision.side
    hand = look_at(view, side)
    if not view.the_activation.desperate:
        yield from _free(hand)
    cards = playable(view, side)
    found = sorted(_ways(hand, cards), key=lambda way: -way[0])
    for worth, order in found[:12]:
        if worth > 0:
            yield order
    if view.the_activation.desperate and cards and view.hands[side]:
        yield Order("act", {"do": "redraw", "cards": list(view.hands[side])})
    yield Order("act", {"do": "end"})


def worth_of_desperate(view: Game, side: Side) -> float:
    """Return what the best use of a Desperate Times is worth (7.4.3)."""
    return max((worth for worth, _ in _uses(look_at(view, side), DESPERATE_TIMES, desperate=True)), default=0.0)


# ---- beside the card of the round


def _free(hand: Hand) -> Iterator[Order]:
    """Yield what a side may do beside its card: leaders, alliances, powers without a player, mercenaries."""
    view, side = hand.view, hand.side
    told = leaderless(view, view.board.powers_of[side])
    if told:
        yield Order("act", {"do": "leaders", "leaders": told})
    yield from proposals(view, side)
    beside = [(worth, order) for card in view.hands[side] for worth, order in _beside(hand, card)]
    for worth, order in sorted(beside, key=lambda way: -way[0])[:4]:
        if worth > BESIDE:
            yield order
    if side == CARTHAGE and not view.the_activation.hired:
        rounds_left = int(view.board.tables["rounds"]) - view.round + (not view.the_activation.played)
        spare = sorted(view.hands[side], key=lambda card: (_kept(view, side, card), card))
        if len(spare) > rounds_left:
            places = spread(hand.fields[CARTHAGE], value_of(view, spare[0]))
            if places:
                yield Order("act", {"do": "hire", "card": spare[0], "place": places})


def _beside(hand: Hand, card: str) -> Iterator[Way]:
    """Yield what a card does that is played beside the one of the round (7.1.2)."""
    view, side = hand.view, hand.side
    record = view.board.cards[card]
    if not record.extra:
        return
    if why_not_laid(view, side, card) is None:
        yield from _events(hand, card)
    for power in listed(view, side, card):
        if why_not_power(view, side, card, power) is not None:
            continue
        plans = Plans(view, side, power)
        base = {"do": "nonplayer", "card": card, "power": power}
        leaders = leaders_of(view, power)
        found = best_plan(plans, DESPERATE_VALUE, leaders)
        if found is not None and found[0].worth > 0.1:
            yield found[0].worth, Order("act", {**base, "then": "activate", "leader": found[1]})
    if why_no_unrest(view, card) is None:
        yield (
            UNREST_POINT * rivalry(view, side, CARTHAGE),
            Order("act", {"do": "nonplayer", "card": card, "then": "unrest"}),
        )


# ---- the card of the round


def _ways(hand: Hand, cards: list[str]) -> Iterator[Way]:
    """Yield every use of every card that is worth something, the card's own worth taken off.

    Cards that the rounds left do not need are of little use later: the worth of the dearest of them is free.
    """
    view, side = hand.view, hand.side
    rounds_left = int(view.board.tables["rounds"]) - view.round + 1
    dear = sorted(_kept(view, side, card) for card in view.hands[side])
    ample = len(dear) >= rounds_left
    free = dear[rounds_left - 1] if ample else 0.0
    for card in cards:
        desperate = card == DESPERATE_TIMES
        kept = 0.0 if desperate else max(0.0, _kept(view, side, card) - free)
        uses = list(_uses(hand, card, desperate=desperate))
        lost = EVENT * max((worth for worth, order in uses if order.get("do") == "event"), default=0.0)
        for worth, order in uses:
            cost = kept + lost if order.get("do") != "event" else max(0.0, SPARE[value_of(view, card)] - free)
            yield max(worth - cost, ANYTHING * worth if ample else 0.0), order


def _kept(view: Game, side: Side, card: str) -> float:
    """Return what a card is worth for another day: by its value, or as a response or beside another card."""
    record = view.board.cards[card]
    worth = 0.0 if side in view.board.seats.discard_all else SPARE[record.value]
    if record.when is not None:
        worth += RESPONSE * record.value
    if record.extra and not (side == CARTHAGE and view.unrest == 0):
        worth += EXTRA * RIVAL
    return worth


def _uses(hand: Hand, card: str, *, desperate: bool) -> Iterator[Way]:
    view, side = hand.view, hand.side
    value = value_of(view, card)
    for power, plans in hand.plans.items():
        leaders = leaders_of(view, power)
        found = best_plan(plans, value, leaders)
        if found is not None:
            yield found[0].worth, Order("act", {"do": "activate", "card": card, "leader": found[1]})
            if not desperate and is_campaign(view, card):
                others = [leader for leader in leaders if view.where(leader) != view.where(found[1])]
                second = best_plan(plans, value, others)
                more = SECOND * max(0.0, second[0].worth) if second is not None else 0.0
                yield found[0].worth + more, Order("act", {"do": "campaign", "card": card, "leader": found[1]})
    yield from _support(hand, card, value)
    yield from _colony(hand, card, value)
    yield from _attack(hand, card, value)
    if value == DESPERATE_VALUE:
        for power, field in hand.fields.items():
            place = best_space(field)
            if place is not None:
                yield worth_of_levy(view, side), Order("act", {"do": "levy", "card": card, "power": power, "at": place})
    if not desperate:
        yield from _events(hand, card)
    else:
        for named in view.board.named_events.get(side, ()):
            if named not in view.removed:
                for worth, order in _events(hand, named):
                    yield worth, Order("act", {**order.body, "do": "named_event"})


def _support(hand: Hand, card: str, value: int) -> Iterator[Way]:
    """Yield the points of support that are worth most (7.3.1)."""
    best = best_points(hand, value)
    if best is not None:
        yield best[0], Order("act", {"do": "support", "card": card, "add": best[1]})


def _colony(hand: Hand, card: str, value: int) -> Iterator[Way]:
    """Yield a colony, which brings a CU each turn for the one that it costs (7.2.1, 5.10.1)."""
    view = hand.view
    if ROMANS not in hand.fields:
        return
    field = hand.fields[ROMANS]
    gain = CU * (view.last_turn - view.turn) - CU
    for space, force in view.forces[ROMANS].items():
        if force.cu > DESPERATE_VALUE and view.kind(space) == NORMAL and view.control.get(space) == ROMANS:
            for leader in force.leaders:
                if view.board.leaders[leader].initiative <= value and not field.threat(space):
                    yield gain, Order("act", {"do": "colony", "card": card, "leader": leader})


def _attack(hand: Hand, card: str, value: int) -> Iterator[Way]:
    """Yield the attack on the unrest by a leader in the Garrison box (S 20.3)."""
    view = hand.view
    if CARTHAGE not in hand.fields or not view.unrest:
        return
    box = view.force(CARTHAGE, GARRISON_BOX)
    for leader in box.leaders:
        record = view.board.leaders[leader]
        if record.initiative <= value and box.cu:
            worth = unrest_gain(view, box.cu, record.tactics)
            yield worth, Order("act", {"do": "attack_unrest", "card": card, "leader": leader, "cu": box.cu})


# ---- events (7.1)


def _events(hand: Hand, card: str) -> Iterator[Way]:
    """Yield the event of a card where the bot knows what it is worth."""
    if hand.view.board.cards[card].when is not None:
        return
    found = event(hand, card)
    if found is not None:
        order = {"do": "event", "card": card}
        yield found[0], Order("act", {**order, "effect": found[1]} if found[1] else order)
