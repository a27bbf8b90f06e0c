"""The letters that answer one player: sheets sent back or echoed, forms, answers to commands, refusals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pbem.game import yaml as yamlio
from pbem.game.wording import on_one_line
from pbem.mail.read.letter import Letter
from pbem.mail.read.own_text import MARK, marked
from pbem.mail.write.draft import Attachments
from pbem.mail.write.enclosures import enclosed
from pbem.mail.write.outgoing import (
    NOTHING_ATTACHED,
    About,
    Answered,
    MailSettings,
    NewLetter,
    Outgoing,
    build_letter,
    folded_paragraphs,
    side_report,
)
from pbem.orders.check import Receipt
from pbem.orders.forgive import Answering, changes_of_sense
from pbem.orders.sheet import AHEAD, DEFAULT, ORDERS, STANDING, STANDING_ADD, STANDING_CANCEL, fault_sentence
from pbem.protocol import Record, Side
from pbem.referee.game.open_game import OpenGame
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.map.pictures import Picture
from pbem.render.text.form import short_order
from pbem.render.text.report import NO_WORDS, Mail, Written, mail
from pbem.render.text.text_lines import folded

MOST_LINES: Final = 12
"""So many lines of an echo are shown in a letter; the whole sheet is enclosed."""
_WIDTH: Final = 66
_BAR: Final = "| "
"""Stands before each line, so that none is taken for an order when the letter is quoted."""
_BEFORE_SUBJECT: Final = re.compile(r"(?:\s*(?:re|aw|antw|sv|vs|odp|fwd?|wg)\s*(?:\[\d+\])?\s*:)+\s*", re.IGNORECASE)
"""What mail programs put before the subject of an answer."""


def echo(canonical: bytes, most: int = MOST_LINES, rest: str = "the rest is in your-sheet.yaml") -> list[str]:
    """Return the lines that say how a sheet was read: its orders, and which words were taken for others."""
    text = canonical.decode("utf-8", "replace")
    value = yamlio.read(text, name="sheet").value
    lines = [*_order_lines(value), *_standing_lines(value)]
    for change in changes_of_sense(text):
        lines += folded(f"({change})", _WIDTH, later=" ")
    if len(lines) > most:
        lines = [*lines[: most - 1], f"... {rest}"]
    return [_BAR + line for line in lines]


def _order_lines(sheet: Record) -> Iterator[str]:
    if sheet.get(AHEAD):
        yield f"{AHEAD}: true"
    for order in sheet.get(ORDERS) or ():
        ((kind, body),) = order.items()
        yield from short_order(kind, body or {}, _WIDTH)
    if ORDERS in sheet and not sheet[ORDERS]:
        yield f"{ORDERS}: []"


def _standing_lines(sheet: Record) -> Iterator[str]:
    """Yield the lines of the standing orders that a sheet files."""
    for key in (STANDING, STANDING_ADD):
        written: Any = sheet.get(key)
        if isinstance(written, str) or written == []:
            yield f"{key}: {on_one_line(written)}"
        elif written is not None:
            yield f"{key}:"
            for item in written:
                shown = item if item == DEFAULT else on_one_line(item)[1:-1]
                yield from folded(f"- {shown}", _WIDTH, later="  ")
    if STANDING_CANCEL in sheet:
        yield f"{STANDING_CANCEL}: {on_one_line(sheet[STANDING_CANCEL])}"


def returned(
    game: Adjudicator, receipt: Receipt, answered: Letter, settings: MailSettings, answers: Sequence[str] = ()
) -> Outgoing:
    """Return the letter that sends a sheet with faults back, or says that it came too late; `answers` stand first."""
    to = Answered(answered, side=receipt.side)
    if (closed := game.closed) is not None:
        words = mail("too_late", game=game.name, adjudication=closed.adjudication, round=closed.round, time=closed.time)
        return build_letter(settings, _to_writer(game, to, "late", words))
    own = marked(receipt.lines, receipt.complaints, Answering(game.name, receipt.side, game.adjudication))
    words = mail(
        "faults",
        game=game.name,
        count=len(receipt.complaints),
        mark=MARK,
        sheet=own.rstrip("\n"),
        reasons=[] if own else folded_paragraphs(fault_sentence(each.fault) for each in receipt.complaints),
        answers=folded_paragraphs(answers),
        forecast=answered.wants_forecast,
    )
    again = side_report(game, receipt.side, game.adjudication).sheet
    return build_letter(settings, _to_writer(game, to, "faults", words, Attachments(sheet=again)))


def _to_writer(
    game: Adjudicator, to: Answered, kind: str, words: Mail, attached: Attachments = NOTHING_ATTACHED
) -> NewLetter:
    """Return a letter of a kind that answers one letter, to its writer alone, with the receipt of their side."""
    stamp = f"{kind}.{game.name}.{to.side}.{game.adjudication}.{to.letter.digest[:24]}"
    attached = replace(attached, receipt=enclosed(game, to.side))
    return NewLetter(to.letter.sender, stamp, words, to.letter, attached, About(game, to.side, shared=False))


def foreseen_letter(game: Adjudicator, to: Answered, foreseen: str, again: str, settings: MailSettings) -> Outgoing:
    """Return the letter that says what a sheet may lead to, with the sheet enclosed `again`."""
    read = echo(again.encode(), rest="the rest is in orders.yaml")
    words = mail("forecast", game=game.name, forecast=foreseen, echo=read)
    return build_letter(settings, _to_writer(game, to, "forecast", words, Attachments(sheet=again)))


def commands_letter(
    game: Adjudicator, answered: Answered, sheet: str | None, settings: MailSettings, position: Written = NO_WORDS
) -> Outgoing:
    """Return the letter that answers the commands of a letter; its subject says if one is refused.

    It has the form of its side if it was asked for, and says where things stand (`position`) if that was.
    """
    asked = answered.letter
    said = ", ".join(dict.fromkeys(each.word.name for each in asked.commands)) or "your letter"
    lines = folded_paragraphs(answered.paragraphs)
    form = sheet and sheet.rstrip("\n")
    words = {"commands": said, "refused": answered.refused, "one": ", " not in said}
    text = mail("commands", game=game.name, answers=lines, sheet=form, position=position, **words)
    attached = Attachments(sheet=sheet, standing=position.text or None)
    return build_letter(settings, _to_writer(game, answered, "words", text, attached))


def help_letter(
    answered: Letter, settings: MailSettings, commands: Mapping[str, str], legends: Sequence[Picture] = ()
) -> Outgoing:
    """Return the letter that explains how to play by mail; it names no game.

    `commands` is what it says of the commands (`help_values`), `legends` what the signs on the maps of the game mean
    that it is about.
    """
    stamp, words = f"help.{answered.digest[:24]}", mail("help", **commands)
    return build_letter(settings, NewLetter(answered.sender, stamp, words, answered, Attachments(pictures=legends)))


def refusal_letter(
    reason: str, number: int, answered: Letter, settings: MailSettings, *, reported: bool = True
) -> Outgoing:
    """Return the letter that says why nothing was carried out; `number` keeps several of them apart.

    `reported`: its reader may have had a report, with a form at its end.
    """
    lines = "\n".join(folded_paragraphs([reason]))
    sheet = reported and bool(answered.enclosures or not answered.commands)
    words = mail("refusal", subject=_BEFORE_SUBJECT.sub("", answered.subject), reason=lines, sheet=sheet)
    return build_letter(
        settings, NewLetter(answered.sender, f"refusal.{answered.digest[:24]}.{number}", words, answered)
    )


def chat_letters(game: str, said: str, answered: Letter, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the answer to a letter about a game: what is `said`, and the form of each side of its sender that is asked.

    A sender who is not asked anything is told so once.
    """
    with settings.open(game) as opened:
        opened.carry_out_letter_of(settings.letter_time, settings.now)
        own = opened.written_by(answered.sender)
        asked = [side for side in own if opened.begun and any(each.side == side for each in opened.open_decisions)]
        for side in asked or own[:1]:
            yield _chat_letter(opened, side, said, answered, settings)


