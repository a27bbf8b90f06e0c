"""A mail host for the tests: a real Postfix and a real Dovecot on loopback, as children of the test.

Nothing below /etc or /var is read or written, and no letter can leave the machine: all domains but those of the host
are refused. The servers run in the foreground and may be killed and started again at any time. The paths of their
sockets are short, since those of a Unix socket have to be.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import smtplib
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Final, TypeVar

from imapclient import IMAPClient

CONF: Final = Path(__file__).parent / "conf"
HOST: Final = "mail.pbem.test"
"""What the server calls itself in `Authentication-Results`."""
USERS: Final = ("referee", "ann", "bob", "full")
"""The accounts, all `@pbem.test` and with the password `secret-NAME`. The box of `full` has a quota of one byte."""
_PORTS: Final = ("MX", "SUBMISSION", "SUBMISSIONS", "PLAIN", "LMTP", "IMAP", "IMAPS", "AUTH")
_PORT_RANGE: Final = range(10_000, 32_000)
_START: Final = 60
"""Seconds that a server may take to start, on a machine that has other work."""
_MAIL_UID: Final = 5000
_DEATH_SIGNAL: Final = 1

T = TypeVar("T")


def missing() -> str:
    """Return in one line why there can be no mail host here; empty if there can."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "the tests with real mail servers need root (make real)"
    programs = ("dovecot", "postfix", "swaks", "neomutt", "openssl", "script")
    lacking = [name for name in programs if shutil.which(name) is None]
    if lacking:
        return f"the tests with real mail servers need {', '.join(lacking)} (make real)"
    version = subprocess.run(["dovecot", "--version"], capture_output=True, text=True, check=True).stdout
    if not version.startswith("2.3."):
        return f"the tests with real mail servers know the config of Dovecot 2.3, not {version.split()[0]}"
    return ""


def soon(ask: Callable[[], T], limit: float = 20) -> T:
    """Return what a question answers as soon as it is true; fail if it is not within some seconds."""
    until = time.monotonic() + limit
    while True:
        found = ask()
        if found or time.monotonic() > until:
            assert found, f"not within {limit} s"
            return found
        time.sleep(0.05)


def free_ports(count: int) -> list[int]:
    """Return ports of loopback that nobody listens on.

    They lie below those that systems give to outgoing connections, of which one could take the port of a server that
    is started again.
    """
    found: list[int] = []
    for port in Random().sample(_PORT_RANGE, len(_PORT_RANGE)):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            break
    return found


def _ends_with_the_test() -> None:
    """Let a child end when the process that started it does, however that one ends."""
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGTERM)


