"""Odds: questions about chances that a game can answer, the numbers they need, the answers. Imports nothing of ours.

A game that has any returns them as `Rules.odds`, a mapping from a word to an `Odds`: `{"battle": Odds(...)}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Number:
    """A number that a question needs: its meaning, its least and greatest value, and its value if left out.

    Without a `default` it must be given, unless `optional`: then the answer works it out from the others.
    """

    meaning: str
    least: int
    most: int
    default: int | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Chances:
    """An answer: lines to read, and the same as plain data with fractions, for a program."""

    lines: tuple[str, ...]
    figures: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Odds:
    """A question about chances. `answer` gets the numbers, and a fresh table for each game it may play out."""

    about: str
    numbers: Mapping[str, Number]
    answer: Callable[[Mapping[str, int], Iterable[Any]], Chances]
    """Raises ValueError if the numbers contradict each other."""


def percent(at_most: int) -> int:
    """Return the chance of a die to show a number or less, in percent.

    >>> percent(2), percent(0), percent(7)
    (33, 0, 100)
    """
    return round(100 * min(max(at_most, 0), 6) / 6)
