"""A real PostgreSQL for the tests, on a throw-away folder, as a child of the test that starts it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

_USER = "postgres"


@cache
def missing() -> str:
    """Return in one line why there can be no server here; empty if there can."""
    try:
        import procrastinate  # noqa: F401
        import psycopg  # noqa: F401
    except ImportError as lacking:
        return f"the tests with PostgreSQL need {lacking.name} (the extra `cluster`)"
    if _programs() is None:
        return "the tests with PostgreSQL need a server (make real)"
    if os.geteuid() == 0 and not any(each.pw_name == _USER for each in pwd.getpwall()):
        return f"the tests with PostgreSQL need the user {_USER}, since they are run as root"
    return ""


def _programs() -> Path | None:
    """Return the folder of the server's programs."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    if found := shutil.which("initdb"):
        folders.append(Path(found).resolve().parent)
    return next((each for each in reversed(folders) if (each / "postgres").exists()), None)


class Server:
    """A server that can be killed and started again."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        """`host` is the address that it listens at, or several by commas; besides a socket in its folder."""
        programs = _programs()
        assert programs is not None
        self.host = host
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-pg-"))
        self.folder.chmod(0o755)
        self._programs = programs
        self._as: dict[str, Any] = {"user": _USER, "group": _USER, "extra_groups": []} if os.geteuid() == 0 else {}
        if self._as:
            shutil.chown(self.folder, _USER, _USER)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        make = [
            str(programs / "initdb"),
            "-D",
            str(self.folder / "d"),
            "-U",
            "pbem",
            "-A",
            "trust",
            "--no-sync",
            "--no-locale",
        ]
        subprocess.run([*make, "-E", "UTF8"], check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self._as)
        if host != "127.0.0.1":
            with (self.folder / "d" / "pg_hba.conf").open("a") as rules:
                rules.write("host all pbem samenet trust\n")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it, and wait until it can be reached."""
        words = ["-D", "d", "-k", str(self.folder), "-p", str(self.port), "-c", f"listen_addresses={self.host}"]
        words += ["-c", "fsync=off", "-c", "max_connections=60"]
        until = monotonic() + 30
        while True:
            assert monotonic() < until, (self.folder / "log").read_text()
            if self._process is None or self._process.poll() is not None:
                with (self.folder / "log").open("ab") as log:
                    self._process = subprocess.Popen(
                        [self._programs / "postgres", *words],
                        cwd=self.folder,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                        **self._as,
                    )
            if self._answers():
                return
            sleep(0.05)

    def _answers(self) -> bool:
        ask = [str(self._programs / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(self.port), "-U", "pbem"]
        return subprocess.run(ask, check=False).returncode == 0

    def kill(self) -> None:
        """Kill it with all its processes."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def database(self) -> str:
        """Make a database, and return its URL."""
        import psycopg

        name = f"t{uuid4().hex[:12]}"
        where = f"host={self.folder} port={self.port} user=pbem dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://pbem@{self.host}:{self.port}/{name}"

    def close(self) -> None:
        """End it, and throw everything away."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def running() -> Iterator[Server]:
    """Run a server for the duration of a block."""
    server = Server()
    try:
        yield server
    finally:
        server.close()
