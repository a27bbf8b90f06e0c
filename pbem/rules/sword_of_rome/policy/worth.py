"""The value of spaces, units and battles to a side, in victory points (4.1, 5.8, 12).

No rulebook prints the weights: they were found by games of the bot, and nothing but its play rests on them.

A marker counts when the turn is scored, not before. Whoever takes a space early therefore asks who takes it back:
`Lasting` knows who can still come to a space, how often, and whether he would win (5.4, 5.6).
"""

from __future__ import annotations

from functools import lru_cache
from heapq import heappop, heappush
from typing import Final, NamedTuple

from pbem.protocol import Side
from pbem.rules.sword_of_rome.battle.odds import Army, Ground, automatic_winner, modifiers
from pbem.rules.sword_of_rome.movement.voyages import Crossing, carried
from pbem.rules.sword_of_rome.position.board import (
    APPIAN,
    BOX,
    CARTHAGE,
    CLEAR,
    DESPERATE_VALUE,
    GAULS,
    NORMAL,
    SICILY,
    TRIBE,
    WALLED,
    Board,
)
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.siege.siege import needed
from pbem.rules.sword_of_rome.turn.scoring import gains, losses

CU: Final = 0.12
"""A combat unit."""
PLAIN: Final = 0.12
"""A normal space that scores nothing."""
CITY: Final = 0.35
"""A walled city, besides what it scores."""
SOURCE: Final = 0.2
"""A home space that brings reinforcements, for each CU."""
HAND: Final = 0.45
"""A Sicilian port of Carthage, which is worth a card (S 5.2)."""
AHEAD: Final = 0.5
"""The part of its worth that a space still has in each of the two turns after this one."""
RIVAL: Final = 0.2
"""What a loss of another side is worth, as a part of what it loses, if it stands as the others do."""
AHEAD_OF: Final = 0.5
"""How much more for each VP that it is ahead of the average of the others, and less for each that it is behind."""
LEAST: Final = 0.05
FIRST_RIVAL: Final = 2.0
"""The most of it, but for a side that is about to win."""
WINNING_RIVAL: Final = 2.5
"""The same for a side that would win at once if the turn were scored now (4.2)."""
PARTNER: Final = -1.0
"""The same for the other side of one's own person, with two players: it hurts."""
ENEMY: Final = 0.4
"""The same where two persons play: whatever one of them loses brings the other nearer to victory."""
NEAR: Final = 4
"""Movement points within which an enemy army is a threat."""
ARMY: Final = 3
"""CU from which an army can besiege (13.1.1)."""
FAR: Final = 99
PAIR: Final = 2
_DICE: Final = 3
WANTS: Final = 0.7
"""The chance that an army comes, each time that its side is active, to what its power holds or has lost."""
COVETS: Final = 0.2
"""The same to a victory space or a city of somebody else."""
PASSES: Final = 0.07
"""The same to any other space."""
COVETS_OF_TWO: Final = 0.5
PASSES_OF_TWO: Final = 0.2
"""The same with two players: nobody else is in the way, and whatever one loses helps the other."""
SELDOM: Final = 0.1
"""The part of it for a power without a player, which a card must activate."""
DARES: Final = 0.6
"""The chance of victory from which an enemy is expected to attack."""
SAILS: Final = 2
"""The value of the card with which a fleet is expected."""
RISK: Final = 0.15
"""A CU that may be lost where it stands, with the support that it costs (12.5)."""
CU_OF_AN_ARMY: Final = 10
"""CU from which each is worth less, the more there are."""
REVOLTS: Final = 0.05
"""The part of its worth that any CU saves in a space without walls: no event takes its marker from it (7.3.3)."""
WALLS: Final = 0.3
"""The part of all this that an army before a city of its own saves: its walls hold for a while without it."""
GUARDED: Final = 0.2
"""The worth from which a CU is left as a guard."""
VISIT: Final = 0.1
"""What an army is worth in the home of an ally that somebody else holds."""
LEVEL: Final = 0.75
"""The part of its prize that a siege has for each point that is missing."""


@lru_cache(maxsize=64)
def wins(lead: int) -> float:
    """Return the chance that three dice and a lead beat three dice; ties are lost (12.2.3)."""
    ways = [1]
    for _ in range(2 * _DICE):
        ways = [
            sum(ways[total - face] for face in range(6) if 0 <= total - face < len(ways))
            for total in range(len(ways) + 5)
        ]
    middle = (len(ways) - 1) // 2
    return sum(count for total, count in enumerate(ways) if total - middle + lead > 0) / sum(ways)


