"""What the stand-in makes of the map: where enemies stand, what a hex is worth to an army that ends its march there."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from pbem.maps.hexes import distance
from pbem.protocol import Side
from pbem.rules.hannibal_italy.board import CLASS_1, CLEAR, MOUNTAIN, UNFORTIFIED
from pbem.rules.hannibal_italy.diplomacy import open_cities
from pbem.rules.hannibal_italy.forces import garrison, hexes_of, loose_inside
from pbem.rules.hannibal_italy.overrun import stops
from pbem.rules.hannibal_italy.policy.replies import rating
from pbem.rules.hannibal_italy.policy.worth import LOST, battle, chance, lasting, strength, worth_of_city
from pbem.rules.hannibal_italy.state import CARTHAGE, ENEMY, ROME, SUMMER, WINTER, Game

NEAR: Final = 6
"""Hexes within which an enemy army is a threat."""
HELP: Final = 5
"""Hexes from which another army of one's own comes to a battle."""
FADES: Final = 0.85
"""What is a hex further off is worth so much less."""
DRAWN: Final = 0.25
"""What a city in reach of a later march is worth beside one that is taken now."""
LEADER: Final = 8.0
HANNIBAL: Final = 40.0
RECRUITS: Final = 5.0
FORAGE: Final = 0.75
"""What is left for a battle of an army that forages (9.4)."""
STAND: Final = 0.9
SIEGE: Final = 0.35
"""The chance that a siege begun succeeds before it has to be given up."""


