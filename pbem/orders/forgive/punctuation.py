"""Punctuation within an order: a semicolon for a comma, a comma that is missing between braces, a colon before them.

`{do: end; card: r8}`, `[{to: capua} {to: nola}]`, `{path [capua]}` and `odds: >= 150`, which lacks quotes, can be read
in one way only. What stands in quotes stays as it is, and so does every line that belongs to no order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pbem.orders.forgive.known import Known
from pbem.orders.forgive.lines import Line
from pbem.orders.forgive.scan import head_of, start_of
from pbem.orders.forgive.signs import Signs

_WRONG: Final = re.compile(
    r"(?<![^\s\[{,:])(?:\"[^\"]*\"|'[^']*')"  # what stands in quotes is passed over
    r"|(?P<comma>;)"
    r"|(?<=[{,])(?P<key>\s*[a-z_]\w*)(?=\s*[\[{])"
    r"|(?P<end>\})(?=\s*\{)"
    r"|(?<=:)\s*(?P<bound>[<>]=?\s?-?\d+)",
    re.IGNORECASE,
)


def punctuated(lines: Sequence[Line], known: Known) -> tuple[list[Line], bool]:
    """Put the punctuation of orders right; tell whether any was wrong."""
    found: list[Line] = []
    signs = Signs()
    for line in lines:
        start = 0
        if not signs.open:
            head = head_of(line.text, start_of(line.text, known)[0])
            if head is None or not (known.kind(head.word) or known.conditions.readings(head.word, whole=True)):
                found.append(line)
                continue
            start = head.rest
        mended = _mended(line, start)
        while start < len(mended.text):
            _, start = signs.read(mended, start)
        found.append(mended)
    return found, any(new is not old for new, old in zip(found, lines, strict=True))


def _mended(line: Line, start: int) -> Line:
    """Return a line with its punctuation put right from a place on."""
    remark = re.search(r"(?:^|\s)#", line.text[start:])
    end = len(line.text) if remark is None else start + remark.start()
    for wrong in reversed(list(_WRONG.finditer(line.text, start, end))):
        at = wrong.end()
        if wrong["comma"]:
            line = replace(line, text=f"{line.text[: at - 1]},{line.text[at:]}")
        elif wrong["key"]:
            line = line.put(at, ":")
        elif wrong["end"]:
            line = line.put(at, ",")
        elif wrong["bound"]:
            line = line.put(at, '"').put(wrong.start("bound"), '"')
    return line
