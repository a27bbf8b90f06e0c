"""Activating a general: who may march on a card, with what force, on which path (8.1 to 8.7, 14.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

from pbem.protocol import Fault, Order, Side
from pbem.rules.rome_carthage.board import WALLED_CITY
from pbem.rules.rome_carthage.generals import is_consul, may_command, strategy_rating
from pbem.rules.rome_carthage.paths import allowed, check_path, enemy_cu_at, first_steps
from pbem.rules.rome_carthage.state import CONSUL, CONSULAR_ARMY, ENEMY, PROCONSUL, Game, Stack
from pbem.rules.rome_carthage.walls import locked_up, pool
from pbem.rules.rome_carthage.words import no_such_general

Axes = tuple[tuple[str, tuple[str, ...]], list[tuple[int, int]], list[str]]
"""A general and his companions, the (CU, elephants) he may take, and where he may step first."""


STAY: Final = ""
"""A first step that is none: an army that is activated where it stands, to besiege (16.4)."""


def home_of(game: Game, side: Side, general: str) -> tuple[str, Stack] | str:
    """Return the space a general can be activated in and the pool there, or why he cannot be (8.1, 16.4.3)."""
    place = game.where(general)
    record = game.board.generals.get(general)
    if record is None:
        return no_such_general(game, general)
    if record.side != side:
        return f"{record.name} is not your general"
    if place is None:
        return f"{record.name} is not on the map"
    if place[1] and locked_up(game, side, place[0]):
        return f"{record.name} is locked up in {game.board.spaces[place[0]].name}; sorties are not in play yet"
    return place[0], pool(game, side, place[0])


class Split:
    """A stack about to part: some generals go, the others stay; how many CU may go with them (8.6, 8.7, 14.2)."""

    __slots__ = ("_game", "_goes_consul", "_going", "_stack", "_staying", "_stays_consul")

    def __init__(self, game: Game, stack: Stack, general: str, companions: Sequence[str]) -> None:
        self._game, self._stack, self._going = game, stack, (general, *companions)
        self._staying = [other for other in stack.generals if other not in self._going]
        offices = game.offices
        self._goes_consul = any(offices.get(other) == CONSUL for other in self._going)
        self._stays_consul = any(offices.get(other) == CONSUL for other in self._staying)

    def why_not(self, cu: int) -> str | None:
        """Say why so many CU may not go and the rest stay; None: they may (8.6, 8.7, 14.2).

        A consul's army may not be brought below five CU by leaving units behind, be it the army that goes or
        the one that stays; two consuls may part only from an army of ten.
        """
        total = self._stack.cu
        left = total - cu
        if self._goes_consul:
            least = self._game.options["consul_split_min"]
            if self._stays_consul and total < least:
                return f"two consuls may part only from an army of {least} CU; theirs has {total}"
            if left and cu < CONSULAR_ARMY:
                return f"a consul's army keeps {CONSULAR_ARMY} CU or leaves none behind; {cu} of {total} would go"
        if self._stays_consul and cu and left < CONSULAR_ARMY:
            return f"the consul who stays must keep {CONSULAR_ARMY} CU; {left} would be left"
        leads = self._game.offices.get(self._going[0])
        if self._game.options["proconsul_size_rule"] and self._stays_consul and leads == PROCONSUL and cu > left:
            return f"the consul who stays must keep as many CU as the proconsul takes; {left} would be left"
        return None

    def why_not_marching(self, cu: int) -> str | None:
        """Say why so many CU may not march off; None: they may (14.2)."""
        if self._game.options["consul_move_min5"] and self._goes_consul and 0 < cu < CONSULAR_ARMY:
            return f"a consul's army marches with {CONSULAR_ARMY} CU or not at all (option consul_move_min5)"
        return self.why_not(cu)

    def why_not_sent(self, cu: int) -> str | None:
        """Say why so many CU may not be sent to intercept or to avoid battle: a commander keeps a unit (9.5, 10.1)."""
        commander = self._stack.commander
        if cu and commander in self._staying and cu >= self._stack.cu:
            name = self._game.board.generals[commander].name
            return f"{name}, who commands and stays, must keep 1 CU; 0 would be left"
        return self.why_not(cu)

    def why_not_sent_by(self) -> str | None:
        """Say why a subordinate may not be sent with those who go: his commander leads or stays (9.5, 10.1)."""
        commander = self._stack.commander
        if self._stack.cu and commander in self._going[1:]:
            name = self._game.board.generals[commander].name
            return f"{name} commands there: he leads himself, or stays with a unit"
        return self.why_not_led()

    def why_not_led(self) -> str | None:
        """Say why the first of those who go may not command the others; None: he may (8.6)."""
        leader, generals = self._going[0], self._game.board.generals
        for other in self._going[1:]:
            if not may_command(self._game, leader, (other,)):
                return f"{generals[other].name} outranks {generals[leader].name}"
        return None


def spaces_with_generals(game: Game, side: Side) -> list[str]:
    """List the spaces from which a side's generals may march, locked-up ones left out (8.1, 16.4.3)."""
    spaces = [space for space, stack in game.stacks[side].items() if stack.generals]
    for city, inside in game.garrisons.items():
        if (
            inside.generals
            and city not in spaces
            and game.control.get(city) == side
            and not locked_up(game, side, city)
        ):
            spaces.append(city)
    return sorted(spaces)


