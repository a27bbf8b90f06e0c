"""First difference: says where a recorded file and the file that was derived for it begin to differ."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final

from pbem.crypto.seal import CannotOpen, unpadded
from pbem.game import yaml as yamlio
from pbem.repo.layout import SEALED

_LONGEST: Final = 120


def first_difference(path: str, recorded: bytes, made: bytes) -> str:
    """Return a sentence that says where a recorded file first differs from the derived one.

    Both are the plain bytes; those of a sealed file still have their padding.
    """
    try:
        here, there = _value(path, recorded), _value(path, made)
    except (ValueError, CannotOpen) as wrong:
        return f"it is not the file that follows from what was handed in: {wrong}"
    found = _difference(here, there, "")
    if found is None:
        room = "; its padding has another length" if len(recorded) != len(made) else ""
        return f"it says what follows from what was handed in, but is written otherwise{room}"
    at, one, other = found
    return f"{at}: on record is {_said(one)}; what was handed in makes it {_said(other)}"


def _value(path: str, content: bytes) -> Any:
    if not path.endswith(SEALED):
        return yamlio.read(content, name=path).value
    return json.loads(unpadded(path, content))


def _difference(here: Any, there: Any, at: str) -> tuple[str, Any, Any] | None:
    """Return the place of the first difference between two plain values, and what stands there in each."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in dict.fromkeys((*there, *here)):
            if found := _difference(here.get(key, _NOTHING), there.get(key, _NOTHING), f"{at}.{key}" if at else key):
                return found
        return None if list(here) == list(there) else (at or "its words", list(here), list(there))
    if isinstance(here, list) and isinstance(there, list):
        return _in_lists(here, there, at)
    same = type(here) is type(there) and here == there
    return None if same else (at or "it", here, there)


def _in_lists(here: Sequence[Any], there: Sequence[Any], at: str) -> tuple[str, Any, Any] | None:
    pairs = enumerate(zip_longest(here, there, fillvalue=_NOTHING), 1)
    found = (_difference(one, other, f"{at} {number}") for number, (one, other) in pairs)
    return next((each for each in found if each is not None), None)


_NOTHING: Final = object()


def _said(value: Any) -> str:
    if value is _NOTHING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
