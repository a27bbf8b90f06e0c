"""The letters that are sent, put together from templates, the report, the map and the form.

Nothing here changes a game. Each letter has a name, which is also the first half of its Message-ID. The same letter
written twice is therefore one letter in the outbox, and an answer to it shows which game it is about. The name of a
letter with a form also has the side and the last adjudication, so that the answer shows what it answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from pbem.crypto.beacon import address
from pbem.crypto.seal import salt_of
from pbem.game.scene import Scene
from pbem.game.wording import listing, on_one_line
from pbem.mail.echo import echo
from pbem.mail.letter import Letter
from pbem.mail.marked_sheet import MARK, marked
from pbem.mail.outbox import Attachments, Draft, compose
from pbem.mail.own_orders import as_written
from pbem.mail.receipts import enclosed
from pbem.orders.check import Receipt
from pbem.orders.sheet import sentence
from pbem.protocol import Decision, Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import OpenGame
from pbem.render.picture import render
from pbem.render.report import WIDTH, Mail, Report, ReportRequest, mail, report
from pbem.render.wrap import folded
from pbem.repo.layout import sheet_path, turn_path

OWN_SHEET: Final = "your-sheet.yaml"
"""The name under which players get their own sheet back, as it was read."""
_INDENT: Final = "  "
_NOTHING_ATTACHED: Final = Attachments()
_KEEP: Final = "Keep this letter: `pbem verify --letters` compares it with the game."
"""What stands above the receipt in the text of a letter."""


@dataclass(frozen=True, slots=True)
class MailSettings:
    """The settings for one round of mail: where games, keys and boxes are, the address to write from, the time."""

    games: Path
    keys: Path
    sender: str
    now: datetime
    boxes: Sequence[Path] = ()
    drawings: Path | None = None
    """Folder where drawn maps are kept between letters."""
    outbox: Path | None = None
    """Maildir that answers are put into while the game is locked; None: they are returned only."""

    @property
    def host(self) -> str:
        """The host in the Message-IDs of its letters."""
        return self.sender.rpartition("@")[2].rstrip(">") or "localhost"


@dataclass(slots=True)
class Outgoing:
    """A letter to be sent: its content, and the name under which it is written to the outbox, once."""

    to: str
    name: str
    content: bytes
    file: Path | None = None
    """Where it lies in the outbox, once it does."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A letter that is answered: the answers to its commands, and which of its sheets was accepted, if one was."""

    letter: Letter
    paragraphs: Sequence[str] = ()
    sheet: int | None = None
    after: int = 0
    """The last adjudication before that sheet."""


class Maps:
    """The maps of one round of letters: where sides see the same, one picture is drawn for them all."""

    def __init__(self, drawings: Path | None = None) -> None:
        self._drawings = drawings
        self._drawn: list[tuple[Scene, bytes]] = []

    def picture(self, game: OpenGame, side: Side | None, since: int) -> bytes:
        """Return the map as a side may see it, with arrows for what happened after an adjudication, as PNG."""
        scene: Scene = game.rules.scene(game.view(side), [told.event for told in game.told(side, since)])
        for other, picture in self._drawn:
            if other == scene:
                return picture
        self._drawn.append((scene, render(scene, cache_folder=self._drawings)))
        return self._drawn[-1][1]


# ---------------------------------------------------------------------------------------------- reports


def side_report(game: OpenGame, side: Side | None, since: int) -> Report:
    """Return the report of a game for a side or an observer, of what happened after an adjudication."""
    return report_of(game, side, since, game.open_decisions)


def report_of(game: OpenGame, side: Side | None, since: int, waiting: Sequence[Decision]) -> Report:
    """Return the report of a game with these questions in it."""
    request = ReportRequest(
        game=game.name,
        adjudication=game.adjudication,
        side=side,
        view=game.view(side),
        events=as_written(game, side, game.told(side, since)),
        waiting=waiting,
        others=[each.side for each in game.open_decisions],
        result=game.result,
        filed=[each.written() for each in game.standing(side)] if side is not None else (),
        list_filed=since == game.adjudication,
        chain=None if side is None else game.player_chain(side),
        rulings=list(_rulings(game, side)),
        ruled=side in game.defaults,
        sheets=(0, 0) if side is None else _sheets_used(game, side, since),
    )
    return report(game.rules, game.box, request)