def activations(game: Game, side: Side, space: str, ops: int) -> Iterator[Axes]:
    """Yield the ways to set out from a space with some operations (8.1, 8.7)."""
    stack = pool(game, side, space)
    movement = game.board.movement
    army = first_steps(game, side, space, True, movement.points)
    enemies = game.stacks[ENEMY[side]].keys() | game.garrisons.keys()
    alone = [to for to in army if to not in enemies or not enemy_cu_at(game, side, to)]
    enough = game.board.siege.cu if may_besiege_at(game, side, space) else movement.cu + 1
    consular = any(is_consul(game, general) for general in stack.generals)
    every = [
        (cu, elephants)
        for cu in range(1, min(stack.cu, movement.cu) + 1)
        for elephants in range(stack.fewest_elephants(cu), stack.most_elephants(cu) + 1)
    ]
    for general, companions in _parties(game, stack, ops):
        party, forces, without = (general, companions), every, True
        if consular:
            why_not = Split(game, stack, general, companions).why_not_marching
            forces, without = [force for force in every if why_not(force[0]) is None], why_not(0) is None
        if forces and (steps := allowed(game, (general, *companions), army)):
            yield party, forces, steps
        if besiegers := [force for force in forces if force[0] >= enough]:
            yield party, besiegers, [STAY]
        if without and (steps := allowed(game, (general, *companions), alone)):
            yield party, [(0, 0)], steps


def _parties(game: Game, stack: Stack, ops: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each general whom some operations activate with each set of the others he may command (8.1, 8.6, 8.7)."""
    for general in stack.generals:
        if strategy_rating(game, general) > ops:
            continue
        led = [other for other in stack.generals if other != general and may_command(game, general, (other,))]
        for size in range(len(led) + 1):
            for companions in combinations(led, size):
                yield general, companions


def may_besiege_at(game: Game, side: Side, space: str) -> bool:
    """Tell whether a space has something for a side to besiege or subjugate (16.4)."""
    enemy_city = game.board.spaces[space].kind == WALLED_CITY and game.control.get(space) != side
    return enemy_city or game.unfriendly_tribe(side, space)


def force_of(game: Game, stack: Stack, order: Any) -> Stack:
    """Return the force that an order to march names, with what it leaves out filled in (8.2, 8.7).

    Without `cu` as many as may march; without `elephants` as many as fit; without `with` all whom the
    general may command if he commands the stack, else nobody.
    """
    general = order["general"]
    companions = order.get("with")
    if companions is None:
        leads = stack.commander == general
        companions = [
            other for other in stack.generals if leads and other != general and may_command(game, general, [other])
        ]
    cu = order.get("cu")
    if cu is None:
        cu = min(stack.cu, game.board.movement.cu)
    elephants = order.get("elephants")
    if elephants is None:
        elephants = stack.most_elephants(cu)
    return Stack(cu, elephants, [general, *companions])


def check_activation(known: Game, side: Side, order: Order, ops: int) -> Iterator[Fault]:
    """Yield what is wrong with an order to march: the general, his force, his path (8.1 to 8.7, 14.2)."""
    general = order["general"]
    home = home_of(known, side, general)
    if isinstance(home, str):
        yield order.fault(("general",), home, rule="8.1")
        return
    space, stack = home
    rating = strategy_rating(known, general)
    if rating > ops:
        name = known.board.generals[general].name
        yield order.fault(("general",), f"{name} needs a card with a {rating}; this one has a {ops}", rule="8.1")
    force = force_of(known, stack, order)
    wrong = list(_check_force(known, stack, force, order))
    yield from wrong
    if not wrong:
        yield from check_path(known, side, order, space, force, known.board.movement.points)


def _check_force(known: Game, stack: Stack, force: Stack, order: Order) -> Iterator[Fault]:
    general, *companions = force.generals
    for at, other in enumerate(companions):
        if other not in stack.generals or other == general or other in companions[:at]:
            can = ", ".join(name for name in stack.generals if name != general) or "nobody"
            reason = f"{other} cannot go along; with {known.board.generals[general].name} there is: {can}"
            yield order.fault(("with", at), reason, rule="8.7")
            return
    if force.cu > (most := known.board.movement.cu):
        yield order.fault(("cu",), f"at most {most} CU march with a general, not {force.cu}", rule="8.2")
    elif force.cu > stack.cu:
        yield order.fault(("cu",), f"there are {stack.cu} CU to march with, not {force.cu}", rule="8.2")
    elif not stack.fewest_elephants(force.cu) <= force.elephants <= stack.most_elephants(force.cu):
        low, high = stack.fewest_elephants(force.cu), stack.most_elephants(force.cu)
        can = f"{low}" if low == high else f"{low} to {high}"
        reason = f"of {force.cu} CU marching {can} can be elephants, not {force.elephants}"
        yield order.fault(("elephants",), reason, rule="13.2")
    else:
        split = Split(known, stack, general, companions)
        if (why := split.why_not_led()) is not None:
            yield order.fault(("with",) if "with" in order.body else ("general",), why, rule="8.6")
        if (why := split.why_not_marching(force.cu)) is not None:
            yield order.fault(("cu",) if "cu" in order.body else ("general",), why, rule="14.2")
