"""How long tests are: what `make test` leaves to `make check`, and one knob for all that only `make soak` runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

import pytest
from _pytest.mark import ParameterSet

FULL: Final = 180
"""The number of games at which every test of the soak has its full length."""
GAMES: Final = int(os.environ.get("PBEM_SOAK_GAMES", "60"))
"""How many whole games the soak plays of the first scenario of a game, over all its editions."""


def scaled(full: int, least: int = 1) -> int:
    """Return the share of a full length that belongs to `GAMES`; never less than `least`."""
    return max(least, full * GAMES // FULL)


def stride(most: int) -> int:
    """Return how far apart the samples of an exhaustive test lie: 1 at full length, `most` in the shortest soak."""
    return max(1, min(most, FULL // max(1, GAMES) - 1))


def quick_and_whole(quick: object, whole: object) -> list[ParameterSet]:
    """Return two lengths of a test, as values of a parameter: `make test` runs one, `make check` the other."""
    return [
        pytest.param(quick, id="quick", marks=pytest.mark.quick),
        pytest.param(whole, id="whole", marks=pytest.mark.slow),
    ]


def quick_first(values: Iterable[Any], count: int = 1, *, alone: bool = False) -> list[Any]:
    """Return the values of a parameter: `make check` runs all of them, `make test` the first ones.

    Tuples are the values of several parameters, unless each is that of one `alone`.
    """
    every = list(values)
    return [
        *every[:count],
        *(_slow((each,) if alone or not isinstance(each, tuple) else each) for each in every[count:]),
    ]


def _slow(values: tuple[Any, ...]) -> ParameterSet:
    if isinstance(values, ParameterSet):
        return values._replace(marks=[*values.marks, pytest.mark.slow])
    return pytest.param(*values, marks=pytest.mark.slow)
