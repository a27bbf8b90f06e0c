"""The talk of the players: what they say and show to each other, from its coming until it is on record.

It goes on record in at most two sealed files of fixed room, written together with the next adjudication, or earlier if
the room is full: `sealed/press.age` holds what is opened when the game is over, `sealed/unopened.age` what never is.
A clone shows that somebody talked, and nothing else. Each version holds what was said since the one before it.

Until then it is kept in a journal, beside the repo and not in its history. Each talk is written there, whole or not at
all, before its letters are; and it stays until it is on record and its letters lie in the outbox. The numbers in the
sealed files tell what is on record, so that a crash between the two neither loses a talk nor records it twice. The
journal also knows the letters that talk came in: one that is taken in again says nothing again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from pbem.atomic import sync_folder
from pbem.crypto.seal import recipient_of, seal, unseal
from pbem.game import plain
from pbem.game.order_form import compact
from pbem.protocol import Record, Side
from pbem.repo.files.charter import Charter
from pbem.repo.files.layout import PRESS, UNOPENED, Store, press_room
from pbem.repo.files.note_store import Note

NOTE: Final = "pbem.talk"
"""The name of the journal beside a game's repo."""
_HEAD: Final = 64
"""The most bytes that a sealed file takes beside its talk."""


@dataclass(slots=True)
class Talk:
    """What one side says or shows to others. `number` counts the talk of the file that keeps it."""

    number: int
    day: str
    after: int
    """The last adjudication when it was said."""
    side: Side
    to: list[Side]
    letter: str
    """The digest by which it is known if its letter comes again."""
    text: str = ""
    unsigned: bool = False
    """Whether its readers are not told who says it."""
    shows: str = ""
    """What the side shows, as it named it; empty: it only talks."""
    event: dict[str, Any] | None = None
    """What the rules say is shown: kind, facts and rule of an event."""


@dataclass(slots=True)
class _Entry:
    talk: Talk
    sent: bool = False
    """Whether its letters lie in the outbox."""


@dataclass(slots=True)
class _Journal:
    entries: list[_Entry] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    """The number of the last talk of each sealed file."""
    day: str = ""
    said: dict[Side, int] = field(default_factory=dict)
    """How often each side has talked that day."""
    known: list[str] = field(default_factory=list)
    """The digests of all letters with talk."""

    def add(self, talk: Talk, path: str, *, sent: bool) -> None:
        """Put a talk in."""
        if talk.day > self.day:
            self.day, self.said = talk.day, {}
        self.said[talk.side] = self.said.get(talk.side, 0) + (talk.day == self.day)
        self.numbers[path] = max(talk.number, self.numbers.get(path, 0))
        self.known.append(talk.letter)
        self.entries.append(_Entry(talk, sent))


class JournalFile(Protocol):
    """The file that keeps a journal."""

    def read(self) -> bytes | None:
        """Return what was written last; None: nothing was."""

    def write(self, content: bytes) -> None:
        """Write the journal: all of it or nothing."""


class SealedJournal:
    """A journal beside the repo of a game, sealed to a key that is never revealed."""

    def __init__(self, repo: Path, office: str) -> None:
        self._repo = repo
        self._note = Note(
            NOTE,
            parse=lambda raw: unseal(office, NOTE, raw),
            render=lambda content: seal([recipient_of(office)], NOTE, content or b""),
            empty=None,
            damaged=None,
        )

    def read(self) -> bytes | None:
        """Return what was written last. Raises CannotOpen if that was altered."""
        return self._note.read(self._repo)

    def write(self, content: bytes) -> None:
        """Write the journal so that it survives a crash."""
        self._note.write(self._repo, content, lasting=False)
        sync_folder(self._repo)


class OpenJournal:
    """The journal of a game that is derived again, in memory."""

    def __init__(self) -> None:
        self.content: bytes | None = b"{}"

    def read(self) -> bytes | None:
        """Return what was written last."""
        return self.content

    def write(self, content: bytes) -> None:
        """Keep the journal."""
        self.content = content


class TalkFiles(Protocol):
    """The part of a ledger that keeps talk."""

    charter: Charter
    journal: JournalFile
    repo: Store

    def talk_on_record(self, path: str, at: str | None = None) -> Record | None:
        """Return what one of the sealed files holds, now or as of a commit; None: it is not there."""

    def seal_talk(self, path: str, content: bytes, room: int) -> bytes:
        """Return the sealed file."""

    def heard_files(self, side: Side, heard: Sequence[Record], room: int) -> dict[str, bytes]:
        """Return the file of what a side said and heard; nothing if the side gave no key."""


