"""Letters in, letters out: a player's letter is carried out, and everybody concerned is written to.

A letter is known by the digest of its bytes. What it changes and the note that it was carried out are one commit,
so a letter that is taken in again, after a crash or by mistake, changes nothing and is answered again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from pbem.adjudicator import Adjudicator, CannotPlay
from pbem.checking import Receipt
from pbem.draw.foresight import foreseen
from pbem.draw.picture import render
from pbem.draw.text import Mail, Report, mail, report
from pbem.places import GAME_NAME
from pbem.post.inbox import open_letter
from pbem.post.letter import Enclosure, Letter
from pbem.post.outbox import compose
from pbem.protocol import Decision, Side
from pbem.scene import Scene
from pbem.store import NoSuchGame

FORECAST: Final = "FORECAST"
_GAME: Final = re.compile(r"""(?im)^[\s{]*(["']?)game\1\s*:\s*(["']?)([^\s"'#,}]*)\2""")


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


@dataclass(slots=True)
class Outgoing:
    """A letter to be sent: its content, and the name under which it is written to the outbox, once."""

    to: str
    name: str
    content: bytes


@dataclass(slots=True)
class Handled:
    """What became of a letter: the answers, whether all its sheets were accepted, and a line for the log."""

    letters: list[Outgoing] = field(default_factory=list)
    accepted: bool = True
    notes: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """What is wrong with each sheet that was sent back."""


def take_in(raw: bytes, office: Office) -> Handled:
    """Carry out a player's letter and write the answers; nothing is sent, and no bytes make it raise."""
    letter = open_letter(raw)
    handled = Handled()
    if letter.automatic or not letter.sender:
        handled.accepted = False
        why = "it was sent by a program" if letter.automatic else "it does not say plainly who sent it"
        handled.notes.append(f"letter {letter.digest[:12]} is left unanswered: {why}")
        return handled
    if letter.refusal is not None:
        _refuse(handled, letter, office, letter.refusal)
        return handled
    if letter.words and not letter.enclosures:
        words = ", ".join(word.partition(" ")[0] for word in letter.words)
        _refuse(handled, letter, office, f"It says {words}; requests of this kind are not answered yet, only orders.")
        return handled
    answered: set[str] = set()
    for enclosure in letter.enclosures:
        game = _game_of(enclosure)
        if game in answered:
            continue
        answered.add(game)
        try:
            _carry_out(handled, letter, enclosure, game, office)
        except NoSuchGame:
            _refuse(handled, letter, office, f"There is no game called {game} here. Is its name misspelt?")
        except CannotPlay as refusal:
            _refuse(handled, letter, office, str(refusal))
    return handled


def _game_of(enclosure: Enclosure) -> str:
    """Return the name of the game that a sheet is for, as far as it can be read."""
    found = _GAME.search(enclosure.text.decode("utf-8", "replace"))
    return found[3] if found else ""


def _carry_out(handled: Handled, letter: Letter, enclosure: Enclosure, name: str, office: Office) -> None:
    """Carry out one sheet of a letter, under the game's lock: the letter may be taken in twice at the same time."""
    if not GAME_NAME.fullmatch(name):
        raise CannotPlay(f"{enclosure.name} does not name its game in a line such as `game: punica`.")
    with Adjudicator.open(office.games, office.keys, name, folders=office.boxes) as game, game.ledger.repo.lock():
        game.today = office.now.date()
        side = game.side_of(letter.sender)
        if side is None:
            raise CannotPlay(f"{letter.sender} does not play in {name}. Write from the address you joined with.")
        if FORECAST in letter.words:
            _forecast(handled, game, side, letter, enclosure, office)
            return
        with game.ledger.repo.together():
            done = game.ledger.letter(letter.digest)
            if done is None:
                if _is_our_form(enclosure, game, side):
                    raise CannotPlay(_UNCHANGED)
                before = game.adjudication
                receipt = game.receive(side, enclosure.text, name=enclosure.name, letter=letter.digest)
                if receipt.number is None:
                    handled.accepted = False
                    handled.notes.append(f"{name}: a sheet of {side} has {len(receipt.complaints)} faults")
                    handled.complaints.append(str(receipt))
                    handled.letters.append(_returned(game, receipt, letter, office))
                    return
                handled.notes.append(f"{name}: sheet {receipt.number} of {side} accepted")
            else:
                before = done["after"]
                handled.notes.append(f"{name}: sheet {done['sheet']} of {side} was carried out before")
            numbers = game.adjudicate()
        handled.notes += [f"{name}: adjudication {n}" for n in numbers]
        moved_on = game.adjudication > before
        maps = Maps(office.drawings)
        for reader in game.rules.sides if moved_on else [side]:
            handled.letters += turn_letter(game, reader, before, office, maps, letter if reader == side else None)


def _forecast(
    handled: Handled, game: Adjudicator, side: Side, letter: Letter, enclosure: Enclosure, office: Office
) -> None:
    """Answer a sheet with what it may lead to; nothing is carried out."""
    receipt, prospects = game.forecast(side, enclosure.text, name=enclosure.name)
    if receipt.complaints:
        handled.accepted = False
        handled.complaints.append(str(receipt))
        handled.letters.append(_returned(game, receipt, letter, office))
    else:
        words = mail("forecast", game=game.name, forecast=foreseen(game.box, side, prospects))
        again = enclosure.text.decode("utf-8", "replace")
        stamp = f"forecast.{game.name}.{letter.digest[:24]}"
        handled.letters.append(_letter(office, letter.sender, stamp, words, letter, None, again))
    handled.notes.append(f"{game.name}: a forecast for {side}")


def _is_our_form(enclosure: Enclosure, game: Adjudicator, side: Side) -> bool:
    """Tell whether a sheet is but the form we sent, in the text that a mail program quotes below any answer.

    A form that is quoted and changed, or copied into the letter unchanged, is an order sheet.
    """
    if enclosure.where != "quoted":
        return False
    forms = [_report(game, side, game.adjudication, waiting).sheet for waiting in (game.waiting, game.asked(side))]
    return any(form and _words(form) == _words(enclosure.text.decode("utf-8", "replace")) for form in forms)


def _words(sheet: str) -> list[list[str]]:
    """Return the words of each line of a sheet from `game:` on; blanks and blank lines do not survive the mail."""
    return [line.split() for line in sheet[sheet.find("game:") :].splitlines() if line.strip()]


_UNCHANGED: Final = (
    "There is no order in it but the form of your last report, quoted as it was sent. Mail programs quote that below "
    "any answer, so it does not count. Change it where it is quoted; or, if it is to count as it stands, copy it into "
    "your letter without the quote marks."
)


def first_letters(game: Adjudicator, office: Office) -> Iterator[Outgoing]:
    """Yield the first letter to every side that has an address: the rules of the post, the dice, the first report."""
    names = {side["id"]: side["name"] for side in game.box.sides}
    edition = game.box.table("game")["presets"][game.charter.preset]["title"]
    maps = Maps(office.drawings)
    for side in game.rules.sides:
        if side in game.ledger.addresses:
            what = side_report(game, side, 0)
            letter = mail(
                "first", title=game.box.title, game=game.name, player=game.charter.players[side], side=names[side],
                players={names[each]: who for each, who in game.charter.players.items()}, edition=edition,
                tip=game.charter.dice.tip, hidden=game.charter.dice.hidden, report=what.text,
            )  # fmt: skip
            yield _to_side(game, side, 0, office, maps, letter, what)


def turn_letter(
    game: Adjudicator, side: Side, since: int, office: Office, maps: Maps, answered: Letter | None = None
) -> Iterator[Outgoing]:
    """Yield the letter that tells a side what happened after an adjudication, if it has an address."""
    if side in game.ledger.addresses:
        what = side_report(game, side, since)
        letter = mail("turn", game=game.name, summary=what.summary, asked=what.asked, report=what.text)
        yield _to_side(game, side, since, office, maps, letter, what, answered)


def _to_side(
    game: Adjudicator, side: Side, since: int, office: Office, maps: Maps, letter: Mail, what: Report,
    answered: Letter | None = None,
) -> Outgoing:  # fmt: skip
    """Return a letter to a side with map, form and position enclosed."""
    stamp = f"{game.name}.{side}.{game.adjudication}"
    if game.adjudication == since:
        stamp += f".sheet-{game.sheets(side)}"
    return _letter(
        office, game.ledger.addresses[side], stamp, letter, answered, maps.picture(game, side, since), what.sheet,
        json.dumps(game.take_home(side), indent=1, ensure_ascii=False),
    )  # fmt: skip


def side_report(game: Adjudicator, side: Side | None, since: int) -> Report:
    """Return the report of a game for a side or an onlooker, of what happened after an adjudication."""
    return _report(game, side, since, game.waiting)


def _report(game: Adjudicator, side: Side | None, since: int, waiting: Sequence[Decision]) -> Report:
    return report(
        game.rules, game.box, game=game.name, adjudication=game.adjudication, side=side, known=game.known(side),
        events=game.told(side, since), waiting=waiting, others=[each.side for each in game.waiting],
        result=game.result, filed=[each.written() for each in game.standing(side)] if side is not None else (),
        list_filed=since == game.adjudication,
    )  # fmt: skip


def map_picture(game: Adjudicator, side: Side | None, since: int, drawings: Path | None = None) -> bytes:
    """Return the map as a side may see it, with arrows for what happened after an adjudication, as PNG."""
    return Maps(drawings).picture(game, side, since)


class Maps:
    """The maps of one round of letters: where sides see the same, one picture is drawn for them all."""

    def __init__(self, drawings: Path | None = None) -> None:
        self._drawings = drawings
        self._drawn: list[tuple[Scene, bytes]] = []

    def picture(self, game: Adjudicator, side: Side | None, since: int) -> bytes:
        """Return the map as a side may see it, with arrows for what happened after an adjudication, as PNG."""
        scene: Scene = game.rules.scene(game.known(side), [told.event for told in game.told(side, since)])
        for other, picture in self._drawn:
            if other == scene:
                return picture
        self._drawn.append((scene, render(scene, cache_folder=self._drawings)))
        return self._drawn[-1][1]


def _returned(game: Adjudicator, receipt: Receipt, letter: Letter, office: Office) -> Outgoing:
    """Return the letter that sends a sheet with faults back."""
    words = mail("faults", game=game.name, count=len(receipt.complaints), complaint=str(receipt), deadline=None)
    again = side_report(game, receipt.side, game.adjudication).sheet
    return _letter(office, letter.sender, f"faults.{game.name}.{letter.digest[:24]}", words, letter, None, again)


def _refuse(handled: Handled, letter: Letter, office: Office, reason: str) -> None:
    words = mail("refusal", subject=letter.subject, reason=reason)
    stamp = f"refusal.{letter.digest[:24]}.{len(handled.letters)}"
    handled.letters.append(_letter(office, letter.sender, stamp, words, letter))
    handled.accepted = False
    handled.notes.append(f"letter {letter.digest[:12]} refused: {reason}")


def _letter(
    office: Office, to: str, stamp: str, words: Mail, answered: Letter | None = None,
    picture: bytes | None = None, sheet: str | None = None, position: str | None = None,
) -> Outgoing:  # fmt: skip
    host = office.sender.rpartition("@")[2].rstrip(">") or "localhost"
    content = compose(
        sender=office.sender, to=to, subject=words.subject, text=words.text, picture=picture, sheet=sheet,
        position=position, message_id=f"<{stamp}@{host}>", date=office.now,
        in_reply_to=answered.message_id if answered else None, references=answered.references if answered else (),
    )  # fmt: skip
    return Outgoing(to, stamp, content)
