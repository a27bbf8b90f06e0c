"""Replies of players: a position that asks something, and the ways in which people answer it by mail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from textwrap import wrap
from typing import Any

from pbem.mail.choose.routing import Route
from pbem.mail.choose.sheet_choice import may_order_without_sheet, may_say_orders, sheet_for
from pbem.mail.inbox import open_letter
from pbem.mail.tasks import Handled, tasks_of
from pbem.mail.write.enclosures import enclosed
from pbem.mail.write.outgoing import MailSettings, side_report
from pbem.orders.sheet import without_keys
from pbem.protocol import Order, Side
from pbem.referee.game.open_game import CannotPlay
from pbem.referee.play import sheet_check
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.form import order_lines
from pbem.render.text.order_words import OrderWords
from tests.support.frames import Reply, filled
from tests.support.live import ADDRESSES, pick


@dataclass(frozen=True)
class Post:
    """A game that asks a side something: the letter that it got, its form, and two answers that are legal."""

    game: Adjudicator
    settings: MailSettings
    side: Side
    report: str
    form: str
    answers: tuple[Order, Order]

    def sheet(self, *orders: Order, number: int | None = None) -> str:
        """Return a sheet with some orders."""
        head = f"game: {self.game.name}\nside: {self.side}\nadjudication: "
        head += f"{self.game.adjudication if number is None else number}\norders:\n"
        return head + "".join(f"{line}\n" for order in orders for line in order_lines(order.kind, order.written))

    def filled_form(self, order: Order) -> str:
        """Return the form with one order in the place of those filled in."""
        kept: list[str] = []
        skipping = False
        for line in self.form.splitlines():
            skipping = line.startswith("- ") or (skipping and line.startswith(" "))
            kept += [] if skipping else [line]
        return "\n".join([*kept, *order_lines(order.kind, order.written)]) + "\n"

    def id(self, earlier: int = 0) -> str:
        """Return the Message-ID of its last letter, or of an earlier one."""
        number = self.game.adjudication - earlier
        return f"<{self.game.name}.{self.side}.{number}@{self.settings.host}>"

    def reply(
        self, frame: str, own: str, quoted: str | None = None, answered: str | None = None, number: int = 1
    ) -> bytes:
        """Return a reply as a mail program writes it."""
        report = self.report if quoted is None else self.report.replace(self.form.rstrip("\n"), quoted.rstrip("\n"))
        told = self.id() if answered is None else answered
        return filled(frame, Reply(own, report, ADDRESSES[self.side], f"{self.game.name}, turn 1", told, number))


def post(game: Adjudicator, settings: MailSettings) -> Post:
    """Return the post of a game that asks something."""
    decision = game.open_decisions[0]
    report = side_report(game, decision.side, game.adjudication - 1)
    assert report.sheet is not None
    answers = (pick(game, decision, Random(seed)) for seed in range(1000))
    first = next(answers)
    other = next(each for each in answers if each.body != first.body)
    text = f"{report.text}\n\n{enclosed(game, decision.side)}"
    there = set(report.text.splitlines())
    form = "\n".join(line for line in report.sheet.splitlines() if line in there)  # its title stands above in a letter
    assert form in report.text
    return Post(game, settings, decision.side, text, form, (first, other))


@dataclass(frozen=True)
class Outcome:
    """How a reply was read: its orders, or why it is sent back."""

    orders: Sequence[Order] | None
    sheet: str
    why: str


def outcome(raw: bytes, at: Post) -> Outcome:
    """Read a letter as the intake does, without carrying it out."""
    letter, handled = open_letter(raw), Handled()
    route = Route(letter, at.settings)
    without = route.without_sheet if may_order_without_sheet(letter) or may_say_orders(letter) else None
    if letter.refusal is not None and without is None:
        return Outcome(None, "", letter.refusal)
    try:
        for task in tasks_of(handled, route, without):
            if task.game == at.game.name:
                return _checked(sheet_for(at.game, at.side, route, task.sheets), at, letter.refusal)
    except CannotPlay as refusal:
        return Outcome(None, "", str(refusal))
    return Outcome(None, "", letter.refusal or "nothing for this game")


def _checked(sheet: Any, at: Post, refusal: str | None) -> Outcome:
    if sheet is None:
        return Outcome(None, "", refusal or "no sheet")
    if sheet.where == "quoted" and sheet.text.decode().split() == without_keys(at.form).split():
        return Outcome(None, "", "quoted as it was sent")
    text = sheet.text.decode()
    origin = sheet_check.SheetOrigin(sheet.name, sheet.answering)
    receipt, read = sheet_check.check_sheet_of(at.game, at.side, sheet.text, origin)
    if read is None:
        return Outcome(None, text, str(receipt))
    orders = "\n".join(line for order in read.orders for line in order_lines(order.kind, order.written))
    return Outcome(read.orders, f"{receipt.canonical.decode()}\n{orders}", "")


# ---- the ways in which people answer

Made = tuple[bytes, Sequence[Order] | str]
"""A letter, and the orders that it gives or a part of the reason for which it is sent back."""
Edit = Callable[[Post, str, int], Made]


def _greeted(frame: str, text: str) -> str:
    return text if frame in FENCED else f"Hello,\n\n{text}\nBest wishes, Ann\n"


def sheet_above(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    return at.reply(frame, _greeted(frame, at.sheet(answer)), number=number), [answer]


def form_filled_in_the_quote(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    return at.reply(frame, "See below.", at.filled_form(answer), number=number), [answer]


def form_copied_and_changed(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    return at.reply(frame, at.filled_form(answer), number=number), [answer]


def bare_line(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    text = "\n".join(order_lines(answer.kind, answer.written))
    return at.reply(frame, _greeted(frame, f"This is what I do:\n{text}\n"), number=number), [answer]


def in_words(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    decision = at.game.open_decisions[0]
    choices = at.game.rules.choices(at.game.view(at.side), decision)
    said = OrderWords(at.game.box.lexicon).say(choices, answer.body)
    if said is None:
        return bare_line(at, frame, number)
    return at.reply(frame, _greeted(frame, said.text), number=number), [Order(answer.kind, said.meant)]


def bare_line_in_other_dress(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    bullet = ("1) ", "* ", "", "• ", "2. ", "then - ")[number % 6]
    text = bullet + _flow(answer).replace(answer.kind, answer.kind.replace("_", " ").title(), 1)
    return at.reply(frame, text, number=number), [answer]


def sheet_on_one_line(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    text = f"orders: {at.game.name} {at.side} {at.game.adjudication} {_flow(answer).replace(': ', ' ', 1)}"
    return at.reply(frame, text, number=number), [answer]


def sheet_broken_by_the_program(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    lines = wrap(f"- {_flow(answer)}", 50, break_long_words=False, break_on_hyphens=False)
    return at.reply(frame, _greeted(frame, at.sheet() + "\n".join(lines) + "\n"), number=number), [answer]


def sheet_without_its_blanks(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    body = [f"{key}: {_value(answer, key)}" for key in answer.body]
    text = "\n".join([at.sheet().rstrip(), f"- {answer.kind}:", *body])
    return at.reply(frame, _greeted(frame, text + "\n"), number=number), [answer]


def order_in_capitals(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    text = at.sheet() + f"- {_flow(answer).upper()}\n"
    return at.reply(frame, _greeted(frame, text), number=number), [answer]


def bare_line_with_blanks_in_names(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    return at.reply(frame, _flow(answer).replace("_", " ").replace('"', "”"), number=number), [answer]


def same_sheet_twice(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    return at.reply(frame, _greeted(frame, at.sheet(answer)), at.filled_form(answer), number=number), [answer]


def form_copied_beside_a_sheet(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    return at.reply(frame, f"{at.sheet(answer)}\n{at.form}", number=number), [answer]


def thanks_alone(at: Post, frame: str, number: int) -> Made:
    return at.reply(frame, "Thank you, I will think about it.", number=number), "quoted as it was sent"


def two_that_differ(at: Post, frame: str, number: int) -> Made:
    one, other = at.answers
    return at.reply(frame, f"{at.sheet(one)}\n{at.sheet(other)}", number=number), "Which of the two"


def sheet_above_another_in_the_quote(at: Post, frame: str, number: int) -> Made:
    one, other = at.answers
    return at.reply(frame, at.sheet(one), at.filled_form(other), number=number), "Which of the two"


def order_outside_the_sheet(at: Post, frame: str, number: int) -> Made:
    one, other = at.answers
    return at.reply(frame, f"{_flow(other)}\n\nor rather\n\n{at.sheet(one)}", number=number), "outside its order sheet"


def bare_line_to_an_earlier_report(at: Post, frame: str, number: int) -> Made:
    answer = at.answers[number % 2]
    return at.reply(frame, _flow(answer), answered=at.id(1), number=number), f"adjudication {at.game.adjudication - 1}"


def sheet_for_an_earlier_report(at: Post, frame: str, number: int) -> Made:
    text = at.sheet(at.answers[0], number=at.game.adjudication - 1)
    return at.reply(frame, _greeted(frame, text), number=number), "came after"


FENCED = ("forum_code", "markdown_fence")
"""Frames in which the player's own text stands between two fences: all of it is meant for the sheet."""
WITHOUT_QUOTE = ("byte_order_mark",)
"""Frames that quote nothing."""
IN_THE_QUOTE = (form_filled_in_the_quote, sheet_above_another_in_the_quote, thanks_alone)
TAKEN: tuple[Edit, ...] = (
    sheet_above,
    form_filled_in_the_quote,
    form_copied_and_changed,
    bare_line,
    bare_line_in_other_dress,
    in_words,
    sheet_on_one_line,
    sheet_broken_by_the_program,
    sheet_without_its_blanks,
    order_in_capitals,
    bare_line_with_blanks_in_names,
    same_sheet_twice,
    form_copied_beside_a_sheet,
)
SENT_BACK: tuple[Edit, ...] = (
    thanks_alone,
    two_that_differ,
    sheet_above_another_in_the_quote,
    order_outside_the_sheet,
    bare_line_to_an_earlier_report,
    sheet_for_an_earlier_report,
)


def _flow(order: Order) -> str:
    """Return an order on one line."""
    return order_lines(order.kind, order.written, 10_000)[0].removeprefix("- ")


def _value(order: Order, key: str) -> str:
    return order_lines("x", {key: order.body[key]}, 10_000)[0].removeprefix("- x: {" + f"{key}: ").removesuffix("}")
