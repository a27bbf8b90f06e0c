"""Letters in, letters out: a player's letter is carried out, and everybody concerned is written to.

A letter is known by the digest of its bytes. What it changes and the note that it was carried out are one commit,
so a letter that is taken in again, after a crash or by mistake, changes nothing; what it owes is then written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pbem.mail.commands import (
    FORECAST,
    FORM,
    HELP,
    REPORT,
    STATUS,
    Said,
    answers,
    before_the_beginning,
    carry_out,
    last_told,
)
from pbem.mail.consent_letters import refusal_letters
from pbem.mail.inbox import open_letter
from pbem.mail.last_reported import note_told, told
from pbem.mail.letter import Enclosure, Letter
from pbem.mail.maildir import write_to_maildir
from pbem.mail.outgoing import (
    Answered,
    Maps,
    Office,
    Outgoing,
    closing_letters,
    first_letters,
    foreseen_letter,
    help_letter,
    refusal_letter,
    report_of,
    returned,
    turn_letter,
    words_letter,
)
from pbem.mail.routing import game_of, meant, only_names
from pbem.paths import GAME_NAME
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay, OtherRules
from pbem.render.forecast import foreseen
from pbem.repo.git import NoSuchGame


@dataclass(slots=True)
class Handled:
    """What became of a letter: the answers, whether all its sheets were accepted, and a line for the log."""

    letters: list[Outgoing] = field(default_factory=list)
    accepted: bool = True
    notes: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    """What is wrong with each sheet that was sent back."""


@dataclass(frozen=True, slots=True)
class _Task:
    """What a letter is to do in one game: its words, and the sheet for that game."""

    game: str
    words: Sequence[str] = ()
    sheet: Enclosure | None = None


def take_in(raw: bytes, office: Office) -> Handled:
    """Carry out a player's letter and write the answers; nothing is sent, and no bytes make it raise.

    Raises what is wrong with the keys, the disk or the rules here: such a letter is to be taken in again later.
    """
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
    if HELP in letter.words:
        handled.letters.append(help_letter(letter, office))
        handled.notes.append(f"letter {letter.digest[:12]} asks for the rules of the post")
    for task in _tasks(handled, letter, office):
        try:
            _carry_out(handled, letter, task, office)
        except NoSuchGame:
            _refuse(handled, letter, office, _not_yours(task.game, letter))
        except OtherRules:  # the letter waits until the game master has seen to it
            raise
        except CannotPlay as refusal:
            _refuse(handled, letter, office, str(refusal))
    return handled


def _tasks(handled: Handled, letter: Letter, office: Office) -> list[_Task]:
    """Return what a letter is to do, game by game; of two sheets for one game the first counts."""
    words = [word for word in letter.words if word not in (FORECAST, HELP)]
    sheets: dict[str, Enclosure | None] = {}
    for enclosure in letter.enclosures:
        if not (words and only_names(enclosure)):
            sheets.setdefault(game_of(enclosure), enclosure)
    about = None
    if words:
        try:
            about = meant(letter, office)
            sheets.setdefault(about, None)
        except CannotPlay as refusal:
            _refuse(handled, letter, office, str(refusal))
    elif FORECAST in letter.words and not sheets:
        _refuse(handled, letter, office, "It says FORECAST, which says what a sheet could lead to; there is no sheet.")
    return [_Task(name, words if name == about else (), sheet) for name, sheet in sheets.items()]


def _not_yours(name: str, letter: Letter) -> str:
    """Return the same to whoever names a game that is not his and to whoever names none: nobody finds out by asking."""
    return (
        f"There is no game called {name} here in which {letter.sender} plays. Is its name misspelt? Else write from "
        "the address that you joined with."
    )


def _carry_out(handled: Handled, letter: Letter, task: _Task, office: Office) -> None:
    """Carry out a letter in one game, under the game's lock: it may be taken in twice at the same time."""
    name = task.game
    if not GAME_NAME.fullmatch(name):
        called = task.sheet.name if task.sheet is not None else "Your letter"
        raise CannotPlay(f"{called} does not name its game in a line such as `game: punica`.")
    with Adjudicator.open(office.games, office.keys, name, folders=office.boxes) as game, game.ledger.repo.lock():
        game.today, game.moment = office.now.date(), office.now
        side = game.side_of(letter.sender)
        if side is None:
            raise CannotPlay(_not_yours(name, letter))
        desk, first = _Desk(handled, letter, office, game, side), len(handled.letters)
        if FORECAST in letter.words and task.sheet is not None:
            desk.forecast(task.sheet)
            task = _Task(name, task.words)
        if task.words or task.sheet is not None:
            desk.carry_out(task)
        if office.outbox is not None:
            desk.post(handled.letters[first:], office.outbox)


