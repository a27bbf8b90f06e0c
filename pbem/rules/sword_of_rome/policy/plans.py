"""Plans of the bot: what it wants of a march, and how far it reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Final, NamedTuple

from pbem.protocol import Side
from pbem.rules.sword_of_rome.battle.odds import Army, Ground, automatic_winner
from pbem.rules.sword_of_rome.movement.parts import ASK, ATTACK_UNREST, Body, companies
from pbem.rules.sword_of_rome.movement.paths import ally_inside
from pbem.rules.sword_of_rome.movement.voyages import Crossing, carried
from pbem.rules.sword_of_rome.policy.worth import ARMY, Field, army, chance, sails, worth
from pbem.rules.sword_of_rome.position.board import (
    APPIAN,
    CARTHAGE,
    CLEAR,
    CONSUL,
    DIFFICULT,
    GARRISON_BOX,
    NORMAL,
    SEA,
    WALLED,
)
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.siege.siege import needed, why_not_roll

# ---- The ways of a march: where a force can get with its points, by land and by sea, and by which path (9.2, 9.6)


class Way(NamedTuple):
    """A way to a space: the points it takes, its steps, the last kind of path, and the CU that can take it."""

    cost: int
    steps: tuple[tuple[str, str], ...]
    """Each space with the kind of the path, or `sea`."""
    kind: str
    most: int

    @property
    def came_from(self) -> str | None:
        """The space before the last one; None: it has none, or lies at the start."""
        return self.steps[-2][0] if len(self.steps) > 1 else None


class Start(NamedTuple):
    """Where a march begins: the space, the movement points, and the value of the card."""

    space: str
    points: int
    value: int


def ways_within_reach(game: Game, power: str, begins: Start, cu: int) -> Mapping[str, Way]:
    """Return the cheapest way to every space within reach of a force, its own space left out.

    No way leads on through enemy CU, from there the force would fight.
    """
    board, (start, points, value) = game.board, begins
    costs = board.tables["movement"]["cost"]
    enemies = {
        space for other in board.powers if not game.allied(power, other) for space, force in game.forces[other].items()
    }
    own = _ships(game, power) if game.is_harbour(power, start) else 0
    found: dict[str, Way] = {}
    rim: list[tuple[int, str, Way]] = [(0, start, Way(0, (), CLEAR, cu))]
    while rim:
        done, here, way = heappop(rim)
        if here in found:
            continue
        found[here] = way
        if here in enemies and here != start:
            continue
        for to in board.neighbours[here]:
            kind = board.path(power, here, to) or CLEAR
            cost = done + int(costs[CLEAR if kind == APPIAN else kind])
            if to not in found and cost <= points:
                heappush(rim, (cost, to, Way(cost, (*way.steps, (to, kind)), kind, way.most)))
        cost = done + int(costs[SEA])
        if cost <= points and game.is_harbour(power, here):
            for to in game.harbours(power):
                if to in found or to == here:
                    continue
                most = min(way.most, max(carried(game, Crossing(power, here, to), value), own))
                if most:
                    heappush(rim, (cost, to, Way(cost, (*way.steps, (to, SEA)), SEA, most)))
    del found[start]
    return found


def _ships(game: Game, power: str) -> int:
    """Return the CU that an event in the own hand can carry (9.6.3)."""
    side = game.board.powers[power].side
    told = [
        effect["sail"]
        for card in (game.hands[side] if side is not None else ())
        if card in game.board.cards
        for effect in game.board.cards[card].effects
        if "sail" in effect
    ]
    return max((each["cu"] for each in told if each["power"] == power), default=0)


# ---- The plans of a leader: where he does well to march, and what that is worth to his side (9 to 14)


STEP: Final = 0.02
"""The cost of a movement point: of two ways alike the shorter is taken."""
BATTLE_WON: Final = 0.7
"""The worth of a battle won: what the enemy loses beyond the winner, and the points (12.3, 12.5)."""
BATTLE_LOST: Final = 1.6
"""The cost of a battle lost: units, the rout, and the points of the enemy."""
BEAT: Final = 0.7
"""The chance of victory without which nobody is attacked."""
POINT_BY_ROLL: Final = 21 / 36
"""The chance of a siege point or a raid, by the table (13.2)."""
GALLIC_ROLL: Final = 15 / 36
"""The same with the modifier of the Gauls before a city (13.2)."""
MARKER: Final = 0.5
"""A marker on the plunder track: a fifth of a VP, and all that raiders can win (4.1.2, 14.1)."""
RAID_COST: Final = 0.05
"""The CU that a raid costs, by the table (13.2)."""
TRIES: Final = 3
"""Raids of one space that are thought of: each is the last if it succeeds."""
UNREST_POINT: Final = 0.5
"""A point of unrest, which costs cards and VP turn by turn (S 20.2)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A march, or a siege roll, and its worth; `body` is the order to march."""

    worth: float
    body: Body


class Plans:
    """The plans of the leaders of a power in one position."""

    def __init__(self, game: Game, side: Side, power: str) -> None:
        self.game, self.side, self.power = game, side, power
        self.board = game.board
        self.field = Field(game, side, power)
        self._found: dict[tuple[str, int, int], list[Plan]] = {}
        self._arrivals: dict[tuple[tuple[str, ...], int, str, str], float | None] = {}
        self._by_sea = sails(game, power)

    # ---- plans

    def of(self, leader: str, points: int, value: int) -> list[Plan]:
        """Return the plans of a leader who stands somewhere, the best first."""
        key = leader, points, value if self._by_sea else 0  # on land the value of the card counts by its points alone
        if key not in self._found:
            self._found[key] = sorted(self._of(leader, points, value), key=lambda plan: -plan.worth)
        return self._found[key]

    def _of(self, leader: str, points: int, value: int) -> Iterator[Plan]:
        game, power = self.game, self.power
        start = game.where(leader)
        if start is None:
            return
        stack = game.force(power, start)
        if leader not in stack.leaders:
            yield from self._sortie(leader, start)
            return
        force = self._force(stack, leader, start)
        if force is None:
            return
        if stack.leaders[0] == leader and why_not_roll(game, power, start) is None:
            yield self._roll(start)
        yield from self._unrest(force, start, points)
        others = [each for each in force.leaders if each != leader]
        body: dict[str, object] = {"cu": force.cu, "with": others}
        if stack.mercenaries:
            kept = stack.cu - force.cu
            force.mercenaries = max(0, stack.mercenaries - kept)
            body["mercenaries"] = force.mercenaries
        marches = list(self._marches(force, Start(start, points, value), stack, body))
        if self._raidable(start) and points:
            yield self._raid_and_go(force, start, points, {**body, "raid": 1, "then": ASK}, marches)
        yield from (plan for _, plan in marches)

    def _force(self, stack: Force, leader: str, start: str) -> Force | None:
        """Return what a leader takes along: as much as can go, but guards and what other consuls must keep (9.1)."""
        game, leaders = self.game, self.board.leaders
        others = max(companies(game, stack, leader), key=len)
        staying = [each for each in stack.leaders if each != leader and each not in others]
        kept = sum(leaders[each].role == CONSUL for each in staying)
        most = int(self.board.tables["movement"]["cu"])
        if stack.cu > 2 and self.field.needs_guard(start):
            kept = max(kept, 1)
        cu = min(most, stack.cu - kept)
        return Force(cu, 0, [leader, *others]) if cu > 0 else None

    def _sortie(self, leader: str, space: str) -> Iterator[Plan]:
        """Yield the attack on the besiegers, if it is likely to win (13.4.1)."""
        game, power = self.game, self.power
        inside, enemies = game.garrison(power, space), game.enemies_in(power, space)
        if not inside.cu or not enemies:
            return
        enemy = game.force(enemies[0], space)
        likely = chance(self.board, army(game, power, space, inside), army(game, enemies[0], space, enemy), Ground())
        if likely >= BEAT:
            yield Plan(likely * (BATTLE_WON + worth(game, power, space)) - (1 - likely) * BATTLE_LOST, {"sortie": True})

    def _roll(self, space: str) -> Plan:
        """Return the plan of a siege roll (13.1.1)."""
        game = self.game
        missing = max(1, needed(game, space) - game.sieges[space].level)
        point = GALLIC_ROLL if self.board.powers[self.power].siege and game.kind(space) == WALLED else POINT_BY_ROLL
        return Plan(self.field.prize(space) * point / missing**0.5 + 0.05, {"roll": True})

    def _unrest(self, force: Force, start: str, points: int) -> Iterator[Plan]:
        """Yield the voyage to the Garrison box with an attack on the unrest (S 20.3)."""
        game, costs = self.game, self.board.tables["movement"]["cost"]
        if self.power != CARTHAGE or game.unrest < 2 or not self.board.spaces[start].port:
            return
        if points < costs[SEA] + costs["unrest"] or self.field.threat(start) or force.cu < game.unrest:
            return
        gain = unrest_gain(game, force.cu, self.board.leaders[force.leaders[0]].tactics)
        path = [{"to": GARRISON_BOX, "by": SEA}]
        body = {"cu": force.cu, "with": force.leaders[1:], "path": path, "then": ATTACK_UNREST}
        yield Plan(gain - self.field.held(start, force.cu), body)

    # ---- marches

    def onward(self) -> list[Plan]:
        """Return what the force under way does next, the best first: raids, further steps, or nothing (9.1, 14.2)."""
        game = self.game
        march = game.the_march
        force, at = march.force, march.at
        value = game.card.value if game.card is not None else 0
        guard = force.cu > ARMY and self.field.needs_guard(at)
        moving = replace(force, cu=force.cu - guard)
        marches = list(self._marches(moving, Start(at, march.points, value), force, {}))
        found = [Plan(0.0, {"then": "stop"})]
        if self._raidable(at) and march.points >= 1:
            found.append(self._raid_and_go(force, at, march.points, {"raid": 1, "then": ASK}, marches))
        for _, plan in marches:
            path = [dict(step) for step in plan.body["path"]]
            if guard:
                path[0]["drop"] = {"cu": 1, **({"mercenaries": 0} if force.cu > force.mercenaries else {})}
            found.append(Plan(plan.worth, {"path": path, "then": plan.body["then"]}))
        return sorted(found, key=lambda plan: -plan.worth)

    def _marches(
        self, force: Force, begins: Start, there: Force, body: dict[str, object]
    ) -> Iterator[tuple[int, Plan]]:
        """Yield the marches of a force that are no folly, with their points; `there` is all that stood at its start."""
        at = begins.space
        stays = self.field.held(at, there.cu, self.field.tactics(there))
        for to, way in ways_within_reach(self.game, self.power, begins, force.cu).items():
            going = force
            if way.most < force.cu:
                going = replace(force, cu=way.most, mercenaries=min(force.mercenaries, way.most))
            arrives = self._arrival(going, to, way.kind) if going.cu >= min(force.cu, ARMY) else None
            if arrives is None:
                continue
            if self._raidable(to) and not self.game.enemies_in(self.power, to):
                arrives += self._raids(force, to, begins.points - way.cost)
            left = self.field.held(at, there.cu - going.cu) - stays
            yield way.cost, Plan(arrives + left - STEP * way.cost, self._body(way, going, force, body))

    def _body(self, way: Way, going: Force, force: Force, body: dict[str, object]) -> Body:
        """Return the order to take a way with a force, or with the part of it that the fleet carries."""
        path = [{"to": space, **({"by": SEA} if kind == SEA else {})} for space, kind in way.steps]
        told = {**body, "path": path, "then": ASK if self.board.powers[self.power].raids else "stop"}
        if body and going is not force:
            told["cu"] = going.cu
            if "mercenaries" in body:
                told["mercenaries"] = going.mercenaries
        return told

    def _arrival(self, force: Force, to: str, path: str) -> float | None:
        """Return what it is worth that a force arrives in a space by a kind of path; None: it had better not (9.4, 12).

        Raids with the points that are left come on top.
        """
        key = tuple(force.leaders), force.cu, to, path
        if key not in self._arrivals:
            self._arrivals[key] = self._worth_of(force, to, path)
        return self._arrivals[key]

    def _worth_of(self, force: Force, to: str, path: str) -> float | None:
        game, power = self.game, self.power
        present = game.present(to)
        if to == GARRISON_BOX or any(other != power and game.allied(power, other) for other in present):
            return None
        enemies = game.enemies_in(power, to) if present else []
        if enemies:
            return self._battle(force, to, path, enemies[0]) if ally_inside(game, power, to) is None else None
        there = game.force(power, to)
        now = self.field.held(to, there.cu, self.field.tactics(there))
        return self.field.held(to, force.cu + there.cu, self.field.tactics(force)) - now

    def _battle(self, force: Force, to: str, path: str, enemy: str) -> float | None:
        """Return what an attack is worth; None: it is likely to be lost."""
        game, power = self.game, self.power
        if self.board.powers[enemy].side in self.board.seats_of(self.side):
            return None
        defenders = game.force(enemy, to)
        shut_in = game.kind(to) == WALLED and game.control.get(to) == enemy and defenders.cu <= ARMY
        if shut_in and to not in game.inside:
            return self.field.siege(to, force.cu)
        ground = Ground(path in DIFFICULT)
        likely = chance(self.board, army(game, power, to, force), army(game, enemy, to, defenders), ground)
        if likely < BEAT + (0.15 if ground.difficult else 0.0):
            return None
        own = power in self.board.powers_of[self.side]
        hurt = self.field.rivalry(enemy) + (0.1 if own else 0.0)
        spoils = BATTLE_WON * min(1.0, defenders.cu / 4) * (1.0 if own else 2 * hurt)
        rescue = 0.6 * worth(game, power, to) if game.control.get(to) == power and to in game.sieges else 0.0
        after = self.field.held(to, max(1, force.cu - 1), self.field.tactics(force)) + rescue
        return likely * (spoils + after) - (1 - likely) * (BATTLE_LOST if own else 0.2)

    def _raidable(self, space: str) -> bool:
        game = self.game
        holder = game.control.get(space)
        return (
            self.board.powers[self.power].raids
            and holder is not None
            and game.kind(space) == NORMAL
            and not game.allied(self.power, holder)
        )

    def _raid_and_go(
        self, force: Force, space: str, points: int, body: dict[str, object], marches: list[tuple[int, Plan]]
    ) -> Plan:
        """Return the plan to raid a space, and then to go where the points that are left lead."""
        after = max((plan.worth for cost, plan in marches if cost < points), default=0.0)
        return Plan(self._raids(force, space, points) + max(0.0, after), body)

    def _raids(self, force: Force, space: str, points: int) -> float:
        """Return what it is worth to raid a space with the points that are left (14.2)."""
        game = self.game
        holder = game.control[space]
        if force.cu < 2:
            return 0.0
        one = MARKER if self.board.powers[self.power].side is not None else MARKER * self.field.rivalry("gauls")
        prize = one + self.field.rivalry(holder) * worth(game, holder, space)
        tries = min(points, TRIES)
        return prize * (1 - (1 - POINT_BY_ROLL) ** tries) - RAID_COST * tries


def unrest_gain(game: Game, cu: int, tactics: int) -> float:
    """Return what an attack on the unrest is worth to Carthage: an automatic victory ends all of it (S 20.3)."""
    own, other = Army(cu, tactics), Army(game.unrest)
    if automatic_winner(game.board, own, other) == "attacker":
        return UNREST_POINT * game.unrest
    likely = chance(game.board, own, other, Ground())
    return UNREST_POINT * (likely * min(game.unrest, 2) - (1 - likely))


def unrest_chance(game: Game, cu: int, tactics: int) -> float:
    """Return the chance to beat the unrest (S 20.3)."""
    return chance(game.board, Army(cu, tactics), Army(game.unrest), Ground())
