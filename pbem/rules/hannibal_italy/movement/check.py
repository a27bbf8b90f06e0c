"""The check of a march: everything that is wrong with an order, all at once (7.1 to 7.8, 10.2, 10.6, 12.21)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.game import Refusal
from pbem.protocol import Decision, Fault, Order, Path, Side
from pbem.rules.hannibal_italy.movement import diplomacy, overrun
from pbem.rules.hannibal_italy.movement.march import MarchPlan, lay_out
from pbem.rules.hannibal_italy.movement.orders import MarchOrder, illegal
from pbem.rules.hannibal_italy.movement.paths import Step, points
from pbem.rules.hannibal_italy.movement.taking import (
    NOT_INTO_A_SIEGE,
    allowance,
    dropped,
    may_not_stay,
    ready_to_march,
    why_not_set_out,
    wrong_shares,
)
from pbem.rules.hannibal_italy.position.forces import added
from pbem.rules.hannibal_italy.position.leadership import crowded, has_legion, why_not_enter
from pbem.rules.hannibal_italy.position.naming import (
    leader_named,
    leaders_named,
    place_named,
    unit_named,
    units_named,
    why_not_at_hand,
)
from pbem.rules.hannibal_italy.position.state import BOXES, ENEMY, Game


def check(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with a march: who goes, with what, where to.

    Where a leader may not go, the units of the first one and the path are checked all the same.
    """
    march = MarchOrder.read(order)
    if march is None:
        return
    wrong_leaders = list(_wrong_leaders(view, decision.side, march))
    yield from wrong_leaders
    if wrong_leaders:
        march = march.alone()
        if not _on_map(view, decision.side, march.going[0].leader):
            return
    if "path" not in order.body:
        yield order.fault(
            ("leader",), f"{leader_named(view.board, order['leader'])} has no path; who stays has path: []", rule="7.2"
        )
    plan = lay_out(view, march)
    yield from wrong_shares(view, plan.division)
    for astray in plan.route.astray:
        path: Path = ("path", astray.at, astray.key) if astray.key else ("path", astray.at)
        yield illegal(path, Refusal(astray.reason, "7.2"))
    if not plan.route.astray:
        walk = _Walk(view, plan).faults()
        yield from (fault for fault in walk if not wrong_leaders or "drop" not in fault.path)


def _on_map(view: Game, side: Side, leader: str) -> bool:
    return leader in view.board.roster[side] and view.leaders[leader].at not in BOXES


def _wrong_leaders(view: Game, side: Side, march: MarchOrder) -> Iterator[Fault]:
    """Yield which leaders of an order may not go, or not with the first one (7.1, 7.2)."""
    start, named_so_far = "", set[str]()
    for marcher in march.going:
        leader = marcher.leader
        if not _on_map(view, side, leader):
            ready = leaders_named(view.board, ready_to_march(view, side))
            reason = f"{why_not_at_hand(view, side, leader)}; who can move: {ready}"
            yield illegal(marcher.at, Refusal(reason.replace("?;", "?"), "7.1"))
            continue
        name = leader_named(view.board, leader)
        if leader in named_so_far:
            yield illegal(marcher.at, Refusal(f"{name} is named twice", "7.1"))
        elif (refusal := why_not_set_out(view, leader)) is not None:
            yield illegal(marcher.at, Refusal(f"{name} {refusal.reason}", refusal.rule))
        named_so_far.add(leader)
        start = start or view.leaders[leader].at
        if view.leaders[leader].at != start:
            reason = (
                f"{name} is at {_place(view, view.leaders[leader].at)}; who marches together starts together, here at"
            )
            yield illegal(marcher.at, Refusal(f"{reason} {_place(view, start)}", "7.2"))


def _place(view: Game, hex: str) -> str:
    return place_named(view.board, hex)


