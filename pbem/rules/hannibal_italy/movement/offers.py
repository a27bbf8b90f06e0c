"""The marches that a side may order: who goes, with whom, and which way; and the cities to win over on it (7).

An order may say more: units by their kinds, and units to drop on the way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import combinations
from typing import Final, TypeAlias

from pbem.game import (
    MARK,
    NONE,
    UNTOLD,
    AllOf,
    Edge,
    Fixed,
    Graph,
    Kind,
    Lazy,
    OneOf,
    Part,
    Plain,
    Value,
    Walk,
    Ways,
    cheapest,
    way,
)
from pbem.protocol import Decision, Order, Side
from pbem.rules.hannibal_italy.movement import diplomacy, overrun
from pbem.rules.hannibal_italy.movement.check import check
from pbem.rules.hannibal_italy.movement.orders import ALL, END, TRY, Marcher, PathWord, ends_marches
from pbem.rules.hannibal_italy.movement.overrun import stops
from pbem.rules.hannibal_italy.movement.taking import allowance, divide, wrong_shares
from pbem.rules.hannibal_italy.position.board import Board
from pbem.rules.hannibal_italy.position.forces import Units
from pbem.rules.hannibal_italy.position.leadership import forbidden, full
from pbem.rules.hannibal_italy.position.state import ENEMY, UNSEEN, Game

_MOST_OTHERS: Final = 3
_RODE_DOWN: Final = f"{MARK}overrun"
"""The mark of a march that has ridden the enemy down."""


@dataclass(frozen=True, slots=True)
class Company:
    """Leaders who may march together, and the units that they take."""

    body: Mapping[str, str | list[str]]
    """The part of an order that names them."""
    leaders: list[str]
    most: int
    """Their half movement points."""
    forces: Sequence[Units]
    """What each of them leads."""

    def march(self, path: Sequence[PathWord], **more: bool) -> Order:
        """Return the order to march along a path."""
        return Order("move", {**self.body, "path": path, **more})


def choices(view: Game, decision: Decision) -> Part:
    """Return the end of the phase, and for each leader who can move every way that he can go (7.1, 7.3)."""
    leaders: Sequence[str] = decision.facts["leaders"]
    if any(UNSEEN in view.leaders[leader].units for leader in leaders):
        return UNTOLD
    marches = _Marches(view, decision)
    who = [Value(leader, Lazy(partial(marches.of, leader)), at=view.leaders[leader].at) for leader in leaders]
    end = Value("end", Fixed(END), says=("end", "pass"), must=True)
    march = [Value("march", OneOf("leader", who, of="leader"), weight=len(who))] if who else []
    return OneOf(None, [end, *march], inferred=True)


class _Marches:
    """The marches of a decision; what several of them share is made once."""

    def __init__(self, view: Game, decision: Decision) -> None:
        self.view, self.decision, self.side = view, decision, decision.side
        self._graphs: dict[tuple[frozenset[str], frozenset[str]], _Land] = {}
        self._goals: dict[tuple[str, int, frozenset[str], frozenset[str], frozenset[str]], Part] = {}

    @cached_property
    def held(self) -> frozenset[str]:
        """The hexes in which a march ends because of the enemy."""
        return stops(self.view, self.side)

    @cached_property
    def to_win(self) -> Collection[str]:
        """The cities at which diplomacy may be tried (7.4)."""
        return diplomacy.open_cities(self.view, self.side)

    def inside(self, start: str) -> frozenset[str]:
        """Return the hexes of one's own cities into which leaders may go who come from a hex, or are there (7.6)."""
        view = self.view
        own = [city for city, owner in view.cities.items() if owner == self.side and city not in view.sieges]
        hexes = frozenset([view.board.cities[city].hex for city in own])
        trapped = start in hexes and view.leaders_at(ENEMY[self.side], start, inside=False)
        open_ = hexes - self.held if view.options["going_inside"] == "freely" else frozenset[str]()
        return open_ | {start} if trapped else open_

    def of(self, leader: str) -> Part:
        """Return the marches of a leader: alone or with others, with their own units or all at hand (7.2, 7.8)."""
        values = [Value([], self._units(leader))]
        for going in _parties(self.view, self.decision, leader):
            if (company := _company(self.view, going)) is not None:
                values.append(Value(company.leaders[1:], self.goals(company)))
        return OneOf("with", values, of="leader", default=0) if len(values) > 1 else values[0].then

    def _units(self, leader: str) -> Part:
        """Return the marches of a leader without others: with their own units, and with all that is at hand (7.2)."""
        values = []
        for word, going in ((None, Marcher(leader)), (ALL, Marcher(leader, ALL))):
            if word is None or _has_units_at_hand(self.view, self.side, leader):
                company = _company(self.view, [going])
                goals = NONE if company is None else self.goals(company)
                values.append(Value(word, goals, says=(ALL,) if word else ()))
        return OneOf("units", values, default=0) if len(values) > 1 else values[0].then

    def goals(self, company: Company) -> Part:
        """Return the ways that a company can go, shared by those who have the same ahead of them."""
        view, start = self.view, self.view.leaders[company.leaders[0]].at
        closed = forbidden(view, self.side, company.leaders)
        shut = frozenset(full(view, self.side, company.leaders))
        easy = self._easy(start, company, closed, shut)
        key = (start, company.most, closed, shut, easy)
        if key not in self._goals:
            self._goals[key] = Lazy(partial(self._ways, *key))
        return self._goals[key]

    def _easy(self, start: str, company: Company, closed: frozenset[str], shut: frozenset[str]) -> frozenset[str]:
        """Return the hexes in which a company may ride the enemy down, if one is in reach, as far as is seen (7.7)."""
        view, able = self.view, [hex for hex in self.open_ground if hex not in shut]
        if not able:
            return frozenset()
        within = company.most - int(view.board.tables["movement"]["overrun"]["cost"])
        found = _round(view.board, start, company.most, self.held, closed)
        if not any(hex != start and hex in found and found[hex][0] <= within for hex in able):
            return frozenset()
        forces = company.forces
        return frozenset([hex for hex in able if overrun.why_not(view, self.side, hex, forces) is None])

    @cached_property
    def open_ground(self) -> Sequence[str]:
        """The hexes that the enemy holds on ground that allows an overrun (7.7)."""
        return [hex for hex in sorted(self.held) if overrun.possible(self.view, hex)]

    def _ways(self, start: str, most: int, closed: frozenset[str], shut: frozenset[str], easy: frozenset[str]) -> Part:
        graph = self._land(closed)
        march = Walk("path", start, graph, most, of="hex", no_ends=shut, fills=True)
        ways = [Value("march", march, says=("march",), weight=4)]
        if start not in shut:
            ways.append(Value("stay", Fixed({"path": []}), says=("stay",), must=True))
        if own := self.inside(start) - shut:
            inside = Walk("path", start, graph, most, of="hex", stay=True, only=own)
            ways.append(Value("inside", AllOf(inside, Fixed({"inside": True})), says=("inside",), must=True, weight=2))
        if easy:
            over = Walk("path", start, self._land(closed, easy), most, of="hex", no_ends=shut, only=(_RODE_DOWN,))
            ways.append(Value("overrun", AllOf(over, Fixed({"overrun": True})), says=("overrun",), must=True, weight=2))
        return OneOf(None, ways, inferred=True)

    def _land(self, closed: frozenset[str], easy: frozenset[str] = frozenset()) -> _Land:
        """Return where leaders may go to whom some hexes are closed (10.6, 12.21)."""
        if (closed, easy) not in self._graphs:
            self._graphs[closed, easy] = _Land(self, closed, easy)
        return self._graphs[closed, easy]


