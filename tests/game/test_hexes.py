"""Hexes: neighbours, distances, corners and outlines fit together, and cheapest ways are the cheapest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations
from math import hypot, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game.board.board_map import Point
from pbem.game.board.hexes import (
    DIRECTIONS,
    HexCoordinate,
    centre,
    cheapest,
    corners,
    courses,
    direction,
    distance,
    neighbours,
    outlines,
    side,
    spot,
    vertices,
    way,
)

WIDTH = 10.0
HEXES = st.builds(lambda half, column: (2 * half + column % 2, column), st.integers(-20, 20), st.integers(-20, 20))
PATCHES = st.sets(
    st.builds(lambda half, column: (2 * half + column % 2, column), st.integers(0, 4), st.integers(0, 6)), min_size=1
)


def same(one: Point, other: Point) -> bool:
    return isclose(one[0], other[0], abs_tol=1e-6) and isclose(one[1], other[1], abs_tol=1e-6)


@given(HEXES)
def test_neighbours_are_each_others(at: HexCoordinate) -> None:
    around = neighbours(at)
    assert len(set(around.values())) == 6
    for name, there in around.items():
        assert direction(at, there) == name
        assert at in neighbours(there).values()
        assert distance(at, there) == 1
        assert (there[0] + there[1]) % 2 == (at[0] + at[1]) % 2


@given(HEXES, HEXES, HEXES)
def test_distance_is_one(one: HexCoordinate, other: HexCoordinate, third: HexCoordinate) -> None:
    assert distance(one, other) == distance(other, one)
    assert (distance(one, other) == 0) == (one == other)
    assert distance(one, third) <= distance(one, other) + distance(other, third)


@given(HEXES, HEXES)
def test_shortest_way_takes_as_many_steps_as_the_distance(one: HexCoordinate, other: HexCoordinate) -> None:
    """A way of as many steps as the distance leads there, and no shorter one does."""
    left = distance(one, other)
    while left:
        assert min(distance(there, other) for there in neighbours(one).values()) == left - 1
        nearer = [there for there in neighbours(one).values() if distance(there, other) == left - 1]
        assert nearer
        one, left = nearer[0], left - 1
    assert one == other


@given(HEXES)
def test_neighbours_lie_a_width_apart_on_paper(at: HexCoordinate) -> None:
    x, y = centre(at, WIDTH)
    for there in neighbours(at).values():
        to_x, to_y = centre(there, WIDTH)
        assert isclose(hypot(to_x - x, to_y - y), WIDTH)


@given(HEXES)
def test_the_corners_lie_round_the_centre_and_north_is_up(at: HexCoordinate) -> None:
    x, y = centre(at, WIDTH)
    around = corners(at, WIDTH)
    assert all(isclose(hypot(a - x, b - y), WIDTH / 3**0.5) for a, b in around)
    assert all(isclose(hypot(a[0] - b[0], a[1] - b[1]), WIDTH / 3**0.5) for a, b in pairwise((*around, around[0])))
    assert same((sum(a for a, _ in around) / 6, sum(b for _, b in around) / 6), (x, y))
    assert centre(neighbours(at)["n"], WIDTH)[1] < y
    assert all(same(spot(vertex, WIDTH), corner) for vertex, corner in zip(vertices(at), around, strict=True))


@given(HEXES, st.sampled_from(tuple(DIRECTIONS)))
def test_neighbours_share_a_side(at: HexCoordinate, name: str) -> None:
    there = neighbours(at)[name]
    back = direction(there, at)
    assert back is not None
    a, b = side(at, name, WIDTH)
    d, c = side(there, back, WIDTH)
    assert same(a, c)
    assert same(b, d)
    assert len(set(vertices(at)) & set(vertices(there))) == 2
    middle, one, other = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), centre(at, WIDTH), centre(there, WIDTH)
    assert same(middle, ((one[0] + other[0]) / 2, (one[1] + other[1]) / 2))


def area(line: tuple[Point, ...]) -> float:
    """Return the area inside a closed line, positive if it runs clockwise on paper."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise((*line, line[0]))) / 2


@given(PATCHES)
def test_outlines_hold_their_hexes_and_nothing_else(patch: set[HexCoordinate]) -> None:
    found = outlines(patch, WIDTH)
    of_one = area(corners((0, 0), WIDTH))
    assert isclose(sum(map(area, found)), len(patch) * of_one)
    edge = sum(there not in patch for at in patch for there in neighbours(at).values())
    assert sum(map(len, found)) == edge


def test_a_lake_has_an_outline_of_its_own() -> None:
    ring = set(neighbours((4, 4)).values())
    outer, inner = sorted(outlines(ring, WIDTH), key=len, reverse=True)
    assert (len(outer), len(inner)) == (18, 6)


def test_a_river_is_joined_where_it_runs_on() -> None:
    (around,) = courses((((4, 4), there) for there in neighbours((4, 4)).values()), WIDTH)
    assert len(around) == 7
    assert same(around[0], around[-1])
    bend = courses([((4, 4), (5, 5)), ((4, 4), (6, 4)), ((10, 10), (12, 10))], WIDTH)
    assert sorted(map(len, bend)) == [2, 3]


def test_a_river_between_hexes_that_do_not_meet_is_refused() -> None:
    with pytest.raises(ValueError, match="no neighbours"):
        courses([((0, 0), (4, 0))], WIDTH)


GRAPHS = st.dictionaries(
    st.sampled_from("abcdef"), st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), max_size=4), max_size=6
)


def every_way(graph: dict[str, dict[str, int]], stops: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield every way from a without a place twice that goes on from no stop."""
    for count in range(6):
        for places in permutations("bcdef", count):
            steps = pairwise(("a", *places))
            if all(there in graph.get(at, {}) and (at == "a" or at not in stops) for at, there in steps):
                yield places


@given(GRAPHS, st.integers(0, 25), st.sets(st.sampled_from("abcdef"), max_size=2))
def test_cheapest_ways_are_those_of_all(graph: dict[str, dict[str, int]], most: int, stops: set[str]) -> None:
    def cost(places: tuple[str, ...]) -> int:
        return sum(graph[at][there] for at, there in pairwise(("a", *places)))

    best: dict[str, int] = {}
    for places in every_way(graph, stops):
        end = places[-1] if places else "a"
        best[end] = min(cost(places), best.get(end, 1000))
    found = cheapest("a", lambda at: graph.get(at, {}).items(), most, stops=lambda at: at in stops)
    assert {end: price for end, (price, _) in found.items()} == {e: price for e, price in best.items() if price <= most}
    for end, (price, _) in found.items():
        assert cost(tuple(way(found, end))) == price
        no_farther = cheapest("a", lambda at: graph.get(at, {}).items(), most, stops=lambda at: at in stops, goal=end)
        assert way(no_farther, end) == way(found, end)
    turned = {at: dict(reversed(there.items())) for at, there in graph.items()}
    assert cheapest("a", lambda at: turned.get(at, {}).items(), most, stops=lambda at: at in stops) == found
