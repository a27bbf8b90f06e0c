"""The chi-square test of fair dice: Pearson's statistic with its p-value, in the standard library alone.

Where many dice were thrown, p comes from the chi-square curve, the upper part of the incomplete gamma function. Where
fewer than five of each face were to be expected, the curve does not hold; p is then counted out over all ways in which
so many fair dice can fall. Where that would take too long as well, there is no p, but the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, exp, lgamma, log
from typing import Final

ENOUGH: Final = 5
"""The expected count of each face that is needed for the curve to hold."""
_MOST_COUNTED_OUT: Final = 50
_MOST_FACES_COUNTED_OUT: Final = 10
_PRECISE: Final = 1e-15
_TINY: Final = 1e-300


@dataclass(frozen=True, slots=True)
class Fairness:
    """The distance of counts from the expected ones, and how often fair dice are as far away or farther.

    `p` is None where `reason` says why. `exact`: it was counted out; otherwise it comes from the curve.
    """

    statistic: float
    degrees: int
    p: float | None
    exact: bool = False
    reason: str = ""


def fairness(counts: Sequence[int]) -> Fairness:
    """Return how well counts of the faces 1, 2, 3 ... agree with fair dice; ValueError if there are fewer than 2."""
    faces, dice = len(counts), sum(counts)
    if faces < 2 or min(counts) < 0:
        raise ValueError(f"dice have at least 2 faces, each seen so often or never, not {list(counts)}")
    if not dice:
        return Fairness(0.0, faces - 1, None, reason="no dice")
    squares = sum(count * count for count in counts)
    statistic = squares * faces / dice - dice
    if dice >= ENOUGH * faces:
        return Fairness(statistic, faces - 1, upper_gamma((faces - 1) / 2, statistic / 2))
    if dice > _MOST_COUNTED_OUT or faces > _MOST_FACES_COUNTED_OUT:
        reason = f"too few dice: {dice} for {faces} faces, where {ENOUGH * faces} are wanted"
        return Fairness(statistic, faces - 1, None, reason=reason)
    ways = _ways_by_squares(dice, faces)
    as_far = sum(many for sum_of_squares, many in ways.items() if sum_of_squares >= squares)
    return Fairness(statistic, faces - 1, as_far / faces**dice, exact=True)


@lru_cache(maxsize=256)
def _ways_by_squares(dice: int, faces: int) -> dict[int, int]:
    """Return in how many ways dice can fall, by the sum of the squares of how often each face is seen."""
    so_far = {(0, 0): 1}  # dice that fell on the faces looked at, sum of squares -> ways
    for left in range(faces, 0, -1):
        after: dict[tuple[int, int], int] = {}
        for (fallen, squares), many in so_far.items():
            rest = dice - fallen
            for count in range(rest + 1) if left > 1 else (rest,):
                at = fallen + count, squares + count * count
                after[at] = after.get(at, 0) + many * comb(rest, count)
        so_far = after
    return {squares: many for (_, squares), many in so_far.items()}


def upper_gamma(a: float, x: float) -> float:
    """Return the upper regularised incomplete gamma function Q(a, x): the chi-square curve beyond 2x, 2a degrees.

    >>> round(upper_gamma(5 / 2, 11.0704976935 / 2), 9)
    0.05
    """
    if a <= 0 or x < 0:
        raise ValueError(f"Q({a}, {x}) is not defined")
    if x == 0:
        return 1.0
    scale = exp(a * log(x) - x - lgamma(a))
    return 1 - scale * _series(a, x) if x < a + 1 else scale * _fraction(a, x)


def _series(a: float, x: float) -> float:
    """Return 1/a + x/(a(a+1)) + ..., which converges quickly for small x."""
    term = total = 1 / a
    while term > total * _PRECISE:
        a += 1
        term *= x / a
        total += term
    return total


def _fraction(a: float, x: float) -> float:
    """Return the continued fraction that converges quickly for large x (evaluated by Lentz's method)."""
    b = x + 1 - a
    c = 1 / _TINY
    d = 1 / b
    result = d
    change = 0.0
    n = 0
    while abs(change - 1) > _PRECISE * 10:
        n += 1
        factor = -n * (n - a)
        b += 2
        d = 1 / (factor * d + b or _TINY)
        c = b + factor / c or _TINY
        change = c * d
        result *= change
    return result


def chance(need: str, dice: int, sides: int, modifier: int) -> float:
    """Return how likely a roll reaches what it needs, such as `<= 4` or `>= 2`; ValueError for another need."""
    word, _, number = need.partition(" ")
    if word not in ("<=", ">="):
        raise ValueError(f"what is needed reads `<= 4` or `>= 4`, not `{need}`")
    at_most = word == "<="
    bound = int(number) - modifier
    sums = _sums(dice, sides).items()
    good = sum(many for total, many in sums if (total <= bound if at_most else total >= bound))
    return float(good / sides**dice)


@lru_cache(maxsize=256)
def _sums(dice: int, sides: int) -> dict[int, int]:
    """Return in how many ways dice can add up, by the sum."""
    sums = {0: 1}
    for _ in range(dice):
        after: dict[int, int] = {}
        for total, many in sums.items():
            for face in range(1, sides + 1):
                after[total + face] = after.get(total + face, 0) + many
        sums = after
    return sums
