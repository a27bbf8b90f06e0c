"""Chi-square and its p-value against values that others have worked out, and against counting."""

from __future__ import annotations

from itertools import product
from math import erfc, exp, isclose, pi, sqrt

import pytest

from pbem.crypto.chi_square import chance, fairness, upper_gamma

# Degrees of freedom, chi-square, the part of the curve beyond it: what every printed table has, with more digits.
CURVE = [
    (5, 11.070497693516351, 0.05),
    (5, 15.08627246938899, 0.01),
    (5, 20.515005652432873, 0.001),
    (1, 3.841458820694124, 0.05),
    (9, 16.918977604620448, 0.05),
    (19, 30.14352720564616, 0.05),
    (5, 3.0, 0.6999858358786275),
]


@pytest.mark.parametrize(("degrees", "statistic", "p"), CURVE)
def test_the_curve_is_that_of_the_tables(degrees: int, statistic: float, p: float) -> None:
    assert isclose(upper_gamma(degrees / 2, statistic / 2), p, rel_tol=1e-9)


@pytest.mark.parametrize("x", [1e-6, 0.01, 0.3, 0.99, 1.0, 1.5, 2.0, 3.0, 7.5, 40.0, 300.0])
def test_where_the_curve_has_a_simple_form_it_is_that(x: float) -> None:
    assert isclose(upper_gamma(1, x), exp(-x), rel_tol=1e-12)
    assert isclose(upper_gamma(3, x), exp(-x) * (1 + x + x * x / 2), rel_tol=1e-12)
    assert isclose(upper_gamma(0.5, x), erfc(sqrt(x)), rel_tol=1e-11)
    dice_of_6 = erfc(sqrt(x)) + 2 * sqrt(x / pi) * exp(-x) * (1 + 2 * x / 3)
    assert isclose(upper_gamma(2.5, x), dice_of_6, rel_tol=1e-11)


def test_what_the_curve_is_not_defined_for() -> None:
    assert upper_gamma(2.5, 0) == 1
    for a, x in ((0, 1), (-1, 1), (1, -0.1)):
        with pytest.raises(ValueError, match="not defined"):
            upper_gamma(a, x)


def test_many_dice_are_held_against_the_curve() -> None:
    found = fairness([20, 22, 17, 18, 19, 24])
    assert isclose(found.statistic, 1.7)
    assert (found.degrees, found.exact, found.reason) == (5, False, "")
    assert found.p is not None
    assert isclose(found.p, upper_gamma(2.5, 0.85))
    loaded = fairness([5, 5, 5, 5, 5, 35])
    assert isclose(loaded.statistic, 75)
    assert loaded.p is not None
    assert loaded.p < 1e-13


@pytest.mark.parametrize("counts", [[2, 1, 0], [3, 0, 1, 1], [2, 2, 0, 0, 1, 0], [0, 7], [1, 1, 1, 1, 1, 1]])
def test_few_dice_are_counted_out(counts: list[int]) -> None:
    faces, squares = len(counts), sum(count * count for count in counts)
    ways = product(range(faces), repeat=sum(counts))
    as_far = sum(sum(way.count(face) ** 2 for face in range(faces)) >= squares for way in ways)
    found = fairness(counts)
    assert found.exact
    assert found.p is not None
    assert isclose(found.p, as_far / faces ** sum(counts))


def test_from_five_of_each_face_on_the_curve_holds() -> None:
    assert fairness([5, 5, 5, 5, 5, 4]).exact
    assert not fairness([5, 5, 5, 5, 5, 5]).exact
    few = fairness([5, 4, 6, 5, 5, 4]).p
    many = fairness([5, 4, 6, 5, 5, 5]).p
    assert few is not None
    assert many is not None
    assert abs(few - many) < 0.02


def test_where_nothing_can_be_said_there_is_the_reason() -> None:
    assert fairness([0] * 6).reason == "no dice"
    found = fairness([3] * 20)
    assert (found.p, found.reason) == (None, "too few dice: 60 for 20 faces, where 100 are wanted")
    for counts in ([], [3], [3, -1]):
        with pytest.raises(ValueError, match="at least 2 faces"):
            fairness(counts)


@pytest.mark.parametrize(
    ("need", "dice", "sides", "modifier", "expected"),
    [
        ("<= 4", 1, 6, 0, 4 / 6),
        ("<= 4", 1, 6, 1, 3 / 6),
        (">= 9", 2, 6, 1, 15 / 36),
        (">= -3", 1, 6, 0, 1),
        ("<= 0", 1, 6, 0, 0),
        (">= 30", 3, 10, 0, 1 / 1000),
    ],
)
def test_how_likely_a_roll_reaches_what_it_needs(
    need: str, dice: int, sides: int, modifier: int, expected: float
) -> None:
    assert isclose(chance(need, dice, sides, modifier), expected)


def test_another_need_is_not_understood() -> None:
    with pytest.raises(ValueError, match="not `< 4`"):
        chance("< 4", 1, 6, 0)
