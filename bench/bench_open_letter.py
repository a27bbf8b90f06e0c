"""How long it takes to open a letter that was made to be slow, or came out so.

`slowest_reply.eml` is the slowest of 4,000 replies of mail programs that were spoilt by hand and program, as
tests/mail/test_replies.py spoils them. The page is the worst that is read: as many
tags as may be, each within the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench import Figure, alternating
from pbem.mail.inbox import open_letter
from pbem.mail.read.html_text import MOST_TAGS

SLOWEST = Path(__file__).parent / "slowest_reply.eml"
NESTED = b"From: ann@example.org\nContent-Type: text/html\n\n" + b"<div>" * (MOST_TAGS - 1) + b"game: punica"
ROUNDS = 20


def figures() -> Iterator[Figure]:
    """Yield the milliseconds that each takes."""
    slowest = SLOWEST.read_bytes()
    spoilt, nested = alternating(ROUNDS, lambda: open_letter(slowest), lambda: open_letter(NESTED))
    yield Figure("open letter: the slowest spoilt reply", 1000 * spoilt, "ms", 30.0)
    yield Figure("open letter: the page with most tags", 1000 * nested, "ms", 600.0)
