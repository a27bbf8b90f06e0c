"""The tables of the post in a PostgreSQL database: the services of several hosts read and write it at once.

Each thread has a connection of its own, and makes a new one when it breaks. The tables lie in a schema of their
own. What is looked for all the time is found by partial indexes, which hold only what still waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from errno import ENOSPC, ENOTCONN
from functools import cache
from threading import local
from time import time
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from pbem.post.tables.tables import LONGEST_DELAY, Dialect, Run, TableRow, Tables, TablesDamaged, storable_text

_VERSION: Final = 2
DATABASE_SCHEMA: Final = "pbem"
"""The schema of the database that everything of ours lies in."""
_SILENCE: Final = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
"""How soon a connection counts as broken, at both ends: a host that has gone holds nothing for longer than that."""
_TABLES: Final = """
CREATE TABLE version (version integer NOT NULL);
CREATE TABLE seen (source text NOT NULL, uid text NOT NULL, letter bigint, marked boolean NOT NULL DEFAULT false,
    PRIMARY KEY (source, uid));
CREATE INDEX seen_unmarked ON seen (letter) WHERE NOT marked AND letter IS NOT NULL;
CREATE TABLE letters (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, digest text NOT NULL UNIQUE,
    sender text NOT NULL, at double precision NOT NULL, since double precision NOT NULL, content bytea,
    by text NOT NULL, size bigint NOT NULL, tries integer NOT NULL DEFAULT 0);
CREATE TABLE work (letter bigint NOT NULL, game text NOT NULL, sender text NOT NULL, waits boolean NOT NULL,
    due double precision NOT NULL, slot double precision NOT NULL, PRIMARY KEY (letter, game));
CREATE INDEX work_waiting ON work (game, letter) WHERE waits;
CREATE INDEX work_of_game ON work (game, slot);
CREATE INDEX work_of_sender ON work (sender, slot);
CREATE TABLE games (game text PRIMARY KEY, pause double precision NOT NULL, reason text NOT NULL);
CREATE TABLE outbox (id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL UNIQUE,
    recipient text NOT NULL, thread text NOT NULL, urgency integer NOT NULL, state text NOT NULL,
    since double precision NOT NULL, due double precision NOT NULL DEFAULT 0, tries integer NOT NULL DEFAULT 0,
    ended double precision, reason text NOT NULL DEFAULT '', content bytea);
