"""Lines of a letter: prose wrapped for a phone, sections of a summary laid out, and what has changed in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final, TypeAlias

from pbem.game.board.summary import Line, Section

# ---- Wrapping: folds prose into lines that a phone and a quoting mail program leave whole


GLUE: Final = "\u00a0"
"""A blank at which no line ends."""
_TOGETHER: Final = re.compile(r"(?<=\d) (?=[^\s\d])|(?<=\brule|\bcard) (?=\d)")


def folded(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """Return a text as lines of at most `width`; a number is never parted from the word it counts.

    `first` stands before the first line, `later` before the others. A word longer than a line is left whole.

    >>> folded("Rome loses 2 CU.", 13, "  ", "    ")
    ['  Rome loses', '    2 CU.']
    """
    whole = first + text
    blanks = whole.isprintable()  # then it has no other white space
    if blanks and len(whole) <= width and text[-1:] not in ("", " "):  # nothing to fold, as most often
        return [whole]
    lines = wrap(
        first + _TOGETHER.sub(GLUE, text),
        width,
        subsequent_indent=later,
        expand_tabs=not blanks,
        replace_whitespace=not blanks,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(GLUE, " ") for line in lines]


# ---- Sections of a summary as lines of a letter, and what has changed in them since another letter


WIDTH: Final = 72
"""How wide prose is at most."""
COLUMNS: Final = 38
"""How wide a table is at most: a phone shows so much without breaking lines."""
HANGING: Final = "  "
_LAST: Final = 14
"""The least room for the last column: where there is less, a row is written below its label."""
_LONGEST: Final = 20
"""The longest label that stands beside columns."""
_Key: TypeAlias = tuple[str, ...]
GONE: Final = "no more"
"""In place of the columns of a row that is not there any longer."""


def laid_out(sections: Sequence[Section]) -> Iterator[str]:
    """Yield sections with a blank line between them, their columns below one another."""
    for at, section in enumerate(sections):
        if at:
            yield ""
        yield section.title
        yield from _table_lines(section.lines)


def changes(before: Sequence[Section], now: Sequence[Section]) -> Iterator[str]:
    """Yield what `sentences_of_changes` says, folded."""
    for sentence in sentences_of_changes(before, now):
        yield from folded(sentence, WIDTH, later=HANGING)


def sentences_of_changes(before: Sequence[Section], now: Sequence[Section]) -> Iterator[str]:
    """Yield a sentence for each section with the rows that were not there before, and those that are gone.

    A row is known by its label and the lines above it. Of lines without columns only the new ones are told; of those
    that stand below no other and list something (`Rome: Latium, Apulia.`) only what is new or gone.

    >>> north, boii, pisae = Line("Gaul"), Line("Boii", ("3 CU",), 1), Line("Pisae", ("4 CU", "Hanno"), 1)
    >>> list(sentences_of_changes([Section("Armies", (north, boii))], [Section("Armies", (north, pisae))]))
    ['Armies: Pisae 4 CU, Hanno; Boii no more.']
    """
    was, here = ({each.title: each.lines for each in some if not each.passing} for some in (before, now))
    for title in {**here, **was}:
        if rows := list(_changed(was.get(title, ()), here.get(title, ()))):
            yield f"{title}: {'; '.join(rows)}."


def _changed(before: Sequence[Line], now: Sequence[Line]) -> Iterator[str]:
    was, here = dict(_placed(before)), dict(_placed(now))
    columns = next((line.cells for line in now if not line.label), ())
    headings = {key[:depth] for key in here for depth in range(1, len(key))}
    lists = {line.label.partition(": ")[0]: line.label for line in before if not (line.cells or line.depth)}
    for key, line in here.items():
        if not line.aside and was.get(key) != line and (line.cells or key not in headings):
            earlier = None if line.cells or line.depth else lists.get(line.label.partition(": ")[0])
            yield _in_words(line, columns) if earlier is None else _relisted(earlier, line.label)
    over = (line for key, line in was.items() if key not in here and not line.passing)
    yield from (f"{line.label} {GONE}" for line in over if line.label and line.cells)


def _placed(lines: Sequence[Line]) -> Iterator[tuple[_Key, Line]]:
    """Yield lines, each with its label and those of the lines that it stands below."""
    above: list[str] = []
    for line in lines:
        above[line.depth :] = [line.label]
        yield tuple(above), line


def _relisted(before: str, now: str) -> str:
    """Return what is new in a list, and what is gone from it.

    >>> _relisted("Rome: Latium, Apulia.", "Rome: Latium, Samnium.")
    'Rome: also Samnium; no longer Apulia'
    """
    head, _, listed = now.rstrip(".").partition(": ")
    items, earlier = listed.split(", "), before.rstrip(".").partition(": ")[2].split(", ")
    new, gone = [each for each in items if each not in earlier], [each for each in earlier if each not in items]
    told = [f"{word} {', '.join(some)}" for word, some in (("also", new), ("no longer", gone)) if some]
    return f"{head}: {'; '.join(told)}"


def _in_words(line: Line, columns: Sequence[str]) -> str:
    """Return a row as a part of a sentence; `columns` are the words at the head of its table, if it has some."""
    cells = [f"{column} {cell}" for column, cell in zip(columns, line.cells, strict=False)] if columns else line.cells
    return " ".join(filter(None, [line.label, ", ".join(filter(None, cells))])).rstrip(".")


def _table_lines(lines: Sequence[Line]) -> Iterator[str]:
    """Yield rows with their columns below one another; a row too wide for that has its columns below its label."""
    rows = [line for line in lines if line.cells]
    label = max((len(_label_of_row(line)) for line in rows if len(_label_of_row(line)) <= _LONGEST), default=0)
    count = max((len(line.cells) for line in rows), default=0)
    columns = [[line.cells[at] for line in rows if at < len(line.cells)] for at in range(count)]
    widths = [max(map(len, column)) for column in columns]
    right = [all(cell[:1].isdigit() for cell in column if cell) and at < count - 1 for at, column in enumerate(columns)]
    for line in lines:
        if not line.cells:
            yield from folded(_label_of_row(line), WIDTH, "", HANGING * (line.depth + 2))
            continue
        cells = [cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line.cells, widths, right, strict=False)]
        before = "  ".join([_label_of_row(line).ljust(label), *cells[:-1], ""])
        fits = len(_label_of_row(line)) <= _LONGEST
        if fits and len(f"{before}{line.cells[-1]}") <= COLUMNS:
            yield f"{before}{line.cells[-1]}".rstrip()
        elif fits and len(before) + _LAST <= COLUMNS:
            yield from folded(line.cells[-1], COLUMNS, before, " " * len(before))
        else:
            below = HANGING * (line.depth + 2)
            yield from folded(_label_of_row(line), COLUMNS, "", below)
            yield from folded(", ".join(filter(None, line.cells)), COLUMNS, below, below)


def _label_of_row(line: Line) -> str:
    return HANGING * (line.depth + 1) + line.label
