"""The sheet finder: finds order sheets in the text of a letter, where each begins and where it ends.

A sheet begins at a line `game: NAME` (and at the comment lines just above it). Where it ends is told by the shape
of YAML, and in doubt too late rather than too early: a line that can only be an order, after a line that cannot,
takes that line in as well. The check of the sheet then points at it, while orders cut off would be lost in silence.

Nothing is repaired. A comment that a mail program broke in two, or a list whose hyphens became dashes, is for the
check to complain about; only what a reader cannot see has been tidied before (`pbem.mail.charset.tidied`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pbem.mail.lines import LetterLine, lines


@dataclass(slots=True, frozen=True)
class Found:
    """A sheet in a text, without quote marks; `depth` is 0 where the sender wrote it."""

    text: str
    depth: int


_START: Final = re.compile(r"""\s*(["']?)game\1\s*:\s*(["']?)[\w.-]+\2\s*(?:#.*)?""", re.IGNORECASE)
_ABOVE: Final = re.compile(r"\s*(?:#|(?:side|adjudication)\s*:\s*[\w-]+\s*(?:#|$))")
_FIRM: Final = re.compile(
    r"\s*(?:(?i:game|side|adjudication|orders|standing(?:_add)?)\s*:(?=\s|$)"  # a key of the sheet itself
    r"|[-–—•·*−]\s*(?:[\"']?\w+[\"']?\s*:(?=\s|$)|\{)"  # an order, its hyphen perhaps made a bullet
    r"|(?<=\s)[a-z_]\w*\s*:(?=\s|$))"  # a key within an order
)
_AT_ONCE: Final = re.compile(r"\s|#|[-–—•·−](?:\s|$)|[\[\]{},\"']|[a-z_]\w*\s*:(?:\s|$)")
_AFTER_A_BLANK_LINE: Final = re.compile(r"#|\s+-\s|\s*[\[\]{}]")
_TICKS: Final = re.compile(r"\s*(?:```+|~~~+)\s*[\w.+-]*")
_BEGIN: Final = re.compile(r"\W*BEGIN ORDERS\W*", re.IGNORECASE)
_END: Final = re.compile(r"\W*END ORDERS\W*", re.IGNORECASE)


def sheets(text: str) -> list[Found]:
    """Return the sheets in a tidied text, in order of appearance, quoted ones included."""
    letter = lines(text)
    fenced = _fenced(letter)
    starts = [i for i, line in enumerate(letter) if _START.fullmatch(line.text)]
    firsts = [_first(letter, start, floor) for start, floor in zip(starts, [0, *(i + 1 for i in starts)], strict=False)]
    found = []
    for start, first, limit in zip(starts, firsts, [*firsts, len(letter)][1:], strict=True):
        stop = _stop(letter, first, start, limit)
        end = stop if start in fenced else _end(letter, start, stop)
        sheet = "\n".join(line.text for line in letter[first:end])
        found.append(Found(sheet.rstrip("\n") + "\n", letter[start].depth))
    return found


def _fenced(letter: Sequence[LetterLine]) -> set[int]:
    """Return the numbers of the lines between two fences: what stands there is all meant for the sheet."""
    inside: set[int] = set()
    opened: dict[tuple[int, bool], int] = {}
    for i, line in enumerate(letter):
        ticks = _TICKS.fullmatch(line.text) is not None
        fence = (line.depth, ticks)
        if fence in opened and (ticks or _END.fullmatch(line.text)):
            inside.update(range(opened.pop(fence) + 1, i))
        elif ticks or _BEGIN.fullmatch(line.text):
            opened[fence] = i
    return inside


def _first(letter: Sequence[LetterLine], start: int, floor: int) -> int:
    """Return where a sheet begins whose `game:` stands at `start`: with the comments and keys just above."""
    first = start
    while first > floor and letter[first - 1].depth == letter[start].depth and _ABOVE.match(letter[first - 1].text):
        first -= 1
    return first


def _stop(letter: Sequence[LetterLine], first: int, start: int, limit: int) -> int:
    """Return the line before which a sheet ends at the latest: a fence, a signature, another's words.

    Lines with fewer quote marks may go on with a quoted sheet: they are the player's answers in the quoted form.
    """
    above = next((line.text for line in reversed(letter[max(0, first - 5) : first]) if line.text), "")
    ends = {"--", "---", "..."} if above == "---" else {"--"}
    for i in range(start + 1, limit):
        line = letter[i]
        if line.below != letter[start].below or line.marks > letter[start].marks:
            return i
        if line.text in ends or _TICKS.fullmatch(line.text) or _END.fullmatch(line.text):
            return i
    return limit


def _end(letter: Sequence[LetterLine], start: int, stop: int) -> int:
    """Return the line before which a sheet ends by its shape: after the last line that belongs to it."""
    end, brackets = start + 1, 0
    whole, gap = True, False  # no stranger's line since `end`; a blank line just above
    for i in range(start + 1, stop):
        text = letter[i].text
        if not text:
            brackets, gap = 0, True
            continue
        goes_on = brackets > 0 or (_AFTER_A_BLANK_LINE if gap else _AT_ONCE).match(text)
        whole = bool(_FIRM.match(text) or (whole and goes_on))
        if whole:
            end = i + 1
        brackets = max(0, brackets + _opened(text)) if whole else 0
        gap = False
    return end


_QUOTED: Final = re.compile(r"""(?<!\w)(?:"[^"]*"|'[^']*')""")
_REMARK: Final = re.compile(r"(?:^|\s)#.*")


def _opened(text: str) -> int:
    """Return how many more brackets a line opens than it closes."""
    text = _REMARK.sub("", _QUOTED.sub("", text))
    return sum(map(text.count, "[{")) - sum(map(text.count, "]}"))
