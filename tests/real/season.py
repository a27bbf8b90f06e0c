"""A game master with a post and two players with mail programs, on a real mail host."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Final

from pbem.referee.opening import open_game
from pbem.referee.play.adjudicator import Adjudicator
from tests.real.mailhost import MailHost, soon
from tests.support.walks import FOLDERS

ROOT: Final = Path(__file__).resolve().parents[2]
GAME: Final = "punica"
_KEY: Final = re.compile(r"(?m)^[> ]*(key: \S+)\r?$")


def text_of(letter: EmailMessage) -> str:
    """Return the text of a letter, and of the files in it that are text."""
    parts = [part for part in letter.walk() if part.get_content_type() == "text/plain"]
    return "\n".join(str(part.get_content()) for part in parts)


@dataclass
class Season:
    """A folder with the games, the keys and the config of a game master."""

    host: MailHost
    folder: Path

    def __post_init__(self) -> None:
        for name in ("games", "keys"):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)

    @property
    def file(self) -> Path:
        """The config."""
        return self.folder / "pbem.yaml"

    @property
    def log(self) -> str:
        """What the service has said."""
        return (self.folder / "post.log").read_text("utf-8")

    def configure(self, *, tls: bool = True, imap: int | None = None, smtp: int | None = None, more: str = "") -> None:
        """Write the config; a proxy may stand before each server."""
        self.file.write_text(
            f"from: Punic Wars <referee@pbem.test>\ngames: games\nkeys: keys\nrules: [{', '.join(FOLDERS)}]\n"
            f"send: {{per_hour: 5000, per_day: 9000}}\n{self.host.config(tls=tls, imap=imap, smtp=smtp)}"
            f"workers: 2\n{more or 'who: {plus: true}'}\n"
        )

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PBEM_GAMES": str(self.folder / "games"),
            "PBEM_KEYS": str(self.folder / "keys"),
            "PBEM_CACHE": str(self.folder / "cache"),
            "PBEM_FROM": "Punic Wars <referee@pbem.test>",
            "PBEM_RULES": os.pathsep.join(map(str, FOLDERS)),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "toy")]),
        }

    def pbem(self, *arguments: str | Path, ends: int = 0) -> str:
        """Run a command and return its output."""
        ran = subprocess.run(
            [sys.executable, "-m", "pbem", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == ends, f"{arguments}: {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
        return ran.stdout + ran.stderr

    def start(self) -> subprocess.Popen[bytes]:
        """Start the post and wait until it is open."""
        before = self.log.count("the post is open") if (self.folder / "post.log").exists() else 0
        with (self.folder / "post.log").open("ab") as log:
            service = subprocess.Popen(
                [sys.executable, "-m", "pbem", "post", "--config", self.file],
                cwd=self.folder,
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        soon(lambda: self.log.count("the post is open") > before or service.poll() is not None, 60)
        assert service.poll() is None, self.log
        return service

    @contextmanager
    def open_post(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run the post while something goes on, and stop it as systemd does."""
        service = self.start()
        try:
            yield service
        finally:
            if service.poll() is None:
                service.send_signal(signal.SIGTERM)
                began = time.monotonic()
                code = service.wait(60)
                assert (code, time.monotonic() - began < 45) == (0, True), self.log

    def open(self) -> Adjudicator:
        """Open the game, to look at it."""
        return open_game(self.folder / "games", self.folder / "keys", GAME, folders=FOLDERS)

    # ------------------------------------------------------------------------------------------ the players

    def letters(self, user: str) -> list[EmailMessage]:
        """Return the letters that a player has."""
        return [message_from_bytes(raw, policy=policy.default) for raw in self.host.letters(user)]

    def letter_with(self, user: str, word: str) -> EmailMessage:
        """Wait for a letter to a player that has a word in it, and return the last one."""

        def last() -> EmailMessage | None:
            return next((each for each in reversed(self.letters(user)) if word in text_of(each)), None)

        found = soon(last, 60)
        assert found is not None
        return found

    def swaks(self, user: str, text: str, answers: EmailMessage | None = None, to: str = "") -> None:
        """Let a player write with swaks, by submission with TLS; an answer names the letter that it answers."""
        said = (
            [] if answers is None else [f"In-Reply-To: {answers['Message-ID']}", f"References: {answers['Message-ID']}"]
        )
        heads = [f"Subject: Re: {GAME}", *said]
        subprocess.run(
            [
                *("swaks", "--server", "127.0.0.1", "--port", str(self.host.ports["SUBMISSION"])),
                *("--tls", "--tls-ca-path", self.host.certificate, "--auth", "PLAIN"),
                *("--auth-user", f"{user}@pbem.test", "--auth-password", f"secret-{user}"),
                *("--from", f"{user}@pbem.test", "--to", to or "referee@pbem.test"),
                *(word for head in heads for word in ("--header", head)),
                *("--body", "-", "--silent", "2", "--suppress-data"),
            ],
            input=text.encode(),
            check=True,
            timeout=60,
        )

    def neomutt(self, user: str, text: str, sheet: str = "", to: str = "", answers: EmailMessage | None = None) -> None:
        """Let a player write with neomutt, by submission with TLS; a sheet is an attached file."""
        home = self.folder / f"home-{user}"
        home.mkdir(exist_ok=True)
        (home / "rc").write_text(
            f'set from="{user}@pbem.test" realname="{user.title()}" use_from=yes envelope_from=yes\n'
            f'set smtp_url="smtp://{user}@pbem.test@localhost:{self.host.ports["SUBMISSION"]}/"\n'
            f'set smtp_pass="secret-{user}" ssl_starttls=yes ssl_force_tls=yes\n'
            f'set certificate_file="{self.host.certificate}" ssl_verify_host=no\n'
            'set copy=no header_cache="" crypt_use_gpgme=no\n'
        )
        (home / "orders.yaml").write_text(sheet)
        said = f"In-Reply-To: {answers['Message-ID']}\n" if answers else ""
        (home / "draft").write_text(f"To: {to or 'referee@pbem.test'}\nSubject: Re: {GAME}\n{said}\n")
        attached: list[str | Path] = ["-a", home / "orders.yaml"] if sheet else []
        subprocess.run(
            ["neomutt", "-n", "-F", home / "rc", "-H", home / "draft", *attached],
            input=text.encode(),
            env={**os.environ, "HOME": str(home)},
            check=True,
            timeout=60,
            capture_output=True,
        )


def key_in(letter: EmailMessage) -> str:
    """Return the line with the key that stands in the form of a letter."""
    found = _KEY.search(text_of(letter))
    assert found is not None, text_of(letter)[:3000]
    return found[1]
