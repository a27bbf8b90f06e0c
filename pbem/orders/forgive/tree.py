"""The tree of a sheet as its player wrote it: every word as text, each with its place in the player's own text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pbem.game.yaml import Document, Mark
from pbem.protocol import Path


@dataclass(frozen=True, slots=True)
class Word:
    """A word, a number, a text, or nothing at all: what YAML calls a scalar."""

    text: str
    mark: Mark
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: Sequence[Node]
    mark: Mark


@dataclass(frozen=True, slots=True)
class Pairs:
    """A mapping: keys with their values, in the order in which they were written."""

    pairs: Sequence[tuple[Word, Node]]
    mark: Mark


Node: TypeAlias = Word | Items | Pairs
Moved: TypeAlias = Callable[[Mark], Mark]
"""Takes a mark of the text that was read to its place in the player's own text."""


def tree_of(document: Document, moved: Moved) -> Node:
    """Return the tree of a document that was read without types."""
    return _node(document, document.value, (), moved)


def _node(document: Document, value: Any, path: Path, moved: Moved) -> Node:
    if isinstance(value, dict):
        pairs = [
            (
                Word(key, moved(document.mark((*path, key), key=True)), document.is_quoted((*path, key), key=True)),
                _node(document, below, (*path, key), moved),
            )
            for key, below in value.items()
        ]
        return Pairs(pairs, moved(document.mark(path)))
    if isinstance(value, list):
        items = [_node(document, below, (*path, at), moved) for at, below in enumerate(value)]
        return Items(items, moved(document.mark(path)))
    return Word(value or "", moved(document.mark(path)), document.is_quoted(path))


def is_alone(node: Node) -> bool:
    """Tell whether nothing is written in the place of a value."""
    return isinstance(node, Word) and not node.text and not node.quoted
