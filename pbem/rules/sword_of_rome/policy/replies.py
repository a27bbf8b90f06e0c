"""The bot's answers to the enemy's march, in battle and between the turns (5, 9.3, 10, 11, 14.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.battle.odds import Ground
from pbem.rules.sword_of_rome.battle.spoils import losers, most_unrest, taker, why_not_add_own, why_not_take_away
from pbem.rules.sword_of_rome.events.card_play import value_of
from pbem.rules.sword_of_rome.movement.avoidance import refuges
from pbem.rules.sword_of_rome.movement.entering import as_many
from pbem.rules.sword_of_rome.policy.acts import DESPERATE, worth_of_desperate
from pbem.rules.sword_of_rome.policy.plans import MARKER, UNREST_POINT
from pbem.rules.sword_of_rome.policy.worth import ARMY, army, chance, rivalry, taken, worth
from pbem.rules.sword_of_rome.position.board import CARTHAGE, DIFFICULT, GAULS, WALLED
from pbem.rules.sword_of_rome.position.state import NONE, Force, Game

SEEKS: Final = 0.62
"""The chance of victory from which the bot intercepts."""
AFRAID: Final = 0.4
"""The chance below which it avoids a battle."""
RESPONSES_KEPT: Final = 1
"""Responses that are kept for the next turn."""
GREAT: Final = 0.8
"""The worth of a space that an army defends against odds."""


def _holds(view: Game, power: str, space: str, own: Force, *, intercepts: bool = False) -> float:
    """Return the chance that a force beats the one under way in a space."""
    march = view.the_march
    enemy = army(view, march.power, space, march.force)
    ground = Ground(march.came_by in DIFFICULT, intercepts)
    return 1 - chance(view.board, enemy, army(view, power, space, own), ground)


def best_city(view: Game, decision: Decision) -> Iterator[Order]:
    """Stand before the city if that is likely to win; else as many go inside as can (9.3.1)."""
    power, space = decision.facts["power"], decision.facts["at"]
    there = view.force(power, space)
    if _holds(view, power, space, there) > 0.5:
        yield Order("city", {"cu": 0})
    yield Order("city", as_many(view, there))


def best_interception(view: Game, decision: Decision) -> Iterator[Order]:
    """Intercept with the army that is most likely to win, if it may leave its space (10)."""
    power, space = decision.facts["power"], decision.facts["at"]
    found = []
    for origin in decision.facts["from"]:
        stack = view.force(power, origin)
        likely = _holds(view, power, space, stack, intercepts=True)
        guards = view.control.get(origin) == power and worth(view, power, origin) > worth(view, power, space) + GREAT
        if likely >= SEEKS and stack.leaders and not guards and origin not in view.sieges:
            found.append((likely, origin, stack))
    for _, origin, stack in sorted(found, key=lambda each: -each[0]):
        leader = stack.leaders[0]
        body = {"from": origin, "leader": leader, "cu": stack.cu, "with": stack.leaders[1:]}
        if stack.mercenaries:
            body["mercenaries"] = stack.mercenaries
        yield Order("intercept", {"with": [body]})
    yield Order("intercept", {"with": []})


def best_avoidance(view: Game, decision: Decision) -> Iterator[Order]:
    """Avoid a battle that is likely to be lost, where the space is not worth it (11)."""
    power, space = decision.facts["power"], decision.facts["at"]
    stack = view.force(power, space)
    likely = _holds(view, power, space, stack)
    dear = view.control.get(space) == power and worth(view, power, space) >= GREAT
    if likely < (AFRAID / 2 if dear else AFRAID):
        for to in sorted(refuges(view, power, space), key=lambda near: (-view.cu(power, near), near)):
            yield Order("avoid", {"to": to, "leader": stack.leaders[0], "with": stack.leaders[1:]})
    yield Order("avoid", {"to": NONE})


def best_refusal(view: Game, decision: Decision) -> Iterator[Order]:
    """Go back before a stronger army that has intercepted (10.5.1)."""
    facts, march = decision.facts, view.the_march
    enemy = next(iter(view.enemies_in(march.power, march.at)), None)
    back = facts["enemy_cu"] > facts["own_cu"]
    if enemy is not None:
        likely = 1 - _holds(view, enemy, march.at, view.force(enemy, march.at), intercepts=True)
        back = likely < AFRAID
    yield Order("refuse", {"back": back})


def best_announcement(view: Game, decision: Decision) -> Iterator[Order]:
    """Announce one before the own activation, if there is much to be done with it (7.4)."""
    side, facts = decision.side, decision.facts
    mine = facts["next"] == side
    announce = mine and worth_of_desperate(view, side) >= DESPERATE - 0.4 * facts["last"]
    yield Order("desperate_times", {"announce": announce})


def best_first_player(view: Game, decision: Decision) -> Iterator[Order]:
    """Let the next side clockwise go first, so that the own one goes last (5.3)."""
    seats = view.clockwise(decision.side)
    yield Order("first_player", {"side": seats[1] if len(seats) > 1 else seats[0]})


def best_discard(view: Game, decision: Decision) -> Iterator[Order]:
    """Discard the cards of value 1, and all responses but the dearest few: they are of no use as the hand (6.2.1)."""
    cards = view.board.cards
    hand = sorted(view.hands[decision.side], key=lambda card: (-value_of(view, card), card))
    kept = [card for card in hand if cards[card].when is not None][:RESPONSES_KEPT]
    weak = [
        card
        for card in hand
        if card not in kept and (cards[card].when is not None or (value_of(view, card) == 1 and not cards[card].extra))
    ]
    yield Order("discard", {"cards": weak})


def best_sack(view: Game, decision: Decision) -> Iterator[Order]:
    """Loot as the Gauls, for five markers are a VP; keep a city that Transalpine Gauls take from a rival (14.4)."""
    yield Order("sack", {"loot": decision.facts["power"] == GAULS or GAULS not in view.board.powers_of[decision.side]})


def best_consent(view: Game, decision: Decision) -> Iterator[Order]:
    """Lend an army to an ally's Campaign where it is not needed (9.5.5)."""
    leader = decision.facts["leader"]
    space, power = view.where(leader), view.board.leaders[leader].power
    spare = space is not None and view.force(power, space).cu >= ARMY and space not in view.sieges
    yield Order("join_campaign", {"consent": spare and worth(view, power, space or "") < GREAT})


