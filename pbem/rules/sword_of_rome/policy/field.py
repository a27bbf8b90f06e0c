"""The map as a power sees it in one position: what spaces are worth to it, taken or held until the turn is scored.

A marker counts when the turn is scored, not before. Whoever takes a space early therefore asks who takes it back:
`Lasting` knows who can still come to a space, how often, and whether he would win (5.4, 5.6).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from pbem.protocol import Side
from pbem.rules.sword_of_rome.battle.odds import Army, Ground
from pbem.rules.sword_of_rome.movement.voyages import Crossing, carried
from pbem.rules.sword_of_rome.policy.worth import (
    ARMY,
    FAR,
    PAIR,
    chance,
    distances,
    hostile,
    rivalry,
    taken,
    threat,
    worth,
)
from pbem.rules.sword_of_rome.position.board import BOX, DESPERATE_VALUE, NORMAL, WALLED, Board
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.siege.siege import needed

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
            lost = comes * beaten(self.game.board, cu, tactics, most, skill, friendly) if cu else comes
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
def beaten(board: Board, cu: int, tactics: int, other: int, skill: int, friendly: bool) -> float:
    """Return the chance that an enemy army attacks some CU and drives them out, if it comes."""
    likely = chance(board, Army(other, skill), Army(cu, tactics, None, friendly), Ground())
    return likely if likely >= DARES else 0.0


# ---- the map


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
