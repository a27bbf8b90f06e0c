"""The shorthand that people use for lists and numbers: `A, B and C`, `Rome 2`."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

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


def homes(text: str, place: Place, written: Container[str]) -> list[str]:
    """Return the keys that a word without a key may belong to; none where a list stands with which it may go on."""
    if text[:1].isdecimal() or place.keys.readings(text):
        return []
    lists = [key for key in place.fields if place.field(key).items.vocabulary.readings(text)]
    single = [key for key in place.fields if place.field(key).vocabulary.readings(text, whole=True)]
    found = [key for key in place.fields if key in (*single, *lists)]
    return [] if any(key in written for key in lists) else [key for key in found if key not in written]
