"""The bot's actions: the card of the round, those beside it, alliances, minor leaders (5.4, 7.1, 15.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from pbem.protocol import Decision, Order, Side
from pbem.rules.sword_of_rome.events.card_play import playable, value_of
from pbem.rules.sword_of_rome.events.effects.base import Played
from pbem.rules.sword_of_rome.events.effects.units import arrivals
from pbem.rules.sword_of_rome.events.nonplayers import listed, why_no_unrest, why_not_power
from pbem.rules.sword_of_rome.events.support import room_for
from pbem.rules.sword_of_rome.movement.activation import is_campaign
from pbem.rules.sword_of_rome.policy.alliances import proposals
from pbem.rules.sword_of_rome.policy.marches import best_plan, leaders_of
from pbem.rules.sword_of_rome.policy.placing import best_space, leaderless
from pbem.rules.sword_of_rome.policy.plans import ROLL, UNREST, Field, unrest_chance
from pbem.rules.sword_of_rome.policy.worth import CU, RIVAL, rivalry
from pbem.rules.sword_of_rome.position.board import (
    CARTHAGE,
    DESPERATE_TIMES,
    DESPERATE_VALUE,
    GARRISON_BOX,
    GAULS,
    NORMAL,
    ROMANS,
)
from pbem.rules.sword_of_rome.position.state import Game

Way = tuple[float, Order]
"""What an action is worth, and the action."""
LOYALTY: Final = 0.1
"""A point of loyalty of a city."""
NEEDED: Final = 0.25
"""The same where an enemy army can come."""
SPARE: Final = {1: 0.02, 2: 0.05, 3: 0.09}
"""What a card is worth for another day, by its value."""
RESPONSE: Final = 0.12
EXTRA: Final = 0.25
NAMED: Final = 0.5
"""A named leader who comes, besides his CU."""
SECOND: Final = 0.8
"""The part of its worth that the second march of a Campaign has."""
MARKERS: Final[Mapping[str, float]] = {"appian_way": 0.12, "duoviri_navales": 0.1, "elephants": 0.25}
LEVY: Final = 1.3
"""The worth of a CU that comes where it is wanted, by that of one elsewhere."""
ENOUGH: Final = 10
"""CU from which a side has less and less use for more."""
DESPERATE: Final = 0.9
"""The worth of an action from which a Desperate Times is spent on it."""
REVOLT: Final = 0.6


class Hand(NamedTuple):
    """What an action is chosen from: the view, the side, and its fields by power."""

    view: Game
    side: Side
    fields: Mapping[str, Field]


def look_at(view: Game, side: Side) -> Hand:
    """Return what the actions of a side are chosen from."""
    return Hand(view, side, {power: Field(view, side, power) for power in view.board.powers_of[side]})


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
        if worth > 0:
            yield order
    if side == CARTHAGE and not view.the_activation.hired:
        rounds_left = int(view.board.tables["rounds"]) - view.round + (not view.the_activation.played)
        spare = sorted(view.hands[side], key=lambda card: (_kept(view, side, card), card))
        place = best_space(view, CARTHAGE)
        if len(spare) > rounds_left and place is not None:
            card = spare[0]
            yield Order("act", {"do": "hire", "card": card, "place": {place: value_of(view, card)}})


def _beside(hand: Hand, card: str) -> Iterator[Way]:
    """Yield what a card does that is played beside the one of the round (7.1.2)."""
    view, side = hand.view, hand.side
    record = view.board.cards[card]
    if not record.extra:
        return
    if any("siege" in effect for effect in record.effects):
        yield from _events(hand, card)
    for power in listed(view, side, card):
        if why_not_power(view, side, card, power) is not None:
            continue
        field = Field(view, side, power)
        base = {"do": "nonplayer", "card": card, "power": power}
        leaders = leaders_of(view, power)
        found = best_plan(field, DESPERATE_VALUE, leaders)
        if found is not None and found[0].worth > 0.1:
            yield found[0].worth, Order("act", {**base, "then": "activate", "leader": found[1]})
    if why_no_unrest(view, card) is None:
        yield UNREST * rivalry(view, side, CARTHAGE), Order("act", {"do": "nonplayer", "card": card, "then": "unrest"})


# ---- the card of the round


def _ways(hand: Hand, cards: list[str]) -> Iterator[Way]:
    """Yield every use of every card that is worth something, the card's own worth taken off."""
    view, side = hand.view, hand.side
    for card in cards:
        desperate = card == DESPERATE_TIMES
        kept = 0.0 if desperate else _kept(view, side, card)
        for worth, order in _uses(hand, card, desperate=desperate):
            yield worth - (kept if order.get("do") != "event" else SPARE[value_of(view, card)]), order


def _kept(view: Game, side: Side, card: str) -> float:
    """Return what a card is worth for another day: by its value, or as a response or beside another card."""
    record = view.board.cards[card]
    worth = SPARE[record.value]
    if record.when is not None:
        worth += RESPONSE
    if record.extra and not (side == CARTHAGE and view.unrest == 0):
        worth += EXTRA * RIVAL
    return worth


