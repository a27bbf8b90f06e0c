"""The report of a game as text, and the letters round it: wrapped for a phone, the same words for the same facts.

What a game has to say comes as data: events, questions, a `pbem.game.summary.Summary`. How letters are laid out stands
in `templates/`. This room knows no game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbem.crypto.player_chains import OwnChain
from pbem.game.box import Box
from pbem.game.summary import Line, Section, Summary
from pbem.paths import templates_folder
from pbem.protocol import Decision, Side, cited
from pbem.render.form import form, standing_lines, standing_remark
from pbem.render.messages import Said, Sentences, Told, joined, sentences
from pbem.render.wrap import folded

WIDTH: Final = 72
COLUMNS: Final = 60
"""How wide a table is at most."""
_HANGING: Final = "  "


@dataclass(frozen=True, slots=True)
class Report:
    """A report: its text, the form in it as a sheet of its own (None: nothing is asked), and words for a subject."""

    text: str
    sheet: str | None
    summary: str
    asked: str


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


def mail(template: str, **words: Any) -> Mail:
    """Return the letter that `templates/mail/<template>.txt` makes of some words."""
    whole = _templates().get_template(f"mail/{template}.txt").render(words)
    subject, _, text = whole.removeprefix("Subject: ").partition("\n")
    return Mail(" ".join(subject.split()), text.strip("\n") + "\n")


def report(
    rules: Any, box: Box, *, game: str, adjudication: int, side: Side | None, view: Any,
    events: Sequence[Told] = (), waiting: Sequence[Decision] = (), others: Sequence[Side] = (),
    deadline: str | None = None, result: Mapping[str, Any] | None = None,
    filed: Sequence[Mapping[str, Any]] = (), list_filed: bool = False, language: str = "en",
    chain: OwnChain | None = None, rulings: Sequence[str] = (), ruled: bool = False,
) -> Report:  # fmt: skip
    """Return what a side (None: an onlooker) is told after an adjudication.

    `known` is the position as that side knows it, `events` what happened since its last letter, `waiting` the
    questions open to it, `others` the sides that the game waits for besides. Events and questions of others are
    left out. Rules with `standing(known)` say there where things stand. `filed` are the side's standing orders in
    force, as a sheet would have them, which the report lists only if it is told to. `chain` is the side's
    own dice chain; None: it has none. `rulings` are sentences on what the game master has ruled and is in force;
    `ruled`: he has set what counts if the side does not answer in time.
    """
    say = sentences(box, language)
    own = [decision for decision in waiting if side is not None and decision.side == side]
    told = [each for each in events if each.event.to is None or side in each.event.to]
    stands = rules.summary(view) or Summary("")
    asked = " ".join(box.forms[decision.kind].title for decision in own)
    names = [say.name(other) for other in rules.sides if other in others and other != side]
    sheet = None
    if own and side is not None:
        heading = [f"{game}, {stands.headline}" if stands.headline else game, *standing_remark(len(filed), box)]
        sheet = form(
            rules, view, own, box=box, game=game, side=side, adjudication=adjudication, heading=heading, chain=chain
        )
    to = f"to {say.name(side)}" if side is not None else "for onlookers"
    text = _templates().get_template("report/report.txt").render(
        title=box.title,
        place=_prose(f"{game}, report {adjudication} {to}." + (f" {stands.headline}." if stands.headline else "")),
        brief=[*_brief(say, own, asked, names, deadline, result), *(each for one in rulings for each in _prose(one))],
        happened=list(_happened(say.tell(told))) or ["Nothing that you have not been told."],
        questions=list(_questions(say, own, box, deadline, ruled)),
        hand=list(_sections(stands.hand)) if side is not None else [],
        filed=list(standing_lines(filed)) if list_filed else [],
        standing=list(_sections(stands.sections)),
        sheet=sheet and sheet.rstrip("\n"),
    )  # fmt: skip
    return Report(text.rstrip("\n") + "\n", sheet, stands.headline, asked)


def _brief(
    say: Sentences,
    own: Sequence[Decision],
    asked: str,
    others: Sequence[str],
    deadline: str | None,
    result: Mapping[str, Any] | None,
) -> Iterator[str]:
    """Yield the one thing a hurried reader wants to know: what he has to do."""
    yield ""
    if result is not None:
        yield from _prose(f"The game is over. {say.result(result)}")
    elif own:
        until = f" Answer by {deadline}." if deadline else ""
        yield from _prose(f"YOU ARE ASKED: {asked}{until}")
    elif others:
        yield from _prose(f"Nothing is asked of you now; the game waits for {joined(others)}.")


def happened(box: Box, events: Sequence[Told], language: str = "en") -> list[str]:
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


def _questions(
    say: Sentences, own: Sequence[Decision], box: Box, deadline: str | None, ruled: bool
) -> Iterator[str]:  # fmt: skip
    """Yield each open question: its title and paragraph, what it is about, what happens without an answer."""
    for at, decision in enumerate(own):
        if at:
            yield ""
        yield from _prose(f"{box.forms[decision.kind].title} ({cited(decision.rule)})")
        if about := say.question(decision):
            yield from _prose(about, _HANGING, _HANGING)
    if own:
        when = f"by {deadline}" if deadline else "in time"
        waits = any(decision.default is None for decision in own)
        without = "the game waits for you." if waits else "the sheet below counts as it stands."
        without = "what the game master has set counts." if ruled else without
        yield from _prose(f"Without an answer {when}, {without}")


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
