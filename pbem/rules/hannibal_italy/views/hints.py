"""Hints of an order form: what can be ordered, with what strength and chance, and orders to choose from.

A hint says no more than its reader may know (7.5). Texts stand in the form as remarks, orders as choices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from pbem.game import legal, percent, plain, some
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.battle.battle import over_a_river
from pbem.rules.hannibal_italy.battle.foraging import least
from pbem.rules.hannibal_italy.battle.losses import CHEAPEST, DEAREST, order_of
from pbem.rules.hannibal_italy.movement.check import check
from pbem.rules.hannibal_italy.movement.diplomacy import modifiers, open_cities
from pbem.rules.hannibal_italy.movement.offers import Company, Reached, companies, reach
from pbem.rules.hannibal_italy.movement.orders import TRY, PathWord
from pbem.rules.hannibal_italy.movement.paths import points
from pbem.rules.hannibal_italy.position.forces import here, hexes_of, sp, steps, to_raise, weakened
from pbem.rules.hannibal_italy.position.state import ENEMY, ROME, SIDES, UNSEEN, Game
from pbem.rules.hannibal_italy.turn.elections import check as check_dictator
from pbem.rules.hannibal_italy.turn.winter import enough
from pbem.rules.hannibal_italy.views.odds import Prospect, average_assault, average_round
from pbem.rules.hannibal_italy.views.panel import place
from pbem.rules.hannibal_italy.views.summary import place_as_written, strength, units_as_written, units_in_words

_MOST: Final = 6
Hint: TypeAlias = str | Order
_MOST_LISTED: Final = 24
"""So many cities are listed in all, shared among the leaders, to keep the form short."""
_FEWEST: Final = 3
_MOST_ORDERS: Final = 2


# ---- elections and offices (5)


def first_player(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the choice means for both segments of the year (4.2)."""
    yield "The other side marches twice in a row: second in the summer, first in the winter."