def _sheets_used(game: OpenGame, side: Side, since: int) -> tuple[int, int]:
    """Return how many sheets of a side went in after an adjudication, and how many of it there are."""
    turns = (game.ledger.public_turn(n) for n in range(max(since, 0) + 1, game.adjudication + 1))
    return sum(len(turn.get("sheets", {}).get(side, ())) for turn in turns), game.sheets(side)


def _rulings(game: OpenGame, side: Side | None) -> Iterator[str]:
    """Yield the rulings of the game master that are in force; the order itself only to the side that it is for."""
    for of, ruled in game.defaults.items():
        own = f": {ruled.order.kind} {on_one_line(ruled.order.body)}" if of == side else f" ({ruled.order.kind})"
        yield f"RULING in force: if the deadline of {called(game, of)} passes, the game master's answer counts{own}."


def map_picture(game: OpenGame, side: Side | None, since: int, drawings: Path | None = None) -> bytes:
    """Return the map as a side may see it, with arrows for what happened after an adjudication, as PNG."""
    return Maps(drawings).picture(game, side, since)


# ---------------------------------------------------------------------------------------------- letters of a game


def welcome_letters(game: Adjudicator, settings: MailSettings) -> Iterator[Outgoing]:
    """Yield the letter that asks for a phrase before a game begins, to every side that has an address."""
    for side in game.rules.sides:
        if side in game.ledger.addresses:
            yield welcome_letter(game, side, settings)


def welcome_letter(game: Adjudicator, side: Side, settings: MailSettings) -> Outgoing:
    """Return the letter that asks a side for a phrase before a game begins."""
    words = mail("welcome", begins=_begins(game, side), key=game.charter.signed_by.split()[:2], **heading(game, side))
    count = game.ledger.joined(side).addresses
    stamp = f"welcome.{game.name}.{side}" + (f".{count}" if count else "")
    attached = Attachments(receipt=enclosed(game, side))
    return letter(settings, game.ledger.addresses[side], stamp, words, attached=attached)


def first_letters(game: Adjudicator, settings: MailSettings, answered: Answered | None = None) -> Iterator[Outgoing]:
    """Yield the first report to every side that has an address; `answered` is the letter that began the game."""
    maps = Maps(settings.drawings)
    for side in game.rules.sides:
        to_it = answered is not None and game.ledger.side_of(answered.letter.sender) == side
        yield from turn_letter(game, side, 0, settings, maps, answered if to_it else None)


def turn_letter(
    game: Adjudicator,
    side: Side,
    since: int,
    settings: MailSettings,
    maps: Maps,
    answered: Answered | None = None,
    stamp: str = "",
) -> Iterator[Outgoing]:
    """Yield the letter that tells a side what happened after an adjudication (0: the first), if it has an address.

    `answered` is the letter of that side that it answers, `stamp` the letter's name, if it is not the usual one.
    """
    if side not in game.ledger.addresses:
        return
    told = side_report(game, side, since)
    number = answered.sheet if answered and since else None
    values: dict[str, object] = {
        "report": told.text,
        "answers": paragraphs(answered.paragraphs if answered else ()),
    }
    if since:
        receipt = {} if number is None or answered is None else _receipt(game, side, number, answered.after)
        text = mail("turn", game=game.name, summary=told.summary, asked=told.asked, receipt=receipt, **values)
    else:
        text = mail("first", phrases=_went_in(game), **values, **heading(game, side))
    if not stamp:
        stamp = f"{game.name}.{side}.{game.adjudication}"
        if game.adjudication == since:
            stamp += f".sheet-{number or game.sheets(side)}"
    attached = Attachments(
        picture=maps.picture(game, side, since),
        sheet=told.sheet,
        position=json.dumps(game.take_home(side), indent=1, ensure_ascii=False),
        own_sheet=None if number is None else (OWN_SHEET, game.ledger.sheet(side, number)),
        receipt=enclosed(game, side, since, number),
    )
    yield letter(settings, game.ledger.addresses[side], stamp, text, answered.letter if answered else None, attached)


