"""The files of a box: corrected files that take their place, how one is read, held against its schema, its flaws.

An owner of the printed game puts its values in the place of reconstructed ones: a folder of boxes (`PBEM_RULES`) that
has `<id>/` without a `game.yaml` holds no box but corrections. Each file in it takes the place of the box's own file of
that name. A game can carry corrections in its own repo, too; they count first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any, Final, Protocol, TypeAlias

from pbem.game import yaml as yamlio
from pbem.game.order_form import OrderForm
from pbem.game.wording import did_you_mean
from pbem.paths import rules_folders
from pbem.protocol import Path, PbemError, Record, Side

# ---- Corrected files


SUFFIX: Final = ".yaml"


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected file: where it comes from, as complaints name it, and its text."""

    shown: str
    text: bytes


Corrections: TypeAlias = Mapping[str, Correction]
"""Corrected files by the name that the file has in the box, without `.yaml`: `tables`, `scenarios/short`."""


def corrections_for(
    id: str, base: FilePath, folders: Iterable[str | os.PathLike[str]] = (), kept: Corrections | None = None
) -> dict[str, Correction]:
    """Return the corrections of a box that lies in `base`: those that its game keeps, then the nearest folder's.

    What lies in folders farther away than the box itself is not meant for it. Raises OSError.
    """
    found = dict(kept or {})
    for folder in rules_folders(folders):
        if folder / id == base:
            break
        if (folder / id).is_dir():
            for name, correction in read_folder(folder / id).items():
                found.setdefault(name, correction)
    return found


def read_folder(folder: FilePath) -> dict[str, Correction]:
    """Return all files of a folder of corrections. Raises OSError."""
    paths = sorted(folder.rglob(f"*{SUFFIX}"))
    return {
        path.relative_to(folder).with_suffix("").as_posix(): Correction(str(path), path.read_bytes()) for path in paths
    }


def read_named(paths: Iterable[FilePath], names: Iterable[str]) -> dict[str, Correction]:
    """Return corrections by files and folders; a file is the one of the box's `names` that it is called by.

    Raises OSError; a file of another name stays under its own, for the box to refuse.
    """
    known = {name.rpartition("/")[2]: name for name in sorted(names, key=lambda name: -name.count("/"))}
    found: dict[str, Correction] = {}
    for path in paths:
        if path.is_dir():
            found |= read_folder(path)
        else:
            found[known.get(path.stem, path.stem)] = Correction(str(path), path.read_bytes())
    return found


# ---- The check of plain values against JSON Schemas, with a suggestion where a key or a word is only misspelt


LONGEST_REASON: Final = 200
ANY_SCHEMA: Final = {"$ref": "https://json-schema.org/draft/2020-12/schema"}
"""The schema of schemas."""


def misfits(value: object, schema: Record) -> Iterator[tuple[Path, str, bool]]:
    """Yield where a value does not fit a schema, why, and whether it is the key there that does not."""
    from jsonschema import Draft202012Validator  # takes longer to import than a box to open

    for error in Draft202012Validator(schema).iter_errors(value):
        path: Path = tuple(error.absolute_path)
        if error.validator == "additionalProperties" and error.validator_value is False:
            known = error.schema.get("properties", {})
            patterns = error.schema.get("patternProperties", {})
            for key in error.instance:
                if key not in known and not any(re.search(pattern, key) for pattern in patterns):
                    yield (*path, key), f"{key} does not belong here{did_you_mean(key, known)}", True
        elif error.validator == "not" and "required" in error.validator_value:
            yield path, f"{' and '.join(error.validator_value['required'])} does not go with the rest of it", False
        elif error.validator == "enum":
            words = [str(word) for word in error.validator_value]
            many = f"{error.instance!r} is none of the {len(words)} words that may stand here"
            told = error.message if len(error.message) <= LONGEST_REASON else many
            yield path, told + did_you_mean(error.instance, words), False
        else:
            yield path, error.message[:LONGEST_REASON], False


# ---- One file of a box: how it is read, and the flaws that it may have


SCHEMAS: Final = "schemas"
COMMON_SCHEMAS: Final = FilePath(__file__).parent.parent / SCHEMAS
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


class BoxFiles(Protocol):
    """What those need of a box who check it, count it or pin it (`pbem.game.boxes.box.Box` has it)."""

    title: str
    side_ids: tuple[Side, ...]

    corrections: Corrections

    @property
    def files(self) -> list[str]: ...
    @property
    def scenarios(self) -> tuple[str, ...]: ...
    @property
    def correctable(self) -> list[str]: ...
    @cached_property
    def forms(self) -> Mapping[str, OrderForm]: ...
    def table(self, name: str) -> Any: ...
    def scenario(self, id: str) -> Any: ...
    def text(self, file: str) -> bytes: ...
    def flaw(self, file: str, path: Path, reason: str, *, key: bool = False) -> Flaw: ...


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
