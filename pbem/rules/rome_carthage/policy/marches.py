"""The bot's marches: against weak enemies, cities and markers, never into destruction (8, 10, 11, 16).

No rulebook prints the weights: they were found by playing against chance, and nothing but its play rests on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise
from typing import Final

from pbem.protocol import Side
from pbem.rules.rome_carthage.movement.activation import Split, home_of, why_not_activated
from pbem.rules.rome_carthage.movement.march_cards import why_barred
from pbem.rules.rome_carthage.movement.paths import closed, enemy_cu_at
from pbem.rules.rome_carthage.orders import Body
from pbem.rules.rome_carthage.policy.worth import CU, FAR, cards_in_battle, chance, gain, reach, worth_of_marker
from pbem.rules.rome_carthage.position.board import ALPS_PASS, ITALY, PASS, PLAIN
from pbem.rules.rome_carthage.position.generals import HANNIBAL, is_consul, may_be_in, may_command
from pbem.rules.rome_carthage.position.state import CAPITAL, ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.siege import is_enemy_city
from pbem.rules.rome_carthage.siege.walls import whole

NEAR: Final = 4
"""Movement points within which an enemy army is a threat."""
SURE: Final = 0.6
"""The chance of victory without which nobody is attacked."""
STEP: Final = 0.02
"""What a step costs: of two ways alike the shorter is taken."""
BATTLE_WON: Final = 0.9
"""What winning a battle is worth beside the units: the rout and its political consequences (11.10, 12.2)."""
CAPITAL_TAKEN: Final = 3.0
PASS_LOSS: Final = {PASS: 0.4, ALPS_PASS: 1.2}
"""CU that an army of ten loses on the way, more or less (8.3.2)."""
GENERAL_LOST: Final = 1.5
"""What Hannibal or Africanus is worth, who are out of the game once they are displaced (8.9)."""
LAST_LOSS: Final = 24.0
"""What Hannibal is worth where Rome wins with his displacement (8.9, 19)."""
WINTER: Final = 0.19
"""The share of an army on enemy ground that a winter costs (17)."""
NEARLY_WINTER: Final = 4
"""Cards in both hands when the winter is near."""
_FADES: Final = 0.88
"""What is a point further off is worth so much less."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A march and what it is worth; `body` is what an order to march says."""

    worth: float
    body: Body


class Marches:
    """The marches of a side in one position; what takes long to compute is computed once."""

    def __init__(self, game: Game, side: Side) -> None:
        self.game, self.side, self.enemy = game, side, ENEMY[side]
        self._plans: dict[tuple[str, int], list[Plan]] = {}

    @cached_property
    def goals(self) -> list[tuple[str, float]]:
        """Spaces that an army does well to be at, each with the worth of what it can take from there."""
        return list(_goals(self.game, self.side))

    @cached_property
    def armies(self) -> list[tuple[str, Stack]]:
        """The armies that the enemy may come with."""
        return [(space, stack) for space, stack in self.game.stacks[self.enemy].items() if stack.cu and stack.generals]

    def of(self, general: str, points: int) -> list[Plan]:
        """Return marches of a general with all he may take, one to each space he does well to be at, and sieges."""
        if (general, points) not in self._plans:
            self._plans[general, points] = list(self._of(general, points))
        return self._plans[general, points]

    def _of(self, general: str, points: int) -> Iterator[Plan]:
        game, side = self.game, self.side
        if why_not_activated(game, side, general) is not None:
            return
        start, stack = home_of(game, side, general)
        force = _force(game, stack, general)
        if force is None or not force.cu:
            return
        body = {"general": general, "cu": force.cu, "elephants": force.elephants, "with": force.generals[1:]}
        stays = Stack(stack.cu - force.cu, 0, [other for other in stack.generals if other not in force.generals])
        leaving = self._there(start, stays) - self._there(start, stack)
        for path in _ways(game, side, start, force, points).values():
            if _leaves_italy(game, start, path[-1], force):
                continue
            worth = self._arrival(start, path, force)
            if worth is not None and worth + leaving > 0:
                yield Plan(worth + leaving - STEP * len(path), {**body, "path": path})
        if (siege := _siege(game, side, start, force.cu)) > 0:
            yield Plan(siege, {**body, "path": []})

    def _arrival(self, start: str, path: list[str], force: Stack) -> float | None:
        """Return the value of a force's arrival at the end of a path; None: it must not be tried."""
        game, side, enemy, space = self.game, self.side, self.enemy, path[-1]
        ways = game.board.neighbours
        lost = sum(PASS_LOSS.get(ways[here][to], 0.0) for here, to in pairwise([start, *path]))
        worth = -CU * lost * force.cu / 10
        found = game.stack(enemy, space)
        if found.cu:
            wins = chance(cards_in_battle(game, side, space, force), cards_in_battle(game, enemy, space, found))
            if wins < SURE:
                return None
            worth += wins * (BATTLE_WON + CU * min(found.cu, 4)) - (1 - wins) * _defeat(game, force)
        else:
            worth += _siege(game, side, space, force.cu)
        own = whole(game, side, space)
        both = Stack(own.cu + force.cu, own.elephants + force.elephants, [*force.generals, *own.generals])
        return worth + self._there(space, both) - self._there(space, own)

    def _there(self, space: str, stack: Stack) -> float:
        """Return the value of an army in a space: what it may take from there, less its risk."""
        if not stack.cu:
            return -_open_city(self.game, self.side, space)
        return self._prize(space, stack) - self._peril(space, stack)

    def _prize(self, space: str, stack: Stack) -> float:
        """Return what an army may turn where it stands, and the best of the provinces that it may yet take (15.2)."""
        game = self.game
        if not stack.generals:
            return 0.0
        far = reach(game.board, space)
        here = 0.0
        if game.board.spaces[space].kind == PLAIN and game.control.get(space) == self.enemy and not game.truce:
            here = 0.5 * worth_of_marker(game, self.side, space)
        beyond = max((worth * _FADES ** far[goal] for goal, worth in self.goals if goal in far), default=0.0)
        return here + 1.4 * min(1.0, stack.cu / 6) * beyond

    def _peril(self, space: str, stack: Stack) -> float:
        """Return what an army may lose where it stands to those who can fall upon it, and to the winter (17)."""
        game, side, worth = self.game, self.side, 0.0
        far = reach(game.board, space)
        near = [(other, army) for other, army in self.armies if far.get(other, FAR) <= NEAR]
        own = cards_in_battle(game, side, space, stack) if near else 0
        for _, army in near:
            loses = chance(cards_in_battle(game, self.enemy, space, army), own)
            worth += max(0.0, loses - 0.3) * _defeat(game, stack) * 0.6
        if game.control.get(space) == self.enemy or game.unfriendly_tribe(side, space):
            worth += CU * stack.cu * WINTER * (0.4 if sum(map(len, game.hands.values())) > NEARLY_WINTER else 1.0)
        return worth


