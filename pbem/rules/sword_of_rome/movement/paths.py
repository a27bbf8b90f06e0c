"""Paths over the map: what a step costs, where it may lead, and where a march may end (9.2, 9.4.4, 15.3, 16.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from pbem.game import MARK, Edge, Graph, Refusal, Ways, listing, place_of
from pbem.rules.sword_of_rome.movement.fatigue import points_left, why_too_far
from pbem.rules.sword_of_rome.movement.parts import Step
from pbem.rules.sword_of_rome.movement.voyages import (
    Crossing,
    carried,
    may_borrow,
    ports_for,
    why_he_stays,
    why_not_sail,
)
from pbem.rules.sword_of_rome.position.board import APPIAN, CLEAR, DIFFICULT, NORMAL, SEA
from pbem.rules.sword_of_rome.position.naming import no_such_space, power_named, space_named
from pbem.rules.sword_of_rome.position.state import Force, Game, March

APPIAN_WAY: Final = "appian_way"


def step_cost(game: Game, march: March, to: str, kind: str) -> int:
    """Return the points of a step by its kind (9.2).

    Once its event was played, any stretch of the Appian Way costs one point: a step that goes on along it is free.
    """
    costs = game.board.tables["movement"]["cost"]
    if kind == APPIAN and game.mark(APPIAN_WAY) is None:
        kind = CLEAR
    goes_on = kind == APPIAN and march.came_by == APPIAN and march.came_from != to
    cost: int = 0 if goes_on else costs[kind]
    return cost


def taken_by(game: Game, march: March, step: Step) -> tuple[str, int]:
    """Return the kind of a step that the force under way can take, and its points (9.2, 9.6)."""
    if step.by_sea:
        return SEA, game.board.tables["movement"]["cost"][SEA]
    kind = game.board.path(march.power, march.at, step.to) or CLEAR
    return kind, step_cost(game, march, step.to, kind)


def enemy_cu_at(game: Game, power: str, space: str) -> bool:
    """Tell whether enemy CU are in a space, inside a city or not: none of them lets a leader alone pass (9.4.4)."""
    holder = game.control.get(space)
    inside = holder is not None and not game.allied(power, holder) and game.garrison(holder, space).cu
    return bool(inside or game.enemies_in(power, space))


def ally_inside(game: Game, power: str, space: str) -> str | None:
    """Return the ally of a power that has CU inside a city; None: there is none (15.3)."""
    holder = game.control.get(space)
    if holder is None or holder == power or not game.garrison(holder, space).cu:
        return None
    return holder if game.allied(power, holder) else None


def why_not_land(game: Game, march: March, to: str) -> Refusal | None:
    """Say why the force under way cannot step into a space by land; None: it can (9.2)."""
    board, here = game.board, space_named(game, march.at)
    kind = board.path(march.power, march.at, to)
    if kind is None:
        ways = listing((space_named(game, each) for each in board.neighbours[march.at]), "and")
        both = board.spaces[march.at].port and board.spaces[to].port
        more = f"; to sail write {{to: {to}, by: sea}}" if both else ""
        return Refusal(
            f"no path from {here} to {space_named(game, to)}; paths lead to {ways or 'no space'}{more}", "9.2"
        )
    if march.pursuing and kind in DIFFICULT:
        return Refusal(f"no pursuit over a {kind} path, as it leads to {space_named(game, to)}", "11.4")
    return why_too_far(game, march, f"the way to {space_named(game, to)}", step_cost(game, march, to, kind), "9.2")


def why_barred(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power never enters a space; None: it may (16.3)."""
    if space not in game.board.powers[power].barred:
        return None
    return Refusal(f"{game.board.powers[power].name} never enters Italy, where {space_named(game, space)} is", "16.3")


def why_no_home(game: Game, power: str, space: str) -> Refusal | None:
    """Say why a power cannot end a march, an interception or an avoidance in a space; None: it can (16.3)."""
    ends = game.board.powers[power].ends_in
    if not ends or space in ends:
        return None
    return Refusal(f"{game.board.powers[power].name} cannot end a move in {space_named(game, space)}", "16.3")


