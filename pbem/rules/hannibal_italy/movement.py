"""Movement: one order a march, until the side ends its phase (7.1 to 7.3, 7.6, 10.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pbem.plain import copy
from pbem.protocol import Decision, Fault, Flow, Order, Side
from pbem.rules.hannibal_italy import diplomacy, overrun
from pbem.rules.hannibal_italy.board import CAPUA
from pbem.rules.hannibal_italy.control import enter
from pbem.rules.hannibal_italy.forces import Units, added, put_loose, taken
from pbem.rules.hannibal_italy.leadership import candidates, has_legion, try_to_withdraw
from pbem.rules.hannibal_italy.paths import Route, Step, cost_of, items_of, named, route, written
from pbem.rules.hannibal_italy.stacking import capua_shut, crowded, why_not_enter
from pbem.rules.hannibal_italy.state import CARTHAGE, ENEMY, Game
from pbem.rules.hannibal_italy.taking import allowance, apply, may_set_out, share_out, takers
from pbem.rules.hannibal_italy.under_way import March
from pbem.table import Table

END: Final = {"end": True}


def march(game: Game, table: Table) -> Flow[bool]:
    """Ask for the next march and carry it out; the phase is over when its side ends it, or nobody is left (7.1)."""
    side = game.mover
    ready = [leader for leader in game.on_map(side) if may_set_out(game, leader) is None]
    if not ready:
        return True
    # What Carthage's leaders take along is not for Rome to read, nor where they might have gone on to (7.5).
    order = yield from table.ask(
        side, "move", rule="7.1", default=END, secret=side == CARTHAGE, year=game.year, segment=game.segment,
        leaders=ready,
    )  # fmt: skip
    if "end" in order.body:
        table.tell("movement_ends", side=side, rule="7.1")
        return True
    set_out(game, table, order)
    return False


def set_out(game: Game, table: Table, order: Order) -> None:
    """Carry out one march: get away if pinned, take the units, and go step by step (7.1, 7.2, 7.6)."""
    together = [taker.leader for taker in takers(order)]
    side, start = game.card(together[0]).side, game.leaders[together[0]].at
    steps = way_of(game, side, order, together).steps
    if not _gets_away(game, table, order, together, leaves=any(step.hex for step in steps)):
        return
    table.tell("sets_out", leader=together[0], together=together[1:], hex=start, rule="7.1")
    _left_behind(game, table, together[0], start, apply(game, order))
    most = allowance(game, [game.leaders[leader].units for leader in together])
    game.march = March(together[0], together, start, 0, most, way=[start])
    for at, step in enumerate(steps):
        game.march.path = written(steps[at + 1 :])
        if not _one_step(game, table, side, step, overruns=bool(order.get("overrun"))):
            break
    _arrive(game, table, inside=order.get("inside"))


def after(known: Game, decision: Decision, order: Order) -> tuple[Game, Decision] | None:
    """Return the position after a march and the next question, as its side knows them (7.1).

    None: the phase is over, or dice or a hidden enemy have a say.
    """
    tries = any(isinstance(item, Mapping) and "try" in item for item in items_of(order.get("path", [])))
    if "end" in order.body or order.get("overrun") or tries:
        return None
    then = copy(known)
    try:
        set_out(then, Table(_NoDice()), order)
    except _NotYet:
        return None
    ready = [leader for leader in then.on_map(decision.side) if may_set_out(then, leader) is None]
    return (then, replace(decision, facts={**decision.facts, "leaders": ready})) if ready else None


class _NotYet(Exception):
    """A die would have to be rolled."""


class _NoDice:
    """Dice for what can be foreseen: none is ever rolled."""

    def faces(self, name: str, count: int, sides: int) -> list[int]:
        raise _NotYet(name)

    def shuffled(self, name: str, items: Sequence[Any]) -> list[Any]:
        raise _NotYet(name)

    def turn_to(self, step_key: bytes) -> None:
        raise _NotYet


def way_of(game: Game, side: Side, order: Order, together: Sequence[str]) -> Route:
    """Return the way of an order; where it is not spelled out it goes round the enemy and forbidden hexes (7.2)."""
    shut = frozenset({game.board.cities[CAPUA].hex} if capua_shut(game, side) else ())
    around = shut if order.get("overrun") else shut | overrun.stops(game, side)
    gaulish = any(game.card(leader).gaulish for leader in together)
    never = frozenset(game.board.hexes.keys() - game.board.gaulish if gaulish else ())
    return route(game.board, game.leaders[together[0]].at, order.get("path", []), around=around, never=never)


def pinned(game: Game, leader: str) -> bool:
    """Tell whether an enemy leader stands in a leader's hex and is not shut up in its city (7.6)."""
    return bool(game.leaders_at(ENEMY[game.card(leader).side], game.leaders[leader].at, inside=False))


