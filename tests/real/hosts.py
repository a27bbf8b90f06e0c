"""Hosts of a cluster on one machine: network namespaces that share the folder of the games, and no file locks.

Each host has a network of its own that leads to the database alone, a name of its own, and its own files in place of
the lock files in the shared folder: as on a network file system whose locks stay at home.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.support import postgres
from tests.support.seasons import Season, children

ROOT: Final = Path(__file__).resolve().parents[2]
_NET: Final = "10.213"


def missing() -> str:
    """Return in one line why there can be no hosts here; empty if there can."""
    if why := postgres.missing():
        return why
    if os.geteuid() != 0:
        return "the tests with several hosts need root (make real)"
    lacking = [name for name in ("ip", "unshare", "mount") if shutil.which(name) is None]
    if lacking:
        return f"the tests with several hosts need {', '.join(lacking)} (make real)"
    probe = f"pbem{secrets.token_hex(2)}"
    if subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False).returncode:
        return "the tests with several hosts need network namespaces, which are not allowed here"
    _ip("netns", "delete", probe)
    return ""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass
class Host:
    """A host: its network leads to the database, and `pbem post` may run on it."""

    number: int
    folder: Path
    """Where its own lock files and its log are."""
    name: str = field(default_factory=lambda: f"pbem{secrets.token_hex(2)}")
    service: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.folder.mkdir()
        (self.folder / "log").touch()
        _ip("netns", "add", self.name)
        _ip("link", "add", f"{self.name}a", "type", "veth", "peer", "name", "db", "netns", self.name)
        _ip("addr", "add", f"{self.address}/30", "dev", f"{self.name}a")
        _ip("link", "set", f"{self.name}a", "up")
        _ip("-n", self.name, "addr", "add", f"{_NET}.{self.number}.2/30", "dev", "db")
        _ip("-n", self.name, "link", "set", "db", "up")

    @property
    def address(self) -> str:
        """The address at which this host finds the database."""
        return f"{_NET}.{self.number}.1"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8")

    def start(self, season: Season, url: str) -> None:
        """Start the post on this host."""
        config = season.path / f"pbem-{self.number}.yaml"
        config.write_text(season.file.read_text() + f"database: {url}\n")
        script = [f"hostname {self.name}"]
        for at, lock in enumerate(locks(season)):
            own = self.folder / f"{at}.lock"
            own.touch()
            script.append(f"mount --bind {own} {lock}")
        script.append(f"exec {sys.executable} -m pbem post --config {config}")
        words = ["ip", "netns", "exec", self.name, "unshare", "--mount", "--uts", "sh", "-ec", "\n".join(script)]
        with (self.folder / "log").open("ab") as log:
            self.service = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)

    @property
    def workers(self) -> Sequence[int]:
        """The ids of its workers."""
        return children(self.service.pid) if self.service is not None else []

    def signal(self, number: int) -> None:
        """Send a signal to its workers."""
        for worker in self.workers:
            os.kill(worker, number)

    def die(self) -> None:
        """End all that runs on it, at once."""
        if self.service is not None:
            self.signal(signal.SIGKILL)
            with suppress(ProcessLookupError):
                os.killpg(self.service.pid, signal.SIGKILL)
            self.service.wait()
            self.service = None

    def network(self, word: str) -> None:
        """Let its network be `up` or `down`."""
        _ip("link", "set", f"{self.name}a", word)

    def close(self) -> None:
        """End it, and take its network away."""
        self.die()
        with suppress(subprocess.CalledProcessError):
            _ip("link", "delete", f"{self.name}a")
        _ip("netns", "delete", self.name)


def locks(season: Season) -> Iterator[Path]:
    """Yield the lock files in the folder of the games, which are there afterwards."""
    wanted = [season.games / ".pbem.post.lock"]
    wanted += [path / name for path in season.games.glob("*.git") for name in ("pbem.lock", "pbem.post.lock")]
    for path in wanted:
        path.touch()
        yield path
