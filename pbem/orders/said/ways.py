"""Ways over a map as they are said: some places in their order, and between them the single shortest way.

What is not said is filled in only if there is one shortest way; two that are equally short are told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, NamedTuple

from pbem.game.choices.parts import Plain
from pbem.game.choices.walks import Edge, Walk, is_among

_MOST_WAYS: Final = 4


@dataclass(frozen=True, slots=True)
class WayThere:
    """A way as a sheet has it."""

    words: list[Plain]


@dataclass(frozen=True, slots=True)
class NoWay:
    """No way leads to a goal."""

    goal: Collection[str]
    at: int
    """Which of the goals it is."""
    points: int


@dataclass(frozen=True, slots=True)
class SeveralWays:
    """Some ways that are equally short."""

    ways: Sequence[Sequence[Plain]]
    at: int


class _Leg(NamedTuple):
    """A way so far: where it has come to, its cost, its steps, and the named ways among them."""

    state: str
    cost: int
    steps: tuple[Plain, ...] = ()
    hows: frozenset[str] = frozenset()


def way_over(walk: Walk, goals: Sequence[Collection[str]], hows: frozenset[str]) -> WayThere | NoWay | SeveralWays:
    """Return the way of a walk over some goals, each given by its names, that uses the named ways `hows`."""
    legs = [_Leg(walk.start, 0)]
    for at, goal in enumerate(goals):
        ahead = [further for leg in legs for further in _legs_to(walk, leg, goal, hows)]
        if not ahead:
            return NoWay(goal, at, walk.points)
        legs = ahead
    last = len(goals) - 1
    ends = [leg for leg in legs if leg.hows == hows and walk.may_end(leg.state, steps=True)]
    if not ends:
        return NoWay(goals[last], last, walk.points)
    least = min(leg.cost for leg in ends)
    shortest = {repr(leg.steps): leg for leg in ends if leg.cost == least}
    if walk.fills and not hows:  # the game itself fills in the way
        return WayThere([min(goal, key=len) for goal in goals])
    if len(shortest) > 1:
        return SeveralWays([leg.steps for leg in shortest.values()][:_MOST_WAYS], last)
    steps = list(next(iter(shortest.values())).steps)
    if len({repr(step) for step in steps}) < len(steps) and len(steps) > len(goals):
        return NoWay(goals[last], last, walk.points)  # there and back again: every place of it must be said
    return WayThere(walk.after_first(steps))


def _legs_to(walk: Walk, leg: _Leg, goal: Collection[str], hows: frozenset[str]) -> Iterator[_Leg]:
    """Yield the ways on to a goal: a single step, if one leads there, else all that cost least."""
    points = walk.points - leg.cost
    direct = [edge for edge in _steps(walk, leg, leg.state, hows) if edge.cost <= points and _is(walk, edge.to, goal)]
    if direct:
        yield from (_on(leg, edge) for edge in direct)
        return
    best: dict[str, int] = {leg.state: leg.cost}
    heap: list[tuple[int, int, _Leg]] = [(leg.cost, 0, leg)]
    count, found = 0, -1
    while heap:
        cost, _, at = heappop(heap)
        if found >= 0 and cost > found:
            return
        if at is not leg and _is(walk, at.state, goal):
            found = cost
            yield at
            continue
        if cost > best.get(at.state, cost):
            continue
        for edge in _steps(walk, at, leg.state, hows):
            ahead = cost + edge.cost
            if ahead <= walk.points and ahead <= best.get(edge.to, ahead) and count < 5_000:
                best[edge.to] = ahead
                count += 1
                heappush(heap, (ahead, count, _on(at, edge)))


def _steps(walk: Walk, leg: _Leg, start: str, hows: frozenset[str]) -> Iterator[Edge]:
    """Yield the steps on from where a way has come to; named ones only if they are said."""
    if leg.steps and is_among(leg.state, walk.graph.stops):
        return
    for edge in walk.graph.steps(leg.state):
        if not edge.how or edge.how in hows:
            yield edge


def _on(leg: _Leg, edge: Edge) -> _Leg:
    hows = leg.hows | {edge.how} if edge.how else leg.hows
    return _Leg(edge.to, leg.cost + edge.cost, (*leg.steps, edge.word), hows)


def _is(walk: Walk, state: str, goal: Collection[str]) -> bool:
    return any(name in goal for name in walk.graph.names(state))
