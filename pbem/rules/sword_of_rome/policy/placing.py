"""The bot's placing of new CU and of leaders, and whom it pays for (5.10, 8.2 to 8.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.events.minor_leaders import minors
from pbem.rules.sword_of_rome.policy.worth import ARMY, Field, hostile, threat
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX, GREEKS
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.reinforcements import MERCENARIES, easable, eligible, greek_leaders, lots, relief

LED: Final = 0.5
"""What it is worth that an army stands where new CU come."""
DEFENCE: Final = 1.0
"""What a place gains by a CU more, by that."""
CU_TOGETHER: Final = 3
"""CU that are thought of together: one alone may hold nothing."""
BOXED: Final = 1.0
"""What a CU in the Garrison box is worth while there is unrest that it can be led against (S 20.3)."""
BOX_CU: Final = 5
"""CU in the box from which no more are wanted."""
STRONG: Final = 7
"""CU of an army that is strong enough for most battles."""
FULL: Final = 10
"""CU that move together: more are of no use in one place (9.1.1)."""


def rate(field: Field, space: str, more: int = 0) -> float:
    """Return how good a space is for one CU more, after those that come there already.

    It is what the place gains by it, or by its share of the few that make it hold, for without CU nobody needs to fight
    for its marker (5.6, 7.3.3); and an army gains by it, one that is needed most.
    """
    view, there = field.game, field.game.force(field.power, space)
    cu, tactics = there.cu + more, field.tactics(there)
    if space == GARRISON_BOX:
        return BOXED if cu < min(view.unrest + 1, BOX_CU) else 0.0
    now = field.held(space, cu, tactics)
    value = DEFENCE * max((field.held(space, cu + few, tactics) - now) / few for few in range(1, CU_TOGETHER + 1))
    if there.leaders:
        value += LED * max(1, tactics) ** 0.5 * (1.0 if cu < STRONG else 0.5 if cu < FULL else 0.0)
    return value


def best_space(field: Field) -> str | None:
    """Return where new CU of a power are best placed; None: nowhere (5.10)."""
    return max(eligible(field.game, field.power), key=lambda space: rate(field, space), default=None)


def spread(field: Field, cu: int) -> dict[str, int]:
    """Return places for some new CU of a power, one by one where each is best; empty: there is none (5.10)."""
    places = eligible(field.game, field.power)
    come = Counter[str]()
    for _ in range(cu if places else 0):
        come[max(places, key=lambda space: rate(field, space, come[space]))] += 1
    return dict(come)


def best_reinforcements(view: Game, decision: Decision) -> Iterator[Order]:
    """Place the new CU one by one, each where it is best (5.10)."""
    placed: dict[str, dict[str, int]] = {}
    hired: dict[str, int] = {}
    fields = {power: Field(view, decision.side, power) for power in decision.facts["powers"]}
    come = Counter[tuple[str, str]]()
    for lot in lots(view, decision.facts["powers"]):
        for _ in range(lot.cu):
            _, power, space = max(
                (rate(fields[power], space, come[power, space]), power, space) for power, space in lot.places
            )
            come[power, space] += 1
            places = hired if lot.mercenaries else placed.setdefault(power, {})
            places[space] = places.get(space, 0) + 1
    yield Order("reinforce", {word: places for word, places in (("place", placed), (MERCENARIES, hired)) if places})


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


def best_minor_leaders(view: Game, decision: Decision) -> Iterator[Order]:
    """Give armies without a leader a minor one (8.3)."""
    yield Order("minor_leaders", {"leaders": leaderless(view, decision.facts["powers"])})


def best_keeping(view: Game, decision: Decision) -> Iterator[Order]:
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
    body: dict[str, object] = {"keep": keep, "pay": pay}
    yield Order("keep_leaders", {**body, "ease": eased} if eased is not None else body)


def best_halving(view: Game, decision: Decision) -> Iterator[Order]:
    """Send the mercenaries home who stand where no army is, or where they are least needed (S 5.10)."""
    there: Mapping[str, int] = decision.facts["there"]
    field = Field(view, decision.side, CARTHAGE)
    left, remove = decision.facts["leaving"], {}
    for space in sorted(there, key=lambda at: (rate(field, at, -1), at)):
        gone = min(left, there[space])
        if gone:
            remove[space] = gone
            left -= gone
    yield Order("halve", {"remove": remove})
