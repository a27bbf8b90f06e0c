"""The letter that refuses orders without a heading, and brings the form for the last report."""

from __future__ import annotations

from pbem.mail.letter import Letter
from pbem.mail.outbox import Attachments
from pbem.mail.outgoing import About, MailSettings, Outgoing, letter, paragraphs
from pbem.mail.receipts import enclosed
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.render.report import mail


def form_letter(
    game: Adjudicator, side: Side, reason: str, form: str | None, answered: Letter, settings: MailSettings
) -> Outgoing:
    """Return the letter that refuses orders without a heading, with the form for the last report."""
    words = mail("form", game=game.name, reason="\n".join(paragraphs([reason])), sheet=form and form.rstrip("\n"))
    stamp = f"form.{game.name}.{side}.{game.adjudication}.{answered.digest[:24]}"
    attached = Attachments(sheet=form, receipt=enclosed(game, side))
    return letter(settings, answered.sender, stamp, words, answered, attached, About(game, side, shared=False))
