"""The choice of the sheet: of all that looks like orders in a letter, the sheet that its sender means for one game.

Nothing is guessed. Two sheets that differ send the letter back, and so does a line that looks like an order and is not
in the sheet. Our own form, quoted or copied as it was sent, does not count beside anything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pbem.game.wording import listing
from pbem.game.yaml import LETTER, Unreadable, read
from pbem.mail.choose.routing import Route, reports_in
from pbem.mail.read.letter import Enclosure, Letter
from pbem.mail.read.sheet_finder import BareOrder, bare_orders, may_order, sheet_of_bare
from pbem.mail.write.outgoing import ReportScope, report_of
from pbem.orders.check import nothing_chosen
from pbem.orders.forgive import KEY_ABOVE, Answering, Known, forgive, is_turned_round
from pbem.orders.sheet import ORDERS, BadSheet, without_keys
from pbem.protocol import Decision, Side
from pbem.referee.game.open_game import CannotPlay, OpenGame
from pbem.referee.play import sheet_check
from pbem.referee.play.adjudicator import Adjudicator
from pbem.render.text.form import SheetHead, order_lines

_MOST_SHOWN: Final = 30
"""So many lines of a sheet are shown in a question about it."""
_FENCES: Final = ("", "BEGIN ORDERS", "END ORDERS")
_WHICH_REPORT: Final = "The orders in it have no heading, and your letter does not show which report it answers. "


class OtherReport(CannotPlay):
    """Orders without a heading that do not answer the last report. The new form goes with the answer."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a letter offers as orders in one game: its sheets, the bare orders in it, the report that it answers."""

    game: Adjudicator
    side: Side
    sheets: Sequence[Enclosure]
    """The sheets for this game, the quoted ones included."""
    bare: Sequence[BareOrder]
    report: Answering | None
    own: Sequence[str] = ()
    """What its sender wrote: orders in words, and those that words beside them may turn round, are read in it."""

    def made(self) -> Enclosure | None:
        """Return the sheet that counts; None: there is none. Raises CannotPlay where that cannot be told."""
        if len(self.sheets) == 1 and not self.bare:
            return self.sheets[0]
        forms = forms_of(self.game, self.side)
        own = self._distinct([each for each in self.sheets if each.where != "quoted"])
        real = [each for each in own if not is_form(each, forms)]
        if self.bare:
            real = [each for each in real if not each.only_names]
        quoted = [each for each in self.sheets if each.where == "quoted" and not is_form(each, forms)]
        if len(real) > 1:  # a mail program may enclose again what came with our letter
            real = [each for each in real if not self._is_on_record(each)] or real[:1]
        if len(real) > 1:
            raise CannotPlay(_which_of_two(real[0], real[1]))
        rival = next((each for each in quoted if self._is_meant(each)), None)
        if real:
            self._require_no_other(real[0], rival)
            return real[0]
        if self.bare:
            return self._of_bare_orders(rival, forms)
        if rival is not None:
            return rival
        return next(iter([*own, *(each for each in self.sheets if each.where == "quoted")]), None)

    def _is_meant(self, quoted: Enclosure) -> bool:
        """Tell whether a quoted sheet that is not our form may be meant.

        One that would be refused is not, nor the sheet that is on record: our letters and the player's own show both.
        """
        receipt, _ = sheet_check.check_sheet_of(self.game, self.side, quoted.text, sheet_check.SheetOrigin(quoted.name))
        return not receipt.complaints and not self._is_on_record(quoted)

    def _is_on_record(self, sheet: Enclosure) -> bool:
        """Tell whether a sheet says what the last one of its side does."""
        last = self.game.sheets(self.side)
        return bool(last) and self._reading(sheet.text) == self._reading(self.game.ledger.sheet(self.side, last))

    def _require_no_other(self, sheet: Enclosure, rival: Enclosure | None) -> None:
        """Raise CannotPlay if a letter has orders that are not in its sheet."""
        if rival is not None and self._reading(rival.text) != self._reading(sheet.text):
            raise CannotPlay(_which_of_two(sheet, rival))
        if stray := self._not_in(sheet):
            raise CannotPlay(_stray(sheet, stray))

    def _of_bare_orders(self, rival: Enclosure | None, forms: Sequence[str]) -> Enclosure:
        """Return the sheet that bare orders make."""
        game, report = self.game, self.report
        if report is None:
            typed = _behind_bar(line for each in self.bare for line in each.lines)
            raise OtherReport(f"{_WHICH_REPORT}{self._how()}\n{typed}")
        if report.adjudication != game.adjudication:
            raise OtherReport(
                f"The orders in it have no heading, so they belong to the report that your letter answers: that of "
                f"adjudication {report.adjudication}. The last one is {game.adjudication}, and they are not carried "
                f"over to it."
            )
        if self._are_quoted() and any(_same_orders(sheet_of_bare(self.bare, report), form) for form in forms):
            raise CannotPlay(unchanged(self.game, self.side))
        key = [KEY_ABOVE] if self.bare[0].is_braced else []  # only below its key is a list of braces one of orders
        lines = [*key, *(line for each in self.bare for line in each.lines)]
        typed = "\n".join(self.own if self._is_read_whole() else lines)
        made = Enclosure("letter", f"{typed}\n".encode(), "body", report)
        if rival is None:
            return made
        if self._not_in(rival):
            raise CannotPlay(_which_of_two(made, rival))
        return rival

    def _is_read_whole(self) -> bool:
        """Tell whether the bare orders are read with all that their sender wrote beside them."""
        if self._are_quoted():
            return False
        known = Known(self.game.box, self.game.periods)
        return any(each.in_words for each in self.bare) or is_turned_round("\n".join(self.own), known)

    def _how(self) -> str:
        """Return how orders get a heading."""
        if self.game.asked(self.side):
            return "Answer the report itself, or write them into the form below."
        head = SheetHead(self.game.name, self.side, self.game.adjudication)
        return f"Answer the report itself, or write above them: {listing(f'`{line}`' for line in head.lines())}."

    def _reading(self, text: bytes) -> object:
        """Return what a sheet says, or its words if it cannot be read: two that say the same have it in common."""
        try:
            text = forgive(text, Known(self.game.box, self.game.periods)).text
        except BadSheet:
            return text.split()
        return _yaml_value(text)

    def _distinct(self, sheets: Sequence[Enclosure]) -> list[Enclosure]:
        """Return sheets without those that say what an earlier one says."""
        kept: list[tuple[object, Enclosure]] = []
        for each in sheets:
            reading = self._reading(each.text)
            if all(reading != other for other, _ in kept):
                kept.append((reading, each))
        return [each for _, each in kept]

    def _are_quoted(self) -> bool:
        return all(each.quoted for each in self.bare)

    def _not_in(self, sheet: Enclosure) -> list[str]:
        """Return the lines of the bare orders that a sheet does not have."""
        value = self._reading(sheet.text)
        there = value.get(ORDERS) if isinstance(value, dict) else None
        heading = Answering(self.game.name, self.side, self.game.adjudication)
        missing: list[str] = []
        for each in self.bare:
            said = self._reading(sheet_of_bare([each], heading).encode())
            if each.is_key:
                known = isinstance(said, dict) and isinstance(value, dict) and said[each.word] == value.get(each.word)
            else:
                orders = said[ORDERS] if isinstance(said, dict) else [None]
                known = isinstance(there, list) and all(order in there for order in orders)
            if not known:
                missing += each.lines
        return missing


