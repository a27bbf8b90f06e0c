"""The store of a game: what a ledger needs of the repo in which it keeps its files.

There are two: `GameRepo` on disk, and `MemoryRepo` for a game that is derived again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pbem.repo.git import Logged


class Store(Protocol):
    """A repo of one game, as it stood when it was last locked or committed to."""

    path: Path
    sign: Callable[[bytes], bytes] | None
    letter_time: datetime | None
    """When the letter came whose changes are committed, as the commits then say; None: they come of no letter."""

    @property
    def head(self) -> str:
        """The id of the commit that is read."""

    def read(self, path: str, at: str | None = None) -> bytes | None:
        """Return a file as of the head, or as of the commit `at`; None if it is not there."""

    def listdir(self, path: str = "", at: str | None = None) -> list[str]:
        """Return the names in a folder, sorted; nothing if it is not there."""

    def history(self) -> Iterator[Logged]:
        """Yield the commits from the head back."""

    def commit(self, files: Mapping[str, bytes | None], message: str) -> str:
        """Commit some files (None: take the file out) and return the commit's id."""

    def lock(self) -> AbstractContextManager[None]:
        """Hold the game's lock, having read where the game stands now."""

    def transaction(self) -> AbstractContextManager[None]:
        """Hold the game's lock, and write what is committed meanwhile at the end: all of it or nothing."""

    def close(self) -> None:
        """Close the repo."""
