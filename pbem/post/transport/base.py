"""Sources and senders: what every way in and every way out of letters can do, and how each logs in.

A `Source` is a mailbox that letters arrive in: IMAP, a maildir, or standard input. A `Sender` hands letters on: SMTP
submission, the system's `sendmail`, or a maildir. Both are used by one thread of one process; each connects when it
is first asked for something, and again after `Unreachable`.

Errors are few, and each says what the caller does:

    Unreachable     the server cannot be reached, or broke off: try again later, with pauses that grow
      LoginRefused  it answers, but refuses user or password: the same, with long pauses, and tell the game master
      Withheld      it will not give this one letter: the same for a while, then go on without it
    Gone            this one letter is no longer in the mailbox: forget it

A password or a certificate that is missing here is `Unreachable`, too: a person has to mend it. The server is not asked
until they have, so it does no harm to try often, and the post goes on soon after.
"""

from __future__ import annotations

import ssl
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeAlias

from pbem.post.settings import BadConfig, Secret, Tls
from pbem.protocol import PbemError

CONNECT_TIMEOUT: Final = 20
"""Seconds to connect to a server."""


class Unreachable(PbemError):
    """A server does not answer, or broke off. Nothing is lost: whatever was asked for can be asked for again."""


class LoginRefused(Unreachable):
    """A server refuses the user or the password. A person has to see to it, and many attempts may lock an account."""


class Withheld(Unreachable):
    """A server gives other letters, but not this one: it is damaged there, or the server has a bug."""


class Gone(PbemError):
    """A letter is no longer in the mailbox: its owner has moved or deleted it."""


class Arrived(NamedTuple):
    """A letter in a mailbox, before anything of it is read."""

    source: str
    """The mailbox and folder, and with IMAP its UIDVALIDITY; a changed UIDVALIDITY makes it another source."""
    uid: str
    """What the letter is known by in its source. It never changes there, and no other letter gets it."""
    size: int
    """The bytes of it, as the mailbox says (RFC822.SIZE, the file's size)."""
    at: datetime
    """When the mailbox got it, in UTC: INTERNALDATE, the time of the file, or now on standard input."""


class Source(ABC):
    """A mailbox that letters arrive in.

    All methods but `close` may raise Unreachable. The next call connects again.
    """

    name: str
    """What it is called in messages, such as `imap.example.org:993` or a folder. No error repeats it."""

    @abstractmethod
    def holds(self, source: str) -> bool:
        """Tell whether a letter of a source is one of this mailbox, also of an earlier UIDVALIDITY."""

    @abstractmethod
    def new(self, known: Callable[[str, str], bool]) -> Iterator[Arrived]:
        """Yield the letters that are not known yet, in the order in which they arrived.

        `known(source, uid)` tells whether a letter was taken in or passed over before. Whether it is marked as read
        does not matter: telephones do that. What the caller does not note as known is yielded again next time.
        """

    @abstractmethod
    def head(self, letter: Arrived) -> bytes:
        """Return the headers of a letter, with the empty line that ends them, and leave it unread.

        Raises Gone, Withheld.
        """

    @abstractmethod
    def fetch(self, letter: Arrived) -> bytes:
        """Return a letter, and leave it unread. Raises Gone, Withheld."""

    @abstractmethod
    def done(self, letter: Arrived) -> None:
        """Mark a letter as read, or move it to the folder for letters that are done, if the config names one.

        To be called after the commit that takes the letter in. If the letter is gone, that is no error.
        """

    @abstractmethod
    def wait(self, seconds: float) -> bool:
        """Wait until something has come, at most some seconds; return whether something has. Either may be wrong."""

    @abstractmethod
    def close(self) -> None:
        """Take leave of the server, if it is connected. Never raises."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Accepted:
    """The letter is handed on; who has it now is responsible for it."""


@dataclass(frozen=True, slots=True)
class Later:
    """The letter may be handed on later (4xx), or was, and the answer did not come: send it again, unchanged."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The letter will never be handed on to this address (5xx)."""

    reason: str


Delivery: TypeAlias = Accepted | Later | Refused


class Sender(ABC):
    """A way out for letters."""

    name: str
    """What it is called in messages, such as `smtp.example.org:465` or a folder. No error repeats it."""

    @abstractmethod
    def check(self) -> None:
        """Connect and log in, where there is something to connect to; send nothing. Raises Unreachable."""

    @abstractmethod
    def send(self, to: str, letter: bytes) -> Delivery:
        """Hand on one letter to one address, and return what came of it.

        A connection that breaks after the letter was given is `Later`: the letter may arrive twice, with the same
        Message-ID. Raises Unreachable for what concerns every letter: no connection, no login, a sender address that
        the server does not let us use.
        """

    @abstractmethod
    def close(self) -> None:
        """Take leave of the server, if it is connected. Never raises."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def password(secret: Secret) -> str:
    """Return a password as it stands now in the environment or its file. Raises Unreachable."""
    try:
        return secret.read()
    except BadConfig as wrong:
        raise Unreachable(str(wrong)) from None


def context(tls: Tls) -> ssl.SSLContext:
    """Return how certificates are checked: as the system does, and by the file that the config names.

    Raises Unreachable if that holds no certificates.
    """
    made = ssl.create_default_context()
    if tls.ca is not None:
        try:
            made.load_verify_locations(tls.ca)
        except OSError as wrong:  # also ssl.SSLError
            raise Unreachable(f"{tls.ca} should hold certificates (tls: ca): {wrong.strerror or wrong}") from None
    return made
