"""A game's repo in memory, for a game that is derived again: nothing is written, and the past is looked up on record.

The ids of its commits are their numbers. It keeps what the last commits have put in, and of the kept ones only the
files that the next adjudications read; everything else is recalled from the record that it goes along with. There is
one user, so the lock is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Final

from pbem.repo.files.layout import LETTERS, SHEETS, TURNS
from pbem.repo.git import Logged

_RECALLED: Final = (TURNS, SHEETS, LETTERS)
"""Folders that grow with the game: their files are recalled once their commit is kept."""
Recall = Callable[[str, int], bytes | None]
"""Returns a file as of a commit of the record, by the number of commits up to it; None: it is not there."""


class MemoryRepo:
    """A store of the files of a game as of its last commit. `undo` takes commits back that were not kept."""

    def __init__(self, name: str, recall: Recall) -> None:
        self.path = Path(f"{name}.git")
        self.sign: Callable[[bytes], bytes] | None = None
        self.letter_time: datetime | None = None
        self._recall = recall
        self._messages: list[str] = []
        self._files: dict[str, bytes | None] = {}
        self._names: set[str] = set()
        self._new: list[tuple[Mapping[str, bytes | None], Mapping[str, bytes | None]]] = []
        """The commits that are not kept yet: the files of each, and what they replaced."""

    @property
    def head(self) -> str:
        """The id of the last commit."""
        return _id(len(self._messages))

    @property
    def new(self) -> list[tuple[str, Mapping[str, bytes | None]]]:
        """The commits that are not kept yet: message and files."""
        messages = self._messages[len(self._messages) - len(self._new) :]
        return [(message, files) for message, (files, _) in zip(messages, self._new, strict=True)]

    def before(self, path: str) -> bytes | None:
        """Return a file as it was before the commits that are not kept."""
        return next((replaced[path] for _, replaced in self._new if path in replaced), self.read(path))

    def read(self, path: str, at: str | None = None) -> bytes | None:
        """Return a file as of the head, or as of the commit `at`; None if it is not there."""
        if at is not None and at != self.head:
            return self._recall(path, int(at, 16))
        if path in self._files or path not in self._names:
            return self._files.get(path)
        return self._recall(path, len(self._messages) - len(self._new))

    def listdir(self, path: str = "", at: str | None = None) -> list[str]:
        """Return the names in a folder as of the head, sorted; nothing if it is not there."""
        folder = f"{path}/" if path else ""
        inside = (each for each in self._names if each.startswith(folder))
        return sorted({each[len(folder) :].partition("/")[0] for each in inside})

    def history(self) -> Iterator[Logged]:
        """Yield the commits from the head back."""
        for at in range(len(self._messages), 0, -1):
            yield Logged(_id(at), self._messages[at - 1], at - 1)

    def commit(self, files: Mapping[str, bytes | None], message: str) -> str:
        """Put files in as one more commit and return its id."""
        self._new.append((dict(files), {path: self.read(path) for path in files}))
        self._messages.append(message)
        self._put(files)
        return self.head

    def keep(self) -> None:
        """Keep the commits made so far: the record has them, too."""
        self._new.clear()
        for path in [path for path in self._files if path.startswith(_RECALLED)]:
            del self._files[path]

    def undo(self) -> None:
        """Take back the commits that are not kept."""
        while self._new:
            _, replaced = self._new.pop()
            self._messages.pop()
            self._put(replaced)

    def _put(self, files: Mapping[str, bytes | None]) -> None:
        for path, content in files.items():
            self._files[path] = content
            (self._names.discard if content is None else self._names.add)(path)

    def lock(self) -> AbstractContextManager[None]:
        """Do nothing: nobody else has this repo."""
        return nullcontext()

    def transaction(self) -> AbstractContextManager[None]:
        """Do nothing: nobody else has this repo."""
        return nullcontext()

    def close(self) -> None:
        """Do nothing."""


def _id(number: int) -> str:
    return f"{number:040x}"