def closing_letters(game: Adjudicator, settings: MailSettings, answered: Answered | None = None) -> Iterator[Outgoing]:
    """Yield the letters that tell every side that has an address that the sheets are closed, while they are.

    `answered` is the letter that closed them, if one did.
    """
    if (closed := game.closed) is not None:
        for side, to in game.ledger.addresses.items():
            to_it = answered if answered is not None and game.ledger.side_of(answered.letter.sender) == side else None
            number = to_it.sheet if to_it else None
            text = mail(
                "closed",
                game=game.name,
                player=game.player(side),
                adjudication=closed.adjudication,
                round=closed.round,
                time=closed.time,
                address=address(closed.round),
                closed=closed.closed,
                answers=paragraphs(to_it.paragraphs if to_it else ()),
                receipt={} if number is None else _receipt(game, side, number, closed.adjudication - 1),
            )
            own_sheet = None if number is None else (OWN_SHEET, game.ledger.sheet(side, number))
            stamp = f"{game.name}.{side}.closed-{closed.round}"
            if number is not None and number != game.sheets(side):  # an earlier letter, taken in again
                stamp += f".sheet-{number}"
            answers = to_it.letter if to_it else None
            attached = Attachments(own_sheet=own_sheet, receipt=enclosed(game, side, answered=number))
            yield letter(settings, to, stamp, text, answers, attached)


def _receipt(game: Adjudicator, side: Side, number: int, after: int) -> dict[str, object]:
    """Return how a sheet was read, where it is on record, its digest and the salt, so that its own side can check it.

    As long as the sheet is not used, the receipt also has what its orders will cost. Later the report says so.
    """
    ledger = game.ledger
    path, sheet = sheet_path(side, number), game.ledger.sheet(side, number)
    return {
        "path": path,
        "echo": echo(sheet),
        "digest": ledger.salted(path, sheet),
        "salt": salt_of(ledger.keys.hidden, path).hex(),
        "turn": turn_path(after + 1) if game.adjudication > after else "",
        "costs": [] if game.adjudication > after else _indented(game.costs(side)),
    }


def _indented(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in folded(line, WIDTH, _INDENT, 2 * _INDENT)]


def heading(game: Adjudicator, side: Side) -> dict[str, object]:
    """Return what the first letters say of a game: title, edition, players, the tip and digest of its dice."""
    dice = game.charter.dice
    return {
        "title": game.box.title,
        "edition": game.box.table("game")["editions"][game.charter.edition]["title"],
        "game": game.name,
        "player": game.player(side),
        "side": called(game, side),
        "players": {called(game, each): game.player(each) for each in game.rules.sides},
        "scheme": dice.scheme,
        "tip": dice.tip,
        "hidden": dice.hidden,
        "beacon": dice.beacon,
    }


def called(game: OpenGame, side: Side) -> str:
    """Return a side's name as players write it."""
    return next(each["name"] for each in game.box.sides if each["id"] == side)


def _begins(game: Adjudicator, side: Side) -> list[str]:
    """Return the lines that tell when the game begins."""
    others = [called(game, each) for each in game.awaited if each != side]
    if not others:
        return paragraphs(["The game begins when you have sent it. You then get your first report."])
    both = listing([*others, "you"])
    return paragraphs(
        [
            f"The game begins when {both} have sent a phrase. You then get your first report. Until then, a second "
            "phrase replaces the first."
        ]
    )


def _went_in(game: Adjudicator) -> list[str]:
    """Return the lines that say what went into the first dice from each side: a side can deny what it never sent."""
    lines = []
    went_in = game.ledger.public_turn(1).get("joined", {})
    for side in game.rules.sides:
        joined = went_in.get(side, {})
        phrase = joined.get("phrase")
        told = f"{called(game, side)} sent no phrase." if phrase is None else f"{called(game, side)}: {phrase}"
        # The bar keeps another player's words from being read as the start of a sheet when they are quoted.
        lines += folded(told, WIDTH, _INDENT, f"{_INDENT}| ")
        if (chain := joined.get("chain")) is not None:
            lines += [f"{_INDENT}| With a dice chain of its own:", f"{_INDENT}| {chain['tip']} {chain['length']}"]
        if (key := joined.get("key")) is not None:
            lines += folded(f"| With the key: {key}", WIDTH, _INDENT, f"{_INDENT}| ")
    return lines


# ---------------------------------------------------------------------------------------------- other letters


