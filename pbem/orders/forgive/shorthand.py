"""The shorthand that people use for lists and numbers: `A, B and C`, `Rome 2`."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import TYPE_CHECKING, Final

from pbem.orders.forgive.tree import Node, Pairs, is_alone

if TYPE_CHECKING:
    from pbem.orders.forgive.places import Place

_AND: Final = re.compile(r"\s*(?:,\s*(?:and\b)?|\band\b|[&+])\s*", re.IGNORECASE)
_COUNTED: Final = re.compile(
    r"(?P<name>[^\W\d].*?)[ ]*[ =x×][ ]*(?P<count>[0-9]{1,4})|(?P<few>[0-9]{1,4})[ ]*x?[ ]+(?P<of>.+)"
)


def parts(text: str) -> list[str]:
    """Return the parts of a list that is written as one text.

    >>> parts("Hanno, Mago and Hamilcar")
    ['Hanno', 'Mago', 'Hamilcar']
    """
    return _AND.split(text.strip())


def counted(text: str, place: Place) -> tuple[str, str] | None:
    """Return name and number of a text such as `Rome 2` or `2 Rome`, if the mapping here has numbers by name."""
    found = _COUNTED.fullmatch(text.strip())
    if found is None or place.keys.readings(text):
        return None
    name, count = found["name"] or found["of"], found["count"] or found["few"]
    keys = place.keys.readings(name)
    return (name, count) if keys and all(place.field(key).takes_number for key in keys) else None


def homes(text: str, place: Place, written: Container[str], *, first: bool) -> list[str]:
    """Return the keys to which a word without a key may belong, but for those that are written.

    Behind a list that is written, it may go on with that (`path: capua, nola`): then there are none.
    """
    if text[:1].isdecimal() or place.keys.readings(text):
        return []
    lists = [key for key in place.fields if place.field(key).items.vocabulary.readings(text)]
    single = [key for key in place.fields if place.field(key).vocabulary.readings(text, whole=True)]
    if not first and any(key in written for key in lists):
        return []
    return [key for key in place.fields if key in (*single, *lists) and key not in written]


def alone(node: Node, place: Place) -> Node:
    """Return the one word within braces, if it is no key: there are no other keys that it could stand beside."""
    if isinstance(node, Pairs) and len(node.pairs) == 1:
        ((word, below),) = node.pairs
        if is_alone(below) and not place.keys.readings(word.text) and counted(word.text, place) is None:
            return word
    return node
