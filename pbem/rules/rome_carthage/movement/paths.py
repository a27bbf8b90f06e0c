"""Paths over the map: steps and their cost, what is dropped and taken, the check of a whole march (8.2 to 8.7, 14)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.game import Refusal, counted
from pbem.protocol import Fault, Path, Side
from pbem.rules.rome_carthage.movement.card_play import (
    CAMPAIGN,
    exhausted,
    legs_at_start,
    march_type,
    picked_up,
    points_left,
    resting,
    ridden,
    riders_at_start,
    taken,
)
from pbem.rules.rome_carthage.movement.fleet import (
    check_fleet,
    check_harbours,
    check_into_city,
    harbours,
    may_sail,
    sailings,
)
from pbem.rules.rome_carthage.movement.march_cards import free, why_barred
from pbem.rules.rome_carthage.orders import Exchange, Step, WayOrder, Written, illegal
from pbem.rules.rome_carthage.position.board import SEA, STRAIT
from pbem.rules.rome_carthage.position.generals import arrange, is_consul, may_be_in, may_command
from pbem.rules.rome_carthage.position.naming import (
    general_named,
    generals_named,
    no_such_space,
    space_named,
    spaces_named,
)
from pbem.rules.rome_carthage.position.state import ENEMY, PROCONSUL, Game
from pbem.rules.rome_carthage.position.under_way import March, Stack
from pbem.rules.rome_carthage.siege.walls import pool, room, whole, why_not_inside

# ---- units and generals dropped and taken on a march (8.2, 8.7, 14.2)


class Meeting(NamedTuple):
    """A force on the march and the stack of its side in the space it comes to (8.7)."""

    force: Stack
    stack: Stack
    space: str
    at_start: int
    """How many CU there were where the force set out: two consuls may part on the way, too, if that was enough."""


def check_exchange(view: Game, change: Exchange, path: Path, meeting: Meeting) -> Iterator[Fault]:
    """Yield what is wrong with dropping or taking CU and generals; if nothing, do it on trial (8.2, 8.7, 14.2)."""
    force, stack, space, _ = meeting
    drops = path[-1] == "drop"
    source = force if drops else stack
    names, cu, elephants = list(change.generals), change.cu, change.elephants
    if not names and not cu:
        yield illegal(path, f"say what to {path[-1]}: cu, or generals", rule="8.7")
        return
    for at, general in enumerate(names):
        if general not in source.generals or general == force.generals[0] or general in names[:at]:
            have = generals_named(view, [name for name in source.generals if name != force.generals[0]])
            place = "marches along" if drops else f"is in {space_named(view, space)}"
            if general in names[:at]:
                reason = f"{general_named(view, general)} is named twice"
            elif general == force.generals[0]:
                reason = f"{general_named(view, general)} leads the march"
            else:
                reason = f"{general_named(view, general)} is not here; who {place}: {have}"
            yield illegal((*path, "generals", at), reason, rule="8.7")
            return
    if cu > source.cu or elephants > min(cu, source.elephants) or cu - elephants > source.cu - source.elephants:
        have = f"{source.cu} CU, {source.elephants} of them elephants"
        yield illegal(path, f"the {'force' if drops else 'space'} has {have}", rule="8.2")
        return
    if (why := why_no_exchange(view, meeting, names, cu, drops)) is not None:
        yield why.at(path)
        return
    if change.inside:
        side = view.board.generals[force.generals[0]].side
        free = room(view, side, space) if drops else None
        if free is None or cu > free:
            reason = f"{free} more CU fit inside" if free is not None else "inside is for what you drop at your city"
            yield illegal((*path, "inside"), reason, rule="16.2")
            return
    exchange(force, names, cu, elephants, drops)
    exchange(stack, names, cu, elephants, not drops)
    arrange(view, stack)


def why_no_exchange(game: Game, meeting: Meeting, names: list[str], cu: int, drops: bool) -> Refusal | None:
    """Say why a force may not drop to a stack, or take from it, on its march; None: it may (8.7, 14.2)."""
    force, stack, space, at_start = meeting
    leader, keeps = force.generals[0], game.board.consular_army
    if drops and not force.cu:
        return None
    if drops:
        parting = any(is_consul(game, name) for name in names)
        if is_consul(game, leader) and (cu or parting) and force.cu - cu < keeps:
            return Refusal(f"a consul's army keeps {keeps} CU; {force.cu - cu} would march on", "14.2")
        least = game.options["consul_split_min"]
        if parting and (max(at_start, force.cu + stack.cu) < least or cu + stack.cu < keeps):
            reason = f"a consul is left behind only with {keeps} CU, from an army of {least} or where both have as many"
            return Refusal(reason, "14.2")
        return None
    if names and not game.options["pick_up_generals"]:
        return Refusal("a general picks up units on the way, but no generals (option pick_up_generals)", "8.7")
    side = game.board.generals[leader].side
    if done := [name for name in names if name in resting(game, side)]:
        return Refusal(f"{game.board.generals[done[0]].name} moves no more on this card", "8.7")
    if cu > stack.cu - (tired := exhausted(game, side, space)):
        return Refusal(f"{tired} of the CU in {space_named(game, space)} go no further on this card", "8.7")
    if force.cu + cu > (most := game.board.movement.cu):
        return Refusal(f"at most {most} CU march with a general, not {force.cu + cu}", "8.7")
    if not may_command(game, leader, names):
        name = game.board.generals[leader].name
        return Refusal(f"{name} may not take along a general who outranks him", "8.7")
    stays = [name for name in stack.generals if name not in names]
    if cu and any(is_consul(game, name) for name in stays) and stack.cu - cu < keeps:
        return Refusal(
            f"the consul in {space_named(game, space)} must keep {keeps} CU; {stack.cu - cu} would be left", "14.2"
        )
    return None


def exchange(force: Stack, names: Sequence[str], cu: int, elephants: int, drops: bool) -> None:
    """Change a force by what it drops or takes (8.2, 8.7)."""
    sign = -1 if drops else 1
    force.cu += sign * cu
    force.elephants += sign * elephants
    if drops:
        force.generals = [general for general in force.generals if general not in names]
    else:
        force.generals.extend(names)


# ---- steps, and the march as a whole (8.2 to 8.5, 14.2, 14.3)


def closed(game: Game, side: Side, start: str, to: str) -> bool:
    """Tell whether a strait is closed: some are open only to a side that controls both ends (8.3.3)."""
    return (start, to) in game.board.both_ends and not (game.control.get(start) == side == game.control.get(to))


def enemy_cu_at(game: Game, side: Side, space: str) -> int:
    """Return enemy CU in a space, inside a city or out: none of them lets a general alone pass (8.4.2)."""
    enemy = ENEMY[side]
    outside = game.cu(enemy, space)
    return outside + game.garrison(enemy, space).cu if space in game.garrisons else outside


def step_cost(game: Game, kind: str) -> int:
    """Return the points that a step costs by its kind; on straits the editions differ (8.3.1)."""
    return game.options["strait_cost"] if kind == STRAIT else game.board.movement.cost[kind]


def first_steps(game: Game, side: Side, space: str, army: bool, points: int) -> list[str]:
    """List where a force may step from a space by land with some points left (8.2 to 8.4)."""
    steps = [
        to
        for to, cost, shut in game.board.steps[space]
        if cost <= points and not (shut and closed(game, side, space, to))
    ]
    if points == 1 and step_cost(game, STRAIT) == 1:
        straits = [to for to, kind in game.board.neighbours[space].items() if kind == STRAIT]
        steps += [to for to in straits if to not in steps and not closed(game, side, space, to)]
    if not free(game):
        steps = [to for to in steps if why_barred(game, side, army, space, to) is None]
    return steps if army else [to for to in steps if not enemy_cu_at(game, side, to)]


def allowed(game: Game, generals: Sequence[str], steps: list[str]) -> list[str]:
    """Keep the steps that no general's own restriction forbids (board: Hanno, Fabius)."""
    bound = [general for general in generals if game.board.generals[general].stays_in is not None]
    return [step for step in steps if all(may_be_in(game, general, step) for general in bound)] if bound else steps


