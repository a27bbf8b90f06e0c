"""The tables of the post in one SQLite file, in WAL mode: several processes read and write it at once.

Each thread has a connection of its own. What is looked for all the time is found by partial indexes, which hold only
what still waits: old letters and idle games cost nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from errno import EIO, ENOSPC
from pathlib import Path
from threading import local
from time import time
from typing import Any, Final

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

VERSION: Final = 2
MORE: Final = """
ALTER TABLE games ADD COLUMN falls REAL;
ALTER TABLE games ADD COLUMN tip TEXT NOT NULL DEFAULT '';
CREATE INDEX games_due ON games (falls) WHERE falls IS NOT NULL;
"""
"""What version 1 does not have."""
SCHEMA: Final = """
CREATE TABLE seen (source TEXT NOT NULL, uid TEXT NOT NULL, letter INTEGER, marked INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (source, uid)) WITHOUT ROWID;
CREATE INDEX seen_unmarked ON seen (letter) WHERE marked = 0 AND letter IS NOT NULL;
CREATE TABLE letters (id INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL UNIQUE, sender TEXT NOT NULL,
    at REAL NOT NULL, since REAL NOT NULL, content BLOB, by TEXT NOT NULL DEFAULT '', size INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0);
CREATE TABLE work (letter INTEGER NOT NULL, game TEXT NOT NULL, sender TEXT NOT NULL, state TEXT NOT NULL,
    due REAL NOT NULL, slot REAL NOT NULL, PRIMARY KEY (letter, game)) WITHOUT ROWID;
CREATE INDEX work_waiting ON work (game, letter) WHERE state = 'waiting';
CREATE INDEX work_due ON work (game, due) WHERE state = 'waiting';
CREATE INDEX work_of_game ON work (game, slot);
CREATE INDEX work_of_sender ON work (sender, slot);
CREATE TABLE games (game TEXT PRIMARY KEY, oldest INTEGER, due REAL NOT NULL DEFAULT 0, pause REAL NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE INDEX games_waiting ON games (oldest) WHERE oldest IS NOT NULL;
CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, recipient TEXT NOT NULL,
    thread TEXT NOT NULL, urgency INTEGER NOT NULL, state TEXT NOT NULL, since REAL NOT NULL, due REAL NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, ended REAL, reason TEXT NOT NULL DEFAULT '', content BLOB);
