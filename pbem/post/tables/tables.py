"""The tables of the post: letters in order of arrival, games that have letters waiting, letters to send.

Everything in them can be rebuilt from the games and the mailbox, except letters that wait to be sent. `SqliteTables`
(`pbem.post.tables.sqlite_tables`) keeps them in one file, `PostgresTables` (`pbem.post.tables.postgres_tables`) in a
database that several hosts share. All times are seconds since 1970. Nothing is put off for longer than `LONGEST_DELAY`:
a time that is further ahead means that the machine's clock has jumped back; it counts as past.

The life of a letter: `add` puts it in order, for one game or several. A worker takes the game that has waited longest
(`next_games`), its lock, and its letters in order (`next_letter`). When the game has committed it, it is `done`. When
all its games have, it is to be marked in the mailbox (`to_mark`, `marked`). A letter that waits for its sender to
confirm it is done here: it lies beside the repo of its game (`pbem.post.who.confirm`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

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


class Tables(ABC):
    """The tables. Every method is one transaction.

    When `put` returns, the letter lasts, also in a power cut. What else was changed may be lost in one: then a letter
    is taken in again, and recognized, or is sent again with the same Message-ID.
    """

    # ---- letters come

    @abstractmethod
    def known(self, source: str, uid: str) -> bool:
        """Tell whether a letter of a mailbox was looked at before."""

    @abstractmethod
    def passed(self, source: str, uid: str) -> None:
        """Note that a letter was looked at and is none of ours: nothing but that is kept of it."""

    @abstractmethod
    def add(self, source: str, uid: str, letter: NewLetter, due: Mapping[str, float]) -> bool:
        """Put a letter in order, not to be taken in before it is `due` in a game; False: it was there already.

        One of the same digest, from wherever, is the same letter. Raises OSError if the disk is full.
        """

    @abstractmethod
    def to_mark(self, holds: Callable[[str], bool]) -> Sequence[tuple[str, str]]:
        """Return source and uid of letters that are done and not marked so, of the sources that a mailbox `holds`."""

    @abstractmethod
    def marked(self, source: str, uid: str) -> None:
        """Note that a letter is marked as done in its mailbox."""

    @abstractmethod
    def last_slots(self, sender: str, most: int) -> Sequence[float]:
        """Return when the last letters of a sender came or are due, at most so many, the latest first."""

    @abstractmethod
    def slots_between(self, game: str, start: float, end: float) -> Sequence[float]:
        """Return when the letters of a game came or are due, in a time, in order."""

    # ---- letters are taken in

    @abstractmethod
    def next_games(self, now: float, most: int) -> Sequence[str]:
        """Return games with a letter that is due, the one whose oldest letter has waited longest first.

        Behind them come those in which something has fallen due by itself before the mailboxes were last looked
        through (`looked`).
        """

    @abstractmethod
    def next_letter(self, game: str, now: float) -> Waiting | None:
        """Return the oldest letter of a game that is due; None: none is. Call it with the game claimed."""

    @abstractmethod
    def first_waiting(self, game: str, besides: int = 0) -> float | None:
        """Return when the mailbox got the first of the letters of a game that wait, due or not; None: none waits.

        The letter `besides` is left out.
        """

    @abstractmethod
    def begun(self, letter: int) -> None:
        """Count that a letter is being taken in: `done` or `postpone` follow, or the worker has died over it."""

    @abstractmethod
    def done(self, letter: int, game: str) -> None:
        """Note that a game has a letter in its commits. After the last one nothing is kept of what it said."""

    @abstractmethod
    def postpone(self, game: str, until: float, reason: str) -> bool:
        """Let all letters of a game wait; return False if they do so for the same reason already."""

    @abstractmethod
    def resume(self, game: str) -> bool:
        """Let the letters of a game be taken in again; return False if they were not waiting for anything."""

    @abstractmethod
    def stuck(self) -> Sequence[StuckGame]:
        """Return the games whose letters were postponed."""

    # ---- games go on by themselves

    @abstractmethod
    def falls_due(self, game: str, when: float | None, tip: str) -> None:
        """Note when something falls due next in a game by itself (None: nothing does), as of a commit, its `tip`.

        `NEVER`: nothing does now, but the game has a clock.
        """

    @abstractmethod
    def look_at(self, game: str, when: float) -> None:
        """Let a game be looked at by a time, if it has a clock."""

    @abstractmethod
    def has_clock(self, game: str) -> bool:
        """Tell whether anything may fall due in a game by itself, as it was last noted."""

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

    @abstractmethod
    def tips(self) -> Mapping[str, str]:
        """Return the commits as of which it was noted what falls due in each game."""

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

    @abstractmethod
    def put(self, letters: Sequence[ToSend], answering: Waiting | None = None) -> int:
        """Keep letters to be sent, all of them or none, and return how many are new.

        One whose name is there or was sent is not kept again. Raises TakenIn if they answer a letter that is done in
        one of its games: who has done it has put everything here that was owed, and others may owe what came after.
        """

    @abstractmethod
    def to_send(self, now: float, most: int) -> Sequence[ToSend]:
        """Return letters that may be sent now: the urgent ones first, and then in order."""

    @abstractmethod
    def waiting_for(self, to: str, thread: str, urgency: Urgency) -> Sequence[ToSend]:
        """Return the letters of one thread and urgency that wait for one reader, in order."""

    @abstractmethod
    def bundle(self, name: str, content: bytes, others: Iterable[str]) -> None:
        """Put one letter in place of several: `name` has this content now, the others are not sent."""

    @abstractmethod
    def sent(self, name: str, now: float) -> None:
        """Note that a letter was accepted by a server. Its content is kept no longer."""

    @abstractmethod
    def later(self, name: str, until: float, reason: str) -> None:
        """Let a letter wait: a server has put it off."""

    @abstractmethod
    def refused(self, name: str, now: float, reason: str) -> None:
        """Note that a server will never take a letter."""

    @abstractmethod
    def written_to(self, address: str, since: float) -> Sequence[str]:
        """Return the names of the letters to an address that were put here after a time, sent or not."""

    @abstractmethod
    def sent_between(self, start: float, end: float) -> int:
        """Return how many letters were sent in a time."""

    # ---- the rest

    @abstractmethod
    def counts(self) -> Counts:
        """Return what lies here."""

    @abstractmethod
    def note(self, key: str, value: str, now: float) -> None:
        """Keep a word under a key: when the mailbox was last seen, whom a confirmation was asked of."""

    @abstractmethod
    def noted(self, key: str) -> tuple[str, float] | None:
        """Return a word and when it was noted; None: there is none."""

    @abstractmethod
    def notes(self, prefix: str) -> Iterator[tuple[str, str, float]]:
        """Yield the words whose keys begin alike: key, word and time."""

    @abstractmethod
    def forget(self, key: str) -> None:
        """Forget a word."""

    def damage(self) -> str | None:
        """Return what is wrong with what the tables lie in; None: nothing is, or it is not ours to look after."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Close the tables."""


def is_due(due: float, now: float) -> bool:
    """Tell whether a time has come; one that lies too far ahead comes of a clock that has jumped back."""
    return due <= now or due > now + LONGEST_DELAY
