"""A scene as plain data, for pages that draw it in a browser: what lies on the board, and the board itself."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from pbem.game.board_map import BaseMap
from pbem.game.scene import Counter, Scene

_NOT_ITS_OWN: Final = frozenset({"base", "panels", "legend"})


def plain_scene(scene: Scene) -> dict[str, Any]:
    """Return what lies on the board, as JSON can hold it; every counter has an id that no other one has.

    A counter keeps its id from one scene to the next, so that a page can show where it went.
    """
    own = replace(scene, counters=named(scene.counters))
    return {each.name: _plain(getattr(own, each.name)) for each in fields(own) if each.name not in _NOT_ITS_OWN}


def named(counters: tuple[Counter, ...]) -> tuple[Counter, ...]:
    """Return counters that all have an id of their own: one without is called by its side and its place."""
    found: list[Counter] = []
    taken: Tally[str] = Tally()
    for counter in counters:
        id = counter.id or f"{counter.side}/{counter.place}{'/inside' if counter.inside else ''}"
        taken[id] += 1
        found.append(replace(counter, id=id if taken[id] == 1 else f"{id}/{taken[id]}"))
    return tuple(found)


def plain_board(base: BaseMap) -> dict[str, Any]:
    """Return the printed board, as JSON can hold it."""
    return {each.name: _plain(getattr(base, each.name)) for each in fields(base)}


def _plain(value: Any) -> Any:
    """Return a value with mappings, lists and single values only."""
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