@dataclass(slots=True)
class _Desk:
    """One letter of one side on the desk of one game, whose lock is held."""

    handled: Handled
    letter: Letter
    office: Office
    game: Adjudicator
    side: Side
    told_all: bool = False
    """Whether every side is told of everything by the letters written."""

    def carry_out(self, task: _Task) -> None:
        """Carry out words and sheet of the letter, and write what has come of them."""
        game, letter = self.game, self.letter
        if self.office.outbox is not None and told(game.ledger.repo.path) is None:
            note_told(game.ledger.repo.path, game.adjudication)
        with game.ledger.repo.together():
            done = game.ledger.letter(letter.digest)
            before: int = game.adjudication if done is None else done["after"]
            said = carry_out(game, self.side, task.words, letter.digest, done)
            if said.done:
                again = "" if done is None else " again"
                self.handled.notes.append(f"{game.name}: {self.side} says {', '.join(said.done)}{again}")
            self.handled.accepted &= said.good
            sheet = self._hand_in(task.sheet, said) if task.sheet is not None and before else None
            if task.sheet is not None and not before:
                self._too_early(said)
            goes_on = sheet is not None if game.begun else not game.awaited
            numbers = game.adjudicate() if goes_on else []
        self.handled.notes += [f"{game.name}: adjudication {n}" for n in numbers]
        self._pass_over(task, said)
        self._write(said, sheet, before)

    def post(self, letters: Sequence[Outgoing], outbox: Path) -> None:
        """Put the letters into the outbox while the lock is held: nobody is told twice, or of a later turn first."""
        for out in letters:
            out.file = write_to_maildir(outbox, out.content, out.name)
        if self.told_all:
            note_told(self.game.ledger.repo.path, self.game.adjudication)

    def _hand_in(self, enclosure: Enclosure, said: Said) -> int | None:
        """Hand in a sheet and return its number; None: it is sent back, and nothing of it was carried out."""
        game, handled = self.game, self.handled
        done = game.ledger.letter(self.letter.digest) or {}
        if "sheet" in done:
            number: int = done["sheet"]
            handled.notes.append(f"{game.name}: sheet {number} of {self.side} was carried out before")
            return number
        if self._is_our_form(enclosure):
            if not (said.paragraphs or said.questions):
                raise CannotPlay(_UNCHANGED)
            return None
        receipt = game.receive(self.side, enclosure.text, name=enclosure.name, letter=self.letter.digest)
        if receipt.number is None:
            handled.accepted = False
            handled.notes.append(f"{game.name}: a sheet of {self.side} has {len(receipt.complaints)} faults")
            handled.complaints.append(str(receipt))
            handled.letters.append(returned(game, receipt, self.letter, self.office))
        else:
            handled.notes.append(f"{game.name}: sheet {receipt.number} of {self.side} accepted")
        return receipt.number

    def _too_early(self, said: Said) -> None:
        said.good = self.handled.accepted = False
        said.paragraphs.append(
            "Your order sheet was not carried out: it came before the first report. That comes with a form to fill in."
        )

    def _pass_over(self, task: _Task, said: Said) -> None:
        """Tell the sender of a sheet that does not count because of the words above it."""
        for enclosure in self.letter.passed_over:
            if task.words and self.game.begun and not self._is_our_form(enclosure):
                said.paragraphs.append(
                    "The order sheet in the text that you quote was not carried out: beside such words only a sheet "
                    "counts that stands in your own text, without quote marks, or is attached."
                )

    def _write(self, said: Said, sheet: int | None, before: int) -> None:
        """Write the letters: reports to all if the game has moved on, else an answer to the sender."""
        game, office, handled = self.game, self.office, self.handled
        maps = Maps(office.drawings)
        answered = Answered(self.letter, said.paragraphs, sheet, before)
        moved = game.adjudication > before
        known = before if office.outbox is None else told(game.ledger.repo.path)
        since = before if known is None else known  # what an earlier letter owes is told with this one
        owed = game.adjudication > since
        first = not before and game.begun and not any(map(game.sheets, game.rules.sides))
        self.told_all = first or not owed or sheet is not None or "CONSENT" in said.done
        if first:
            handled.letters += first_letters(game, office, answered)
        elif owed and (sheet is not None or "CONSENT" in said.done):
            for reader in game.rules.sides:
                to_it = answered if reader == self.side else None
                handled.letters += turn_letter(game, reader, since, office, maps, to_it)
            handled.letters += closing_letters(game, office)
        elif moved and (sheet is not None or "CONSENT" in said.done):
            handled.notes.append(f"{game.name}: and answered before")
        elif game.closed is not None and (sheet is not None or (said.done and not game.begun)):
            handled.letters += closing_letters(game, office, answered)
        elif sheet is not None:
            handled.letters += turn_letter(game, self.side, before, office, maps, answered)
        elif REPORT in said.questions and game.begun:
            stamp = f"report.{game.name}.{self.letter.digest[:24]}"
            handled.letters += turn_letter(game, self.side, last_told(game), office, maps, answered, stamp)
        elif said.paragraphs or said.questions:
            self._answer(said)
        if "REFUSE" in said.done:
            handled.letters += refusal_letters(game, self.side, office)

    def _answer(self, said: Said) -> None:
        """Answer the words of a letter by a letter of their own."""
        game, side, form = self.game, self.side, None
        said.paragraphs += answers(game, side, said.questions)
        if not game.begun and STATUS not in said.questions:
            said.paragraphs.append(" ".join(before_the_beginning(game, side)))
        if game.begun and FORM in said.questions:
            form = report_of(game, side, game.adjudication, game.asked(side)).sheet
        answered = Answered(self.letter, said.paragraphs)
        self.handled.letters.append(words_letter(game, answered, form, self.office))

    def forecast(self, enclosure: Enclosure) -> None:
        """Answer a sheet with what it may lead to; nothing is carried out."""
        game, handled = self.game, self.handled
        if not game.begun:
            raise CannotPlay(f"{game.name}: {' '.join(before_the_beginning(game, self.side))}")
        receipt, prospects = game.forecast(self.side, enclosure.text, name=enclosure.name)
        if receipt.complaints:
            handled.accepted = False
            handled.complaints.append(str(receipt))
            handled.letters.append(returned(game, receipt, self.letter, self.office))
        else:
            told = foreseen(game.box, self.side, prospects, costs=receipt.costs)
            again = enclosure.text.decode("utf-8", "replace")
            handled.letters.append(foreseen_letter(game, told, again, self.letter, self.office))
        handled.notes.append(f"{game.name}: a forecast for {self.side}")

    def _is_our_form(self, enclosure: Enclosure) -> bool:
        """Tell whether a sheet is but the form we sent, in the text that a mail program quotes below any answer.

        A form that is quoted and changed, or copied into the letter unchanged, is an order sheet.
        """
        if enclosure.where != "quoted":
            return False
        game, side = self.game, self.side
        forms = [
            report_of(game, side, game.adjudication, waiting).sheet
            for waiting in (game.open_decisions, game.asked(side))
        ]
        return any(form and _words(form) == _words(enclosure.text.decode("utf-8", "replace")) for form in forms)


def _words(sheet: str) -> list[list[str]]:
    """Return the words of each line of a sheet from `game:` on; blanks and blank lines do not survive the mail."""
    return [line.split() for line in sheet[sheet.find("game:") :].splitlines() if line.strip()]


_UNCHANGED: Final = (
    "There is no order in it but the form of your last report, quoted as it was sent. Mail programs quote that below "
    "any answer, so it does not count. Change it where it is quoted; or, if it is to count as it stands, copy it into "
    "your letter without the quote marks."
)


def _refuse(handled: Handled, letter: Letter, office: Office, reason: str) -> None:
    handled.letters.append(refusal_letter(reason, len(handled.letters), letter, office))
    handled.accepted = False
    handled.notes.append(f"letter {letter.digest[:12]} refused: {reason}")
