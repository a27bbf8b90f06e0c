"""What a check of a game comes to: what was checked, and every place where something is not as it must be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a game: an adjudication and a roll in it, a file, a commit; as far as it has one.

    `at` counts the commits before it, so that what came first is told first.
    """

    at: int = 0
    turn: int | None = None
    roll: int | None = None
    name: str | None = None
    """The name of the roll or draw."""
    file: str | None = None
    commit: str | None = None
    kind: str = "roll"

    @property
    def order(self) -> tuple[int, bool, bool, int, int]:
        """What places are sorted by: of one commit, itself comes first, then the turn it makes, then other files."""
        return self.at, self.commit is None, self.turn is None, self.turn or 0, self.roll or 0

    def __str__(self) -> str:
        words = [] if self.turn is None else [f"turn {self.turn}"]
        if self.roll is not None:
            words.append(f"{self.kind} {self.roll}")
        if self.name is not None:
            words.append(self.name)
        if self.file is not None and self.turn is None:
            words.append(self.file)
        if self.commit is not None and not words:
            words.append(f"commit {self.commit[:12]}")
        return ", ".join(words) or "the repo"


@dataclass(frozen=True, slots=True)
class Divergence:
    """One thing that is not as it must be: where, and why, as a person would say it."""

    place: Place
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Checked:
    """One subject that was checked: what there is of it, and how much of it is wrong; None: it could not be checked."""

    subject: str
    text: str
    wrong: int | None


@dataclass(slots=True)
class Findings:
    """What was checked, a line each, and what is wrong."""

    checked: list[Checked] = field(default_factory=list)
    divergences: list[Divergence] = field(default_factory=list)
    _counted: int = 0

    def check(self, subject: str, text: str) -> None:
        """Put on record what was checked: what has been blamed since the last call is wrong with it."""
        self.checked.append(Checked(subject, text, len(self.divergences) - self._counted))
        self._counted = len(self.divergences)

    def leave(self, subject: str, text: str) -> None:
        """Put on record what could not be checked, and why."""
        self.checked.append(Checked(subject, text, None))

    def blame(self, place: Place, *reasons: str) -> None:
        """Put on record what is wrong at a place."""
        self.divergences += [Divergence(place, reason) for reason in reasons]

    @property
    def sorted(self) -> list[Divergence]:
        """What is wrong, in the order of the game."""
        return sorted(self.divergences, key=lambda each: each.place.order)


def listed(words: Iterable[object]) -> str:
    """Return some words as a sentence lists them, the first ten of many."""
    said = [str(word) for word in words]
    return ", ".join(said[:10]) + (f" and {len(said) - 10} more" if len(said) > 10 else "")
