"""The outboxes: where letters lie that wait to be sent. A maildir, or the tables of `pbem post`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pbem.mail.maildir import write_to_maildir


class Outbox(Protocol):
    """A place for letters to be sent. When `put` returns, the letter lasts, also in a power cut."""

    @property
    def hands_over(self) -> bool:
        """Whether letters count as handed over once they lie there: nobody says when they leave."""

    def put(self, name: str, to: str, content: bytes) -> str:
        """Keep a letter to an address under a name, and return where it lies.

        A letter that is written again, after a crash or by two processes at once, is kept once (`unique_name`).
        """


@dataclass(frozen=True, slots=True)
class MaildirOutbox:
    """An outbox that is a maildir: any program can send what lies in its folder `new`."""

    folder: Path
    hands_over: bool = True

    def put(self, name: str, to: str, content: bytes) -> str:
        """Keep a letter; see `Outbox`. To whom it goes stands in its head."""
        return str(write_to_maildir(self.folder, content, name))
