"""Paths over the map: what a step costs, where it may go, and the check of a whole march (8.2 to 8.5, 14.2, 14.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.protocol import Fault, Order, Path, Side
from pbem.rules.rome_carthage.bounds import free, why_barred
from pbem.rules.rome_carthage.generals import arrange, is_consul, may_be_in, may_command
from pbem.rules.rome_carthage.state import CONSULAR_ARMY, ENEMY, PROCONSUL, Game, March, Stack
from pbem.rules.rome_carthage.walls import pool
from pbem.rules.rome_carthage.words import no_such_space

Step = Mapping[str, Any]


def step_of(written: str | Mapping[str, Any]) -> dict[str, Any]:
    """Return a step of a path as a mapping; a bare word is a step without dropping or taking (8.2)."""
    return {"to": written} if isinstance(written, str) else dict(written)


def closed(game: Game, side: Side, start: str, to: str) -> bool:
    """Tell whether a strait is closed: some are open only to a side that controls both ends (8.3.3)."""
    return (start, to) in game.board.both_ends and not (game.control.get(start) == side == game.control.get(to))


def enemy_cu_at(game: Game, side: Side, space: str) -> int:
    """Return enemy CU in a space, inside a city or out: none of them lets a general alone pass (8.4.2)."""
    enemy = ENEMY[side]
    outside = game.cu(enemy, space)
    return outside + game.garrison(enemy, space).cu if space in game.garrisons else outside


def first_steps(game: Game, side: Side, space: str, army: bool, points: int) -> list[str]:
    """List where a force may step from a space with some points left (8.2 to 8.4)."""
    steps = [
        to
        for to, cost, shut in game.board.steps[space]
        if cost <= points and not (shut and closed(game, side, space, to))
    ]
    if not free(game):
        steps = [to for to in steps if why_barred(game, side, army, space, to) is None]
    return steps if army else [to for to in steps if not enemy_cu_at(game, side, to)]


def allowed(game: Game, generals: Sequence[str], steps: list[str]) -> list[str]:
    """Keep the steps that no general's own restriction forbids (board: Hanno, Fabius)."""
    if all(game.board.generals[general].stays_in is None for general in generals):
        return steps
    return [step for step in steps if all(may_be_in(game, general, step) for general in generals)]


def onward(game: Game, march: March) -> list[str]:
    """List where a force on the march may step next (8.2 to 8.4)."""
    steps = first_steps(game, march.side, march.at, bool(march.force.cu), march.points)
    return allowed(game, march.force.generals, steps)


def check_path(known: Game, side: Side, order: Order, start: str, force: Stack, points: int) -> Iterator[Fault]:
    """Yield what is wrong with a whole path: lines, points, straits, lone generals, what is dropped and taken (8).

    A path may lead on through enemy armies: it holds for the case that they give way.
    """
    walker = _Walker(known, side, order, start, force, points)
    for at, written in enumerate(order.get("path", ())):
        yield from walker.step(at, step_of(written))
        if walker.lost:
            return
    yield from walker.end()


class _Walker:
    """A force walking a path on paper; `ground` is what it finds and leaves of its own side on the way."""

    def __init__(self, known: Game, side: Side, order: Order, start: str, force: Stack, points: int) -> None:
        self.known, self.side, self.order = known, side, order
        self.here, self.points, self.most = start, points, points
        self.force = Stack(force.cu, force.elephants, list(force.generals), force.train)
        self.ground: dict[str, Stack] = {}
        if known.march is None:
            exchange(self._found(start), force.generals, force.cu, force.elephants, drops=True)
        self.lost = False
        self.held_up = False

    def step(self, at: int, step: Step) -> Iterator[Fault]:
        """Yield what is wrong with one step, and take it; `lost` tells that the path cannot be followed on."""
        known, to, where = self.known, step["to"], self._where(at)
        if to not in known.board.spaces:
            yield self.order.fault(where, no_such_space(known, to), rule="8.2")
            self.lost = True
            return
        kind = known.board.neighbours[self.here].get(to)
        if kind is None:
            yield self.order.fault(where, self._no_path(to), rule="8.2")
            self.lost = True
            return
        if self.held_up:
            yield self.order.fault(where, self._why_held_up(), rule="14.3")
            self.lost = True
            return
        yield from self._obstacles(where, to)
        cost = known.board.movement.cost[kind]
        if cost > self.points:
            used = self.most - self.points + cost
            reason = f"the way to {to} takes {used} movement points; there are {self.most}"
            yield self.order.fault(where, reason, rule="8.3.1" if cost > 1 else "8.2")
            self.lost = True
            return
        self.points -= cost
        self.here = to
        for change in ("drop", "take"):
            if change in step:
                path = ("path", at, change)
                yield from check_exchange(known, self.order, path, self.force, self._found(to), to)
        self.held_up = must_stop(known, self.force, self._found(to))

    def _found(self, space: str) -> Stack:
        """Return what of the own side is in a space when the force comes there; it may be changed."""
        if space not in self.ground:
            stack = pool(self.known, self.side, space)
            self.ground[space] = Stack(stack.cu, stack.elephants, list(stack.generals), stack.train)
        return self.ground[space]

    def end(self) -> Iterator[Fault]:
        """Yield what is wrong with stopping where the path ends (8.4.2)."""
        known, path = self.known, self.order.get("path", ())
        if path and not self.force.cu and self.order.get("then") != "ask":
            lone = known.stack(ENEMY[self.side], self.here)
            if lone.generals and not lone.cu:
                name = known.board.generals[lone.generals[0]].name
                reason = f"a general alone may pass {name} in {self.here}, but not stop there"
                yield self.order.fault(self._where(len(path) - 1), reason, rule="8.4.2")

    def _where(self, at: int) -> Path:
        return ("path", at) if isinstance(self.order["path"][at], str) else ("path", at, "to")

    def _why_held_up(self) -> str:
        """Say whose army stops the force, and how a proconsul comes past a consul (14.3)."""
        known, leader = self.known, self.force.generals[0]
        stack = self._found(self.here)
        reason = f"{leader} must stop in {self.here}, at the army of {stack.commander}"
        if is_consul(known, leader):
            return f"{reason}, which is larger than his own"
        return f"{reason}, who is consul with {stack.cu} CU; or he drops there what makes them {CONSULAR_ARMY}"

    def _no_path(self, to: str) -> str:
        board = self.known.board
        leads = ", ".join(sorted(board.neighbours[self.here]))
        reason = f"no path from {self.here} to {to}; paths lead to {leads}"
        if board.spaces[self.here].port and board.spaces[to].port:
            reason += " (both are ports, but moves by sea are not in play yet)"
        return reason

    def _obstacles(self, where: Path, to: str) -> Iterator[Fault]:
        known, side = self.known, self.side
        if closed(known, side, self.here, to):
            reason = f"the strait between {self.here} and {to} is open only to who controls both"
            yield self.order.fault(where, reason, rule="8.3.3")
        if not self.force.cu and (cu := enemy_cu_at(known, side, to)):
            reason = f"a general without CU may not enter {to}, where {cu} enemy CU stand"
            yield self.order.fault(where, reason, rule="8.4.2")
        if (why := why_barred(known, side, self.force.cu, self.here, to)) is not None:
            yield self.order.fault(where, why, rule="8.4")
        for general in self.force.generals:
            if not may_be_in(known, general, to):
                record = known.board.generals[general]
                yield self.order.fault(where, f"{record.name} never leaves {str(record.stays_in).title()}", rule="8.7")


