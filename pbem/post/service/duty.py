"""The duty: which service reads the mailboxes and sends, and how its workers are kept and woken.

On a file of tables one service runs, and it is always on duty. On a database several do, and one of them at a time is
on duty (`pbem.post.service.cluster`).
"""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Final

from pbem.post.service_log import Say
from pbem.protocol import PbemError
from pbem.repo.git.locks import Busy, GameLock

_MEMORY: Final = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "3145728",
    "MALLOC_TRIM_THRESHOLD_": "4194304",
}
"""Makes the C library of Linux give back the memory of a board, and keep that of a picture for the next one.

Once stated, the thresholds do not grow with the largest board drawn; otherwise a worker keeps 50 MB for nothing. Lower
ones save 5 MB, but a picture takes a sixth longer: the system has to zero all memory that it hands out again. With a
database a worker has a second thread, which seldom needs memory at the same time: room of its own costs 10 MB.
"""


class KeptWorker:
    """A worker in a process of its own."""

    _SOON: Final = 10.0
    """Seconds within which a worker that dies has died of something lasting."""

    def __init__(self, command: Sequence[str], say: Say) -> None:
        self._command = command
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._started = self._due = 0.0
        self._deaths = 0

    def start(self) -> None:
        """Start it."""
        self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, env={**_MEMORY, **os.environ})
        self._started = monotonic()

    def revive(self) -> None:
        """Start it again if it has ended; after a while, if it ends again and again."""
        if self._process is not None and (code := self._process.poll()) is not None:
            self._say(f"a worker has ended ({_exit_text(code)}); another one is started")
            self._close()
            self._deaths = self._deaths + 1 if monotonic() - self._started < self._SOON else 0
            self._due = monotonic() + (min(60.0, 2.0**self._deaths) if self._deaths else 0.0)
        if self._process is None and monotonic() >= self._due:
            try:
                self.start()
            except OSError as wrong:  # no memory, too many processes: that passes
                self._due = monotonic() + self._SOON
                self._say(f"no worker can be started: {wrong.strerror or wrong}; tried again")

    def ring(self) -> None:
        """Tell it that there is something to do."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, ValueError):
                self._process.stdin.write(b"\n")
                self._process.stdin.flush()

    def let_go(self) -> None:
        """Let it end when it has finished the letter that it is at."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()

    def end(self, seconds: float) -> None:
        """Wait for its end; kill it after some seconds: its letter is taken in again."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _close(self) -> None:
        self.let_go()
        self._process = None


def _exit_text(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


class AnotherRuns(PbemError):
    """Another service works on the same tables."""


class Duty(ABC):
    """The duty of one service."""

    @abstractmethod
    def opened(self) -> AbstractContextManager[None]:
        """Begin to serve, until the end of the block. Raises AnotherRuns."""

    @abstractmethod
    def alone(self) -> AbstractContextManager[None]:
        """Be the one on duty, until the end of the block. Raises AnotherRuns, which names the other one."""

    @abstractmethod
    def is_ours(self) -> bool:
        """Tell whether this service reads the mailboxes and sends. Raises OSError if that cannot be found out."""

    @abstractmethod
    def ring(self) -> None:
        """Tell the workers that there is something to do."""


@contextmanager
def alone_on(tables_file: Path) -> Iterator[None]:
    """Be the only service on a file of tables. Raises AnotherRuns, which names the other one."""
    path = tables_file.with_name(f"{tables_file.name}.lock")
    lock = GameLock(path, tables_file.name, lambda: None)
    try:
        lock.acquire(0)
    except Busy:
        holder = path.read_text("utf-8", "replace") or "another process"
        raise AnotherRuns(f"{holder} works on {tables_file} already; nothing was done") from None
    try:
        yield
    finally:
        lock.release()


class FileDuty(Duty):
    """The duty of the only service on a file of tables."""

    def __init__(self, tables_file: Path, workers: Sequence[KeptWorker] = ()) -> None:
        self._file = tables_file
        self._workers = workers

    def opened(self) -> AbstractContextManager[None]:
        return alone_on(self._file)

    def alone(self) -> AbstractContextManager[None]:
        return alone_on(self._file)

    def is_ours(self) -> bool:
        return True

    def ring(self) -> None:
        for worker in self._workers:
            worker.ring()
