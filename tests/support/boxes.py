"""A mailbox and a way out in memory, for the tests of the post."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pbem.post.transport.base import Accepted, Arrived, Delivery, Gone, Sender, Source, Unreachable

ARRIVED = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@dataclass
class Box(Source):
    """A mailbox in memory. It notes what was fetched and what was marked."""

    name: str = "box"
    letters: dict[str, tuple[bytes, datetime, int]] = field(default_factory=dict)
    validity: int = 1
    fetched: list[str] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    wrong: str = ""

    def put(self, content: bytes, at: datetime = ARRIVED, size: int = 0) -> str:
        uid = str(len(self.letters) + 1)
        self.letters[uid] = content, at, size or len(content)
        return uid

    @property
    def source(self) -> str:
        return f"{self.name}/{self.validity}"

    def holds(self, source: str) -> bool:
        return source.partition("/")[0] == self.name

    def new(self, known: Callable[[str, str], bool]) -> Iterator[Arrived]:
        self._reach()
        for uid, (_, at, size) in list(self.letters.items()):
            if not known(self.source, uid):
                yield Arrived(self.source, uid, size, at)

    def head(self, letter: Arrived) -> bytes:
        self._reach()
        return self._content(letter).partition(b"\n\n")[0] + b"\n\n"

    def fetch(self, letter: Arrived) -> bytes:
        self._reach()
        self.fetched.append(letter.uid)
        return self._content(letter)

    def done(self, letter: Arrived) -> None:
        self._reach()
        self.marked.append(letter.uid)

    def wait(self, seconds: float) -> bool:
        return False

    def close(self) -> None:
        pass

    def _content(self, letter: Arrived) -> bytes:
        if letter.uid not in self.letters:
            raise Gone(letter.uid)
        return self.letters[letter.uid][0]

    def _reach(self) -> None:
        if self.wrong:
            raise Unreachable(self.wrong)


@dataclass
class Way(Sender):
    """A way out in memory: notes what it was given, and answers as it is told to."""

    name: str = "way"
    answers: dict[str, Sequence[Delivery]] = field(default_factory=dict)
    """Address -> the answers to the letters to it, the last one to all that follow; else they are accepted."""
    given: list[tuple[str, bytes]] = field(default_factory=list)
    wrong: str = ""

    def check(self) -> None:
        self._reach()

    def send(self, to: str, letter: bytes) -> Delivery:
        self._reach()
        self.given.append((to, letter))
        answers = self.answers.get(to, [Accepted()])
        self.answers[to] = answers[1:] or answers
        return answers[0]

    def close(self) -> None:
        pass

    def _reach(self) -> None:
        if self.wrong:
            raise Unreachable(self.wrong)
