"""Complaints: faults as a player reads them, with the reason, the line, and carets under the words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from pbem.game.yaml.marks import Mark, Placed
from pbem.protocol import Fault, cited

_LINE: Final = 100
"""How many columns of a player's line are shown."""
_TAB: Final = "    "
_MOST: Final = 50
_LONGEST: Final = 300


def complain(name: str, lines: Sequence[str], faults: Iterable[Placed]) -> str:
    """Return every fault as `name:line:column: kind: reason (rule n)`, the line it is about, and carets under it."""
    every = list(faults)
    rows: list[str] = []
    for placed in every[:_MOST]:
        mark, fault = placed.mark, placed.fault
        rows.append(f"{name}:{mark.line}:{mark.column}: {fault.kind}: {sentence(fault)}")
        if mark.line <= len(lines) and lines[mark.line - 1].strip():
            rows += _shown(lines[mark.line - 1], mark)
    if len(every) > _MOST:
        rows.append(f"... and {len(every) - _MOST} more")
    return "".join(f"{row}\n" for row in rows)


def as_rows(name: str, faults: Iterable[Placed]) -> list[dict[str, str | int | None]]:
    """Return every fault as a row for programs: file, line, column, width, kind, reason, rule."""
    return [
        {
            "file": name,
            "line": placed.mark.line,
            "column": placed.mark.column,
            "width": placed.mark.width,
            "kind": placed.fault.kind,
            "reason": shortened(placed.fault.reason),
            "rule": placed.fault.rule,
        }
        for placed in faults
    ]


def sentence(fault: Fault) -> str:
    """Return the reason of a fault on one line, shortened, with the rule that it cites."""
    rule = f" ({cited(fault.rule)})" if fault.rule else ""
    return shortened(fault.reason) + rule


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text on one line, without invisible characters, cut to `longest`."""
    text = "".join(" " if char.isspace() else _visible(char) for char in text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _shown(line: str, mark: Mark) -> list[str]:
    """Return a line, cut around the mark if it is long, and the line of carets that goes below it."""
    start = min(mark.column - 1, len(line))
    stop = min(max(start + mark.width, start + 1), start + _LINE // 2)
    first, last = 0, len(line)
    if len(line) > _LINE:  # counted in characters: a line of wide ones may still be twice as wide
        first = max(0, start - _LINE // 3)
        last = min(len(line), first + _LINE)
    before = ("..." if first else "") + _drawn(line[first:start])
    text = before + _drawn(line[start:last]) + ("..." if last < len(line) else "")
    carets = max(1, width_of(_drawn(line[start:stop])))
    return [f"  {text}", "  " + " " * width_of(before) + "^" * carets]


def _drawn(text: str) -> str:
    return "".join(_TAB if char == "\t" else _visible(char) for char in text)


def _visible(char: str) -> str:
    """Return a character, or `?` for one that shows nothing or changes how its neighbours are shown."""
    return "?" if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else char


def width_of(text: str) -> int:
    """Return how many columns of a monospace font a text takes, once what is invisible in it is drawn as `?`."""
    return sum(
        0 if unicodedata.category(char) in {"Mn", "Me"} else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in map(_visible, text)
    )