def chance(board: Board, attacker: Army, defender: Army, ground: Ground, events: int = 0) -> float:
    """Return the chance that an attacker wins a battle, with what events add to its roll (12.2)."""
    if not defender.size:
        return 1.0
    winner = automatic_winner(board, attacker, defender)
    if winner is not None:
        return float(winner == "attacker")
    own, theirs = modifiers(board, attacker, defender, ground)
    return wins(events + sum(own.values()) - sum(theirs.values()))


def army(game: Game, power: str, space: str, force: Force, more: int = 0) -> Army:
    """Return a force of a power as it would fight in a space, with some CU more (12.2)."""
    leaders = game.board.leaders
    tactics = leaders[force.leaders[0]].tactics if force.leaders else 0
    return Army(force.cu + more, tactics, None, game.friendly(power, space))


def expected(game: Game, side: Side) -> int:
    """Return the VP that a side would have if the turn were scored now (5.8.1)."""
    return game.vp[side] + gains(game, side) - losses(game, side)


def chief(game: Game, side: Side) -> Side | None:
    """Return the side that leads if the turn were scored now and is not this one; None: nobody is ahead of it (5.8)."""
    own = game.board.seats_of(side)
    after = {each: (expected(game, each), game.vp[each]) for each in game.in_play}
    first = max(after, key=lambda each: (after[each], -game.board.side_rank(each)))
    return first if first not in own and after[first][0] >= after.get(side, (0, 0))[0] else None


def rivalry(game: Game, side: Side, holder: str | None) -> float:
    """Return what a loss of a power is worth to a side, as a part of what is lost: most if it is about to win (4.2)."""
    record = game.board.powers.get(holder) if holder is not None else None
    other = record.side if record is not None else None
    if other is None or other == side:
        return 0.0
    if other in game.board.seats_of(side):
        return PARTNER
    if len(game.board.seats.persons) == PAIR:
        return ENEMY
    if expected(game, other) >= game.board.levels[game.turn]:
        return WINNING_RIVAL
    others = [expected(game, each) for each in game.in_play if each != side]
    ahead = expected(game, other) - sum(others) / len(others)
    return min(max(RIVAL + AHEAD_OF * ahead, LEAST), FIRST_RIVAL)


def times(game: Game) -> float:
    """Return how many scorings a space counts for that is held from now on, later ones for less."""
    return 1 + AHEAD * min(2, game.last_turn - game.turn)


def worth(game: Game, power: str, space: str) -> float:
    """Return what control of a space is worth to a power (4.1, 5.10.1, S 5.2)."""
    board = game.board
    record = board.spaces[space]
    kind = game.kind(space)
    if kind == BOX:
        return 0.0
    own_home = record.home == power
    value = {WALLED: CITY, NORMAL: PLAIN, TRIBE: PLAIN}[kind]
    if board.powers[power].side is None:
        return value
    if record.victory and (own_home or power != GAULS):
        value += times(game)
    if own_home:
        value += SOURCE * record.reinforcement
    if power == CARTHAGE and record.port and record.region == SICILY:
        value += HAND
    return value


def taken(game: Game, side: Side, power: str, space: str, share: float | None = None) -> float:
    """Return what it is worth to a side that a power takes a space from who holds it.

    `share` is the rivalry with the holder, if it is known.
    """
    holder = game.control.get(space)
    share = rivalry(game, side, holder) if share is None else share
    denied = share * worth(game, holder, space) if holder is not None and share else 0.0
    own = worth(game, power, space) if power in game.board.powers_of[side] else 0.0
    return own + denied


@lru_cache(maxsize=1024)
def distances(board: Board, start: str) -> dict[str, int]:
    """Return the movement points by land from a space to those within reach of an army or two (9.2)."""
    costs = board.tables["movement"]["cost"]
    far = {start: 0}
    rim = [(0, start)]
    while rim:
        done, here = heappop(rim)
        for to, kind in board.neighbours[here].items():
            cost = done + int(costs[CLEAR if kind == APPIAN else kind])
            if cost <= 2 * NEAR and cost < far.get(to, FAR):
                far[to] = cost
                heappush(rim, (cost, to))
    return far


def hostile(game: Game, power: str) -> list[tuple[str, str, int]]:
    """Return the armies of powers that are no allies: power, space, CU."""
    return [
        (other, space, force.cu)
        for other in game.board.powers
        if not game.allied(power, other)
        for space, force in game.forces[other].items()
        if force.army
    ]