class TalkBook:
    """The talk of one game. Change it with the game's lock held."""

    def __init__(self, ledger: TalkFiles) -> None:
        self._ledger = ledger
        self.due = False
        """Whether the files are written with the next commit, also if nothing waits for that."""

    @property
    def _charter(self) -> Charter:
        return self._ledger.charter

    @property
    def paths(self) -> tuple[str, ...]:
        """The sealed files that this game has as soon as somebody has talked."""
        return talk_paths(self._charter)

    def path_of(self, talk: Talk) -> str:
        """Return the file that keeps a talk: what is shown is always opened, what is unsigned never."""
        opened = talk.event is not None or (self._charter.press_opened and not talk.unsigned)
        return PRESS if opened else UNOPENED

    # ---- reading

    def knows(self, letter: str) -> bool:
        """Tell whether the talk of a letter has come before."""
        return letter in self._journal().known

    def day(self, today: str) -> str:
        """Return the day on which something is said: it never goes back."""
        return max(today, self._journal().day)

    def said(self, side: Side, day: str) -> int:
        """Return how often a side has talked on a day."""
        journal = self._journal()
        return journal.said.get(side, 0) if journal.day == day else 0

    def next_number(self, talk: Talk) -> int:
        """Return the number that a talk gets."""
        path = self.path_of(talk)
        return max(self._journal().numbers.get(path, 0), self._last(path)) + 1

    def unsent(self) -> list[Talk]:
        """Return the talk whose letters may not lie in the outbox yet."""
        return [each.talk for each in self._journal().entries if not each.sent]

    def all(self) -> list[Talk]:
        """Return everything that was ever said, file by file."""
        waiting = [each.talk for each in self._journal().entries]
        return [
            talk
            for path in self.paths
            for talk in _once([*self._recorded(path), *(each for each in waiting if self.path_of(each) == path)])
        ]

    def is_full(self, talk: Talk) -> bool:
        """Tell whether a talk finds no room beside what waits to be recorded."""
        path = self.path_of(talk)
        waiting = [*self._waiting(self._journal(), path), talk]
        return len(compact([plain.encode(each) for each in waiting])) + _HEAD > self._room

    # ---- writing

    def add(self, talk: Talk) -> None:
        """Keep a talk until it is on record and its letters are written."""
        journal = self._journal()
        journal.add(talk, self.path_of(talk), sent=False)
        self._keep(journal)

    def note_sent(self, letters: Iterable[str]) -> None:
        """Note that the letters of some talk, given by its digests, lie in the outbox."""
        if not (done := set(letters)):
            return
        journal = self._journal()
        for entry in journal.entries:
            entry.sent = entry.sent or entry.talk.letter in done
        self._keep(journal)

    def files(self) -> dict[str, bytes]:
        """Return the files with what waits to be recorded, and what each side heard of it; nothing if nothing waits."""
        if not self.paths:
            return {}
        journal = self._journal()
        waiting = {path: self._waiting(journal, path) for path in self.paths}
        if not (self.due or any(waiting.values())):
            return {}
        files = {path: self._file(path, talk) for path, talk in waiting.items()}
        said = [each.talk for each in journal.entries if each.talk in waiting[self.path_of(each.talk)]]
        room = len(self.paths) * self._room
        for side in self._charter.players:
            files |= self._ledger.heard_files(side, heard_by(side, said), room)
        return files

    def _file(self, path: str, waiting: list[Talk]) -> bytes:
        last = waiting[-1].number if waiting else self._last(path)
        content = compact({"last": last, "talk": [plain.encode(each) for each in waiting]})
        return self._ledger.seal_talk(path, content, self._room)

    # ---- within

    @property
    def _room(self) -> int:
        return press_room(len(self._charter.players))

    def _last(self, path: str) -> int:
        """Return the number of the last talk that is on record in a file."""
        found = self._ledger.talk_on_record(path)
        return 0 if found is None else int(found["last"])

    def _waiting(self, journal: _Journal, path: str) -> list[Talk]:
        last = self._last(path)
        return [each.talk for each in journal.entries if self.path_of(each.talk) == path and each.talk.number > last]

    def _recorded(self, path: str) -> list[Talk]:
        """Return the talk of all versions of a file, the oldest first."""
        versions = (self._ledger.talk_on_record(path, commit.sha) for commit in self._ledger.repo.history())
        found = {talk["number"]: talk for version in versions if version for talk in version["talk"]}
        return [plain.decode(Talk, found[number]) for number in sorted(found)]

    def _journal(self) -> _Journal:
        content = self._ledger.journal.read()
        if content is not None:
            return plain.decode(_Journal, json.loads(content))
        journal = _Journal()  # a copy of the repo has none: what is on record tells what has come
        for path in self.paths:
            if self._ledger.talk_on_record(path) is not None:
                for talk in self._recorded(path):
                    journal.add(talk, path, sent=True)
        journal.entries = []
        return journal

    def _keep(self, journal: _Journal) -> None:
        """Write the journal, without what is done with."""
        last = {path: self._last(path) for path in self.paths}
        journal.entries = [
            each for each in journal.entries if not each.sent or each.talk.number > last[self.path_of(each.talk)]
        ]
        self._ledger.journal.write(compact(plain.encode(journal)))


def talk_paths(charter: Charter) -> tuple[str, ...]:
    """Return the sealed files of talk that a game can have; none where its charter allows no talk."""
    if not charter.talks:
        return ()
    return (PRESS, UNOPENED) if charter.press_unsigned or not charter.press_opened else (PRESS,)


def heard_by(side: Side, talk: Iterable[Talk]) -> list[Record]:
    """Return what a side has said and heard of some talk, as plain data.

    Of what is unsigned it is not told who else has heard it, either: whoever has not would be the one who said it.
    """
    return [
        {
            "day": each.day,
            **({"to": [side]} if each.unsigned and each.side != side else {"from": each.side, "to": list(each.to)}),
            **({"text": each.text} if each.event is None else {"shows": each.event}),
        }
        for each in talk
        if side == each.side or side in each.to
    ]


def _once(talk: Iterable[Talk]) -> list[Talk]:
    found = {each.number: each for each in talk}
    return [found[number] for number in sorted(found)]
