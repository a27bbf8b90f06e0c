"""The tables of the post: letters in order of arrival, games that have letters waiting, letters to send.

Everything in them can be rebuilt from the games and the mailbox, except letters that wait to be sent. `SqliteTables`
(`pbem.post.tables.sqlite_tables`) keeps them in one file, `PostgresTables` (`pbem.post.tables.postgres_tables`) in a
database that several hosts share. The statements stand here, once for both; a `Dialect` says where they differ.

All times are seconds since 1970. Nothing is put off for longer than `LONGEST_DELAY`: a time that is further ahead means
that the machine's clock has jumped back; it counts as past.

The life of a letter: `add` puts it in order, for one game or several. A worker takes the game that has waited longest
(`next_games`), its lock, and its letters in order (`next_letter`). When the game has committed it, it is `done`. When
all its games have, it is to be marked in the mailbox (`to_mark`, `marked`). A letter that waits for its sender to
confirm it is done here: it lies beside the repo of its game (`pbem.post.who.mailbox_notes`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import IntEnum
from time import time
from typing import Any, ClassVar, Final, NamedTuple, Protocol, TypeAlias

from pbem.protocol import PbemError

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
LONGEST_DELAY: Final = 8 * DAY
"""Seconds: nothing is put off for longer than this."""
NO_GAME: Final = ""
"""What stands for the game of letters that are about none: they are answered in order, too."""
_MOST_DOWN: Final = 90 * DAY
"""Seconds after which a span in which nobody looked is forgotten."""
LEAST_DOWN: Final = 600.0
"""The shortest span, in seconds, that is noted if nobody looked into the mailboxes."""
_LOOKED: Final = "looked"
_DOWN: Final = "unlooked "
_HANDED: Final = "handed "
NEVER: Final = 1e15
"""A time that never comes."""
TableRow: TypeAlias = tuple[Any, ...]


class Urgency(IntEnum):
    """How soon a letter is to be sent: the lower, the sooner."""

    ASKED = 0
    """It asks its reader something: it has an order sheet to fill in."""
    ANSWER = 1
    """It answers a letter."""
    NEWS = 2
    """It tells what has happened."""


@dataclass(frozen=True, slots=True)
class NewLetter:
    """A letter of the mailbox that is to be taken in."""

    digest: str
    """SHA-256 of its bytes, by which it is known wherever it is found again."""
    sender: str
    """The bare address that it is from; empty: that is not clear."""
    at: float
    """When the mailbox got it."""
    content: bytes
    """Its bytes; of one that is too large to be fetched, its headers."""
    games: Sequence[str]
    """The games whose queues it stands in: all that it may be about; none: `NO_GAME`."""
    by: str = ""
    """What told that it is ours: token, thread, address, sheet; or that it is a bounce, or too large."""
    size: int = 0
    """How many bytes it has in the mailbox."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A letter that waits to be taken in."""

    id: int
    """Its place in the order of arrival."""
    digest: str
    sender: str
    at: float
    content: bytes
    games: Sequence[str]
    """The games that have yet to take it in."""
    by: str
    size: int
    tries: int
    """How often it was begun before: more than none if a worker has died over it."""

    def check(self, waiting: int) -> None:
        """Check in how many games it waits. Raises TakenIn if it is done in some meanwhile."""
        if waiting < len(self.games):
            raise TakenIn(f"letter {self.digest[:12]} was taken in by another worker meanwhile")


class StuckGame(NamedTuple):
    """A game whose letters wait: why, until when at least, and how many there are."""

    game: str
    reason: str
    until: float
    letters: int


@dataclass(frozen=True, slots=True)
class ToSend:
    """A letter that is to be sent."""

    name: str
    """By which it is known; the same in each try."""
    to: str
    content: bytes
    urgency: Urgency
    thread: str
    """What it belongs to, its List-Id: news of one thread may be bundled. Empty: nothing."""
    tries: int
    since: float
    """When it was put here."""