def onward(game: Game, march: March) -> list[str]:
    """List where a force on the march may step next by land (8.2 to 8.4)."""
    steps = first_steps(game, march.side, march.at, bool(march.force.cu), points_left(march))
    return allowed(game, march.force.generals, steps)


def overseas(game: Game, march: March) -> list[Written]:
    """List the voyages that a force on the march may make next, as steps of a path (8.8)."""
    if not may_sail(game, march):
        return []
    force = march.force
    ports = open_ports(game, march.side, march.at, force, points_left(march))
    ways = sailings(game, march.side, ports, [(force.cu, force.elephants)])
    return [step for _, steps in ways for step in steps]


def open_ports(game: Game, side: Side, space: str, force: Stack, points: int) -> list[str]:
    """List the ports to which a force may sail from a space on a card that carries it (8.4.2, 8.8, board)."""
    ports = harbours(game, side, space, bool(force.cu), points)
    if not force.cu:
        ports = [port for port in ports if not enemy_cu_at(game, side, port)]
    return allowed(game, force.generals, ports)


def next_steps(game: Game, march: March) -> list[Written]:
    """List where a force on the march may step next, by land and by sea (8.2 to 8.4, 8.8)."""
    return [*onward(game, march), *overseas(game, march)]


def can_go_on(game: Game, march: March) -> bool:
    """Tell whether a force on the march may take another step (8.2 to 8.4, 8.8)."""
    return bool(onward(game, march) or overseas(game, march))


