"""The numbers we mean to keep: each `bench_*.py` beside this file yields figures, `python -m bench` prints them.

A bar is a ratio wherever one can be had, against something that was measured in the same run: the machine is then
on both sides of it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

AT_LEAST: Literal["at least"] = "at least"
AT_MOST: Literal["at most"] = "at most"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number measured, and the bar it has to reach or to stay under; no bar: told for the reader only."""

    name: str
    value: float
    unit: str
    bar: float | None = None
    sense: Literal["at least", "at most"] = AT_MOST

    @property
    def ok(self) -> bool:
        """Whether the bar is kept."""
        if self.bar is None:
            return True
        return self.value >= self.bar if self.sense == AT_LEAST else self.value <= self.bar


def seconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def alternating(rounds: int, *works: Callable[[], object]) -> list[float]:
    """Return the median seconds of each piece of work, run turn and turn about so that a busy machine hits all alike.

    The first round warms up and is not counted.
    """
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds + 1):
        for kept, work in zip(times, works, strict=True):
            kept.append(seconds(work))
    return [statistics.median(kept[1:]) for kept in times]
