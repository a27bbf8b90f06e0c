"""What a form says beside a march: each leader with what he has and can reach, whom he can win over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from pbem.game import legal, percent, plain
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.movement.diplomacy import modifiers, open_cities
from pbem.rules.hannibal_italy.movement.march import check
from pbem.rules.hannibal_italy.movement.offers import bodies_of, reach
from pbem.rules.hannibal_italy.position.forces import here, hexes_of, sp
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, UNSEEN, Game
from pbem.rules.hannibal_italy.views.wording import decimal, place_as_written, some, strength

Hint: TypeAlias = str | Order
Reached: TypeAlias = Mapping[str, tuple[int, str | None]]
_MOST_LISTED: Final = 36
"""So many cities are listed in all, shared among the leaders, to keep the form short."""
_FEWEST: Final = 4
_MOST_ORDERS: Final = 2


def marches(known: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each leader has and can reach, what it costs, and an order or two of each (7)."""
    leaders: Sequence[str] = decision.facts["leaders"]
    yield _costs(known)
    most = max(_FEWEST, _MOST_LISTED // max(len(leaders), 1) // 2)
    orders: list[dict[str, Any]] = []
    for leader in leaders:
        yield from _leader(known, decision, leader, most, orders)
    yield (
        "A path names hexes and cities; what lies between is filled in, the cheapest way. {try: CITY} is diplomacy; "
        "'along via_aemilia', 'to ariminum' follow a road. A sheet may have all your marches, one below the other, and "
        "the end behind them; FORECAST tells what they cost and may lead to."
    )
    yield from legal(check, known, decision, orders)


def _costs(known: Game) -> str:
    movement = known.board.tables["movement"]
    cost = ", ".join(f"{ground} {decimal(halves)}" for ground, halves in movement["cost"].items())
    river, talk = decimal(movement["river"]), decimal(movement["diplomacy"])
    return f"Movement points: {cost}, a river {river} more; diplomacy {talk}."


def _leader(known: Game, decision: Decision, leader: str, most: int, orders: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is worth knowing of one leader, and note orders of his."""
    side, record = decision.side, known.leaders[leader]
    bodies = list(bodies_of(known, decision, leader))
    units = ", ".join(f"{unit} {count}" for unit, count in record.units.items()) or "no units"
    whole = strength(known.board, record.units) if record.units else ""
    inside = ", inside the walls" if record.inside else ""
    head = f"{leader} at {place_as_written(known, record.at)}{inside}: {', '.join(filter(None, (whole, units)))}"
    if not bodies:
        yield f"{head}; say with units what he takes."
        return
    body, allowed = bodies[0]
    yield f"{head}; {decimal(allowed)} points"
    free = known.loose[side].get(record.at, {})
    if free:
        yield f"  without a leader there: {', '.join(f'{unit} {count}' for unit, count in free.items())} (units: all)"
    if known.leaders_at(ENEMY[side], record.at, inside=False) and not record.inside:
        number = known.card(leader).withdraws_on
        chance = "always" if number is None else f"on {number} or more, {percent(7 - number)} %"
        yield f"  must get away from the enemy first: {chance}"
    found = reach(known, side, [leader], allowed)
    yield from _reached(known, side, leader, found, most)
    won = list(_winnable(known, side, leader, found, allowed))
    if won:
        words = [f"{city} {chance} %" for chance, city, _ in won]
        yield f"  diplomacy: {some(words, most)}"
    orders += _examples(known, side, leader, body, found, [(city, hex) for _, city, hex in won[:1]])


def _reached(known: Game, side: Side, leader: str, found: Reached, most: int) -> Iterator[str]:
    """Yield the cities and the enemies in reach, with what it costs to get there (7.3)."""
    board = known.board
    near = sorted(found, key=lambda hex: (found[hex][0], hex))
    cities = [
        f"{city}{'*' if known.cities[city] == CARTHAGE else ''} {decimal(found[hex][0])}"
        for hex in near
        if (city := board.hexes[hex].city) is not None and found[hex][0]
    ]
    if cities:
        yield f"  in reach (* of Carthage): {some(cities, most)}"
    held = set(hexes_of(known, ENEMY[side]))
    enemies = [_enemy(known, side, hex, found[hex][0]) for hex in near if hex in held and found[hex][0]]
    if enemies:
        yield f"  the enemy: {some(enemies, most)}"


def _enemy(known: Game, side: Side, hex: str, cost: int) -> str:
    enemy = ENEMY[side]
    who = ", ".join(known.leaders_at(enemy, hex)) or "no leader"
    return f"{place_as_written(known, hex)} {decimal(cost)} ({who}, {_seen(known, enemy, hex)})"


def _seen(known: Game, side: Side, hex: str) -> str:
    units = here(known, side, hex)
    return "strength not known" if UNSEEN in units else f"{sp(known.board, units)} SP"


def _winnable(
    known: Game, side: Side, leader: str, found: Reached, allowed: int
) -> Iterator[tuple[int, str, str]]:  # fmt: skip
    """Yield cities that a leader could try to win over, the likeliest first: chance, city, where to try (7.4)."""
    board, fee = known.board, int(known.board.tables["movement"]["diplomacy"])
    held = set(hexes_of(known, ENEMY[side]))
    tries = []
    for city in sorted(open_cities(known, side)):
        near = {hex for hex, _ in board.steps[board.cities[city].hex]}
        able = [hex for hex in near if hex in found and found[hex][0] + fee <= allowed and hex not in held]
        if able:
            hex = min(able, key=lambda hex: (found[hex][0], hex))
            tries.append((chance(known, side, leader, city, hex), city, hex))
    yield from sorted(tries, key=lambda each: (-each[0], found[each[2]][0], each[1]))


def chance(known: Game, side: Side, leader: str, city: str, hex: str) -> int:
    """Return the chance in percent to win a city over from a hex (7.4, 7.41)."""
    there = plain.twin(known.leaders[leader])
    there.at, there.inside = hex, False
    seen = plain.twin(known)
    seen.leaders = {**known.leaders, leader: there}
    added = sum(modifiers(seen, side, [leader], city).values())
    return percent(7 - (known.board.cities[city].loyalty or 7) + added)


def _examples(
    known: Game, side: Side, leader: str, body: Mapping[str, Any], found: Reached, won: Sequence[tuple[str, str]]
) -> list[dict[str, Any]]:
    """Return a march to the nearest city of the enemy, or else to one's own, and one with diplomacy."""
    board = known.board
    near = [hex for hex in sorted(found, key=lambda hex: (found[hex][0], hex)) if found[hex][0]]
    towns = [hex for hex in near if board.hexes[hex].city is not None]
    towns.sort(key=lambda hex: known.friendly_city(side, hex))
    goals: list[list[Any]] = [[_goal(known, hex)] for hex in (towns or near)[:1]]
    goals += [[_goal(known, hex), {"try": city}] for city, hex in won]
    return [{**body, "path": goal} for goal in goals[:_MOST_ORDERS]]


def _goal(known: Game, hex: str) -> str:
    return known.board.hexes[hex].city or hex
