"""One file of a box: how it is read, and the flaws that it may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Final

from pbem.game import yaml as yamlio
from pbem.game.schema_check import misfits
from pbem.protocol import Path, PbemError

SCHEMAS: Final = "schemas"
COMMON_SCHEMAS: Final = FilePath(__file__).parent / SCHEMAS
"""The folder of the schemas that every box is held against."""


@dataclass(frozen=True, slots=True, order=True)
class Flaw:
    """A mistake in a box: file, line and column, counted from 1, and the reason."""

    file: str
    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.reason}"


class BrokenBox(PbemError):
    """A box cannot be read, does not fit its schemas, or contradicts itself. Lists every flaw found."""

    def __init__(self, flaws: Iterable[Flaw]) -> None:
        self.flaws = tuple(sorted(flaws))
        super().__init__("\n".join(map(str, self.flaws)))


def read_all_loose(path: FilePath, sort: str) -> tuple[yamlio.Document, list[tuple[Path, Flaw]]]:
    """Return a file that need not lie in a box, of a sort that every box has (`cases`), and its flaws.

    The flaws are where it does not fit the schema of its sort, each with its path. Raises BrokenBox if the file
    cannot be read.
    """
    document = read_file(path, str(path))
    schema = read_file(COMMON_SCHEMAS / f"{sort}.yaml", f"{SCHEMAS}/{sort}.yaml").value
    flaws = []
    for at, reason, key in misfits(document.value, schema):
        mark = document.mark(at, key=True) if key else document.nearest(at)
        flaws.append((at, Flaw(str(path), mark.line, mark.column, reason)))
    return document, flaws


def read_file(path: FilePath, shown: str) -> yamlio.Document:
    """Return a file of a box. Raises BrokenBox if it is missing or cannot be read."""
    return read_text(path.read_bytes, shown)


def read_text(text: Callable[[], bytes], shown: str) -> yamlio.Document:
    """Return the text of a file of a box, read. Raises BrokenBox if there is none or it cannot be read."""
    try:
        return yamlio.read(text(), name=shown)
    except FileNotFoundError:
        raise BrokenBox([Flaw(shown, 1, 1, "this file is missing from the box")]) from None
    except yamlio.Unreadable as error:
        flaws = [Flaw(shown, at.mark.line, at.mark.column, at.fault.reason) for at in error.faults]
        raise BrokenBox(flaws) from None
