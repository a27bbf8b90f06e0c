"""The letters that answer one player: sheets sent back, forecasts, answers to commands, help, refusals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pbem.mail.commands import Command
from pbem.mail.echo import echo
from pbem.mail.letter import Letter
from pbem.mail.marked_sheet import MARK, marked
from pbem.mail.outbox import Attachments
from pbem.mail.outgoing import About, Answered, MailSettings, Outgoing, letter, paragraphs, side_report
from pbem.mail.receipts import enclosed
from pbem.orders.check import Receipt
from pbem.orders.forgive import Answering
from pbem.orders.sheet import sentence
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.render.pictures import Picture
from pbem.render.report import mail

_BEFORE_SUBJECT: Final = re.compile(r"(?:\s*(?:re|aw|antw|sv|vs|odp|fwd?|wg)\s*(?:\[\d+\])?\s*:)+\s*", re.IGNORECASE)
"""What mail programs put before the subject of an answer."""


def returned(
    game: Adjudicator, receipt: Receipt, answered: Letter, settings: MailSettings, answers: Sequence[str] = ()
) -> Outgoing:
    """Return the letter that sends a sheet with faults back, or says that it came too late; `answers` stand first."""
    receipted, about = enclosed(game, receipt.side), About(game, receipt.side, shared=False)
    if (closed := game.closed) is not None:
        words = mail("too_late", game=game.name, adjudication=closed.adjudication, round=closed.round, time=closed.time)
        stamp = f"late.{game.name}.{receipt.side}.{game.adjudication}.{answered.digest[:24]}"
        return letter(settings, answered.sender, stamp, words, answered, Attachments(receipt=receipted), about)
    own = marked(receipt.lines, receipt.complaints, Answering(game.name, receipt.side, game.adjudication))
    words = mail(
        "faults",
        game=game.name,
        count=len(receipt.complaints),
        mark=MARK,
        sheet=own.rstrip("\n"),
        reasons=[] if own else paragraphs(sentence(each.fault) for each in receipt.complaints),
        answers=paragraphs(answers),
        forecast=any(each.command == Command.FORECAST for each in answered.commands),
    )
    again = side_report(game, receipt.side, game.adjudication).sheet
    stamp = f"faults.{game.name}.{receipt.side}.{game.adjudication}.{answered.digest[:24]}"
    return letter(settings, answered.sender, stamp, words, answered, Attachments(sheet=again, receipt=receipted), about)


def foreseen_letter(
    game: Adjudicator, side: Side, foreseen: str, again: str, answered: Letter, settings: MailSettings
) -> Outgoing:
    """Return the letter that says what a sheet may lead to, with the sheet enclosed `again`."""
    read = echo(again.encode(), rest="the rest is in orders.yaml")
    words = mail("forecast", game=game.name, forecast=foreseen, echo=read)
    stamp = f"forecast.{game.name}.{side}.{game.adjudication}.{answered.digest[:24]}"
    attached = Attachments(sheet=again, receipt=enclosed(game, side))
    return letter(settings, answered.sender, stamp, words, answered, attached, About(game, side, shared=False))


def commands_letter(
    game: Adjudicator,
    answered: Answered,
    sheet: str | None,
    settings: MailSettings,
    position: str = "",
    *,
    refused: bool = False,
) -> Outgoing:
    """Return the letter that answers the commands of a letter; its subject says if one is `refused`.

    It has the form of its side if it was asked for, and says where things stand (`position`) if that was.
    """
    asked = answered.letter
    said = ", ".join(dict.fromkeys(each.command for each in asked.commands)) or "your letter"
    lines = paragraphs(answered.paragraphs)
    form = sheet and sheet.rstrip("\n")
    words = {"commands": said, "refused": refused, "one": ", " not in said}
    text = mail("commands", game=game.name, answers=lines, sheet=form, position=position, **words)
    side = answered.side
    stamp = f"words.{game.name}.{side}.{game.adjudication}.{asked.digest[:24]}"
    attached = Attachments(sheet=sheet, standing=position or None, receipt=enclosed(game, side))
    return letter(settings, asked.sender, stamp, text, asked, attached, About(game, side, shared=False))


def help_letter(answered: Letter, settings: MailSettings, legends: Sequence[Picture] = ()) -> Outgoing:
    """Return the letter that explains how to play by mail; it names no game.

    `legends` are what the signs on the maps of the game mean that it is about.
    """
    attached = Attachments(pictures=legends)
    return letter(settings, answered.sender, f"help.{answered.digest[:24]}", mail("help"), answered, attached)


def refusal_letter(
    reason: str, number: int, answered: Letter, settings: MailSettings, *, reported: bool = True
) -> Outgoing:
    """Return the letter that says why nothing was carried out; `number` keeps several of them apart.

    `reported`: its reader may have had a report, with a form at its end.
    """
    lines = "\n".join(paragraphs([reason]))
    sheet = reported and bool(answered.enclosures or not answered.commands)
    words = mail("refusal", subject=_BEFORE_SUBJECT.sub("", answered.subject), reason=lines, sheet=sheet)
    return letter(settings, answered.sender, f"refusal.{answered.digest[:24]}.{number}", words, answered)
