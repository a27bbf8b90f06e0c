"""The cluster: services on several hosts that share a database, and the folders of the games and of the keys.

`procrastinate` hands out the work. A job is "take in what waits for game G"; its lock, and the lock of its place in the
queue, is the game. Every service looks at the letters every second and queues the games that they are for, so that a
bell that is lost costs seconds, and a job that is lost no letter. Workers send heartbeats; the jobs of one that sends
none any more are queued again. Who wakes up after that finds that the game has moved on, and reads again.

One service at a time reads the mailboxes and sends: the one that has an advisory lock of the database.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from threading import Lock, Thread
from time import time
from typing import Final, TypeAlias

import procrastinate
import psycopg
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException, UniqueViolation
from procrastinate.jobs import Status

from pbem.post.service.duty import AnotherRuns, Duty
from pbem.post.service_log import Once, Say, error_text, say
from pbem.post.tables.postgres_tables import connect, conninfo, failing
from pbem.post.tables.tables import TableRow, Tables
from pbem.protocol import PbemError

_TASK: Final = "take in"
_FEED: Final = 1.0
"""Seconds after which the games with letters are queued, whether the bell has rung or not."""
_MOST_GAMES: Final = 64
"""Games that are queued at once at most; the others are queued when these are done."""
_HEARTBEAT: Final = 2.0
_STALLED: Final = 10.0
"""Seconds without a heartbeat after which the jobs of a worker are queued again."""
_FETCH_INTERVAL: Final = 0.5
_RETRY: Final = 2.0
"""Seconds until the database is tried again."""
_ON_DUTY: Final = 0x7062656D01
"""The advisory lock of the service that reads the mailboxes and sends."""
_MAKING_QUEUE: Final = 0x7062656D02
TakeIn: TypeAlias = Callable[[str, Callable[[], bool]], object]
"""Takes in what waits for a game, until something says stop. Raises OSError."""


def queue_schema() -> str:
    """Return the schema that the queue lies in: each version of procrastinate has one of its own.

    Nothing in it need be kept when the version changes: it is queued anew.
    """
    return f"pbem_queue_{version('procrastinate').replace('.', '_')}"


def queue(database: str) -> procrastinate.App:
    """Return the queue in a database; it is connected to when it is opened."""
    for name in ("procrastinate", "psycopg"):  # what is wrong is said here, in one line
        logging.getLogger(name).setLevel(logging.CRITICAL)
    connector = procrastinate.PsycopgConnector(
        conninfo=conninfo(database, queue_schema()), min_size=1, max_size=4, timeout=10.0
    )
    return procrastinate.App(connector=connector)


def make_queue(database: str) -> None:
    """Make the tables of the queue, if they are not there."""
    schema = queue_schema()
    with failing(database), connect(database) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING_QUEUE,))
        found = connection.execute("SELECT to_regclass(%s)", (f"{schema}.procrastinate_jobs",)).fetchone()
        if found == (None,):
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}".encode())
            connection.execute(f"SET LOCAL search_path = {schema}".encode())
            connection.execute(procrastinate.schema.SchemaManager.get_schema().encode())


class ClusterDuty(Duty):
    """The duty of one of several services."""

    def __init__(self, database: str, tables: Tables, say: Say) -> None:
        self._database = database
        self._say = say
        self._feeder = Feeder(database, tables, say)
        self._guard = Lock()
        self._connection: psycopg.Connection[TableRow] | None = None
        self._held = False

    @contextmanager
    def opened(self) -> Iterator[None]:
        make_queue(self._database)
        self._feeder.start()
        try:
            yield
        finally:
            self._feeder.end()
            self._drop()

    @contextmanager
    def alone(self) -> Iterator[None]:
        try:
            if not self._hold():
                raise AnotherRuns(f"another service with {self._database} reads the mailboxes; nothing was done")
            yield
        finally:
            self._drop()

    def is_ours(self) -> bool:
        with self._guard:
            held = self._held
            if self._hold() and not held:
                self._say("this service reads the mailboxes and sends")
            return self._held

    def _hold(self) -> bool:
        """Take the lock, if nobody else has it, and return whether we do. It goes with the connection."""
        try:
            with failing(self._database):
                if self._connection is None:
                    self._connection = connect(self._database)
                if self._held:
                    self._connection.execute("SELECT 1")
                else:
                    found = self._connection.execute("SELECT pg_try_advisory_lock(%s)", (_ON_DUTY,)).fetchone()
                    self._held = found == (True,)
        except OSError:
            self._drop()
            raise
        return self._held

    def _drop(self) -> None:
        self._held = False
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def ring(self) -> None:
        self._feeder.ring()


class Feeder:
    """Queues the games that letters wait for, in a thread of its own, and what dead workers have left."""

    def __init__(self, database: str, tables: Tables, say: Say, clock: Callable[[], float] = time) -> None:
        self._database = database
        self._tables = tables
        self._clock = clock
        self._once = Once(say)
        self._thread = Thread(target=lambda: asyncio.run(self._feed()), daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell = asyncio.Event()
        self._ended = False

    def start(self) -> None:
        """Begin to feed."""
        self._thread.start()

    def ring(self) -> None:
        """Look at once."""
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(self._bell.set)

    def end(self) -> None:
        """End, and wait for it."""
        self._ended = True
        self.ring()
        self._thread.join(_RETRY)

    async def _feed(self) -> None:
        self._loop = asyncio.get_running_loop()
        while not self._ended:
            try:
                async with queue(self._database).open_async() as app:
                    while not self._ended:
                        await self.look(app)
                        self._once.ends("games are queued again")
                        await self._wait(_FEED)
            except (OSError, ConnectorException, psycopg.Error) as wrong:
                self._once.begins(
                    f"{self._database}: games cannot be queued: {_cause_of_failure(wrong)}; nothing is lost"
                )
                await self._wait(_RETRY)

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._bell.wait(), seconds)
        self._bell.clear()

    async def look(self, app: procrastinate.App) -> None:
        """Queue the games that letters wait for, and what dead workers have left, once."""
        for game in self._tables.next_games(self._clock(), _MOST_GAMES):
            place = f"game {game}"
            with suppress(AlreadyEnqueued):
                await app.configure_task(_TASK, lock=place, queueing_lock=place).defer_async(game=game)
        for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=_STALLED):
            assert job.id is not None
            try:
                await app.job_manager.retry_job(job)
            except UniqueViolation:  # its game is queued already, and would wait for this job for ever
                await app.job_manager.finish_job_by_id_async(job.id, Status.FAILED, delete_job=True)


def work(database: str, take_in: TakeIn, say: Say = say) -> None:
    """Let a worker take in what waits for the games that it is handed, until standard input ends."""
    asyncio.run(_work(database, take_in, say))


async def _work(database: str, take_in: TakeIn, say: Say) -> None:
    loop = asyncio.get_running_loop()
    over, lost = asyncio.Event(), asyncio.Event()

    def job(game: str) -> None:
        try:
            take_in(game, over.is_set)
        except (OSError, PbemError) as wrong:
            say(f"no letter can be taken in: {error_text(wrong)}")

    loop.add_reader(sys.stdin.fileno(), _end_watched(over))
    loop.add_signal_handler(signal.SIGTERM, over.set)
    loop.set_exception_handler(lambda *_: lost.set())  # a job whose end could not be noted: it must be given up
    once = Once(say)
    while not over.is_set():
        lost.clear()
        try:
            make_queue(database)
            app = queue(database)
            app.task(name=_TASK)(job)
            async with app.open_async():
                once.ends("the queue can be reached again")
                await _work_until(app, over, lost)
        except (OSError, ConnectorException, psycopg.Error) as wrong:
            once.begins(f"{database}: the queue cannot be reached: {_cause_of_failure(wrong)}")
        if not over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), _RETRY)


async def _work_until(app: procrastinate.App, *ends: asyncio.Event) -> None:
    """Work until something ends it; the job that is at work is finished."""
    working = asyncio.ensure_future(
        app.run_worker_async(
            concurrency=1,
            fetch_job_polling_interval=_FETCH_INTERVAL,
            update_heartbeat_interval=_HEARTBEAT,
            stalled_worker_timeout=_STALLED,
            delete_jobs="always",
            install_signal_handlers=False,
        )
    )
    waits = [asyncio.ensure_future(each.wait()) for each in ends]
    await asyncio.wait([working, *waits], return_when=asyncio.FIRST_COMPLETED)
    for each in waits:
        each.cancel()
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working


def _end_watched(over: asyncio.Event) -> Callable[[], None]:
    """Return what looks at standard input: the service has gone when it ends; lines are bells, and not needed here."""

    def look() -> None:
        if not os.read(sys.stdin.fileno(), 4096):
            asyncio.get_running_loop().remove_reader(sys.stdin.fileno())
            over.set()

    return look


def _cause_of_failure(wrong: BaseException) -> str:
    cause = wrong.__cause__ or wrong
    text = cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause).strip()
    return text.splitlines()[0] if text else type(cause).__name__