def _gets_away(game: Game, table: Table, order: Order, together: Sequence[str], *, leaves: bool) -> bool:
    """Let leaders who share their hex with an enemy leader roll to get away or inside; who fails stays (7.6).

    The number of him who commands serves all who go together (10.4).
    """
    leader = together[0]
    record, side = game.leaders[leader], game.card(leader).side
    if not pinned(game, leader) or not (leaves or (order.get("inside") and not record.inside)):
        return True
    able = candidates(game, side, together)
    commander = leader if leader in able else able[0]
    if try_to_withdraw(game, table, commander, f"get-away/{commander}", rule="7.6"):
        return True
    game.held.extend(each for each in together if each not in game.held)
    if game.options["trapped_fail"] == "inside" and game.friendly_city(side, record.at):
        for each in together:
            game.leaders[each].inside = True
    table.tell("held", leader=commander, hex=record.at, rule="7.6")
    return False


def _one_step(game: Game, table: Table, side: Side, step: Step, *, overruns: bool) -> bool:
    """Do one thing on the way; tell whether the march goes on (7.2, 7.4, 7.7)."""
    march = game.the_march
    if step.city:
        return diplomacy.attempt(game, table, side, step.city)
    if step.drop:
        _drop(game, table, step.drop)
        return True
    march.spent += cost_of(game.board, march.at, step.hex)
    for leader in march.together:
        record = game.leaders[leader]
        record.came_from, record.at, record.inside, record.escaped = march.at, step.hex, False, False
    march.at = step.hex
    march.way.append(step.hex)
    enter(game, table, step.hex)
    if overrun.enemy_in(game, side, step.hex):
        return overruns and overrun.ride_down(game, table, side)
    return True


def _drop(game: Game, table: Table, units: Mapping[str, int]) -> None:
    """Leave units on the way; they do not march again in this phase, and the others may be quicker now (7.2, 7.3)."""
    march = game.the_march
    left = dropped([game.leaders[leader].units for leader in march.together], units)
    for leader, force in zip(march.together, left, strict=True):
        game.leaders[leader].units = force
    put_loose(game, game.card(march.leader).side, march.at, units)
    if len(march.way) > 1:
        game.dropped[march.at] = added(game.dropped.get(march.at, {}), units)
    march.allowance = allowance(game, left)
    _left_behind(game, table, march.leader, march.at, units)


def dropped(forces: Sequence[Mapping[str, int]], units: Mapping[str, int]) -> list[Units]:
    """Return forces without units that they leave, the first one's before the next one's."""
    left, need = [], dict(units)
    for force in forces:
        some = {unit: min(count, force.get(unit, 0)) for unit, count in need.items() if force.get(unit)}
        left.append(taken(force, some))
        need = taken(need, some)
    return left


def _left_behind(game: Game, table: Table, leader: str, hex: str, units: Mapping[str, int]) -> None:
    """Tell that units stay without a leader; which ones Carthage leaves is its own affair (7.5)."""
    if units:
        side = game.card(leader).side
        table.tell("left_behind", leader=leader, hex=hex, side=side, rule="7.2")
        to = None if side != CARTHAGE or game.options["leaderless_seen"] == "all" else [CARTHAGE]
        table.tell("units_left", hex=hex, units=dict(units), to=to, rule="7.2")


