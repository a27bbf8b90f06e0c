"""The bot's placing of new CU and of leaders, and whom it pays for (5.10, 8.2 to 8.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pbem.game import Reply
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.events.minor_leaders import minors
from pbem.rules.sword_of_rome.events.nonplayers import levy_places
from pbem.rules.sword_of_rome.policy.worth import ARMY, hostile, threat, worth
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX, GREEKS
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.reinforcements import MERCENARIES, lots
from pbem.rules.sword_of_rome.turn.returning import easable, greek_leaders, relief

LED: Final = 0.5
"""What it is worth that an army stands where new CU come."""
FULL: Final = 10
"""CU that move together: more are of no use in one place (9.1.1)."""


def rate(view: Game, power: str, space: str, enemies: list[tuple[str, str, int]]) -> float:
    """Return how good a space is for new CU: with an army, or where an enemy can come."""
    there = view.force(power, space)
    if space == GARRISON_BOX:
        return 0.0
    value = 0.0
    if there.leaders:
        value += LED * max(1, view.board.leaders[there.leaders[0]].tactics) ** 0.5
        value += 0.05 * min(there.cu, FULL) if there.cu < FULL else -LED
    danger = threat(view, power, space, enemies)
    if danger > there.cu and view.control.get(space) == power:
        value += 0.3 * worth(view, power, space)
    return value


def best_space(view: Game, power: str) -> str | None:
    """Return where new CU of a power are best placed; None: nowhere (5.10)."""
    places = levy_places(view, power)
    enemies = hostile(view, power)
    return max(places, key=lambda space: rate(view, power, space, enemies), default=None)


def reinforce(view: Game, decision: Decision) -> Iterator[Order]:
    """Place all new CU where they are best, spread over the powers of one side by their armies (5.10)."""
    body: dict[str, Any] = {}
    for lot in lots(view, decision.facts["powers"]):
        armies = {power: hostile(view, power) for power, _ in lot.places}
        rated = sorted(lot.places, key=lambda place: (-rate(view, place[0], place[1], armies[place[0]]), place))
        best = rated[: 2 if lot.cu > ARMY and len(rated) > 1 else 1]
        shares = [lot.cu - lot.cu // 3, lot.cu // 3] if len(best) > 1 else [lot.cu]
        for (power, space), cu in zip(best, shares, strict=True):
            if lot.mercenaries:
                body.setdefault(MERCENARIES, {})[space] = cu
            else:
                body.setdefault("place", {}).setdefault(power, {})[space] = cu
    yield Order("reinforce", body)


def leaderless(view: Game, powers: Sequence[str]) -> dict[str, str]:
    """Return places for minor leaders who are set aside, or idle: armies of three CU without a leader (8.3)."""
    told: dict[str, str] = {}
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