def why_not_enter(game: Game, march: March, to: str) -> Refusal | None:
    """Say why the force under way must keep out of a space, however it comes there; None: it need not.

    A leader alone does not go among enemies (9.4.4), a flank goes round them (9.5.6), and nobody attacks them where it
    cannot end (15.3, 16.3).
    """
    where, barred = space_named(game, to), why_barred(game, march.power, to)
    if barred is not None:
        return barred
    if not march.force.cu and enemy_cu_at(game, march.power, to):
        return Refusal(f"enemy CU are in {where}: no leader goes there alone", "9.4.4")
    if not game.enemies_in(march.power, to):
        return None
    if march.flanking is not None:
        return Refusal(f"enemy CU are in {where}: a flank goes round them", "9.5.6")
    return why_not_end(game, march, to)  # who fights there ends there


def why_not_step(game: Game, march: March, step: Step) -> Refusal | None:
    """Say why the force under way cannot take a step; None: it can (9.2, 9.4.4, 9.6)."""
    unknown = no_such_space(game, step.to)
    if unknown is not None:
        return unknown
    refusal = why_not_sail(game, march, step.to) if step.by_sea else why_not_land(game, march, step.to)
    return refusal or why_not_enter(game, march, step.to)


def why_not_end(game: Game, march: March, space: str) -> Refusal | None:
    """Say why the force under way cannot stop in a space; None: it can (9.4.4, 9.5.6, 15.3, 16.3).

    Where it has not moved it may always stay.
    """
    if len(march.trail) == 1 and space == march.origin:
        return None
    power, where = march.power, game.board.spaces[space].name
    for other in game.present(space):
        allied = game.allied(power, other)
        if other != power and allied:
            what = "CU of {} are" if game.outside(other, space) else "a leader of {} is"
            return Refusal(f"{what.format(power_named(game, other))} in {where}: allies do not stack", "15.3")
        if not allied and not march.force.cu and game.force(other, space).leaders:
            return Refusal(f"an enemy leader is in {where}: a leader alone does not stop there", "9.4.4")
    ally = ally_inside(game, power, space)
    if ally is not None:
        return Refusal(f"CU of {power_named(game, ally)} are inside {where}: allies do not stack", "15.3")
    return why_no_home(game, power, space)


class Arrival(NamedTuple):
    """A step that a force takes, or has taken: into a space, from another, by a kind of path, and its points then."""

    space: str
    came_from: str
    by: str
    points: int


def arrived(march: March, points: int) -> Arrival:
    """Return the last step of the force under way, with points that are left to it."""
    return Arrival(march.at, march.came_from or march.at, march.came_by, points)


def why_no_end_from(game: Game, march: March, arrival: Arrival) -> Refusal | None:
    """Say why a force that steps into a space can stop neither there nor farther on; None: it can (15.3, 16.3)."""
    space, came_from, kind, points = arrival
    refusal = why_not_end(game, march, space)
    if refusal is None or (march.force.cu and game.enemies_in(march.power, space)):
        return refusal
    board, costs = game.board, game.board.tables["movement"]["cost"]
    for to in board.neighbours[space]:
        way = board.path(march.power, space, to)
        assert way is not None
        cost = costs[CLEAR if way == APPIAN else way]
        if way == APPIAN == kind and to != came_from and game.mark(APPIAN_WAY) is not None:
            cost = 0
        if cost <= points and to != came_from and (cost or points):
            less = points - cost if cost else points - 1
            if why_no_end_from(game, march, Arrival(to, space, way, less)) is None:
                return None
    return refusal


def why_no_way(game: Game, march: March, step: Step) -> Refusal | None:
    """Say why a force cannot take a step, or could not stop anywhere after it; None: it can do both."""
    refusal = why_not_step(game, march, step)
    if refusal is not None:
        return refusal
    kind, cost = taken_by(game, march, step)
    return why_no_end_from(game, march, Arrival(step.to, march.at, kind, points_left(game, march) - cost))


def onward(game: Game, march: March) -> list[str]:
    """List where the force under way may step next by land."""
    return [to for to in game.board.neighbours[march.at] if why_no_way(game, march, Step(to)) is None]


def overseas(game: Game, march: March) -> list[str]:
    """List the ports to which the force under way may sail next (9.6)."""
    return [to for to in ports_for(game, march) if why_no_way(game, march, Step(to, by_sea=True)) is None]


