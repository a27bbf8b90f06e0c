"""The schema of the tables of the post in a SQLite file."""

from __future__ import annotations

from typing import Final

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
