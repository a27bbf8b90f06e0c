"""A letter that is taken in by a process that may die: what does so, and what then lies in the outbox."""

from __future__ import annotations

import os
from collections import Counter
from email import message_from_bytes
from pathlib import Path
from unittest.mock import patch

from pbem.cli.runtime import Shared
from pbem.mail.read.own_text import OWN_SHEET
from pbem.mail.read.token import without_token
from pbem.render.text.receipt import NAME as RECEIPT
from tests.support.walks import FOLDERS

LETTER = "red.eml"
NAMES = ["close-up.png", "map.png", "orders.yaml", "position.txt", "position.json"]
"""Of what is enclosed in a report."""


def take_in(path: Path) -> None:
    """Do what `pbem letter` does."""
    from pbem.cli.master import play as desk

    with patch.dict(os.environ, PBEM_KEYS=str(path / "keys")):
        desk.receive_letter(
            path / LETTER, None, Shared(path / "games", [Path(folder) for folder in FOLDERS], json=True)
        )


def outbox(path: Path) -> dict[str, int]:
    """Return the ids of the letters in the outbox, without tokens, and how often each is there; every one is whole."""
    found: Counter[str] = Counter()
    for file in sorted((path / "games" / "outbox" / "new").glob("*")):
        message = message_from_bytes(file.read_bytes())
        names = [part.get_filename() for part in message.walk() if part.get_filename()]
        assert names in ([*NAMES, RECEIPT], [*NAMES, OWN_SHEET, RECEIPT])
        found[without_token(message["Message-ID"])] += 1
    return dict(found)