def _uses(hand: Hand, card: str, *, desperate: bool) -> Iterator[Way]:
    view, side = hand.view, hand.side
    value = value_of(view, card)
    for power, field in hand.fields.items():
        leaders = leaders_of(view, power)
        found = best_plan(field, value, leaders)
        if found is not None:
            yield found[0].worth, Order("act", {"do": "activate", "card": card, "leader": found[1]})
            if not desperate and is_campaign(view, card):
                others = [leader for leader in leaders if view.where(leader) != view.where(found[1])]
                second = best_plan(field, value, others)
                more = SECOND * max(0.0, second[0].worth) if second is not None else 0.0
                yield found[0].worth + more, Order("act", {"do": "campaign", "card": card, "leader": found[1]})
    yield from _support(hand, card, value)
    yield from _colony(hand, card, value)
    yield from _attack(hand, card, value)
    if value == DESPERATE_VALUE:
        for power in hand.fields:
            place = best_space(view, power)
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
    """Yield the points of support that are worth most: markers of others first, then loyalty (7.3.1)."""
    view, side = hand.view, hand.side
    points: list[tuple[float, str]] = []
    for power, field in hand.fields.items():
        for space, force in view.everywhere(power):
            if force.cu and view.kind(space) == NORMAL and room_for(view, side, space):
                # What stands there is taken in the Surrender Phase anyway, if it is still there.
                points.append(((1 - field.settled) * field.taken(space) + 0.1, space))
        for space in view.cities(power):
            worth = NEEDED if field.threat(space) else LOYALTY
            points += [(worth, space)] * room_for(view, side, space)
    points.sort(key=lambda each: (-each[0], each[1]))
    best = points[:value]
    if best:
        add = [space for _, space in best]
        yield sum(worth for worth, _ in best), Order("act", {"do": "support", "card": card, "add": add})


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
    if CARTHAGE not in hand.fields or view.unrest < 2:
        return
    box = view.force(CARTHAGE, GARRISON_BOX)
    for leader in box.leaders:
        record = view.board.leaders[leader]
        if record.initiative <= value and box.cu:
            likely = unrest_chance(view, box.cu, record.tactics)
            worth = UNREST * min(2, view.unrest) * (2 * likely - 1)
            yield worth, Order("act", {"do": "attack_unrest", "card": card, "leader": leader, "cu": box.cu})


# ---- events (7.1)


def worth_of_levy(view: Game, side: Side) -> float:
    """Return what a new CU is worth to a side: less, the more it has."""
    there = sum(force.cu for power in view.board.powers_of[side] for _, force in view.everywhere(power))
    return LEVY * CU * min(1.0, ENOUGH / max(there, 1))


def _events(hand: Hand, card: str) -> Iterator[Way]:
    """Yield the event of a card where the bot knows what it is worth."""
    view, side = hand.view, hand.side
    record = view.board.cards[card]
    if record.when is not None:
        return
    worth, effect = 0.0, {}
    for each in record.effects:
        for word, told in each.items():
            found = _effect(hand, card, word, told)
            if found is None:
                return
            worth += found[0]
            effect.update(found[1])
    order = {"do": "event", "card": card}
    if side and record.effects:
        yield worth, Order("act", {**order, "effect": effect} if effect else order)


def _effect(hand: Hand, card: str, word: str, told: Any) -> tuple[float, dict[str, Any]] | None:
    """Return what one effect is worth, and what it needs to be told; None: the bot does not play it."""
    view, side = hand.view, hand.side
    if word == "levy":
        places = {power: best_space(view, power) for power in hand.fields}
        power = next((power for power, place in places.items() if place is not None), None)
        if power is None:
            return None
        named = {"power": power} if len(hand.fields) > 1 else {}
        return told * worth_of_levy(view, side), {**named, "levy": {places[power]: told}}
    if word == "leader":
        return _arrival(view, Played(side, card, told))
    if word == "marker":
        return MARKERS.get(told["name"], 0.1), {}
    if word == "support":
        best = max(_support(hand, card, told), key=lambda way: way[0], default=None)
        return None if best is None else (best[0], {"support": list(best[1]["add"])})
    if word == "siege":
        sieges = [space for space, siege in view.sieges.items() if siege.by in hand.fields]
        best_siege = max(sieges, key=lambda space: hand.fields[view.sieges[space].by].taken(space), default=None)
        if best_siege is None:
            return None
        return ROLL * hand.fields[view.sieges[best_siege].by].taken(best_siege), {"siege": best_siege}
    if word == "vp":
        return float(told), {}
    if word == "unrest":
        rises = told > 0
        own = CARTHAGE in hand.fields
        return (-UNREST * told if own else UNREST * told * rivalry(view, side, CARTHAGE) * rises), {}
    if word == "plunder":
        return _plunder(view, side, told)
    if word == "draw":
        return 0.2 * told, {}
    if word == "insurrection":
        garrisons = {space: view.cu(CARTHAGE, space) for space in ("kerkouane", "carthago")}
        return REVOLT * rivalry(view, side, CARTHAGE) / RIVAL / 2, {word: min(garrisons, key=lambda at: garrisons[at])}
    return None


def _arrival(view: Game, played: Played) -> tuple[float, dict[str, Any]] | None:
    """Return what a named leader who comes is worth, and his place: with the largest army (8.2)."""
    found = arrivals(view, played)
    if not found:
        return None

    def rate(each: Mapping[str, str]) -> tuple[int, int, str]:
        record = view.board.leaders[each["name"]]
        return record.tactics, view.force(record.power, each["at"]).cu, each["at"]

    best = max(found, key=rate)
    lasts = 0.5 if played.told.get("until") else 1.0
    return NAMED * lasts + CU * played.told.get("cu", 0), {"leader": best}


def _plunder(view: Game, side: Side, told: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
    change = told.get("gain", 0) - told.get("lose", 0)
    gallic = told["by"] == GAULS
    own = GAULS in view.board.powers_of[side]
    worth = 0.2 * change * (1 if gallic else -1)
    return (worth if own else -worth * rivalry(view, side, GAULS)), {}
