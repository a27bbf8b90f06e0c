"""The lock on the ref of a game: git's own, which whoever moves the ref holds for some milliseconds.

It is the last fence between two writers, also between two hosts that share a folder and have no file locks in common.
It says who holds it. What a dead process of this host has left is cleared away by the next holder of the game's lock;
what one of another host has left goes after half a minute. A writer that has been put to sleep for so long finds that
the lock is not its own any more, and commits nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from pbem.atomic import naming
from pbem.repo.git.gamelock import Busy
from pbem.repo.git.objects import StoreError

_STALE: Final = 3600.0
"""Age in seconds after which a ref lock of another program counts as abandoned: git holds one for milliseconds."""
_STALE_OF_ANOTHER_HOST: Final = 30.0
_MARK: Final = "pbem, process "


class Moved(StoreError):
    """The game has changed since it was read, so the commit would be based on an old position."""


class RefLock:
    """The lock on a ref, and the drafts that are written while it is held."""

    def __init__(self, ref: Path, clock: Path, drafts: Sequence[Path]) -> None:
        """`clock` is a file that was just written where the ref is: it tells the time of that file system."""
        self.path = ref.with_name(f"{ref.name}.lock")
        self._clock = clock
        self._drafts = drafts

    def take(self, patience: float) -> None:
        """Take the lock, which another program may hold for a moment. Raises Busy."""
        until = time.monotonic() + patience
        while True:
            try:
                fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                self._clear_if_stale()
                if time.monotonic() > until:
                    raise Busy(
                        f"{self._holder()} holds {self.path}; nothing was committed. "
                        "If none is running, delete that file."
                    ) from None
                time.sleep(0.02)
                continue
            try:
                with naming(self.path):
                    os.pwrite(fd, f"{self._signed()}\n".encode(), 0)
            except OSError:
                self._clear()
                raise
            finally:
                os.close(fd)
            return

    def require(self) -> None:
        """Raise Moved unless the lock is still ours."""
        if not self._is_ours():
            raise Moved(f"{self.path} was taken over meanwhile; nothing was committed. Read the game again.")

    def release(self) -> None:
        """Give the lock back, with the drafts, unless somebody else has it."""
        if self._is_ours():
            self._clear()

    def recover(self) -> None:
        """Clear away what a dead process of this host, or another program, has left."""
        holder = self._read()
        if not holder.startswith(_MARK) or holder.endswith(f" on {_host()}"):
            self._clear()

    def _is_ours(self) -> bool:
        return self._read() == self._signed()

    def _signed(self) -> str:
        return f"{_MARK}{os.getpid()} on {_host()}"

    def _clear_if_stale(self) -> None:
        foreign = self._read().startswith(_MARK)
        with suppress(FileNotFoundError):
            written = self.path.stat().st_mtime
            age = self._clock.stat().st_mtime - written if foreign else time.time() - written
            if age > (_STALE_OF_ANOTHER_HOST if foreign else _STALE):
                self._clear()

    def _clear(self) -> None:
        """Take the drafts away first: who still writes them writes into files without a name."""
        for path in (*self._drafts, self.path):
            with suppress(FileNotFoundError):
                os.unlink(path)

    def _holder(self) -> str:
        found = self._read()
        return found if found.startswith(_MARK) else "another git program"

    def _read(self) -> str:
        try:
            return self.path.read_text("utf-8", "replace").strip()
        except FileNotFoundError:
            return ""


def _host() -> str:
    from socket import gethostname  # who only reads does without it

    return gethostname()