def check_path(view: Game, way: WayOrder, start: str, force: Stack, points: int) -> Iterator[Fault]:
    """Yield what is wrong with a whole path: lines, points, straits, lone generals, what is dropped and taken (8).

    A path may lead through enemy armies, in case they avoid battle.
    """
    walker = _Walker(view, way, start, force, points)
    for at, step in enumerate(way.path):
        yield from walker.step(at, step)
        if walker.lost:  # where it would lead from here nobody knows; but a name that is none is none
            yield from walker.unknown(at + 1)
            return
    yield from walker.end()


class _Walker:
    """A force that follows a path on trial; `ground` is what it finds and leaves of its own side on the way."""

    def __init__(self, view: Game, way: WayOrder, start: str, force: Stack, points: int) -> None:
        self.view, self.side, self.way = view, view.board.generals[force.generals[0]].side, way
        self.here, self.points, self.most = start, points, points
        self.force = Stack(force.cu, force.elephants, list(force.generals), force.train)
        self.ground: dict[str, Stack] = {}
        self.set_out = (force.generals, force.cu, force.elephants)
        self.start = start
        self.legs = legs_at_start(view, self.side, start, force.cu)
        self.riders = riders_at_start(view, force.generals[1:])
        self.lost = False
        self.held_up = False
        self.in_city = False

    def step(self, at: int, step: Step) -> Iterator[Fault]:
        """Yield what is wrong with one step, and take it; `lost` tells that the path cannot be followed on."""
        to = step.to
        wrong = list(self._way(at, step))
        yield from wrong
        if wrong:
            self.lost = True
            return
        if self.held_up or self.in_city:
            why = self._why_held_up()
            yield why.at(self._where(at))
            self.lost = True
            return
        view = self.view
        yield from self._obstacles(self._where(at), to, step.by_sea)
        kind = SEA if step.by_sea else view.board.neighbours[self.here][to]
        if (cost := step_cost(view, kind)) > min([self.points, *self.legs, *self.riders.values()]):
            yield self._too_far(at, to, kind, cost)
            self.lost = True
            return
        if step.by_sea:
            yield from check_fleet(view, self.side, self.way.play, ("path", at, "by"), self.force)
        if step.into_city:
            yield from check_into_city(view, self.side, at, step, self.force.cu)
        self.points -= cost
        self.legs = [left - cost for left in self.legs]
        self.riders = {general: left - cost for general, left in self.riders.items()}
        self.here, self.in_city = to, step.into_city
        for word, change in (("drop", step.drop), ("take", step.take)):
            if change is not None and not self.in_city:
                path, cu, total = ("path", at, word), self.force.cu, self._found(to).cu
                meeting = Meeting(self.force, self._found(to), to, self._at_start())
                yield from check_exchange(view, change, path, meeting)
                self._change_riders()
                if (gained := self.force.cu - cu) < 0:
                    self.legs = sorted(self.legs)[-gained:]
                elif march_type(view, self.way.play) == CAMPAIGN:
                    self.legs += taken(view, self.side, to, total, gained)
        self.held_up = self.force.generals[0] in view.offices and must_stop(view, self.force, self._found(to))

    def unknown(self, first: int) -> Iterator[Fault]:
        """Yield which steps of the path, from one on, name no space (8.2)."""
        for at, step in enumerate(self.way.path[first:], first):
            if step.to not in self.view.board.spaces:
                yield illegal(self._where(at), no_such_space(self.view, step.to), rule="8.2")

    def _change_riders(self) -> None:
        """Note how far companions can go who have just been picked up, and forget those who were dropped (8.4.1)."""
        companions = self.force.generals[1:]
        self.riders = {general: left for general, left in self.riders.items() if general in companions}
        if march_type(self.view, self.way.play) == CAMPAIGN:
            came = self.view.march.force.generals if self.view.march is not None else self.set_out[0]
            new = [general for general in companions if general not in self.riders and general not in came]
            self.riders |= picked_up(self.view, new)

    def _way(self, at: int, step: Step) -> Iterator[Fault]:
        """Yield why there is no way from here to the space of a step, by land or by sea (8.2, 8.8)."""
        view, to = self.view, step.to
        if step.by_sea:
            yield from check_harbours(view, ("path", at), self.here, to)
        elif to not in view.board.spaces:
            yield illegal(self._where(at), no_such_space(view, to), rule="8.2")
        elif to not in view.board.neighbours[self.here]:
            yield illegal(self._where(at), self._no_path(to), rule="8.2")

    def _too_far(self, at: int, to: str, kind: str, cost: int) -> Fault:
        """Return the fault of a step that takes more points than are left (8.2, 8.3.1, 8.8)."""
        view = self.view
        if cost <= self.points:
            left = min([*self.legs, *self.riders.values()])
            tired = [self.view.board.generals[general].name for general, has in self.riders.items() if has == left]
            who = f"{tired[0]} has" if tired else "units that this card has moved before have"
            reason = f"{who} {left} points left; the way to {space_named(view, to)} takes {cost}"
            return illegal(self._where(at), reason, rule="8.4.1")
        used = self.most - self.points + cost
        way = f"the {'voyage' if kind == SEA else 'way'} to {space_named(view, to)}"
        if ridden(self.view, self.force.generals[0]):
            reason = f"{way} takes {counted(used, 'movement point')}; of his own this card has left him {self.most}"
            return illegal(self._where(at), reason, rule="8.4.1")
        rule = "8.8" if kind == SEA else "8.3.1" if cost > 1 else "8.2"
        return illegal(
            self._where(at), f"{way} takes {counted(used, 'movement point')}; there are {self.most}", rule=rule
        )

    def _found(self, space: str) -> Stack:
        """Return the stack of the force's own side in a space when the force comes there; it may be changed."""
        if space not in self.ground:
            everybody = space == self.start and self.way.sets_sail and not self.view.besieged(space)
            stack = (whole if everybody else pool)(self.view, self.side, space)
            ground = self.ground[space] = Stack(stack.cu, stack.elephants, list(stack.generals), stack.train)
            if space == self.start and self.view.march is None:
                exchange(ground, *self.set_out, drops=True)
        return self.ground[space]

    def _at_start(self) -> int:
        """Return how many CU there were where the force set out, its own among them (14.2)."""
        march = self.view.march
        if march is not None:
            return march.army
        by_sea = self.way.sets_sail and not self.view.besieged(self.start)
        return (whole if by_sea else pool)(self.view, self.side, self.start).cu

    def end(self) -> Iterator[Fault]:
        """Yield what is wrong with stopping where the path ends (8.4.2)."""
        view, path, then = self.view, self.way.path, self.way.then
        if path and not self.force.cu and not self.in_city and then not in ("ask", "inside"):
            lone = view.stack(ENEMY[self.side], self.here)
            if lone.generals and not lone.cu:
                name = view.board.generals[lone.generals[0]].name
                reason = f"a general alone may pass {name} in {space_named(view, self.here)}, but not stop there"
                yield illegal(self._where(len(path) - 1), reason, rule="8.4.2")
        if then == "inside":
            force = Stack(self.force.cu, self.force.elephants)
            if (why := why_not_inside(view, self.side, self.here, force, self.start)) is not None:
                yield why.at(("then",))

    def _where(self, at: int) -> Path:
        return ("path", at) if self.way.path[at].bare else ("path", at, "to")

    def _why_held_up(self) -> Refusal:
        """Say whose army stops the force, and how a proconsul comes past a consul (14.3)."""
        view, leader = self.view, self.force.generals[0]
        name, here = general_named(view, leader), space_named(view, self.here)
        if self.in_city:
            return Refusal(f"{name} is inside {here}; his move ends there", "8.8.1")
        stack = self._found(self.here)
        reason = f"{name} must stop in {here}, at the army of {general_named(view, stack.commander or '')}"
        if is_consul(view, leader):
            return Refusal(f"{reason}, which is larger than his own", "14.3")
        if stack.cu >= (army := view.board.consular_army):
            return Refusal(f"{reason}, who is consul; a proconsul leads no more than his {stack.cu} CU on", "14.3")
        return Refusal(f"{reason}, who is consul with {stack.cu} CU; or he drops there what makes them {army}", "14.3")

    def _no_path(self, to: str) -> str:
        board = self.view.board
        here, there = space_named(self.view, self.here), space_named(self.view, to)
        leads = spaces_named(self.view, sorted(board.neighbours[self.here]))
        reason = f"no path from {here} to {there}; paths lead to {leads}"
        if board.spaces[self.here].port and board.spaces[to].port:
            reason += f"; both are ports: to sail write {{to: {to}, by: sea}}"
        return reason

    def _obstacles(self, where: Path, to: str, by_sea: bool) -> Iterator[Fault]:
        view, side = self.view, self.side
        if not by_sea and closed(view, side, self.here, to):
            ends = f"{space_named(view, self.here)} and {space_named(view, to)}"
            reason = f"the strait between {ends} is open only to who controls both"
            yield illegal(where, reason, rule="8.3.3")
        if not self.force.cu and (cu := enemy_cu_at(view, side, to)):
            reason = f"a general without CU may not enter {space_named(view, to)}, where {cu} enemy CU stand"
            yield illegal(where, reason, rule="8.4.2")
        if (why := why_barred(view, side, self.force.cu, self.here, to)) is not None:
            yield why.at(where)
        for general in self.force.generals:
            if not may_be_in(view, general, to):
                record = view.board.generals[general]
                yield illegal(where, f"{record.name} never leaves {str(record.stays_in).title()}", rule="8.7")


def must_stop(game: Game, force: Stack, stack: Stack) -> bool:
    """Tell whether a force must stop at the friendly stack that it comes to, or would leave there (14.3).

    A proconsul stops at a consular army of fewer than five CU; under the older rule the larger army of a proconsul
    does not part from a consul's, whichever of the two is on the march.
    """
    here, leader, sizes = stack.commander, force.generals[0], game.options["proconsul_size_rule"]
    if here is None:
        return False
    if game.offices.get(leader) == PROCONSUL and is_consul(game, here):
        return stack.cu < game.board.consular_army or (sizes and force.cu > stack.cu)
    if sizes and is_consul(game, leader):
        return game.offices.get(here) == PROCONSUL and stack.cu > force.cu
    return False
