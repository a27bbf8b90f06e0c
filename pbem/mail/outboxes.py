"""The outboxes: where letters lie that wait to be sent. A maildir, or the tables of `pbem post`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pbem.mail.maildir import write_to_maildir


class Outbox(Protocol):
    """A place for letters to be sent. When `put` returns, the letter lasts, also in a power cut."""

    def put(self, name: str, to: str, content: bytes) -> str:
        """Keep a letter to an address under a name, and return where it lies.

        A letter that is written again, after a crash or by two processes at once, is kept once (`unique_name`).
        """

    def left(self, file: str, now: datetime) -> datetime | None:
        """Return when the letter that lies there was handed over to be delivered; None: not yet."""


@dataclass(frozen=True, slots=True)
class MaildirOutbox:
    """An outbox that is a maildir: any program can send what lies in its folder `new`."""

    folder: Path

    def put(self, name: str, to: str, content: bytes) -> str:
        """Keep a letter; see `Outbox`. To whom it goes stands in its head."""
        return str(write_to_maildir(self.folder, content, name))

    def left(self, file: str, now: datetime) -> datetime | None:
        """Return the current time: what lies there is out of our hands."""
        return now
