"""The two locks of a game: one adjudicator at a time, and one writer of the ref.

The game's lock is of `fcntl`, which Windows lacks. There games can be read but not changed, so it is imported only when
a lock is taken. It goes with its holder, however that one ends.

The lock on the ref is git's own, which whoever moves the ref holds for some milliseconds. It is the last fence between
two writers, also between two hosts that share a folder and have no file locks in common. It says who holds it. What a
dead process of this host has left is cleared away by the next holder of the game's lock; what one of another host has
left goes after half a minute. A writer that has been put to sleep for so long finds that the lock is not its own any
more, and commits nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from pbem.atomic import naming
from pbem.repo.git.objects import StoreError

LOCK: Final = "pbem.lock"
"""The file beside git's own that is locked."""
NO_WAITING: Final = getattr(os, "O_NONBLOCK", 0)
"""Opens what may be a pipe that nobody writes to, in a repo from somebody else."""
_PAUSE: Final = 0.02
"""Seconds between two tries to take a lock."""
_STALE: Final = 3600.0
"""Age in seconds after which a ref lock of another program counts as abandoned: git holds one for milliseconds."""
_STALE_OF_ANOTHER_HOST: Final = 30.0
_MARK: Final = "pbem, process "


class Busy(StoreError):
    """Somebody else is at work on the game."""


class Moved(StoreError):
    """The game has changed since it was read, so the commit would be based on an old position."""


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


def _share_lock(fd: int, timeout: float) -> None:
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
        fd = os.open(path, os.O_RDONLY | NO_WAITING)
    except OSError:
        yield
        return
    try:
        with suppress(NoLocks):
            _share_lock(fd, timeout)
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
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._wait(fd, timeout)
            if os.pread(fd, 1, 0):
                self._recover()
            os.ftruncate(fd, 0)
            signed = f"process {os.getpid()} on {_hostname()} since {time.strftime('%F %T UTC', time.gmtime())}"
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
                fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                self._clear_if_stale()
                if time.monotonic() > until:
                    raise Busy(
                        f"{self._holder()} holds {self.path}; nothing was committed. "
                        "If none is running, delete that file."
                    ) from None
                time.sleep(_PAUSE)
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
        if not holder.startswith(_MARK) or holder.endswith(f" on {_hostname()}"):
            self._clear()

    def _is_ours(self) -> bool:
        return self._read() == self._signed()

    def _signed(self) -> str:
        return f"{_MARK}{os.getpid()} on {_hostname()}"

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


def _hostname() -> str:
    from socket import gethostname  # who only reads does without it

    return gethostname()