CREATE INDEX outbox_waiting ON outbox (urgency, id) WHERE state = 'waiting';
CREATE INDEX outbox_readers ON outbox (recipient, thread, id) WHERE state = 'waiting';
CREATE INDEX outbox_written ON outbox (recipient, since);
CREATE INDEX outbox_sent ON outbox (ended) WHERE state = 'sent';
CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
"""


_LOCK_PATIENCE: Final = 30.0
"""Seconds to wait for another process that writes."""
_TO_SEND: Final = "name, recipient, content, urgency, thread, tries, since"


class SqliteTables(Tables):
    """The tables in a file, which is made if it is not there."""

    def __init__(self, file: Path, clock: Callable[[], float] = time) -> None:
        """`clock` returns the time."""
        self.file = file
        self._clock = clock
        self._own = local()
        self._all: list[sqlite3.Connection] = []
        if not file.exists():
            file.touch(mode=0o600)  # letters lie in it, and the keys in them
        with self._failing(), self._write() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version in (0, 1):
                for statement in filter(str.strip, f"{SCHEMA if version == 0 else ''}{MORE}".split(";")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise TablesDamaged(
                    f"{file} was written by another version of pbem; use that one, or move the file away"
                )

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        found: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if found is None:
            found = sqlite3.connect(self.file, timeout=_LOCK_PATIENCE, isolation_level=None, check_same_thread=False)
            found.execute("PRAGMA journal_mode = WAL")
            self._own.connection = found
            self._all.append(found)
        return found

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Let what goes wrong with the file be an error of the environment, as with any other file."""
        try:
            yield
        except sqlite3.OperationalError as wrong:
            full = wrong.sqlite_errorcode == sqlite3.SQLITE_FULL
            raise OSError(ENOSPC if full else EIO, str(wrong), str(self.file)) from wrong
        except sqlite3.DatabaseError as wrong:
            raise TablesDamaged(
                f"{self.file} cannot be read: {wrong}. Bring it back from a backup, or move it away: "
                "it is then made anew, and the mailbox is read again"
            ) from wrong

    @contextmanager
    def _write(self, *, lasting: bool = False) -> Iterator[sqlite3.Connection]:
        """Yield a connection in a transaction: all of it or nothing. One that is `lasting` waits for the disk."""
        with self._failing():
            connection = self._connection
            connection.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'NORMAL'}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._failing():
            return self._connection.execute(query, values).fetchall()

    # ---- letters come

    def known(self, source: str, uid: str) -> bool:
        return bool(self._rows("SELECT 1 FROM seen WHERE source = ? AND uid = ?", source, uid))

    def passed(self, source: str, uid: str) -> None:
        with self._write() as connection:
            connection.execute("INSERT OR IGNORE INTO seen (source, uid, marked) VALUES (?, ?, 1)", (source, uid))

    def add(self, source: str, uid: str, letter: NewLetter, due: Mapping[str, float]) -> bool:
        now = self._clock()
        with self._write() as connection:
            found = connection.execute("SELECT id FROM letters WHERE digest = ?", (letter.digest,)).fetchone()
            if found is None:
                values = letter.digest, letter.sender, letter.at, now, letter.content, letter.by, letter.size
                added = connection.execute(
                    "INSERT INTO letters (digest, sender, at, since, content, by, size) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    values,
                )
                id = added.lastrowid
                for game in letter.games or (NO_GAME,):
                    when = due.get(game, 0.0)
                    row = id, game, letter.sender, when, max(now, when)
                    connection.execute("INSERT INTO work VALUES (?, ?, ?, 'waiting', ?, ?)", row)
                    _look_again(connection, game)
            else:
                (id,) = found
            connection.execute("INSERT OR IGNORE INTO seen (source, uid, letter) VALUES (?, ?, ?)", (source, uid, id))
            return found is None

    def to_mark(self, holds: Callable[[str], bool]) -> Sequence[tuple[str, str]]:
        done = (
            "FROM seen INDEXED BY seen_unmarked JOIN letters ON letters.id = letter "
            "WHERE marked = 0 AND letter IS NOT NULL AND content IS NULL"
        )
        sources = [source for (source,) in self._rows(f"SELECT DISTINCT source {done}") if holds(source)]
        query = f"SELECT source, uid {done} AND source = ? ORDER BY letter LIMIT 500"
        return [row for source in sources for row in self._rows(query, source)]

    def marked(self, source: str, uid: str) -> None:
        with self._write() as connection:
            connection.execute("UPDATE seen SET marked = 1 WHERE source = ? AND uid = ?", (source, uid))

    def last_slots(self, sender: str, most: int) -> Sequence[float]:
        query = "SELECT slot FROM work WHERE sender = ? GROUP BY slot, letter ORDER BY slot DESC LIMIT ?"
        return [slot for (slot,) in self._rows(query, sender, most)]

    def slots_between(self, game: str, start: float, end: float) -> Sequence[float]:
        query = "SELECT slot FROM work WHERE game = ? AND slot > ? AND slot <= ? ORDER BY slot"
        return [slot for (slot,) in self._rows(query, game, start, end)]

    # ---- letters are taken in

    def next_games(self, now: float, most: int) -> Sequence[str]:
        query = (
            "SELECT game FROM games INDEXED BY games_waiting WHERE oldest IS NOT NULL "
            "AND (due <= ?1 OR due > ?1 + ?2) AND (pause <= ?1 OR pause > ?1 + ?2) ORDER BY oldest LIMIT ?3"
        )
        found = [game for (game,) in self._rows(query, now, LONGEST_DELAY, most)]
        query = (
            "SELECT game FROM games INDEXED BY games_due WHERE falls IS NOT NULL AND falls <= ?1 "
            "AND (pause <= ?2 OR pause > ?2 + ?3) ORDER BY falls LIMIT ?4"
        )
        found += [game for (game,) in self._rows(query, self.looked(), now, LONGEST_DELAY, most)]
        return list(dict.fromkeys(found))[:most]

    def next_letter(self, game: str, now: float) -> Waiting | None:
        with self._write() as connection:
            found = connection.execute(
                "SELECT id, digest, letters.sender, at, content, by, size, tries FROM work INDEXED BY work_waiting "
                "JOIN letters ON letters.id = letter WHERE game = ?1 AND state = 'waiting' "
                "AND (due <= ?2 OR due > ?2 + ?3) ORDER BY letter LIMIT 1",
                (game, now, LONGEST_DELAY),
            ).fetchone()
            if found is None:
                _look_again(connection, game)
                return None
            id, digest, sender, at, content, by, size, tries = found
            rows = connection.execute("SELECT game FROM work WHERE letter = ? AND state = 'waiting'", (id,))
            return Waiting(id, digest, sender, at, content, [each for (each,) in rows.fetchall()], by, size, tries)

    def first_waiting(self, game: str, besides: int = 0) -> float | None:
        rows = self._rows(
            "SELECT min(at) FROM work INDEXED BY work_waiting JOIN letters ON letters.id = letter "
            "WHERE game = ? AND state = 'waiting' AND letter <> ?",
            *(game, besides),
        )
        first: float | None = rows[0][0]
        return first

    def begun(self, letter: int) -> None:
        with self._write() as connection:
            connection.execute("UPDATE letters SET tries = tries + 1 WHERE id = ?", (letter,))

    def done(self, letter: int, game: str) -> None:
        with self._write() as connection:
            connection.execute("UPDATE work SET state = 'done' WHERE letter = ? AND game = ?", (letter, game))
            connection.execute(
                "UPDATE letters SET content = NULL WHERE id = ?1 "
                "AND NOT EXISTS (SELECT 1 FROM work WHERE letter = ?1 AND state <> 'done')",
                (letter,),
            )
            connection.execute("UPDATE games SET reason = '', pause = 0 WHERE game = ?", (game,))
            _look_again(connection, game)

    def postpone(self, game: str, until: float, reason: str) -> bool:
        with self._write() as connection:
            found = connection.execute("SELECT reason FROM games WHERE game = ?", (game,)).fetchone()
            connection.execute(
                "INSERT INTO games (game, pause, reason) VALUES (?1, ?2, ?3) "
                "ON CONFLICT (game) DO UPDATE SET pause = ?2, reason = ?3",
                (game, until, reason),
            )
            return found is None or found[0] != reason

    def resume(self, game: str) -> bool:
        with self._write() as connection:
            changed = connection.execute(
                "UPDATE games SET pause = 0, reason = '' WHERE game = ? AND reason <> ''", (game,)
            )
            return changed.rowcount > 0

    def stuck(self) -> Sequence[StuckGame]:
        return [
            StuckGame(*row)
            for row in self._rows(
                "SELECT game, reason, pause, (SELECT count(*) FROM work WHERE work.game = games.game "
                "AND state = 'waiting') FROM games INDEXED BY games_waiting "
                "WHERE oldest IS NOT NULL AND reason <> '' ORDER BY game"
            )
        ]

    # ---- games go on by themselves

    def falls_due(self, game: str, when: float | None, tip: str) -> None:
        with self._write() as connection:
            connection.execute(
                "INSERT INTO games (game, falls, tip) VALUES (?1, ?2, ?3) "
                "ON CONFLICT (game) DO UPDATE SET falls = ?2, tip = ?3",
                (game, when, tip),
            )

    def look_at(self, game: str, when: float) -> None:
        with self._write() as connection:
            connection.execute(
                "UPDATE games SET falls = min(falls, ?) WHERE game = ? AND falls IS NOT NULL", (when, game)
            )

    def has_clock(self, game: str) -> bool:
        return bool(self._rows("SELECT 1 FROM games WHERE game = ? AND falls IS NOT NULL", game))

    def tips(self) -> Mapping[str, str]:
        return dict(self._rows("SELECT game, tip FROM games WHERE tip <> ''"))

    # ---- letters go

    def put(self, letters: Sequence[ToSend], answering: Waiting | None = None) -> int:
        with self._write(lasting=True) as connection:
            if answering is not None:
                query = "SELECT count(*) FROM work WHERE letter = ? AND state = 'waiting'"
                (waiting,) = connection.execute(query, (answering.id,)).fetchone()
                answering.check(waiting)
            added = connection.executemany(
                "INSERT OR IGNORE INTO outbox (name, recipient, thread, urgency, state, since, due, content) "
                "VALUES (?, ?, ?, ?, 'waiting', ?, 0, ?)",
                [(each.name, each.to, each.thread, int(each.urgency), each.since, each.content) for each in letters],
            )
            return max(0, added.rowcount)

    def to_send(self, now: float, most: int) -> Sequence[ToSend]:
        return _to_send(
            self._rows(
                f"SELECT {_TO_SEND} FROM outbox INDEXED BY outbox_waiting WHERE state = 'waiting' "
                "AND (due <= ?1 OR due > ?1 + ?2) ORDER BY urgency, id LIMIT ?3",
                now,
                LONGEST_DELAY,
                most,
            )
        )

    def waiting_for(self, to: str, thread: str, urgency: Urgency) -> Sequence[ToSend]:
        return _to_send(
            self._rows(
                f"SELECT {_TO_SEND} FROM outbox INDEXED BY outbox_readers WHERE state = 'waiting' "
                "AND recipient = ? AND thread = ? AND urgency = ? ORDER BY id LIMIT 50",
                to,
                thread,
                int(urgency),
            )
        )

    def bundle(self, name: str, content: bytes, others: Iterable[str]) -> None:
        with self._write() as connection:
            connection.execute("UPDATE outbox SET content = ? WHERE name = ?", (content, name))
            for other in others:
                connection.execute(
                    "UPDATE outbox SET state = 'bundled', reason = ?, content = NULL WHERE name = ?", (name, other)
                )

    def sent(self, name: str, now: float) -> None:
        self._ended(name, "sent", now, "")

    def refused(self, name: str, now: float, reason: str) -> None:
        self._ended(name, "refused", now, reason)

    def _ended(self, name: str, state: str, now: float, reason: str) -> None:
        with self._write() as connection:
            connection.execute(
                "UPDATE outbox SET state = ?, ended = ?, reason = ?, content = NULL WHERE name = ?",
                (state, now, reason, name),
            )

    def later(self, name: str, until: float, reason: str) -> None:
        with self._write() as connection:
            connection.execute(
                "UPDATE outbox SET due = ?, reason = ?, tries = tries + 1 WHERE name = ?", (until, reason, name)
            )

    def written_to(self, address: str, since: float) -> Sequence[str]:
        rows = self._rows("SELECT name FROM outbox WHERE recipient = ? AND since > ?", address, since)
        return [name for (name,) in rows]

    def sent_between(self, start: float, end: float) -> int:
        rows = self._rows(
            "SELECT count(*) FROM outbox INDEXED BY outbox_sent WHERE state = 'sent' AND ended > ? AND ended <= ?",
            start,
            end,
        )
        return int(rows[0][0])

    # ---- the rest

    def counts(self) -> Counts:
        (row,) = self._rows(
            "SELECT (SELECT count(*) FROM work INDEXED BY work_waiting WHERE state = 'waiting'), "
            "(SELECT since FROM letters WHERE id = (SELECT min(oldest) FROM games WHERE oldest IS NOT NULL)), "
            "(SELECT count(*) FROM outbox INDEXED BY outbox_waiting WHERE state = 'waiting'), "
            "(SELECT count(*) FROM outbox WHERE state = 'refused'), "
            "(SELECT count(*) FROM seen WHERE letter IS NULL), "
            "(SELECT count(*) FROM letters WHERE content IS NULL)"
        )
        return Counts(*row)

    def note(self, key: str, value: str, now: float) -> None:
        with self._write() as connection:
            connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (key, value, now))

    def noted(self, key: str) -> tuple[str, float] | None:
        rows = self._rows("SELECT value, at FROM notes WHERE key = ?", key)
        return (rows[0][0], rows[0][1]) if rows else None

    def notes(self, prefix: str) -> Iterator[tuple[str, str, float]]:
        yield from self._rows(
            "SELECT key, value, at FROM notes WHERE substr(key, 1, ?) = ? ORDER BY key", len(prefix), prefix
        )

    def forget(self, key: str) -> None:
        with self._write() as connection:
            connection.execute("DELETE FROM notes WHERE key = ?", (key,))

    def close(self) -> None:
        for connection in self._all:
            connection.close()
        self._all.clear()
        self._own = local()

    # ---- what is kept elsewhere too

    def copy(self, file: Path) -> None:
        """Write a copy as of now to a new file, whatever other processes are doing."""
        with self._failing():
            self._connection.execute("VACUUM INTO ?", (str(file),))

    def add_letters_to_send_of(self, file: Path) -> None:
        """Add the letters to send of another file, and which of them were sent, to those here."""
        with self._failing():
            self._connection.execute("ATTACH ? AS other", (str(file),))
        try:
            with self._write() as connection:
                columns = "name, recipient, thread, urgency, state, since, due, tries, ended, reason, content"
                connection.execute(
                    f"INSERT OR REPLACE INTO outbox ({columns}) SELECT {columns} FROM other.outbox ORDER BY id"
                )
        finally:
            self._connection.execute("DETACH other")

    def damage(self) -> str | None:
        """Return what is wrong with the file; None: nothing is."""
        (row,) = self._rows("PRAGMA quick_check(1)")
        return None if row[0] == "ok" else str(row[0])


def _to_send(rows: Iterable[Any]) -> list[ToSend]:
    return [
        ToSend(name, to, content, Urgency(urgency), thread, tries, since)
        for name, to, content, urgency, thread, tries, since in rows
    ]


def _look_again(connection: sqlite3.Connection, game: str) -> None:
    """Note the oldest letter of a game that waits, and when the first of them is due."""
    found = connection.execute(
        "SELECT letter FROM work INDEXED BY work_waiting WHERE game = ? AND state = 'waiting' ORDER BY letter LIMIT 1",
        (game,),
    ).fetchone()
    due = connection.execute(
        "SELECT due FROM work INDEXED BY work_due WHERE game = ? AND state = 'waiting' ORDER BY due LIMIT 1", (game,)
    ).fetchone()
    connection.execute(
        "INSERT INTO games (game, oldest, due) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (game) DO UPDATE SET oldest = ?2, due = ?3",
        (game, found[0] if found else None, due[0] if due else 0.0),
    )