def _arrive(game: Game, table: Table, *, inside: bool | None) -> None:
    """End a march: the leaders have moved, and go inside their city if they are told to (7.6)."""
    march = game.the_march
    side = game.card(march.leader).side
    game.moved.extend(march.together)
    stayed = len(march.way) == 1
    open_to_them = game.friendly_city(side, march.at) and game.besieged(march.at) is None
    enters = bool(inside) and open_to_them and (stayed or not pinned(game, march.leader))
    for leader in march.together:
        record = game.leaders[leader]
        record.inside = record.inside if inside is None and stayed else enters
    table.tell(
        "stays" if stayed else "marched", leader=march.leader, together=march.together[1:], hex=march.at,
        place=named(game.board, march.at),
        spent=march.spent, inside=game.leaders[march.leader].inside, way=list(march.way), rule="7.1",
    )  # fmt: skip
    game.march = None


# ---- what may be ordered


def check(known: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a march, all at once: who goes, with what, where to (7.1 to 7.8, 10.2, 10.6, 12.21)."""
    if "end" in order.body:
        return
    together = [taker.leader for taker in takers(order)]
    faults = list(_wrong_leaders(known, decision.side, order, together))
    yield from faults
    if faults:
        return
    shares = share_out(known, order)
    yield from shares.faults
    way = way_of(known, decision.side, order, together)
    for wrong in way.astray:
        path = ("path",) if isinstance(order["path"], str) else ("path", wrong.at)
        yield order.fault((*path, wrong.key) if wrong.key else path, wrong.reason, rule="7.2")
    if not way.astray:
        forces = [shares.units[leader] for leader in together]
        yield from _Way(known, decision.side, order, together, forces).faults(way.steps)


def _wrong_leaders(known: Game, side: Side, order: Order, together: Sequence[str]) -> Iterator[Fault]:
    start = None
    for at, taker in enumerate(takers(order)):
        leader, path = taker.leader, taker.at
        if leader not in known.leaders or known.card(leader).side != side or leader not in known.on_map(side):
            able = ", ".join(each for each in known.on_map(side) if may_set_out(known, each) is None)
            yield order.fault(path, f"{leader} is no leader of yours on the map; {able} can move", rule="7.1")
            continue
        if leader in together[:at]:
            yield order.fault(path, f"{leader} is named twice", rule="7.1")
        elif (why := may_set_out(known, leader)) is not None:
            yield order.fault(path, f"{leader} {why[0]}", rule=why[1])
        start = start or known.leaders[leader].at
        if known.leaders[leader].at != start:
            yield order.fault(path, f"{leader} is not where {together[0]} is", rule="7.2")


class _Way:
    """The way of an order while it is checked: where it has come to, what it has cost, who is still along."""

    def __init__(self, known: Game, side: Side, order: Order, together: Sequence[str], forces: Sequence[Units]) -> None:
        self.known, self.side, self.order, self.together = known, side, order, together
        self.forces = list(forces)
        self.at = self.start = known.leaders[together[0]].at
        self.spent, self.most = 0, allowance(known, forces)
        self.held = overrun.stops(known, side)
        self.stopped = self.dear = self.weak = False
        self.tried: set[str] = set()

    def path(self, item: int) -> tuple[str | int, ...]:
        """Return where an item of the path stands in the order; a path of one text has no items."""
        return ("path",) if isinstance(self.order["path"], str) else ("path", item)

    def faults(self, steps: Sequence[Step]) -> Iterator[Fault]:
        """Yield what is wrong with the way: its cost, forbidden hexes, an enemy in it, too many at its end."""
        for step in steps:
            path = self.path(step.item)
            if self.stopped:
                reason = f"the march ends where the enemy is, at {named(self.known.board, self.at)}"
                yield self.order.fault(path, reason, rule="7.2")
                return
            if step.city:
                yield from self.diplomacy(step, path)
            elif step.drop:
                yield from self.drop(step.drop, path)
            else:
                yield from self.enter(step, path)
            if self.spent > self.most and not self.dear:
                self.dear = True
                reason = f"this costs {points(self.spent)} movement points; {self.together[0]} has {points(self.most)}"
                yield self.order.fault(path, reason, rule="7.3")
        yield from self.end()

    def diplomacy(self, step: Step, path: tuple[str | int, ...]) -> Iterator[Fault]:
        """Yield why diplomacy may not be tried (7.4)."""
        known = self.known
        self.spent += int(known.board.tables["movement"]["diplomacy"])
        for why, rule in diplomacy.why_not(known, self.side, self.together, self.at, step.city):
            yield self.order.fault((*path, "try"), why, rule=rule)
        if step.city in self.tried:
            name = known.board.cities[step.city].name
            yield self.order.fault((*path, "try"), f"{name} can be tried once in a segment", rule="7.4")
        self.tried.add(step.city)

    def drop(self, units: Mapping[str, int], path: tuple[str | int, ...]) -> Iterator[Fault]:
        """Yield why units may not be left here: they are not along, or slaves (7.2, 6.22)."""
        board, wrong = self.known.board, False
        along = added(*self.forces)
        for unit, count in units.items():
            if along.get(unit, 0) < count:
                there = ", ".join(f"{number} {each}" for each, number in along.items()) or "none"
                reason = f"{count} {unit} are not along; there are {there}"
                yield self.order.fault((*path, "drop", unit), reason, rule="7.2")
                wrong = True
            elif board.units[unit].whole == "slaves":
                yield self.order.fault((*path, "drop", unit), "the slave legion stays with its leader", rule="6.22")
        if not wrong:
            self.forces = dropped(self.forces, units)
            self.most = allowance(self.known, self.forces)

    def enter(self, step: Step, path: tuple[str | int, ...]) -> Iterator[Fault]:
        """Yield why the next hex may not be entered (7.7, 10.2, 10.6, 12.21)."""
        known, order = self.known, self.order
        if (why := why_not_enter(known, self.side, self.together, step.hex)) is not None:
            yield order.fault(path, why[0], rule=why[1])
        for leader, force in zip(self.together, self.forces, strict=True):
            if self.at != self.start and not self.weak and not has_legion(known, leader, force):
                self.weak = True
                yield order.fault(path, f"{leader} has no legion left to go on with", rule="10.2")
        self.spent += cost_of(known.board, self.at, step.hex)
        self.at = step.hex
        if self.at in self.held:
            if order.get("overrun") and overrun.possible(known, self.at):
                self.spent += int(known.board.tables["movement"]["overrun"]["cost"])
                yield from self.crowd(path)
            else:
                self.stopped = True

    def crowd(self, path: tuple[str | int, ...]) -> Iterator[Fault]:
        """Yield that too many leaders would be where the march ends, or may end (7.8)."""
        if crowded(self.known, self.side, self.at, self.together):
            most = self.known.board.tables["stacking"]["leaders"]
            reason = f"too many leaders would be at {named(self.known.board, self.at)}; {most} may be"
            yield self.order.fault(path, reason, rule="7.8")

    def end(self) -> Iterator[Fault]:
        """Yield what is wrong with where the march ends: too many, no city to go into (7.6, 7.8)."""
        known, order = self.known, self.order
        last = len(items_of(order.get("path", []))) - 1
        yield from self.crowd(self.path(last) if last >= 0 else ("leader",))
        if not order.get("inside"):
            return
        place = named(known.board, self.at)
        if not known.friendly_city(self.side, self.at):
            yield order.fault(("inside",), f"there is no city of yours at {place} to go into", rule="7.6")
        elif known.besieged(self.at) is not None:
            yield order.fault(("inside",), f"{place} is besieged: nobody goes in", rule="9.71")
        elif known.leaders_at(ENEMY[self.side], self.at, inside=False):
            if self.at != self.start:
                yield order.fault(("inside",), f"an enemy leader is at {place}: who comes stays outside", rule="7.6")
        elif known.options["going_inside"] == "when_trapped":
            yield order.fault(("inside",), "only who is trapped by an enemy leader goes inside", rule="7.6")


def points(halves: int) -> str:
    """Return half movement points as a text: 25 is 12 1/2."""
    whole, half = divmod(halves, 2)
    return f"{whole} 1/2" if half and whole else "1/2" if half else str(whole)
