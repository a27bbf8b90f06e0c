"""Letters through pipes: standard input as a mailbox of one letter, and the system's own `sendmail`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from pbem.post.settings import SendmailOut
from pbem.post.transport.base import Accepted, Arrived, Delivery, Gone, Later, Refused, Sender, Source, Unreachable

_BESIDE_PATH: Final = ("/usr/sbin", "/usr/lib", "/sbin")
"""Where systems keep sendmail; users do not have these folders in their path."""
_TIMEOUT: Final = 120
_FOR_GOOD: Final = {64: "usage", 65: "the letter", 67: "no such user", 68: "no such host", 77: "not permitted"}
"""Exit codes of sysexits.h that will not be others next time."""
_TEMPFAIL: Final = 75


class StdinSource(Source):
    """One letter on standard input. It arrives now, and is known by its digest."""

    name = "standard input"

    def __init__(self) -> None:
        self._letter: bytes | None = None

    def holds(self, source: str) -> bool:
        return source == "stdin"

    def new(self, known: Callable[[str, str], bool]) -> Iterator[Arrived]:
        if self._letter is None:
            self._letter = sys.stdin.buffer.read()
        uid = sha256(self._letter).hexdigest()
        if self._letter and not known("stdin", uid):
            yield Arrived("stdin", uid, len(self._letter), datetime.now(UTC))

    def head(self, letter: Arrived) -> bytes:
        lines = self.fetch(letter).splitlines(keepends=True)
        end = next((n for n, line in enumerate(lines, 1) if not line.strip(b"\r\n")), len(lines))
        return b"".join(lines[:end])

    def fetch(self, letter: Arrived) -> bytes:
        if self._letter is None or letter.uid != sha256(self._letter).hexdigest():
            raise Gone("standard input is read once")
        return self._letter

    def done(self, letter: Arrived) -> None:
        """There is nothing to mark."""

    def wait(self, seconds: float) -> bool:
        """Return at once: there is one letter and no other."""
        return False

    def close(self) -> None:
        """There is nothing to take leave of."""


class SendmailSender(Sender):
    """A command of this machine that sends letters."""

    def __init__(self, config: SendmailOut, address: str) -> None:
        self.name = config.command[0] if config.command else "sendmail"
        self._command = config.command or ("sendmail", "-i", "-f", address, "--")

    def check(self) -> None:
        """There is nothing to connect to."""

    def send(self, to: str, letter: bytes) -> Delivery:
        if to.startswith("-"):  # an option, not an address
            return Refused(f"{to} is not an address that {self.name} can be given")
        path = os.pathsep.join([os.environ.get("PATH", os.defpath), *_BESIDE_PATH])
        program = shutil.which(self._command[0], path=path)
        if program is None:
            raise Unreachable("there is no such command here")
        try:
            ran = subprocess.run(
                [program, *self._command[1:], to],
                input=letter.replace(b"\r\n", b"\n"),
                capture_output=True,
                timeout=_TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Later(f"it did not end within {_TIMEOUT} s")
        except OSError as wrong:
            raise Unreachable(wrong.strerror or str(wrong)) from wrong
        said = " ".join((ran.stderr or ran.stdout).decode("utf-8", "replace").split())[:300]
        if ran.returncode == 0:
            return Accepted()
        if ran.returncode == _TEMPFAIL:
            return Later(said or "it will be tried later")
        if ran.returncode in _FOR_GOOD:
            return Refused(said or _FOR_GOOD[ran.returncode])
        raise Unreachable(f"it ended with code {ran.returncode}{f': {said}' if said else ''}")

    def close(self) -> None:
        """There is nothing to take leave of."""
