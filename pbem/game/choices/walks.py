"""Walks: choices of a way over a board, step by step, with what each step costs.

A walk goes over states, not places: an army that has sailed may go on as another may not, and a city next to the way
may be won over from it. A state is a place, or a place with a mark behind `~` (`utica~sailed`, `0223~mediolanum`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from typing import Final, NamedTuple, TypeAlias

from pbem.game.choices.parts import Body, Part, Plain, Random, Terrain, Tree, Used, Written

MARK: Final = "~"
_STRAYS: Final = 0.7
"""How often a way that is drawn is any, and not a cheapest one to some end."""
_TRIES: Final = 40
"""How often a random way is tried that may end where none does."""


class Edge(NamedTuple):
    """One step on from a state."""

    to: str
    """The state that it leads to."""
    cost: int
    word: Plain
    """The step as a sheet has it."""
    how: str = ""
    """The name of the way, if it is no plain step; readers of words take it only if it is said."""


class Arrival(NamedTuple):
    """How a state is reached at least cost: the cost, the state before it, and the step between them."""

    cost: int
    before: str | None
    word: Plain


Reached: TypeAlias = Mapping[str, Arrival]
Steps: TypeAlias = Callable[[str], Sequence[Edge]]


def place_of(state: str) -> str:
    """Return the place of a state.

    >>> place_of("utica~sailed")
    'utica'
    """
    return state.partition(MARK)[0]


@dataclass(frozen=True, slots=True)
class Ways:
    """How the steps of a graph are said, written and shown."""

    says: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Name of a way -> the verbs by which it is said."""
    forms: Mapping[str, Plain] = field(default_factory=lambda: {"": "$"})
    """Name of a way -> a step of it as a sheet has it, with `$` for what it goes to."""
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The roads by their names, each as its places in order."""


class Graph(Terrain):
    """Where walks may go. What leads on from a state is asked when it is first looked at."""

    def __init__(self, steps: Steps, *, stops: Collection[str] = (), ways: Ways | None = None) -> None:
        self._find = steps
        self._steps: dict[str, Sequence[Edge]] = {}
        self.stops = stops
        """Where a walk ends that comes there: states, places or marks."""
        self.ways = ways or Ways()
        self._reached: dict[tuple[str, int], Reached] = {}

    def steps(self, state: str) -> Sequence[Edge]:
        """Return the steps on from a state."""
        if state not in self._steps:
            self._steps[state] = self._find(state)
        return self._steps[state]

    def names(self, state: str) -> Sequence[str]:
        """Return the words by which a state may be named."""
        return (place_of(state),)

    def reached(self, start: str, most: int) -> Reached:
        """Return the states in reach of a start for so many points, nearest first, with one cheapest way to each."""
        if (start, most) not in self._reached:
            self._reached[start, most] = self._search(start, most)
        return self._reached[start, most]

    def _search(self, start: str, most: int) -> Reached:
        found: dict[str, Arrival] = {}
        heap: list[tuple[int, str, int, str, str | None, Plain]] = [(0, "", 0, start, None, None)]
        best: dict[str, tuple[int, str]] = {}
        count, stops, steps = 0, self.stops, self.steps
        while heap:
            cost, _, _, state, before, word = heappop(heap)
            if state in found:
                continue
            found[state] = Arrival(cost, before, word)
            if stops and before is not None and (state in stops or (MARK in state and is_among(state, stops))):
                continue
            for to, price, step, _how in steps(state):
                total = cost + price
                if total <= most and to not in found and (to not in best or (total, state) < best[to]):
                    best[to] = total, state
                    count += 1
                    heappush(heap, (total, state, count, to, state, step))
        return found

    def ends(self, start: str, most: int) -> Sequence[str]:
        """Return the states in reach that are listed, the start among them; those with an empty mark are not."""
        return [state for state in self.reached(start, most) if not state.endswith(MARK)]

    def way(self, start: str, most: int, end: str) -> list[Plain]:
        """Return a cheapest way to a state in reach, as the steps of a sheet."""
        reached, steps = self.reached(start, most), list[Plain]()
        at = reached[end]
        while at.before is not None:
            steps.append(at.word)
            at = reached[at.before]
        return steps[::-1]

    def plain(self, starts: Mapping[str, int]) -> Body:
        """Return the steps from each state in reach of some starts, where walks stop, and how steps are written."""
        shown: dict[str, None] = {}
        for start, most in starts.items():
            shown |= dict.fromkeys(self.reached(start, most))
        edges: dict[str, Plain] = {}
        for state in shown:
            on = [step for step in self.steps(state) if step.to in shown]
            if on:
                edges[state] = [[to, cost, how] if how else [to, cost] for to, cost, _, how in on]
        says: Plain = {how: list(says) for how, says in self.ways.says.items()}
        stops: Plain = [state for state in shown if is_among(state, self.stops)]
        return {"edges": edges, "forms": self.ways.forms, "says": says, "stops": stops}


def is_among(state: str, some: Collection[str]) -> bool:
    """Tell whether a state is one of some, or its place or its mark is: these stand for all states that have them.

    >>> [is_among("utica~sailed", {some}) for some in ("utica", "~sailed", "utica~tried")]
    [True, True, False]
    """
    if state in some:
        return True
    place, mark, word = state.partition(MARK)
    return bool(mark) and (place in some or mark + word in some)


@dataclass(eq=False)
class Walk(Part):
    """Steps from a start. What is listed is one cheapest way to each end; other ways are in it, too.

    Ends that have a mark are drawn as often as those without one, however few they are.
    """

    key: str
    start: str
    graph: Graph
    points: int
    of: str = ""
    """The list of the lexicon that has the names of the places."""
    stay: bool = False
    """Whether it may have no step."""
    no_ends: Collection[str] = ()
    """Where it may not end: states, places or marks."""
    only: Collection[str] | None = None
    """Where alone it may end: states, places or marks."""
    fills: bool = False
    """Whether a sheet may name a distant place, and the game itself fills in the way."""
    first: Mapping[str, Plain] = field(default_factory=dict)
    """What is done before the first step, and written into it."""
    title: str = ""

    def may_end(self, state: str, *, steps: bool) -> bool:
        """Tell whether the walk may end in a state; `steps`: it has made one."""
        if not (steps or self.stay) or (self.no_ends and is_among(state, self.no_ends)):
            return False
        return self.only is None or is_among(state, self.only)

    @cached_property
    def ends(self) -> Sequence[str]:
        """The states to which a way is listed, nearest first."""
        found, start, no_ends, only = self.graph.ends(self.start, self.points), self.start, self.no_ends, self.only
        if only is not None:
            found = [state for state in found if state in only or (MARK in state and is_among(state, only))]
        return [
            state
            for state in found
            if not (no_ends and (state in no_ends or (MARK in state and is_among(state, no_ends))))
            and (state != start or self.stay)
        ]

    def way(self, state: str) -> list[Plain]:
        """Return the way to an end, as the sheet has it."""
        return self.after_first(self.graph.way(self.start, self.points, state))

    def after_first(self, steps: list[Plain]) -> list[Plain]:
        """Return steps with what is done before the first of them written into it."""
        if not self.first or not steps:
            return steps
        step = steps[0]
        assert isinstance(step, Mapping)
        return [{**step, **self.first}, *steps[1:]]

    def __len__(self) -> int:
        return len(self.ends)

    def make(self, index: int) -> Body:
        return {self.key: self.way(self.ends[index])}

    def draw(self, random: Random, *, wide: bool = False) -> Body | None:
        if wide and random() < _STRAYS and (steps := self._stray(random)) is not None:
            return {self.key: self.after_first(steps)}
        marked = [state for state in self.ends if MARK in state]
        plain = [state for state in self.ends if MARK not in state]
        ends = (marked if random() < 0.5 else plain) if marked and plain else self.ends
        return {self.key: self.way(ends[int(random() * len(ends))])} if ends else None

    def _stray(self, random: Random) -> list[Plain] | None:
        """Return a random way, round about or not; None: none was found."""
        for _ in range(_TRIES):
            state, left, steps = self.start, self.points, list[Plain]()
            while True:
                may_end = self.may_end(state, steps=bool(steps))
                stopped = bool(steps) and is_among(state, self.graph.stops)
                on = [] if stopped else [step for step in self.graph.steps(state) if step.cost <= left]
                if may_end and (not on or random() < 0.35):
                    return steps
                if not on:
                    break
                step = on[int(random() * len(on))]
                state, left = step.to, left - step.cost
                steps.append(step.word)
        return None

    def fits(self, body: Written, used: Used) -> Iterator[Used]:
        written = body.get(self.key)
        if not isinstance(written, list):
            return
        steps = self._without_first(written)
        if steps is None:
            return
        here = {(self.start, self.points)}
        for at, word in enumerate(steps):
            here = {
                (step.to, left - step.cost)
                for state, left in here
                if not (at and is_among(state, self.graph.stops))
                for step in self.graph.steps(state)
                if step.cost <= left and step.word == word
            }
        if any(self.may_end(state, steps=bool(steps)) for state, _ in here):
            yield used | {self.key}

    def _without_first(self, steps: list[Plain]) -> list[Plain] | None:
        """Return steps without what is done before the first; None: that is not written there."""
        if not self.first:
            return steps
        step = steps[0] if steps else None
        if not isinstance(step, Mapping) or not self.first.items() <= step.items():
            return None
        return [{key: value for key, value in step.items() if key not in self.first}, *steps[1:]]

    def plain(self, tree: Tree) -> Body:
        ground = tree.show(self.graph, self.start, self.points)
        told: Body = {"walk": self.key, "from": self.start, "points": self.points, "ground": ground}
        more: Body = {"of": self.of, "stay": self.stay, "fills": self.fills, "first": self.first, "title": self.title}
        more["no_ends"] = sorted(self.no_ends)
        told |= {key: value for key, value in more.items() if value}
        return told if self.only is None else told | {"only": sorted(self.only)}
