"""The system's own `sendmail`, or any command that takes a letter on standard input and an address as an argument."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Final

from pbem.post.settings import SendmailOut
from pbem.post.transport.base import Accepted, Delivery, Later, Refused, Sender, Unreachable

_BESIDE_PATH: Final = ("/usr/sbin", "/usr/lib", "/sbin")
"""Where systems keep sendmail; users do not have these folders in their path."""
_TIMEOUT: Final = 120
_NEVER: Final = {64: "usage", 65: "the letter", 67: "no such user", 68: "no such host", 77: "not permitted"}
"""Exit codes of sysexits.h that will not be others next time."""
_FOR_NOW: Final = 75


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
        if ran.returncode == _FOR_NOW:
            return Later(said or "it will be tried later")
        if ran.returncode in _NEVER:
            return Refused(said or _NEVER[ran.returncode])
        raise Unreachable(f"it ended with code {ran.returncode}{f': {said}' if said else ''}")

    def close(self) -> None:
        """There is nothing to take leave of."""