LOYALTY_SPARED: Final = 0.1


def best_spoils(view: Game, decision: Decision) -> Iterator[Order]:
    """Yield how points are spent, by what each point is worth; then the same with fewer (12.5)."""
    points: int = decision.facts["points"]
    bought = sorted(_purchases(view, decision), key=lambda each: -each[0])
    for known in range(len(bought), -1, -1):
        left, body = points, dict[str, Any]()
        for _, cost, word, space in bought[:known]:
            if cost > left:
                continue
            left -= cost
            if word in ("plunder", "unrest"):
                body[word] = body.get(word, 0) + cost
            else:
                body[word] = [*body.get(word, ()), *[space] * cost]
        yield Order("spoils", body)
        if known < len(bought) - 3:
            return


def _purchases(view: Game, decision: Decision) -> Iterator[tuple[float, int, str, str]]:
    """Yield what can be bought: its worth for a point, the points, the word and the space."""
    side, facts = decision.side, decision.facts
    winner, loser, points = facts["power"], facts["loser"], facts["points"]
    own = winner in view.board.powers_of[side]
    for space in view.board.spaces:
        holder = view.control.get(space)
        if holder in losers(view, loser) and why_not_take_away(view, losers(view, loser), space) is None:
            cost = view.loyalty[space] if view.kind(space) == WALLED else 1
            goes_to_us = own and taker(view, winner, space) == winner
            denied = rivalry(view, side, holder) * worth(view, holder or "", space)
            value = taken(view, side, winner, space) if goes_to_us else denied
            if cost <= points:
                yield value / cost, cost, "remove", space
        elif own and why_not_add_own(view, winner, space) is None:
            value = LOYALTY_SPARED if holder == winner else worth(view, winner, space)
            yield value, 1, "add", space
    if own and view.board.powers[winner].raids:
        yield from [(MARKER, 1, "plunder", "")] * points
    change = min(points, most_unrest(view, winner, loser))
    per_point = UNREST_POINT if winner == CARTHAGE and own else UNREST_POINT * rivalry(view, side, CARTHAGE)
    yield from [(per_point, 1, "unrest", "")] * change
