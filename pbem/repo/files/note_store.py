"""Notes beside the repo of a game: typed records of what this machine knows, such as what it has written to whom.

A note lies in the folder of the repo and not in its history, and nobody else on the machine reads it. It is written
all or nothing. One that cannot be read counts as `Note.damaged` says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, is_dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Generic, TypeVar, get_args, get_origin, get_type_hints

from pbem.atomic import sync_folder, write
from pbem.protocol import Side

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R")
D = TypeVar("D", bound="DataclassInstance")
_hints = cache(get_type_hints)


@dataclass(frozen=True, slots=True)
class Note(Generic[R]):
    """A note that a game may have, or each of its sides: where it lies, and how its record is read and written."""

    name: str
    """The name of its file. One that ends with a dot is followed by the side that the note is about."""
    parse: Callable[[bytes], R]
    """Returns the record. Raises ValueError, TypeError or LookupError if it cannot be read."""
    render: Callable[[R], bytes]
    empty: R
    """What counts where there is no note."""
    damaged: R
    """What counts where it cannot be read."""

    def file(self, side: Side = "") -> str:
        """Return the name of the file."""
        return f"{self.name}{side}"

    def read(self, repo: Path, side: Side = "") -> R:
        """Return what is noted."""
        try:
            return self.parse((repo / self.file(side)).read_bytes())
        except FileNotFoundError:
            return self.empty
        except (ValueError, TypeError, LookupError):
            return self.damaged

    def write(self, repo: Path, now: R, side: Side = "", *, lasting: bool = True) -> None:
        """Note something, in place of what was noted."""
        write_notes(repo, {self.file(side): self.render(now)}, lasting=lasting)

    def forget(self, repo: Path, side: Side = "") -> None:
        """Take the note away."""
        (repo / self.file(side)).unlink(missing_ok=True)

    def exists(self, repo: Path, side: Side = "") -> bool:
        """Tell whether there is a note, even one that cannot be read."""
        return (repo / self.file(side)).exists()

    def sides(self, repo: Path) -> list[Side]:
        """Return the sides that there is a note of."""
        return sorted(path.name.removeprefix(self.name) for path in repo.glob(f"{self.name}*"))


def record_note(name: str, empty: D, damaged: D | None = None) -> Note[D]:
    """Return a note whose record is a dataclass, written as JSON; one that is `damaged` counts as empty by default."""
    cls = type(empty)
    return Note(name, lambda raw: _record(cls, json.loads(raw)), _as_json, empty, empty if damaged is None else damaged)


def number_note(name: str) -> Note[int | None]:
    """Return a note that says a number, on a line of its own; None: nothing is noted."""
    return Note(name, int, lambda number: b"" if number is None else b"%d\n" % number, None, None)


def write_notes(repo: Path, notes: Mapping[str, bytes], *, lasting: bool = True) -> None:
    """Write notes beside the repo of a game, by their names, in order: of each all or nothing.

    Those of what was told need not be `lasting`: where a power cut brings the ones before them back, letters are
    written again that lie there already.
    """
    drafts = {repo / f".{note}.{os.getpid()}": repo / note for note in notes}
    try:
        write(dict(zip(drafts, notes.values(), strict=True)), mode=0o600)
        for draft, path in drafts.items():
            os.replace(draft, path)
    except BaseException:
        for draft in drafts:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
        raise
    if lasting and notes:
        with suppress(OSError):
            sync_folder(repo)


def _as_json(record: DataclassInstance) -> bytes:
    return json.dumps(asdict(record), sort_keys=True).encode()


def _record(cls: type[D], plain: object) -> D:
    """Return a record as JSON has it; a field that lacks has its default. Raises TypeError, ValueError, LookupError."""
    if not isinstance(plain, dict):
        raise TypeError(f"a record of {cls.__name__} must stand there")
    hints = _hints(cls)
    return cls(**{name: _typed(hints[name], value) for name, value in plain.items()})


def _typed(hint: object, value: object) -> object:
    """Return a value of JSON as one of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return None if value is None else _typed(inner[0], value)
    if origin is tuple and isinstance(value, list):
        types = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(_typed(of, each) for of, each in zip(types, value, strict=True))
    if origin is dict and isinstance(value, dict):
        return {key: _typed(inner[1], each) for key, each in value.items()}
    if isinstance(hint, type) and is_dataclass(hint):
        return _record(hint, value)
    if isinstance(hint, type) and issubclass(hint, StrEnum) and isinstance(value, str):
        return hint(value)
    if type(value) is not hint:
        raise TypeError(f"{hint} must stand there, not {value!r}")
    return value
