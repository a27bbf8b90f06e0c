"""The outboxes: where letters lie that wait to be sent. A maildir, or the tables of `pbem post`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from pbem.mail.maildir import write_to_maildir


class ToKeep(NamedTuple):
    """A letter for an outbox: its name there, the address it goes to, its content."""

    name: str
    to: str
    content: bytes
    telling: str = ""
    """What it tells, by which it is known if it is written again in other words; empty: it is known by its content."""


class Outbox(Protocol):
    """A place for letters to be sent. When `put` returns, the letters last, also in a power cut."""

    @property
    def hands_over(self) -> bool:
        """Whether letters count as handed over once they lie there: nobody says when they leave."""

    def put(self, letters: Sequence[ToKeep]) -> Sequence[str]:
        """Keep letters, and return where they lie.

        A letter that is written again, after a crash or by two processes at once, is kept once (`unique_name`).
        """


@dataclass(frozen=True, slots=True)
class MaildirOutbox:
    """An outbox that is a maildir: any program can send what lies in its folder `new`."""

    folder: Path
    hands_over: bool = True

    def put(self, letters: Sequence[ToKeep]) -> Sequence[str]:
        """Keep letters; see `Outbox`. To whom they go stands in their heads."""
        return [str(write_to_maildir(self.folder, each.content, each.name, each.telling)) for each in letters]
