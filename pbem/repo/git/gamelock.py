"""The lock of a game: one adjudicator at a time. It goes with its holder, however that one ends.

Locks are those of `fcntl`, which Windows lacks. There games can be read but not changed, so it is imported only when
a lock is taken.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pbem.repo.git.objects import StoreError

LOCK: Final = "pbem.lock"
"""The file beside git's own that is locked."""
_PAUSE = 0.02


class Busy(StoreError):
    """Somebody else is at work on the game."""


class NoLocks(StoreError):
    """This system has no locks by which two commands could keep out of each other's way."""

    def __init__(self) -> None:
        super().__init__(
            "games cannot be changed on this system, because it has no file locks (fcntl); use Linux, macOS or WSL"
        )


def require_locks() -> None:
    """Raise NoLocks on a system without locks, before anything is written that a lock should guard."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        raise NoLocks from None


def _lock(fd: int, *, shared: bool) -> None:
    """Lock an open file at once. Raises BlockingIOError while another process holds it, NoLocks."""
    require_locks()
    import fcntl

    fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _share(fd: int, timeout: float) -> None:
    """Share the lock of an open file with other readers, or give up after some seconds."""
    until = time.monotonic() + timeout
    while time.monotonic() < until:
        with suppress(BlockingIOError):
            _lock(fd, shared=True)
            return
        time.sleep(_PAUSE)


@contextmanager
def undisturbed(path: Path, timeout: float = 10.0) -> Iterator[None]:
    """Share a game's lock with other readers while its repo is read, so that no repack moves a pack meanwhile.

    A clone has no lock file and nobody who repacks it. After `timeout` seconds the repo is read all the same, and at
    once on a system without locks.
    """
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        yield
        return
    try:
        with suppress(NoLocks):
            _share(fd, timeout)
        yield
    finally:
        os.close(fd)


class GameLock:
    """A lock on a file that says who holds it.

    What it says is erased on release. Who finds it unerased takes over from a dead holder: `recover` is then called
    to clear away what that one left, before the new holder signs, so that a second death there is noticed too.
    """

    def __init__(self, path: Path, game: str, recover: Callable[[], None]) -> None:
        self._path = path
        self._game = game
        self._recover = recover
        self._fd: int | None = None

    def acquire(self, timeout: float) -> None:
        """Take the lock, waiting up to `timeout` seconds; raise `Busy` with the holder's name after that.

        Raises NoLocks on a system where there is nothing to take.
        """
        require_locks()
        from socket import gethostname  # who only reads does without it

        fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._wait(fd, timeout)
            if os.pread(fd, 1, 0):
                self._recover()
            os.ftruncate(fd, 0)
            signed = f"process {os.getpid()} on {gethostname()} since {time.strftime('%F %T UTC', time.gmtime())}"
            os.pwrite(fd, signed.encode(), 0)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd

    @property
    def descriptor(self) -> int:
        """The descriptor that holds the lock: a process that inherits it holds the lock, too."""
        if self._fd is None:
            raise StoreError(f"the lock of {self._game} is not held")
        return self._fd

    def release(self) -> None:
        """Give the lock back."""
        if self._fd is not None:
            fd, self._fd = self._fd, None
            with suppress(OSError):  # all is done; the next holder makes up for it
                os.ftruncate(fd, 0)
            os.close(fd)

    def _wait(self, fd: int, timeout: float) -> None:
        until = time.monotonic() + timeout
        while True:
            try:
                return _lock(fd, shared=False)
            except BlockingIOError:
                if time.monotonic() >= until:
                    holder = os.pread(fd, 200, 0).decode("utf-8", "replace") or "another process"
                    raise Busy(
                        f"{self._game} is being worked on by {holder}; gave up after {timeout:g} s. "
                        f"Try again; nothing was changed."
                    ) from None
                time.sleep(_PAUSE)
