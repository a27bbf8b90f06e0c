"""What a check of a game comes to: what was checked, what was not, and every place where something is wrong.

Nothing that was not checked is called right. What a level of checking leaves out by its nature (docs/dice.md, "Who
checks what") is *beyond* it, and changes no verdict. What a level promises and could not check is *open*: then the game
is not proven, however right the rest is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


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


class Word(StrEnum):
    """What is said of a game that was checked."""

    PROVEN = "proven"
    BROKEN = "broken"
    NOT_PROVEN = "not proven"


class Looked(StrEnum):
    """Whether a subject was checked."""

    CHECKED = "checked"
    OPEN = "not checked"
    """It is part of this level, and could not be checked here."""
    BEYOND = "not part of this level"


@dataclass(frozen=True, slots=True)
class Checked:
    """One subject: what there is of it, whether it was checked, and how much of it is wrong."""

    subject: str
    text: str
    wrong: int = 0
    looked: Looked = Looked.CHECKED


@dataclass(slots=True)
class Findings:
    """What was checked, a line each, what could not be, and what is wrong."""

    checked: list[Checked] = field(default_factory=list)
    divergences: list[Divergence] = field(default_factory=list)
    _counted: int = 0

    def check(self, subject: str, text: str) -> None:
        """Put on record what was checked: what has been blamed since the last call is wrong with it."""
        self.checked.append(Checked(subject, text, len(self.divergences) - self._counted))
        self._counted = len(self.divergences)

    def beyond(self, subject: str, text: str) -> None:
        """Put on record what this level of checking leaves out by its nature, and what would check it."""
        self.checked.append(Checked(subject, text, looked=Looked.BEYOND))

    def leave_open(self, subject: str, text: str) -> None:
        """Put on record what should have been checked and could not be: why, and what would check it."""
        self.checked.append(Checked(subject, text, looked=Looked.OPEN))

    def blame(self, place: Place, *reasons: str) -> None:
        """Put on record what is wrong at a place."""
        self.divergences += [Divergence(place, reason) for reason in reasons]

    @property
    def open(self) -> list[Checked]:
        """What should have been checked and was not."""
        return [each for each in self.checked if each.looked is Looked.OPEN]

    @property
    def word(self) -> Word:
        """What all this comes to."""
        if self.divergences:
            return Word.BROKEN
        return Word.NOT_PROVEN if self.open else Word.PROVEN

    @property
    def sorted(self) -> list[Divergence]:
        """What is wrong, in the order of the game."""
        return sorted(self.divergences, key=lambda each: each.place.order)


def listed(words: Iterable[object]) -> str:
    """Return some words as a sentence lists them, the first ten of many."""
    said = [str(word) for word in words]
    return ", ".join(said[:10]) + (f" and {len(said) - 10} more" if len(said) > 10 else "")
