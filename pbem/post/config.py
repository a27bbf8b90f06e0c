"""The config of the post: `pbem.yaml`, read once into the settings (`pbem.post.settings`).

It is YAML of the kind that the games are written in. All faults in it are reported at once, each with line and column.
It holds no secrets: it names a variable of the environment, or a file that only its owner reads. Paths are relative to
the folder of the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import parse_qs, urlsplit

from pbem.game import yaml as yamlio
from pbem.game.schema_check import misfits
from pbem.mail.address import mailbox
from pbem.paths import games_folder, keys_folder
from pbem.post.settings import (
    BadConfig,
    ImapIn,
    In,
    Limits,
    MaildirIn,
    MaildirOut,
    Out,
    PostConfig,
    Rates,
    Secret,
    SendmailOut,
    SmtpOut,
    StdinIn,
    Tls,
    WhoConfig,
)
from pbem.protocol import Path as Place

FILE: Final = "pbem.yaml"
_SCHEMA: Final = Path(__file__).parent / "schemas" / "pbem.yaml"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
"""The hosts to which a password may go without TLS: no wire lies in between."""


def find(named: Path | None = None) -> Path:
    """Return the file of the config: the one that is named, or `PBEM_CONFIG`, or `pbem.yaml` where we stand."""
    return named or Path(os.environ.get("PBEM_CONFIG") or FILE)


def load(file: Path) -> PostConfig:
    """Read a config. Raises BadConfig with every fault in it."""
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        raise BadConfig(
            f"{file}: there is no such file; `pbem post --setup` makes one, and --config names another"
        ) from None
    return parse(text, file)


def parse(text: bytes | str, file: Path) -> PostConfig:
    """Return the config that a text holds; `file` is what it is called, and its paths are relative to its folder."""
    try:
        document = yamlio.read(text, name=str(file))
    except yamlio.Unreadable as wrong:
        raise BadConfig(str(wrong)) from None
    found = list(_misfits(document)) or list(_contradictions(document.value, file))
    if found:
        placed = sorted((_mark(document, at, key), reason) for at, reason, key in found)
        raise BadConfig("\n".join(f"{file}:{line}:{column}: {reason}" for (line, column), reason in placed))
    return _Reader(document.value, file.resolve().parent).config(file)


def _mark(document: yamlio.Document, at: Place, key: bool) -> tuple[int, int]:
    mark = document.mark(at, key=True) if key else document.nearest(at)
    return mark.line, mark.column


@cache
def _schema() -> Any:
    return yamlio.read(_SCHEMA.read_bytes(), name=_SCHEMA.name).value


def _misfits(document: yamlio.Document) -> Iterator[tuple[Place, str, bool]]:
    """Yield what does not fit the schema. What a password is given as is never repeated: it may be the password."""
    for at, reason, key in misfits(document.value, _schema()):
        if "password" in at:
            why = "a password does not stand in this file; write {env: NAME} or {file: FILE}, a file of mode 0600"
            yield at[: at.index("password") + 1], why, False
        else:
            yield at, reason, key


def _contradictions(value: Any, file: Path) -> Iterator[tuple[Place, str, bool]]:
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


PORTS: Final[Mapping[int, Literal["implicit", "starttls"]]] = {
    143: "starttls",
    993: "implicit",
    465: "implicit",
    587: "starttls",
    25: "starttls",
}
"""The ports of mail servers, and how connections to them are encrypted."""


def _tls(server: Mapping[str, Any], default: Literal["implicit", "starttls"], folder: Path = Path()) -> Tls:
    said = server.get("tls", {})
    said = {"kind": said} if isinstance(said, str) else said
    ca = folder / Path(said["ca"]).expanduser() if "ca" in said else None
    return Tls(said.get("kind") or PORTS.get(server.get("port", 0), default), ca)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes the config of a value that fits the schema."""

    value: Mapping[str, Any]
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
            limits=Limits(**value.get("limits", {})),
            workers=value.get("workers"),
            tables=self._path(value.get("tables")),
            database=value.get("database"),
            backup=self._path(value.get("backup")),
        )

    def _sources(self, said: Mapping[str, Any]) -> Iterator[In]:
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

    def _out(self, said: Mapping[str, Any]) -> Out:
        if "smtp" in said:
            smtp = said["smtp"]
            tls = _tls(smtp, "implicit", self.folder)
            port = smtp.get("port", 587 if tls.kind == "starttls" else 465)
            secret = self._secret(smtp["password"]) if "password" in smtp else None
            return SmtpOut(smtp["host"], port, tls, smtp.get("user"), secret, smtp.get("timeout", 60))
        if "sendmail" in said:
            return SendmailOut(tuple(said["sendmail"].get("command", ())))
        return MaildirOut(self.folder / Path(said["maildir"]["folder"]).expanduser())

    def _who(self, said: Mapping[str, Any]) -> WhoConfig:
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
