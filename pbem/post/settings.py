"""The config of the post: `pbem.yaml`, read once into frozen dataclasses.

It is YAML of the kind that the games are written in. All faults in it are reported at once, each with line and column.
It holds no secrets: it names a variable of the environment, or a file that only its owner reads. Paths are relative to
the folder of the file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qs, urlsplit

from pbem.game import yaml as yamlio
from pbem.game.boxes.box_file import misfits
from pbem.mail.notes.address import mailbox
from pbem.mail.notes.outboxes import Outbox
from pbem.mail.write.outgoing import MailSettings
from pbem.paths import TABLES, cache_folder, games_folder, keys_folder
from pbem.protocol import Path as Place
from pbem.protocol import PbemError, Record
from pbem.repo.git import KeptRepos

ProofName: TypeAlias = Literal["token", "provider", "dkim", "signature", "address"]
"""What may prove who wrote a letter that comes from the address on file.

A token of ours; the word of the provider (`Authentication-Results`); a DKIM signature that is checked here; an SSH
signature of the sheet; or nothing more than the address.
"""
_SCHEMA: Final = Path(__file__).parent / "schemas" / "pbem.yaml"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""The hosts to which a password may go without TLS: no wire lies in between."""
PORTS: Final[Mapping[int, Literal["implicit", "starttls"]]] = {
    143: "starttls",
    993: "implicit",
    465: "implicit",
    587: "starttls",
    25: "starttls",
}
"""The ports of mail servers, and how connections to them are encrypted."""


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
class IntakeLimits:
    """What is taken in at most: bytes of a letter, letters of one sender and for one game."""

    letter_bytes: int = 10_000_000
    sender_per_hour: int = 60
    game_per_hour: int = 300


@dataclass(frozen=True, slots=True)
class WhoConfig:
    """How it is known who wrote a letter: any one of the proofs is enough."""

    proofs: tuple[ProofName, ...] = ("token", "provider", "signature")
    authentication_results: tuple[str, ...] = ()
    """The hosts whose `Authentication-Results` are believed: those of the own provider."""
    plus: bool = False
    """Whether the provider delivers `user+TOKEN@` to `user@`, as `pbem post --setup` has seen."""
    games: Mapping[str, tuple[ProofName, ...]] = field(default_factory=dict)

    def of(self, game: str) -> tuple[ProofName, ...]:
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
    limits: IntakeLimits = IntakeLimits()
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


def load_config(file: Path) -> PostConfig:
    """Read a config. Raises BadConfig with every fault in it."""
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        raise BadConfig(
            f"{file}: there is no such file; `pbem post --setup` makes one, and --config names another"
        ) from None
    return parse_config(text, file)


def parse_config(text: bytes | str, file: Path) -> PostConfig:
    """Return the config that a text holds; `file` is what it is called, and its paths are relative to its folder."""
    try:
        document = yamlio.read(text, name=str(file))
    except yamlio.Unreadable as wrong:
        raise BadConfig(str(wrong)) from None
    found = list(_config_misfits(document)) or list(_contradictions(document.value, file))
    if found:
        placed = sorted((_place_of(document, at, key), reason) for at, reason, key in found)
        raise BadConfig("\n".join(f"{file}:{line}:{column}: {reason}" for (line, column), reason in placed))
    return _ConfigReader(document.value, file.resolve().parent).config(file)


def _place_of(document: yamlio.Document, at: Place, key: bool) -> tuple[int, int]:
    mark = document.mark(at, key=True) if key else document.nearest(at)
    return mark.line, mark.column


@cache
def _config_schema() -> Record:
    schema: Record = yamlio.read(_SCHEMA.read_bytes(), name=_SCHEMA.name).value
    return schema


def _config_misfits(document: yamlio.Document) -> Iterator[tuple[Place, str, bool]]:
    """Yield what does not fit the schema. What a password is given as is never repeated: it may be the password."""
    for at, reason, key in misfits(document.value, _config_schema()):
        if "password" in at:
            why = "a password does not stand in this file; write {env: NAME} or {file: FILE}, a file of mode 0600"
            yield at[: at.index("password") + 1], why, False
        else:
            yield at, reason, key


