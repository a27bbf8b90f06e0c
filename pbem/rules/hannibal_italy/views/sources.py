"""The sources of the box: the files with values that had to be reconstructed, for no source has them (confidence)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pbem.game import Box

_FILES: Final = ("map", "counters", "leaders", "tables")
_WORD: Final = "reconstructed"


def reconstructed(box: Box) -> list[str]:
    """Return the files of a box that say of some of their values that they are reconstructed."""
    notes = {file: box.table(file).get("confidence", {}) for file in _FILES}
    return [file for file, said in notes.items() if any(_WORD in str(about) for about in (*said, *said.values()))]
