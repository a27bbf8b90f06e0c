"""A force: what a power has in one place, or on the march (8.2.1, 9.1)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Force:
    """What a power has in one place: CU, the mercenaries among them, and leaders, the commander first (8.2.1)."""

    cu: int = 0
    mercenaries: int = 0
    leaders: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.cu or self.leaders)

    @property
    def commander(self) -> str | None:
        return self.leaders[0] if self.leaders else None

    @property
    def army(self) -> bool:
        """Whether it is an army: a commander with CU (Glossary)."""
        return bool(self.cu and self.leaders)
