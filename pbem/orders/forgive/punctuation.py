"""Punctuation within an order: braces, semicolons, commas that are missing, colons.

`Move: Longus, path: Ariminum` is read as `Move: {Longus, path: Ariminum}`. A line that may go on below stays as it is:
nobody knows then where the body ends.

`{do: end; card: r8}`, `[{to: capua} {to: nola}]`, `{path [capua]}` and `odds: >= 150`, which lacks quotes, can be read
in one way only. What stands in quotes stays as it is, and so does every line that belongs to no order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pbem.orders.forgive.known import Known
from pbem.orders.forgive.lines import Line, Signs, bare
from pbem.orders.forgive.scan import looks_like_order, order_start
from pbem.orders.sheet import WHEN

_KEY: Final = re.compile(r"(?<![^\s,;])([^\W\d]\w*)[ ]*:(?=[ \[{])")
_OPENS: Final = ("{", "[", '"', "'")
_FULL: Final = 55
"""A program that breaks lines breaks none that is shorter."""
_WRONG: Final = re.compile(
    r"(?<![^\s\[{,:])(?:\"[^\"]*\"|'[^']*')"  # what stands in quotes is passed over
    r"|(?P<comma>;)"
    r"|(?<=[{,])(?P<key>\s*[a-z_]\w*)(?=\s*[\[{])"
    r"|(?P<end>\})(?=\s*\{)"
    r"|(?<=:)\s*(?P<bound>[<>]=?\s?-?\d+)",
    re.IGNORECASE,
)


def braced(lines: Sequence[Line], known: Known) -> tuple[list[Line], bool]:
    """Put the missing braces round the bodies of orders; tell whether any were missing."""
    found = [_braced(line, lines[at + 1 : at + 2], known) for at, line in enumerate(lines)]
    return found, any(new is not old for new, old in zip(found, lines, strict=True))


def _braced(line: Line, below: Sequence[Line], known: Known) -> Line:
    """Return a line with braces round the body of its order, if they are missing."""
    head = order_start(line.text, known).head
    if head is not None and head.sign == ":" and known.conditions.readings(head.word, whole=True) == (WHEN,):
        return _with_braces(line, head.rest) if _KEY.match(bare(line.text[head.rest :])) else line
    if head is None or head.sign != ":" or (kind := known.kind(head.word)) is None:
        return line
    rest = line.text[head.rest :]
    body = bare(rest)
    if not body or body.startswith(_OPENS) or body.endswith(",") or not _is_whole(body):
        return line
    if not any(known.place(kind).keys.readings(key[1]) for key in _KEY.finditer(body)) or _may_be_broken(
        line, below, known
    ):
        return line
    return _with_braces(line, head.rest)


def _with_braces(line: Line, start: int) -> Line:
    """Return a line with braces round what stands behind a place on it."""
    rest = line.text[start:]
    start += len(rest) - len(rest.lstrip())
    return line.put(start + len(bare(rest)), "}").put(start, "{")


def _is_whole(body: str) -> bool:
    """Tell whether every bracket and quote of a body is closed on its line."""
    signs, at = Signs(), 0
    line = Line(1, body, range(1, len(body) + 2))
    while at < len(body):
        _, at = signs.read(line, at)
    return not signs.open and body.count("{") == body.count("}") and body.count("[") == body.count("]")


def _may_be_broken(line: Line, below: Sequence[Line], known: Known) -> bool:
    """Tell whether a line may have been broken, so that the one below it belongs to the order."""
    text = below[0].text.lstrip("> ") if below else ""
    return bool(text) and len(line.text) >= _FULL and not text.startswith("#") and not looks_like_order(text, known)


def punctuated(lines: Sequence[Line], known: Known) -> tuple[list[Line], bool]:
    """Put the punctuation of orders right; tell whether any was wrong."""
    found: list[Line] = []
    signs = Signs()
    for line in lines:
        start = 0
        if not signs.open:
            head = order_start(line.text, known).head
            if head is None or not (known.kind(head.word) or known.conditions.readings(head.word, whole=True)):
                found.append(line)
                continue
            start = head.rest
        mended = _with_signs_mended(line, start)
        while start < len(mended.text):
            _, start = signs.read(mended, start)
        found.append(mended)
    return found, any(new is not old for new, old in zip(found, lines, strict=True))


def _with_signs_mended(line: Line, start: int) -> Line:
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