def proconsul(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where each could stay, with what, and what an election would give him (5.2, 5.3)."""
    for leader in (*decision.facts["consuls"], *decision.facts["proconsuls"]):
        record = view.leaders[leader]
        units = strength(view.board, record.units)
        yield f"  {leader}, {record.office} at {place(view, record.at)}: {units}{_skill(view, leader)}"
    yield "The units of those who step down stay where they are. dismiss: [name] takes a proconsul off."


def _skill(view: Game, leader: str) -> str:
    """Return a leader's modifier of the die, and the number needed to withdraw (10.3, 10.4)."""
    card = view.card(leader)
    out = "always withdraws" if card.withdraws_on is None else f"withdraws on {card.withdraws_on} or more"
    return f", combat {card.combat:+d}, {out}"


def tie(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield the skill of each (5.22)."""
    for leader in decision.facts["leaders"]:
        yield f"  {leader}{_skill(view, leader)}"
    yield "The first of your list come first."


def placing(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who is elected, and what stands in the hexes that are open (5.23, 7.8)."""
    yield from _elected(view, decision.facts["leaders"])
    for hex in decision.facts["hexes"]:
        yield f"  {_numbered(view, hex)}: {units_in_words(view.board, here(view, ROME, hex)) or 'no units'}"


def _numbered(view: Game, hex: str) -> str:
    """Return a hex by its number, as the orders below name it, and by its city, by which an order may name it, too."""
    city = view.board.hexes[hex].city
    return f'"{hex}" {city}' if city is not None else f'"{hex}"'


def _elected(view: Game, leaders: list[str]) -> Iterator[str]:
    most = view.board.tables["stacking"]["legions"]
    for leader in leaders:
        office = view.leaders[leader].office
        leads = f"{most[office]} legions" if office in most else ""
        yield f"  {leader}, {office}: {leads}{_skill(view, leader)}"


def dictator(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who is eligible, and the best pairs (5.4)."""
    able = sorted(decision.facts["leaders"], key=lambda leader: (-view.card(leader).combat, leader))
    for leader in able[:_MOST]:
        before = ", has been consul" if leader in view.served else ""
        before += ", has been dictator" if leader in view.dictators else ""
        yield f"  {leader}{_skill(view, leader)}{before}"
    others = ", ".join(able[_MOST:])
    if others:
        yield f"Also eligible: {others}."
    yield "Who has been consul is the senior of the two. Nobody is dictator twice."
    bodies = ({"dictator": one, "master": other} for one in able for other in able if one != other)
    yield from islice(legal(check_dictator, view, decision, bodies), _MOST // 2)


# ---- recruiting and arrivals (6, 12.31)


def arrive(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the hexes are (12.311, 12.321)."""
    board = view.board
    for hex in decision.facts["hexes"][:_MOST]:
        city = view.city_at(hex)
        where = f", {city.name}, {city.kind.replace('_', ' ')}" if city is not None else ""
        yield f"  {hex}: {board.hexes[hex].terrain}, {board.provinces[board.hexes[hex].province].name}{where}"


def raising(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield where the legions of each province may be put, how many counters there are, who waits for a place (6.2)."""
    facts, board = decision.facts, view.board
    for province, count in facts["legions"].items():
        cities = ", ".join(facts["cities"].get(province, ())) or "nowhere"
        yield f"  {board.provinces[province].name}: {count}, in {cities}"
    yield f"There are counters for {to_raise(view)} legions. What you do not raise this year is lost."
    if facts["leaders"]:
        yield from _elected(view, facts["leaders"])
        yield "They go to Rome unless you say where: leaders: {name: hex}, to new legions or where the old ones stood."
    if facts["slaves"]:
        yield "The slave legion goes to any leader: slaves: name. It comes once, and leaves the game with his command."


def receive(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each has already (6.3)."""
    for leader in decision.facts["leaders"]:
        record = view.leaders[leader]
        yield f"  {leader} at {place(view, record.at)}: {strength(view.board, record.units)}"


# ---- battle (9)


def fight(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what stands against each other, the ground, and what a round would come to (9.1 to 9.3)."""
    side, facts = decision.side, decision.facts
    yield _ground(view, facts["hex"])
    came = [attacker for attacker in (side, ENEMY[side]) if over_a_river(view, attacker)]
    if came:
        words = "Both" if len(came) == len(SIDES) else "You" if side in came else "The enemy"
        yield f"{words} came over a river: one column less in an attack."
    if "enemy_sp" not in facts:
        yield "What the enemy has is not known before one of your leaders meets him."
        return
    for attacker, words in ((side, "If you attack"), (ENEMY[side], "If the enemy does")):
        yield _told(words, average_round(view, attacker), side == attacker)
    if view.provinces.get(view.board.hexes[facts["hex"]].province) != side:
        yield "The province is not yours: a quarter of your SP will be foraging."
    yield "If both want battle, the side that marched last attacks."


def _ground(view: Game, hex: str) -> str:
    board = view.board
    record = board.hexes[hex]
    city = view.city_at(hex)
    ground = f"{city.name}, a city" if city is not None else record.terrain
    return f"The ground: {ground}, in {board.provinces[record.province].name}."


def _told(words: str, prospect: Prospect | None, attacking: bool) -> str:
    """Return what a round comes to on average, as told to one side (9.2)."""
    if prospect is None:
        return f"{words}: the odds are too low for an attack."
    own, other = (prospect.attacker, prospect.defender) if attacking else (prospect.defender, prospect.attacker)
    reasons = ", ".join(f"{why.replace('_', ' ')} {value:+d}" for why, value in prospect.modifiers.items() if value)
    die = f", die {sum(prospect.modifiers.values()):+d} ({reasons})" if reasons else ""
    return f"{words}: {prospect.column}{die}. You lose {own:.1f} steps a round, the enemy {other:.1f}."


def withdraw(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what it takes (10.4)."""
    yield _getting_away(view, decision.facts["leader"])
    yield "Nobody is in danger on the way now. Who does not get away must fight."


def _getting_away(view: Game, leader: str) -> str:
    number = view.card(leader).withdraws_on
    if number is None:
        return f"{leader} always gets away."
    return f"{leader} gets away on {number} or more: {percent(7 - number)} %."


def go_on(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what another round would come to, and what breaking off takes (9.2, 10.4, 10.5)."""
    side, facts, battle = decision.side, decision.facts, view.the_battle
    attacker = side if facts["attacking"] else ENEMY[side]
    yield _told("The next round", average_round(view, attacker), facts["attacking"])
    commander = battle.parties[side].commander
    if facts["way_out"] and commander:
        yield _getting_away(view, commander)
        dies = int(view.board.tables["dies_on"]["withdrawing"])
        yield f"Each of your leaders who withdraws is killed on {dies}: {percent(dies)} %."
    yield "stop ends the battle if the enemy gives way; give_way ends it if they stop or give way, and you go back."


def command(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what each changes the die by (10.3, 10.31)."""
    if decision.facts["army"] != decision.side:
        yield "The enemy's commander is yours to choose."
    for leader in decision.facts["leaders"]:
        yield f"  {leader}{_skill(view, leader)}"


def forage(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what can forage, and what the least would be (9.4, 11.3)."""
    units, due, board = decision.facts["units"], decision.facts["due"], view.board
    yield f"You have {units_as_written(board, units)}. Elephants do not forage."
    if UNSEEN not in units:
        chosen = least(board, units, due)
        yield f"least means {units_as_written(board, chosen)}."


def ambush(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what can lie in ambush, and what the smallest would be (9.5)."""
    units, due, board = decision.facts["units"], decision.facts["least"], view.board
    yield f"You have {units_as_written(board, units)}."
    if UNSEEN not in units:
        die = int(board.tables["ambush"]["die"])
        yield f"least means {units_as_written(board, least(board, units, due))}."
        yield f"In its round the die is {die:+d} for you."


def losses(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what either way would cost, and how to name units (9.3)."""
    units, count, board = decision.facts["units"], decision.facts["steps"], view.board
    yield f"You have {units_as_written(board, units)}."
    if UNSEEN not in units:
        for way in (CHEAPEST, DEAREST):
            yield f"{way}: {_cost(view, units, order_of(board, units, way, count))}"
    yield "Or name them, one word a step: lose: [name, name]."


def _cost(view: Game, units: Mapping[str, int], lost: list[str]) -> str:
    """Return which units lose steps, and how many SP that is."""
    board = view.board
    counted = ", ".join(f"{unit} {lost.count(unit)}" for unit in dict.fromkeys(lost))
    return f"{counted}, {sp(board, units) - sp(board, weakened(board, units, lost))} SP"


def winter_losses(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what either way would cost (8.3)."""
    units, target, board = decision.facts["units"], decision.facts["target"], view.board
    yield f"You have {units_as_written(board, units)}, {steps(board, units)} steps."
    for way in (CHEAPEST, DEAREST):
        yield f"{way}: {_cost(view, units, enough(board, units, way, target))}"


# ---- sieges (9.7 to 9.9)


def besiege(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield how likely the city surrenders, and what an assault would come to (9.7, 9.8)."""
    facts, side = decision.facts, decision.side
    number = facts["number"]
    if facts["own_sp"] < facts["needed"]:
        yield "You are too weak: whoever tries must go back a hex."
    elif facts.get("unseen"):
        yield "You do not see what is inside: if it makes you too weak, you must go back a hex."
    yield f"siege: surrenders on {number} or more, {percent(7 - number)} %; one less next time, down to 3."
    found = (
        average_assault(view, side, view.board.cities[facts["city"]], facts["needed"]) if facts["can_assault"] else None
    )
    if found is None:
        yield "assault: you lack three to two, elephants left out."
    else:
        chances = ", ".join(f"{words} {100 * chance:.0f} %" for words, chance in found.exact.items())
        die = sum(found.modifiers.values())
        yield f"assault: {found.column}, die {die:+d}: {chances}; it costs you {found.attacker:.1f} steps."
    yield "leave: nothing is done; a siege that goes on is given up."


def works(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what siege works do (9.91 to 9.93)."""
    number = int(view.board.tables["works_number"])
    if decision.facts["works"] == "none":
        yield f"They are completed in the next segment; from then on the fortress falls on {number}, each segment."
    else:
        yield f"This segment the fortress falls on {number}: {percent(7 - number)} %. Without you they are lost."


def retreat(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what the hexes are (9.71)."""
    for hex in decision.facts["hexes"]:
        yield f"  {_numbered(view, hex)}: {view.board.hexes[hex].terrain}"


def sally(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield what stands inside and before the walls, as far as it is known (9.71)."""
    hex, side = decision.facts["hex"], decision.side
    yield f"You have {units_in_words(view.board, here(view, side, hex))}."
    yield f"Before the walls: {units_in_words(view.board, here(view, ENEMY[side], hex))}."
    yield "Who withdraws from the battle goes back inside."


def elephants(view: Game, decision: Decision) -> Iterator[Hint]:
    """Yield who has how many (11.2)."""
    herds: Mapping[str, int] = decision.facts["herds"]
    yield ", ".join(f"{owner} has {count}" for owner, count in herds.items()) + ". Name one owner a step."


# ---- marches: what each leader has and can reach, which cities he can win over (7)


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
