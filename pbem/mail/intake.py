"""The intake of letters: carries out a player's letter, and writes to everybody concerned.

A letter is known by its sender and its Message-ID, or else by its content (`Letter`). What it changes and the note
that it was carried out are one commit. So a letter that is taken in again, after a crash or by mistake, changes
nothing. Only the letters that it still owes are written. Another letter under the same Message-ID is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Final

from pbem.game.plain import Record
from pbem.game.wording import counted, listing
from pbem.mail.agreed import WHICH_OF_THE_TWO, agreed_sheet, has_orders, unchanged
from pbem.mail.bare_orders import BareOrder
from pbem.mail.command_actions import (
    CommandResults,
    answers,
    before_the_beginning,
    carry_out,
)
from pbem.mail.commands import Command, Instruction
from pbem.mail.consent_letters import refusal_letters, request_letters
from pbem.mail.form_letter import form_letter
from pbem.mail.inbox import open_letter, with_orders
from pbem.mail.last_reported import CLOSED, note_reported, reported, set_back
from pbem.mail.letter import Enclosure, Letter
from pbem.mail.outgoing import (
    Answered,
    MailSettings,
    Outgoing,
    commands_letter,
    foreseen_letter,
    help_letter,
    report_of,
    returned,
    side_report,
)
from pbem.mail.report_letters import closing_letters, first_letters, last_report, receipt_letter, reports
from pbem.mail.routing import about, only_names
from pbem.mail.sheet_choice import (
    OtherReport,
    forms_of,
    is_form,
    may_order_without_sheet,
    orders_outside,
    sheet_for,
    sheets_passed_over,
)
from pbem.mail.tasks import Handled, Task, not_yours, refuse, refuse_unread, tasks_of, unclear, wants_forecast
from pbem.mail.waiting import log_line
from pbem.paths import GAME_NAME
from pbem.protocol import Side
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay, OtherRules
from pbem.render.forecast import foreseen
from pbem.repo.git import NoSuchGame
from pbem.repo.requests import OPEN, ROLLBACK


class Reply(Enum):
    """How a letter is answered that was carried out in a game."""

    FIRST_REPORTS = auto()
    """The letter has begun the game: every side gets its first report."""
    REPORTS = auto()
    """The game has moved on: every side gets a report."""
    REPORTED_BEFORE = auto()
    """The game has moved on, but the reports were written when the letter was first taken in."""
    CLOSED = auto()
    """The sheets are closed until a round of the beacon: every side is told so."""
    RECEIPT = auto()
    """The sheet is accepted, but the game waits for others: its side gets a receipt."""
    LAST_REPORT = auto()
    """The side has asked for its last report."""
    ANSWER = auto()
    """The side gets the answers to its commands."""
    NONE = auto()
    """Nothing needs an answer."""


_MOVE_ON: Final = frozenset({Command.CONSENT, Command.DRAW, Command.RESIGN})
"""The commands by which a game may move on without a sheet."""


def take_in(raw: bytes, settings: MailSettings) -> Handled:
    """Carry out a player's letter and write the answers; nothing is sent, and no bytes make it raise.

    Raises only for faults of the keys, the disk or the rules here. Such a letter can be taken in again later.
    """
    letter = open_letter(raw)
    handled = Handled()
    if letter.automatic or not letter.sender:
        handled.accepted = False
        why = "a program sent it" if letter.automatic else "its sender is not clear"
        handled.notes.append(f"letter {letter.digest[:12]} is left unanswered: {why}")
        return handled
    without = about(letter, settings) if may_order_without_sheet(letter) else None
    if letter.refusal is not None and without is None:
        refuse_unread(handled, letter, settings)
        return handled
    if any(each.command == Command.HELP and not each.rest for each in letter.commands):
        handled.letters.append(help_letter(letter, settings))
        handled.notes.append(f"letter {letter.digest[:12]} asks for help")
    for task in tasks_of(handled, letter, settings, without):
        try:
            _carry_out(handled, letter, task, settings)
        except NoSuchGame:
            refuse(handled, letter, settings, not_yours(task.game, letter))
        except OtherRules:  # the letter waits until the game master has dealt with it
            raise
        except CannotPlay as refusal:
            refuse(handled, letter, settings, str(refusal))
    return handled


def _carry_out(handled: Handled, letter: Letter, task: Task, settings: MailSettings) -> None:
    """Carry out a letter in one game, under the game's lock: it may be taken in twice at the same time."""
    name = task.game
    if not GAME_NAME.fullmatch(name):
        called = task.sheets[0].name if task.sheets else "Your letter"
        raise CannotPlay(f"{called} does not name its game in a line such as `game: punica`.")
    with Adjudicator.open(settings.games, settings.keys, name, folders=settings.boxes) as game, game.lock():
        game.today, game.moment = settings.now.date(), settings.now
        side = game.ledger.side_of(letter.sender)
        if side is None:
            raise CannotPlay(not_yours(name, letter))
        outside = orders_outside(letter, game) if task.sheets or may_order_without_sheet(letter) else []
        if outside and all(each.where == "quoted" or only_names(each) for each in letter.enclosures):
            letter = with_orders(letter, [line for each in outside for line in each.lines])
        if letter.refusal is not None and not outside:
            refuse_unread(handled, letter, settings)
            return
        desk, first = _Desk(handled, letter, settings, game, side, outside), len(handled.letters)
        try:
            desk.carry_out(task)
        except OtherRules:
            raise
        except OtherReport as refusal:
            desk.send_form(str(refusal))
        except CannotPlay as refusal:
            refuse(handled, letter, settings, str(refusal))
            desk.came.append("refused")
        desk.log()
        if settings.outbox is not None:
            desk.post(handled.letters[first:], settings.outbox)


