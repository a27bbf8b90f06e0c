"""Marks: the places of faults in a text, by line and column."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.protocol import MALFORMED, Fault
from pbem.values import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """Where something stands: line and column count from 1; width is in characters and stays on that line."""

    line: int
    column: int
    width: int


@dataclass(frozen=True, slots=True)
class Placed:
    """A fault and the place it is about."""

    fault: Fault
    mark: Mark


def by_place(faults: Iterable[Placed]) -> tuple[Placed, ...]:
    """Return faults in the order in which they stand in the text."""
    return tuple(sorted(faults, key=lambda placed: (placed.mark.line, placed.mark.column)))


def malformed(reason: str, mark: Mark) -> Placed:
    """Return the fault of a text that cannot be read at a place."""
    return Placed(Fault(MALFORMED, (), reason), mark)


def mark_at(text: str, index: int, width: int = 1) -> Mark:
    """Return the mark of a place that is known by its index in the text."""
    return Mark(text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index), max(1, width))


def short(word: str) -> str:
    """Return a player's word, cut to what a sentence can hold."""
    return word if len(word) <= 40 else word[:37] + "..."