def no_orders(game: OpenGame, why: str) -> str:
    """Return what is said of a letter that has neither orders nor commands; `why` says what was looked for in it."""
    how = " To say something to the others, begin a line with the word SAY in capitals." if game.charter.talks else ""
    return f"Your letter arrived. {why}\n\nSo nothing has changed, and nobody else is told of it.{how}"


def _chat_letter(game: Adjudicator, side: Side, said: str, answered: Letter, settings: MailSettings) -> Outgoing:
    report = side_report(game, side, game.adjudication)
    form = report.sheet
    text = mail(
        "chat",
        game=game.name,
        said="\n".join(folded_paragraphs([said])),
        asked=report.asked if form else "",
        sheet=form and form.rstrip("\n"),
    )
    return build_letter(
        settings, _to_writer(game, Answered(answered, side=side), "chat", text, Attachments(sheet=form))
    )


def form_letter(game: Adjudicator, to: Answered, reason: str, form: str | None, settings: MailSettings) -> Outgoing:
    """Return the letter that refuses orders without a heading, with the form for the last report."""
    words = mail(
        "form", game=game.name, reason="\n".join(folded_paragraphs([reason])), sheet=form and form.rstrip("\n")
    )
    return build_letter(settings, _to_writer(game, to, "form", words, Attachments(sheet=form)))