class _Land(Graph):
    """The ways of some leaders over the board: from hex to hex, with diplomacy at a city next to the way.

    A state with the mark of a city (`0223~mediolanum`) is where diplomacy was tried there; one with an empty mark is
    reached after that, and not listed. Where the enemy is ridden down (`easy`), the march goes on with a mark of that,
    and without diplomacy.
    """

    def __init__(self, marches: _Marches, closed: frozenset[str], easy: frozenset[str]) -> None:
        self.view, self.closed, self.easy = marches.view, closed, easy
        self.held, self.to_win = marches.held, frozenset[str]() if easy else marches.to_win
        self.near = diplomacy.places_near(self.view)
        movement = self.view.board.tables["movement"]
        self.price, self.dear = int(movement["diplomacy"]), int(movement["overrun"]["cost"])
        self.refused = frozenset(marches.open_ground) - easy if easy else frozenset[str]()
        super().__init__(self._on, stops=self.held - easy, ways=_words_of(self.view.board))

    def _on(self, state: str) -> Sequence[Edge]:
        hex, mark, city = state.partition(MARK)
        closed, behind = self.closed, mark + city if self.easy else mark
        land = [(to, cost) for to, cost in self.view.board.steps[hex] if to not in closed and to not in self.refused]
        if self.easy:
            over = [Edge(f"{to}{_RODE_DOWN}", cost + self.dear, to) for to, cost in land if to in self.easy]
            return [*[Edge(f"{to}{behind}", cost, to) for to, cost in land if to not in self.easy], *over]
        tries = [self._try(hex, city) for city in self.near[hex] if city in self.to_win] if not mark else []
        return [*[Edge(f"{to}{behind}", cost, to) for to, cost in land], *tries]

    def _try(self, hex: str, city: str) -> Edge:
        return Edge(f"{hex}{MARK}{city}", self.price, {TRY: city}, TRY)

    def names(self, state: str) -> Sequence[str]:
        """Return the words that may stand for a state: the number of a hex or its city; the city to win over."""
        hex, _, city = state.partition(MARK)
        own = self.view.board.hexes[hex].city
        return (city,) if city in self.view.cities else (hex, own) if own else (hex,)

    def _found(self, start: str, most: int) -> Reached:
        return _round(self.view.board, start, most, self.held, self.closed)

    def ends(self, start: str, most: int) -> Sequence[str]:
        """Return the hexes in reach, and then where diplomacy may end a march (7.4)."""
        if self.easy:
            return super().ends(start, most)
        found, within, near = self._found(start, most), most - self.price, self.near
        tries = [
            f"{hex}{MARK}{city}"
            for hex, (cost, _) in found.items()
            if near[hex] and cost <= within and (hex not in self.held or hex == start)
            for city in near[hex]
            if city in self.to_win
        ]
        return [*found, *tries]

    def way(self, start: str, most: int, end: str) -> list[Plain]:
        """Return a cheapest way to a hex, with diplomacy at its end if the state says so."""
        if self.easy:
            return super().way(start, most, end)
        hex, mark, city = end.partition(MARK)
        return [*way(self._found(start, most), hex), *([{TRY: city}] if mark else [])]


