"""The settings of the post: what its config `pbem.yaml` says, in frozen dataclasses (`pbem.post.config` reads it)."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pbem.mail.address import mailbox
from pbem.mail.outboxes import Outbox
from pbem.mail.outgoing import MailSettings
from pbem.paths import cache_folder
from pbem.protocol import PbemError
from pbem.repo.git.kept import KeptRepos

TABLES: Final = "post.sqlite"
"""The file of the tables, in the folder of the games."""


class BadConfig(PbemError):
    """The config cannot be read, or says what cannot be. Lists every fault, with its place."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a password is: in a variable of the environment, or in a file that only its owner can read."""

    env: str | None = None
    file: Path | None = None

    def read(self) -> str:
        """Return the password. Raises BadConfig if it is not there, or others could read it."""
        if self.env is not None:
            found = os.environ.get(self.env, "")
            if not found:
                raise BadConfig(
                    f"the password is expected in the variable {self.env} of the environment; it is not set"
                )
            return found
        assert self.file is not None
        try:
            with self.file.open("rb") as file:
                open_to = stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077
                text = file.read(10_000).decode("utf-8").strip("\r\n")
        except (OSError, UnicodeDecodeError) as wrong:
            raise BadConfig(f"the password is expected in {self.file}: {getattr(wrong, 'strerror', wrong)}") from None
        if open_to:
            raise BadConfig(f"{self.file} holds a password, and others may read it; give: chmod 600 {self.file}")
        if not text or "\n" in text:
            raise BadConfig(f"{self.file} must hold one line, the password")
        return text


@dataclass(frozen=True, slots=True)
class Tls:
    """How a connection is encrypted, and whose certificates are believed besides those of the system (`ca`)."""

    kind: Literal["implicit", "starttls", "none"]
    ca: Path | None = None


@dataclass(frozen=True, slots=True)
class ImapIn:
    """A mailbox that is read by IMAP."""

    host: str
    port: int
    user: str
    password: Secret
    tls: Tls
    folder: str = "INBOX"
    done: str | None = None
    """The folder that letters are moved to when they are done; None: they are marked as read."""
    since: date | None = None
    """Letters that the mailbox got before this day are not looked at."""
    timeout: float = 60
    """Seconds without a sign of life after which the connection is given up."""


@dataclass(frozen=True, slots=True)
class MaildirIn:
    """A maildir that letters arrive in."""

    folder: Path
    done: Path | None = None
    """The maildir that letters are moved to when they are done; None: they are marked as read."""


@dataclass(frozen=True, slots=True)
class StdinIn:
    """Standard input: one letter."""


@dataclass(frozen=True, slots=True)
class SmtpOut:
    """A server that letters are submitted to."""

    host: str
    port: int
    tls: Tls
    user: str | None = None
    password: Secret | None = None
    timeout: float = 60


@dataclass(frozen=True, slots=True)
class SendmailOut:
    """A command that takes a letter on standard input and the address as its last argument; by default `sendmail`."""

    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MaildirOut:
    """A maildir that letters are put into; something else sends them."""

    folder: Path


In: TypeAlias = ImapIn | MaildirIn | StdinIn
Out: TypeAlias = SmtpOut | SendmailOut | MaildirOut


@dataclass(frozen=True, slots=True)
class Rates:
    """How many letters may leave, by what providers allow."""

    per_hour: int = 60
    per_day: int = 400


@dataclass(frozen=True, slots=True)
class Limits:
    """What is taken in at most: bytes of a letter, letters of one sender and for one game."""

    letter_bytes: int = 10_000_000
    sender_per_hour: int = 60
    game_per_hour: int = 300


Proof: TypeAlias = Literal["token", "provider", "dkim", "signature", "address"]
"""What may prove who wrote a letter that comes from the address on file.

A token of ours; the word of the provider (`Authentication-Results`); a DKIM signature that is checked here; an SSH
signature of the sheet; or nothing more than the address.
"""


@dataclass(frozen=True, slots=True)
class WhoConfig:
    """How it is known who wrote a letter: any one of the proofs is enough."""

    proofs: tuple[Proof, ...] = ("token", "provider", "signature")
    authentication_results: tuple[str, ...] = ()
    """The hosts whose `Authentication-Results` are believed: those of the own provider."""
    plus: bool = False
    """Whether the provider delivers `user+TOKEN@` to `user@`, as `pbem post --setup` has seen."""
    games: Mapping[str, tuple[Proof, ...]] = field(default_factory=dict)

    def of(self, game: str) -> tuple[Proof, ...]:
        """Return the proofs that are enough in a game."""
        return self.games.get(game, self.proofs)

    def must_sign(self, game: str) -> bool:
        """Tell whether a signature is the only proof that is enough in a game."""
        return self.of(game) == ("signature",)


@dataclass(frozen=True, slots=True)
class PostConfig:
    """Everything that `pbem.yaml` says, with the defaults for what it does not say."""

    file: Path
    sender: str
    """The address that letters come from, as `Punic Wars <pbem@example.org>`."""
    sources: tuple[In, ...]
    out: Out
    games: Path
    keys: Path
    game_master: str
    """The address that reports of bounces go to, without a name; by default that of `sender`."""
    boxes: tuple[Path, ...] = ()
    rates: Rates = Rates()
    who: WhoConfig = WhoConfig()
    limits: Limits = Limits()
    workers: int | None = None
    """How many workers; None: one for each core."""
    tables: Path | None = None
    """The file of the tables; None: `post.sqlite` in the folder of the games."""
    database: str | None = None
    """The URL of a PostgreSQL database that the tables are in, for services on several hosts; None: in the file."""
    backup: Path | None = None
    """The folder of the backups, whose age `pbem doctor` looks at; None: there are none."""

    @property
    def address(self) -> str:
        """The bare address that letters come from."""
        found = mailbox(self.sender)
        assert found is not None
        return found.address

    @property
    def tables_file(self) -> Path:
        """The file of the tables."""
        return self.tables or self.games / TABLES

    def mail_settings(
        self, now: datetime, outbox: Outbox | None = None, repos: KeptRepos | None = None
    ) -> MailSettings:
        """Return the settings for one round of mail; `repos` keeps what is read of games between the rounds."""
        return MailSettings(
            self.games,
            self.keys,
            self.sender,
            now,
            self.boxes,
            cache_folder() / "drawings",
            outbox,
            plus=self.who.plus,
            must_sign=self.who.must_sign,
            repos=repos,
        )
