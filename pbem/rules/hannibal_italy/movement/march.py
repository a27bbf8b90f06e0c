"""Movement: one order a march, until the side ends its phase (7.1 to 7.3, 7.6, 10.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from pbem.game import Table
from pbem.protocol import Decision, Fault, Flow, Order, Path, Side
from pbem.rules.hannibal_italy.movement import diplomacy, overrun
from pbem.rules.hannibal_italy.movement.paths import Route, Step, items_of, meant, named, route
from pbem.rules.hannibal_italy.movement.taking import (
    Taker,
    allowance,
    apply,
    may_not_stay,
    may_set_out,
    ready_to_march,
    share_out,
    takers,
)
from pbem.rules.hannibal_italy.position.forces import Units, added, put_loose, taken
from pbem.rules.hannibal_italy.position.leadership import candidates, chooser, hard_to_save, has_legion, try_to_withdraw
from pbem.rules.hannibal_italy.position.stacking import crowded, forbidden, why_not_enter
from pbem.rules.hannibal_italy.position.state import BOXES, CARTHAGE, ENEMY, Game
from pbem.rules.hannibal_italy.position.under_way import March
from pbem.rules.hannibal_italy.turn.control import enter

END: Final = {"end": True}


def march(game: Game, table: Table) -> Flow[bool]:
    """Ask for the next march and carry it out; the phase is over when its side ends it, or nobody is left (7.1)."""
    side = game.mover
    ready = ready_to_march(game, side)
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
    going = takers(order)
    together = [taker.leader for taker in going]
    side, start = game.card(together[0]).side, game.leaders[together[0]].at
    held = overrun.stops(game, side)
    steps = way_of(game, order, start, forbidden(game, side, together), held).steps
    if not _gets_away(game, table, order, together, leaves=any(step.hex or step.city for step in steps)):
        return
    table.tell("sets_out", leader=together[0], together=together[1:], hex=start, rule="7.1")
    _left_behind(game, table, together[0], start, apply(game, order, going))
    most = allowance(game, [game.leaders[leader].units for leader in together])
    game.march = March(together[0], together, start, 0, most, way=[start])
    _go(game, table, side, steps, held, overruns=bool(order.get("overrun")))
    _arrive(game, table, inside=order.get("inside"))


def way_of(game: Game, order: Order, start: str, closed: frozenset[str], held: frozenset[str]) -> Route:
    """Return the way of an order; where it is not spelled out it goes round `closed` hexes and `held` ones (7.2)."""
    around = closed if order.get("overrun") else closed | held
    return route(game.board, start, order.get("path", []), around)


def pinned(game: Game, leader: str) -> bool:
    """Tell whether an enemy leader stands in a leader's hex and is not shut up in its city (7.6)."""
    return bool(game.leaders_at(ENEMY[game.card(leader).side], game.leaders[leader].at, inside=False))


def _gets_away(game: Game, table: Table, order: Order, together: Sequence[str], *, leaves: bool) -> bool:
    """Let leaders who share their hex with an enemy leader roll to get away or inside; who fails stays (7.6).

    The number of him who commands serves all who go together (10.4). Where the enemy may say who does, of two consuls,
    it is the worse number, as the enemy would have it: nobody has to wait for that (10.3, 10.31).
    """
    leader = together[0]
    record, side = game.leaders[leader], game.card(leader).side
    if not pinned(game, leader) or not (leaves or (order.get("inside") and not record.inside)):
        return True
    able = candidates(game, side, together)
    own_choice = chooser(game, side, able) == side
    commander = (leader if leader in able else able[0]) if own_choice else max(able, key=partial(hard_to_save, game))
    if try_to_withdraw(game, table, commander, f"get-away/{commander}", rule="7.6"):
        return True
    game.held.extend(each for each in together if each not in game.held)
    open_to_them = game.friendly_city(side, record.at) and game.besieged(record.at) is None
    if game.options["trapped_fail"] == "inside" and open_to_them:
        for each in together:
            game.leaders[each].inside = True
    table.tell("held", leader=commander, hex=record.at, rule="7.6")
    return False


def _go(
    game: Game, table: Table, side: Side, steps: Sequence[Step], held: frozenset[str], *, overruns: bool
) -> None:  # fmt: skip
    """Go step by step to the end of the way, or to where the enemy ends the march, in one of `held` (7.2, 7.4, 7.7)."""
    march = game.the_march
    for step in steps:
        if step.city:
            if diplomacy.attempt(game, table, side, step.city):
                held = overrun.stops(game, side)  # a city won over holds nobody up any more
        elif step.drop:
            _drop(game, table, step.drop)
        else:
            _enter(game, march, step.hex)
            enter(game, table, step.hex)
            if step.hex in held:
                if not overruns or not overrun.ride_down(game, table, side):
                    return
                held = overrun.stops(game, side)


