"""The consistency of a box: whether its files, each of the right shape, fit each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from pbem.game.wording import did_you_mean, on_one_line
from pbem.protocol import Path, Record

if TYPE_CHECKING:
    from pbem.game.boxes.box_file import BoxFiles, Flaw

_STANDING: Final = "standing"
_GAME: Final = "game"
_ORDERS: Final = "orders"
NEEDS: Final = "needs"
"""The key under which a scenario names the options that it is only played with."""


def inconsistent(box: BoxFiles) -> Iterator[Flaw]:
    """Yield where files of the right shape do not fit each other."""
    game = box.table(_GAME)
    for key, known in (("scenario", box.scenarios), ("edition", game["editions"])):
        if game[key] not in known:
            yield box.flaw(_GAME, (key,), f"there is no {key} {game[key]}{did_you_mean(game[key], known)}")
    yield from _misset(box, game["options"], game["editions"])
    yield from _needed(box, game["options"])
    yield from _named_twice(box)
    if _STANDING in box.files and isinstance(sides := box.table(_STANDING), dict):
        for side in sides.keys() - set(box.side_ids):
            reason = f"there is no side {side}{did_you_mean(side, box.side_ids)}"
            yield box.flaw(_STANDING, (side,), reason, key=True)
    for kind, form in box.forms.items():
        for misfit in form.misfits(form.example):
            reason = f"the example does not fit the schema: {misfit.reason}"
            yield box.flaw(_ORDERS, (kind, "example", *misfit.path), reason, key=misfit.at_key)


def _misset(box: BoxFiles, options: Record, editions: Record) -> Iterator[Flaw]:
    """Yield defaults and editions that have values which their options do not allow."""
    for name, option in options.items():
        if not among(option["default"], option["values"]):
            yield box.flaw(_GAME, ("options", name, "default"), "the default is none of the values")
    for edition, record in editions.items():
        for name, value in record["options"].items():
            at: Path = ("editions", edition, "options", name)
            if name not in options:
                yield box.flaw(_GAME, at, f"there is no option {name}{did_you_mean(name, options)}", key=True)
            elif not among(value, options[name]["values"]):
                yield box.flaw(_GAME, at, f"{on_one_line(value)} is none of the values of {name}")


def _needed(box: BoxFiles, options: Record) -> Iterator[Flaw]:
    """Yield what scenarios need that no option can be."""
    for scenario in box.scenarios:
        for name, value in box.scenario(scenario).get(NEEDS, {}).items():
            if name not in options:
                reason = f"there is no option {name}{did_you_mean(name, options)}"
                yield box.flaw(f"scenarios/{scenario}", (NEEDS, name), reason, key=True)
            elif not among(value, options[name]["values"]):
                reason = f"{on_one_line(value)} is none of the values of {name}"
                yield box.flaw(f"scenarios/{scenario}", (NEEDS, name), reason)


def _named_twice(box: BoxFiles) -> Iterator[Flaw]:
    """Yield ids that mean two things, so that a report could not tell them apart."""
    names: dict[str, str] = {}
    for file in box.table(_GAME)["names_from"]:
        for path, id, name in named((), box.table(file)):
            if names.setdefault(id, name) != name:
                yield box.flaw(file, (*path, "id"), f"{id} is also the id of {names[id]}")


def named(path: Path, value: object) -> Iterator[tuple[Path, str, str]]:
    """Yield path, id and name of every record that has both."""
    if isinstance(value, dict):
        if isinstance(value.get("id"), str) and isinstance(value.get("name"), str):
            yield path, value["id"], value["name"]
        for key, below in value.items():
            yield from named((*path, key), below)
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from named((*path, i), below)


def among(value: object, values: Iterable[object]) -> bool:
    """Tell whether a value is listed; `true` is not 1."""
    return any(type(value) is type(other) and value == other for other in values)
