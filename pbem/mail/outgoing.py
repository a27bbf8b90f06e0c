"""The letters that are sent: what each is for, put together from templates, the report, the map and the form.

Nothing here changes a game. Each letter has a name, which is also the first half of its Message-ID: the same letter
written twice is one letter in the outbox, and an answer to it tells which game it is about.
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
from pbem.engine.cases.compare import shown
from pbem.game.scene import Scene
from pbem.mail.letter import Letter
from pbem.mail.outbox import compose
from pbem.orders.check import Receipt
from pbem.protocol import Decision, Side
from pbem.referee.adjudicator import Adjudicator
from pbem.render.picture import render
from pbem.render.report import WIDTH, Mail, Report, mail, report
from pbem.render.wrap import folded
from pbem.repo.layout import sheet_path, turn_path

OWN_SHEET: Final = "your-sheet.yaml"
"""The name under which a player gets his own sheet back, as it was read."""
_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class Office:
    """Where the post office of a server stands: its folders, the address it writes from, and the time."""

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
    """A letter that is answered: what is said to its words, and which of its sheets was put on record, if one was."""

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

    def picture(self, game: Adjudicator, side: Side | None, since: int) -> bytes:
        """Return the map as a side may see it, with arrows for what happened after an adjudication, as PNG."""
        scene: Scene = game.rules.scene(game.view(side), [told.event for told in game.told(side, since)])
        for other, picture in self._drawn:
            if other == scene:
                return picture
        self._drawn.append((scene, render(scene, cache_folder=self._drawings)))
        return self._drawn[-1][1]


# ---------------------------------------------------------------------------------------------- reports


def side_report(game: Adjudicator, side: Side | None, since: int) -> Report:
    """Return the report of a game for a side or an onlooker, of what happened after an adjudication."""
    return report_of(game, side, since, game.open_decisions)


def report_of(game: Adjudicator, side: Side | None, since: int, waiting: Sequence[Decision]) -> Report:
    """Return the report of a game with these questions in it."""
    return report(
        game.rules, game.box, game=game.name, adjudication=game.adjudication, side=side, view=game.view(side),
        events=game.told(side, since), waiting=waiting, others=[each.side for each in game.open_decisions],
        result=game.result, filed=[each.written() for each in game.standing(side)] if side is not None else (),
        list_filed=since == game.adjudication, chain=None if side is None else game.own_chain(side),
        rulings=list(_rulings(game, side)), ruled=side in game.defaults,
    )  # fmt: skip


def _rulings(game: Adjudicator, side: Side | None) -> Iterator[str]:
    """Yield what the game master has ruled and is in force; the order itself only to the side that it is for."""
    for of, ruled in game.defaults.items():
        own = f": {ruled.order.kind} {shown(ruled.order.body)}" if of == side else f" ({ruled.order.kind})"
        yield f"RULING in force: if the deadline of {called(game, of)} passes, the game master's answer counts{own}."


def map_picture(game: Adjudicator, side: Side | None, since: int, drawings: Path | None = None) -> bytes:
    """Return the map as a side may see it, with arrows for what happened after an adjudication, as PNG."""
    return Maps(drawings).picture(game, side, since)


# ---------------------------------------------------------------------------------------------- letters of a game


def welcome_letters(game: Adjudicator, office: Office) -> Iterator[Outgoing]:
    """Yield the letter before a game begins, to every side that has an address: it asks for a phrase."""
    for side in game.rules.sides:
        if side in game.ledger.addresses:
            words = mail(
                "welcome", begins=_begins(game, side), key=game.charter.signed_by.split()[:2], **_heading(game, side)
            )
            stamp = f"welcome.{game.name}.{side}"
            yield letter(office, game.ledger.addresses[side], stamp, words)


def first_letters(game: Adjudicator, office: Office, answered: Answered | None = None) -> Iterator[Outgoing]:
    """Yield the first report to every side that has an address; `answered` is the letter that began the game."""
    maps = Maps(office.drawings)
    for side in game.rules.sides:
        to_it = answered is not None and game.side_of(answered.letter.sender) == side
        yield from turn_letter(game, side, 0, office, maps, answered if to_it else None)


def turn_letter(
    game: Adjudicator, side: Side, since: int, office: Office, maps: Maps, answered: Answered | None = None,
    stamp: str = "",
) -> Iterator[Outgoing]:  # fmt: skip
    """Yield the letter that tells a side what happened after an adjudication (0: the first), if it has an address.

    `answered` is the letter of that side that it answers, `stamp` the letter's name, if it is not the usual one.
    """
    if side not in game.ledger.addresses:
        return
    what = side_report(game, side, since)
    answers = paragraphs(answered.paragraphs if answered else ())
    if since:
        number, after = (answered.sheet, answered.after) if answered else (None, 0)
        receipt = {} if number is None else _receipt(game, side, number, after)
        words = mail(
            "turn", game=game.name, summary=what.summary, asked=what.asked, report=what.text, answers=answers,
            receipt=receipt,
        )  # fmt: skip
    else:
        number = None
        words = mail(
            "first", phrases=_went_in(game), report=what.text, answers=answers, **_heading(game, side)
        )  # fmt: skip
    if not stamp:
        stamp = f"{game.name}.{side}.{game.adjudication}"
        if game.adjudication == since:
            stamp += f".sheet-{game.sheets(side)}"
    yield letter(
        office, game.ledger.addresses[side], stamp, words, answered.letter if answered else None,
        maps.picture(game, side, since), what.sheet, json.dumps(game.take_home(side), indent=1, ensure_ascii=False),
        None if number is None else game.ledger.sheet(side, number),
    )  # fmt: skip


def closing_letters(game: Adjudicator, office: Office, answered: Answered | None = None) -> Iterator[Outgoing]:
    """Yield the letters that tell every side that has an address that the sheets are closed, while they are.

    `answered` is the letter that closed them, if one did.
    """
    if (closed := game.closed) is not None:
        for side, to in game.ledger.addresses.items():
            to_it = answered if answered is not None and game.side_of(answered.letter.sender) == side else None
            number = to_it.sheet if to_it else None
            words = mail(
                "closed", game=game.name, player=game.charter.players[side], adjudication=closed.adjudication,
                round=closed.round, time=closed.time, address=address(closed.round), closed=closed.closed,
                answers=paragraphs(to_it.paragraphs if to_it else ()),
                receipt={} if number is None else _receipt(game, side, number, closed.adjudication - 1),
            )  # fmt: skip
            yield letter(
                office, to, f"{game.name}.{side}.closed-{closed.round}", words, to_it.letter if to_it else None,
                own=None if number is None else game.ledger.sheet(side, number),
            )  # fmt: skip


def _receipt(game: Adjudicator, side: Side, number: int, after: int) -> dict[str, object]:
    """Return where a sheet is on record, its salted digest and the salt: what its own side needs to check it.

    As long as the sheet lies ready it has what the orders in it will cost, too; later the report says so.
    """
    ledger = game.ledger
    path = sheet_path(side, number)
    return {
        "path": path,
        "digest": ledger.salted(path, ledger.sheet(side, number)),
        "salt": salt_of(ledger.keys.hidden, path).hex(),
        "turn": turn_path(after + 1) if game.adjudication > after else "",
        "costs": [] if game.adjudication > after else _indented(game.costs(side)),
    }


def _indented(lines: Iterable[str]) -> list[str]:
    return [part for line in lines for part in folded(line, WIDTH, _INDENT, 2 * _INDENT)]


def _heading(game: Adjudicator, side: Side) -> dict[str, object]:
    """Return what the first letters say of a game: title, edition, players, the tip and digest of its dice."""
    dice = game.charter.dice
    return {
        "title": game.box.title,
        "edition": game.box.table("game")["presets"][game.charter.preset]["title"],
        "game": game.name,
        "player": game.charter.players[side],
        "side": called(game, side),
        "players": {called(game, each): who for each, who in game.charter.players.items()},
        "scheme": dice.scheme,
        "tip": dice.tip,
        "hidden": dice.hidden,
        "beacon": dice.beacon,
    }


def called(game: Adjudicator, side: Side) -> str:
    """Return a side's name as players write it."""
    return next(each["name"] for each in game.box.sides if each["id"] == side)