def _enter(game: Game, march: March, hex: str) -> None:
    """Let those who march enter the next hex (7.2, 7.3)."""
    march.spent += game.board.costs[march.at][hex]
    for leader in march.together:
        record = game.leaders[leader]
        record.came_from, record.at, record.inside, record.escaped = march.at, hex, False, False
    march.at = hex
    march.way.append(hex)


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
    enters = (
        bool(inside)
        and game.friendly_city(side, march.at)
        and game.besieged(march.at) is None
        and (stayed or not pinned(game, march.leader))
    )
    for leader in march.together:
        record = game.leaders[leader]
        record.inside = record.inside if inside is None and stayed else enters
    table.tell(
        "stays" if stayed else "marched", leader=march.leader, together=march.together[1:], hex=march.at,
        place=named(game.board, march.at), spent=march.spent, cost=points(march.spent),
        inside=game.leaders[march.leader].inside, way=list(march.way), rule="7.1",
    )  # fmt: skip
    game.march = None


# ---- what may be ordered


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a march, all at once: who goes, with what, where to (7.1 to 7.8, 10.2, 10.6, 12.21)."""
    if "end" in order.body:
        return
    side, going = decision.side, takers(order)
    together = [taker.leader for taker in going]
    faults = list(_wrong_leaders(view, side, order, going))
    yield from faults
    if faults:  # what can be said all the same, of him who leads and of the path
        if not _on_map(view, side, together[0]):
            return
        going, together = going[:1], together[:1]
        order = Order(order.kind, {key: value for key, value in order.body.items() if key != "with"})
    shares = share_out(view, order, going)
    yield from shares.faults
    closed, held = forbidden(view, side, together), overrun.stops(view, side)
    way = way_of(view, order, view.leaders[together[0]].at, closed, held)
    for wrong in way.astray:
        path: Path = ("path", wrong.at, wrong.key) if wrong.key else ("path", wrong.at)
        yield order.fault(path, wrong.reason, rule="7.2")
    if not faults and not way.astray:
        forces = [shares.units[leader] for leader in together]
        yield from _Way(view, side, order, together, forces, closed, held).faults(way.steps)


def _on_map(view: Game, side: Side, leader: str) -> bool:
    return leader in view.board.roster[side] and view.leaders[leader].at not in BOXES


def _wrong_leaders(view: Game, side: Side, order: Order, going: Sequence[Taker]) -> Iterator[Fault]:
    start, named_so_far = "", set[str]()
    for taker in going:
        leader, path = taker.leader, taker.at
        if not _on_map(view, side, leader):
            ready = ready_to_march(view, side)
            reason = f"{leader} is no leader of yours on the map{meant(leader, ready)}; {', '.join(ready)} can move"
            yield order.fault(path, reason.replace("?;", "?"), rule="7.1")
            continue
        if leader in named_so_far:
            yield order.fault(path, f"{leader} is named twice", rule="7.1")
        elif (why := may_set_out(view, leader)) is not None:
            yield order.fault(path, f"{leader} {why[0]}", rule=why[1])
        named_so_far.add(leader)
        start = start or view.leaders[leader].at
        if view.leaders[leader].at != start:
            yield order.fault(path, f"{leader} is not where {going[0].leader} is", rule="7.2")


class _Way:
    """The way of an order while it is checked: where it has come to, what it has cost, who is still along.

    `closed` are the hexes that may not be entered, `held` those in which the enemy ends it.
    """

    def __init__(
        self, view: Game, side: Side, order: Order, together: Sequence[str], forces: Sequence[Units],
        closed: frozenset[str], held: frozenset[str],
    ) -> None:  # fmt: skip
        self.view, self.side, self.order, self.together = view, side, order, together
        self.forces, self.closed, self.held = list(forces), closed, held
        self.at = self.start = view.leaders[together[0]].at
        self.spent, self.most = 0, allowance(view, forces)
        self.stopped = self.dear = self.tired = False
        self.too_weak: str | None = None
        """Who has left so much on the way that he may not go on."""
        self.tried: set[str] = set()
        self.wrong: list[Fault] = []

    def fault(self, item: int, reason: str, rule: str, *keys: str) -> None:
        """Note what is wrong with an item of the path; a path of one text has no items."""
        path: Path = ("path", item, *keys)
        self.wrong.append(self.order.fault(path, reason, rule=rule))

    def faults(self, steps: Sequence[Step]) -> list[Fault]:
        """Return what is wrong with the way: its cost, forbidden hexes, an enemy in it, too many at its end."""
        for step in steps:
            if self.stopped:
                place = named(self.view.board, self.at)
                self.fault(step.item, f"the march ends where the enemy is, at {place}", "7.2")
                return self.wrong
            if step.city:
                self.diplomacy(step)
            elif step.drop:
                self.drop(step, step.drop)
            else:
                self.enter(step)
            if self.spent > self.most and not self.dear:
                self.dear = True
                reason = f"this costs {points(self.spent)} movement points; {self.together[0]} has {points(self.most)}"
                self.fault(step.item, reason, "7.3")
        self.end()
        return self.wrong

    def diplomacy(self, step: Step) -> None:
        """Note why diplomacy may not be tried (7.4)."""
        view = self.view
        self.spent += int(view.board.tables["movement"]["diplomacy"])
        for why, rule in diplomacy.why_not(view, self.side, self.together, self.at, step.city):
            self.fault(step.item, why, rule, "try")
        if step.city in self.tried:
            name = view.board.cities[step.city].name
            self.fault(step.item, f"{name} can be tried once in a segment", "7.4", "try")
        self.tried.add(step.city)

    def drop(self, step: Step, units: Mapping[str, int]) -> None:
        """Note why units may not be left here: they are not along, or slaves (7.2, 6.22)."""
        board, missing = self.view.board, False
        along = added(*self.forces)
        for unit, count in units.items():
            if along.get(unit, 0) < count:
                there = ", ".join(f"{number} {each}" for each, number in along.items()) or "none"
                self.fault(step.item, f"{count} {unit} are not along; there are {there}", "7.2", "drop", unit)
                missing = True
            elif board.units[unit].whole == "slaves":
                self.fault(step.item, "the slave legion stays with its leader", "6.22", "drop", unit)
        if self.at == self.start and may_not_stay(self.view, self.together[0]):
            self.fault(step.item, "nobody goes into a besieged city", "9.71", "drop")
            return
        if missing:
            return
        self.forces = dropped(self.forces, units)
        self.most = allowance(self.view, self.forces)
        able = zip(self.together, self.forces, strict=True)
        self.too_weak = next((leader for leader, force in able if not has_legion(self.view, leader, force)), None)

    def enter(self, step: Step) -> None:
        """Note why the next hex may not be entered (7.7, 10.2, 10.6, 12.21)."""
        view = self.view
        if step.hex in self.closed and (why := why_not_enter(view, self.side, self.together, step.hex)) is not None:
            self.fault(step.item, *why)
        if self.too_weak is not None and self.at != self.start and not self.tired:
            self.tired = True
            self.fault(step.item, f"{self.too_weak} has no legion left to go on with", "10.2")
        self.spent += view.board.costs[self.at][step.hex]
        self.at = step.hex
        if self.at in self.held:
            if self.order.get("overrun") and overrun.possible(view, self.at):
                self.spent += int(view.board.tables["movement"]["overrun"]["cost"])
                self.crowd(step.item)
            else:
                self.stopped = True

    def crowd(self, item: int) -> None:
        """Note that too many leaders would be where the march ends, or may end (7.8)."""
        if crowded(self.view, self.side, self.at, self.together):
            most = self.view.board.tables["stacking"]["leaders"]
            reason = f"too many leaders would be at {named(self.view.board, self.at)}; {most} may be"
            if item < 0:
                self.wrong.append(self.order.fault(("leader",), reason, rule="7.8"))
            else:
                self.fault(item, reason, "7.8")

    def end(self) -> None:
        """Note what is wrong with where the march ends: too many, no city to go into (7.6, 7.8)."""
        view, order = self.view, self.order
        self.crowd(len(items_of(order.get("path", []))) - 1)
        if not order.get("inside"):
            return
        place, wrong = named(view.board, self.at), partial(order.fault, ("inside",))
        if not view.friendly_city(self.side, self.at):
            self.wrong.append(wrong(f"there is no city of yours at {place} to go into", rule="7.6"))
        elif view.besieged(self.at) is not None:
            self.wrong.append(wrong(f"{place} is besieged: nobody goes in", rule="9.71"))
        elif view.leaders_at(ENEMY[self.side], self.at, inside=False):
            if self.at != self.start:
                self.wrong.append(wrong(f"an enemy leader is at {place}: who comes stays outside", rule="7.6"))
        elif view.options["going_inside"] == "when_trapped":
            self.wrong.append(wrong("only who is trapped by an enemy leader goes inside", rule="7.6"))


def points(halves: int) -> str:
    """Return half movement points as a text: 25 is 12.5."""
    return f"{halves // 2}.5" if halves % 2 else str(halves // 2)