def _leaves_italy(game: Game, start: str, end: str, force: Stack) -> bool:
    """Tell whether a march would take a consul out of Italy: he defends it, the proconsul goes abroad (6.4)."""
    region = {space: game.board.spaces[space].region for space in (start, end)}
    return region[start] == ITALY != region[end] and any(is_consul(game, general) for general in force.generals)


def _defeat(game: Game, stack: Stack) -> float:
    """Return what an army loses by a lost battle: units, markers, and perhaps a general who never returns (8.9, 12)."""
    gone = sum(
        LAST_LOSS if game.options["hannibal_displaced"] == "rome_wins" and general == HANNIBAL else GENERAL_LOST
        for general in stack.generals
        if general == HANNIBAL or not game.board.generals[general].returns
    )
    return BATTLE_WON + CU * min(stack.cu, 6) + gone * min(1.0, 3 / stack.cu)


def _force(game: Game, stack: Stack, general: str) -> Stack | None:
    """Return all that a general may take along, no consul left too weak; None: he may not leave (8.6, 14.2)."""
    companions = [other for other in stack.generals if other != general and may_command(game, general, (other,))]
    for taken in (companions, []):
        split = Split(game, stack, general, taken)
        for cu in range(min(stack.cu, game.board.movement.cu), 0, -1):
            if split.why_not_marching(cu) is None and split.why_not_led() is None:
                return Stack(cu, stack.most_elephants(cu), [general, *taken])
    return None


def _ways(game: Game, side: Side, start: str, force: Stack, points: int) -> dict[str, list[str]]:
    """Return the cheapest path to every space in reach that does not lead through the enemy (8.2, 8.3)."""
    board, enemy = game.board, ENEMY[side]
    best: dict[str, list[str]] = {}
    rim: list[tuple[int, list[str], str]] = [(0, [], start)]
    while rim:
        spent, path, here = heappop(rim)
        if here in best:
            continue
        best[here] = path
        if here != start and game.stack(enemy, here).cu:
            continue
        for to, cost, shut in board.steps[here]:
            if to in best or spent + cost > points or (shut and closed(game, side, here, to)):
                continue
            if why_barred(game, side, force.cu, here, to) is None and all(
                may_be_in(game, general, to) for general in force.generals
            ):
                heappush(rim, (spent + cost, [*path, to], to))
    del best[start]
    return best


def _siege(game: Game, side: Side, space: str, cu: int) -> float:
    """Return what a siege or subjugation roll there is worth to an army of so many CU (16.4)."""
    record = game.board.spaces[space]
    city = is_enemy_city(game, side, space)
    if cu < game.board.siege.cu or game.truce or not (city or game.unfriendly_tribe(side, space)):
        return 0.0
    prize = CAPITAL_TAKEN if space in CAPITAL.values() else worth_of_marker(game, side, space) + 0.3 * city
    hard = 0.35 if record.siege_modifier else 0.5 if city else 0.4
    return prize * hard * (0.5 + 0.3 * game.siege_points.get(space, 0))


def _goals(game: Game, side: Side) -> Iterator[tuple[str, float]]:
    """Yield spaces that an army does well to be at, each with the worth of what it can take from there."""
    enemy = ENEMY[side]
    for province in game.board.provinces.values():
        mine = sum(game.control.get(space) == side for space in province.spaces)
        need = province.majority - mine
        if need <= 0:
            continue
        theirs = [space for space in province.spaces if game.control.get(space) == enemy]
        worth = gain(game, side, province.id, need, min(need, len(theirs)))
        for space in theirs:
            if not enemy_cu_at(game, side, space):
                hard = 0.5 if game.board.spaces[space].kind != PLAIN else 1.0
                yield space, worth * hard / (1 + 0.5 * (need - 1))


def _open_city(game: Game, side: Side, space: str) -> float:
    """Return what it costs to leave the capital to an enemy who is near (19)."""
    if space != CAPITAL[side]:
        return 0.0
    far = reach(game.board, space)
    near = sum(
        stack.cu
        for other, stack in game.stacks[ENEMY[side]].items()
        if stack.generals and far.get(other, FAR) <= 2 * NEAR
    )
    return 0.1 * near
