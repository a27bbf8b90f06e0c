"""Marked sheets: a player's own text with every fault below its place, to be mended and sent back.

A line of ours begins with `#!`. It comes back in the text that a mail program quotes, and `without_marks` takes it
out again before the sheet is read: so it can stand anywhere, even within a text of several lines, and the sheet that
is mended is no longer than the one that was sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from pbem.game.wording import counted
from pbem.game.yaml import Mark, Placed, by_place
from pbem.mail.read.quoting import letter_lines
from pbem.orders.forgive import Answering
from pbem.orders.sheet import fault_sentence, width_of
from pbem.render.text.receipt import receipt_blocks
from pbem.render.text.text_lines import folded

MARK: Final = "#!"
"""What each line of ours in a marked sheet begins with."""
_OURS: Final = re.compile(rf"^[ \t]*{MARK}.*\n?", re.MULTILINE)
_KEY: Final = re.compile(r"(?i)\W*(game|side|adjudication)\W*:")
_WIDTH: Final = 64
"""Columns of a line of ours: mail programs break a quoted line at 72, with up to four quote marks before it."""
_NARROW: Final = 44
"""Columns that a telephone shows in one line: carets further to the right would stand below another word."""
_MOST: Final = 50
_LONGEST_NAMED: Final = 30
OWN_SHEET: Final = "your-sheet.yaml"
"""The name under which players get their own sheet back, as it was read."""
_OWN_SHEET: Final = re.compile(r"your-sheet(?:-\w+)?\.yaml")


def marked(lines: Sequence[str], faults: Iterable[Placed], report: Answering | None = None) -> str:
    """Return a player's own lines, each fault below the line that it is about: carets under the words, then why.

    What their heading lacks stands above them, as it is for the `report` that they answer: only below a heading are
    they found again in a quote. Return an empty text if there are no lines to show.
    """
    every = by_place(faults)
    last = max((number for number, line in enumerate(lines, 1) if line.strip()), default=0)
    below: dict[int, list[Placed]] = {}
    for placed in every[:_MOST]:
        below.setdefault(min(placed.mark.line, last), []).append(placed)
    rows = list(_missing_heading(lines, report)) if last and report is not None else []
    for number, line in enumerate(lines[:last], 1):
        rows.append(line)
        pointed: Mark | None = None
        for placed in below.get(number, ()):
            carets = list(_carets(line, placed.mark))
            if placed.mark != pointed:
                rows += carets
            rows += marked_remark(fault_sentence(placed.fault) if carets else _fault_named(line, placed))
            pointed = placed.mark
    if last and len(every) > _MOST:
        rows += marked_remark(f"{counted(len(every) - _MOST, 'more fault')} not shown here")
    return "".join(f"{row}\n" for row in rows)


def _missing_heading(lines: Iterable[str], report: Answering) -> Iterator[str]:
    """Yield the lines of a heading that some lines of a player lack."""
    there = {found[1].lower() for line in lines if (found := _KEY.match(line)) is not None}
    for key, value in (("game", report.game), ("side", report.side), ("adjudication", report.adjudication)):
        if key not in there:
            yield f"{key}: {value}"


def without_marks(text: str) -> str:
    """Return a text without the lines that `marked` put into it."""
    return _OURS.sub("", text) if MARK in text else text


def marked_remark(text: str) -> list[str]:
    """Return a sentence as lines of ours."""
    return folded(text, _WIDTH, f"{MARK} ", f"{MARK} ")


def _fault_named(line: str, placed: Placed) -> str:
    """Return the sentence of a fault, with the word before it where that stands too far to the right for carets."""
    return (
        f"at {word}: {fault_sentence(placed.fault)}"
        if (word := _far_right(line, placed.mark))
        else fault_sentence(placed.fault)
    )


def _far_right(line: str, mark: Mark) -> str:
    """Return the word at a place that is named rather than pointed at: it ends where a telephone breaks the line."""
    start = mark.column - 1
    word = line[start:][: mark.width].strip()
    return word if width_of(line[: start + mark.width]) > _NARROW and len(word) <= _LONGEST_NAMED else ""


def _carets(line: str, mark: Mark) -> Iterator[str]:
    """Yield the line of carets below a word; none where it would not stand below it in every mail program."""
    before, start = line[: mark.column - 1], mark.column - 1
    room = width_of(before)
    if room < len(MARK) or room >= _WIDTH or "\t" in before or not line[start:].strip() or _far_right(line, mark):
        return
    wide = width_of(line[start : start + mark.width])
    yield MARK + " " * (room - len(MARK)) + "^" * min(max(1, wide), _WIDTH - room)


def is_own_sheet(name: str) -> bool:
    """Tell whether a file has the name under which players get their own sheet back, for whichever side of theirs."""
    return _OWN_SHEET.fullmatch(name) is not None


def sheet_number(path: str) -> int:
    """Return the number of a sheet, by its path."""
    return int(PurePosixPath(path).stem)


def without_receipts(text: str) -> str:
    """Return a tidied text with a blank line for each line of a receipt, quoted or not: none of it is the player's."""
    kept = text.split("\n")
    for block in receipt_blocks([line.text for line in letter_lines(text)]):
        kept[block.first : block.end] = [""] * (block.end - block.first)
    return "\n".join(kept)
