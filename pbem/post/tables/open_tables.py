"""The tables of a config, opened; and the outbox that lies in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Final

from pbem.mail.notes.address import mailbox
from pbem.mail.notes.outboxes import ToKeep, mark_read, read_maildir, unique_name
from pbem.mail.read.mime import Headers
from pbem.mail.write.outgoing import COPY
from pbem.post.settings import BadConfig, PostConfig
from pbem.post.tables.tables import Tables, ToSend, Urgency, Waiting
from pbem.protocol import Side

_FORM: Final = re.compile(rb'filename="orders(-[\w-]+)?\.yaml"')
_LIST: Final = re.compile(r"(\S+) <\1\.(\w+)\..*>")
_ASKING: Final = ("welcome.", "confirm.")
"""How the names of letters begin that have no form, and ask something all the same."""


def open_tables(config: PostConfig) -> Tables:
    """Open the tables, which are made if they are not there. Raises OSError, TablesDamaged, BadConfig."""
    if config.database is None:
        from pbem.post.tables.sqlite_tables import SqliteTables

        return SqliteTables(config.tables_file)
    _require_cluster()
    from pbem.post.tables.postgres_tables import PostgresTables

    return PostgresTables(config.database)


def _require_cluster() -> None:
    """Raise BadConfig if what a database needs is not installed."""
    try:
        import procrastinate  # noqa: F401
        import psycopg  # noqa: F401
    except ImportError as missing:
        raise BadConfig(
            f"a `database:` needs {missing.name}, which is not installed; give: pip install 'pbem[cluster]'"
        ) from None


def never_opened(config: PostConfig) -> bool:
    """Tell whether the post has never run with a config."""
    return config.database is None and not config.tables_file.exists()


@dataclass(frozen=True, slots=True)
class TableOutbox:
    """An outbox whose letters lie in the tables; see `pbem.mail.notes.outboxes.Outbox`."""

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
