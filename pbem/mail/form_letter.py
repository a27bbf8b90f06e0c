"""The letter that refuses orders without a heading, and brings the form for the last report."""

from __future__ import annotations

from pbem.mail.letter import Letter
from pbem.mail.outbox import Attachments
from pbem.mail.outgoing import MailSettings, Outgoing, about_side, letter, paragraphs
from pbem.mail.receipts import enclosed
from pbem.referee.adjudicator import Adjudicator
from pbem.render.report import mail


def form_letter(game: Adjudicator, reason: str, form: str | None, answered: Letter, settings: MailSettings) -> Outgoing:
    """Return the letter that refuses orders without a heading, with the form for the last report."""
    words = mail("form", game=game.name, reason="\n".join(paragraphs([reason])), sheet=form and form.rstrip("\n"))
    side = game.ledger.side_of(answered.sender)
    stamp = f"form.{game.name}.{side}.{game.adjudication}.{answered.digest[:24]}"
    attached = Attachments(sheet=form, receipt=enclosed(game, side))
    return letter(settings, answered.sender, stamp, words, answered, attached, about_side(game, side))