def _begins(game: Adjudicator, side: Side) -> list[str]:
    """Return the lines that tell when the game begins."""
    others = [called(game, each) for each in game.awaited if each != side]
    if not others:
        return paragraphs(["The game begins when you have sent it; you then get your first report."])
    both = " and ".join([*others, "you"])
    return paragraphs(
        [
            f"The game begins when {both} have sent a phrase; you then get your first report. Until then a second "
            "phrase takes the place of the first."
        ]
    )


def _went_in(game: Adjudicator) -> list[str]:
    """Return the lines that tell what of each side went into the first dice, so that it can deny what it never sent."""
    lines = []
    went_in = game.ledger.public_turn(1).get("joined", {})
    for side in game.rules.sides:
        joined = went_in.get(side, {})
        phrase = joined.get("phrase")
        told = f"{called(game, side)} sent none." if phrase is None else f"{called(game, side)}: {phrase}"
        # The bar keeps a line of somebody else's words from being read as the beginning of a sheet when it is quoted.
        lines += folded(told, WIDTH, _INDENT, f"{_INDENT}| ")
        if (chain := joined.get("chain")) is not None:
            lines += [f"{_INDENT}| With a dice chain of its own:", f"{_INDENT}| {chain['tip']} {chain['length']}"]
        if (key := joined.get("key")) is not None:
            lines += folded(f"| With the key: {key}", WIDTH, _INDENT, f"{_INDENT}| ")
    return lines


