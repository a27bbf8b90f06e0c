"""The HTML part of a letter: the same report as its text, in one column for a phone, with pictures and answers to tap.

It is made of the same facts as the text (`pbem.render.text.report`), and says nothing that the text and the files
enclosed do not say. It has no script and loads nothing: its pictures travel in the letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent
from typing import Any, Final, Literal, TypeAlias

from pbem.game.board.summary import Line
from pbem.game.boxes.box import Box
from pbem.game.boxes.printed import foot
from pbem.game.contract import Rules
from pbem.game.wording import listing
from pbem.pages.taps import Taps, taps
from pbem.pages.templates import page
from pbem.protocol import S
from pbem.render.text.contents import Contents, ReportRequest
from pbem.render.text.form import decision_title, standing_text
from pbem.render.text.messages import ReportLine, Sentences
from pbem.render.text.report import asked_nothing, form_for_reader, sheets_used, unanswered
from pbem.render.text.text_lines import sentences_of_changes

LARGEST: Final = 20_000
"""So many bytes the page has at most."""
_MOST_OPEN: Final = 16
"""So many lines of what happened stand above the form; what came before them stands below it."""
_IN_THE_FILE: Final = "The file position.txt, which is enclosed, has the rest of what happened and how things stand."
_STYLES: Final = {
    "p": "margin:6px 0",
    "h2": "margin:20px 0 6px 0;font-size:18px;line-height:1.25",
    "h3": "margin:12px 0 2px 0;font-size:16px",
    "pre": "margin:6px 0;padding:8px;background:#f1e7d3;border-radius:6px;"
    "font:13px/1.45 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere",
}
Kind: TypeAlias = Literal["heading", "prose", "lines", "terms"]
_SHORTEST: Final = 6
"""A line in capitals that is no longer than this is a word of a sentence."""
_TERM: Final = re.compile(r"(\S+(?: \S+)*) {2,}(\S.*)")
"""A word, and what it means behind some blanks; the rest of that stands on the next lines, below its beginning."""


@dataclass(frozen=True, slots=True)
class LetterPicture:
    """A picture in a letter: the Content-ID of its part, and what it shows in words."""

    cid: str
    alt: str


@dataclass(frozen=True, slots=True)
class Envelope:
    """What a letter says around its report, and what its page needs to know of it."""

    subject: str
    before: str
    """The plain text above the report."""
    after: str
    """The plain text below it."""
    address: str
    """The bare address that answers go to."""
    pictures: Sequence[LetterPicture] = ()
    must_sign: bool = False
    """Whether only signed sheets count in this game."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A heading, prose, lines that stay as they are, or words with their meanings."""

    kind: Kind
    text: str
    terms: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Around:
    before: Sequence[Paragraph]
    after: Sequence[Paragraph]


@dataclass(frozen=True, slots=True)
class _Question:
    title: str
    about: str


def letter_page(contents: Contents[S], envelope: Envelope) -> str:
    """Return the page of a report; empty if it cannot be made small enough.

    What is long is left out where the page would be too large, the least urgent first: it stands in position.txt.
    """
    values = _values(contents, envelope)
    for left_out in ((), ("standing", "earlier"), ("hand", "changed"), ("about",)):
        values |= {name: [] for name in left_out}
        values |= {"cut": _IN_THE_FILE} if left_out else {}
        whole = page("letter.html", **values)
        if len(whole.encode()) <= LARGEST:
            return whole
    return ""