class Ground:
    """The map as one side sees it in one position; what is dear to find out is found out once."""

    def __init__(self, known: Game, side: Side) -> None:
        self.known, self.side, self.enemy = known, side, ENEMY[side]
        self.board = known.board
        self.held = stops(known, side)
        self.open_cities = open_cities(known, side)
        self.foes = {hex: self._there(self.enemy, hex) for hex in hexes_of(known, self.enemy)}
        self.friends = {hex: self._there(side, hex) for hex in hexes_of(known, side)}
        self._pull: dict[str, float] = {}

    def _there(self, side: Side, hex: str) -> int:
        known = self.known
        leaders = known.leaders_at(side, hex)
        loose = known.loose[side].get(hex, {})
        return sum(strength(known, side, known.leaders[each].units, each) for each in leaders) + strength(
            known, side, loose
        )

    @cached_property
    def armies(self) -> list[tuple[str, int]]:
        """Enemy armies that can march before the next combat."""
        if not self.exposed:
            return []
        return [(hex, own) for hex, own in self.foes.items() if own and self.known.leaders_at(self.enemy, hex)]

    @cached_property
    def exposed(self) -> bool:
        """Tell whether the enemy still marches before the next combat (4.2)."""
        known = self.known
        return (known.mover == known.first) == (known.segment == SUMMER)

    @cached_property
    def in_province(self) -> dict[tuple[Side, str], int]:
        """SP of each side in each province."""
        total: dict[tuple[Side, str], int] = {}
        for side, forces in ((self.side, self.friends), (self.enemy, self.foes)):
            for hex, own in forces.items():
                key = side, self.board.hexes[hex].province
                total[key] = total.get(key, 0) + own
        return total

    def matters(self, hex: str) -> bool:
        """Tell whether a hex is worth a thought as the end of a march."""
        return self.board.hexes[hex].city is not None or hex in self.foes or hex in self.friends

    def chance(self, leader: str, own: int, hex: str, city: str) -> float:
        """Return the chance that a leader with so many SP wins a city over from a hex (7.41)."""
        board, record = self.board, self.board.cities[city]
        numbers, province = board.tables["diplomacy"], board.provinces[record.province]
        if self.side == CARTHAGE:
            more = own // int(numbers["carthage_sp"]) if self.known.card(leader).supreme and province.diagonal else 0
        else:
            here = self.in_province.get((ROME, province.id), 0)
            at = self.known.leaders[leader].at
            if board.hexes[hex].province == province.id and board.hexes[at].province != province.id:
                here += own
            elif board.hexes[hex].province != province.id and board.hexes[at].province == province.id:
                here -= own
            more = max(0, here) // int(numbers["rome_sp"])
        return chance((record.loyalty or 7) - more)

    def end(self, leader: str, hex: str, own: int, *, inside: bool, moved: bool) -> float | None:
        """Return what it is worth that a leader ends his march in a hex; None: it is no place for him."""
        known, board = self.known, self.board
        place = board.hexes[hex]
        city = known.city_at(hex)
        friendly = city is not None and known.cities[city.id] == self.side
        if inside and (not friendly or city is None or city.id in known.sieges or hex in self.foes):
            return None
        mine = self.friends.get(hex, 0) + (own if moved else 0)
        worth = self.pull(hex) * min(1.0, mine / 10) + self._control(hex, leader, own, moved=moved)
        if hex in self.foes:
            fought = self._battle(leader, hex, mine)
            if fought is None:
                return None
            worth += fought
        elif city is not None and not friendly and own:
            worth += self._city(hex, mine)
        worth -= self._danger(leader, hex, mine, safe=inside and city is not None and city.kind != UNFORTIFIED)
        if known.segment == WINTER and own and not inside and not self._fed(hex, leader, own, moved=moved):
            worth -= 0.5 * own * LOST[self.side]
        if self.side == CARTHAGE and known.segment == WINTER:
            province = board.provinces[place.province]
            gauls = province.recruits == "gaul"
            if province.diagonal and gauls == known.card(leader).gaulish:
                worth += RECRUITS
        return worth

    def pull(self, hex: str) -> float:
        """Return what draws an army to a hex: enemy cities about it that it may take later."""
        if hex not in self._pull:
            at, board = self.board.hexes[hex].at, self.board
            best = 0.0
            for city, owner in self.known.cities.items():
                if owner == self.side or (board.cities[city].kind == CLASS_1 and self.side == CARTHAGE):
                    continue
                far = distance(at, board.hexes[board.cities[city].hex].at)
                if far <= 2 * NEAR:
                    likely = chance((board.cities[city].loyalty or 7) - 1)
                    best += worth_of_city(self.known, city) * likely * FADES**far / 4
            self._pull[hex] = DRAWN * best
        return self._pull[hex]

    def _control(self, hex: str, leader: str, own: int, *, moved: bool) -> float:
        """Return what units in a hex do for the control of its province (8.2)."""
        province = self.board.provinces[self.board.hexes[hex].province]
        ours, theirs = self._balance(hex, leader, own, moved=moved)
        cities = [self.known.cities[city] for city in province.cities]
        share = lasting(self.known) if self.known.segment == WINTER else 0.6 * lasting(self.known)
        here = 0.0
        without = ours - own
        gained = ours > 0 and ours >= 2 * theirs and not (without > 0 and without >= 2 * theirs)
        if gained and not all(owner == self.enemy for owner in cities):
            here += province.vp * share
        if theirs > 0 and theirs >= 2 * without and not theirs >= 2 * ours:
            here += province.vp * share * 0.7
        return here

    def _balance(self, hex: str, leader: str, own: int, *, moved: bool) -> tuple[int, int]:
        province = self.board.hexes[hex].province
        ours, theirs = self.in_province.get((self.side, province), 0), self.in_province.get((self.enemy, province), 0)
        start = self.known.leaders[leader].at
        if moved and self.board.hexes[start].province != province:
            ours += own
        return ours, theirs

    def _fed(self, hex: str, leader: str, own: int, *, moved: bool) -> bool:
        """Tell whether a province will be its side's own when the winter takes its toll (8.3)."""
        province = self.board.provinces[self.board.hexes[hex].province]
        ours, theirs = self._balance(hex, leader, own, moved=moved)
        owners = [self.known.cities[city] for city in province.cities]
        if all(owner == self.side for owner in owners):
            return theirs == 0 or theirs < 2 * ours
        gains = self.known.city_at(hex)
        takes = gains is not None and gains.kind == UNFORTIFIED and hex not in self.foes
        if all(owner == self.enemy for owner in owners) and not takes:
            return False
        return ours >= 2 * theirs

    def _battle(self, leader: str, hex: str, own: int) -> float | None:
        """Return what it is worth to go where the enemy stands; None: too dangerous (9.1)."""
        known = self.known
        if self.board.hexes[hex].terrain == MOUNTAIN:
            return None
        city = known.city_at(hex)
        walls = city is not None and city.kind != UNFORTIFIED and known.cities[city.id] == self.enemy
        outside = any(not known.leaders[each].inside for each in known.leaders_at(self.enemy, hex))
        if walls and not outside and loose_inside(known, self.enemy, hex):
            return self._city(hex, own)
        province = known.provinces.get(self.board.hexes[hex].province)
        die = max(rating(known, self.side, hex), known.card(leader).combat) - rating(known, self.enemy, hex)
        mine = round((own + self._help(leader, hex)) * (1.0 if province == self.side else FORAGE))
        theirs = round(self.foes[hex] * (1.0 if province == self.enemy else FORAGE))
        worth = battle(known, self.side, mine, theirs, die)
        return worth if worth > 1 else None

    def _help(self, leader: str, hex: str) -> int:
        """Return what others who have not marched yet may bring to a battle in a hex, two of them at most (7.8)."""
        known, at = self.known, self.board.hexes[hex].at
        near = [
            strength(known, self.side, known.leaders[other].units, other)
            for other in known.on_map(self.side)
            if other != leader
            and other not in known.moved
            and 0 < distance(at, self.board.hexes[known.leaders[other].at].at) <= HELP
        ]
        return sum(sorted(near)[-2:])

    def _city(self, hex: str, own: int) -> float:
        """Return what it is worth to stand before an enemy city with so many SP (9.7 to 9.9)."""
        city = self.known.city_at(hex)
        assert city is not None
        worth = worth_of_city(self.known, city.id)
        guard = self.foes.get(hex, 0) + garrison(self.known, city.id)
        if city.kind == UNFORTIFIED:
            return STAND * worth if not guard else 0.0
        if own < city.intrinsic + guard:
            return 0.0
        if city.kind == CLASS_1:
            return SIEGE * worth + (60.0 if self.side == CARTHAGE else 0.0)
        siege = self.known.sieges.get(city.id)
        if siege is not None:
            return max(SIEGE, chance(siege.number)) * worth
        return SIEGE * worth

    def _danger(self, leader: str, hex: str, own: int, *, safe: bool) -> float:
        """Return what an army may lose to enemies who march before the next combat."""
        at, worst = self.board.hexes[hex].at, 0.0
        open_ground = self.board.hexes[hex].terrain == CLEAR and self.board.hexes[hex].city is None
        chief = HANNIBAL if self.known.card(leader).supreme else LEADER
        for other, enemy in self.armies:
            far = distance(at, self.board.hexes[other].at)
            if not 0 < far <= NEAR:
                continue
            likely = 1.0 - far / (2 * NEAR)
            if enemy >= 8 * max(own, 1) and open_ground:
                loss = own * LOST[self.side] + chief
            else:
                die = rating(self.known, self.enemy, other) - self.known.card(leader).combat
                loss = max(0.0, battle(self.known, self.enemy, enemy, max(own, 1), die))
                loss += 0.3 * chief if enemy > 2 * own else 0.0
            worst = max(worst, likely * loss)
        return worst * (0.3 if safe else 0.8)
