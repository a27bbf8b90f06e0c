"""The correspondence with a side: which news its player wants, what they were told and shown last.

A note that is ahead of the game, because it is damaged or the game was restored from a copy, is set back to it.
Otherwise no report would be written until the game has caught up with it.

The note lies in the folder of the game's repo, beside its lock and not in its history, for it is about the outbox of
this machine. It is written once all letters are in the outbox: who finds it behind the game writes what is missing.
A second note says for which round of the beacon they were told that the sheets are closed. Beside them lies a note for
each side (`correspondence`).

The note of each side lies beside the repo of its game and not in its history, like that of `last_reported`: it is about
the letters of this machine. It is written once a letter lies in the outbox. So a report is owed until it lies there,
and what was held back is told with the next one. A note that cannot be read counts as if nothing had been told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from pbem.protocol import Side
from pbem.repo.files.note_store import Note, number_note, record_note, write_notes

REPORTED: Final = number_note("pbem.told")
"""The adjudication up to which the players have been written to."""
CLOSED: Final = number_note("pbem.told-closed")
"""The round of the beacon for which they were told that the sheets are closed."""
_MOST_LETTERS: Final = 100
"""So many letters with NEWS are remembered."""


def note_reported(repo: Path, number: int, note: Note[int | None] = REPORTED) -> None:
    """Note that all letters up to an adjudication, or of a closing, are in the outbox.

    The note of adjudications does not go back; see `set_back`.
    """
    write_notes(repo, reported_note(repo, number, note), lasting=False)


def reported_note(repo: Path, number: int, note: Note[int | None] = REPORTED) -> dict[str, bytes]:
    """Return what `note_reported` writes: a note by its name, or nothing where it says so already."""
    known = note.read(repo)
    if known == number or (known is not None and known > number and note is REPORTED):
        return {}
    return {note.file(): note.render(number)}


def set_back(repo: Path, adjudication: int) -> str | None:
    """Set notes that are ahead of the game back to its last adjudication, and return a sentence about it.

    None: it is not ahead. Call it with the game's lock held.
    """
    for side in CORRESPONDENCES.sides(repo):
        note = CORRESPONDENCES.read(repo, side)
        if note.told is not None and note.told > adjudication:
            CORRESPONDENCES.write(repo, replace(note, told=adjudication), side)
    known = REPORTED.read(repo)
    if known is None or known <= adjudication:
        return None
    REPORTED.write(repo, adjudication)
    return (
        f"{repo.stem}: the note of what was reported to the players said adjudication {known}, but the game stands at "
        f"{adjudication}. It was set back; reports go on from there"
    )


class NewsWish(StrEnum):
    """When a player who is not asked anything is told what has happened."""

    EVERY = "every"
    """After each adjudication."""
    ROUND = "round"
    """When they are asked next, or a round of the game is over."""
    DAILY = "daily"
    """When they are asked next, or once a day, in the morning."""
    ASKED = "asked"
    """When they are asked next."""


@dataclass(frozen=True, slots=True)
class Correspondence:
    """What a note says of a side."""

    news: NewsWish = NewsWish.EVERY
    told: int | None = None
    """The last adjudication that its letters told of; None: the one that all were told of."""
    picture: str = ""
    """A salted digest of what the last picture showed."""
    first: str = ""
    """The Message-ID of the first letter."""
    last: str = ""
    """The Message-ID of the last letter."""
    letters: tuple[str, ...] = ()
    """The digests of the letters that said which news are wanted, or set anything else here: each counts once."""
    owed: str = ""
    """When news was held back first since the last report (ISO); empty: none was."""
    zone: str = ""
    """The time zone of the player, by its name; empty: they have named none."""
    calendar: bool = False
    """Whether each letter that asks something brings its deadline as a file for a calendar."""
    reminded: str = ""
    """The last reminder: what was asked then, and which reminder it was."""

    def __post_init__(self) -> None:
        """Raise ValueError for a time without a zone."""
        if self.owed and datetime.fromisoformat(self.owed).tzinfo is None:
            raise ValueError(self.owed)


CORRESPONDENCES: Final = record_note("pbem.told.", Correspondence(), damaged=Correspondence(told=0))


@dataclass(frozen=True, slots=True)
class SentNote:
    """What the note of a side says once a letter lies in the outbox."""

    repo: Path
    side: Side
    message_id: str
    told: int | None = None
    """The last adjudication that the letter tells of; None: it tells of none."""
    picture: str = ""
    """The digest of what its picture shows; empty: it has none."""


def note_sent(sent: SentNote) -> None:
    """Note that a letter lies in the outbox."""
    write_notes(sent.repo, sent_notes(sent.repo, [sent]), lasting=False)


def sent_notes(repo: Path, letters: Iterable[SentNote]) -> dict[str, bytes]:
    """Return what is noted once letters of one game lie in the outbox: notes by their names."""
    before: dict[Side, Correspondence] = {}
    after: dict[Side, Correspondence] = {}
    for sent in letters:
        known = after.get(sent.side) or before.setdefault(sent.side, CORRESPONDENCES.read(repo, sent.side))
        after[sent.side] = replace(
            known,
            told=known.told if sent.told is None else max(sent.told, known.told or 0),
            picture=sent.picture or known.picture,
            first=known.first or sent.message_id,
            last=sent.message_id,
            owed=known.owed if sent.told is None else "",
        )
    changed = {side: now for side, now in after.items() if now != before[side]}
    return {CORRESPONDENCES.file(side): CORRESPONDENCES.render(now) for side, now in changed.items()}


def choose_news(repo: Path, side: Side, news: NewsWish, told: int, letter: str) -> NewsWish:
    """Note which news a player wants, by a letter of a digest, and return what is wanted now.

    `told` is the last adjudication that all were told of. A letter that was carried out before changes nothing.
    """
    told = told if (known := CORRESPONDENCES.read(repo, side).told) is None else known
    return _choose(repo, side, letter, lambda known: replace(known, news=news, told=told)).news


def choose_zone(repo: Path, side: Side, zone: str, letter: str) -> str:
    """Note the time zone of a player, by a letter of a digest, and return the one that counts now."""
    return _choose(repo, side, f"{letter} zone", lambda known: replace(known, zone=zone)).zone


def choose_calendar(repo: Path, side: Side, wanted: bool, letter: str) -> bool:
    """Note whether a player wants files for a calendar, by a letter of a digest, and return what is wanted now."""
    return _choose(repo, side, f"{letter} calendar", lambda known: replace(known, calendar=wanted)).calendar


def _choose(repo: Path, side: Side, letter: str, change: Callable[[Correspondence], Correspondence]) -> Correspondence:
    """Note settings that a letter has chosen, unless it was carried out before, and return what is noted now."""
    known = CORRESPONDENCES.read(repo, side)
    if letter in known.letters:
        return known
    now = replace(change(known), letters=(*known.letters, letter)[-_MOST_LETTERS:])
    _write_side_note(repo, side, known, now)
    return now


def note_owed(repo: Path, side: Side, now: datetime) -> None:
    """Note that news is held back from a side, unless some is already."""
    known = CORRESPONDENCES.read(repo, side)
    if not known.owed:
        _write_side_note(repo, side, known, replace(known, owed=now.isoformat()))


def note_reminded(repo: Path, side: Side, reminder: str) -> None:
    """Note the last reminder of a side."""
    known = CORRESPONDENCES.read(repo, side)
    _write_side_note(repo, side, known, replace(known, reminded=reminder))


def _write_side_note(repo: Path, side: Side, known: Correspondence, now: Correspondence) -> None:
    if now != known:
        CORRESPONDENCES.write(repo, now, side)
