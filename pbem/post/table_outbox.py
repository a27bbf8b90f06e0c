"""The outbox of the post: letters go into the tables, and leave from there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Final

from pbem.mail.address import mailbox
from pbem.mail.maildir import mark_read, read_maildir, unique_name
from pbem.mail.mime import Headers
from pbem.mail.outboxes import ToKeep
from pbem.mail.outgoing import COPY
from pbem.post.tables import Tables, ToSend, Urgency, Waiting
from pbem.protocol import Side

_FORM: Final = re.compile(rb'filename="orders(-[\w-]+)?\.yaml"')
_LIST: Final = re.compile(r"(\S+) <\1\.(\w+)\..*>")
_ASKING: Final = ("welcome.", "confirm.")
"""How the names of letters begin that have no form, and ask something all the same."""


@dataclass(frozen=True, slots=True)
class TableOutbox:
    """An outbox whose letters lie in the tables; see `pbem.mail.outboxes.Outbox`."""

    tables: Tables
    clock: Callable[[], float] = time
    hands_over: bool = False
    """They are handed over when they are sent."""
    answering: Waiting | None = None
    """The letter that is being taken in. `put` raises TakenIn if another worker has done that meanwhile."""

    def put(self, letters: Sequence[ToKeep]) -> Sequence[str]:
        """Keep letters to be sent, each once; return their names in the tables."""
        named = [each._replace(name=unique_name(each.name, each.content, each.telling)) for each in letters]
        self.tables.put([self._to_send(each) for each in named], self.answering)
        return [each.name for each in named]

    def collect(self, folder: Path) -> int:
        """Take over the letters of a maildir, which commands write by hand; return how many there were."""
        count = 0
        for path, content in read_maildir(folder):
            self.tables.put([self._to_send(ToKeep(path.name, Headers(content).one("to"), content))])
            mark_read(path)
            count += 1
        return count

    def _to_send(self, letter: ToKeep) -> ToSend:
        found = mailbox(letter.to)
        address = found.address if found is not None else letter.to
        thread = Headers(letter.content).one("list-id")
        urgency = urgency_of(letter.name, letter.content)
        return ToSend(letter.name, address, letter.content, urgency, thread, 0, self.clock())


def asked_by(letter: ToSend) -> tuple[str, list[Side]]:
    """Return the game and the sides that a letter has forms for; no sides: it asks nothing."""
    found = _LIST.fullmatch(letter.thread)
    if found is None or letter.name.startswith(COPY):
        return "", []
    forms = {(form[1] or b"").decode()[1:] for form in _FORM.finditer(letter.content)}
    return found[1], sorted(form or found[2] for form in forms)


def urgency_of(name: str, content: bytes) -> Urgency:
    """Return how soon a letter is to be sent, by its name and what it holds."""
    head, _, _ = content.partition(b"\r\n\r\n")
    if name.startswith(_ASKING) or _FORM.search(content):
        return Urgency.ASKED
    return Urgency.NEWS if b"\nAuto-Submitted: auto-generated" in head else Urgency.ANSWER
