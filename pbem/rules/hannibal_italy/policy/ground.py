"""The map as the bot rates it: enemies, posts of Rome, and what each hex is worth at the end of a march."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from pbem.game import distance
from pbem.protocol import Side
from pbem.rules.hannibal_italy.movement.diplomacy import open_cities
from pbem.rules.hannibal_italy.movement.offers import Reached, reach
from pbem.rules.hannibal_italy.movement.orders import DROP, PathWord
from pbem.rules.hannibal_italy.movement.overrun import possible, stops
from pbem.rules.hannibal_italy.movement.taking import allowance
from pbem.rules.hannibal_italy.policy.replies import rating
from pbem.rules.hannibal_italy.policy.worth import (
    LOST,
    Forces,
    battle,
    before_walls,
    chance,
    lasting,
    strength,
    taken_for,
    worth_of_city,
    worth_of_provinces,
)
from pbem.rules.hannibal_italy.position.board import CLASS_1, CLEAR, MOUNTAIN, ROME_CITY, UNFORTIFIED
from pbem.rules.hannibal_italy.position.forces import garrison, hexes_of, loose_inside, sp
from pbem.rules.hannibal_italy.position.leadership import limit
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ENEMY, ROME, SUMMER, UNSEEN, WINTER, Game
from pbem.rules.hannibal_italy.turn.recruiting import chart

FOOT: Final = "roman_foot"
ARMY: Final = 33
"""SP that an army keeps when it leaves units behind."""
RICH: Final = 120
"""SP that the leaders of Rome have with them before they can spare any."""
OPEN_FROM: Final = 213
"""The year from which cities without walls get a garrison, too: Carthage can beat it, but not talk it over."""
SURE: Final = 15
"""SP more than Hannibal's army is taken for, to be on the safe side."""
RISK: Final = 0.35
"""The chance, more or less, that a city without a garrison goes over."""
FAR: Final = 12
"""Hexes from which a city still draws an army."""
HELP: Final = 5
"""Hexes from which another army of one's own comes to a battle."""
FADES: Final = 0.85
"""The factor by which each hex of distance lowers a worth."""
DRAWN: Final = 0.25
"""The worth of a city in reach of a later march, as a part of one that is taken now."""
CHIEF: Final = {ROME: 4.0, CARTHAGE: 25.0}
"""The worth of a leader: Rome elects others, Carthage has few."""
HANNIBAL: Final = 100.0
STARVED: Final = {ROME: 1.0, CARTHAGE: 2.2}
"""The worth of an SP that starves in winter: Carthage never gets its own back (8.3)."""
TALKED_OVER: Final = 0.5
"""The chance that Rome wins over a city and takes the few whom Carthage has in it (7.42)."""
HELD_BY: Final = 10
RECRUITS: Final = 5.0
"""The worth of a roll for allies, or Gauls, in a province of one's own (6.3)."""
HANDED_OVER: Final = 0.4
"""The worth of an SP of foot that a lieutenant brings to Hannibal."""
QUICK: Final = 4
"""SP that the lieutenant may keep."""
FORAGE: Final = 0.75
"""The part of an army that is left for battle while the rest forages (9.4)."""
STAND: Final = 0.9
ALONE: Final = 0.6
"""The worth of a leader of Carthage without an army, as a part of one with it."""
SHUT_IN: Final = 0.2
"""The part of an army that is likely to be lost in a city that the enemy is able to besiege."""
COMES: Final = 0.6
"""The chance that an enemy who can attack an army does."""
SAFE: Final = 0.25
"""The part of a danger that is left to a leader who always gets away."""
GUARD: Final = 0.8
"""The worth of an SP that guards Rome in winter."""
RELIEF: Final = 80.0
"""The worth of a march against enemies who build siege works round Rome (9.91)."""
IDLE: Final = 6.0
"""The worth of sharing an army with a leader who waits in Rome without one."""
FREE_UNITS: Final = 0.4
"""The worth of an SP without a leader to a leader who can take it over."""
OVERRUN: Final = 8


# ---- posts: walled cities in which Rome leaves foot, to close them to diplomacy (7.42)


def can_spare(view: Game) -> bool:
    """Tell whether Rome has armies enough with its leaders to leave units in cities."""
    return sum(sp(view.board, view.leaders[leader].units) for leader in view.on_map(ROME)) >= RICH


