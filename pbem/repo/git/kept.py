"""Repos that a process opens again and again, such as a worker of the post: what was read of them is kept.

Each is lent to one borrower at a time, until `close`. No git process is kept, and no lock. An object of git has the
digest of its content for a name, so what was read of it stays true whatever becomes of the repo.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Final

from pbem.repo.git import GameRepo

MOST: Final = 48
"""So many repos are kept; of more, those that were used last."""


class KeptRepos:
    """The repos that nobody uses at the moment, with what was read of them. Threads may share it."""

    def __init__(self) -> None:
        self._idle: dict[Path, _Kept] = {}
        """In the order in which they were given back."""
        self._lock = Lock()

    def open(self, path: Path) -> GameRepo:
        """Open a repo as `GameRepo.open` does. Raises NoSuchGame."""
        with self._lock:
            repo = self._idle.pop(path.absolute(), None)
        if repo is None:
            repo = _Kept(path)
        repo.keeper = self
        repo.reopen()
        return repo

    def keep(self, repo: _Kept) -> None:
        """Take a repo back."""
        repo.slim()
        with self._lock:
            self._idle.pop(repo.path, None)
            self._idle[repo.path] = repo
            if len(self._idle) > MOST:
                del self._idle[next(iter(self._idle))]


class _Kept(GameRepo):
    """A repo that goes back to its keeper when it is closed."""

    keeper: KeptRepos | None = None
    """Whom it goes back to, while it is lent."""

    def close(self) -> None:
        """End the git process that it is read through, and give it back, once; nobody uses this object any more."""
        super().close()
        keeper, self.keeper = self.keeper, None
        if keeper is not None:
            keeper.keep(self)
