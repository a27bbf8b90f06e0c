"""Every value that a box prints is read by a rule: nothing is left behind in tables and boards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pbem
from tests.support.package_source import nodes, texts
from tests.support.soak import quick_first
from tests.support.walks import loaded

RULES = Path(pbem.__file__).parent / "rules"
WITH_TABLES = ("hannibal_italy", "rome_carthage", "sword_of_rome")
NOTES = {"confidence", "sources"}
"""Keys of tables that tell where values come from."""
LEFT = {"hannibal_italy": {"new"}}
"""Values that no rule reads. They stay until the box changes anyway, for it pins its games: 5.3 keeps one consul."""


@cache
def words(game: str) -> set[str]:
    """Return every attribute that the code of a game reads, and every text in it."""
    code = [text for file, text in texts().items() if file.parts[:2] == ("rules", game)]
    found = [node for text in code for node in nodes(text)]
    read = {node.attr for node in found if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
    return read | {node.value for node in found if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def keys(data: Any) -> Iterator[str]:
    """Yield every key of plain data, and of what is in it."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in NOTES:
                yield str(key)
                yield from keys(value)
    elif isinstance(data, list):
        for value in data:
            yield from keys(value)


def values(data: Any) -> Iterator[str]:
    """Yield every key and value of plain data, such as the ids of a box."""
    if isinstance(data, dict):
        yield from map(str, data)
        data = list(data.values())
    if isinstance(data, list):
        for value in data:
            yield from values(value)
    elif isinstance(data, str):
        yield data


@pytest.mark.parametrize("game", quick_first(WITH_TABLES))
def test_every_value_of_the_tables_is_read(game: str) -> None:
    """A key is read by its name in the code, or it is an id by which the rules look it up: a province, a leader."""
    box = loaded(game).box
    files = {file.stem: box.table(file.stem) for file in box.folder.glob("*.yaml")}
    ids = {word for name, data in files.items() if name != "tables" for word in values(data)}

    unread = set(keys(files["tables"])) - words(game) - ids

    assert unread == LEFT.get(game, set())


@pytest.mark.parametrize("game", WITH_TABLES)
def test_every_field_of_the_board_is_read(game: str) -> None:
    fields = {
        line.target.id
        for kind in ast.walk(ast.parse((RULES / game / "position" / "board.py").read_text(encoding="utf-8")))
        if isinstance(kind, ast.ClassDef)
        for line in kind.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }

    assert fields
    assert fields - words(game) == set()
