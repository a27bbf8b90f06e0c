"""A stack: combat units and generals of one side in one place (2, 8.5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pbem.rules.rome_carthage.position.board import GeneralId


@dataclass(slots=True)
class Stack:
    """What one side has in one place: combat units (elephants included) and generals, the commander first (8.5)."""

    cu: int = 0
    elephants: int = 0
    generals: list[GeneralId] = field(default_factory=list)
    train: bool = False
    """The Carthaginian siege train is with them (card 30)."""

    @property
    def commander(self) -> str | None:
        return self.generals[0] if self.generals else None

    @property
    def empty(self) -> bool:
        return not self.cu and not self.generals and not self.train

    def fewest_elephants(self, cu: int) -> int:
        """Return how many of some of its CU must be elephants (13.2)."""
        return max(0, cu - (self.cu - self.elephants))

    def most_elephants(self, cu: int) -> int:
        """Return how many of some of its CU can be elephants at most (13.2)."""
        return min(cu, self.elephants)

    def elephants_among(self, cu: int) -> range:
        """Return how many of some of its CU can be elephants, from the fewest to the most (13.2)."""
        return range(self.fewest_elephants(cu), self.most_elephants(cu) + 1)

    def parts(self, numbers: Iterable[int]) -> list[tuple[int, int]]:
        """List the (CU, elephants) that can be taken out of it, for each of some numbers of CU (13.2)."""
        return [(cu, elephants) for cu in numbers for elephants in self.elephants_among(cu)]
