"""Letters in a side's name that are refused: the log says so, and the side is told, at most once a day."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from pbem.mail.door import Turned
from pbem.mail.last_reported import put_note
from pbem.mail.letter import Letter
from pbem.mail.outgoing import About, MailSettings, Outgoing, letter, paragraphs
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.render.report import mail

_NOTE: Final = "pbem.refused."
TELL_AGAIN: Final = timedelta(days=1)


def refusal(game: Adjudicator, side: Side, refused: Letter, reason: str, settings: MailSettings) -> Turned:
    """Return what becomes of a letter in a side's name that is refused. The game is locked."""
    at = settings.letter_time
    log = f"letter from {refused.sender} in the name of {side} refused: {reason}"
    note = _note(game.path, side)
    if refused.digest in note["letters"]:  # it is taken in again
        return Turned(log, [_letter(game, side, refused, reason, 0, settings)])
    if note["told"] and abs(at - datetime.fromisoformat(note["told"])) < TELL_AGAIN:  # it may have come before that
        _keep(game.path, side, {**note, "since": note["since"] + 1})
        return Turned(log)
    _keep(game.path, side, {"told": at.isoformat(), "since": 0, "letters": [*note["letters"], refused.digest][-10:]})
    return Turned(log, [_letter(game, side, refused, reason, note["since"], settings)])


def _letter(game: Adjudicator, side: Side, refused: Letter, reason: str, more: int, settings: MailSettings) -> Outgoing:
    """Return the letter that tells a side of it."""
    words = mail(
        "in_your_name",
        game=game.name,
        reason="\n".join(paragraphs([f"A letter in your name was refused: {reason}."])),
        when=f"{settings.letter_time:%Y-%m-%d %H:%M} UTC",
        sender=refused.sender,
        subject=refused.subject[:100],
        more=more,
    )
    stamp = f"refused.{game.name}.{side}.{game.adjudication}.{refused.digest[:24]}"
    return letter(settings, game.ledger.addresses[side], stamp, words, about=About(game, side, shared=False))


def _note(repo: Path, side: Side) -> dict[str, Any]:
    """Return when a side was last told, of which letters, and how many were refused since."""
    try:
        found = json.loads((repo / f"{_NOTE}{side}").read_text("utf-8"))
        told = datetime.fromisoformat(found["told"]).isoformat()
        return {"told": told, "since": int(found["since"]), "letters": list(map(str, found["letters"]))}
    except (FileNotFoundError, ValueError, TypeError, LookupError):
        return {"told": "", "since": 0, "letters": []}


def _keep(repo: Path, side: Side, note: dict[str, Any]) -> None:
    put_note(repo, f"{_NOTE}{side}", json.dumps(note, sort_keys=True).encode())