def threat(game: Game, power: str, space: str, enemies: list[tuple[str, str, int]]) -> int:
    """Return the CU of the largest enemy army that can come to a space by land (9.2).

    Those of a power without a player count half: it seldom acts.
    """
    board = game.board
    return max(
        (
            cu if board.powers[other].side is not None else cu // 2
            for other, at, cu in enemies
            if distances(board, at).get(space, FAR) <= NEAR
        ),
        default=0,
    )


# ---- what lasts until the turn is scored


class Comer(NamedTuple):
    """An enemy army that can still act before the turn is scored."""

    power: str
    cu: int
    tactics: int
    near: dict[str, int]
    """Movement points by land to the spaces around it."""
    fleet: int
    """CU that it can send by sea; 0: it cannot sail."""
    inland: int
    """Movement points that a voyage leaves it on land: to a port before it, or from one after it."""
    often: int
    """How often it is active, at most."""


class Lasting:
    """What lasts of what a power holds or takes, in one position."""

    def __init__(self, game: Game, side: Side, power: str) -> None:
        self.game, self.power = game, power
        two = len(game.board.seats.persons) == PAIR
        self._covets, self._passes = (COVETS_OF_TWO, PASSES_OF_TWO) if two else (COVETS, PASSES)
        self._armies = [
            comer
            for other in game.board.powers
            if not game.allied(power, other)
            if (times := replies(game, other, side))
            for comer in _comers(game, other, times)
        ]
        self._coming: dict[str, list[tuple[int, int, float, int]]] = {}

    def of(self, space: str, cu: int, tactics: int = 0) -> float:
        """Return the chance that some CU, or a marker without any, are still there when the turn is scored."""
        if space not in self._coming:
            self._coming[space] = self._to(space)
        friendly = self.game.friendly(self.power, space)
        stays = 1.0
        for most, skill, comes, often in self._coming[space]:
            own, enemy = Army(cu, tactics, None, friendly), Army(most, skill)
            lost = comes * beaten(self.game.board, own, enemy) if cu else comes
            stays *= (1.0 - lost) ** often
        return stays

    def _to(self, space: str) -> list[tuple[int, int, float, int]]:
        """Return each army that can come to a space: its CU and tactics, the chance that it does, and how often."""
        game = self.game
        record = game.board.spaces[space]
        wanted = (game.control.get(space), record.home)
        others = self._covets if record.victory or game.kind(space) != NORMAL else self._passes
        shore = coast(game.board).get(space, FAR)
        found = []
        for comer in self._armies:
            by_land = comer.near.get(space, FAR) <= game.board.powers[comer.power].points[1]
            most = comer.cu if by_land else comer.fleet if shore <= comer.inland else 0
            if most:
                each = WANTS if comer.power in wanted else others
                alone = game.board.powers[comer.power].side is None
                found.append((most, comer.tactics, each * (SELDOM if alone else 1.0), comer.often))
        return found


def replies(game: Game, power: str, own: Side) -> int:
    """Return how often a power is still active before the turn is scored; one without a player is led by anybody."""
    rounds = int(game.board.tables["rounds"])
    if game.phase != "action":
        return rounds
    side = game.board.powers[power].side
    waiting = side in game.to_act if side is not None else any(each != own for each in game.to_act)
    return rounds - game.round + waiting


def _comers(game: Game, power: str, times: int) -> list[Comer]:
    """Return the armies of a power as they can come to spaces (9.2, 9.6)."""
    board = game.board
    points = board.powers[power].points[1] - int(board.tables["movement"]["cost"]["sea"])
    by_sea = board.powers[power].side is not None and sails(game, power)
    found = []
    for at, force in game.forces[power].items():
        if not force.army:
            continue
        carries = _fleet(game, power, at) if by_sea else 0
        found.append(
            Comer(
                power,
                force.cu,
                board.leaders[force.leaders[0]].tactics,
                distances(board, at),
                min(force.cu, carries),
                points - coast(board).get(at, FAR),
                times,
            )
        )
    return found


def sails(game: Game, power: str) -> bool:
    """Tell whether a power has a fleet now, be it for its best cards only (9.6.3)."""
    return carried(game, Crossing(power, "", ""), DESPERATE_VALUE) > 0


def _fleet(game: Game, power: str, at: str) -> int:
    """Return the CU with which a voyage from a space is expected: with a rare card for half of them (9.6.3)."""
    usual = carried(game, Crossing(power, at, at), SAILS)
    return usual or (carried(game, Crossing(power, at, at), DESPERATE_VALUE) + 1) // 2