# ---------------------------------------------------------------------------------------------- other letters


def returned(game: Adjudicator, receipt: Receipt, answered: Letter, office: Office) -> Outgoing:
    """Return the letter that sends a sheet with faults back, or that says that it came too late."""
    if (closed := game.closed) is not None:
        words = mail("too_late", game=game.name, adjudication=closed.adjudication, round=closed.round, time=closed.time)
        return letter(office, answered.sender, f"late.{game.name}.{answered.digest[:24]}", words, answered)
    words = mail("faults", game=game.name, count=len(receipt.complaints), complaint=str(receipt), deadline=None)
    again = side_report(game, receipt.side, game.adjudication).sheet
    stamp = f"faults.{game.name}.{answered.digest[:24]}"
    return letter(office, answered.sender, stamp, words, answered, None, again)


def foreseen_letter(game: Adjudicator, foreseen: str, again: str, answered: Letter, office: Office) -> Outgoing:
    """Return the letter that says what a sheet may lead to, with the sheet enclosed `again`."""
    words = mail("forecast", game=game.name, forecast=foreseen)
    stamp = f"forecast.{game.name}.{answered.digest[:24]}"
    return letter(office, answered.sender, stamp, words, answered, None, again)


def words_letter(game: Adjudicator, answered: Answered, sheet: str | None, office: Office) -> Outgoing:
    """Return the letter that answers the words of a letter, with the form of its side if it was asked for."""
    asked = answered.letter
    said = ", ".join(dict.fromkeys(word.partition(" ")[0] for word in asked.words)) or "your letter"
    lines = paragraphs(answered.paragraphs)
    words = mail("words", game=game.name, words=said, answers=lines, sheet=sheet and sheet.rstrip("\n"))
    return letter(office, asked.sender, f"words.{game.name}.{asked.digest[:24]}", words, asked, None, sheet)


def help_letter(answered: Letter, office: Office) -> Outgoing:
    """Return the letter that tells the rules of the post; it names no game."""
    return letter(office, answered.sender, f"help.{answered.digest[:24]}", mail("help"), answered)


def refusal_letter(reason: str, number: int, answered: Letter, office: Office) -> Outgoing:
    """Return the letter that says why nothing was carried out; `number` keeps several of them apart."""
    lines = "\n".join(paragraphs([reason]))
    words = mail(
        "refusal", subject=answered.subject, reason=lines, sheet=bool(answered.enclosures or not answered.words)
    )
    return letter(office, answered.sender, f"refusal.{answered.digest[:24]}.{number}", words, answered)


def paragraphs(texts: Iterable[str]) -> list[str]:
    """Return texts as folded lines with a blank line between them; an indented line is left as it is."""
    lines: list[str] = []
    for text in texts:
        lines += [""] if lines else []
        for line in text.split("\n"):
            lines += [line] if line.startswith(" ") or not line else folded(line, WIDTH)
    return lines


def letter(
    office: Office, to: str, stamp: str, words: Mail, answered: Letter | None = None,
    picture: bytes | None = None, sheet: str | None = None, position: str | None = None, own: bytes | None = None,
) -> Outgoing:  # fmt: skip
    """Return a letter under its name; `own` is a player's sheet that he gets back as it was read."""
    content = compose(
        sender=office.sender, to=to, subject=words.subject, text=words.text, picture=picture, sheet=sheet,
        position=position, own_sheet=None if own is None else (OWN_SHEET, own),
        message_id=f"<{stamp}@{office.host}>", date=office.now,
        in_reply_to=answered.message_id if answered else None, references=answered.references if answered else (),
    )  # fmt: skip
    return Outgoing(to, stamp, content)
