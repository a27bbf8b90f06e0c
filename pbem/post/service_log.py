"""The log of the post, a line for each thing that has happened; and what systemd is told.

The log goes to standard output, where the system keeps it. Without systemd nothing is told.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeAlias

Say: TypeAlias = Callable[[str], None]
"""Writes a line to the log."""


def say(text: str) -> None:
    """Write a line to the log, whole, with nothing in it that could steer a terminal."""
    line = "".join(each if each.isprintable() else " " for each in text)
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def error_text(wrong: Exception) -> str:
    """Return what went wrong, with the file if it is an error of the system."""
    return f"{wrong.filename or 'the system'}: {wrong.strerror or wrong}" if isinstance(wrong, OSError) else str(wrong)


class Once:
    """Says what lasts once: when it begins, and when it is over."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._said = ""

    def begins(self, text: str) -> None:
        """Say what is wrong, unless it was said already."""
        if text != self._said:
            self._said = text
            self._say(text)

    def ends(self, text: str) -> None:
        """Say that it is over, if anything was wrong."""
        if self._said:
            self._said = ""
            self._say(text)

    @property
    def lasts(self) -> bool:
        """Whether something is wrong."""
        return bool(self._said)


def notify(*words: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Send words such as `READY=1` to the socket of the service manager; return whether there is one."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    if address.startswith("@"):  # a name in the abstract namespace
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.connect(address)
        channel.sendall("\n".join(words).encode())
        return True
    return False