def sheet_for(game: Adjudicator, side: Side, route: Route, sheets: Sequence[Enclosure]) -> Enclosure | None:
    """Return the sheet that a letter means for a game; None: it has none. Raises CannotPlay where that cannot be told.

    `sheets` are those of its sheets that name the game.
    """
    bare = orders_outside(route.letter, game, side if sheets or route.report is not None else None)
    whole = not bare and all(map(_has_heading, sheets))
    report = None if whole else route.report
    if report is not None and (report.game, report.side) != (game.name, side):
        report = None
    made = Choice(game, side, sheets, bare, report, route.letter.said).made()
    return made if made is None or made.answering or _has_heading(made) else replace(made, answering=report)


def _has_heading(sheet: Enclosure) -> bool:
    """Tell whether a sheet names its side and the report that it answers."""
    return all(re.search(rb"(?im)^\W*%b\W*:" % key, sheet.text) for key in (b"side", b"adjudication"))


def may_order_without_sheet(letter: Letter) -> bool:
    """Tell whether a letter without a sheet of its sender's own may have orders, of whatever game."""
    if any(each.where != "quoted" and not each.only_names for each in letter.enclosures):
        return False
    return may_order(letter.loose) or (not letter.enclosures and may_order(letter.quoted_lines))


def may_say_orders(letter: Letter) -> bool:
    """Tell whether a letter that answers a report may have orders in words: it has words, and no sheet."""
    if any(each.where != "quoted" and not each.only_names for each in letter.enclosures):
        return False
    return any(reports_in(letter.references)) and any(map(_has_words, letter.said))