def can_go_on(game: Game, march: March) -> bool:
    """Tell whether the force under way can do anything else than stop (9.2, 14.2)."""
    return bool(why_not_raid(game, march) is None or onward(game, march) or overseas(game, march))


def why_not_raid(game: Game, march: March) -> Refusal | None:
    """Say why the force under way cannot raid the space where it is; None: it can (14.2, 15.2.2)."""
    power, where = march.power, space_named(game, march.at)
    if not game.board.powers[power].raids:
        return Refusal(f"{game.board.powers[power].name} does not raid", "14.2")
    holder = game.control.get(march.at)
    if game.kind(march.at) != NORMAL or holder is None or holder == power:
        return Refusal(f"there is no marker of another power in {where}", "14.2")
    if game.allied(power, holder):
        return Refusal(f"{where} belongs to an ally", "15.2.2")
    if not march.force.cu:
        return Refusal("a raid takes a leader with a CU", "14.2")
    if points_left(game, march) < game.board.tables["movement"]["cost"]["raid"]:
        return Refusal("no movement point is left for a raid", "14.2")
    return None


@dataclass(frozen=True, slots=True)
class Beaten:
    """An army that must retreat: what a power has in a space (12.4)."""

    power: str
    space: str
    name: str
    """What the names of the rolls of its voyage begin with."""
    not_by: str | None = None
    """The space that a defender must not enter."""
    came_from: str | None = None
    """The space to which an attacker must go back."""
    came_by: str = CLEAR
    attacked: bool = False


def retreats(game: Game, army: Beaten) -> list[list[str]]:
    """Return the shortest ways of a retreat, each without the space it begins in; empty: there is none (12.4.1).

    They end in a space without enemy CU and without CU of another power that is friendly, or holds more own CU than
    come there.
    """
    power = army.power
    ways: list[tuple[list[str], int]] = [([], game.force(power, army.space).cu)]
    for _ in range(game.board.tables["movement"]["retreat"]):
        steps = [([*way, to], there) for way, there in ways for to in _steps_back(game, army, way)]
        found = [way for way, coming in steps if _refuge(game, power, way[-1], coming)]
        if found:
            return found
        ways = [(way, _on_leaving(game, power, way[-1], coming)) for way, coming in steps]
    return []


def penalty(game: Game, power: str, space: str) -> int:
    """Return the CU that entering a space costs a retreating army (12.4.5).

    One if the marker, city or tribe there is an enemy's, as independent ones are, and one for each enemy CU.
    """
    enemies = sum(game.cu(other, space) for other in game.board.powers if not game.allied(power, other))
    return enemies + (not game.friendly(power, space))


def _on_leaving(game: Game, power: str, space: str, cu: int) -> int:
    """Return how many of a beaten army leave a space on its way: own CU there have joined before it pays (12.4.2)."""
    return max(0, cu + game.force(power, space).cu - penalty(game, power, space))


def _steps_back(game: Game, army: Beaten, way: list[str]) -> Iterator[str]:
    for to in game.board.by_land[army.power][way[-1] if way else army.space]:
        first = way or army.came_from in (None, to)
        if first and to not in (army.space, army.not_by, *way):
            yield to


def _refuge(game: Game, power: str, space: str, cu: int) -> bool:
    others = any(game.cu(other, space) for other in game.board.powers if other != power)
    return not others and (game.friendly(power, space) or game.cu(power, space) > cu)


# ---- where a force may go, as the choices of a march have it
#
# A state of a walk is a space, with a mark of what counts on the way: `~sea` if the force has sailed, `~via capua` if
# it has come along the Appian Way from there while its event is in effect, `~first` where it is before it has moved.


_FIRST: Final = "first"
_SAILED: Final = "sea"
_VIA: Final = "via "
RAIDS: Final = (1, 2)
"""How often a force may be told to raid a space on its way."""
_WAYS: Final = Ways(
    {SEA: ("sail", "by sea"), "raid": ("raid",), "raid 2": ("raid twice",)},
    {
        "": {"to": "$"},
        SEA: {"to": "$", "by": SEA},
        "raid": {"to": "$", "raid": RAIDS[0]},
        "raid 2": {"to": "$", "raid": RAIDS[1]},
    },
)


