"""The marches that a side may order: who goes, with what, and which way by land and sea (8.1 to 8.8, 14.2, 16.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Final, NamedTuple, TypeAlias

from pbem.game import MARK, AllOf, Edge, Fixed, Graph, Lazy, OneOf, Part, Share, Value, Walk, Ways, option
from pbem.protocol import Side
from pbem.rules.rome_carthage.movement.activation import Home, Split, spaces_with_generals
from pbem.rules.rome_carthage.movement.card_play import (
    allowance,
    exhausted,
    march_type,
    picked,
    points_left,
    resting,
    riders_at_start,
    walked,
)
from pbem.rules.rome_carthage.movement.fleet import hold, may_sail
from pbem.rules.rome_carthage.movement.march_cards import free, may_charm, why_barred
from pbem.rules.rome_carthage.movement.paths import closed, enemy_cu_at, must_stop, step_cost
from pbem.rules.rome_carthage.orders import ALL, CITY, NONE, CardUse
from pbem.rules.rome_carthage.position.board import SEA
from pbem.rules.rome_carthage.position.generals import may_be_in, may_command, strategy_rating
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March, Stack
from pbem.rules.rome_carthage.siege.siege import is_target
from pbem.rules.rome_carthage.siege.sorties import why_no_sortie
from pbem.rules.rome_carthage.siege.walls import pool, room, whole

_SAILED: Final = f"{MARK}sailed"
_INSIDE: Final = f"{MARK}inside"
_HARBOUR: Final = f"{MARK}harbour"
"""The mark of a start from which a force sails before it does anything else."""
_STEPS: Final = Ways(
    {"sea": ("sail",), "into": ("sail inside",)},
    {"": "$", "sea": {"to": "$", "by": SEA}, "into": {"to": "$", "by": SEA, "into": CITY}},
)
Force: TypeAlias = tuple[str, ...]
"""The generals who march together, the leader first."""


_WaysOf: TypeAlias = Callable[[Force, Sequence[int]], Iterable[tuple[Sequence[int], Part]]]
"""Returns, for those who march and the numbers of CU they may take, what follows for which of these numbers."""
_ALONE: Final = AllOf(option("then", Value("stop", says=("stop",)), Value("ask", says=("ask",))))


class Trip(NamedTuple):
    """What the ways of a force depend on: two forces that have the same go the same ways."""

    points: int
    army: bool
    """Whether it has CU."""
    bound: tuple[str, ...] = ()
    """Those of its generals who never leave a part of the map (8.7)."""
    stops: frozenset[str] = frozenset()
    """The spaces of own stacks that hold it up (14.3)."""
    voyages: int = 0
    """How often it could sail, as far as its points go."""
    fits: tuple[str, ...] = ()
    """The spaces whose own city it fits into (8.8.1, 16.2)."""


class Roads:
    """The ways over the map for one side in one position; forces that go the same ways share them."""

    def __init__(self, view: Game, side: Side) -> None:
        self.view, self.side = view, side
        self._graphs: dict[tuple[str, Trip], Graph] = {}
        self._land: dict[str, Sequence[Edge]] = {}
        self._open: dict[tuple[bool, tuple[str, ...]], _Open] = {}
        self._ways: dict[tuple[str, Trip, int], Part] = {}
        self._walks: dict[tuple[str, int, int, frozenset[str]], Walk] = {}
        self._held: dict[tuple[str, int], frozenset[str]] = {}
        own = {space for space, holder in view.control.items() if holder == side}.difference(view.board.unwalled)
        cities = [space for space in view.board.spaces if space in own and room(view, side, space) is not None]
        self.room = {space: room(view, side, space) or 0 for space in cities}
        self._stacks = spaces_with_generals(view, side)
        theirs = view.stacks[ENEMY[side]].items()
        self.lone = frozenset([space for space, stack in theirs if stack.generals and not stack.cu])
        """Where enemy generals are without CU: a general alone may pass, but not stop there (8.4.2)."""

    def land(self, space: str) -> Sequence[Edge]:
        """Return the steps by land from a space that are open to the side."""
        if space not in self._land:
            view = self.view
            self._land[space] = [
                Edge(to, step_cost(view, kind), to)
                for to, kind in view.board.neighbours[space].items()
                if not closed(view, self.side, space, to)
            ]
        return self._land[space]

    def trip(self, start: str, force: Force, cu: int, points: int, *, sails: bool) -> Trip:
        """Return what the ways of a force from a space depend on."""
        view, voyages = self.view, points // self.view.board.movement.cost[SEA] if sails else 0
        bound = tuple([each for each in force if view.board.generals[each].stays_in is not None])
        stops = self._held_up(force[0], cu) | {start} if force[0] in view.offices else frozenset[str]()
        fits = tuple([space for space, left in self.room.items() if left >= cu and space != start])
        return Trip(points, bool(cu), bound, stops, voyages, fits)

    def _held_up(self, leader: str, cu: int) -> frozenset[str]:
        """Return the spaces where a consul or proconsul with so many CU must stop (14.3)."""
        if (leader, cu) not in self._held:
            view, army = self.view, Stack(cu, 0, [leader])
            held = [space for space in self._stacks if must_stop(view, army, pool(view, self.side, space))]
            self._held[leader, cu] = frozenset(held)
        return self._held[leader, cu]

    def by(self, start: str, trip: Trip, after: AllOf, *, at_once: bool = False) -> Part:
        """Return the ways from a start, with what may be said of the end, and into the cities on the way.

        `at_once` if the force may sail from the start, too; one with the mark of a harbour does nothing else.
        """
        key = (start, trip, id(after))
        if key not in self._ways:
            by_land_first = trip.voyages and not at_once and MARK not in start
            self._ways[key] = self._by(start, self._graph(start if by_land_first else "", trip), trip, after)
        return self._ways[key]

    def _by(self, start: str, graph: Graph, trip: Trip, after: AllOf) -> Part:
        too_small = [space + _INSIDE for space in self.room if space not in trip.fits] if trip.voyages else []
        barred = frozenset(too_small if trip.army else [*too_small, *self.lone])
        ways = [Value("", AllOf(self._walk(start, graph, trip.points, barred), after), weight=4)]
        walk = partial(Walk, "path", start, graph, trip.points, of="space")
        if trip.fits:
            inside = AllOf(walk(only=trip.fits, no_ends=(_INSIDE,)), Fixed({"then": "inside"}))
            ways.append(Value("inside", inside, says=("inside",), must=True))
        if self.lone and not trip.army:
            past = AllOf(walk(only=self.lone, no_ends=(_INSIDE,)), Fixed({"then": "ask"}))
            ways.append(Value("ask", past, says=("ask",), must=True))
        return OneOf(None, ways, inferred=True) if len(ways) > 1 else ways[0].then

    def _walk(self, start: str, graph: Graph, points: int, barred: frozenset[str]) -> Walk:
        key = (start, id(graph), points, barred)
        if key not in self._walks:
            self._walks[key] = Walk("path", start, graph, points, of="space", no_ends=barred)
        return self._walks[key]

    def _graph(self, start: str, trip: Trip) -> Graph:
        key = (start, trip._replace(points=0, fits=()))
        if key not in self._graphs:
            kind = (trip.army, trip.bound)
            if kind not in self._open:
                self._open[kind] = _Open(self, *kind)
            self._graphs[key] = _Map(self._open[kind], start, trip)
        return self._graphs[key]


class _Map(Graph):
    """The steps of a force by land and sea. Who has sailed has a mark, and so has who is inside a city.

    From the start, if there is one, a force goes by land first. What leads on is found once for all forces that are
    alike (`_Open`).
    """

    def __init__(self, open_ways: _Open, start: str, trip: Trip) -> None:
        self.open, self.start, self.sails = open_ways, start, trip.voyages
        super().__init__(self.steps, stops=trip.stops, ways=_STEPS)

    def steps(self, state: str) -> Sequence[Edge]:
        """Return the steps on from a state."""
        return self.open.steps(state, sails=self.sails > state.endswith(_SAILED) and state != self.start)


class _Open:
    """The ways that are open to forces: with CU or without, with generals who stay in a country or not (8.4.2, 8.7)."""

    def __init__(self, roads: Roads, army: bool, bound: tuple[str, ...]) -> None:
        self.view, self.side, self.army, self.own = roads.view, roads.side, army, roads.room
        self._found: dict[tuple[str, bool], Sequence[Edge]] = {}
        self._land = roads.land
        self._voyages: dict[str, Sequence[Edge]] = {}
        view, cost = self.view, self.view.board.movement.cost[SEA]
        shut = frozenset(() if army else {space for space in view.board.spaces if enemy_cu_at(view, self.side, space)})
        away = (space for space in view.board.spaces if not all(may_be_in(view, each, space) for each in bound))
        self._shut = shut.union(away) if bound else shut
        self._free = free(view)
        able = [port for port in view.board.ports if port not in self._shut]
        self._out = [(port, Edge(port + _SAILED, cost, {"to": port, "by": SEA}, "sea")) for port in able]
        self._into = [
            (port, Edge(port + _INSIDE, cost, {"to": port, "by": SEA, "into": CITY}, "into"))
            for port in able
            if port in self.own
        ]

    def _enters(self, space: str, to: str) -> bool:
        """Tell whether a force may go from a space into another, whichever way (cards 57, 58, 64)."""
        view = self.view
        return to not in self._shut and (self._free or why_barred(view, self.side, int(self.army), space, to) is None)

    def steps(self, state: str, *, sails: bool) -> Sequence[Edge]:
        """Return the steps on from a state, voyages among them if the force `sails`."""
        if (state, sails) not in self._found:
            space, mark, word = state.partition(MARK)
            if mark + word == _INSIDE:
                found: Sequence[Edge] = ()
            elif mark + word == _HARBOUR and sails:
                found = self._by_sea(space)
            else:
                found = self._roads(space, mark + word)
                found = [*found, *self._by_sea(space)] if sails else found
            self._found[state, sails] = found
        return self._found[state, sails]

    def _roads(self, space: str, mark: str) -> Sequence[Edge]:
        """Return the steps by land; marks are kept."""
        land = self._land(space)
        if self._shut or not self._free:
            land = [step for step in land if self._enters(space, step.to)]
        return [Edge(to + mark, cost, word) for to, cost, word, _ in land] if mark else land

    def _by_sea(self, space: str) -> Sequence[Edge]:
        """Return the voyages from a space, and then those that lead inside an own city (8.8, 8.8.1)."""
        if space not in self._voyages:
            some = [*self._out, *self._into] if self.view.board.spaces[space].port else []
            self._voyages[space] = [
                edge for port, edge in some if port != space and (self._free or self._enters(space, port))
            ]
        return self._voyages[space]


def after_march(view: Game, general: str, play: CardUse | None, *, sets_out: bool) -> AllOf:
    """Return what may be said of a march besides: how it ends, and what is done if the enemy reacts (9.3, 10.3)."""
    then = [Value(word, says=(word,)) for word in ("stop", "ask", "siege")]
    parts = [
        option("then", *then),
        option("if_intercepted", *[Value(word) for word in ("fight", "back_up")]),
        option("if_avoided", *[Value(word, says=(f"if avoided {word}",)) for word in ("pursue", "stop", "siege")]),
    ]
    if sets_out:
        parts.append(option("train", Value(False, says=("without training",))))
    if may_charm(view, general, play):
        parts.append(option("charm", Value(ALL), Value(NONE)))
    return AllOf(*parts)


def further(view: Game, march: March) -> Part:
    """Return the ways on of a force on the march (8.2 to 8.4, 8.8)."""
    roads, force = Roads(view, march.side), march.force
    trip = roads.trip(march.at, tuple(force.generals), force.cu, points_left(march), sails=may_sail(view, march))
    return roads.by(march.at, trip, after_march(view, march.general, None, sets_out=False), at_once=True)


class Marches:
    """The marches that a side may order on a card: by operations or its event, or in a campaign (7.3, 8.1)."""

    def __init__(self, roads: Roads, play: CardUse | None) -> None:
        self.view, self.side, self.roads, self.play = roads.view, roads.side, roads, play
        self.kind, self.hold = march_type(self.view, play), hold(self.view, self.side, play)
        self._after: dict[bool, AllOf] = {}
        self._generals: dict[str, Part] = {}

    def part(self, ops: int) -> Part:
        """Return whom so many operations activate, each with his ways (8.1)."""
        view, side, able = self.view, self.side, list[Value]()
        done = resting(view, side)
        for space in spaces_with_generals(view, side):
            stack = whole(view, side, space)
            for general in stack.generals:
                if strategy_rating(view, general) <= ops and general not in done:
                    if general not in self._generals:
                        self._generals[general] = Lazy(partial(self._of, general, space))
                    able.append(Value(general, self._generals[general], at=space, note=f"{stack.cu} CU"))
        return OneOf("general", able, of="general")

    def _of(self, general: str, space: str) -> Part:
        """Return what a general may do: march, besiege where he stands, go alone, sail, or sally out (8.1, 16.4.4)."""
        view, side = self.view, self.side
        inside, stack = view.whereabouts(general)[1], pool(view, side, space)
        sallies = inside and why_no_sortie(view, side, space) is None
        home, ways = Home(space, stack), list[Value]()
        if sallies:
            home = Home(space, view.garrison(side, space))
            force = self._led(
                home, general, range(1, home.stack.cu + 1), lambda force, cus: [(cus, Fixed({"sortie": True}))]
            )
            ways.append(Value("sortie", force, says=("sortie",), must=True))
        elif general in stack.generals:
            every = range(1, stack.cu + 1)
            ways.append(Value("march", self._marching(home, general, every, space), says=("march",), weight=4))
            if is_target(view, side, space):
                besiegers = range(view.board.siege.cu, stack.cu + 1)
                force = self._led(home, general, besiegers, lambda force, cus: [(cus, Fixed({"path": []}))])
                ways.append(Value("besiege", force, says=("besiege",), must=True, weight=2))
            alone = self._marching(home, general, range(1), space)
            ways.append(Value("alone", alone, says=("alone",), must=bool(stack.cu)))
        # An enemy army before the walls does not keep a garrison from sailing: a siege does (8.8.1).
        fleet = Home(space, stack if view.besieged(space) else whole(view, side, space))
        if self.hold and view.board.spaces[space].port and general in fleet.stack.generals:
            cus, harbour = range(1, min(fleet.stack.cu, self.hold) + 1), space + _HARBOUR
            ways.append(Value("sail", self._marching(fleet, general, cus, harbour), weight=3))
            alone = self._marching(fleet, general, range(1), harbour)
            ways.append(Value("sail alone", alone, says=("alone",), must=bool(fleet.stack.cu)))
        return OneOf(None, ways, inferred=True)

    def _marching(self, home: Home, general: str, cus: range, start: str) -> Part:
        """Return the ways of a general with his companions and units, from a start (8.2, 8.7, 8.8)."""
        port = self.view.board.spaces[home.space].port
        by_ship = self.hold > 0 and (start != home.space or not port)
        after = self._after_march(general) if cus.stop > 1 else _ALONE

        def ways(force: Force, cus: Sequence[int]) -> Iterator[tuple[Sequence[int], Part]]:
            groups: dict[Trip, list[int]] = {}
            for cu in cus:
                points, sails = self._points(home, force, cu), by_ship and cu <= self.hold
                groups.setdefault(self.roads.trip(home.space, force, cu, points, sails=sails), []).append(cu)
            for trip, some in groups.items():
                yield some, self.roads.by(start, trip, after)

        return self._led(home, general, cus, ways)

    def _after_march(self, general: str) -> AllOf:
        key = may_charm(self.view, general, self.play)
        if key not in self._after:
            self._after[key] = after_march(self.view, general, self.play, sets_out=True)
        return self._after[key]

    def _points(self, home: Home, force: Force, cu: int) -> int:
        """Return how far a force can go: as far as who can go least far in it (8.4.1)."""
        view, side = self.view, self.side
        points, legs = allowance(view, force[0], self.kind), walked(view, side, home.space)
        riders = riders_at_start(view, force[1:]).values()
        return min([points, *riders, *picked(legs, pool(view, side, home.space).cu, cu)])

    def _led(self, home: Home, general: str, cus: Iterable[int], ways: _WaysOf) -> Part:
        """Return whom a general takes along, and for each company with how many units, and what follows (8.6, 8.7)."""
        view, (space, stack) = self.view, home
        done, tired = resting(view, self.side), exhausted(view, self.side, space)
        usual = min(stack.cu - tired, view.board.movement.cu)
        others = [other for other in stack.generals if other != general and other not in done]
        led = tuple([other for other in others if may_command(view, general, (other,))])

        def units(some: tuple[str, ...]) -> Part | None:
            split = Split(view, stack, general, some)
            able = [cu for cu in cus if cu <= usual and split.why_not_marching(cu) is None]
            values = []
            for fit, follows in ways((general, *some), able) if able else ():
                share = Share(("cu", "elephants"), stack.cu, stack.elephants, fit, usual if usual in fit else None)
                values.append(Value("", AllOf(share, follows)))
            return OneOf(None, values, inferred=True) if len(values) != 1 else values[0].then

        sets = [some for size in range(len(led) + 1) for some in combinations(led, size)]
        nobody = ("nobody else",) if led else ()
        values = [Value(list(some), Lazy(partial(units, some)), says=() if some else nobody) for some in sets]
        return OneOf("with", values, of="general", default=sets.index(led if stack.commander == general else ()))