def returned(game: Adjudicator, receipt: Receipt, answered: Letter, settings: MailSettings) -> Outgoing:
    """Return the letter that sends a sheet with faults back, or that says that it came too late."""
    receipted = enclosed(game, receipt.side)
    if (closed := game.closed) is not None:
        words = mail("too_late", game=game.name, adjudication=closed.adjudication, round=closed.round, time=closed.time)
        stamp = f"late.{game.name}.{receipt.side}.{game.adjudication}.{answered.digest[:24]}"
        return letter(settings, answered.sender, stamp, words, answered, Attachments(receipt=receipted))
    own = marked(receipt.lines, receipt.complaints)
    words = mail(
        "faults",
        game=game.name,
        count=len(receipt.complaints),
        mark=MARK,
        sheet=own.rstrip("\n"),
        reasons=[] if own else paragraphs(sentence(each.fault) for each in receipt.complaints),
    )
    again = side_report(game, receipt.side, game.adjudication).sheet
    stamp = f"faults.{game.name}.{receipt.side}.{game.adjudication}.{answered.digest[:24]}"
    return letter(settings, answered.sender, stamp, words, answered, Attachments(sheet=again, receipt=receipted))


def foreseen_letter(game: Adjudicator, foreseen: str, again: str, answered: Letter, settings: MailSettings) -> Outgoing:
    """Return the letter that says what a sheet may lead to, with the sheet enclosed `again`."""
    words = mail("forecast", game=game.name, forecast=foreseen)
    side = game.ledger.side_of(answered.sender)
    stamp = f"forecast.{game.name}.{side}.{game.adjudication}.{answered.digest[:24]}"
    attached = Attachments(sheet=again, receipt=enclosed(game, side))
    return letter(settings, answered.sender, stamp, words, answered, attached)


def commands_letter(game: Adjudicator, answered: Answered, sheet: str | None, settings: MailSettings) -> Outgoing:
    """Return the letter that answers the commands of a letter, with the form of its side if it was asked for."""
    asked = answered.letter
    said = ", ".join(dict.fromkeys(each.command for each in asked.commands)) or "your letter"
    lines = paragraphs(answered.paragraphs)
    text = mail("commands", game=game.name, commands=said, answers=lines, sheet=sheet and sheet.rstrip("\n"))
    side = game.ledger.side_of(asked.sender)
    stamp = f"words.{game.name}.{side}.{game.adjudication}.{asked.digest[:24]}"
    attached = Attachments(sheet=sheet, receipt=enclosed(game, side))
    return letter(settings, asked.sender, stamp, text, asked, attached)


def help_letter(answered: Letter, settings: MailSettings) -> Outgoing:
    """Return the letter that explains how to play by mail; it names no game."""
    return letter(settings, answered.sender, f"help.{answered.digest[:24]}", mail("help"), answered)


def refusal_letter(
    reason: str, number: int, answered: Letter, settings: MailSettings, *, reported: bool = True
) -> Outgoing:
    """Return the letter that says why nothing was carried out; `number` keeps several of them apart.

    `reported`: its reader may have had a report, with a form at its end.
    """
    lines = "\n".join(paragraphs([reason]))
    sheet = reported and bool(answered.enclosures or not answered.commands)
    words = mail("refusal", subject=answered.subject, reason=lines, sheet=sheet)
    return letter(settings, answered.sender, f"refusal.{answered.digest[:24]}.{number}", words, answered)


def paragraphs(texts: Iterable[str]) -> list[str]:
    """Return texts as folded lines with a blank line between them; an indented line is left as it is."""
    lines: list[str] = []
    for text in texts:
        lines += [""] if lines else []
        for line in text.split("\n"):
            lines += [line] if line.startswith(" ") or not line else folded(line, WIDTH)
    return lines


def letter(
    settings: MailSettings,
    to: str,
    stamp: str,
    text: Mail,
    answered: Letter | None = None,
    attached: Attachments = _NOTHING_ATTACHED,
) -> Outgoing:
    """Return a letter under its name. A receipt that is attached also ends its text."""
    below = "" if attached.receipt is None else f"\n\n{_KEEP}\n\n{attached.receipt}"
    draft = Draft(
        sender=settings.sender,
        to=to,
        subject=text.subject,
        text=text.text + below,
        message_id=f"<{stamp}@{settings.host}>",
        date=settings.now,
        in_reply_to=answered.message_id if answered else None,
        references=answered.references if answered else (),
        attached=attached,
    )
    return Outgoing(to, stamp, compose(draft))