@lru_cache(maxsize=8)
def coast(board: Board) -> dict[str, int]:
    """Return the movement points from each port and each space next to one to the nearest port."""
    found = dict.fromkeys(board.ports, 0)
    for port in board.ports:
        for space, cost in distances(board, port).items():
            if cost <= 1:
                found[space] = min(cost, found.get(space, FAR))
    return found


@lru_cache(maxsize=4096)
def beaten(board: Board, own: Army, enemy: Army) -> float:
    """Return the chance that an enemy army attacks an own one and drives it out, if it comes."""
    likely = chance(board, enemy, own, Ground())
    return likely if likely >= DARES else 0.0


# ---- the map as a power sees it in one position


class Field:
    """What spaces are worth to a power; what takes long to compute is computed once."""

    def __init__(self, game: Game, side: Side, power: str) -> None:
        self.game, self.side, self.power = game, side, power
        there = sum(force.cu for _, force in game.everywhere(power))
        own = power in game.board.powers_of[side]
        self._risk = RISK * min(1.0, CU_OF_AN_ARMY / max(there, 1)) if own else 0.0
        self.lasting = Lasting(game, side, power)
        self._enemies = hostile(game, power)
        self._taken: dict[str, float] = {}
        self._rivalries: dict[str | None, float] = {}
        self._threats: dict[str, int] = {}
        self._held: dict[tuple[str, int, int], float] = {}

    def rivalry(self, holder: str | None) -> float:
        """Return what a loss of a power is worth to the side, as a part of what is lost."""
        if holder not in self._rivalries:
            self._rivalries[holder] = rivalry(self.game, self.side, holder)
        return self._rivalries[holder]

    def taken(self, space: str) -> float:
        """Return what it is worth to take a space."""
        if space not in self._taken:
            share = self.rivalry(self.game.control.get(space))
            self._taken[space] = taken(self.game, self.side, self.power, space, share)
        return self._taken[space]

    def threat(self, space: str) -> int:
        """Return the CU of the largest enemy army that can come to a space by land."""
        if space not in self._threats:
            self._threats[space] = threat(self.game, self.power, space, self._enemies)
        return self._threats[space]

    def tactics(self, force: Force) -> int:
        """Return the tactics of the commander of a force; 0: it has none (12.2.2)."""
        return self.game.board.leaders[force.leaders[0]].tactics if force.leaders else 0

    def held(self, space: str, cu: int, tactics: int = 0) -> float:
        """Return what so many CU in a space save or win there by standing there, without a battle."""
        key = space, cu, tactics
        if key not in self._held:
            self._held[key] = self._worth_of(space, cu, tactics)
        return self._held[key]

    def _worth_of(self, space: str, cu: int, tactics: int) -> float:
        game, power = self.game, self.power
        if not cu or game.board.spaces[space].kind == BOX:
            return 0.0
        stays = self.lasting.of(space, cu, tactics)
        at_risk = self._risk * cu * (1.0 - stays)
        if game.friendly(power, space):
            if game.control[space] != power:
                return -at_risk
            saved = stays - self.lasting.of(space, 0)
            if game.kind(space) == WALLED:
                return WALLS * (saved * worth(game, power, space) - at_risk)
            return (saved + REVOLTS * stays) * worth(game, power, space) - at_risk
        if game.allys_home(power, space):
            return VISIT
        if game.kind(space) == NORMAL:
            return stays * self.taken(space) - at_risk
        return self.siege(space, cu) * (1.0 + stays) / 2 - at_risk

    def siege(self, space: str, cu: int) -> float:
        """Return what a siege or a subjugation promises (13)."""
        game = self.game
        siege = game.sieges.get(space)
        level = siege.level if siege is not None and siege.by == self.power else 0
        if siege is not None and siege.by != self.power:
            return 0.0
        if cu < ARMY:
            return 0.1 * self.taken(space) if level else 0.0
        missing = max(1, needed(game, space) - level)
        holder = game.control.get(space)
        guards = game.garrison(holder, space).cu if holder is not None else 0
        return self.prize(space) * (LEVEL**missing) * (1.0 - 0.05 * guards)

    def prize(self, space: str) -> float:
        """Return what the fall of a city or a tribe is worth; who raids loots the city (14.4)."""
        game = self.game
        if game.board.powers[self.power].raids and game.kind(space) == WALLED and space in game.control:
            return max(1.0, self.taken(space))
        return self.taken(space)

    def needs_guard(self, space: str) -> bool:
        """Tell whether it is worth a CU to leave it in a space."""
        return self.held(space, 1) >= GUARDED
