"""The summary of a position in words: a headline, and sections of lines with columns. Reports and pages show it.

It stands apart from what is drawn: a rule module that sums up needs no board, and most commands draw nothing.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A label with its columns beside it, indented by `depth`; without columns it is prose and may be long."""

    label: str
    cells: tuple[str, ...] = ()
    depth: int = 0
    aside: bool = False
    """Whether a change of it is not worth telling: what happened says it, or nobody acts on it."""
    passing: bool = False
    """Whether it stands for what is just under way: that it is over is not told."""


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a title; their columns are aligned."""

    title: str
    lines: tuple[Line, ...] = ()
    passing: bool = False
    """Whether it tells what is just under way: a question and what happened say that, so no change of it is told."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A position as its reader may know it: a headline that sums it up, the sections, and what the reader holds."""

    headline: str
    sections: tuple[Section, ...] = ()
    hand: tuple[Section, ...] = ()