class Roads:
    """The ways of the forces of a power on a march, or on the marches that a card may begin.

    Of a march counts what it has come to; of those that begin, all is alike but the space.
    """

    def __init__(self, view: Game, march: March) -> None:
        self.view, self.march, self.power = view, march, march.power
        self._lands: dict[bool, _Land] = {}
        self._graphs: dict[tuple[bool, tuple[str, ...], int], Ground] = {}
        self._out: dict[tuple[str, ...], Sequence[str]] = {}

    def land(self, *, army: bool) -> _Land:
        """Return what is open by land to a force with CU, or to leaders alone."""
        if army not in self._lands:
            self._lands[army] = _Land(self.view, self.march, army=army)
        return self._lands[army]

    def ground(self, force: Force) -> Ground:
        """Return where a force may go."""
        leaders = self.view.board.leaders
        staying = tuple([leader for leader in force.leaders if leaders[leader].stays])
        key = (bool(force.cu), staying, self._class(max(force.cu, 1)))
        if key not in self._graphs:
            self._graphs[key] = Ground(self, *key)
        return self._graphs[key]

    def start(self, march: March) -> str:
        """Return the state in which a force is now."""
        along = march.came_by == APPIAN and self.appian
        return f"{march.at}{MARK}{_FIRST}" if march.pursuing or self.lends or along else march.at

    @cached_property
    def appian(self) -> bool:
        """Whether the event of the Appian Way is in effect: what a step costs depends on the one before (9.2)."""
        return self.view.mark(APPIAN_WAY) is not None

    @cached_property
    def lends(self) -> bool:
        """Whether the first step may be a voyage on a fleet that is lent (S 9.6.3)."""
        return bool(self.harbours) and may_borrow(self.view, self.march)

    @cached_property
    def harbours(self) -> Sequence[str]:
        """The spaces from and to which the power sails, if it can sail at all on this march (9.6)."""
        view, power = self.view, self.power
        able = any(row.power == power and row.value == self._value for row in view.board.voyages)
        sails = able or bool(self.march.lent) or may_borrow(view, self.march)
        return view.harbours(power) if sails else ()

    @property
    def _value(self) -> int:
        return self.view.card.value if self.view.card is not None else 0

    @cached_property
    def rooms(self) -> Mapping[str, Mapping[str, int]]:
        """Port -> port -> the CU that may sail between them, once the force has moved (9.6.3)."""
        view, power, lent = self.view, self.power, self.march.lent or 0
        return {
            at: {to: max(carried(view, Crossing(power, at, to), self._value), lent) for to in self.harbours if to != at}
            for at in self.harbours
        }

    @cached_property
    def _limits(self) -> Sequence[int]:
        """The numbers of CU that matter: those that some fleet carries (9.6.3)."""
        return sorted({room for rooms in self.rooms.values() for room in rooms.values() if room})

    def _class(self, cu: int) -> int:
        """Return the least room that holds so many CU: forces that need the same room sail alike."""
        if not self.harbours:
            return 0
        return next((room for room in self._limits if room >= cu), self._limits[-1] + 1 if self._limits else 1)

    def ports(self, staying: tuple[str, ...]) -> Sequence[str]:
        """Return the ports to which a force may sail with some leaders who never leave their country (17.1.1)."""
        if staying not in self._out:
            self._out[staying] = [to for to in self.harbours if why_he_stays(self.view, staying, to) is None]
        return self._out[staying]