def guard_of_rome(view: Game) -> int:
    """Return the SP that Rome keeps within its walls in winter, so that Hannibal can begin no siege works (9.91)."""
    home = view.board.cities[ROME_CITY]
    hannibal = next((leader for leader in view.on_map(CARTHAGE) if view.card(leader).supreme), "")
    return max(0, taken_for(view, hannibal) + SURE - home.intrinsic - garrison(view, home.id)) if hannibal else 0


def is_post(view: Game, hex: str) -> bool:
    """Tell whether a Roman city in a hex wants a foot unit: of doubtful loyalty, or where Rome levies (6.2, 7.41).

    Cities without walls get one only in the later years.
    """
    city = view.city_at(hex)
    if city is None or city.kind == CLASS_1 or view.cities[city.id] != ROME:
        return False
    if city.kind == UNFORTIFIED and view.year > OPEN_FROM:
        return False
    wanted = view.board.provinces[city.province].diagonal or chart(view).get(city.province, 0) > 1
    return wanted and city.id not in view.sieges


def unmanned(view: Game, hex: str) -> bool:
    """Tell whether a post has no unit of its own yet."""
    return is_post(view, hex) and not view.loose[ROME].get(hex) and not view.leaders_at(CARTHAGE, hex)


def left_behind(view: Game, leader: str, units: Mapping[str, int]) -> dict[str, int]:
    """Return what of the units at hand a leader takes along: a foot stays in a post, a guard in Rome."""
    hex = view.leaders[leader].at
    if view.leaders[leader].inside and view.besieged(hex):
        return dict(units)
    if hex == view.board.home and view.segment == SUMMER:  # Rome marches once more before the enemy does (4.2)
        return dict(units)
    if hex == view.board.home:
        others = sum(
            sp(view.board, view.leaders[other].units)
            for other in view.leaders_at(ROME, view.board.home)
            if other != leader
        )
        return _without(view, units, guard_of_rome(view) - others, 0)
    if is_post(view, hex) and can_spare(view):
        return _without(view, units, view.board.units[FOOT].sp, ARMY)
    return dict(units)