CREATE INDEX outbox_waiting ON outbox (urgency, id) WHERE state = 'waiting';
CREATE INDEX outbox_readers ON outbox (recipient, thread, id) WHERE state = 'waiting';
CREATE INDEX outbox_written ON outbox (recipient, since);
CREATE INDEX outbox_sent ON outbox (ended) WHERE state = 'sent';
CREATE TABLE notes (key text PRIMARY KEY, value text NOT NULL, at double precision NOT NULL);
"""
_DUE: Final = """
CREATE TABLE falls (game text PRIMARY KEY, due double precision, tip text NOT NULL);
CREATE INDEX falls_due ON falls (due) WHERE due IS NOT NULL;
"""
"""What version 1 does not have."""
_MAKING: Final = 0x7062656D00
"""The advisory lock of whoever makes the tables."""


class PostgresTables(Tables):
    """The tables in a database, which are made if they are not there."""

    dialect = Dialect(
        no="false",
        yes="true",
        state="waits",
        waiting="true",
        done="false",
        queued="EXISTS (SELECT 1 FROM work WHERE work.game = games.game AND waits)",
        falls="falls",
        falls_at="due",
        falls_and_pauses="falls LEFT JOIN games USING (game)",
        names_indexes=False,
        for_update=" FOR UPDATE",
        for_share=" FOR SHARE",
    )

    def __init__(self, url: str, clock: Callable[[], float] = time) -> None:
        """`url` is that of the database, as `postgresql://user@host/name`."""
        super().__init__(clock)
        self.url = url
        self._own = local()
        self._all: list[psycopg.Connection[TableRow]] = []
        with self._transaction() as run:
            run("SELECT pg_advisory_xact_lock(?)", _MAKING)
            run("CREATE SCHEMA IF NOT EXISTS pbem")
            if run("SELECT to_regclass('pbem.version')").fetchone() == (None,):
                run(_TABLES)
                run("INSERT INTO version VALUES (1)")
            if run("SELECT version FROM version").fetchall() == [(1,)]:
                run(_DUE)
                run("UPDATE version SET version = ?", _VERSION)
            if run("SELECT version FROM version").fetchall() != [(_VERSION,)]:
                raise TablesDamaged(f"the tables in {self.url} were made by another version of pbem; use that one")

    @property
    def _connection(self) -> psycopg.Connection[TableRow]:
        """The connection of this thread."""
        found: psycopg.Connection[TableRow] | None = getattr(self._own, "connection", None)
        if found is None or found.closed:
            found = connect(self.url)
            self._own.connection = found
            self._all = [each for each in self._all if not each.closed] + [found]
        return found

    @contextmanager
    def _transaction(self, *, lasting: bool = False) -> Iterator[Run]:
        """Begin a transaction. Each lasts."""
        with failing(self.url):
            connection = self._connection
            with connection.transaction():
                yield lambda statement, *values: connection.execute(_query(statement), _storable(values))

    def _rows(self, query: str, *values: object) -> list[TableRow]:
        with failing(self.url):
            return self._connection.execute(_query(query), _storable(values)).fetchall()

    def _change(self, statement: str, *values: object) -> int:
        with failing(self.url):
            return self._connection.execute(_query(statement), _storable(values)).rowcount

    def _games_with_letters(self, now: float, most: int) -> list[TableRow]:
        late = now + LONGEST_DELAY
        return self._rows(
            "SELECT game FROM work LEFT JOIN games USING (game) WHERE waits "
            "GROUP BY game, pause HAVING bool_or(due <= ? OR due > ?) "
            "AND (pause IS NULL OR pause <= ? OR pause > ?) ORDER BY min(letter) LIMIT ?",
            *(now, late, now, late, most),
        )

    def _note_queue(self, run: Run, game: str) -> None:
        """Note nothing: what waits is found in `work`."""

    def close(self) -> None:
        for connection in self._all:
            connection.close()
        self._all.clear()
        self._own = local()


def conninfo(url: str, schema: str = DATABASE_SCHEMA) -> str:
    """Return how a database is connected to, with everything looked for in one schema of it."""
    settings = {f"tcp_{name}": str(value) for name, value in _SILENCE.items()}
    settings |= {"search_path": schema, "client_min_messages": "warning", "idle_in_transaction_session_timeout": "30s"}
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return make_conninfo(url, options=options, application_name="pbem", connect_timeout=10, **_SILENCE)


def connect(url: str) -> psycopg.Connection[TableRow]:
    """Connect to a database."""
    return psycopg.connect(conninfo(url), autocommit=True)


@contextmanager
def failing(url: str) -> Iterator[None]:
    """Let what goes wrong with the database be an error of the environment, as with any file."""
    try:
        yield
    except psycopg.Error as wrong:
        lines = str(wrong).splitlines() or [type(wrong).__name__]
        if isinstance(wrong, psycopg.OperationalError | psycopg.InterfaceError):
            full = isinstance(wrong, psycopg.errors.DiskFull)
            raise OSError(ENOSPC if full else ENOTCONN, lines[0], url) from wrong
        raise TablesDamaged(f"the tables in {url} cannot be used: {lines[0]}") from wrong


@cache
def _query(statement: str) -> bytes:
    """Return a statement as psycopg wants it."""
    return statement.replace("?", "%s").encode()


def _storable(values: Sequence[object]) -> list[object]:
    """Return values that the database can hold."""
    return [storable_text(value) if isinstance(value, str) else value for value in values]