def _has_words(line: str) -> bool:
    return any(map(str.isalnum, line))


def orders_outside(letter: Letter, game: Adjudicator, side: Side | None = None) -> list[BareOrder]:
    """Return the bare orders in a letter: the sender's own, or else those of a quotation that is cut down to them.

    With a side, its own lines in words are among them, as far as they speak of what is asked of it now.
    """
    kinds = game.box.forms
    own = bare_orders(letter.loose, kinds)
    if side is not None and game.begun and game.asked(side):
        own += _in_words(letter, own, game, side)
    if own or letter.enclosures:
        return own
    quoted = bare_orders(letter.quoted_lines, kinds, quoted=True)
    within = {line for each in quoted for line in each.lines}
    others = [line.strip(" -") for line in letter.quoted_lines if line not in within]
    return [] if any(line and not line.startswith("#") and line not in _FENCES for line in others) else quoted


def _in_words(letter: Letter, bare: Sequence[BareOrder], game: Adjudicator, side: Side) -> Iterator[BareOrder]:
    """Yield what a side says in words, beside orders that are written as YAML."""
    taken = {line for each in bare for line in each.lines}
    lines = ["" if line in taken else line for line in letter.said]
    if not any(map(_has_words, lines)):
        return
    said = sheet_check.reader_for(game, side).read(lines)
    for order, first, last in said.orders:
        written = order_lines(order.kind, order.written, 10_000)[0].removeprefix(f"- {order.kind}:").strip()
        yield BareOrder(order.kind, (written,), tuple(lines[first : last + 1]), in_words=True)
    for doubt in said.doubts:
        yield BareOrder("", ("?",), (lines[doubt.line],), in_words=True)


def unchanged(game: OpenGame, side: Side, own: Sequence[str] = ()) -> str:
    """Return why a letter is refused in which there is only the quoted form, as it was sent.

    `own` are the lines that the sender wrote: one that begins with the name of an order was perhaps meant for one.
    """
    asked = [decision for decision in game.open_decisions if decision.side == side]
    if not asked:
        return (
            "The only order sheet in it is the form of your last report as it was sent. The orders you gave still wait."
        )
    reason = nothing_chosen(game.box, asked)
    if (meant := _perhaps_order(asked, own)) is not None:
        line, kind = meant
        example = order_lines(kind, game.box.forms[kind].example, 10_000)[0].removeprefix("- ")
        return (
            f"Perhaps this was meant as an order:\n  | {line[:100]}\nAn order is written with a colon and braces, such "
            f"as `{example}`. There is no other in your letter: {reason}."
        )
    return (
        f"The only order sheet in it is the form of your last report as it was sent: {reason}. "
        "To choose an order, take the # off in front of it, also where it is quoted."
    )


