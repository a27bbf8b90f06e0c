"""The plans of a leader: where he does well to march, and what that is worth to his side (9 to 14)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from pbem.protocol import Side
from pbem.rules.sword_of_rome.battle.odds import Army, Ground, automatic_winner
from pbem.rules.sword_of_rome.movement.orders import ASK, ATTACK_UNREST, Body
from pbem.rules.sword_of_rome.movement.parts import companies
from pbem.rules.sword_of_rome.movement.paths import ally_inside
from pbem.rules.sword_of_rome.policy.reach import Way, ways
from pbem.rules.sword_of_rome.policy.worth import (
    ARMY,
    army,
    chance,
    hostile,
    rivalry,
    taken,
    threat,
    worth,
)
from pbem.rules.sword_of_rome.position.board import (
    BOX,
    CARTHAGE,
    CONSUL,
    DIFFICULT,
    GARRISON_BOX,
    NORMAL,
    SEA,
    WALLED,
)
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege.siege import needed, why_not_roll

STEP: Final = 0.02
"""The cost of a movement point: of two ways alike the shorter is taken."""
WON: Final = 0.75
"""The worth of a battle won: what the enemy loses beyond the winner, and the points (12.3, 12.5)."""
LOST: Final = 1.6
"""The cost of a battle lost: units, the rout, and the points of the enemy."""
BEAT: Final = 0.7
"""The chance of victory without which nobody is attacked."""
HOLD: Final = 0.95
"""The part of its worth that an army saves by standing where an enemy can come."""
HOLD_AMONG_FIVE: Final = 0.35
"""The same with five players, where Carthage comes by sea and loses most by waiting."""
FIVE: Final = 5
OPEN: Final = 2.0
"""How much more of it saves without walls, where a space falls to whoever stands there as a turn ends (5.6)."""
GUARDED: Final = 0.5
"""The part of its worth from which a space is left a guard."""
ROLL: Final = 21 / 36
"""The chance of a siege point or a raid, by the table (13.2)."""
GALLIC_ROLL: Final = 15 / 36
"""The same with the modifier of the Gauls before a city (13.2)."""
MARKER: Final = 0.5
"""A marker on the plunder track: a fifth of a VP, and all that raiders can win (4.1.2, 14.1)."""
RAID_COST: Final = 0.02
UNREST: Final = 0.5
"""A point of unrest, which costs cards and VP turn by turn (S 20.2)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A march, or a siege roll, and its worth; `body` is the order to march."""

    worth: float
    body: Body


class Field:
    """The map as the plans of one power see it in one position; what takes long to compute is computed once."""

    def __init__(self, game: Game, side: Side, power: str) -> None:
        self.game, self.side, self.power = game, side, power
        self.board = game.board
        self.enemies = hostile(game, power)
        self._taken: dict[str, float] = {}
        self._rivalries: dict[str | None, float] = {}
        self._threats: dict[str, int] = {}
        self._plans: dict[tuple[str, int, int], list[Plan]] = {}
        rounds = int(self.board.tables["rounds"])
        self.hold = HOLD_AMONG_FIVE if self.board.seats.players == FIVE else HOLD
        self.settled = 0.55 + 0.45 * (game.round or rounds) / rounds
        """How surely what is occupied now is still held when the turn is scored."""
        self.late = 0.3 + 0.7 * (game.round or rounds) / rounds
        """How urgent it is to stand where an enemy can come: early in a turn there is time to come back."""

    # ---- what spaces are worth

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
        """Return the CU of the largest enemy army that can come to a space."""
        if space not in self._threats:
            self._threats[space] = threat(self.game, self.power, space, self.enemies)
        return self._threats[space]

    def held(self, space: str, cu: int) -> float:
        """Return what so many CU in a space save or win there by standing there, without a battle."""
        game, power = self.game, self.power
        if not cu or self.board.spaces[space].kind == BOX:
            return 0.0
        if game.friendly(power, space):
            if game.control[space] != power:
                return 0.0
            danger = self.threat(space)
            if not danger:
                return 0.0
            saved = (1.0 if game.kind(space) == WALLED else OPEN) * self.hold * self.late
            return saved * worth(game, power, space) * min(1.0, cu / danger)
        kind = game.kind(space)
        home = self.board.spaces[space].home
        if home is not None and home != power and game.allied(power, home):
            return 0.1
        if kind == NORMAL:
            return self.settled * self.taken(space)
        return self._siege(space, cu)

    def _siege(self, space: str, cu: int) -> float:
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
        return self._prize(space) * (0.75**missing) * (1.0 - 0.05 * guards)

    def _prize(self, space: str) -> float:
        """Return what the fall of a city or a tribe is worth; who raids loots the city (14.4)."""
        game = self.game
        if self.board.powers[self.power].raids and game.kind(space) == WALLED and space in game.control:
            return max(1.0, self.taken(space))
        return self.taken(space)

    # ---- plans

    def of(self, leader: str, points: int, value: int) -> list[Plan]:
        """Return the plans of a leader who stands somewhere, the best first."""
        key = leader, points, value
        if key not in self._plans:
            found = sorted(self._of(leader, points, value), key=lambda plan: -plan.worth)
            self._plans[key] = found
        return self._plans[key]

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
        stays = self.held(start, stack.cu)
        others = [each for each in force.leaders if each != leader]
        body: dict[str, Any] = {"cu": force.cu, "with": others}
        if stack.mercenaries:
            kept = stack.cu - force.cu
            force.mercenaries = max(0, stack.mercenaries - kept)
            body["mercenaries"] = force.mercenaries
        left = self.held(start, stack.cu - force.cu) - stays
        if self._raidable(start) and points:
            yield self._raids(force, start, points, {**body, "raid": 1, "then": ASK})
        for to, way in ways(game, power, start, points, value, force.cu).items():
            if to != GARRISON_BOX:
                yield from self._march(force, to, way, points, left, body)

    def _force(self, stack: Force, leader: str, start: str) -> Force | None:
        """Return what a leader takes along: as much as can go, but guards and what other consuls must keep (9.1)."""
        game, leaders = self.game, self.board.leaders
        others = max(companies(game, stack, leader), key=len)
        staying = [each for each in stack.leaders if each != leader and each not in others]
        kept = sum(leaders[each].role == CONSUL for each in staying)
        most = int(self.board.tables["movement"]["cu"])
        if stack.cu > 2 and self._needs_guard(start):
            kept = max(kept, 1)
        cu = min(most, stack.cu - kept)
        return Force(cu, 0, [leader, *others]) if cu > 0 else None

    def _needs_guard(self, space: str) -> bool:
        game = self.game
        if game.friendly(self.power, space):
            return game.control[space] == self.power and worth(game, self.power, space) >= GUARDED
        return game.kind(space) == NORMAL and self.taken(space) >= GUARDED

    def _sortie(self, leader: str, space: str) -> Iterator[Plan]:
        """Yield the attack on the besiegers, if it is likely to win (13.4.1)."""
        game, power = self.game, self.power
        inside, enemies = game.garrison(power, space), game.enemies_in(power, space)
        if not inside.cu or not enemies:
            return
        enemy = game.force(enemies[0], space)
        likely = chance(self.board, army(game, power, space, inside), army(game, enemies[0], space, enemy), Ground())
        if likely >= BEAT:
            yield Plan(likely * (WON + worth(game, power, space)) - (1 - likely) * LOST, {"sortie": True})

    def _roll(self, space: str) -> Plan:
        """Return the plan of a siege roll (13.1.1)."""
        game = self.game
        missing = max(1, needed(game, space) - game.sieges[space].level)
        point = GALLIC_ROLL if self.board.powers[self.power].siege and game.kind(space) == WALLED else ROLL
        return Plan(self._prize(space) * point / missing**0.5 + 0.05, {"roll": True})

    def _unrest(self, force: Force, start: str, points: int) -> Iterator[Plan]:
        """Yield the voyage to the Garrison box with an attack on the unrest (S 20.3)."""
        game, costs = self.game, self.board.tables["movement"]["cost"]
        at_box = start == GARRISON_BOX
        if self.power != CARTHAGE or game.unrest < 2 or not (at_box or self.board.spaces[start].port):
            return
        if at_box or points < costs[SEA] + costs["unrest"] or self.threat(start) or force.cu < game.unrest:
            return
        gain = unrest_gain(game, force.cu, self.board.leaders[force.leaders[0]].tactics)
        path = [{"to": GARRISON_BOX, "by": SEA}]
        body = {"cu": force.cu, "with": force.leaders[1:], "path": path, "then": ATTACK_UNREST}
        yield Plan(gain - self.held(start, force.cu), body)

    # ---- marches

    def onward(self) -> list[Plan]:
        """Return what the force under way does next, the best first: raids, further steps, or nothing (9.1, 14.2)."""
        game = self.game
        march = game.the_march
        force, at = march.force, march.at
        value = game.card.value if game.card is not None else 0
        found = [Plan(0.0, {"then": "stop"})]
        if self._raidable(at) and march.points >= 1:
            found.append(self._raids(force, at, march.points, {"raid": 1, "then": ASK}))
        guard = force.cu > ARMY and self._needs_guard(at)
        moving = replace(force, cu=force.cu - guard)
        left = self.held(at, int(guard)) - self.held(at, force.cu)
        for to, way in ways(game, self.power, at, march.points, value, moving.cu).items():
            if to != GARRISON_BOX:
                for plan in self._march(moving, to, way, march.points, left, {}):
                    path = [dict(step) for step in plan.body["path"]]
                    if guard:
                        path[0]["drop"] = {"cu": 1, **({"mercenaries": 0} if force.cu > force.mercenaries else {})}
                    found.append(Plan(plan.worth, {"path": path, "then": plan.body["then"]}))
        return sorted(found, key=lambda plan: -plan.worth)

    def _march(self, force: Force, to: str, way: Way, points: int, left: float, body: dict[str, Any]) -> Iterator[Plan]:
        """Yield the plan to march to a space, if it is no folly."""
        going = replace(force, cu=min(force.cu, way.most), mercenaries=min(force.mercenaries, way.most))
        if going.cu < force.cu and going.cu < ARMY:
            return
        value = self._arrival(going, to, way, points)
        if value is None:
            return
        path = [{"to": space, **({"by": SEA} if kind == SEA else {})} for space, kind in way.steps]
        told = {**body, "path": path, "then": ASK if self.board.powers[self.power].raids else "stop"}
        if body and going.cu < force.cu:
            told["cu"] = going.cu
            if "mercenaries" in body:
                told["mercenaries"] = min(going.cu, body["mercenaries"])
        yield Plan(value + left - STEP * way.cost, told)

    def _arrival(self, force: Force, to: str, way: Way, points: int) -> float | None:
        """Return what it is worth that a force arrives in a space; None: it had better not (9.4, 12, 13, 14)."""
        game, power = self.game, self.power
        enemies = game.enemies_in(power, to)
        if any(other != power and game.allied(power, other) for other in game.present(to)):
            return None
        if enemies and ally_inside(game, power, to) is not None:
            return None
        there = game.force(power, to).cu
        if enemies:
            return self._battle(force, to, way, enemies[0])
        value = self.held(to, force.cu + there) - self.held(to, there)
        left = points - way.cost
        if self._raidable(to) and left:
            value = max(value, self._raids(force, to, left, {}).worth)
        return value - self._danger(force.cu + there, to)

    def _battle(self, force: Force, to: str, way: Way, enemy: str) -> float | None:
        """Return what an attack is worth; None: it is likely to be lost."""
        game, power = self.game, self.power
        if self.board.powers[enemy].side in self.board.seats_of(self.side):
            return None
        defenders = game.force(enemy, to)
        shut_in = game.kind(to) == WALLED and game.control.get(to) == enemy and defenders.cu <= ARMY
        if shut_in and to not in game.inside:
            return self._siege(to, force.cu) - self._danger(force.cu, to)
        ground = Ground(way.kind in DIFFICULT)
        likely = chance(self.board, army(game, power, to, force), army(game, enemy, to, defenders), ground)
        if likely < BEAT + (0.15 if ground.difficult else 0.0):
            return None
        own = power in self.board.powers_of[self.side]
        hurt = self.rivalry(enemy) + (0.1 if own else 0.0)
        spoils = WON * min(1.0, defenders.cu / 4) * (1.0 if own else 2 * hurt)
        rescue = 0.6 * worth(game, power, to) if game.control.get(to) == power and to in game.sieges else 0.0
        after = self.held(to, max(1, force.cu - 1)) + rescue
        return likely * (spoils + after) - (1 - likely) * (LOST if own else 0.2)

    def _danger(self, cu: int, to: str) -> float:
        """Return what may be lost to a larger enemy army near by."""
        if self.board.powers[self.power].side is None:
            return 0.0
        enemy = self.threat(to)
        return 0.05 * cu * min(1.0, (enemy - cu) / max(cu, 1)) if enemy > cu else 0.0

    def _raidable(self, space: str) -> bool:
        game = self.game
        holder = game.control.get(space)
        return (
            self.board.powers[self.power].raids
            and holder is not None
            and game.kind(space) == NORMAL
            and not game.allied(self.power, holder)
        )

    def _raids(self, force: Force, space: str, points: int, body: dict[str, Any]) -> Plan:
        """Return the plan to raid a space with the points that are left (14.2)."""
        game = self.game
        holder = game.control[space]
        one = MARKER if self.board.powers[self.power].side is not None else MARKER * self.rivalry("gauls")
        prize = one + self.rivalry(holder) * worth(game, holder, space)
        tries = min(points, 3)
        value = prize * (1 - (1 - ROLL) ** tries) + 0.1 * (points > tries)
        return Plan(value - RAID_COST * tries if force.cu > 1 else 0.0, body)


def unrest_gain(game: Game, cu: int, tactics: int) -> float:
    """Return what an attack on the unrest is worth to Carthage: an automatic victory ends all of it (S 20.3)."""
    own, other = Army(cu, tactics), Army(game.unrest)
    if automatic_winner(game.board, own, other) == "attacker":
        return UNREST * game.unrest
    likely = chance(game.board, own, other, Ground())
    return UNREST * (likely * min(game.unrest, 2) - (1 - likely))


def unrest_chance(game: Game, cu: int, tactics: int) -> float:
    """Return the chance to beat the unrest (S 20.3)."""
    return chance(game.board, Army(cu, tactics), Army(game.unrest), Ground())
