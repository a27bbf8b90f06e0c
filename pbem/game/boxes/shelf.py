"""The shelf of games: finds the box and the rules of a game by its id. The only place where a name becomes code.

A game is a box, `<folder>/<id>/game.yaml`, and a package: `pbem.rules.<id>` unless its `game.yaml` names another in
`package`, which Python must then be able to import. The package has `make(box, options)`, which returns the rules.
There is no list of games: what lies in the folders of boxes is on the shelf.

Opening a box takes longer than all else that a letter asks for, so boxes stay open while their files stay the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from pbem.game.boxes import pins
from pbem.game.boxes.box import GAME, Box, NotInTheBox, box_folder, boxes, open_box
from pbem.game.boxes.box_file import BrokenBox, Corrections, corrections_for
from pbem.game.boxes.cache import recall, remember
from pbem.game.boxes.consistency import NEEDS
from pbem.game.contract import Rules
from pbem.game.wording import listing, on_one_line
from pbem.protocol import Record

_MOST_OPEN: Final = 32


@dataclass(frozen=True, slots=True)
class Loaded:
    """A game ready to be played: its box, the options agreed on, and the rules under these options."""

    box: Box
    options: Record
    rules: Rules[Any]

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The ids of the scenarios that can be played under these options, the usual one first if it can."""
        return tuple(id for id in self.box.scenarios if not self.lacks(id))

    def lacks(self, scenario: str) -> Record:
        """Return the options that a scenario needs and that are chosen otherwise. Raises NotInTheBox."""
        needs: Record = self.box.scenario(scenario).get(NEEDS, {})
        return {name: value for name, value in needs.items() if self.options.get(name) != value}

    def require_scenario(self, scenario: str) -> None:
        """Raise NotInTheBox unless a scenario can be played under these options."""
        if lacking := self.lacks(scenario):
            needs = listing([f"{name}: {on_one_line(value)}" for name, value in lacking.items()])
            fitting = [each for each in self.box.editions if lacking.items() <= self.box.options(each).items()]
            way_out = f"; edition {listing(fitting, 'or')} has that" if fitting else ""
            raise NotInTheBox(f"scenario {scenario} needs {needs}{way_out}")

    @property
    def code(self) -> str:
        """What pins the package's code, as hex; what it imports from us is not counted."""
        return _code_digest(self.box.package)


@cache
def _code_digest(package: str) -> str:
    """Return what pins the code of a package (see `pins`): remembered, for it takes longer than a letter may."""
    found = find_spec(package)  # to import it takes longer than to read it
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"Python finds no package {package}", name=package)
    folder = Path(next(iter(found.submodule_search_locations)))
    sources = sha256()
    for path in (*sorted(folder.rglob("*.py")), Path(pins.__file__)):
        text = path.read_bytes()
        sources.update(b"%d " % len(text) + text)
    digest = recall("code", sources.hexdigest())
    if not isinstance(digest, str):
        digest = pins.code_digest(folder)
        remember(digest, "code", sources.hexdigest())
    return digest


def digests(
    id: str,
    folders: Iterable[str | os.PathLike[str]] = (),
    kept: Corrections | None = None,
    *,
    edition: str | None = None,
) -> dict[str, str]:
    """Return the digests of a game's box and code as they are here, without making its rules.

    The box is that of `edition`, or of its usual one. `kept` are the corrections that a game keeps in its repo.

    Raises NotInTheBox for an id or edition that does not exist, BrokenBox for a box that cannot be read,
    ModuleNotFoundError if the code is not installed.
    """
    box = open_box(id, folders, kept, edition)
    return {"box": box.digest, "code": _code_digest(box.package)}


def ids(folders: Iterable[str | os.PathLike[str]] = ()) -> list[str]:
    """Return the ids of all games on the shelf; `folders` are looked into beside the usual ones."""
    return sorted(boxes(folders))


def check(box: Box, folders: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Raise BrokenBox unless a box is in order in every edition, by its schemas and by its package."""
    for edition in box.editions:
        load(box.id, edition=edition, folders=folders)
    box.check()


def load(
    id: str,
    *,
    edition: str | None = None,
    options: Record | None = None,
    folders: Iterable[str | os.PathLike[str]] = (),
    kept: Corrections | None = None,
) -> Loaded:
    """Return a game with its rules; `options` override the edition, which otherwise is the box's usual one.

    `kept` are the corrections that a game keeps in its repo.
    Raises NotInTheBox for an id, edition or option that does not exist, BrokenBox for a box that cannot be used.
    """
    folder = box_folder(id, folders)
    corrections = corrections_for(id, folder, folders, kept)
    corrected = tuple(sorted((name, each.text) for name, each in corrections.items()))
    key = (folder, _stamp(folder), corrected, edition, repr(sorted((options or {}).items())))
    loaded = _open.get(key)
    if loaded is None:
        if len(_open) >= _MOST_OPEN:
            _open.clear()
        loaded = _open[key] = _load(Box(folder, corrections, edition), options)
    return loaded


_open: dict[tuple[object, ...], Loaded] = {}


def _load(box: Box, options: Record | None) -> Loaded:
    chosen = box.options(box.edition, options)
    try:
        package = import_module(box.package)
    except ModuleNotFoundError as missing:
        if not f"{box.package}.".startswith(f"{missing.name}."):
            raise  # the game's own bug: something that the package imports
        box.refuse([(GAME, ("package",), f"Python finds no package {box.package}, which would hold the rules")])
        raise
    try:
        return Loaded(box, chosen, package.make(box, chosen))
    except NotInTheBox:
        raise
    except Exception as wrong:  # a slip of whoever wrote the box, of which there may be more; or else a bug of ours
        found = wrong.flaws if isinstance(wrong, BrokenBox) else ()
        try:
            box.check()
        except BrokenBox as misshapen:
            raise BrokenBox({*misshapen.flaws, *found}) from None
        raise


def _stamp(folder: Path) -> tuple[object, ...]:
    """Return what changes when a file of a box does."""
    names = (os.path.join(inside, name) for inside, _, files in os.walk(folder) for name in files)
    states = ((name, os.stat(name)) for name in sorted(names) if name.endswith(".yaml"))
    return tuple((name, state.st_mtime_ns, state.st_ctime_ns, state.st_size) for name, state in states)
