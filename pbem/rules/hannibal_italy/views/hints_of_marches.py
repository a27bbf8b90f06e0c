"""Hints for marches: what each leader has and can reach, which cities they can win over, and orders to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from pbem.game import legal, percent, plain
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.movement.check import check
from pbem.rules.hannibal_italy.movement.diplomacy import modifiers, open_cities
from pbem.rules.hannibal_italy.movement.offers import Company, Reached, companies, reach
from pbem.rules.hannibal_italy.movement.orders import TRY, PathWord
from pbem.rules.hannibal_italy.movement.paths import points
from pbem.rules.hannibal_italy.position.forces import here, hexes_of, sp
from pbem.rules.hannibal_italy.position.state import ENEMY, UNSEEN, Game
from pbem.rules.hannibal_italy.views.summary import place_as_written, some, strength

Hint: TypeAlias = str | Order
_MOST_LISTED: Final = 24
"""So many cities are listed in all, shared among the leaders, to keep the form short."""
_FEWEST: Final = 3
_MOST_ORDERS: Final = 2


def marches(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each leader has, whom and what he can reach, and an order or two of each (7)."""
    leaders: Sequence[str] = decision.facts["leaders"]
    most = max(_FEWEST, _MOST_LISTED // max(len(leaders), 1) // 2)
    orders: list[Order] = []
    for leader in leaders:
        yield from _leader(view, decision, leader, most, orders)
    yield (
        "A path names hexes, cities and roads ('along via_aemilia', 'to ariminum'); {try: CITY} is diplomacy. The end "
        "may stand below all your marches."
    )
    yield from legal(check, view, decision, [order.body for order in orders])


def _leader(view: Game, decision: Decision, leader: str, most: int, orders: list[Order]) -> Iterator[str]:
    """Yield what is worth knowing of one leader, and add orders for them to `orders`."""
    side, record = decision.side, view.leaders[leader]
    company = next(companies(view, decision, leader), None)
    units = ", ".join(f"{unit} {count}" for unit, count in record.units.items()) or "no units"
    whole = strength(view.board, record.units) if record.units else ""
    inside = ", inside the walls" if record.inside else ""
    head = f"{leader} at {place_as_written(view, record.at)}{inside}: {', '.join(filter(None, (whole, units)))}"
    if company is None:
        yield f"{head}; say with units what he takes."
        return
    allowed = company.most
    yield f"{head}; {points(allowed)} points"
    free = view.loose[side].get(record.at, {})
    if free:
        yield f"  without a leader there: {', '.join(f'{unit} {count}' for unit, count in free.items())} (units: all)"
    if view.leaders_at(ENEMY[side], record.at, inside=False) and not record.inside:
        number = view.card(leader).withdraws_on
        chance = "always" if number is None else f"on {number} or more, {percent(7 - number)} %"
        yield f"  must get away from the enemy first: {chance}"
    found = reach(view, side, [leader], allowed)
    yield from _reached(view, side, leader, found, most)
    won = list(_winnable(view, side, leader, found, allowed))
    if won:
        words = [f"{city} {chance} %" for chance, city, _ in won]
        yield f"  diplomacy: {some(words, most)}"
    orders += _examples(view, side, company, found, [(city, hex) for _, city, hex in won[:1]])


def _reached(view: Game, side: Side, leader: str, found: Reached, most: int) -> Iterator[str]:
    """Yield the enemies in reach, with what it costs to get there (7.3)."""
    near = sorted(found, key=lambda hex: (found[hex][0], hex))
    held = set(hexes_of(view, ENEMY[side]))
    enemies = [_enemy(view, side, hex, found[hex][0]) for hex in near if hex in held and found[hex][0]]
    if enemies:
        yield f"  the enemy: {some(enemies, most)}"


def _enemy(view: Game, side: Side, hex: str, cost: int) -> str:
    enemy = ENEMY[side]
    who = ", ".join(view.leaders_at(enemy, hex)) or "no leader"
    return f"{place_as_written(view, hex)} {points(cost)} ({who}, {_seen(view, enemy, hex)})"


def _seen(view: Game, side: Side, hex: str) -> str:
    units = here(view, side, hex)
    return "strength not known" if UNSEEN in units else f"{sp(view.board, units)} SP"


def _winnable(view: Game, side: Side, leader: str, found: Reached, allowed: int) -> Iterator[tuple[int, str, str]]:
    """Yield cities that a leader could try to win over, the likeliest first: chance, city, where to try (7.4)."""
    board, fee = view.board, int(view.board.tables["movement"]["diplomacy"])
    held = set(hexes_of(view, ENEMY[side]))
    tries = []
    for city in sorted(open_cities(view, side)):
        near = {hex for hex, _ in board.steps[board.cities[city].hex]}
        able = [hex for hex in near if hex in found and found[hex][0] + fee <= allowed and hex not in held]
        if able:
            hex = min(able, key=lambda hex: (found[hex][0], hex))
            tries.append((chance(view, side, leader, city, hex), city, hex))
    yield from sorted(tries, key=lambda each: (-each[0], found[each[2]][0], each[1]))


def chance(view: Game, side: Side, leader: str, city: str, hex: str) -> int:
    """Return the chance in percent to win a city over from a hex (7.4, 7.41)."""
    there = plain.twin(view.leaders[leader])
    there.at, there.inside = hex, False
    seen = plain.twin(view)
    seen.leaders = {**view.leaders, leader: there}
    added = sum(modifiers(seen, side, [leader], city).values())
    return percent(7 - (view.board.cities[city].loyalty or 7) + added)


def _examples(view: Game, side: Side, company: Company, found: Reached, won: Sequence[tuple[str, str]]) -> list[Order]:
    """Return a march to the nearest city of the enemy, or else to one's own, and one with diplomacy."""
    board = view.board
    near = [hex for hex in sorted(found, key=lambda hex: (found[hex][0], hex)) if found[hex][0]]
    towns = [hex for hex in near if board.hexes[hex].city is not None]
    towns.sort(key=lambda hex: view.friendly_city(side, hex))
    goals: list[list[PathWord]] = [[_goal(view, hex)] for hex in (towns or near)[:1]]
    goals += [[_goal(view, hex), {TRY: city}] for city, hex in won]
    return [company.march(goal) for goal in goals[:_MOST_ORDERS]]


def _goal(view: Game, hex: str) -> str:
    return view.board.hexes[hex].city or hex