class _Land:
    """What is open by land: where a force may step, what that costs, and where it may stop (9.2, 9.4.4, 15.3, 16.3)."""

    def __init__(self, view: Game, march: March, *, army: bool) -> None:
        self.view, self.march = view, march
        self._trial = march.as_if(Force(int(army), 0, [march.leader]))
        self._trial.trail = [*march.trail, ""]  # where it has come from no longer matters
        self._enters: dict[str, bool] = {}
        self._roads: dict[str, Sequence[tuple[str, str]]] = {}
        self._loot: dict[str, bool] = {}

    def enters(self, space: str) -> bool:
        """Tell whether the force may enter a space, however it comes there."""
        if space not in self._enters:
            self._enters[space] = why_not_enter(self.view, self._trial, space) is None
        return self._enters[space]

    @cached_property
    def no_ends(self) -> frozenset[str]:
        """Where the force cannot stop."""
        some = self.view.board.spaces
        return frozenset([space for space in some if why_not_end(self.view, self._trial, space) is not None])

    def roads(self, space: str) -> Sequence[tuple[str, str]]:
        """Return the spaces into which the force may step from one, each with the kind of path."""
        if space not in self._roads:
            board, power = self.view.board, self.march.power
            kinds = [(to, board.path(power, space, to)) for to in board.neighbours[space]]
            self._roads[space] = [(to, kind) for to, kind in kinds if kind is not None and self.enters(to)]
        return self._roads[space]

    def raids(self, space: str) -> bool:
        """Tell whether the force may raid a space when it comes there (14.2)."""
        if not self.view.board.powers[self.march.power].raids:
            return False
        if space not in self._loot:
            there = self._trial.as_if(self._trial.force)
            there.at, there.points = space, 1
            there.legs = []
            self._loot[space] = why_not_raid(self.view, there) is None
        return self._loot[space]

    def cost(self, came: tuple[str, str], to: str, kind: str) -> int:
        """Return what a step costs a force that has come from a space by a kind of path."""
        step = self._trial.as_if(self._trial.force)
        step.came_by, step.came_from = came
        return step_cost(self.view, step, to, kind)


class Ground(Graph):
    """The steps of a force over the map; of two ways to a space that differ in marks alone the cheaper is listed."""

    def __init__(self, roads: Roads, army: bool, staying: tuple[str, ...], needs: int) -> None:
        self.roads, self.view, self.march, self.needs = roads, roads.view, roads.march, needs
        self.land = roads.land(army=army)
        costs = self.view.board.tables["movement"]["cost"]
        self.at_sea, self.per_raid = int(costs[SEA]), int(costs["raid"])
        self._costs: dict[str, int] = {}
        self._ports = [to for to in roads.ports(staying) if self.land.enters(to)]
        super().__init__(self._on, ways=_WAYS)

    def _on(self, state: str) -> Sequence[Edge]:
        space, marks = place_of(state), state.partition(MARK)[2]
        first, sailed, via = marks == _FIRST, marks.startswith(_SAILED), marks.partition(_VIA)[2]
        came = (self.march.came_by, self.march.came_from or "") if first else (APPIAN, via) if via else ("", "")
        found = []
        for to, kind in self.land.roads(space):
            if first and self.march.pursuing and kind in DIFFICULT:
                continue
            cost = self._cost(came, to, kind)
            goal = self._state(to, sailed=sailed, via=space if kind == APPIAN and self.roads.appian else "")
            found.append(Edge(goal, cost, {"to": to}))
            if self.land.raids(to):
                found += [self._raid(goal, to, cost, often) for often in RAIDS]
        return [*found, *self._voyages(space, first=first)]

    def _cost(self, came: tuple[str, str], to: str, kind: str) -> int:
        if came[0] == APPIAN == kind:
            return self.land.cost(came, to, kind)
        if kind not in self._costs:
            self._costs[kind] = self.land.cost(("", ""), to, kind)
        return self._costs[kind]

    def _raid(self, goal: str, to: str, cost: int, often: int) -> Edge:
        how = "raid" if often == 1 else f"raid {often}"
        return Edge(goal, cost + often * self.per_raid, {"to": to, "raid": often}, how)

    def _voyages(self, space: str, *, first: bool) -> Sequence[Edge]:
        """Return the voyages from a space, those on a fleet that may be lent too if the force has not moved (9.6)."""
        rooms = self.roads.rooms.get(space)
        if rooms is None:
            return ()
        lends = first and self.roads.lends
        return [
            Edge(f"{to}{MARK}{_SAILED}", self.at_sea, {"to": to, "by": SEA}, SEA)
            for to in self._ports
            if to != space and (lends or rooms[to] >= self.needs)
        ]

    def _state(self, space: str, *, sailed: bool, via: str = "") -> str:
        mark = (_SAILED if sailed else "") + (_VIA + via if via else "")
        return f"{space}{MARK}{mark}" if mark else space

    def ends(self, start: str, most: int) -> Sequence[str]:
        """Return the states in reach that are listed, the start among them: of each space one by land, one by sea."""
        seen, found = {(place_of(start), False), (place_of(start), True)}, [start]
        for state in self.reached(start, most):
            which = (place_of(state), state.partition(MARK)[2].startswith(_SAILED))
            if which not in seen:
                seen.add(which)
                found.append(state)
        return found
