"""The store on which the commits of a game are made again: the record up to a commit, and what is made on it.

Nothing is written. There is one user, so the lock is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pbem.repo.git import Logged


class RecordBehind(Protocol):
    """The record of a game, as of each of its commits; what is sealed is open, as far as it can be opened."""

    def read(self, path: str, at: str) -> bytes | None:
        """Return a file as of a commit; None if it is not there."""

    def listdir(self, path: str, at: str) -> list[str]:
        """Return the names in a folder as of a commit, sorted; nothing if it is not there."""

    def history(self, at: str) -> Iterator[Logged]:
        """Yield the commits from one back."""


class StoreAgain:
    """The files of a game as of a commit of the record, or of those made on it. `keep` goes on to the next."""

    def __init__(self, name: str, record: RecordBehind, at: str) -> None:
        self.path = Path(f"{name}.git")
        self.sign: Callable[[bytes], bytes] | None = None
        self.letter_time: datetime | None = None
        self._record = record
        self.at = at
        """The commit of the record that it stands on."""
        self.made: list[tuple[str, Mapping[str, bytes | None]]] = []
        """The commits made on it: message and files."""
        self._files: dict[str, bytes | None] = {}

    @property
    def head(self) -> str:
        """The id of the last commit."""
        return self.at if not self.made else f"{self.at}+{len(self.made)}"

    def before(self, path: str) -> bytes | None:
        """Return a file as it was before the commits made on the record."""
        return self._record.read(path, self.at)

    def read(self, path: str, at: str | None = None) -> bytes | None:
        """Return a file as of the head, or as of the commit `at`; None if it is not there."""
        if at is not None and at != self.head:
            return self._record.read(path, at)
        return self._files[path] if path in self._files else self._record.read(path, self.at)

    def listdir(self, path: str = "", at: str | None = None) -> list[str]:
        """Return the names in a folder as of the head, sorted; nothing if it is not there."""
        folder = f"{path}/" if path else ""
        new = {each[len(folder) :].partition("/")[0] for each in self._files if each.startswith(folder)}
        return sorted({*self._record.listdir(path, self.at), *new})

    def history(self) -> Iterator[Logged]:
        """Yield the commits of the record from where it stands back."""
        return self._record.history(self.at)

    def commit(self, files: Mapping[str, bytes | None], message: str) -> str:
        """Put files in as one more commit and return its id."""
        self.made.append((message, dict(files)))
        self._files |= files
        return self.head

    def keep(self, sha: str) -> None:
        """Go on to a commit of the record: what was made has become it, or it stands in its place."""
        self.at, self.made, self._files = sha, [], {}

    def lock(self) -> AbstractContextManager[None]:
        """Do nothing: nobody else has this repo."""
        return nullcontext()

    def transaction(self) -> AbstractContextManager[None]:
        """Do nothing: nobody else has this repo."""
        return nullcontext()

    def close(self) -> None:
        """Do nothing."""