def _contradictions(value: Record, file: Path) -> Iterator[tuple[Place, str, bool]]:
    """Yield what no schema can say."""
    for key in ("from", "game_master"):
        if key in value and mailbox(value[key]) is None:
            yield (key,), f"{key} is not a mail address, such as Punic Wars <pbem@example.org>", False
    if "since" in value["in"].get("imap", {}):
        try:
            date.fromisoformat(value["in"]["imap"]["since"])
        except ValueError:
            yield ("in", "imap", "since"), "there is no such day", False
    if "database" in value:
        url = urlsplit(value["database"])
        if url.password is not None or "password" in parse_qs(url.query):
            why = "a password does not stand in this file; PostgreSQL looks for it in ~/.pgpass and in PGPASSWORD"
            yield ("database",), why, False
        if "tables" in value:
            yield ("tables",), "the tables lie in the database or in a file; leave out one of the two", True
    if value["in"] == {"stdin": False}:
        yield ("in",), "letters have no way in", False
    for way, kind in (("in", "imap"), ("out", "smtp")):
        server = value[way].get(kind, {})
        if not server or server["host"] in LOOPBACK or "user" not in server:
            continue
        if _tls(server, "implicit").kind == "none":
            yield (way, kind, "tls"), f"without TLS the password could be read on the way to {server['host']}", False


def _tls(server: Record, default: Literal["implicit", "starttls"], folder: Path = Path()) -> Tls:
    said = server.get("tls", {})
    said = {"kind": said} if isinstance(said, str) else said
    ca = folder / Path(said["ca"]).expanduser() if "ca" in said else None
    return Tls(said.get("kind") or PORTS.get(server.get("port", 0), default), ca)


@dataclass(frozen=True, slots=True)
class _ConfigReader:
    """Makes the config of a value that fits the schema."""

    value: Record
    folder: Path

    def config(self, file: Path) -> PostConfig:
        value = self.value
        sender = mailbox(value["from"])
        assert sender is not None
        master = mailbox(value.get("game_master", value["from"]))
        assert master is not None
        return PostConfig(
            file=file,
            sender=value["from"],
            sources=tuple(self._sources(value["in"])),
            out=self._out(value["out"]),
            games=self._path(value.get("games")) or games_folder(),
            keys=self._path(value.get("keys")) or keys_folder(),
            game_master=master.address,
            boxes=tuple(self.folder / Path(each).expanduser() for each in value.get("rules", ())),
            rates=Rates(**value.get("send", {})),
            who=self._who(value.get("who", {})),
            limits=IntakeLimits(**value.get("limits", {})),
            workers=value.get("workers"),
            tables=self._path(value.get("tables")),
            database=value.get("database"),
            backup=self._path(value.get("backup")),
        )

    def _sources(self, said: Record) -> Iterator[In]:
        if "imap" in said:
            imap = said["imap"]
            tls = _tls(imap, "implicit", self.folder)
            since = date.fromisoformat(imap["since"]) if "since" in imap else None
            yield ImapIn(
                imap["host"],
                imap.get("port", 143 if tls.kind == "starttls" else 993),
                imap["user"],
                self._secret(imap["password"]),
                tls,
                imap.get("folder", "INBOX"),
                imap.get("done"),
                since,
                imap.get("timeout", 60),
            )
        if "maildir" in said:
            yield MaildirIn(
                self.folder / Path(said["maildir"]["folder"]).expanduser(), self._path(said["maildir"].get("done"))
            )
        if said.get("stdin"):
            yield StdinIn()

    def _out(self, said: Record) -> Out:
        if "smtp" in said:
            smtp = said["smtp"]
            tls = _tls(smtp, "implicit", self.folder)
            port = smtp.get("port", 587 if tls.kind == "starttls" else 465)
            secret = self._secret(smtp["password"]) if "password" in smtp else None
            return SmtpOut(smtp["host"], port, tls, smtp.get("user"), secret, smtp.get("timeout", 60))
        if "sendmail" in said:
            return SendmailOut(tuple(said["sendmail"].get("command", ())))
        return MaildirOut(self.folder / Path(said["maildir"]["folder"]).expanduser())

    def _who(self, said: Record) -> WhoConfig:
        usual = WhoConfig()
        return WhoConfig(
            tuple(said.get("proofs", usual.proofs)),
            tuple(host.lower() for host in said.get("authentication_results", ())),
            said.get("plus", False),
            {game: tuple(each["proofs"]) for game, each in said.get("games", {}).items()},
        )

    def _secret(self, said: Mapping[str, str]) -> Secret:
        return Secret(said.get("env"), self._path(said.get("file")))

    def _path(self, said: str | None) -> Path | None:
        return None if said is None else self.folder / Path(said).expanduser()