def _values(contents: Contents[S], envelope: Envelope) -> dict[str, Any]:
    """Return what stands on the page, by the names that its template uses."""
    rules, box, request, say = contents.rules, contents.box, contents.request, contents.say
    stands, known, said = contents.stands, contents.known, contents.said
    hand = stands.hand if request.side is not None else ()
    about = list(dict.fromkeys(contents.about))
    if known is None:
        about = [each for each in about if each.title not in {one.title for one in hand}]
    held = {each.title: each for each in hand}
    about = [held.get(each.title, each) for each in about]  # what is held in full: a phone shows no enclosed file
    first = _first_open(said)
    reader = f"to {say.name(request.side)}" if request.side is not None else "for observers"
    headline = f" {stands.headline}." if stands.headline else ""
    return {
        **_STYLES,
        "runs": _column_runs,
        "subject": envelope.subject,
        "around": _Around(list(plain_paragraphs(envelope.before)), list(plain_paragraphs(envelope.after))),
        "place": f"{request.game}, report {request.adjudication} {reader}.{headline}",
        "questions": [_Question(decision_title(box, each), say.question(each)) for each in request.own],
        "brief": list(_brief_paragraphs(say, box, request)),
        "taps": taps(rules, box, request, envelope.address, must_sign=envelope.must_sign) if request.own else Taps(),
        "pictures": envelope.pictures,
        "happened": list(_from_the_margin(said[first:])),
        "earlier": list(_from_the_margin(said[:first])),
        "sheet": (form_for_reader(contents, narrow=True) or "").rstrip("\n"),
        "about": about,
        "hand": [each for each in hand if each not in about] if known is None else [],
        "changed": [] if known is None else list(sentences_of_changes(known.sections, stands.sections)),
        "filed": [standing_text(each) for each in request.filed] if request.list_filed else [],
        "standing": stands.sections if known is None else [],
        "cut": "",
        "notes": list(_note_paragraphs(rules, box, request)),
    }


def _brief_paragraphs(say: Sentences, box: Box, request: ReportRequest[S]) -> Iterator[str]:
    """Yield until when an answer is in time and what counts without one; or what the game waits for, or its end."""
    if request.own:
        yield from [request.deadline] if request.deadline else ()
        yield from unanswered(box, request)
    else:
        others = [each for each in dict.fromkeys(request.others) if each != request.side]
        yield from asked_nothing(say, request, listing([say.name(each) for each in others]))


def _note_paragraphs(rules: Rules[S], box: Box, request: ReportRequest[S]) -> Iterator[str]:
    yield from request.rulings
    if request.time:
        yield request.time
    if request.sheets[0]:
        yield sheets_used(*request.sheets)
    yield from foot(rules, box)


def _first_open(said: Sequence[ReportLine]) -> int:
    """Return the first line of what happened that stands above the form: where a paragraph begins, if one does."""
    first = max(0, len(said) - _MOST_OPEN)
    return next((at for at in range(first, len(said)) if said[at].depth == 0), first) if first else 0


def _from_the_margin(said: Sequence[ReportLine]) -> Iterator[ReportLine]:
    """Yield lines, the first of them at the margin: a letter may begin in the middle of a card play."""
    first = said[0].depth if said else 0
    for each in said:
        first = min(first, each.depth)
        yield ReportLine(each.depth - first, each.text, each.tag)


def _column_runs(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of a section by runs: with columns beside them, and without."""
    return [list(run) for _, run in groupby(lines, key=lambda line: bool(line.cells))]


def plain_paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a plain text of ours: lines that were folded are joined again.

    Lines with a word and what it means become pairs; other lines that are indented stay as they are.

    >>> [each.kind for each in plain_paragraphs("THE DICE\\n\\nKeep this\\nletter.\\n\\n  tip: 9f86d0\\n")]
    ['heading', 'prose', 'lines']
    """
    for block in text.strip("\n").split("\n\n"):
        for kind, run in groupby(filter(None, block.split("\n")), key=_kind):
            lines = list(run)
            if kind == "heading":
                yield from (Paragraph(kind, line.capitalize()) for line in lines)
            elif kind == "lines":
                text = dedent("\n".join(lines))
                terms = _defined_terms(text)
                yield Paragraph("terms", text, terms) if terms else Paragraph(kind, text)
            else:
                yield Paragraph(kind, " ".join(lines))


def _defined_terms(text: str) -> tuple[tuple[str, str], ...]:
    """Return words with what they mean, if all lines of a text are made of such."""
    found: list[tuple[str, str]] = []
    for line in text.split("\n"):
        if pair := _TERM.fullmatch(line):
            found.append((pair[1], pair[2]))
        elif found and line.startswith("    "):
            found[-1] = found[-1][0], f"{found[-1][1]} {line.strip()}"
        else:
            return ()
    return tuple(found)


def _kind(line: str) -> Kind:
    if line[:1] in (" ", "|"):
        return "lines"
    return "heading" if line.isupper() and len(line) > _SHORTEST else "prose"
