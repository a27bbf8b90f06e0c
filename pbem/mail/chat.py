"""The answer to a letter of mere words: nothing in it is refused, and its sender gets the form that is open to them."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.mail.letter import Letter
from pbem.mail.outbox import Attachments
from pbem.mail.outgoing import About, MailSettings, Outgoing, letter, paragraphs, side_report
from pbem.mail.receipts import enclosed
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import OpenGame
from pbem.render.report import mail


def chat_letters(game: str, said: str, answered: Letter, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the answer to a letter about a game: what is `said`, and the form of each side of its sender that is asked.

    A sender who is not asked anything is told so once.
    """
    with settings.open(game) as opened:
        opened.carry_out_letter_of(settings.letter_time, settings.now)
        own = opened.written_by(answered.sender)
        asked = [side for side in own if opened.begun and any(each.side == side for each in opened.open_decisions)]
        for side in asked or own[:1]:
            yield _letter(opened, side, said, answered, settings)


def no_orders(game: OpenGame, why: str) -> str:
    """Return what is said of a letter that has neither orders nor commands; `why` says what was looked for in it."""
    how = " To say something to the others, begin a line with the word SAY in capitals." if game.charter.talks else ""
    return f"Your letter arrived. {why}\n\nSo nothing has changed, and nobody else is told of it.{how}"


def _letter(game: Adjudicator, side: Side, said: str, answered: Letter, settings: MailSettings) -> Outgoing:
    report = side_report(game, side, game.adjudication)
    form = report.sheet
    text = mail(
        "chat",
        game=game.name,
        said="\n".join(paragraphs([said])),
        asked=report.asked if form else "",
        sheet=form and form.rstrip("\n"),
    )
    stamp = f"chat.{game.name}.{side}.{game.adjudication}.{answered.digest[:24]}"
    attached = Attachments(sheet=form, receipt=enclosed(game, side))
    return letter(settings, answered.sender, stamp, text, answered, attached, About(game, side, shared=False))
