"""The report of a game as text, and the letters around it, wrapped for a phone.

What a game has to say comes as data: events, decisions, a `pbem.game.board.scene.Summary`. The layout of the letters is
in `templates/`. This room knows no game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any, Final, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbem.game.board.summary import Section
from pbem.game.boxes.box import Box
from pbem.game.boxes.printed import foot
from pbem.game.wording import listing
from pbem.paths import templates_folder
from pbem.protocol import Decision, S
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.form import (
    NARROW,
    WITHOUT,
    SheetHead,
    decision_title,
    form,
    question,
    standing_lines,
    standing_remark,
)
from pbem.render.text.form import WIDTH as FORM_WIDTH
from pbem.render.text.messages import ReportLine, SeenEvent, Sentences, sentences
from pbem.render.text.text_lines import HANGING, WIDTH, changes, folded, laid_out

LEAST_ABOVE, MOST_ABOVE = 6, 12
"""So many lines of what happened stand above the form: as there is room, if the form is short.

What came before them stands below it, without the dice.
"""
_MOST_CHANGES: Final = 5
"""So many lines say what has changed, in a report that does not say how all things stand, if there is room for them."""
_SHORT_FORM: Final = 26
"""The form of a small question has at most so many lines."""
_SHORT, _LONG = 31, 52
"""So long is a report with a short form, and one with a longer form, if that can be: else no change is told."""
_MOST_BELOW: Final = 7
"""So many lines of what happened stand below the form of such a report, the latest of them."""
_MOST_AT_A_LARGE_TABLE: Final = 60
"""The same with more than two sides, if there is room or not: much happens before a side is asked again."""


class SectionKind(Enum):
    """What a section of a letter is, by its sign in the templates."""

    MORE = "m"
    """It goes on with the section above it."""
    PLAIN = "p"
    TITLED = "t"
    """It has a heading, and is not told twice to one reader."""
    EVENTS = "e"
    """What happened, below its heading: an event to a line, with what belongs to it indented."""
    FORM = "f"
    """An order sheet to fill in."""


class TextSection(NamedTuple):
    """A section of a letter as it is written, with the blank lines around it."""

    kind: SectionKind
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """A text that a template makes, in sections."""

    sections: tuple[TextSection, ...]

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(each.text for each in self.sections)


NO_WORDS: Final = Written(())


@dataclass(frozen=True, slots=True)
class Mail:
    """A letter before it is put into an envelope."""

    subject: str
    words: Written

    @property
    def text(self) -> str:
        """The letter as text."""
        return self.words.text


_MARK: Final = "\ufdd0"
"""In front of a section while a template is filled in: Unicode keeps this character for the use within a program."""


class _Mark(str):
    """The mark of a section, as a template writes it."""


class Titled(str):
    """A text of ours, or a line of it, in which each line of capitals is the title of a section."""


def _with_marks_of_ours(value: object) -> object:
    """Return a value as it goes into a template: of a text in sections the marks go with it, of others none."""
    if isinstance(value, Written):
        marked = "".join(f"{_MARK}{each.kind.value}{each.text}" for each in value.sections)
        return f"{marked.rstrip()}{_MARK}{SectionKind.MORE.value}"
    if isinstance(value, _Mark) or not isinstance(value, str):
        return value
    before = f"{_MARK}{SectionKind.TITLED.value}" if isinstance(value, Titled) else ""
    return before + value.replace(_MARK, "")


def _in_sections(marked: str) -> Written:
    """Return a text with marks as a text in sections."""
    first, *others = marked.split(_MARK)
    return Written(
        (TextSection(SectionKind.MORE, first), *(TextSection(SectionKind(each[0]), each[1:]) for each in others))
    )


def templates(**more: Any) -> Environment:
    """Return the templates, which leave no line where a tag stands alone, and refuse a name that has no value."""
    loader = FileSystemLoader(templates_folder())
    return Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, auto_reload=False, **more
    )


@cache
def _report_templates() -> Environment:
    environment = templates(keep_trailing_newline=True, autoescape=False, finalize=_with_marks_of_ours)
    environment.globals.update({each.name: _Mark(f"{_MARK}{each.value}") for each in SectionKind})
    return environment


def mail(template: str, **values: object) -> Mail:
    """Return the letter that `templates/mail/<template>.txt` makes of some values."""
    whole = _report_templates().get_template(f"mail/{template}.txt").render(values)
    subject, _, text = whole.removeprefix("Subject: ").partition("\n")
    return Mail(" ".join(subject.split()), _in_sections(text.strip("\n") + "\n"))


class Report:
    """The report that a side, or an observer, gets after an adjudication. A part is written when it is asked for."""

    def __init__(self, contents: Contents[Any]) -> None:
        self._contents = contents

    @property
    def text(self) -> str:
        """The report as text."""
        return self.words.text

    @cached_property
    def words(self) -> Written:
        """The whole report, with the form in it."""
        rules, box, request, say = self._contents.rules, self._contents.box, self._contents.request, self._contents.say
        said = self._contents.said
        others = [say.name(side) for side in rules.sides if side in request.others and side != request.side]
        untitled = form_for_reader(self._contents)
        notes = [line for ruling in request.rulings for line in _prose(ruling)]
        notes += _prose(request.time) if request.time else []
        notes += _prose(sheets_used(*request.sheets)) if request.sheets[0] else []
        about = self._contents.about
        if self._contents.known is None:  # then all that the reader holds stands in the report anyway
            about = [section for section in about if section.title not in {each.title for each in self._hand}]
        letter = self._in_full | {
            "hand": list(laid_out([section for section in self._hand if section not in about])),
            "brief": [*_brief_lines(say, request, others), *_question_lines(say, box, request)],
            "notes": notes,
            "about": [line for line in laid_out(list(dict.fromkeys(about))) if line],
            "sheet": untitled and untitled.rstrip("\n"),
        }
        if self._contents.known is None:
            letter |= _told_in_full(said, self.sheet)
        else:
            letter |= _told_in_short(letter, said, self.sheet, large_table=len(rules.sides) > 2)
        return _fill_template("report", **letter)

    @cached_property
    def sheet(self) -> str | None:
        """The form in it as a sheet of its own; None: no decision is open."""
        return _form_lines(self._contents, titled=True)

    @property
    def summary(self) -> str:
        """How things stand in a few words, for a subject."""
        return self._contents.stands.headline

    @property
    def asked(self) -> str:
        """The titles of what its reader is asked, for a subject."""
        box, own = self._contents.box, self._contents.request.own
        waited = [decision for decision in own if decision.waits] or own
        return " ".join(dict.fromkeys(box.forms[decision.kind].title for decision in waited))

    @property
    def position(self) -> str:
        """Where things stand in full, as text."""
        return self.standing.text

    @cached_property
    def standing(self) -> Written:
        """Where things stand in full, for a file that is enclosed."""
        return _fill_template("position", **self._in_full)

    @cached_property
    def _in_full(self) -> dict[str, object]:
        """The values of the template with nothing left out for want of room."""
        rules, box, request = self._contents.rules, self._contents.box, self._contents.request
        stands, known = self._contents.stands, self._contents.known
        return {
            "title": box.title,
            "place": _place_line(self._contents.say, request, stands.headline),
            "full": known is None,
            "happened": list(_happened_lines(self._contents.said)),
            "earlier": [],
            "cut": False,
            "hand": list(laid_out(self._hand)),
            "changed": [] if known is None else list(changes(known.sections, stands.sections)),
            "filed": list(standing_lines(request.filed)) if request.list_filed else [],
            "standing": list(laid_out(stands.sections)),
            "foot": [line for said_of_it in foot(rules, box) for line in _prose(said_of_it)],
        }

    @property
    def _hand(self) -> Sequence[Section]:
        return self._contents.stands.hand if self._contents.request.side is not None else ()


def form_for_reader(contents: Contents[S], *, narrow: bool = False) -> str | None:
    """Return the form for the decisions of the reader, `narrow` for a page; None if there are none."""
    return _form_lines(contents, titled=len(contents.request.own) > 1, narrow=narrow)


def unanswered(box: Box, request: ReportRequest[S]) -> list[str]:
    """Return what counts of each decision of the reader without an answer, a sentence for each."""
    return list(_without_answers(box, request))


def _told_in_full(said: Sequence[ReportLine], sheet: str | None) -> dict[str, list[str]]:
    """Return all of what happened: the last of it above the form, what came before below it."""
    above = 0 if sheet is None else _first_above(said, MOST_ABOVE)
    happened = list(_happened_lines(said[above:])) or ["Nothing new since your last report."]
    return {"happened": happened, "earlier": list(_happened_lines(said[:above]))}


def _told_in_short(
    letter: Mapping[str, Any], said: Sequence[ReportLine], sheet: str | None, *, large_table: bool
) -> dict[str, Any]:
    """Return as much of what happened, and then of what has changed, as a letter has room for besides.

    The latest of what happened comes first. Without a form all of it is told.
    """
    changed = letter["changed"]
    told: dict[str, Any] = {"happened": [], "earlier": [], "changed": []}
    if sheet is None:
        return {
            **told,
            "happened": list(_happened_lines(said, close=True)),
            "changed": _first_changes(changed, _MOST_CHANGES),
        }
    aim = _SHORT if len(sheet.splitlines()) <= _SHORT_FORM else _LONG

    def room(heading: str) -> int:
        """Return how many lines more there may be below a heading."""
        return max(0, aim - len(_fill_template("report", **{**letter, **told}).text.splitlines()) - len(["", heading]))

    most = min(max(room("WHAT HAPPENED"), LEAST_ABOVE), MOST_ABOVE)
    if (above := _first_above(said, most)) and most < MOST_ABOVE:  # what was done comes before the dice
        said = [each for each in said if not each.tag]
        above = _first_above(said, most)
    told["happened"] = list(_happened_lines(said[above:], close=True))
    below = _MOST_AT_A_LARGE_TABLE if large_table else min(room("WHAT HAPPENED BEFORE"), _MOST_BELOW)
    told["earlier"] = _latest(said[:above], below)
    told["cut"] = bool(above and not told["earlier"])
    told["changed"] = _first_changes(changed, min(room("WHAT HAS CHANGED"), _MOST_CHANGES))
    return told


_MORE: Final = f"{HANGING}... position.txt has all of it."


def _fill_template(template: str, **values: object) -> Written:
    """Return what `templates/report/<template>.txt` makes of some values."""
    marked = _report_templates().get_template(f"report/{template}.txt").render(values)
    return _in_sections(marked.rstrip("\n") + "\n")


def _place_line(say: Sentences, request: ReportRequest[S], headline: str) -> list[str]:
    """Return the line that says which report it is, of which game, to whom, and where the game stands."""
    reader = f"to {say.name(request.side)}" if request.side is not None else "for observers"
    stands = f" {headline}." if headline else ""
    return _prose(f"{request.game}, report {request.adjudication} {reader}.{stands}")


def _first_above(said: Sequence[ReportLine], most: int) -> int:
    """Return the first line of what happened that stands above the form: where a paragraph begins, if one does."""
    first = room = 0
    for at in range(len(said) - 1, -1, -1):
        room += len(list(_folded_line(said[at], said[at].depth)))
        if room > most:
            first = at + 1
            break
    begins = next((at for at in range(first, len(said)) if said[at].depth == 0), first)
    kept = sum(len(list(_folded_line(each, each.depth))) for each in said[begins:])
    return 0 if not first else begins if kept > most // 2 else first


def _first_changes(changed: Sequence[str], room: int) -> Sequence[str]:
    """Return the first paragraphs of what has changed."""
    if len(changed) <= room:
        return changed
    ends = [at for at in range(1, room) if not changed[at].startswith(HANGING)]
    return [*changed[: ends[-1]], _MORE] if ends else []


def _latest(said: Sequence[ReportLine], most: int) -> list[str]:
    """Return the latest of what happened, without the dice, on so many lines at the most."""
    told = [each for each in said if not each.tag]
    for first in range(len(told)):
        lines = list(_happened_lines(told[first:], close=True))
        if len(lines) < most + (first == 0):
            return lines if first == 0 else [_MORE, *lines]
    return []


def _form_lines(contents: Contents[S], *, titled: bool, narrow: bool = False) -> str | None:
    """Return the form for the decisions of the reader; None if there are none."""
    request = contents.request
    if request.side is None or not request.own:
        return None
    heading = standing_remark(len(request.filed), contents.box, request.side)
    head = SheetHead(request.game, request.side, request.adjudication, request.chain, request.key)
    width, counts = NARROW if narrow else FORM_WIDTH, not _in_stead(request)
    return form(contents.choices, head, heading, titled=titled, default_counts=counts, width=width)


def _brief_lines(say: Sentences, request: ReportRequest[S], others: Sequence[str]) -> Iterator[str]:
    """Yield what a reader wants to know who is asked nothing: how the game ended, or whom it waits for."""
    for line in asked_nothing(say, request, listing(others)):
        yield from _prose(line)


def asked_nothing(say: Sentences, request: ReportRequest[S], others: str) -> Iterator[str]:
    """Yield the sentence for a reader who is asked nothing: how the game ended, or which `others` it waits for."""
    if request.result is not None:
        yield f"The game is over. {say.result(request.result)}"
    elif others and not request.own:
        yield f"Nothing is asked of you now; the game waits for {others}."


def sheets_used(used: int, in_all: int) -> str:
    """Return the sentence by which a reader notices a sheet that they did not send."""
    which = "1 sheet of your side has" if used == 1 else f"{used} sheets of your side have"
    return f"{which} gone in since your last report, {in_all} in all."


def happened(box: Box, events: Sequence[SeenEvent], language: str = "en") -> list[str]:
    """Return what happened as the lines of a report."""
    return list(_happened_lines(sentences(box, language).tell(events)))


def _happened_lines(said: Iterable[ReportLine], *, close: bool = False) -> Iterator[str]:
    """Yield what happened; a line that is not below another begins a paragraph after those that are, unless `close`."""
    lines = list(said)
    # A letter may begin in the middle of a card play, whose first line stood in the letter before.
    first = 0
    for at, each in enumerate(lines):
        first = each.depth if at == 0 else min(first, each.depth)
        if not close and each.depth == 0 and at and lines[at - 1].depth > 0:
            yield ""
        yield from _folded_line(each, each.depth - first)


def _folded_line(said: ReportLine, depth: int) -> Iterator[str]:
    """Yield a line of a report, folded, with its tag at the right margin."""
    indent = HANGING * depth
    lines = _prose(said.text, indent, indent + HANGING)
    if said.tag:
        room = WIDTH - len(lines[-1])
        if room > len(said.tag):
            lines[-1] += said.tag.rjust(room)
        else:
            lines.append(said.tag.rjust(WIDTH))
    yield from lines


def _question_lines(say: Sentences, box: Box, request: ReportRequest[S]) -> Iterator[str]:
    """Yield each decision of the reader: its title and rule, its facts, and what happens without an answer."""
    for at, decision in enumerate(request.own):
        asked = decision_title(box, decision)
        yield from _prose(f"YOU ARE ASKED: {asked}" if at == 0 else f"AND: {asked}")
        if about := say.question(decision):
            yield from _prose(about, HANGING, HANGING)
    if request.own:
        yield from _prose(request.deadline) if request.deadline else ()
        yield from _default_lines(box, request)


def _default_lines(box: Box, request: ReportRequest[S]) -> Iterator[str]:
    """Yield what counts of each decision without an answer, folded."""
    for line in _without_answers(box, request):
        yield from _prose(line)


def _without_answers(box: Box, request: ReportRequest[S]) -> Iterator[str]:
    """Yield what counts of each decision without an answer, and that AGREED takes it."""
    when = f"{WITHOUT} in time"
    if request.ruled:
        yield f"{when}, the answer that the game master has set counts."
        return
    several = len(request.own) > 1
    clear = all(each.default is not None and not box.forms[each.kind].proposal for each in request.own)
    takes = " AGREED takes it now." if clear else ""
    for decision in request.own:
        form = box.forms[decision.kind]
        about = f" ({_which(box, request, decision)})" if several else ""
        if decision.waits and (what := _in_stead(request)):
            said = "" if decision.default is None or form.proposal else form.in_words(decision.default, box.names)
            yield f"{when}{about}, {what}." + (f" AGREED takes: {said}." if said else "")
        elif decision.default is None:
            yield f"{when}{about}, the game waits for you." if request.deadline else f"The game waits for you{about}."
        else:
            last = takes if decision is request.own[-1] else ""
            waits = "" if decision.waits else " The game does not wait for it."
            yield f"{when}{about}: {form.in_words(decision.default, box.names)}.{waits}{last}"


def _in_stead(request: ReportRequest[S]) -> str:
    """Return what happens in place of the default without an answer in time; empty: the default counts."""
    return {"bot": "the bot of the game answers for you", "wait": "the game waits for you"}.get(request.late, "")


def _which(box: Box, request: ReportRequest[S], decision: Decision) -> str:
    """Return what tells a decision of the reader from the others: its question, or for whom it is if all ask alike."""
    if decision.about and len({each.kind for each in request.own}) == 1:
        return f"for {box.names.get(decision.about, decision.about)}"
    return question(box, decision)


def _prose(text: str, first: str = "", later: str = "") -> list[str]:
    return folded(text, WIDTH, first, later)