class Counts(NamedTuple):
    """What lies in the tables."""

    waiting: int
    """Letters that are to be taken in."""
    oldest: float | None
    """When the oldest letter that waits was put here; None: none waits."""
    to_send: int
    refused: int
    """Letters that a server has refused for good."""
    passed: int
    """Letters in the mailbox that are none of ours."""
    taken: int
    """Letters that were taken in."""


class TablesDamaged(PbemError):
    """What the tables lie in is not what it must be."""


class TakenIn(PbemError):
    """A letter was taken in by another worker meanwhile: this one was asleep, and its work is thrown away."""


class Ran(Protocol):
    """What came of a statement."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""

    def fetchone(self) -> TableRow | None:
        """Return the next row; None: there is none."""

    def fetchall(self) -> list[TableRow]:
        """Return the rows that are left."""


class Run(Protocol):
    """Runs a statement with `?` for each of its values."""

    def __call__(self, statement: str, /, *values: object) -> Ran: ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """Where the statements and the schema of one kind of database differ from those of another."""

    no: str
    yes: str
    state: str
    """The column of `work` that says whether a letter waits for a game, and its two values."""
    waiting: str
    done: str
    queued: str
    """What is true of a row of `games` for which a letter waits."""
    falls: str
    """The table of what falls due in games by themselves, the column with the time, and it with the pause of each."""
    falls_at: str
    falls_and_pauses: str
    names_indexes: bool
    """Whether a statement names the index by which it is to find rows."""
    for_update: str = ""
    """What locks a row that was read, where a transaction alone does not keep all other writers away."""
    for_share: str = ""

    @property
    def waits(self) -> str:
        """What is true of a row of `work` that waits."""
        return f"{self.state} = {self.waiting}"

    def by(self, index: str) -> str:
        """Return what names an index behind its table."""
        return f" INDEXED BY {index}" if self.names_indexes else ""


class Tables(ABC):
    """The tables. Every method is one transaction.

    When `put` returns, the letter lasts, also in a power cut. What else was changed may be lost in one: then a letter
    is taken in again, and recognized, or is sent again with the same Message-ID.
    """

    dialect: ClassVar[Dialect]

    def __init__(self, clock: Callable[[], float] = time) -> None:
        """`clock` returns the time."""
        self._clock = clock

    @abstractmethod
    def _transaction(self, *, lasting: bool = False) -> AbstractContextManager[Run]:
        """Begin a transaction: all of it or nothing. One that is `lasting` waits for the disk.

        What breaks is an error of the environment, as with any file: OSError, or TablesDamaged.
        """

    @abstractmethod
    def _rows(self, query: str, *values: object) -> list[TableRow]:
        """Return what a query finds."""

    def _change(self, statement: str, *values: object) -> int:
        """Change rows, and return how many there were."""
        with self._transaction() as run:
            return run(statement, *values).rowcount

    # ---- letters come

    def known(self, source: str, uid: str) -> bool:
        """Tell whether a letter of a mailbox was looked at before."""
        return bool(self._rows("SELECT 1 FROM seen WHERE source = ? AND uid = ?", source, uid))

    def passed(self, source: str, uid: str) -> None:
        """Note that a letter was looked at and is none of ours: nothing but that is kept of it."""
        marked = f"INSERT INTO seen (source, uid, marked) VALUES (?, ?, {self.dialect.yes}) ON CONFLICT DO NOTHING"
        self._change(marked, source, uid)

    def add(self, source: str, uid: str, letter: NewLetter, due: Mapping[str, float]) -> bool:
        """Put a letter in order, not to be taken in before it is `due` in a game; False: it was there already.

        One of the same digest, from wherever, is the same letter. Raises OSError if the disk is full.
        """
        now = self._clock()
        with self._transaction() as run:
            added = run(
                "INSERT INTO letters (digest, sender, at, since, content, by, size) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                *(letter.digest, letter.sender, letter.at, now, letter.content, letter.by, letter.size),
            ).rowcount
            [(id,)] = run("SELECT id FROM letters WHERE digest = ?", letter.digest).fetchall()
            for game in (letter.games or (NO_GAME,)) if added else ():
                when = due.get(game, 0.0)
                row = id, game, letter.sender, when, max(now, when)
                run(f"INSERT INTO work VALUES (?, ?, ?, {self.dialect.waiting}, ?, ?)", *row)
                self._note_queue(run, game)
            run("INSERT INTO seen (source, uid, letter) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", source, uid, id)
            return bool(added)

    def to_mark(self, holds: Callable[[str], bool]) -> Sequence[tuple[str, str]]:
        """Return source and uid of letters that are done and not marked so, of the sources that a mailbox `holds`."""
        done = (
            f"FROM seen{self.dialect.by('seen_unmarked')} JOIN letters ON letters.id = letter "
            f"WHERE marked = {self.dialect.no} AND letter IS NOT NULL AND content IS NULL"
        )
        sources = [source for (source,) in self._rows(f"SELECT DISTINCT source {done}") if holds(source)]
        query = f"SELECT source, uid {done} AND source = ? ORDER BY letter LIMIT 500"
        return [(source, uid) for each in sources for source, uid in self._rows(query, each)]

    def marked(self, source: str, uid: str) -> None:
        """Note that a letter is marked as done in its mailbox."""
        self._change(f"UPDATE seen SET marked = {self.dialect.yes} WHERE source = ? AND uid = ?", source, uid)

    def last_slots(self, sender: str, most: int) -> Sequence[float]:
        """Return when the last letters of a sender came or are due, at most so many, the latest first."""
        query = "SELECT slot FROM work WHERE sender = ? GROUP BY slot, letter ORDER BY slot DESC LIMIT ?"
        return [slot for (slot,) in self._rows(query, sender, most)]

    def slots_between(self, game: str, start: float, end: float) -> Sequence[float]:
        """Return when the letters of a game came or are due, in a time, in order."""
        query = "SELECT slot FROM work WHERE game = ? AND slot > ? AND slot <= ? ORDER BY slot"
        return [slot for (slot,) in self._rows(query, game, start, end)]

    # ---- letters are taken in

    def next_games(self, now: float, most: int) -> Sequence[str]:
        """Return games with a letter that is due, the one whose oldest letter has waited longest first.

        Behind them come those in which something has fallen due by itself before the mailboxes were last looked
        through (`looked`).
        """
        due = self._rows(
            f"SELECT game FROM {self.dialect.falls_and_pauses} "
            f"WHERE {self.dialect.falls_at} IS NOT NULL AND {self.dialect.falls_at} <= ? "
            f"AND (pause IS NULL OR pause <= ? OR pause > ?) ORDER BY {self.dialect.falls_at} LIMIT ?",
            *(self.looked(), now, now + LONGEST_DELAY, most),
        )
        return list(dict.fromkeys(game for (game,) in [*self._games_with_letters(now, most), *due]))[:most]

    @abstractmethod
    def _games_with_letters(self, now: float, most: int) -> list[TableRow]:
        """Return the games with a letter that is due, as rows, in the order in which they are to be taken."""

    def next_letter(self, game: str, now: float) -> Waiting | None:
        """Return the oldest letter of a game that is due; None: none is. Call it with the game claimed."""
        with self._transaction() as run:
            found = run(
                "SELECT id, digest, letters.sender, at, content, by, size, tries "
                f"FROM work{self.dialect.by('work_waiting')} JOIN letters ON letters.id = letter "
                f"WHERE game = ? AND {self.dialect.waits} AND (due <= ? OR due > ?) ORDER BY letter LIMIT 1",
                *(game, now, now + LONGEST_DELAY),
            ).fetchone()
            if found is None:
                self._note_queue(run, game)
                return None
            id, digest, sender, at, content, by, size, tries = found
            games = run(f"SELECT game FROM work WHERE letter = ? AND {self.dialect.waits} ORDER BY game", id)
            return Waiting(id, digest, sender, at, content, [each for (each,) in games.fetchall()], by, size, tries)

    @abstractmethod
    def _note_queue(self, run: Run, game: str) -> None:
        """Note what waits for a game, where the tables keep that beside the letters."""

    def first_waiting(self, game: str, besides: int = 0) -> float | None:
        """Return when the mailbox got the first of the letters of a game that wait, due or not; None: none waits.

        The letter `besides` is left out.
        """
        [(first,)] = self._rows(
            f"SELECT min(at) FROM work{self.dialect.by('work_waiting')} JOIN letters ON letters.id = letter "
            f"WHERE game = ? AND {self.dialect.waits} AND letter <> ?",
            *(game, besides),
        )
        return None if first is None else float(first)

    def begun(self, letter: int) -> None:
        """Count that a letter is being taken in: `done` or `postpone` follow, or the worker has died over it."""
        self._change("UPDATE letters SET tries = tries + 1 WHERE id = ?", letter)

    def done(self, letter: int, game: str) -> None:
        """Note that a game has a letter in its commits. After the last one nothing is kept of what it said."""
        with self._transaction() as run:
            run(f"SELECT 1 FROM letters WHERE id = ?{self.dialect.for_update}", letter)  # one game after the other
            done = f"{self.dialect.state} = {self.dialect.done}"
            run(f"UPDATE work SET {done} WHERE letter = ? AND game = ?", letter, game)
            run(
                "UPDATE letters SET content = NULL WHERE id = ? "
                f"AND NOT EXISTS (SELECT 1 FROM work WHERE letter = id AND {self.dialect.waits})",
                letter,
            )
            run("UPDATE games SET pause = 0, reason = '' WHERE game = ?", game)
            self._note_queue(run, game)

    def postpone(self, game: str, until: float, reason: str) -> bool:
        """Let all letters of a game wait; return False if they do so for the same reason already."""
        reason = storable_text(reason)
        with self._transaction() as run:
            found = run(f"SELECT reason FROM games WHERE game = ?{self.dialect.for_update}", game).fetchone()
            run(
                "INSERT INTO games (game, pause, reason) VALUES (?, ?, ?) "
                "ON CONFLICT (game) DO UPDATE SET pause = excluded.pause, reason = excluded.reason",
                *(game, until, reason),
            )
            return found is None or found[0] != reason

    def resume(self, game: str) -> bool:
        """Let the letters of a game be taken in again; return False if they were not waiting for anything."""
        return self._change("UPDATE games SET pause = 0, reason = '' WHERE game = ? AND reason <> ''", game) > 0

    def stuck(self) -> Sequence[StuckGame]:
        """Return the games whose letters were postponed."""
        rows = self._rows(
            "SELECT game, reason, pause, "
            f"(SELECT count(*) FROM work WHERE work.game = games.game AND {self.dialect.waits}) "
            f"FROM games{self.dialect.by('games_waiting')} WHERE {self.dialect.queued} AND reason <> '' ORDER BY game"
        )
        return [StuckGame(*row) for row in rows]

    # ---- games go on by themselves

    def falls_due(self, game: str, when: float | None, tip: str) -> None:
        """Note when something falls due next in a game by itself (None: nothing does), as of a commit, its `tip`.

        `NEVER`: nothing does now, but the game has a clock.
        """
        at = self.dialect.falls_at
        self._change(
            f"INSERT INTO {self.dialect.falls} (game, {at}, tip) VALUES (?, ?, ?) "
            f"ON CONFLICT (game) DO UPDATE SET {at} = excluded.{at}, tip = excluded.tip",
            *(game, when, tip),
        )

    def look_at(self, game: str, when: float) -> None:
        """Let a game be looked at by a time, if it has a clock."""
        at = self.dialect.falls_at
        self._change(f"UPDATE {self.dialect.falls} SET {at} = ? WHERE game = ? AND {at} > ?", when, game, when)

    def has_clock(self, game: str) -> bool:
        """Tell whether anything may fall due in a game by itself, as it was last noted."""
        at = self.dialect.falls_at
        return bool(self._rows(f"SELECT 1 FROM {self.dialect.falls} WHERE game = ? AND {at} IS NOT NULL", game))

    def note_handed(self, game: str, side: str, at: float) -> None:
        """Note that a letter was sent which asks a side something."""
        self.note(f"{_HANDED}{game} {side}", "", at)
        self.look_at(game, at)

    def handed(self, game: str) -> Mapping[str, float]:
        """Return when letters were sent that ask sides of a game something, by side, since `forget_handed`."""
        prefix = f"{_HANDED}{game} "
        return {key.removeprefix(prefix): at for key, _, at in self.notes(prefix)}

    def forget_handed(self, game: str, sides: Mapping[str, float]) -> None:
        """Forget when letters were sent, unless another one was since."""
        for side, at in sides.items():
            key = f"{_HANDED}{game} {side}"
            if (noted := self.noted(key)) is not None and noted[1] == at:
                self.forget(key)

    def tips(self) -> Mapping[str, str]:
        """Return the commits as of which it was noted what falls due in each game."""
        return dict(self._rows(f"SELECT game, tip FROM {self.dialect.falls} WHERE tip <> ''"))

    def looked(self) -> float:
        """Return the time up to which the tables have all letters of the mailboxes; 0: that is not known."""
        noted = self.noted(_LOOKED)
        return 0.0 if noted is None else float(noted[0])

    def note_looked(self, until: float, now: float) -> None:
        """Note that the tables have all letters up to a time, and for how long nobody had looked before."""
        self.note_silence(until, now)
        if until > self.looked():
            self.note(_LOOKED, f"{until:.3f}", now)

    def note_silence(self, until: float, now: float) -> None:
        """Note for how long nobody has looked, if that is long; call it before the letters since then are put here."""
        before = self.looked()
        if before and until - before >= LEAST_DOWN:
            self.note(f"{_DOWN}{before:.0f}", f"{until:.0f}", now)
            for since, end in self.downs():
                if end < until - _MOST_DOWN:
                    self.forget(f"{_DOWN}{since:.0f}")

    def downs(self) -> Sequence[tuple[float, float]]:
        """Return the long spans in which nobody looked into the mailboxes, in order."""
        return sorted((float(key.removeprefix(_DOWN)), float(until)) for key, until, _ in self.notes(_DOWN))

    # ---- letters go

    def put(self, letters: Sequence[ToSend], answering: Waiting | None = None) -> int:
        """Keep letters to be sent, all of them or none, and return how many are new.

        One whose name is there or was sent is not kept again. Raises TakenIn if they answer a letter that is done in
        one of its games: who has done it has put everything here that was owed, and others may owe what came after.
        """
        with self._transaction(lasting=True) as run:
            if answering is not None:
                run(f"SELECT 1 FROM letters WHERE id = ?{self.dialect.for_share}", answering.id)  # not while it ends
                waiting = f"SELECT count(*) FROM work WHERE letter = ? AND {self.dialect.waits}"
                answering.check(*run(waiting, answering.id).fetchone() or (0,))
            new = (
                "INSERT INTO outbox (name, recipient, thread, urgency, state, since, due, content) "
                "VALUES (?, ?, ?, ?, 'waiting', ?, 0, ?) ON CONFLICT DO NOTHING"
            )
            rows = [(each.name, each.to, each.thread, int(each.urgency), each.since, each.content) for each in letters]
            return sum(run(new, *row).rowcount for row in rows)

    def to_send(self, now: float, most: int) -> Sequence[ToSend]:
        """Return letters that may be sent now: the urgent ones first, and then in order."""
        wanted = "(due <= ? OR due > ?) ORDER BY urgency, id LIMIT ?"
        return self._letters_to_send("outbox_waiting", wanted, now, now + LONGEST_DELAY, most)

    def waiting_for(self, to: str, thread: str, urgency: Urgency) -> Sequence[ToSend]:
        """Return the letters of one thread and urgency that wait for one reader, in order."""
        wanted = "recipient = ? AND thread = ? AND urgency = ? ORDER BY id LIMIT 50"
        return self._letters_to_send("outbox_readers", wanted, to, thread, int(urgency))

    def _letters_to_send(self, index: str, wanted: str, *values: object) -> list[ToSend]:
        rows = self._rows(
            f"SELECT name, recipient, content, urgency, thread, tries, since FROM outbox{self.dialect.by(index)} "
            f"WHERE state = 'waiting' AND {wanted}",
            *values,
        )
        return [ToSend(name, to, content, Urgency(urgency), *others) for name, to, content, urgency, *others in rows]

    def bundle(self, name: str, content: bytes, others: Iterable[str]) -> None:
        """Put one letter in place of several: `name` has this content now, the others are not sent."""
        with self._transaction() as run:
            run("UPDATE outbox SET content = ? WHERE name = ?", content, name)
            for other in others:
                run("UPDATE outbox SET state = 'bundled', reason = ?, content = NULL WHERE name = ?", name, other)

    def sent(self, name: str, now: float) -> None:
        """Note that a letter was accepted by a server. Its content is kept no longer."""
        self._end_sending(name, "sent", now, "")

    def refused(self, name: str, now: float, reason: str) -> None:
        """Note that a server will never take a letter."""
        self._end_sending(name, "refused", now, reason)

    def _end_sending(self, name: str, state: str, now: float, reason: str) -> None:
        ended = "UPDATE outbox SET state = ?, ended = ?, reason = ?, content = NULL WHERE name = ?"
        self._change(ended, state, now, reason, name)

    def later(self, name: str, until: float, reason: str) -> None:
        """Let a letter wait: a server has put it off."""
        self._change("UPDATE outbox SET due = ?, reason = ?, tries = tries + 1 WHERE name = ?", until, reason, name)

    def written_to(self, address: str, since: float) -> Sequence[str]:
        """Return the names of the letters to an address that were put here after a time, sent or not."""
        rows = self._rows("SELECT name FROM outbox WHERE recipient = ? AND since > ?", address, since)
        return [name for (name,) in rows]

    def sent_between(self, start: float, end: float) -> int:
        """Return how many letters were sent in a time."""
        sent = f"FROM outbox{self.dialect.by('outbox_sent')} WHERE state = 'sent' AND ended > ? AND ended <= ?"
        [(count,)] = self._rows(f"SELECT count(*) {sent}", start, end)
        return int(count)

    # ---- the rest

    def counts(self) -> Counts:
        """Return what lies here."""
        waiting = f"FROM work{self.dialect.by('work_waiting')} WHERE {self.dialect.waits}"
        [row] = self._rows(
            f"SELECT (SELECT count(*) {waiting}), "
            f"(SELECT since FROM letters WHERE id = (SELECT min(letter) {waiting})), "
            f"(SELECT count(*) FROM outbox{self.dialect.by('outbox_waiting')} WHERE state = 'waiting'), "
            "(SELECT count(*) FROM outbox WHERE state = 'refused'), "
            "(SELECT count(*) FROM seen WHERE letter IS NULL), "
            "(SELECT count(*) FROM letters WHERE content IS NULL)"
        )
        return Counts(*row)

    def note(self, key: str, value: str, now: float) -> None:
        """Keep a word under a key: when the mailbox was last seen, whom a confirmation was asked of."""
        self._change(
            "INSERT INTO notes VALUES (?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value, at = excluded.at",
            *(key, value, now),
        )

    def noted(self, key: str) -> tuple[str, float] | None:
        """Return a word and when it was noted; None: there is none."""
        rows = self._rows("SELECT value, at FROM notes WHERE key = ?", key)
        return (rows[0][0], rows[0][1]) if rows else None

    def notes(self, prefix: str) -> Iterator[tuple[str, str, float]]:
        """Yield the words whose keys begin alike: key, word and time."""
        query = "SELECT key, value, at FROM notes WHERE substr(key, 1, ?) = ? ORDER BY key"
        yield from ((key, value, at) for key, value, at in self._rows(query, len(prefix), prefix))

    def forget(self, key: str) -> None:
        """Forget a word."""
        self._change("DELETE FROM notes WHERE key = ?", key)

    def damage(self) -> str | None:
        """Return what is wrong with what the tables lie in; None: nothing is, or it is not ours to look after."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Close the tables."""


def storable_text(text: str) -> str:
    """Return a text that every database can hold: without zero bytes and halves of characters."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def is_due(due: float, now: float) -> bool:
    """Tell whether a time has come; one that lies too far ahead comes of a clock that has jumped back."""
    return due <= now or due > now + LONGEST_DELAY
