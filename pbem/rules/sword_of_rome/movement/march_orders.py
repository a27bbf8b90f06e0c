"""Orders of a march: what an active leader, or the force that he leads, can be told to do, and the check of it (9).

A path is checked as a whole, as if nobody reacted. It may lead through enemy armies, in case they avoid battle.

Legal orders go one step and ask again, so that every march can be put together from them; but none drops units and
takes others in the same place. A player may write more at once: a whole path, or the whole way of a flank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, TypeAlias

from pbem.game import Kind, LegalOrders, Refusal, concat, flat_map, lazy, of, product
from pbem.protocol import Decision, Fault, Order, Record
from pbem.rules.sword_of_rome.movement.fatigue import (
    exhausted,
    legs_with,
    legs_without,
    on_trial,
    points_left,
    rested,
    set_off,
    setting_out,
    spend,
    stay,
)
from pbem.rules.sword_of_rome.movement.flanks import WayToFlank, ways_to_flank, why_not_flank_from
from pbem.rules.sword_of_rome.movement.march import (
    added,
    exchanges,
    part_for_sortie,
    part_named,
    why_not_drop,
    why_not_take,
)
from pbem.rules.sword_of_rome.movement.parts import (
    ASK,
    ATTACK_UNREST,
    STOP,
    MarchOrder,
    Step,
    Wanted,
    companies,
    illegal,
    nearest_part,
    part_of,
    rest_of,
    strengths,
    told,
    why_consul_alone,
    why_not_part,
)
from pbem.rules.sword_of_rome.movement.paths import (
    arrived,
    onward,
    overseas,
    taken_by,
    why_no_end_from,
    why_not_end,
    why_not_raid,
    why_not_step,
)
from pbem.rules.sword_of_rome.movement.voyages import room_at_sea
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GARRISON_BOX, SEA
from pbem.rules.sword_of_rome.position.naming import refused, space_named
from pbem.rules.sword_of_rome.position.state import Force, Game, March
from pbem.rules.sword_of_rome.siege.siege import why_not_roll
from pbem.rules.sword_of_rome.siege.unrest import fresh_cu

MOVING: Final = ("cu", "mercenaries", "with", "path", "raid")
"""The words of an order that go with a march only."""
SETTING_OUT: Final = ("cu", "mercenaries", "with")
"""Those that say with whom a leader sets out."""
Units: TypeAlias = tuple[int, int]
"""CU, and the mercenaries among them."""
Reach: TypeAlias = tuple[bool, bool, int]
"""What decides where a force may go: CU or none, a leader who never leaves his home or none (17.1.1), its points."""
Steps: TypeAlias = dict[Reach, list[tuple[dict[str, object], int]]]
"""The steps by sea of a force, each with the CU that may take it."""


# ---- what a leader can do beside marching


def most_cu(game: Game) -> int:
    """Return how many CU move together (9.1.1)."""
    most: int = game.board.tables["movement"]["cu"]
    return most


def is_inside(game: Game, march: March) -> bool:
    """Tell whether the active leader is inside a city, with enemies before it (13.4.1)."""
    return march.leader in game.garrison(march.power, march.origin).leaders


def why_not_roll_now(game: Game, march: March) -> Refusal | None:
    """Say why the active leader cannot roll for a siege instead of moving; None: he can (9.5.3, 13.1.1)."""
    force, leaders = game.force(march.power, march.at), game.board.leaders
    if len(march.trail) > 1 or march.leader not in force.leaders:
        return Refusal("only who has not moved rolls for a siege", "13.1.1")
    if leaders[force.leaders[0]].named and not leaders[march.leader].named:
        return Refusal(f"{leaders[force.leaders[0]].name} commands there", "13.1.1")
    if game.card is not None and march.at in game.card.rolled_at:
        return Refusal(f"this card has brought a roll for {space_named(game, march.at)} already", "9.5.3")
    least = game.board.tables["city"]["army"]
    if march.leader in exhausted(game) or rested(game, march.power, march.at) < least <= force.cu:
        return Refusal("the army there has done all that it can in this Campaign", "9.5.2")
    return why_not_roll(game, march.power, march.at)


def why_no_sortie(game: Game, march: March) -> Refusal | None:
    """Say why the active leader cannot attack the besiegers; None: he can (13.4.1)."""
    if not is_inside(game, march):
        return Refusal(f"{game.board.leaders[march.leader].name} is not inside a besieged city", "13.4.1")
    if not game.garrison(march.power, march.at).cu:
        return Refusal("no CU are inside the city", "13.4.1")
    return None


def why_not_attack_unrest(game: Game, march: March) -> Refusal | None:
    """Say why a force cannot attack the unrest with its last point; None: it can (S 20.3)."""
    if march.power != CARTHAGE or march.at != GARRISON_BOX:
        return Refusal("the unrest is attacked in the Garrison box, by Carthage", "S 20.3")
    if not march.force.cu:
        return Refusal("the attack on the unrest takes CU", "S 20.3")
    if march.origin == GARRISON_BOX and march.force.cu > fresh_cu(game):
        return Refusal(f"{fresh_cu(game)} CU in the Garrison box can attack", "S 20.3")
    if points_left(game, march) < game.board.tables["movement"]["cost"]["unrest"]:
        return Refusal("no movement point is left for the attack on the unrest", "S 20.3")
    return None if game.unrest else Refusal("there is no unrest", "S 20.3")


# ---- the check


def check_march(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with an order to the active leader (9.1 to 9.6, 13.1.1, 13.4.1, 14.2)."""
    march, said = view.the_march, MarchOrder.read(order.body)
    if said.roll or said.sortie:
        word, refusal = ("roll", why_not_roll_now(view, march)) if said.roll else ("sortie", why_no_sortie(view, march))
        yield from refused((word,), refusal)
        for other in (*MOVING, "sortie") if said.roll else ("path", "raid"):
            if order.get(other):
                yield order.fault((other,), f"{word} goes without {other}: leave that out", rule="9.1")
        if said.sortie and refusal is None:
            inside = view.garrison(march.power, march.at)
            part = part_for_sortie(view, inside, said.force, march.leader)
            for what, why in why_not_part(view, inside, part):
                yield order.fault((what,) if what in order.body else ("sortie",), why.reason, rule=why.rule)
            if not part.cu:
                yield order.fault(("cu",), "a sortie takes a CU", rule="13.4.1")
        return
    if is_inside(view, march):
        for word in (*MOVING, "then"):
            if order.get(word) and not (word == "then" and said.then == STOP):
                reason = "he is inside a besieged city: a sortie is all that he can do"
                yield order.fault((word,), reason, rule="13.4.1")
        return
    yield from Trial(view, march, said).faults(order)


