"""The bot's placing of new CU and of leaders, and whom it pays for (5.10, 8.2 to 8.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pbem.game import Reply
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.events.minor_leaders import minors
from pbem.rules.sword_of_rome.policy.worth import ARMY, hostile, threat, worth
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX, GREEKS, NORMAL
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.placing import eligible
from pbem.rules.sword_of_rome.turn.reinforcements import MERCENARIES, lots
from pbem.rules.sword_of_rome.turn.returning import easable, greek_leaders, relief

LED: Final = 0.5
"""What it is worth that an army stands where new CU come."""
GUARD: Final = 0.8
"""The part of its worth that a space without CU gains by a guard."""
DEFENCE: Final = 0.3
"""The part of its worth that a space gains by a CU where an enemy can come."""
BOXED: Final = 1.0
"""What a CU in the Garrison box is worth while there is unrest that it can be led against (S 20.3)."""
BOX_CU: Final = 5
"""CU in the box from which no more are wanted."""
STRONG: Final = 7
"""CU of an army that is strong enough for most battles."""
FULL: Final = 10
"""CU that move together: more are of no use in one place (9.1.1)."""


def rate(view: Game, power: str, space: str, enemies: list[tuple[str, str, int]], more: int = 0) -> float:
    """Return how good a space is for one CU more, after those that come there already.

    The first goes where it guards a victory space, for without CU nobody needs to fight for its marker (5.6, 7.3.3);
    the others go to armies, best to one that is needed.
    """
    there = view.force(power, space)
    cu = there.cu + more
    if space == GARRISON_BOX:
        return BOXED if cu < min(view.unrest + 1, BOX_CU) else 0.0
    own = view.control.get(space) == power
    value = 0.0
    if own and not cu and view.kind(space) == NORMAL:
        value += GUARD * worth(view, power, space)
    if there.leaders:
        skill = max(1, view.board.leaders[there.leaders[0]].tactics) ** 0.5
        value += LED * skill * (1.0 if cu < STRONG else 0.5 if cu < FULL else 0.0)
    danger = threat(view, power, space, enemies)
    if danger > cu and own:
        value += DEFENCE * worth(view, power, space) * (0.5 if not there.leaders else 1.0) / (1 + more) ** 0.5
    return value


def best_space(view: Game, power: str) -> str | None:
    """Return where new CU of a power are best placed; None: nowhere (5.10)."""
    places = eligible(view, power)
    enemies = hostile(view, power)
    return max(places, key=lambda space: rate(view, power, space, enemies), default=None)


def spread(view: Game, power: str, cu: int) -> dict[str, int]:
    """Return places for some new CU of a power, one by one where each is best; empty: there is none (5.10)."""
    places, enemies = eligible(view, power), hostile(view, power)
    come = Counter[str]()
    for _ in range(cu if places else 0):
        come[max(places, key=lambda space: rate(view, power, space, enemies, come[space]))] += 1
    return dict(come)


def reinforce(view: Game, decision: Decision) -> Iterator[Order]:
    """Place the new CU one by one, each where it is best (5.10)."""
    body: dict[str, Any] = {}
    armies = {power: hostile(view, power) for power in decision.facts["powers"]}
    come = Counter[tuple[str, str]]()
    for lot in lots(view, decision.facts["powers"]):
        for _ in range(lot.cu):
            _, power, space = max(
                (rate(view, power, space, armies[power], come[power, space]), power, space)
                for power, space in lot.places
            )
            come[power, space] += 1
            places = body.setdefault(MERCENARIES, {}) if lot.mercenaries else body.setdefault("place", {})
            if not lot.mercenaries:
                places = places.setdefault(power, {})
            places[space] = places.get(space, 0) + 1
    yield Order("reinforce", body)


def leaderless(view: Game, powers: Sequence[str]) -> dict[str, str]:
    """Return places for minor leaders who are set aside, or idle: armies of three CU without a leader (8.3)."""
    told: dict[str, str] = {}
    if CARTHAGE in powers and view.unrest:
        box = view.force(CARTHAGE, GARRISON_BOX)
        free = [leader for leader in minors(view, [CARTHAGE]) if _is_idle(view, CARTHAGE, leader)]
        if box.cu >= view.unrest and not box.leaders and free:
            return {free[0]: GARRISON_BOX}
    for power in powers:
        free = [leader for leader in minors(view, [power]) if _is_idle(view, power, leader)]
        forces = view.forces[power].items()
        wanted = [space for space, force in forces if force.cu >= ARMY and not force.leaders]
        for space in sorted(wanted, key=lambda at: (-view.force(power, at).cu, at)):
            if free:
                told[free.pop(0)] = space
        if not told and not any(force.army for _, force in forces):
            some = max((space for space, force in forces if force.cu), key=lambda at: view.cu(power, at), default=None)
            if some is not None and free:
                told[free[0]] = some
    return told


def _is_idle(view: Game, power: str, leader: str) -> bool:
    """Tell whether a minor leader is set aside, or does not command where he stands."""
    at = view.where(leader)
    return at is None or (leader in view.force(power, at).leaders[1:])


def minor_leaders(view: Game, decision: Decision) -> Iterator[Order]:
    """Give armies without a leader a minor one (8.3)."""
    yield Order("minor_leaders", {"leaders": leaderless(view, decision.facts["powers"])})


def keep_leaders(view: Game, decision: Decision) -> Iterator[Order]:
    """Keep the Greek leaders whom spare loyalty pays for, the best first (8.2.3)."""
    leaders = view.board.leaders
    enemies = hostile(view, GREEKS)
    spare: dict[str, int] = {}
    for city in view.cities(GREEKS):
        safe = not view.besieged(city) and not threat(view, GREEKS, city, enemies)
        spare[city] = view.loyalty[city] - 1 if safe else max(0, view.loyalty[city] - 2)
    able = [leader for leader in easable(view) if leader in greek_leaders(view)]
    eased = max(able, key=lambda each: leaders[each].penalty, default=None)
    left = sum(spare.values())
    keep, price = [], 0
    for leader in sorted(decision.facts["leaders"], key=lambda each: (-leaders[each].tactics, leaders[each].penalty)):
        cost = max(0, leaders[leader].penalty - (relief(view) if leader == eased else 0))
        if cost <= left - price:
            keep.append(leader)
            price += cost
    pay: list[str] = []
    while len(pay) < price:
        city = max(spare, key=lambda each: spare[each])
        spare[city] -= 1
        pay.append(city)
    body: dict[str, Any] = {"keep": keep, "pay": pay}
    yield Order("keep_leaders", {**body, "ease": eased} if eased is not None else body)


def halve(view: Game, decision: Decision) -> Iterator[Order]:
    """Send the mercenaries home who stand where no army is, or where they are least needed (S 5.10)."""
    there: Mapping[str, int] = decision.facts["there"]
    enemies = hostile(view, CARTHAGE)
    left, remove = decision.facts["leaving"], {}
    for space in sorted(there, key=lambda at: (rate(view, CARTHAGE, at, enemies), at)):
        gone = min(left, there[space])
        if gone:
            remove[space] = gone
            left -= gone
    yield Order("halve", {"remove": remove})


PLACING: Final[Mapping[str, Reply]] = {
    "reinforce": reinforce,
    "minor_leaders": minor_leaders,
    "keep_leaders": keep_leaders,
    "halve": halve,
}
