"""The report of a game as text, and the letters around it, wrapped for a phone.

What a game has to say comes as data: events, decisions, a `pbem.game.summary.Summary`. The layout of the letters is in
`templates/`. This room knows no game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final, Generic

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbem.crypto.player_chains import PlayerChain
from pbem.game.box import Box
from pbem.game.summary import Line, Section, Summary
from pbem.game.wording import listing
from pbem.paths import templates_folder
from pbem.protocol import Decision, Rules, S, Side, cited
from pbem.render.form import WITHOUT, SheetHead, form, standing_lines, standing_remark
from pbem.render.messages import Said, SeenEvent, Sentences, sentences
from pbem.render.wrap import folded

WIDTH: Final = 72
COLUMNS: Final = 60
"""How wide a table is at most."""
_HANGING: Final = "  "


@dataclass(frozen=True, slots=True)
class Report:
    """A report: its text, the form in it as a sheet of its own (None: no decision is open), and words for a subject."""

    text: str
    sheet: str | None
    summary: str
    asked: str


@dataclass(frozen=True)
class ReportRequest(Generic[S]):
    """What a report is written from: its reader, what the reader may know, and what the game waits for.

    Events that other sides alone have seen and decisions of other sides are left out of the report.
    """

    game: str
    adjudication: int
    side: Side | None
    """The reader; None: an observer."""
    view: S
    """The position as the reader may know it."""
    events: Sequence[SeenEvent] = ()
    """What happened since the reader's last report."""
    waiting: Sequence[Decision] = ()
    """The decisions that are open."""
    others: Sequence[Side] = ()
    """The sides that the game waits for; the reader may be one of them."""
    deadline: str | None = None
    result: Mapping[str, Any] | None = None
    filed: Sequence[Mapping[str, Any]] = ()
    """The reader's standing orders in force, as a sheet would have them."""
    list_filed: bool = False
    """Whether the report lists those standing orders."""
    language: str = "en"
    chain: PlayerChain | None = None
    """The reader's own dice chain; None: there is none."""
    rulings: Sequence[str] = ()
    """Sentences about rulings of the game master that are in force."""
    sheets: tuple[int, int] = (0, 0)
    """How many sheets of the reader went in since the last report, and how many there are in all."""
    ruled: bool = False
    """Whether a ruling says which answer counts if the reader gives none in time."""

    @cached_property
    def own(self) -> Sequence[Decision]:
        """The open decisions of the reader."""
        return [decision for decision in self.waiting if self.side is not None and decision.side == self.side]


@dataclass(frozen=True, slots=True)
class Mail:
    """A letter before it is put into an envelope."""

    subject: str
    text: str


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(templates_folder()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # plain text
        auto_reload=False,
    )


def mail(template: str, **values: object) -> Mail:
    """Return the letter that `templates/mail/<template>.txt` makes of some values."""
    whole = _templates().get_template(f"mail/{template}.txt").render(values)
    subject, _, text = whole.removeprefix("Subject: ").partition("\n")
    return Mail(" ".join(subject.split()), text.strip("\n") + "\n")


def report(rules: Rules[S], box: Box, request: ReportRequest[S]) -> Report:
    """Return the report that a side, or an observer, gets after an adjudication."""
    say = sentences(box, request.language)
    seen = [each for each in request.events if each.event.to is None or request.side in each.event.to]
    stands = rules.summary(request.view) or Summary("")
    headline = f" {stands.headline}." if stands.headline else ""
    reader = f"to {say.name(request.side)}" if request.side is not None else "for observers"
    others = [say.name(side) for side in rules.sides if side in request.others and side != request.side]
    asked = " ".join(box.forms[decision.kind].title for decision in request.own)
    sheet = _sheet(rules, box, request, stands.headline)
    brief = [*_brief(say, request, asked, others), *(line for ruling in request.rulings for line in _prose(ruling))]
    brief += _prose(_sheets_used(*request.sheets)) if request.sheets[0] else []
    text = (
        _templates()
        .get_template("report/report.txt")
        .render(
            title=box.title,
            place=_prose(f"{request.game}, report {request.adjudication} {reader}.{headline}"),
            brief=brief,
            happened=list(_happened(say.tell(seen))) or ["Nothing new since your last report."],
            questions=list(_questions(say, box, request)),
            hand=list(_sections(stands.hand)) if request.side is not None else [],
            filed=list(standing_lines(request.filed)) if request.list_filed else [],
            standing=list(_sections(stands.sections)),
            sheet=sheet and sheet.rstrip("\n"),
        )
    )
    return Report(text.rstrip("\n") + "\n", sheet, stands.headline, asked)


def _sheet(rules: Rules[S], box: Box, request: ReportRequest[S], headline: str) -> str | None:
    """Return the form for the decisions of the reader; None if there are none."""
    if request.side is None or not request.own:
        return None
    heading = [f"{request.game}, {headline}" if headline else request.game]
    heading += standing_remark(len(request.filed), box)
    head = SheetHead(request.game, request.side, request.adjudication, request.chain)
    return form(rules, box, request.view, request.own, head, heading)