def answers(port: int) -> bool:
    """Tell whether somebody listens on a port of loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass
class MailHost:
    """A Postfix and a Dovecot with accounts of their own.

    `providing` lets it say who submitted a letter, and throw away what others say in its name, as providers do.
    """

    providing: bool = True
    folder: Path = field(init=False)
    ports: dict[str, int] = field(init=False)
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mh", dir="/tmp"))
        self.ports = dict(zip(_PORTS, free_ports(len(_PORTS)), strict=True))
        self._configure()
        self.start_dovecot()
        self.start_postfix()

    # ------------------------------------------------------------------------------------------ the servers

    def _configure(self) -> None:
        here = self.folder
        here.chmod(0o755)
        for name in ("postfix", "queue", "data", "log", "mail", "pipe", "run"):
            (here / name).mkdir()
        shutil.chown(here / "data", "postfix")
        os.chown(here / "mail", _MAIL_UID, _MAIL_UID)
        shutil.chown(here / "pipe", "nobody")
        names = "subjectAltName=DNS:localhost,DNS:mail.pbem.test,IP:127.0.0.1"
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
                *("-days", "30", "-subj", "/CN=localhost", "-addext", names),
                *("-keyout", here / "key.pem", "-out", self.certificate),
            ],
            check=True,
            capture_output=True,
        )
        (here / "key.pem").chmod(0o600)
        users = here / "users"
        users.write_text(
            "".join(
                f"{user}@pbem.test:{{PLAIN}}secret-{user}:{_MAIL_UID}:{_MAIL_UID}::{here}/mail/{user}::"
                f"{'userdb_quota_rule=*:bytes=1' if user == 'full' else ''}\n"
                for user in USERS
            )
        )
        shutil.chown(users, "root", "dovecot")
        users.chmod(0o640)
        # A header that says who submitted a letter, as a provider writes it about letters of its own customers.
        mark = secrets.token_hex(8)
        says = f"Authentication-Results: {HOST} (own {mark}); spf=pass smtp.mailfrom=$1@pbem.test"
        (here / "senders").write_text(f"/^(.*)@pbem\\.test$/ PREPEND {says}\n" if self.providing else "")
        others = f"if !/own {mark}/\n/^Authentication-Results:.*{HOST}/ IGNORE\nendif\n"
        (here / "headers").write_text(others if self.providing else "")
        values = {
            "DIR": str(here),
            "SENDERS": f"check_sender_access,regexp:{here}/senders",
            "BOXES": ", ".join(f"{{ {user}@pbem.test = x }}" for user in (*USERS, "pipe")),
            **{name: str(port) for name, port in self.ports.items()},
        }
        for file, folder in (("main.cf", "postfix"), ("master.cf", "postfix"), ("dovecot.conf", "")):
            text = (CONF / file).read_text()
            for name, value in values.items():
                text = text.replace(f"@{name}@", value)
            (here / folder / file).write_text(text)
        self.set_pipe("exit 75")
        subprocess.run(["postfix", "-c", here / "postfix", "check"], check=True, capture_output=True)

    def set_pipe(self, script: str) -> None:
        """Say what is run for letters to pipe+TOKEN@pbem.test: a shell script that gets the letter, as nobody."""
        file = self.folder / "pipe.sh"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def start_dovecot(self) -> None:
        """Start Dovecot and wait until a login is possible."""
        self._start(
            "dovecot", ["dovecot", "-F", "-c", str(self.folder / "dovecot.conf")], ("LMTP", "IMAP", "IMAPS", "AUTH")
        )
        soon(self._can_log_in, _START)

    def start_postfix(self) -> None:
        """Start Postfix and wait until its ports answer."""
        master = ["/usr/lib/postfix/sbin/master", "-c", str(self.folder / "postfix"), "-d"]
        self._start("postfix", master, ("MX", "SUBMISSION", "SUBMISSIONS", "PLAIN"))

    def _start(self, name: str, command: list[str], ports: tuple[str, ...]) -> None:
        soon(lambda: not any(answers(self.ports[port]) for port in ports), _START)
        with (self.folder / "log" / f"{name}.out").open("ab") as out:
            self._running[name] = subprocess.Popen(
                command, start_new_session=True, stdout=out, stderr=out, preexec_fn=_ends_with_the_test
            )
        soon(lambda: all(answers(self.ports[port]) for port in ports), _START)

    def kill(self, name: str) -> None:
        """Kill a server with all its processes: `dovecot` or `postfix`."""
        server = self._running.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()

    def running(self, name: str) -> bool:
        """Tell whether a server was started and not killed since."""
        return name in self._running

    def close(self) -> None:
        """Stop the servers and remove everything."""
        for server in self._running.values():
            server.terminate()
        for server in self._running.values():
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _can_log_in(self) -> bool:
        with suppress(Exception), self.mailbox("ann"):
            return True
        return False

    # ------------------------------------------------------------------------------------------ what players do

    @property
    def certificate(self) -> Path:
        """The certificate of the servers, which clients have to be told to believe."""
        return self.folder / "cert.pem"

    @property
    def log(self) -> str:
        """What Postfix has logged."""
        return (self.folder / "log" / "postfix.log").read_text("utf-8", "replace")

    @contextmanager
    def mailbox(self, user: str) -> Iterator[IMAPClient]:
        """Open the mailbox of a user, as a mail program does."""
        trust = ssl.create_default_context(cafile=str(self.certificate))
        with IMAPClient("localhost", self.ports["IMAPS"], ssl_context=trust, timeout=20) as client:
            client.login(f"{user}@pbem.test", f"secret-{user}")
            client.select_folder("INBOX")
            yield client

    def letters(self, user: str) -> list[bytes]:
        """Return the letters in the inbox of a user, in order, and leave them unread."""
        with self.mailbox(user) as client:
            found = client.fetch(client.search(), ["BODY.PEEK[]"])
            return [found[uid][b"BODY[]"] for uid in sorted(found)]

    def empty(self, *users: str) -> None:
        """Delete all letters of some users."""
        for user in users:
            with self.mailbox(user) as client:
                if found := client.search():
                    client.delete_messages(found)
                    client.expunge()

    def deliver(self, letter: bytes | EmailMessage, to: str, sender: str = "stranger@elsewhere.example") -> None:
        """Bring a letter to the host as another host does: no login, and the host says nothing of who wrote it."""
        content = letter.as_bytes() if isinstance(letter, EmailMessage) else letter
        with smtplib.SMTP("localhost", self.ports["MX"], local_hostname="localhost") as server:
            server.sendmail(sender, [to], content)

    def config(self, *, tls: bool = True, imap: int | None = None, smtp: int | None = None) -> str:
        """Return the keys `in` and `out` of the referee's pbem.yaml; a proxy may stand before each server."""
        if tls:
            secure = f"tls: {{ca: {self.certificate}}}"
            ports = imap or self.ports["IMAPS"], smtp or self.ports["SUBMISSION"]
            how = (f"{secure}", f"tls: {{ca: {self.certificate}, kind: starttls}}")
        else:
            ports = imap or self.ports["IMAP"], smtp or self.ports["PLAIN"]
            how = ("tls: none", "tls: none")
        login = "user: referee@pbem.test, password: {env: PBEM_TEST_PASSWORD}"
        return (
            f"in:\n  imap: {{host: localhost, port: {ports[0]}, {login}, {how[0]}, timeout: 5}}\n"
            f"out:\n  smtp: {{host: localhost, port: {ports[1]}, {login}, {how[1]}, timeout: 5}}\n"
        )
