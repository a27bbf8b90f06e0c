"""The tables of the post in a PostgreSQL database: the services of several hosts read and write it at once.

Each thread has a connection of its own, and makes a new one when it breaks. The tables lie in a schema of their
own. What is looked for all the time is found by partial indexes, which hold only what still waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import ENOSPC, ENOTCONN
from threading import local
from time import time
from typing import Any, Final, LiteralString

import psycopg
from psycopg.conninfo import make_conninfo

from pbem.post.tables.tables import (
    LONGEST_DELAY,
    NO_GAME,
    Counts,
    NewLetter,
    StuckGame,
    Tables,
    TablesDamaged,
    ToSend,
    Urgency,
    Waiting,
)

_VERSION: Final = 2
SCHEMA: Final = "pbem"
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

    def __init__(self, url: str, clock: Callable[[], float] = time) -> None:
        """`url` is that of the database, as `postgresql://user@host/name`; `clock` returns the time."""
        self.url = url
        self._clock = clock
        self._own = local()
        self._all: list[psycopg.Connection[Any]] = []
        with self._transaction() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
            connection.execute("CREATE SCHEMA IF NOT EXISTS pbem")
            (there,) = connection.execute("SELECT to_regclass('pbem.version') IS NOT NULL").fetchone() or (False,)
            if not there:
                connection.execute(_TABLES)
                connection.execute("INSERT INTO version VALUES (1)")
            if connection.execute("SELECT version FROM version").fetchall() == [(1,)]:
                connection.execute(_DUE)
                connection.execute("UPDATE version SET version = %s", (_VERSION,))
            found = connection.execute("SELECT version FROM version").fetchall()
            if found != [(_VERSION,)]:
                raise TablesDamaged(f"the tables in {self.url} were made by another version of pbem; use that one")

    @property
    def _connection(self) -> psycopg.Connection[Any]:
        """The connection of this thread."""
        found: psycopg.Connection[Any] | None = getattr(self._own, "connection", None)
        if found is None or found.closed:
            found = connect(self.url)
            self._own.connection = found
            self._all = [each for each in self._all if not each.closed] + [found]
        return found

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection in a transaction: all of it or nothing. What breaks is an error of the environment."""
        with failing(self.url):
            connection = self._connection
            with connection.transaction():
                yield connection

    def _rows(self, query: LiteralString, *values: object) -> list[Any]:
        with failing(self.url):
            return self._connection.execute(query, _clean(values)).fetchall()

    def _change(self, query: LiteralString, *values: object) -> int:
        """Change rows, and return how many there were."""
        with failing(self.url):
            return self._connection.execute(query, _clean(values)).rowcount

    # ---- letters come

    def known(self, source: str, uid: str) -> bool:
        return bool(self._rows("SELECT 1 FROM seen WHERE source = %s AND uid = %s", source, uid))

    def passed(self, source: str, uid: str) -> None:
        self._change("INSERT INTO seen (source, uid, marked) VALUES (%s, %s, true) ON CONFLICT DO NOTHING", source, uid)

    def add(self, source: str, uid: str, letter: NewLetter, due: Mapping[str, float]) -> bool:
        now = self._clock()
        with self._transaction() as connection:
            values = letter.digest, letter.sender, letter.at, now, letter.content, letter.by, letter.size
            added = connection.execute(
                "INSERT INTO letters (digest, sender, at, since, content, by, size) "
                "VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id",
                _clean(values),
            ).fetchone()
            if added is not None:
                for game in letter.games or (NO_GAME,):
                    when = due.get(game, 0.0)
                    row = added[0], game, letter.sender, when, max(now, when)
                    connection.execute("INSERT INTO work VALUES (%s, %s, %s, true, %s, %s)", _clean(row))
            connection.execute(
                "INSERT INTO seen (source, uid, letter) SELECT %s, %s, id FROM letters WHERE digest = %s "
                "ON CONFLICT DO NOTHING",
                _clean((source, uid, letter.digest)),
            )
            return added is not None

    def to_mark(self, holds: Callable[[str], bool]) -> Sequence[tuple[str, str]]:
        done: LiteralString = (
            "FROM seen JOIN letters ON letters.id = letter WHERE NOT marked AND letter IS NOT NULL AND content IS NULL"
        )
        sources = [source for (source,) in self._rows("SELECT DISTINCT source " + done) if holds(source)]
        query: LiteralString = "SELECT source, uid " + done + " AND source = %s ORDER BY letter LIMIT 500"
        return [row for source in sources for row in self._rows(query, source)]

    def marked(self, source: str, uid: str) -> None:
        self._change("UPDATE seen SET marked = true WHERE source = %s AND uid = %s", source, uid)

    def last_slots(self, sender: str, most: int) -> Sequence[float]:
        query: LiteralString = (
            "SELECT slot FROM work WHERE sender = %s GROUP BY slot, letter ORDER BY slot DESC LIMIT %s"
        )
        return [slot for (slot,) in self._rows(query, sender, most)]

    def slots_between(self, game: str, start: float, end: float) -> Sequence[float]:
        query: LiteralString = "SELECT slot FROM work WHERE game = %s AND slot > %s AND slot <= %s ORDER BY slot"
        return [slot for (slot,) in self._rows(query, game, start, end)]

    # ---- letters are taken in

    def next_games(self, now: float, most: int) -> Sequence[str]:
        rows = self._rows(
            "SELECT game FROM work LEFT JOIN games USING (game) WHERE waits "
            "GROUP BY game, pause HAVING bool_or(due <= %s OR due > %s) "
            "AND (pause IS NULL OR pause <= %s OR pause > %s) ORDER BY min(letter) LIMIT %s",
            *(now, now + LONGEST_DELAY, now, now + LONGEST_DELAY, most),
        )
        due = self._rows(
            "SELECT game FROM falls LEFT JOIN games USING (game) WHERE due <= %s "
            "AND (pause IS NULL OR pause <= %s OR pause > %s) ORDER BY due LIMIT %s",
            *(self.looked(), now, now + LONGEST_DELAY, most),
        )
        return list(dict.fromkeys(game for (game,) in [*rows, *due]))[:most]

    def next_letter(self, game: str, now: float) -> Waiting | None:
        rows = self._rows(
            "SELECT id, digest, letters.sender, at, content, by, size, tries, "
            "(SELECT array_agg(every.game ORDER BY every.game) FROM work AS every "
            "WHERE every.letter = work.letter AND every.waits) FROM work "
            "JOIN letters ON letters.id = letter WHERE game = %s AND waits AND (due <= %s OR due > %s) "
            "ORDER BY letter LIMIT 1",
            *(game, now, now + LONGEST_DELAY),
        )
        for id, digest, sender, at, content, by, size, tries, games in rows:
            return Waiting(id, digest, sender, at, content, games, by, size, tries)
        return None

    def first_waiting(self, game: str, besides: int = 0) -> float | None:
        rows = self._rows(
            "SELECT min(at) FROM work JOIN letters ON letters.id = letter WHERE game = %s AND waits AND letter <> %s",
            *(game, besides),
        )
        first: float | None = rows[0][0]
        return first

    def begun(self, letter: int) -> None:
        self._change("UPDATE letters SET tries = tries + 1 WHERE id = %s", letter)

    def done(self, letter: int, game: str) -> None:
        with self._transaction() as connection:
            connection.execute("SELECT 1 FROM letters WHERE id = %s FOR UPDATE", (letter,))  # one game after the other
            connection.execute("UPDATE work SET waits = false WHERE letter = %s AND game = %s", _clean((letter, game)))
            connection.execute(
                "UPDATE letters SET content = NULL WHERE id = %s "
                "AND NOT EXISTS (SELECT 1 FROM work WHERE letter = id AND waits)",
                (letter,),
            )
            connection.execute("DELETE FROM games WHERE game = %s", _clean((game,)))

    def postpone(self, game: str, until: float, reason: str) -> bool:
        with self._transaction() as connection:
            query: LiteralString = "SELECT reason FROM games WHERE game = %s FOR UPDATE"
            found = connection.execute(query, _clean((game,))).fetchone()
            connection.execute(
                "INSERT INTO games (game, pause, reason) VALUES (%s, %s, %s) "
                "ON CONFLICT (game) DO UPDATE SET pause = excluded.pause, reason = excluded.reason",
                _clean((game, until, reason)),
            )
            return found is None or found != _clean((reason,))

    def resume(self, game: str) -> bool:
        return self._change("DELETE FROM games WHERE game = %s AND reason <> ''", game) > 0

    def stuck(self) -> Sequence[StuckGame]:
        rows = self._rows(
            "SELECT game, reason, pause, count(*) FROM games JOIN work USING (game) WHERE waits AND reason <> '' "
            "GROUP BY game, reason, pause ORDER BY game"
        )
        return [StuckGame(*row) for row in rows]

    # ---- games go on by themselves

    def falls_due(self, game: str, when: float | None, tip: str) -> None:
        self._change(
            "INSERT INTO falls VALUES (%s, %s, %s) "
            "ON CONFLICT (game) DO UPDATE SET due = excluded.due, tip = excluded.tip",
            *(game, when, tip),
        )

    def look_at(self, game: str, when: float) -> None:
        self._change("UPDATE falls SET due = least(due, %s) WHERE game = %s AND due IS NOT NULL", when, game)

    def has_clock(self, game: str) -> bool:
        return bool(self._rows("SELECT 1 FROM falls WHERE game = %s AND due IS NOT NULL", game))

    def tips(self) -> Mapping[str, str]:
        return dict(self._rows("SELECT game, tip FROM falls"))

    # ---- letters go

    def put(self, letters: Sequence[ToSend], answering: Waiting | None = None) -> int:
        rows = [(each.name, each.to, each.thread, int(each.urgency), each.since, each.content) for each in letters]
        with self._transaction() as connection, connection.cursor() as cursor:
            if answering is not None:
                cursor.execute("SELECT 1 FROM letters WHERE id = %s FOR SHARE", (answering.id,))  # not while it ends
                cursor.execute("SELECT count(*) FROM work WHERE letter = %s AND waits", (answering.id,))
                answering.check(*cursor.fetchone() or (0,))
            cursor.executemany(
                "INSERT INTO outbox (name, recipient, thread, urgency, state, since, content) "
                "VALUES (%s, %s, %s, %s, 'waiting', %s, %s) ON CONFLICT DO NOTHING",
                [_clean(row) for row in rows],
            )
            return max(0, cursor.rowcount)

    def to_send(self, now: float, most: int) -> Sequence[ToSend]:
        return _to_send(
            self._rows(
                "SELECT name, recipient, content, urgency, thread, tries, since FROM outbox WHERE state = 'waiting' "
                "AND (due <= %s OR due > %s) ORDER BY urgency, id LIMIT %s",
                *(now, now + LONGEST_DELAY, most),
            )
        )

    def waiting_for(self, to: str, thread: str, urgency: Urgency) -> Sequence[ToSend]:
        return _to_send(
            self._rows(
                "SELECT name, recipient, content, urgency, thread, tries, since FROM outbox WHERE state = 'waiting' "
                "AND recipient = %s AND thread = %s AND urgency = %s ORDER BY id LIMIT 50",
                *(to, thread, int(urgency)),
            )
        )

    def bundle(self, name: str, content: bytes, others: Iterable[str]) -> None:
        with self._transaction() as connection:
            connection.execute("UPDATE outbox SET content = %s WHERE name = %s", (content, name))
            connection.execute(
                "UPDATE outbox SET state = 'bundled', reason = %s, content = NULL WHERE name = ANY (%s)",
                (name, list(others)),
            )

    def sent(self, name: str, now: float) -> None:
        self._ended(name, "sent", now, "")

    def refused(self, name: str, now: float, reason: str) -> None:
        self._ended(name, "refused", now, reason)

    def _ended(self, name: str, state: str, now: float, reason: str) -> None:
        self._change(
            "UPDATE outbox SET state = %s, ended = %s, reason = %s, content = NULL WHERE name = %s",
            *(state, now, reason, name),
        )

    def later(self, name: str, until: float, reason: str) -> None:
        self._change("UPDATE outbox SET due = %s, reason = %s, tries = tries + 1 WHERE name = %s", until, reason, name)

    def written_to(self, address: str, since: float) -> Sequence[str]:
        rows = self._rows("SELECT name FROM outbox WHERE recipient = %s AND since > %s", address, since)
        return [name for (name,) in rows]

    def sent_between(self, start: float, end: float) -> int:
        query: LiteralString = "SELECT count(*) FROM outbox WHERE state = 'sent' AND ended > %s AND ended <= %s"
        return int(self._rows(query, start, end)[0][0])

    # ---- the rest

    def counts(self) -> Counts:
        (row,) = self._rows(
            "SELECT (SELECT count(*) FROM work WHERE waits), "
            "(SELECT since FROM letters WHERE id = (SELECT min(letter) FROM work WHERE waits)), "
            "(SELECT count(*) FROM outbox WHERE state = 'waiting'), "
            "(SELECT count(*) FROM outbox WHERE state = 'refused'), "
            "(SELECT count(*) FROM seen WHERE letter IS NULL), "
            "(SELECT count(*) FROM letters WHERE content IS NULL)"
        )
        return Counts(*row)

    def note(self, key: str, value: str, now: float) -> None:
        self._change(
            "INSERT INTO notes VALUES (%s, %s, %s) ON CONFLICT (key) "
            "DO UPDATE SET value = excluded.value, at = excluded.at",
            *(key, value, now),
        )

    def noted(self, key: str) -> tuple[str, float] | None:
        rows = self._rows("SELECT value, at FROM notes WHERE key = %s", key)
        return (rows[0][0], rows[0][1]) if rows else None

    def notes(self, prefix: str) -> Iterator[tuple[str, str, float]]:
        yield from self._rows("SELECT key, value, at FROM notes WHERE starts_with(key, %s) ORDER BY key", prefix)

    def forget(self, key: str) -> None:
        self._change("DELETE FROM notes WHERE key = %s", key)

    def close(self) -> None:
        for connection in self._all:
            connection.close()
        self._all.clear()
        self._own = local()


def conninfo(url: str, schema: str = SCHEMA) -> str:
    """Return how a database is connected to, with everything looked for in one schema of it."""
    settings = {f"tcp_{name}": str(value) for name, value in _SILENCE.items()}
    settings |= {"search_path": schema, "client_min_messages": "warning", "idle_in_transaction_session_timeout": "30s"}
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    return make_conninfo(url, options=options, application_name="pbem", connect_timeout=10, **_SILENCE)


def connect(url: str) -> psycopg.Connection[Any]:
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


def _clean(values: Sequence[object]) -> tuple[object, ...]:
    """Return values that the database can hold: its texts have no zero bytes."""
    return tuple(
        value.encode("utf-8", "replace").decode().replace("\0", "\ufffd") if isinstance(value, str) else value
        for value in values
    )


def _to_send(rows: Iterable[Any]) -> list[ToSend]:
    return [
        ToSend(name, to, content, Urgency(urgency), thread, tries, since)
        for name, to, content, urgency, thread, tries, since in rows
    ]
