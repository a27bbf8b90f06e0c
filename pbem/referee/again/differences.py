"""The comparison of what was made again with what is on record."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from pbem.crypto.seal import CannotOpen, unpadded
from pbem.game import yaml as yamlio
from pbem.referee.again.engine import Files
from pbem.referee.again.store import StoreAgain
from pbem.repo.files.layout import PLAYERS, SEALED, STATE, VIEWS
from pbem.repo.ledger import read_committed

_LONGEST: Final = 120
_NOTHING: Final = object()
_HIDDEN: Final = "sealed."
"""The words of a turn file that are digests of what nobody sees."""


def differences(store: StoreAgain, recorded: Files, sealed: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield the files of the last commit in which what was made again differs from the record, each with what differs.

    The views that are sealed to keys of the players, and the `sealed` files, are compared by their places alone.
    """
    made = store.made[-1][1]
    for path in sorted(made.keys() | recorded.keys(), key=_public_first):
        if path not in recorded:
            if made[path] != store.before(path):
                yield path, "it is not changed, but what was handed in changes it"
        elif path not in made:
            yield path, "it is changed, and nothing that was handed in changes it"
        elif not path.startswith(VIEWS) and path not in (PLAYERS, *sealed) and made[path] != recorded[path]:
            yield path, first_difference(path, recorded[path] or b"", made[path] or b"")


def first_difference(path: str, recorded: bytes, made: bytes) -> str:
    """Return a sentence that says where a recorded file first differs from the derived one.

    Both are the plain bytes; those of a sealed file still have their padding.
    """
    try:
        here, there = _parsed_value(path, recorded), _parsed_value(path, made)
    except (yamlio.Unreadable, ValueError, CannotOpen) as wrong:
        return f"it is not the file that follows from what was handed in: {wrong}"
    found = _first_in(here, there, "")
    if found is None:
        room = "; its padding has another length" if len(recorded) != len(made) else ""
        return f"it says what follows from what was handed in, but is written otherwise{room}"
    at, one, other = found
    if at.startswith(_HIDDEN):
        return f"what stays hidden of it, the {at.removeprefix(_HIDDEN)}, is not what follows from what was handed in"
    return f"{at}: on record is {_as_json(one)}; what was handed in makes it {_as_json(other)}"


def _parsed_value(path: str, content: bytes) -> object:
    if path == STATE:
        return read_committed(content).state
    if not path.endswith(SEALED):
        return yamlio.read(content, name=path).value
    return json.loads(unpadded(path, content))


def _first_in(here: object, there: object, at: str) -> tuple[str, object, object] | None:
    """Return the place of the first difference between two plain values, and what stands there in each."""
    if isinstance(here, dict) and isinstance(there, dict):
        for key in dict.fromkeys((*there, *here)):
            if found := _first_in(here.get(key, _NOTHING), there.get(key, _NOTHING), f"{at}.{key}" if at else key):
                return found
        return None if list(here) == list(there) else (at or "its words", list(here), list(there))
    if isinstance(here, list) and isinstance(there, list):
        return _in_lists(here, there, at)
    same = type(here) is type(there) and here == there
    return None if same else (at or "it", here, there)


def _in_lists(here: Sequence[object], there: Sequence[object], at: str) -> tuple[str, object, object] | None:
    pairs = enumerate(zip_longest(here, there, fillvalue=_NOTHING), 1)
    found = (_first_in(one, other, f"{at} {number}") for number, (one, other) in pairs)
    return next((each for each in found if each is not None), None)


def _as_json(value: object) -> str:
    if value is _NOTHING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _public_first(path: str) -> tuple[bool, bool, str]:
    """Sort the files of a commit: the turn file, its sealed record, the others; those in clear first."""
    return not path.startswith("turns/"), path.endswith(SEALED), path
