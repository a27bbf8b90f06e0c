"""Corrected files of a box: an owner of the printed game puts its values in the place of reconstructed ones.

A folder of boxes (`PBEM_RULES`) that has `<id>/` without a `game.yaml` holds no box but corrections: each file in it
takes the place of the box's own file of that name. A game can carry corrections in its own repo, too; they count first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from pbem.paths import rules_folders
from pbem.values import dataclass

SUFFIX: Final = ".yaml"


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected file: where it comes from, as complaints name it, and its text."""

    shown: str
    text: bytes


Corrections: TypeAlias = Mapping[str, Correction]
"""Corrected files by the name that the file has in the box, without `.yaml`: `tables`, `scenarios/short`."""


def corrections_for(
    id: str, base: Path, folders: Iterable[str | os.PathLike[str]] = (), kept: Corrections | None = None
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


def read_folder(folder: Path) -> dict[str, Correction]:
    """Return all files of a folder of corrections. Raises OSError."""
    paths = sorted(folder.rglob(f"*{SUFFIX}"))
    return {
        path.relative_to(folder).with_suffix("").as_posix(): Correction(str(path), path.read_bytes()) for path in paths
    }


def read_named(paths: Iterable[Path], names: Iterable[str]) -> dict[str, Correction]:
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
