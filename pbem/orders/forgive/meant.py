"""The outcome of reading a sheet: its value in the words of the game, where all of it stands, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pbem.game.yaml import Mark, Placed
from pbem.protocol import Path


@dataclass(slots=True)
class Meant:
    """A sheet in the words of the game: its value, the places of all that is in it, faults, and words put right."""

    value: dict[str, Any] = field(default_factory=dict)
    marks: dict[Path, tuple[Mark, Mark]] = field(default_factory=dict)
    """Path -> the places of its key and of its value, which for an item of a list are the same."""
    faults: list[Placed] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    """What was written -> what it was read as."""
    supplied: list[str] = field(default_factory=list)
    """The keys that stand for what the letter answers."""