@dataclass(slots=True)
class _Desk:
    """One letter of one side, being carried out in one game, whose lock is held."""

    handled: Handled
    letter: Letter
    settings: MailSettings
    game: Adjudicator
    side: Side
    outside: Sequence[BareOrder] = ()
    """What looks like an order in the letter and stands in no sheet."""
    came: list[str] = field(default_factory=list)
    """What came of the letter, for the log."""
    reported_to_all: bool = False
    """Whether the letters written tell every side everything that has happened."""
    closing_told: bool = False
    """Whether they tell every side that the sheets are closed, if they are."""
    again: bool = False
    """Whether the letter was carried out before."""

    def carry_out(self, task: Task) -> None:
        """Carry out the commands and the sheet of the letter, and write the answers."""
        game, letter = self.game, self.letter
        if wants_forecast(letter):
            if (sheet := self._chosen(task)) is not None:
                self.forecast(sheet)
            if not task.commands:
                return
            task = Task(task.game, task.commands)
        if self.settings.outbox is not None:
            if reported(game.path) is None:
                note_reported(game.path, game.adjudication)
            elif (ahead := set_back(game.path, game.adjudication)) is not None:
                self.handled.notes.append(ahead)
        with game.transaction():
            noted = self._noted()
            self.again = noted is not None
            before: int = game.adjudication if noted is None else noted["after"]
            agreed = next((each for each in task.commands if each.command == Command.AGREED), None)
            others = [each for each in task.commands if each.command != Command.AGREED]
            left_out = self._left_out(task, agreed)
            done = carry_out(game, self.side, others, None if noted else letter.digests, letter.identity, noted)
            if done.done:
                again = "" if noted is None else " again"
                self.handled.notes.append(f"{game.name}: {self.side} says {', '.join(done.done)}{again}")
            offered = bool(agreed or task.sheets or (self.outside and not wants_forecast(letter)))
            number = self._hand_in(task, done, agreed) if offered and before else None
            self.handled.accepted &= done.good
            if offered and not before:
                self._too_early(done)
            goes_on = number is not None if game.begun else not game.awaited
            numbers = game.adjudicate() if goes_on else []
        self.handled.notes += [f"{game.name}: adjudication {n}" for n in numbers]
        self.came += [*done.done, *(f"adjudication {n}" for n in numbers)]
        done.paragraphs += left_out
        self._write(done, number, before)

    def _noted(self) -> Record | None:
        """Return the note that the letter was carried out; None: it was not. Raises CannotPlay if another was."""
        letter, ledger = self.letter, self.game.ledger
        noted = ledger.letter(letter.identity)
        if noted is not None and ledger.letter(letter.digest) is None:
            raise CannotPlay(_OTHER_LETTER)
        return noted or ledger.letter(letter.raw)

    def post(self, letters: Sequence[Outgoing], outbox: Path) -> None:
        """Put the letters into the outbox while the lock is held: no report is written twice, or in the wrong order."""
        for out in letters:
            out.put_into(outbox)
        if self.reported_to_all:
            note_reported(self.game.path, self.game.adjudication)
            if self.closing_told and (closed := self.game.closed) is not None:
                note_reported(self.game.path, closed.round, CLOSED)

    def _chosen(self, task: Task) -> Enclosure | None:
        """Return the sheet that counts of all that the letter offers. Raises CannotPlay."""
        if not self.game.begun:
            return next(iter(task.sheets), None)
        return sheet_for(self.game, self.side, self.letter, task.sheets, self.settings)

    def _hand_in(self, task: Task, done: CommandResults, agreed: Instruction | None = None) -> int | None:
        """Hand in a sheet and return its number; None: it is sent back, and nothing of it was carried out."""
        game, handled = self.game, self.handled
        noted = self._noted() or {}
        if "sheet" in noted:
            number: int = noted["sheet"]
            handled.notes.append(f"{game.name}: sheet {number} of {self.side} was carried out before")
            self.came.append(f"sheet {number} was carried out before")
            return number
        try:
            enclosure = self._chosen(task) if agreed is None else self._agreed(agreed, task)
        except CannotPlay as refusal:
            if agreed is not None:
                done.paragraphs.append(f"AGREED was not carried out: {refusal}".rstrip(".") + ".")
                done.questions.append(Command.FORM)
                done.good = False
                return None
            if not (done.paragraphs or done.questions):
                raise
            done.paragraphs.append(f"The orders in your letter were not carried out. {refusal}")
            handled.accepted = False
            return None
        if enclosure is None or (enclosure.where == "quoted" and is_form(enclosure, forms_of(game, self.side))):
            if not (done.paragraphs or done.questions):
                raise CannotPlay(unchanged(game, self.side, self.letter.loose))
            return None
        receipt = game.receive(
            self.side, enclosure.text, name=enclosure.name, letter=self.letter.digests, answering=enclosure.answering
        )
        if receipt.number is None:
            handled.accepted = False
            handled.notes.append(f"{game.name}: a sheet of {self.side} has {counted(len(receipt.complaints), 'fault')}")
            handled.complaints.append(str(receipt))
            handled.letters.append(returned(game, receipt, self.letter, self.settings))
            self.came.append("a sheet sent back")
        else:
            handled.notes.append(f"{game.name}: sheet {receipt.number} of {self.side} accepted")
            self.came.append(f"sheet {receipt.number} accepted")
        return receipt.number

    def _agreed(self, said: Instruction, task: Task) -> Enclosure:
        """Return the sheet that AGREED hands in. Raises CannotPlay."""
        beside = (*task.sheets, *self.letter.passed_over)
        if self.outside or any(has_orders(each, self.game.box.forms) for each in beside):
            raise CannotPlay(WHICH_OF_THE_TWO)
        return agreed_sheet(self.game, self.side, said.rest, self.letter, self.settings.host)

    def _too_early(self, done: CommandResults) -> None:
        done.good = self.handled.accepted = False
        done.paragraphs.append(
            "Your order sheet was not carried out: it came before the first report. That report has a form to fill in."
        )

    def _left_out(self, task: Task, agreed: Instruction | None) -> list[str]:
        """Return what to tell of things in a letter with commands that do not count; while the form is the one sent."""
        if not task.commands:
            return []
        unsure = [unclear(self.letter.unclear)] if self.letter.unclear and not (task.sheets or self.outside) else []
        if agreed is not None or not self.game.begun or not self.letter.passed_over:
            return unsure
        return [*unsure, *sheets_passed_over(self.letter, forms_of(self.game, self.side))]

    def _write(self, done: CommandResults, sheet: int | None, before: int) -> None:
        """Write the letters: reports to all if the game has moved on, else an answer to the sender."""
        game, settings, handled = self.game, self.settings, self.handled
        answered = Answered(self.letter, done.paragraphs, sheet, before)
        known = before if settings.outbox is None else reported(game.path)
        since = before if known is None else known  # what an earlier letter still owes is reported with this one
        reply = self._reply(done, sheet, before, since)
        self.reported_to_all = reply in (Reply.FIRST_REPORTS, Reply.REPORTS) or game.adjudication == since
        self.closing_told = reply in (Reply.CLOSED, Reply.REPORTS)
        match reply:
            case Reply.FIRST_REPORTS:
                handled.letters += first_letters(game, settings, answered)
            case Reply.REPORTS:
                handled.letters += reports(game, since, settings, answered)
                handled.letters += closing_letters(game, settings)
            case Reply.REPORTED_BEFORE:
                handled.notes.append(f"{game.name}: and answered before")
            case Reply.CLOSED:
                handled.letters += closing_letters(game, settings, answered)
            case Reply.RECEIPT:
                handled.letters += receipt_letter(game, self.side, settings, answered)
            case Reply.LAST_REPORT:
                stamp = f"report.{game.name}.{self.side}.{game.adjudication}.{self.letter.digest[:24]}"
                handled.letters += last_report(game, self.side, settings, answered, stamp)
            case Reply.ANSWER:
                self._answer(done)
            case Reply.NONE:
                pass
        if Command.REFUSE in done.done:
            handled.letters += refusal_letters(game, self.side, settings)
        asked = game.request() if {Command.DRAW, Command.RESIGN} & set(done.done) else None
        if asked is not None and asked.outcome == OPEN and asked.kind != ROLLBACK:
            handled.letters += request_letters(game, asked, settings)

    def _reply(self, done: CommandResults, sheet: int | None, before: int, since: int) -> Reply:
        """Return how the letter is answered; `since` is the last adjudication that all sides have been told of."""
        game = self.game
        may_move_on = sheet is not None or not _MOVE_ON.isdisjoint(done.done)
        if not before and game.begun and not any(map(game.sheets, game.rules.sides)):
            # An earlier letter that is taken in again must not be answered by the report that answered another.
            if not (self.again and game.adjudication == since):
                return Reply.FIRST_REPORTS
            if not done.questions:
                return Reply.REPORTED_BEFORE
        if may_move_on and game.adjudication > since:
            return Reply.REPORTS
        if may_move_on and game.adjudication > before:
            return Reply.REPORTED_BEFORE
        if game.closed is not None and (sheet is not None or (done.done and not game.begun)):
            if not (self.again and reported(game.path, CLOSED) == game.closed.round):
                return Reply.CLOSED
            return Reply.ANSWER if sheet is None and done.questions else Reply.REPORTED_BEFORE
        if sheet is not None:
            return Reply.RECEIPT
        if Command.REPORT in done.questions and game.begun:
            return Reply.LAST_REPORT
        return Reply.ANSWER if done.paragraphs or done.questions else Reply.NONE

    def _answer(self, done: CommandResults) -> None:
        """Answer the commands in a letter of their own."""
        game, side, form = self.game, self.side, None
        done.paragraphs += answers(game, side, done.questions)
        if not game.begun and Command.STATUS not in done.questions:
            done.paragraphs.append(" ".join(before_the_beginning(game, side)))
        if game.begun and Command.FORM in done.questions:
            form = report_of(game, side, game.adjudication, game.asked(side)).sheet
        asks = game.begun and Command.STATUS in done.questions
        position = side_report(game, side, game.adjudication).position if asks else ""
        answered = Answered(self.letter, done.paragraphs)
        self.handled.letters.append(commands_letter(game, answered, form, self.settings, position))

    def forecast(self, enclosure: Enclosure) -> None:
        """Answer a sheet with what it may lead to; nothing is carried out."""
        game, handled = self.game, self.handled
        if not game.begun:
            raise CannotPlay(f"{game.name}: {' '.join(before_the_beginning(game, self.side))}")
        receipt, prospects = game.forecast(
            self.side, enclosure.text, name=enclosure.name, answering=enclosure.answering
        )
        if receipt.complaints:
            handled.accepted = False
            handled.complaints.append(str(receipt))
            handled.letters.append(returned(game, receipt, self.letter, self.settings))
        else:
            text = foreseen(game.box, self.side, prospects, costs=receipt.costs)
            again = receipt.canonical.decode()
            handled.letters.append(foreseen_letter(game, text, again, self.letter, self.settings))
        handled.notes.append(f"{game.name}: a forecast for {self.side}")

    def send_form(self, reason: str) -> None:
        """Refuse orders that answer no report, or not the last one, and send the form for the last one."""
        form = side_report(self.game, self.side, self.game.adjudication).sheet
        self.handled.letters.append(form_letter(self.game, reason, form, self.letter, self.settings))
        self.handled.accepted = False
        self.came.append("orders that answer no report, or an earlier one, were refused")

    def log(self) -> None:
        """Note in one line what came of the letter, and who is now awaited."""
        came = listing(self.came, "and") if self.came else "nothing changed"
        self.handled.log.append(log_line(self.game, self.side, came))


_OTHER_LETTER: Final = (
    "A letter of yours with the same Message-ID, but other commands or another sheet in it, was carried out before. "
    "Please write a new letter; your mail program then gives it an id of its own."
)
