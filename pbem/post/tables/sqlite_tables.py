"""The tables of the post in one SQLite file, in WAL mode: several processes read and write it at once.

Each thread has a connection of its own. What is looked for all the time is found by partial indexes, which hold only
what still waits: old letters and idle games cost nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from errno import EIO, ENOSPC
from pathlib import Path
from threading import local
from time import time
from typing import Final

from pbem.post.tables.tables import LONGEST_DELAY, Dialect, Run, TableRow, Tables, TablesDamaged

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


class SqliteTables(Tables):
    """The tables in a file, which is made if it is not there."""

    dialect = Dialect(
        no="0",
        yes="1",
        state="state",
        waiting="'waiting'",
        done="'done'",
        queued="oldest IS NOT NULL",
        falls="games",
        falls_at="falls",
        falls_and_pauses="games INDEXED BY games_due",
        names_indexes=True,
    )

    def __init__(self, file: Path, clock: Callable[[], float] = time) -> None:
        super().__init__(clock)
        self.file = file
        self._own = local()
        self._all: list[sqlite3.Connection] = []
        if not file.exists():
            file.touch(mode=0o600)  # letters lie in it, and the keys in them
        with self._transaction() as run:
            [(version,)] = run("PRAGMA user_version").fetchall()
            if version in (0, 1):
                for statement in filter(str.strip, f"{SCHEMA if version == 0 else ''}{MORE}".split(";")):
                    run(statement)
                run(f"PRAGMA user_version = {VERSION}")
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
    def _transaction(self, *, lasting: bool = False) -> Iterator[Run]:
        with self._failing():
            connection = self._connection
            connection.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'NORMAL'}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield lambda statement, *values: connection.execute(statement, values)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _rows(self, query: str, *values: object) -> list[TableRow]:
        with self._failing():
            return self._connection.execute(query, values).fetchall()

    def _games_with_letters(self, now: float, most: int) -> list[TableRow]:
        late = now + LONGEST_DELAY
        return self._rows(
            "SELECT game FROM games INDEXED BY games_waiting WHERE oldest IS NOT NULL "
            "AND (due <= ? OR due > ?) AND (pause <= ? OR pause > ?) ORDER BY oldest LIMIT ?",
            *(now, late, now, late, most),
        )

    def _note_queue(self, run: Run, game: str) -> None:
        """Note the oldest letter of a game that waits, and when the first of them is due."""
        waiting = "WHERE game = ? AND state = 'waiting'"
        oldest = run(f"SELECT letter FROM work INDEXED BY work_waiting {waiting} ORDER BY letter LIMIT 1", game)
        due = run(f"SELECT due FROM work INDEXED BY work_due {waiting} ORDER BY due LIMIT 1", game)
        run(
            "INSERT INTO games (game, oldest, due) VALUES (?, ?, ?) "
            "ON CONFLICT (game) DO UPDATE SET oldest = excluded.oldest, due = excluded.due",
            *(game, *(oldest.fetchone() or (None,)), *(due.fetchone() or (0.0,))),
        )

    def close(self) -> None:
        for connection in self._all:
            connection.close()
        self._all.clear()
        self._own = local()

    def copy(self, file: Path) -> None:
        """Write a copy as of now to a new file, whatever other processes are doing."""
        self._rows("VACUUM INTO ?", str(file))

    def add_letters_to_send_of(self, file: Path) -> None:
        """Add the letters to send of another file, and which of them were sent, to those here."""
        self._rows("ATTACH ? AS other", str(file))
        try:
            columns = "name, recipient, thread, urgency, state, since, due, tries, ended, reason, content"
            self._change(f"INSERT OR REPLACE INTO outbox ({columns}) SELECT {columns} FROM other.outbox ORDER BY id")
        finally:
            self._connection.execute("DETACH other")

    def damage(self) -> str | None:
        [(found,)] = self._rows("PRAGMA quick_check(1)")
        return None if found == "ok" else str(found)
