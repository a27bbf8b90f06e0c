"""The canonical sheet: what is committed of a sheet that had to be put right, with the player's own text below it.

Everything below the sheet is remarks, which the strict reader passes over: first what was changed, then the text as
it came.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pbem.game.yaml import LETTER, dump
from pbem.game.yaml.limits import CONTROL

CHANGES: Final = "# This is how the sheet was read:"
OWN_TEXT: Final = "# The sheet as it came:"
KEY_ABOVE: Final = "orders:"
"""Stands above orders that came without it, where only that makes a list of them."""
FIRST_MARK: Final = "of an order whose first # was taken off, the others were taken off as well"
SIGNS: Final = "curly quotes, long dashes and wide signs were read as plain ones"
FORM_ONLY: Final = "the form was put right; no word was changed"
SPELLING: Final = "capitals, blanks and hyphens were put right in "
FROM_REPORT: Final = "taken from the report that your letter answers"
FOR_AGREED: Final = "AGREED stands for what counts without an answer"
_BARE: Final = "no hyphen in front"
BRACED: Final = "braces were put round what had none"
RESPACED: Final = "missing colons, and missing blanks behind colons, were put in"
PUNCTUATED: Final = "commas and colons were put right"
_OF_FORM: Final = (FIRST_MARK, SIGNS, FORM_ONLY, FOR_AGREED, BRACED, RESPACED, PUNCTUATED)
"""Changes that give no word another sense."""
_CHANGE: Final = "# * "
_LINE: Final = "# | "
_CUT: Final = "# (the rest was cut off here)"
_ROOM_FOR_CHANGES: Final = LETTER.size // 4
_LONGEST: Final = 300
_HIDDEN: Final = re.compile(f"{CONTROL.pattern}|[\t\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064]")


def canonical_sheet(value: dict[str, Any], changes: Iterable[str], own: Sequence[str]) -> str | None:
    """Return the canonical sheet of a value; None: it would be too long to be read."""
    sheet = dump(value)
    room = LETTER.size - _bytes_of(sheet) - _bytes_of(f"{CHANGES}\n{OWN_TEXT}\n{_CUT}\n{_CUT}\n")
    if room < 0:
        return None
    told, room_left = _remarks_that_fit(_CHANGE, changes, min(room, _ROOM_FOR_CHANGES))
    kept, _ = _remarks_that_fit(_LINE, own, room - min(room, _ROOM_FOR_CHANGES) + room_left)
    return _sheet_with_remarks(sheet, told, kept)


def for_word(sheet: str, own: Iterable[str], change: str) -> str:
    """Return the canonical sheet that a word of a letter, such as AGREED, stands for; `own` are the lines with it."""
    kept, _ = _remarks_that_fit(
        _LINE, own, LETTER.size - _bytes_of(sheet) - _bytes_of(f"{CHANGES}\n{OWN_TEXT}\n{change}\n{_CUT}\n")
    )
    return _sheet_with_remarks(sheet, [_CHANGE + change], kept)


def _sheet_with_remarks(sheet: str, changes: Iterable[str], own: Iterable[str]) -> str:
    return "\n".join([sheet.rstrip("\n"), CHANGES, *changes, OWN_TEXT, *own]) + "\n"


def changes_in(sheet: str) -> list[str]:
    """Return what a canonical sheet says was changed; nothing for a sheet that is kept as it came."""
    lines = sheet.split("\n")
    if CHANGES not in lines or OWN_TEXT not in lines:
        return []
    between = lines[lines.index(CHANGES) + 1 : lines.index(OWN_TEXT)]
    return [line.removeprefix(_CHANGE) for line in between if line.startswith(_CHANGE)]


def changes_of_sense(sheet: str) -> list[str]:
    """Return those changes that a player has to look at: a word was taken for another, or read where none was due."""
    return [change for change in changes_in(sheet) if not _of_form(change)]


def _of_form(change: str) -> bool:
    return change in _OF_FORM or change.startswith(SPELLING) or change.endswith(FROM_REPORT) or _BARE in change


def came_from(sheet: str, sent: str) -> bool:
    """Tell whether a canonical sheet has a text below it as the one that it was made of, as far as that is kept."""
    below = _own_text_below(sheet)
    if not below:
        return False
    lines_of_sent, _ = _remarks_that_fit(_LINE, sent.split("\n"), _bytes_of(sheet) + 8 * LETTER.size)
    if below[-1:] == [_CUT]:
        return lines_of_sent[: len(below) - 1] == below[:-1]
    return _without_blank_end(lines_of_sent) == _without_blank_end(below)


def came_from_lines(sheet: str, sent: Iterable[str]) -> bool:
    """Tell whether a canonical sheet has below it lines of a letter, in their order, and no others.

    So it is where the orders stood in no sheet, or where a word such as AGREED stands for them.
    """
    below = [line for line in _own_text_below(sheet) if line not in (_CUT, _LINE.rstrip(), _LINE + KEY_ABOVE)]
    lines = iter([_remark(_LINE, line) for line in sent])
    return bool(below) and all(line in lines for line in below)


def _own_text_below(sheet: str) -> list[str]:
    """Return the remarks with the player's own text; none for a sheet that is kept as it came."""
    lines = sheet.rstrip("\n").split("\n")
    return lines[lines.index(OWN_TEXT) + 1 :] if OWN_TEXT in lines else []


def _without_blank_end(lines: Sequence[str]) -> Sequence[str]:
    """Return lines without the empty ones at the end."""
    count = len(lines)
    while count and lines[count - 1] == _LINE.rstrip():
        count -= 1
    return lines[:count]


def _remarks_that_fit(start: str, texts: Iterable[str], room: int) -> tuple[list[str], int]:
    """Return texts as remarks while there is room for them, and the room that is left."""
    lines = []
    for text in texts:
        line = _remark(start, text)
        if (size := _bytes_of(line) + 1) > room:
            lines.append(_CUT)
            break
        room -= size
        lines.append(line)
    return lines, room


def _remark(start: str, text: str) -> str:
    return start + _HIDDEN.sub("?", text[:_LONGEST]).rstrip() + ("..." if len(text) > _LONGEST else "")


def _bytes_of(text: str) -> int:
    return len(text.encode())