def _without(view: Game, units: Mapping[str, int], due: int, least: int) -> dict[str, int]:
    """Return units without as many foot as make up so many SP; all of them if the rest is no army."""
    cost = view.board.units[FOOT].sp
    count = min(units.get(FOOT, 0), max(0, -(-due // cost)))
    left = {unit: number - (count if unit == FOOT else 0) for unit, number in units.items()}
    left = {unit: number for unit, number in left.items() if number}
    return left if sp(view.board, left) >= least else dict(units)


def with_drops(view: Game, path: Sequence[PathWord], units: Mapping[str, int]) -> Iterator[PathWord]:
    """Yield the items of a path with a foot unit left in each post without one that it passes."""
    foot, left = units.get(FOOT, 0), sp(view.board, units)
    able = can_spare(view)
    last = max((at for at, item in enumerate(path) if isinstance(item, Mapping)), default=-1)
    for at, item in enumerate(path):
        yield item
        if at <= last or at == len(path) - 1 or not able:  # the strength along counts for diplomacy (7.41)
            continue
        cost = view.board.units[FOOT].sp
        if isinstance(item, str) and foot and left - cost >= ARMY and unmanned(view, item):
            foot, left = foot - 1, left - cost
            yield {DROP: {FOOT: 1}}


# ---- the ground


class Ground:
    """The map as one side sees it in one position. Costly answers are computed once."""

    def __init__(self, view: Game, side: Side) -> None:
        self.view, self.side, self.enemy = view, side, ENEMY[side]
        self.board = view.board
        self.held = stops(view, side)
        self.open_cities = open_cities(view, side)
        times = lasting(view)
        self.worth = {city: worth_of_city(view, city, times) for city in view.cities}
        self.control = worth_of_provinces(view, times)
        self.foes = {hex: self._there(self.enemy, hex) for hex in hexes_of(view, self.enemy)}
        self.friends = {hex: self._there(side, hex) for hex in hexes_of(view, side)}
        self._pull: dict[str, float] = {}

    def _there(self, side: Side, hex: str) -> int:
        view = self.view
        leaders = view.leaders_at(side, hex)
        return sum(strength(view, view.leaders[each].units, each) for each in leaders) + strength(
            view, view.loose[side].get(hex, {})
        )

    @cached_property
    def threats(self) -> list[tuple[int, int, Reached]]:
        """Enemy armies that can march before the next combat: their SP, their commander, the hexes in reach (7.3)."""
        view = self.view
        if (view.mover == view.first) != (view.segment == SUMMER):
            return []
        found = []
        for leader in view.on_map(self.enemy):
            units = view.leaders[leader].units
            own = strength(view, units, leader)
            foot = view.card(leader).supreme or view.card(leader).gaulish
            seen = allowance(view, [units]) if UNSEEN not in units else 0
            most = seen or int(self.board.tables["movement"]["allowance"]["foot" if foot else "horse"])
            if own:
                found.append((own, view.card(leader).combat, reach(view, self.enemy, [leader], most)))
        return found

    @cached_property
    def in_province(self) -> dict[tuple[Side, str], int]:
        """SP of each side in each province, garrison units included."""
        total: dict[tuple[Side, str], int] = {}
        for side, forces in ((self.side, self.friends), (self.enemy, self.foes)):
            for hex, own in forces.items():
                key = side, self.board.hexes[hex].province
                total[key] = total.get(key, 0) + own
        for city in self.view.garrisons:
            key = self.view.cities[city], self.board.cities[city].province
            total[key] = total.get(key, 0) + garrison(self.view, city)
        return total

    @cached_property
    def recruiting(self) -> dict[str, list[str]]:
        """Province -> the leaders of this side in it."""
        found: dict[str, list[str]] = {}
        for leader in self.view.on_map(self.side):
            found.setdefault(self.board.hexes[self.view.leaders[leader].at].province, []).append(leader)
        return found

    def matters(self, hex: str) -> bool:
        """Tell whether a hex is worth rating as the end of a march."""
        return self.board.hexes[hex].city is not None or hex in self.foes or hex in self.friends

    def chance(self, leader: str, own: int, hex: str, city: str) -> float:
        """Return the chance that a leader with so many SP wins a city over from a hex (7.41)."""
        board, record = self.board, self.board.cities[city]
        numbers, province = board.tables["diplomacy"], board.provinces[record.province]
        if self.side == CARTHAGE:
            more = own // int(numbers["carthage_sp"]) if self.view.card(leader).supreme and province.diagonal else 0
        else:
            here = self._led(province.id, leader)
            if board.hexes[hex].province == province.id:
                here += own
            more = here // int(numbers["rome_sp"])
        return chance((record.loyalty or 7) - more)

    def _led(self, province: str, leader: str) -> int:
        """Return the SP that Roman leaders but one have with them in a province (7.41)."""
        view = self.view
        return sum(
            strength(view, view.leaders[other].units, other)
            for other in self.recruiting.get(province, ())
            if other != leader
        )

    def end(self, leader: str, hex: str, own: int, *, inside: bool, moved: bool) -> float | None:
        """Return the worth of a leader's march that ends in a hex; None: it is no place for him."""
        view = self.view
        city = view.city_at(hex)
        friendly = city is not None and view.cities[city.id] == self.side
        if inside and (not friendly or city is None or city.id in view.sieges or hex in self.foes):
            return None
        mine = self.friends.get(hex, 0) + (own if moved else 0)
        alone = ALONE if self.side == CARTHAGE else 0.0  # with or without an army he wins cities over
        worth = self.pull(hex) * min(1.0, alone + mine / 10) + self._control(hex, leader, own, moved=moved)
        if hex in self.foes:
            fought = self._battle(leader, hex, mine)
            if fought is None:
                return None
            worth += fought
        elif city is not None and not friendly and own:
            worth += self._city(leader, hex, mine, mine - own)
        worth -= self._danger(leader, hex, mine, safe=inside and city is not None and city.kind != UNFORTIFIED)
        if view.segment == WINTER and own and not (friendly and hex not in self.foes):
            worth -= 0.0 if self._fed(hex, leader, own, moved=moved) else 0.5 * own * STARVED[self.side]
        return worth + (self._recruits(leader, hex) if self.side == CARTHAGE else self._posted(leader, hex, own))

    def _recruits(self, leader: str, hex: str) -> float:
        """Return the worth of wintering where a leader may raise allies, or Gauls (6.3, 6.31).

        In summer he had better bring Hannibal what he has raised, for without foot he is quicker.
        """
        province, card = self.board.provinces[self.board.hexes[hex].province], self.view.card(leader)
        if self.view.segment == SUMMER and not card.supreme and not card.gaulish:
            own = strength(self.view, self.view.leaders[leader].units)
            with_him = any(self.view.card(other).supreme for other in self.view.leaders_at(CARTHAGE, hex))
            return HANDED_OVER * max(0, own - QUICK) if with_him else 0.0
        if self.view.segment != WINTER or not province.diagonal or (province.recruits == "gaul") != card.gaulish:
            return 0.0
        others = [other for other in self.recruiting.get(province.id, ()) if other in self.view.moved]
        return 0.0 if others else RECRUITS * (1.5 if card.supreme else 1.0)

    def _posted(self, leader: str, hex: str, own: int) -> float:
        """Return the worth of what a Roman finds in a hex: units without a leader, a city to garrison (7.42)."""
        view, worth = self.view, 0.0
        if unmanned(view, hex) and own > ARMY and can_spare(view):
            worth += RISK * self.worth[self.board.hexes[hex].city or ""]
        if hex == self.board.home:
            lacking = guard_of_rome(view) - self.friends.get(hex, 0) + (own if view.leaders[leader].at == hex else 0)
            worth += GUARD * max(0, min(lacking, own)) if view.segment == WINTER else 0.0
        if hex == self.board.home and own > ARMY:
            worth += IDLE * sum(not view.leaders[other].units for other in view.leaders_at(ROME, self.board.home))
        room = (limit(view, leader) or 1000) - own
        others = [other for other in view.leaders_at(ROME, hex) if other != leader]
        if room > 0 and not others:
            free = strength(view, view.loose[ROME].get(hex, {})) - (10 if is_post(view, hex) else 0)
            worth += (FREE_UNITS if own >= ARMY else 1.5 * FREE_UNITS) * max(0, min(room, free))
        return worth

    def pull(self, hex: str) -> float:
        """Return how strongly a hex draws an army: by the enemy cities around that it may take later."""
        if hex not in self._pull:
            at, board = self.board.hexes[hex].at, self.board
            best = 0.0
            for city, owner in self.view.cities.items():
                record = board.cities[city]
                if owner == self.side or (record.kind == CLASS_1 and self.side == CARTHAGE):
                    continue
                far = distance(at, board.hexes[record.hex].at)
                if far <= FAR:
                    best += self.worth[city] * chance((record.loyalty or 7) - 1) * FADES**far / 4
            self._pull[hex] = DRAWN * best
        return self._pull[hex]

    def _control(self, hex: str, leader: str, own: int, *, moved: bool) -> float:
        """Return the worth of units in a hex for the control of its province (8.2)."""
        province = self.board.provinces[self.board.hexes[hex].province]
        ours, theirs = self._balance(hex, leader, own, moved=moved)
        share = self.control[province.id] * (1.0 if self.view.segment == WINTER else 0.6)
        without = ours - own
        worth = 0.0
        gained = ours > 0 and ours >= 2 * theirs and not (without > 0 and without >= 2 * theirs)
        if gained and not all(self.view.cities[city] == self.enemy for city in province.cities):
            worth += share
        if theirs > 0 and theirs >= 2 * without and not theirs >= 2 * ours:
            worth += share * 0.7
        return worth

    def _balance(self, hex: str, leader: str, own: int, *, moved: bool) -> tuple[int, int]:
        province = self.board.hexes[hex].province
        ours, theirs = self.in_province.get((self.side, province), 0), self.in_province.get((self.enemy, province), 0)
        start = self.view.leaders[leader].at
        if moved and self.board.hexes[start].province != province:
            ours += own
        return ours, theirs

    def _fed(self, hex: str, leader: str, own: int, *, moved: bool) -> bool:
        """Tell whether a province will be its side's own when the winter takes its toll (8.3)."""
        province = self.board.provinces[self.board.hexes[hex].province]
        ours, theirs = self._balance(hex, leader, own, moved=moved)
        owners = [self.view.cities[city] for city in province.cities]
        if all(owner == self.side for owner in owners):
            return theirs == 0 or theirs < 2 * ours
        gains = self.view.city_at(hex)
        takes = gains is not None and gains.kind == UNFORTIFIED and hex not in self.foes
        if takes:
            return True  # it is theirs when the toll is taken, and shelters them
        return ours >= 2 * theirs and not all(owner == self.enemy for owner in owners)

    def rides_down(self, hex: str, own: int) -> bool:
        """Tell whether so many SP may well overrun what the enemy has in a hex (7.7)."""
        return hex in self.foes and possible(self.view, hex) and own >= OVERRUN * self.foes[hex] and own > 0

    def _battle(self, leader: str, hex: str, own: int) -> float | None:
        """Return the worth of going where the enemy stands; None: too dangerous (9.1)."""
        view = self.view
        if self.board.hexes[hex].terrain == MOUNTAIN:
            return None
        city = view.city_at(hex)
        walls = city is not None and city.kind != UNFORTIFIED and view.cities[city.id] == self.enemy
        outside = any(not view.leaders[each].inside for each in view.leaders_at(self.enemy, hex))
        if walls and not outside and loose_inside(view, self.enemy, hex):
            return self._city(leader, hex, own, 0) or None
        chiefs = view.leaders_at(self.enemy, hex)
        if self.rides_down(hex, own):
            return self.foes[hex] * LOST[self.enemy] + CHIEF[self.enemy] * len(chiefs)
        province = view.provinces.get(self.board.hexes[hex].province)
        die = max(rating(view, self.side, hex), view.card(leader).combat) - rating(view, self.enemy, hex)
        mine = round((own + self._help(leader, hex)) * (1.0 if province == self.side else FORAGE))
        theirs = round(self.foes[hex] * (1.0 if province == self.enemy else FORAGE))
        worth = battle(view, self.side, mine, theirs, die)
        if any(view.card(each).withdraws_on is None for each in chiefs):
            worth = min(worth, 2.0)  # he gets away before it comes to blows
        if hex == self.board.home and self.side == ROME and ROME_CITY in view.sieges and mine >= theirs:
            worth += RELIEF
        return worth if worth > 1 else None

    def _help(self, leader: str, hex: str) -> int:
        """Return what others who have not marched yet may bring to a battle in a hex, two of them at most (7.8)."""
        view, at = self.view, self.board.hexes[hex].at
        near = [
            strength(view, view.leaders[other].units, other)
            for other in view.on_map(self.side)
            if other != leader
            and other not in view.moved
            and 0 < distance(at, self.board.hexes[view.leaders[other].at].at) <= HELP
        ]
        return sum(sorted(near)[-2:])

    def _city(self, leader: str, hex: str, own: int, others: int) -> float:
        """Return the worth of standing before an enemy city with so many SP (9.7 to 9.9).

        `others` are the SP that stand there without this leader: where they are enough he can do more elsewhere.
        """
        city = self.view.city_at(hex)
        assert city is not None
        guard = self.foes.get(hex, 0) + garrison(self.view, city.id)
        if others >= max(1, city.intrinsic + guard):
            return 0.0
        if city.kind == UNFORTIFIED:
            return STAND * self.worth[city.id] if not guard else 0.0
        die = self.view.card(leader).combat - rating(self.view, self.enemy, hex)
        prize = self.worth[city.id] + guard * LOST[self.enemy]
        return before_walls(self.view, self.side, city, Forces(own, guard, die), prize)[1]

    def _danger(self, leader: str, hex: str, own: int, *, safe: bool) -> float:
        """Return what an army may lose to enemies who march before the next combat."""
        worst = 0.0
        open_ground = self.board.hexes[hex].terrain == CLEAR and self.board.hexes[hex].city is None
        card = self.view.card(leader)
        chief = HANNIBAL if card.supreme else CHIEF[self.side]
        together = [(enemy, combat) for enemy, combat, found in self.threats if hex in found]
        if not together or (self.board.hexes[hex].terrain == MOUNTAIN and not open_ground):
            return 0.0
        strongest = max(enemy for enemy, _ in together)
        if strongest >= OVERRUN * max(own, 1) and open_ground:
            return COMES * (own * LOST[self.side] + chief)
        coming = sum(sorted(enemy for enemy, _ in together)[-3:])
        if safe:
            city = self.view.city_at(hex)
            walls = 0 if city is None else city.intrinsic
            if self.side == CARTHAGE and own < HELD_BY:
                return TALKED_OVER * (own * LOST[CARTHAGE] + chief)
            return SHUT_IN * own * LOST[self.side] if coming >= walls + own and walls < 30 else 0.0
        die = max(combat for _, combat in together) - card.combat
        worst = max(0.0, battle(self.view, self.enemy, coming, max(own, 1), die))
        worst += 0.2 * chief if coming > 2 * own else 0.0
        return worst * COMES * (SAFE if card.withdraws_on is None else 1.0)
