"""Cases as they stand in their files, and their verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path as FilePath

from pbem.game.box import CASES, GAME, read_loose
from pbem.game.plain import Record
from pbem.game.yaml import Document
from pbem.protocol import Order, Side


@dataclass(frozen=True, slots=True)
class Given:
    """An order of a case, and its place in the list of orders (from 1)."""

    number: int
    side: Side
    order: Order

    def __str__(self) -> str:
        return f"order {self.number} ({self.side}: {self.order.kind})"


@dataclass(frozen=True, slots=True)
class Case:
    """One case, as it stands in its file."""

    document: Document
    at: int

    @property
    def told(self) -> Record:
        """The whole case as plain data."""
        told: Record = self.document.value[self.at]
        return told

    @property
    def rule(self) -> str:
        return str(self.told["rule"])

    @property
    def name(self) -> str:
        return str(self.told["name"])

    @property
    def line(self) -> int:
        return self.document.mark((self.at,)).line

    def __str__(self) -> str:
        return f"{self.rule} {self.name}"

    def where(self, *path: str | int) -> str:
        """Return `file:line:` of something in the case."""
        return f"{self.document.name}:{self.document.nearest((self.at, *path)).line}:"

    def orders(self) -> list[Given]:
        """Return the orders to be given, in sequence."""
        return [
            Given(number, side, Order(kind, body))
            for number, written in enumerate(self.told.get("play", ()), 1)
            for side, one in written.items()
            for kind, body in one.items()
        ]


@dataclass(slots=True)
class Verdict:
    """The verdict on a case: the differences, each with its place in the file, and what happened, line by line."""

    case: Case
    differences: list[str] = field(default_factory=list)
    report: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.differences


def read_cases(path: FilePath) -> list[Case]:
    """Return the cases in a file. Raises BrokenBox, listing every flaw, if it is no file of cases."""
    document = read_loose(path, CASES)
    return [Case(document, at) for at in range(len(document.value))]


def game_of(path: FilePath) -> tuple[str, FilePath] | None:
    """Return the id of the game in whose box a file of cases lies, and the folder of the box; None: in none."""
    box = path.resolve().parent.parent
    return (box.name, box.parent) if (box / f"{GAME}.yaml").exists() else None