@lru_cache(maxsize=8)
def _words_of(board: Board) -> Ways:
    """Return how steps over a board are said: along its roads, and with diplomacy."""
    return Ways({TRY: (TRY,)}, {"": "$", TRY: {TRY: "$"}}, board.ways)


def companies(view: Game, decision: Decision, leader: str) -> Iterator[Company]:
    """Yield the companies in which a leader may march (7.2, 7.3, 7.8, 10.2)."""
    for going in _groups(view, decision, leader):
        if (company := _company(view, going)) is not None:
            yield company


def _groups(view: Game, decision: Decision, leader: str) -> list[list[Marcher]]:
    """Return the leaders and units that an order may name with a leader, allowed or not (7.2)."""
    side, at = decision.side, view.leaders[leader].at
    there = view.leaders_at(side, at)
    groups = [[Marcher(leader)]]
    if _has_units_at_hand(view, side, leader):
        groups.append([Marcher(leader, ALL)])
    others = [other for other in there if other != leader and other in decision.facts["leaders"]]
    if others and len(others) <= _MOST_OTHERS:
        counted = sum(not view.card(each).gaulish for each in (leader, *others))
        if counted <= int(view.board.tables["stacking"]["leaders"]):
            groups.append([Marcher(each) for each in (leader, *others)])
    return groups