def check_flank(view: Game, decision: Decision, order: Order) -> Iterator[Fault]:
    """Yield what is wrong with the way of a flank: it ends next to the battle, by another path (9.5.6)."""
    trial = Trial(view, view.the_march, MarchOrder.read(order.body))
    yield from trial.faults(order)
    if not trial.lost:
        if not trial.march.force.cu:
            yield order.fault(("cu",) if order.get("cu") == 0 else (), "a flank takes a CU", rule="9.5.6")
        refusal = why_not_flank_from(view, trial.march, trial.march.at)
        if refusal is not None:
            at = len(trial.said.path) - 1
            yield order.fault(("path", at, "to") if at >= 0 else ("path",), refusal.reason, rule=refusal.rule)


class Trial:
    """A march on trial: what an order would make of the force under way, if nobody reacts."""

    def __init__(self, view: Game, march: March, said: MarchOrder) -> None:
        self.view, self.said = on_trial(view), said
        self.march = march.as_if(march.force)
        self.march.trail = list(march.trail)
        self.sets_out = march.force.empty
        self.ground: dict[str, Force] = {}
        self.lost = False

    def faults(self, order: Order) -> Iterator[Fault]:
        """Yield all that is wrong with the order."""
        if self.sets_out:
            yield from self._set_out(order)
        else:
            for word in SETTING_OUT:
                if word in order.body:
                    reason = "the army is on the march: write drop or take at a step"
                    yield order.fault((word,), reason, rule="9.1.2")
        if self.lost:
            return
        yield from self._raid(("raid",), self.said.raid)
        for at, step in enumerate(self.said.path):
            yield from self._step(at, step)
            if self.lost:
                return
        yield from self._end()

    def _set_out(self, order: Order) -> Iterator[Fault]:
        view, march = self.view, self.march
        stack = view.force(march.power, march.at)
        march.force = part_of(stack, self.said.force, march.leader, most_cu(view))
        wrong = list(why_not_part(view, stack, march.force))
        if march.force.cu > most_cu(view):
            wrong.append(("cu", Refusal(f"no more than {most_cu(view)} CU move together", "9.1.1")))
        # Units that are wrong do not hide what is wrong with the path: the nearest that can go are followed on it.
        march.force = nearest_part(stack, march.force, most_cu(view))
        set_off(view, march, march.at, stack.cu, march.force.cu)
        self.ground[march.at] = rest = rest_of(stack, march.force)
        moves = bool(self.said.path)
        if not wrong and moves and (alone := why_consul_alone(view, march.force, rest)) is not None:
            wrong.append(("cu", alone))
        for word, refusal in wrong:
            self.lost = self.lost or word not in ("cu", "mercenaries")
            yield order.fault((word,) if word in order.body else (), refusal.reason, rule=refusal.rule)

    def _step(self, at: int, step: Step) -> Iterator[Fault]:
        view, march = self.view, self.march
        yield from self._exchange(at, step)
        refusal = why_not_step(view, march, step)
        if refusal is not None:
            yield illegal(("path", at, "to"), refusal.reason, rule=refusal.rule)
            self.lost = True
            return
        kind, cost = taken_by(view, march, step)
        spend(view, march, cost)
        march.came_from, march.at, march.came_by, march.pursuing = march.at, step.to, kind, False
        march.trail.append(step.to)
        yield from self._raid(("path", at, "raid"), step.raid)

    def _exchange(self, at: int, step: Step) -> Iterator[Fault]:
        march = self.march
        ground = self.ground.setdefault(march.at, self.view.force(march.power, march.at))
        for word, wanted in (("drop", step.drop), ("take", step.take)):
            if wanted is None:
                continue
            drops = word == "drop"
            part = part_named(march.force if drops else ground, wanted)
            wrong = list((why_not_drop if drops else why_not_take)(self.view, march, ground, part))
            for what, refusal in wrong:
                written = self.said.written[at][word]
                path = ("path", at, word, what) if what in written else ("path", at, word)
                yield illegal(path, refusal.reason, rule=refusal.rule)
            if not wrong:
                if drops:
                    stay(self.view, march, part)
                else:
                    set_off(self.view, march, march.at, ground.cu, part.cu)
                march.force = (rest_of if drops else added)(march.force, part)
                ground = self.ground[march.at] = (added if drops else rest_of)(ground, part)

    def _raid(self, path: tuple[str | int, ...], attempts: int) -> Iterator[Fault]:
        if not attempts:
            return
        refusal = why_not_raid(self.view, self.march)
        left = points_left(self.view, self.march)
        if refusal is None and attempts > left:
            refusal = Refusal(f"{left} movement points are left, and each attempt takes one", "14.2")
        yield from refused(path, refusal)
        spend(self.view, self.march, min(attempts, max(left, 0)))

    def _end(self) -> Iterator[Fault]:
        """Yield what is wrong with the end of the path (9.4.4, 15.3, 16.3, S 20.3)."""
        view, march, then = self.view, self.march, self.said.then
        if self.said.against is not None and then != ATTACK_UNREST:
            yield illegal(("against",), "write then: attack_unrest beside it", rule="S 20.3")
        if then == ATTACK_UNREST:
            refusal = why_not_attack_unrest(view, march)
            yield from refused(("then",), refusal)
            return
        if march.flanking is not None:
            return
        if then == STOP:
            refusal = why_not_end(view, march, march.at)
            if refusal is not None and len(self.said.path) == 0 and not can_leave(view, march):
                refusal = None
        else:
            refusal = why_no_end_from(view, march, arrived(march, points_left(view, march)))
        if refusal is not None:
            at = len(self.said.path) - 1
            path: tuple[str | int, ...] = ("path", at, "to") if at >= 0 else ()
            yield illegal(path, refusal.reason, rule=refusal.rule)


def can_leave(view: Game, march: March) -> bool:
    """Tell whether the force under way has a way on."""
    return bool(onward(view, march) or overseas(view, march))


# ---- legal orders where he stands, or is


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
    stuck = why_no_end_from(view, march, arrived(march, points_left(view, march) - 1))
    return [Order("march", {"raid": 1, "then": ASK})] if stuck is None else []


# ---- legal steps


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

    def order(units: Units, step: dict[str, object]) -> Order:
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


def _first_ports(view: Game, trial: March, steps: Steps) -> list[tuple[dict[str, object], int]]:
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

    def after(exchanged: Record) -> LegalOrders:
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

    return flat_map(after, list(exchanges(view, march, ground)))


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
        hints="views.hints:march_hints",
        bot="policy.acts:best_march",
        foresee="views.forecast:foresee_march",
    ),
    Kind("flank", flanks, check_flank, hints="views.hints:flank_hints", bot="policy.acts:best_flank"),
)