def _perhaps_order(asked: Sequence[Decision], own: Sequence[str]) -> tuple[str, str] | None:
    """Return the first line that begins with a kind of order that is asked for, and the kind; None: there is none."""
    for line in own:
        for kind in {each.kind: None for each in asked}:
            if re.match(rf"\W*{kind.replace('_', '[ _-]')}\b", line, re.IGNORECASE):
                return line.strip(), kind
    return None


def sheets_passed_over(letter: Letter, forms: Sequence[str]) -> list[str]:
    """Return a sentence for every quoted sheet that does not count because of commands above it, but for the forms."""
    return [
        "The order sheet in the text that you quote was not carried out. In a letter with commands, a sheet counts "
        "only in your own text, without quote marks, or as an attached file."
        for each in letter.passed_over
        if not is_form(each, forms)
    ]


def is_form(enclosure: Enclosure, forms: Sequence[str]) -> bool:
    """Tell whether a sheet is one of our forms as it was sent."""
    return any(_words_by_line(form) == _words_by_line(enclosure.text.decode("utf-8", "replace")) for form in forms)


def forms_of(game: Adjudicator, side: Side) -> list[str]:
    """Return the forms that a side may have been sent with its last report."""
    sheets = (
        report_of(game, side, ReportScope(game.adjudication, waiting)).sheet
        for waiting in (game.open_decisions, game.asked(side))
    )
    return [sheet for sheet in sheets if sheet]


def _words_by_line(sheet: str) -> list[list[str]]:
    """Return the words of each line of a sheet from `game:` on, but for the sentences in its comments.

    Blanks do not survive the mail, and an older version may have worded the sentences of a form differently. An order
    in a comment counts: somebody may have filled it in and left the mark in front of it.
    """
    lines = (line.split() for line in without_keys(sheet[sheet.find("game:") :]).splitlines())
    return [line for line in lines if line and (not line[0].startswith("#") or line[:2] == ["#", "-"])]


def _yaml_value(text: bytes) -> object:
    """Return what a sheet says; None: it cannot be read."""
    try:
        return read(text, name="letter", limits=LETTER).value
    except Unreadable:
        return None


def _same_orders(one: str, other: str) -> bool:
    first, second = _yaml_value(one.encode()), _yaml_value(other.encode())
    return isinstance(first, dict) and isinstance(second, dict) and first.get(ORDERS) == second.get(ORDERS)


def _which_of_two(one: Enclosure, other: Enclosure) -> str:
    shown = [_behind_bar(_without_notes(each.text.decode("utf-8", "replace").splitlines())) for each in (one, other)]
    where = "in the text that you quote" if other.where == "quoted" else f"as {other.name}"
    return (
        f"There are two order sheets in it that differ. Which of the two counts? Send that one alone.\n\nThe first, as "
        f"{one.name}:\n{shown[0]}\n\nThe other, {where}:\n{shown[1]}"
    )


def _without_notes(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines of a sheet without its comments, among which the difference would not be seen."""
    return [line for line in lines if not line.lstrip().startswith("#")] or lines


def _stray(sheet: Enclosure, lines: Sequence[str]) -> str:
    return (
        f"Something that looks like an order stands outside its order sheet ({sheet.name}). Put it into the sheet, or "
        f"take it out:\n{_behind_bar(lines)}"
    )


def _behind_bar(lines: Iterable[str]) -> str:
    """Return lines of a player behind a bar, so that they are not read as a sheet when they are quoted."""
    text = [f"  | {line.rstrip()[:100]}" for line in lines if line.strip()]
    return "\n".join([*text[:_MOST_SHOWN], *(["  | ..."] if len(text) > _MOST_SHOWN else [])])
