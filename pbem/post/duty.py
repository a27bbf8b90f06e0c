"""The duty: which service reads the mailboxes and sends, and how workers hear that there is something to do.

On a file of tables one service runs, and it is always on duty. On a database several do, and one of them at a time is
on duty (`pbem.post.cluster`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from pbem.post.kept_worker import KeptWorker
from pbem.post.log import Say
from pbem.post.settings import PostConfig
from pbem.post.tables import Tables
from pbem.protocol import PbemError
from pbem.repo.git.gamelock import Busy, GameLock


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
def alone(tables_file: Path) -> Iterator[None]:
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
        return alone(self._file)

    def alone(self) -> AbstractContextManager[None]:
        return alone(self._file)

    def is_ours(self) -> bool:
        return True

    def ring(self) -> None:
        for worker in self._workers:
            worker.ring()


def duty(config: PostConfig, tables: Tables, say: Say, workers: Sequence[KeptWorker] = ()) -> Duty:
    """Return the duty of a service with a config."""
    if config.database is None:
        return FileDuty(config.tables_file, workers)
    from pbem.post.cluster import ClusterDuty

    return ClusterDuty(config.database, tables, say)
