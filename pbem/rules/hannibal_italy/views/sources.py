"""The sources of the box: the files whose values are reconstructed or chosen for balance (confidence)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pbem.game import Box

_FILES: Final = ("map", "counters", "leaders", "tables")
_RECONSTRUCTED: Final = "reconstructed"
_FOR_BALANCE: Final = "for balance"


def reconstructed(box: Box) -> list[str]:
    """Return the files of a box that say of some of their values that they are reconstructed."""
    return _files_that_say(box, _RECONSTRUCTED)


def chosen_for_balance(box: Box) -> list[str]:
    """Return the files of a box that say of some of their values that they are ours, to be fair to both sides."""
    return _files_that_say(box, _FOR_BALANCE)


def _files_that_say(box: Box, word: str) -> list[str]:
    notes = {file: box.table(file).get("confidence", {}) for file in _FILES}
    return [file for file, said in notes.items() if any(word in str(about) for about in (*said, *said.values()))]
