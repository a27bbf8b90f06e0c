"""All that can be ordered to an active leader or to the force that he leads, put together lazily (9).

Legal orders go one step and ask again, so that every march can be put together from them; but none drops units and
takes others in the same place. A player may write more at once: a whole path, which `march_check` checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from pbem.game import Kind, LegalOrders, concat, flat_map, lazy, of, product
from pbem.protocol import Decision, Order
from pbem.rules.sword_of_rome.movement.exchange import added, exchanges, part_named
from pbem.rules.sword_of_rome.movement.fatigue import legs_with, legs_without, points_left, setting_out
from pbem.rules.sword_of_rome.movement.flanks import WayToFlank, ways_to_flank
from pbem.rules.sword_of_rome.movement.march_check import (
    can_leave,
    check_flank,
    check_march,
    is_inside,
    most_cu,
    why_no_sortie,
    why_not_attack_unrest,
    why_not_roll_now,
)
from pbem.rules.sword_of_rome.movement.orders import ASK, ATTACK_UNREST, STOP, Wanted
from pbem.rules.sword_of_rome.movement.parts import companies, part_of, rest_of, strengths, told
from pbem.rules.sword_of_rome.movement.paths import onward, overseas, why_no_end_from, why_not_end, why_not_raid
from pbem.rules.sword_of_rome.movement.voyages import room_at_sea
from pbem.rules.sword_of_rome.position.board import SEA
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.position.under_way import March
from pbem.rules.sword_of_rome.siege.unrest import fresh_cu

Units: TypeAlias = tuple[int, int]
"""CU, and the mercenaries among them."""
Reach: TypeAlias = tuple[bool, bool, int]
"""What decides where a force may go: CU or none, a leader who never leaves his home or none (17.1.1), its points."""
Steps: TypeAlias = dict[Reach, list[tuple[dict[str, Any], int]]]
"""The steps by sea of a force, each with the CU that may take it."""


# ---- where he stands, or is


def marches(view: Game, decision: Decision) -> LegalOrders:
    """List every order to the active leader: to stay, to roll, to sortie, or to take one step and ask again (9)."""
    march = view.the_march
    if march.force.empty:
        few = list(_standing(view, march))
        return of(few) if is_inside(view, march) else concat(of(few), lazy(lambda: _departures(view, march)))
    few = []
    if why_not_end(view, march, march.at) is None or not can_leave(view, march):
        few.append(Order("march", {"then": STOP}))
    if why_not_attack_unrest(view, march) is None:
        few.append(Order("march", {"then": ATTACK_UNREST}))
    few += _raids(view, march)
    return concat(of(few), lazy(lambda: _steps(view, march)))


def _standing(view: Game, march: March) -> Iterator[Order]:
    """Yield what the active leader can do where he stands."""
    yield Order("march", {"then": STOP})
    if why_not_roll_now(view, march) is None:
        yield Order("march", {"roll": True})
    if why_no_sortie(view, march) is None:
        yield Order("march", {"sortie": True})
    if not is_inside(view, march):
        stack = view.force(march.power, march.at)
        whole = march.as_if(part_of(stack, Wanted(), march.leader, most_cu(view)))
        yield from _raids(view, whole)
        whole.force.cu = min(whole.force.cu, fresh_cu(view))
        if why_not_attack_unrest(view, whole) is None:
            yield from (
                Order("march", {**told(cu, mercenaries, stack), "then": ATTACK_UNREST})
                for cu, mercenaries in strengths(view, stack, (march.leader,), 1, whole.force.cu)
            )


def _raids(view: Game, march: March) -> list[Order]:
    """List the raid, unless it takes the points without which the army cannot stop anywhere (14.2, 16.3)."""
    if why_not_raid(view, march) is not None:
        return []
    came_from, left = march.came_from or march.at, points_left(view, march) - 1
    stuck = why_no_end_from(view, march, march.at, left, came_from, march.came_by)
    return [Order("march", {"raid": 1, "then": ASK})] if stuck is None else []


# ---- steps


def _departures(view: Game, march: March) -> LegalOrders:
    """List every force that can set out, with every first step (9.1.1, 9.1.2)."""
    stack = view.force(march.power, march.at)
    steps: Steps = {}
    return flat_map(
        lambda others: _setting_out(view, march, stack, others, steps), list(companies(view, stack, march.leader))
    )


def _setting_out(view: Game, march: March, stack: Force, others: tuple[str, ...], steps: Steps) -> LegalOrders:
    """List the first steps of a leader with some others: by land alone or with CU, by sea as the fleet carries.

    What has been found for one company is kept in `steps` for the others.
    """
    leaders = [march.leader, *others]

    def order(units: Units, step: dict[str, Any]) -> Order:
        force = {**told(*units, stack), "with": list(others)}
        return Order("march", {**force, "path": [step], "then": ASK})

    def by_sea(units: list[Units], trial: March) -> LegalOrders:
        ports = _first_ports(view, trial, steps)
        parts = [product(order, [each for each in units if each[0] <= room], [step]) for step, room in ports]
        return concat(*parts)

    def parts() -> Iterator[LegalOrders]:
        for trial, units in _alike(view, march, leaders, strengths(view, stack, leaders, 0, most_cu(view))):
            yield product(order, units, [{"to": to} for to in onward(view, trial)])
            yield lazy(partial(by_sea, units, trial))

    return concat(*parts())


def _alike(view: Game, march: March, leaders: list[str], some: Sequence[Units]) -> list[tuple[March, list[Units]]]:
    """Put units together that go alike: none, or all those with as many points; each lot with a march of the first.

    In a Campaign a larger force may have units that have gone farther (9.5.2).
    """
    found: dict[Reach, tuple[March, list[Units]]] = {}
    for cu, mercenaries in some:
        trial = setting_out(view, march, Force(cu, mercenaries, leaders))
        _, units = found.setdefault(_reach(view, trial), (trial, []))
        units.append((cu, mercenaries))
    return list(found.values())


def _reach(view: Game, trial: March) -> Reach:
    leaders = view.board.leaders
    stays = any(leaders[leader].stays for leader in trial.force.leaders)
    return bool(trial.force.cu), stays, points_left(view, trial)


def _first_ports(view: Game, trial: March, steps: Steps) -> list[tuple[dict[str, Any], int]]:
    """Return the steps by sea of a force with the CU that may take each; found once for all of the same reach."""
    reach = _reach(view, trial)
    if reach not in steps:
        steps[reach] = [({"to": to, "by": SEA}, room_at_sea(view, trial, to)) for to in overseas(view, trial)]
    return steps[reach]


def _steps(view: Game, march: March) -> LegalOrders:
    """List the next steps of a force on the march, with what it drops or takes before each (9.1.2)."""
    ground = view.force(march.power, march.at)
    by_land: dict[Reach, list[str]] = {}
    by_sea: dict[Reach, list[tuple[str, int]]] = {}

    def after(exchanged: dict[str, Any]) -> LegalOrders:
        trial = march.as_if(march.force)
        if "drop" in exchanged:
            part = part_named(march.force, Wanted.read(exchanged["drop"]))
            trial.force, trial.legs = rest_of(march.force, part), legs_without(march, part.cu)
        elif "take" in exchanged:
            part = part_named(ground, Wanted.read(exchanged["take"]))
            trial.force = added(march.force, part)
            trial.legs = legs_with(view, march, march.at, ground.cu, part.cu)
        cu, reach = trial.force.cu, _reach(view, trial)
        if reach not in by_land:
            by_land[reach] = onward(view, trial)
            least = trial.as_if(Force(min(1, cu), 0, trial.force.leaders))
            by_sea[reach] = [(to, room_at_sea(view, least, to)) for to in overseas(view, least)]
        steps = [{"to": to} for to in by_land[reach]]
        steps += [{"to": to, "by": SEA} for to, room in by_sea[reach] if cu <= room]
        return of([Order("march", {"path": [{**step, **exchanged}], "then": ASK}) for step in steps])

    return flat_map(after, [dict(each) for each in exchanges(view, march, ground)])


def flanks(view: Game, decision: Decision) -> LegalOrders:
    """List every way of a flank, with every force that can go (9.5.6)."""
    march = view.the_march
    stack = view.force(march.power, march.at)
    found: dict[Reach, list[WayToFlank]] = {}

    def ways(trial: March) -> list[WayToFlank]:
        reach = _reach(view, trial)
        if reach not in found:
            found[reach] = list(ways_to_flank(view, trial))
        return found[reach]

    def with_them(others: tuple[str, ...]) -> LegalOrders:
        leaders = [march.leader, *others]

        def order(some: Units, way: WayToFlank) -> Order:
            return Order("flank", {**told(*some, stack), "with": list(others), "path": list(way.steps)})

        def parts() -> Iterator[LegalOrders]:
            for trial, units in _alike(view, march, leaders, strengths(view, stack, leaders, 1, most_cu(view))):
                for way in ways(trial):
                    yield product(order, [each for each in units if each[0] <= way.room], [way])

        return concat(*parts())

    return flat_map(with_them, list(companies(view, stack, march.leader)))


MARCH_KINDS: Final = (
    Kind(
        "march",
        marches,
        check_march,
        hints="views.hints:march",
        bot="policy.marches:best_march",
        foresee="views.forecast:foresee_march",
    ),
    Kind("flank", flanks, check_flank, hints="views.hints:flank", bot="policy.marches:best_flank"),
)