class _Walk:
    """The way of a march while it is checked: where it has got to, what it has cost, which units are still along."""

    def __init__(self, view: Game, plan: MarchPlan) -> None:
        self.view, self.plan = view, plan
        self.at, self.forces = plan.start, plan.division.forces
        self.spent, self.most = 0, allowance(view, self.forces)
        self.stopped = self.dear = self.tired = False
        self.too_weak: str | None = None
        """The leader who has left so many units on the way that they may not go on."""
        self.tried: set[str] = set()
        self.wrong: list[Fault] = []

    def refuse(self, item: int, refusal: Refusal, *keys: str) -> None:
        """Note that an item of the path is refused."""
        self.wrong.append(illegal(("path", item, *keys), refusal))

    def faults(self) -> list[Fault]:
        """Return what is wrong with the way: its cost, forbidden hexes, an enemy in it, too many at its end."""
        for step in self.plan.route.steps:
            if self.stopped:
                reason = f"the march ends where the enemy is, at {_place(self.view, self.at)}"
                self.refuse(step.item, Refusal(reason, "7.2"))
                return self.wrong
            if step.city:
                self.diplomacy(step)
            elif step.drop:
                self.drop(step, step.drop)
            else:
                self.enter(step)
            if self.spent > self.most and not self.dear:
                self.dear = True
                there = f"{leader_named(self.view.board, self.plan.leader)} has {points(self.most)}"
                self.refuse(step.item, Refusal(f"this costs {points(self.spent)} movement points; {there}", "7.3"))
        self.end()
        return self.wrong

    def diplomacy(self, step: Step) -> None:
        """Note why diplomacy may not be tried (7.4)."""
        view = self.view
        self.spent += int(view.board.tables["movement"]["diplomacy"])
        if (refusal := diplomacy.why_not(view, self.plan.side, self.at, step.city)) is not None:
            self.refuse(step.item, refusal, "try")
        if step.city in self.tried:
            name = view.board.cities[step.city].name
            self.refuse(step.item, Refusal(f"{name} can be tried once in a segment", "7.4"), "try")
        self.tried.add(step.city)

    def drop(self, step: Step, units: Mapping[str, int]) -> None:
        """Note why units may not be left here: they are not along, or slaves (7.2, 6.22)."""
        missing = False
        along = added(*self.forces)
        for unit, count in units.items():
            if along.get(unit, 0) < count:
                board = self.view.board
                reason = f"{count} {unit_named(board, unit)} are not along; there are {units_named(board, along)}"
                self.refuse(step.item, Refusal(reason, "7.2"), "drop", unit)
                missing = True
            elif self.view.board.units[unit].whole == "slaves":
                self.refuse(step.item, Refusal("the slave legion stays with its leader", "6.22"), "drop", unit)
        if self.at == self.plan.start and may_not_stay(self.view, self.plan.leader):
            self.refuse(step.item, NOT_INTO_A_SIEGE, "drop")
            return
        if missing:
            return
        self.forces = dropped(self.forces, units)
        self.most = allowance(self.view, self.forces)
        able = zip(self.plan.leaders, self.forces, strict=True)
        self.too_weak = next((leader for leader, force in able if not has_legion(self.view, leader, force)), None)

    def enter(self, step: Step) -> None:
        """Note why the next hex may not be entered (7.7, 10.2, 10.6, 12.21)."""
        view, plan = self.view, self.plan
        if step.hex in plan.closed and (refusal := why_not_enter(view, plan.side, plan.leaders, step.hex)) is not None:
            self.refuse(step.item, refusal)
        if self.too_weak is not None and self.at != plan.start and not self.tired:
            self.tired = True
            name = leader_named(view.board, self.too_weak)
            self.refuse(step.item, Refusal(f"{name} has no legion left to go on with", "10.2"))
        self.spent += view.board.costs[self.at][step.hex]
        self.at = step.hex
        if self.at in plan.held:
            if plan.order.overruns and overrun.possible(view, self.at):
                self.spent += int(view.board.tables["movement"]["overrun"]["cost"])
                if (refusal := overrun.why_not(view, plan.side, self.at, self.forces)) is not None:
                    self.refuse(step.item, refusal)
                if (full := self.crowd()) is not None:
                    self.refuse(step.item, full)
            else:
                self.stopped = True

    def crowd(self) -> Refusal | None:
        """Say whether too many leaders would be where the march ends, or may end (7.8)."""
        if not crowded(self.view, self.plan.side, self.at, self.plan.leaders):
            return None
        most = self.view.board.tables["stacking"]["leaders"]
        return Refusal(f"too many leaders would be at {_place(self.view, self.at)}; {most} may be", "7.8")

    def end(self) -> None:
        """Note what is wrong with where the march ends: too many leaders, no city to go into (7.6, 7.8)."""
        last = len(self.plan.order.path) - 1
        if (full := self.crowd()) is not None:
            self.wrong.append(illegal(("path", last) if last >= 0 else ("leader",), full))
        if self.plan.order.inside and (refusal := self.why_not_inside()) is not None:
            self.wrong.append(illegal(("inside",), refusal))

    def why_not_inside(self) -> Refusal | None:
        """Say why leaders may not go into the city where the march ends (7.6, 9.71)."""
        view, side, place = self.view, self.plan.side, _place(self.view, self.at)
        if not view.friendly_city(side, self.at):
            return Refusal(f"there is no city of yours at {place} to go into", "7.6")
        if view.besieged(self.at) is not None:
            return Refusal(f"{place} is besieged: nobody goes in", "9.71")
        if view.leaders_at(ENEMY[side], self.at, inside=False):
            came = self.at != self.plan.start
            return Refusal(f"an enemy leader is at {place}: who comes stays outside", "7.6") if came else None
        if view.options["going_inside"] == "when_trapped":
            return Refusal(f"only who is trapped by an enemy leader goes inside, and none is at {place}", "7.6")
        return None