def check_exchange(known: Game, order: Order, path: Path, force: Stack, stack: Stack, space: str) -> Iterator[Fault]:
    """Yield what is wrong with dropping or taking CU and generals on the way, else do it on paper (8.2, 8.7, 14.2)."""
    change = order["path"][path[1]][path[-1]]
    drops = path[-1] == "drop"
    source = force if drops else stack
    names = list(change.get("generals", ()))
    cu, elephants = change.get("cu", 0), change.get("elephants", 0)
    for at, general in enumerate(names):
        if general not in source.generals or general == force.generals[0] or general in names[:at]:
            have = ", ".join(name for name in source.generals if name != force.generals[0]) or "nobody"
            yield order.fault((*path, "generals", at), f"{general} cannot be had here; there is: {have}", rule="8.7")
            return
    if cu > source.cu or elephants > min(cu, source.elephants) or cu - elephants > source.cu - source.elephants:
        have = f"{source.cu} CU, {source.elephants} of them elephants"
        yield order.fault(path, f"the {'force' if drops else 'space'} has {have}", rule="8.2")
        return
    if (why := why_no_exchange(known, force, stack, space, names, cu, drops)) is not None:
        yield order.fault(path, why, rule="14.2" if "consul" in why else "8.7")
        return
    exchange(force, names, cu, elephants, drops)
    exchange(stack, names, cu, elephants, not drops)
    arrange(known, stack)


def why_no_exchange(
    game: Game, force: Stack, stack: Stack, space: str, names: list[str], cu: int, drops: bool
) -> str | None:
    """Say why a force may not drop to a stack, or take from it, on its march; None: it may (8.2, 8.6, 8.7, 14.2)."""
    leader = force.generals[0]
    if drops:
        parting = any(is_consul(game, name) for name in names)
        if is_consul(game, leader) and (cu or parting) and force.cu - cu < CONSULAR_ARMY:
            return f"a consul's army keeps {CONSULAR_ARMY} CU; {force.cu - cu} would march on"
        least = game.options["consul_split_min"]
        if parting and (force.cu + stack.cu < least or cu + stack.cu < CONSULAR_ARMY):
            return f"a consul is left behind only with {CONSULAR_ARMY} CU, and where both have {least} together"
        return None
    if force.cu + cu > (most := game.board.movement.cu):
        return f"at most {most} CU march with a general, not {force.cu + cu}"
    if not may_command(game, leader, names):
        return f"{game.board.generals[leader].name} may not take along a general who outranks him"
    stays = [name for name in stack.generals if name not in names]
    if cu and any(is_consul(game, name) for name in stays) and stack.cu - cu < CONSULAR_ARMY:
        return f"the consul in {space} must keep {CONSULAR_ARMY} CU; {stack.cu - cu} would be left"
    return None


def must_stop(game: Game, force: Stack, stack: Stack) -> bool:
    """Tell whether a force must stop at the friendly stack that it comes to, or would leave there (14.3).

    A proconsul stops at a consular army of fewer than five CU; under the older rule a consul stops where a
    proconsul's army is larger than his own.
    """
    here, leader = stack.commander, force.generals[0]
    if here is None:
        return False
    if game.offices.get(leader) == PROCONSUL and is_consul(game, here):
        return stack.cu < CONSULAR_ARMY
    if game.options["proconsul_size_rule"] and is_consul(game, leader):
        return game.offices.get(here) == PROCONSUL and stack.cu > force.cu
    return False


def exchange(force: Stack, names: Sequence[str], cu: int, elephants: int, drops: bool) -> None:
    """Change a force by what it drops or takes (8.2, 8.7)."""
    sign = -1 if drops else 1
    force.cu += sign * cu
    force.elephants += sign * elephants
    if drops:
        force.generals = [general for general in force.generals if general not in names]
    else:
        force.generals.extend(names)