def _brief(say: Sentences, request: ReportRequest[S], asked: str, others: Sequence[str]) -> Iterator[str]:
    """Yield the one thing that a hurried reader wants to know: what they have to do."""
    yield ""
    if request.result is not None:
        yield from _prose(f"The game is over. {say.result(request.result)}")
    elif request.own:
        until = f" Answer by {request.deadline}." if request.deadline else ""
        yield from _prose(f"YOU ARE ASKED: {asked}{until}")
    elif others:
        yield from _prose(f"Nothing is asked of you now; the game waits for {listing(others)}.")


def _sheets_used(used: int, in_all: int) -> str:
    """Return the sentence by which a reader notices a sheet that they did not send."""
    which = "1 sheet of yours has" if used == 1 else f"{used} sheets of yours have"
    return f"Since your last report {which} gone in; you have sent {in_all} so far."


def happened(box: Box, events: Sequence[SeenEvent], language: str = "en") -> list[str]:
    """Return what happened as the lines of a report."""
    return list(_happened(sentences(box, language).tell(events)))


def _happened(said: Iterable[Said]) -> Iterator[str]:
    """Yield what happened; a line that is not below another begins a paragraph after those that are."""
    lines = list(said)
    # A letter may begin in the middle of a card play, whose first line stood in the letter before.
    first = 0
    for at, each in enumerate(lines):
        first = each.depth if at == 0 else min(first, each.depth)
        if each.depth == 0 and at and lines[at - 1].depth > 0:
            yield ""
        yield from _lines(each, each.depth - first)


def _lines(said: Said, depth: int) -> Iterator[str]:
    """Yield a line of a report, folded, with its tag at the right margin."""
    indent = _HANGING * depth
    lines = _prose(said.text, indent, indent + _HANGING)
    if said.tag:
        room = WIDTH - len(lines[-1])
        if room > len(said.tag):
            lines[-1] += said.tag.rjust(room)
        else:
            lines.append(said.tag.rjust(WIDTH))
    yield from lines


def _questions(say: Sentences, box: Box, request: ReportRequest[S]) -> Iterator[str]:
    """Yield each decision of the reader: its title and rule, its facts, and what happens without an answer."""
    for at, decision in enumerate(request.own):
        if at:
            yield ""
        yield from _prose(f"{box.forms[decision.kind].title} ({cited(decision.rule)})")
        if about := say.question(decision):
            yield from _prose(about, _HANGING, _HANGING)
    if request.own:
        yield from _unanswered(box, request)


def _unanswered(box: Box, request: ReportRequest[S]) -> Iterator[str]:
    """Yield what counts of each decision without an answer, and that AGREED takes it."""
    when = f"{WITHOUT} by {request.deadline}" if request.deadline else f"{WITHOUT} in time"
    if request.ruled:
        yield from _prose(f"{when}, the answer that the game master has set counts.")
        return
    several = len(request.own) > 1
    for decision in request.own:
        form = box.forms[decision.kind]
        about = f" ({form.title})" if several else ""
        if decision.default is None:
            yield from _prose(f"{when}{about}, the game waits for you.")
        else:
            yield from _prose(f"{when}{about}: {form.in_words(decision.default, box.names)}.")
    if all(decision.default is not None for decision in request.own):
        yield from _prose("To take that now, write AGREED in your answer, on a line of its own.")


def _sections(sections: Sequence[Section]) -> Iterator[str]:
    """Yield sections with a blank line between them, their columns below one another."""
    for at, section in enumerate(sections):
        if at:
            yield ""
        yield section.title
        yield from _table(section.lines)


def _table(lines: Sequence[Line]) -> Iterator[str]:
    rows = [line for line in lines if line.cells]
    label = max((len(_label(line)) for line in rows), default=0)
    count = max((len(line.cells) for line in rows), default=0)
    columns = [[line.cells[at] for line in rows if at < len(line.cells)] for at in range(count)]
    widths = [max(map(len, column)) for column in columns]
    right = [all(cell[:1].isdigit() for cell in column if cell) and at < count - 1 for at, column in enumerate(columns)]
    for line in lines:
        if not line.cells:
            yield from _prose(_label(line), "", _HANGING * (line.depth + 2))
            continue
        cells = [cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line.cells, widths, right, strict=False)]
        start = _label(line).ljust(label)
        whole = "  ".join([start, *cells]).rstrip()
        if len(whole) <= COLUMNS:
            yield whole
        else:
            before = "  ".join([start, *cells[:-1], ""])
            yield from folded(line.cells[-1], COLUMNS, before, " " * len(before))


def _label(line: Line) -> str:
    return _HANGING * (line.depth + 1) + line.label


def _prose(text: str, first: str = "", later: str = "") -> list[str]:
    return folded(text, WIDTH, first, later)
