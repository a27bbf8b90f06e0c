"""The correspondence with a side: which news its player wants, and what they were told and shown last.

The note of each side lies beside the repo of its game and not in its history, like that of `last_reported`: it is about
the letters of this machine. It is written once a letter lies in the outbox. So a report is owed until it lies there,
and what was held back is told with the next one. A note that cannot be read counts as if nothing had been told.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from pbem.mail.last_reported import SIDE_NOTE, put_note
from pbem.protocol import Side

_MOST_LETTERS: Final = 100
"""So many letters with NEWS are remembered."""


class News(StrEnum):
    """When a player who is not asked anything is told what has happened."""

    EVERY = "every"
    """After each adjudication."""
    ROUND = "round"
    """When they are asked next, or a round of the game is over."""
    ASKED = "asked"
    """When they are asked next."""


@dataclass(frozen=True, slots=True)
class Correspondence:
    """What a note says of a side."""

    news: News = News.EVERY
    told: int | None = None
    """The last adjudication that its letters told of; None: the one that all were told of."""
    picture: str = ""
    """A salted digest of what the last picture showed."""
    first: str = ""
    """The Message-ID of the first letter."""
    last: str = ""
    """The Message-ID of the last letter."""
    letters: tuple[str, ...] = ()
    """The digests of the letters that said which news are wanted: each counts once."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What the note of a side says once a letter lies in the outbox."""

    repo: Path
    side: Side
    message_id: str
    told: int | None = None
    """The last adjudication that the letter tells of; None: it tells of none."""
    picture: str = ""
    """The digest of what its picture shows; empty: it has none."""


def correspondence(repo: Path, side: Side) -> Correspondence:
    """Return what is noted of a side."""
    try:
        found = json.loads((repo / f"{SIDE_NOTE}{side}").read_text("utf-8"))
        told = found["told"]
        picture, first, last = (str(found[key]) for key in ("picture", "first", "last"))
        letters = tuple(map(str, found["letters"]))
        return Correspondence(News(found["news"]), None if told is None else int(told), picture, first, last, letters)
    except FileNotFoundError:
        return Correspondence()
    except (ValueError, TypeError, LookupError):
        return Correspondence(told=0)


def forget(repo: Path, side: Side) -> None:
    """Forget what is noted of a side: another player takes it over."""
    (repo / f"{SIDE_NOTE}{side}").unlink(missing_ok=True)


def note_sent(sent: Sent) -> None:
    """Note that a letter lies in the outbox."""
    known = correspondence(sent.repo, sent.side)
    told = known.told if sent.told is None else max(sent.told, known.told or 0)
    now = replace(
        known,
        told=told,
        picture=sent.picture or known.picture,
        first=known.first or sent.message_id,
        last=sent.message_id,
    )
    _keep(sent.repo, sent.side, known, now, lasting=False)


def choose_news(repo: Path, side: Side, news: News, told: int, letter: str) -> News:
    """Note which news a player wants, by a letter of a digest, and return what is wanted now.

    `told` is the last adjudication that all were told of. A letter that was carried out before changes nothing.
    """
    known = correspondence(repo, side)
    if letter in known.letters:
        return known.news
    letters = (*known.letters, letter)[-_MOST_LETTERS:]
    now = replace(known, news=news, told=told if known.told is None else known.told, letters=letters)
    _keep(repo, side, known, now)
    return news


def _keep(repo: Path, side: Side, known: Correspondence, now: Correspondence, *, lasting: bool = True) -> None:
    if now != known:
        put_note(repo, f"{SIDE_NOTE}{side}", json.dumps(asdict(now), sort_keys=True).encode(), lasting=lasting)
