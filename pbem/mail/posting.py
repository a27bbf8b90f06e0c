"""The posting of letters: into the outbox, and then the notes of what they tell.

A process may die at any point. Then the notes say less than was told, and what they say is owed is written again: it
lies in the outbox already, and is kept there once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pbem.mail.correspondence import sent_notes
from pbem.mail.handing import note_handed_over
from pbem.mail.last_reported import CLOSED, put_notes, reported_note
from pbem.mail.observers import write_to_observers
from pbem.mail.outgoing import MailSettings, Outgoing, put_all
from pbem.referee.adjudicator import Adjudicator


def post(
    game: Adjudicator,
    letters: Sequence[Outgoing],
    settings: MailSettings,
    at: datetime,
    *,
    told: bool = True,
    closing_told: bool = True,
) -> None:
    """Put letters of a game into the outbox, if there is one, write to its observers, and note what was told.

    The game's lock is held: no report is written twice, or in the wrong order. Observers are told what they may know
    by the time `at`. `told` says that the letters tell every side everything that has happened, and `closing_told`
    that they tell of a closing of the sheets, too.
    """
    outbox = settings.outbox
    if outbox is None:
        return
    sent = put_all(letters, outbox)
    if outbox.hands_over:
        note_handed_over(game, letters, settings.now)
    write_to_observers(game, settings, outbox, at)
    notes = sent_notes(game.path, sent)
    if told:
        notes |= reported_note(game.path, game.adjudication)
        if closing_told and (closed := game.closed) is not None:
            notes |= reported_note(game.path, closed.round, CLOSED)
    put_notes(game.path, notes, lasting=False)