def _has_units_at_hand(view: Game, side: Side, leader: str) -> bool:
    """Tell whether there may be units with a leader that he could take over."""
    at = view.leaders[leader].at
    return len(view.leaders_at(side, at)) > 1 or bool(view.loose[side].get(at))


def _parties(view: Game, decision: Decision, leader: str) -> Iterator[list[Marcher]]:
    """Yield a leader with some of the others who are where he is, as many as may be (7.2, 7.8)."""
    others = [each for each in view.leaders_at(decision.side, view.leaders[leader].at) if each != leader]
    able = [each for each in others if each in decision.facts["leaders"]]
    for size in range(1, min(_MOST_OTHERS, len(able)) + 1):
        for some in combinations(able, size):
            counted = sum(not view.card(each).gaulish for each in (leader, *some))
            if counted <= int(view.board.tables["stacking"]["leaders"]):
                yield [Marcher(each) for each in (leader, *some)]


def _company(view: Game, going: list[Marcher]) -> Company | None:
    """Return leaders as a company; None if they may not march, or if `units` adds nothing to what they have (7.3)."""
    division = divide(view, going)
    if wrong_shares(view, division):
        return None
    leader, *others = [marcher.leader for marcher in going]
    body: dict[str, str | list[str]] = {"leader": leader}
    if others:
        body["with"] = others
    if not division.as_they_are:
        body["units"] = ALL
        if division.forces[0] == view.leaders[leader].units:
            return None
    return Company(body, [leader, *others], allowance(view, division.forces), division.forces)


Reached: TypeAlias = Mapping[str, tuple[int, str | None]]
"""Hex -> the half movement points that it costs to get there, and the hex before it."""


def reach(view: Game, side: Side, together: Sequence[str], most: int, start: str = "") -> Reached:
    """Return the hexes in reach of leaders from a hex, or from their own, nearest first (7.2, 7.3, 10.6, 12.21)."""
    start = start or view.leaders[together[0]].at
    return _round(view.board, start, most, stops(view, side), forbidden(view, side, together))


def _round(board: Board, start: str, most: int, held: frozenset[str], closed: frozenset[str]) -> Reached:
    """Return the hexes in reach round closed ones, and no further than those that the enemy holds."""
    free = _reach(board, start, most, frozenset(), closed)
    # Only an enemy within reach is in the way, so that most marches share what was found for others.
    in_the_way = frozenset([hex for hex in held if hex in free and hex != start])
    return _reach(board, start, most, in_the_way, closed) if in_the_way else free


@lru_cache(maxsize=4096)
def _reach(board: Board, start: str, most: int, held: frozenset[str], closed: frozenset[str]) -> Reached:
    def steps(hex: str) -> Iterator[tuple[str, int]]:
        return (step for step in board.steps[hex] if step[0] not in closed)

    return cheapest(start, steps, most, stops=held.__contains__)


MARCH_KINDS: Final = (
    Kind(
        "move",
        choices,
        check,
        hints="views.hints:marches",
        bot="policy.plans:best_marches",
        close_up="views.summary:enemies_near",  # the form says what stands where
        is_last="views.forecast:is_last_march",
        ends=ends_marches,
        successors="views.forecast:successors",
        cost="views.forecast:cost",
        foresee="views.forecast:foresee",
    ),
)
