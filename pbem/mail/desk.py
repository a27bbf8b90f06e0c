"""The desk: carries out what one letter brings for one side of one game, and writes what its sender is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from pbem.game.wording import counted, listing
from pbem.mail.answer.every_command import (
    CommandResults,
    Giver,
    carry_out_commands,
    last_answers,
    told_letters,
)
from pbem.mail.answer.own_orders import AGREED, agreed_sheet, report_seen, standing_beside
from pbem.mail.answer.questions import FORM, REPORT, STATUS, before_the_beginning
from pbem.mail.choose.routing import Route
from pbem.mail.choose.sheet_choice import (
    OtherReport,
    forms_of,
    is_form,
    sheet_for,
    sheets_passed_over,
    unchanged,
)
from pbem.mail.notes.correspondence import CLOSED
from pbem.mail.read.commands import Instruction
from pbem.mail.read.letter import Enclosure, Letter
from pbem.mail.read.sheet_finder import BareOrder
from pbem.mail.read.token import is_deputy
from pbem.mail.tasks import NO_SHEET, Handled, Task, log_line, refuse_letter, unclear
from pbem.mail.write.answer_letters import commands_letter, foreseen_letter, form_letter, returned
from pbem.mail.write.outgoing import Answered, MailSettings, ReportScope, report_of, side_report
from pbem.mail.write.report_letters import last_report, receipt_letter
from pbem.orders.check import Receipt
from pbem.protocol import Record, Side
from pbem.referee.game.open_game import CannotPlay, OtherRules
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.sheet_check import SheetOrigin, forecast_sheet_of
from pbem.render.text.report import NO_WORDS

_OTHER_LETTER: Final = (
    "A letter of yours with the same Message-ID, but other commands or another sheet in it, was carried out before. "
    "Please write a new letter; your mail program then gives it an id of its own."
)
_TOO_EARLY: Final = (
    "Your order sheet was not carried out: it came before the first report. That report has a form to fill in."
)


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


@dataclass(slots=True)
class Desk:
    """One letter of one side, being carried out in one game, whose lock is held."""

    handled: Handled
    route: Route
    game: Adjudicator
    side: Side
    task: Task
    outside: Sequence[BareOrder] = ()
    """What looks like an order in the letter and stands in no sheet."""
    came: list[str] = field(default_factory=list)
    """What came of the letter, for the log."""
    again: bool = False
    """Whether the letter was carried out before."""
    done: CommandResults = field(default_factory=CommandResults)
    number: int | None = None
    """The number of the sheet that was accepted; None: none was."""
    before: int = 0
    """The last adjudication before the letter."""
    acts: bool = True
    """Whether it asks for more than a forecast."""
    left_out: Sequence[str] = ()
    """The paragraphs that tell its sender which parts of it do not count."""
    faulty: Receipt | None = None
    """What is wrong with its sheet, if it is sent back."""
    problem: CannotPlay | None = None
    """Why nothing of it was carried out."""

    @property
    def letter(self) -> Letter:
        """The letter, as far as it is for the side."""
        return self.route.letter

    @property
    def settings(self) -> MailSettings:
        """The settings of this round of mail."""
        return self.route.settings

    def attempt(self, action: Callable[[], None]) -> None:
        """Do a part of what the letter asks for, unless one before it has been refused."""
        if self.problem is None:
            try:
                action()
            except OtherRules:
                raise
            except CannotPlay as refusal:
                self.problem = refusal

    def forecast_sheet(self) -> None:
        """Answer the sheet with a forecast, if the letter asks for one; then only its commands are left."""
        if self.letter.wants_forecast:
            if (sheet := self._chosen(self.task)) is not None:
                self.forecast(sheet)
            elif not self.task.commands:
                raise CannotPlay(NO_SHEET)
            self.acts = bool(self.task.commands)
            self.task = Task(self.task.game, self.task.commands)

    def take_in(self, said: Sequence[Instruction]) -> None:
        """Carry out the commands and the sheet; `said` are the commands that other sides of the sender have given."""
        game, letter, task = self.game, self.letter, self.task
        noted = self._noted()
        self.again = noted is not None
        self.before = game.adjudication if noted is None else noted["after"]
        agreed = next((each for each in task.commands if each.word is AGREED.word), None)
        others = [each for each in task.commands if each.word is not AGREED.word]
        self.left_out = self._left_out(task, agreed)
        done = self.done = carry_out_commands(self._giver(noted), others, said)
        if done.done:
            again = "" if noted is None else " again"
            self.handled.notes.append(
                f"{game.name}: {self.side} says {', '.join(each.name for each in done.done)}{again}"
            )
        offered = bool(agreed or task.sheets or (self.outside and not letter.wants_forecast))
        self.number = self._hand_in(task, done, agreed) if offered and self.before else None
        self.handled.accepted &= done.good
        if offered and not self.before:
            done.good = self.handled.accepted = False
            done.paragraphs.append(_TOO_EARLY)

    def _giver(self, noted: Record | None = None) -> Giver:
        """Return who gives the commands; `noted` is the note that the letter was carried out before."""
        letter = self.letter
        own, deputy = None if noted else letter.digests, is_deputy(self.game, self.side, letter.sender)
        return Giver(self.game, self.side, own, letter.identity, noted or {}, deputy)

    def note(self, numbers: Sequence[int]) -> None:
        """Note what came of the letter, and what in it does not count."""
        if self.problem is None:
            self.came += [*(each.name for each in self.done.done), *(f"adjudication {n}" for n in numbers)]
            self.done.paragraphs += self.left_out

    @property
    def answered(self) -> Answered:
        """The letter, as the reports answer it."""
        return Answered(self.letter, self.done.paragraphs, self.number, self.before, self.side)

    def write_refusals(self) -> None:
        """Write why nothing of the letter was carried out."""
        if isinstance(self.problem, OtherReport):
            self.send_form(str(self.problem))
        elif self.problem is not None:
            refuse_letter(self.handled, self.route, str(self.problem))
            self.came.append("refused")

    def write_faults(self, reply: Reply) -> Reply:
        """Send a sheet with faults back, with the answers to commands if they wait; return how these are answered."""
        if self.faulty is None:
            return reply
        joined = reply == Reply.ANSWER and not self.done.questions and self.game.closed is None
        answers = self.done.paragraphs if joined else ()
        self.handled.letters.append(returned(self.game, self.faulty, self.letter, self.settings, answers))
        return Reply.NONE if joined else reply

    def _noted(self) -> Record | None:
        """Return the note that the letter was carried out; None: it was not. Raises CannotPlay if another was."""
        letter, ledger = self.letter, self.game.ledger
        noted = ledger.letter(letter.identity)
        if noted is not None and ledger.letter(letter.digest) is None:
            raise CannotPlay(_OTHER_LETTER)
        return noted or ledger.letter(letter.raw)

    def _chosen(self, task: Task) -> Enclosure | None:
        """Return the sheet that counts of all that the letter offers. Raises CannotPlay."""
        if not self.game.begun:
            return next(iter(task.sheets), None)
        return sheet_for(self.game, self.side, self.route, task.sheets)

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
                if game.asked(self.side):  # else there is no form to send
                    done.questions.append(FORM)
                done.good = False
                return None
            if not (done.paragraphs or done.questions):
                raise
            done.paragraphs.append(f"The orders in your letter were not carried out. {refusal}")
            if isinstance(refusal, OtherReport) and game.asked(self.side):  # it speaks of the form below
                done.questions.append(FORM)
            handled.accepted = False
            return None
        if enclosure is None or (enclosure.where == "quoted" and is_form(enclosure, forms_of(game, self.side))):
            if not (done.paragraphs or done.questions):
                raise CannotPlay(unchanged(game, self.side, self.letter.loose))
            return None
        origin = SheetOrigin(enclosure.name, enclosure.answering)
        receipt = game.receive(self.side, enclosure.text, letter=self.letter.digests, origin=origin)
        if receipt.number is None:
            handled.accepted = False
            handled.notes.append(f"{game.name}: a sheet of {self.side} has {counted(len(receipt.complaints), 'fault')}")
            handled.complaints.append(str(receipt))
            self.faulty = receipt
            self.came.append("a sheet sent back")
        else:
            handled.notes.append(f"{game.name}: sheet {receipt.number} of {self.side} accepted")
            self.came.append(f"sheet {receipt.number} accepted")
        return receipt.number

    def _agreed(self, said: Instruction, task: Task) -> Enclosure:
        """Return the sheet that AGREED hands in. Raises CannotPlay."""
        beside = (*task.sheets, *self.letter.passed_over)
        standing = standing_beside(self.game, self.side, self.outside, beside)
        seen = report_seen(self.game, self.side, self.letter, self.settings.host)
        return agreed_sheet(self.game, self.side, said.rest, seen, standing)

    def _left_out(self, task: Task, agreed: Instruction | None) -> list[str]:
        """Return what to tell of things in a letter with commands that do not count; while the form is the one sent."""
        if not task.commands:
            return []
        unsure = [unclear(self.letter.unclear)] if self.letter.unclear and not (task.sheets or self.outside) else []
        if agreed is not None or not self.game.begun or not self.letter.passed_over:
            return unsure
        return [*unsure, *sheets_passed_over(self.letter, forms_of(self.game, self.side))]

    def answer(self, reply: Reply) -> None:
        """Write the answer to the sender alone."""
        game, settings, handled = self.game, self.settings, self.handled
        match reply:
            case Reply.REPORTED_BEFORE:
                handled.notes.append(f"{game.name}: the letter was answered before")
            case Reply.RECEIPT:
                handled.letters += receipt_letter(game, self.side, settings, self.answered)
            case Reply.LAST_REPORT:
                stamp = f"report.{game.name}.{self.side}.{game.adjudication}.{self.letter.digest[:24]}"
                handled.letters += last_report(game, self.side, settings, self.answered, stamp)
            case Reply.ANSWER:
                self._answer(self.done)
            case _:
                pass

    def write_requests(self) -> None:
        """Write to the other sides what the commands ask of them, or tell."""
        self.handled.letters += told_letters(self.done, self.settings)

    def reply(self, since: int) -> Reply:
        """Return how the letter is answered; `since` is the last adjudication that all sides have been told of."""
        game, done, sheet, before = self.game, self.done, self.number, self.before
        may_move_on = sheet is not None or any(each.moves_on for each in done.done)
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
            if not (self.again and CLOSED.read(game.path) == game.closed.round):
                return Reply.CLOSED
            return Reply.ANSWER if sheet is None and done.questions else Reply.REPORTED_BEFORE
        if sheet is not None:
            return Reply.RECEIPT
        if REPORT in done.questions and game.begun:
            return Reply.LAST_REPORT
        return Reply.ANSWER if done.paragraphs or done.questions else Reply.NONE

    def _answer(self, done: CommandResults) -> None:
        """Answer the commands in a letter of their own."""
        game, side, form = self.game, self.side, None
        done.paragraphs += last_answers(self._giver(), done.questions)
        if not game.begun and STATUS not in done.questions:
            done.paragraphs.append(" ".join(before_the_beginning(game, side)))
        if game.begun and FORM in done.questions:
            form = report_of(game, side, ReportScope(game.adjudication, game.asked(side))).sheet
        asks = game.begun and STATUS in done.questions
        position = side_report(game, side, game.adjudication).standing if asks else NO_WORDS
        answered = Answered(self.letter, done.paragraphs, side=self.side, refused=not done.good)
        self.handled.letters.append(commands_letter(game, answered, form, self.settings, position))

    def forecast(self, enclosure: Enclosure) -> None:
        """Answer a sheet with what it may lead to; nothing is carried out."""
        game, handled = self.game, self.handled
        if not game.begun:
            raise CannotPlay(f"{game.name}: {' '.join(before_the_beginning(game, self.side))}")
        origin = SheetOrigin(enclosure.name, enclosure.answering)
        receipt, prospects = forecast_sheet_of(game, self.side, enclosure.text, origin)
        if receipt.complaints:
            handled.accepted = False
            handled.complaints.append(str(receipt))
            handled.letters.append(returned(game, receipt, self.letter, self.settings))
        else:
            from pbem.render.text.forecast_text import foreseen  # odds are for who asks for them

            text = foreseen(game.box, self.side, prospects, costs=receipt.costs)
            again = receipt.canonical.decode()
            handled.letters.append(foreseen_letter(game, self.answered, text, again, self.settings))
        handled.notes.append(f"{game.name}: a forecast for {self.side}")

    def send_form(self, reason: str) -> None:
        """Refuse orders that answer no report, or not the last one, and send the form for the last one."""
        form = side_report(self.game, self.side, self.game.adjudication).sheet
        self.handled.letters.append(form_letter(self.game, self.answered, reason, form, self.settings))
        self.handled.accepted = False
        self.came.append("orders that answer no report, or an earlier one, were refused")

    def log(self) -> None:
        """Note in one line what came of the letter, and who is now awaited."""
        came = listing(self.came, "and") if self.came else "nothing changed"
        self.handled.log.append(log_line(self.game, self.side, came))
