"""Forum tags, and what else forums do to a copied text: taken back, so that a post is read like a letter.

Tags that only dress a text are taken off. Links become the words that they stand on, and the signs of HTML become plain
ones. The numbers that a code box sets before its lines are taken off. `[b]` alone is a list in YAML and stays, but
`[b]...[/b]` is none. No order sheet begins with `7. game:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pbem.mail.read.quoting import QUOTE_MARKS
from pbem.orders.forgive.lines import unsmiled

_DRESS: Final = re.compile(
    r"\[(/?)(b|i|u|s|c|icode|color|colour|size|font|url|email|user|mention|center|left|right|justify|indent|highlight|"
    r"spoiler|details|hide|list)(?:[=\s][^\[\]\n]{0,200})?\]",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"\[([^\[\]\n]{1,200})\]\((?:https?://|mailto:|/)[^()\s]{0,500}\)")
_BREAK: Final = re.compile(r"<br ?/?>\n?", re.IGNORECASE)
_SIGNS: Final = {
    "&nbsp;": " ",
    "&#160;": " ",
    "&quot;": '"',
    "&#34;": '"',
    "&apos;": "'",
    "&#39;": "'",
    "&#039;": "'",
    "&#x27;": "'",
    "&lt;": "<",
    "&gt;": ">",
    "&#91;": "[",
    "&#93;": "]",
    "&#58;": ":",
    "&amp;": "&",
}
_SIGN: Final = re.compile("|".join(_SIGNS))
_SMILING: Final = re.compile(
    r"^[> \t\d.):|]*(?:game|side|adjudication|orders|link)[^\x00-\x7f]", re.IGNORECASE | re.MULTILINE
)
"""A key of a sheet whose colon has become a picture, with the letter behind it."""
_ITEM: Final = re.compile(r"^([> \t]*)\[\*\][ \t]*", re.MULTILINE)
_NUMBERED: Final = re.compile(
    r"(?P<marks>(?: ?>)* ?)(?P<blanks>[ \t]*)(?P<number>\d{1,4})(?P<sign>[.):|]?)(?P<rest>.*)"
)
_NUMBER_ALONE: Final = re.compile(r"[ >\t]*([0-9]{1,4})[ >\t]*")
_HEAD: Final = re.compile(r"[\"'*_]*game[\"'*_]*\s*[:：].*", re.IGNORECASE)
_MOST: Final = 20
"""So many sheets are looked for: a letter with more is refused."""
_FARTHEST: Final = 5
"""So many numbered lines may stand above the line `game:`: its comments, its side."""
_TAG: Final = re.compile(r"\[(/?)(code|quote)(?:[=\s][^\]\n]{0,200})?\]", re.IGNORECASE)
_FENCE: Final = "```"
_DEEPEST: Final = 20


def undamaged(text: str) -> str:
    """Return a tidied text as it was before it was dressed, linked, and written as HTML.

    >>> undamaged("[b]game:[/b] [punica](https://example.org/punica)")
    'game: punica'
    >>> undamaged("path: [b, i]")
    'path: [b, i]'
    """
    if "&" in text or "<" in text:
        text = _SIGN.sub(lambda found: _SIGNS[found[0]], _BREAK.sub("\n", text))
    text = _SMILING.sub(lambda found: unsmiled(found[0]), text)
    if "[" not in text:
        return text
    text = _LINK.sub(r"\1", text)
    taken = sorted(_paired_dress(text))
    done, at = list[str](), 0
    for start, end, name in taken:
        done += [text[at:start], "\n" if name == "list" else ""]
        at = end
    text = "".join([*done, text[at:]])
    return _ITEM.sub(r"\1- ", text) if any(name == "list" for _, _, name in taken) else text


def _paired_dress(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where tags stand that have a partner, and their names."""
    opened: dict[str, list[tuple[int, int]]] = {}
    for tag in _DRESS.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            opened.setdefault(name, []).append(tag.span())
        elif opened.get(name):
            yield (*opened[name].pop(), name)
            yield (*tag.span(), name)


def unnumbered(text: str) -> str:
    r"""Return a text without the numbers before the lines of a sheet, if its line `game:` has one.

    >>> unnumbered("7. game: punica\n8. orders:\n9. - pass: {}")
    'game: punica\norders:\n- pass: {}'
    """
    rows = text.split("\n")
    heads = 0
    for at, row in enumerate(rows):
        if heads >= _MOST:
            break
        found = _NUMBERED.fullmatch(row)
        if found is not None and _HEAD.fullmatch(found["rest"].lstrip()):
            heads += 1
            first = _first_numbered(rows, at, int(found["number"]))
            inset = len(found["rest"]) - len(found["rest"].lstrip())
            rows[first:] = _without_numbers(rows[first:], int(found["number"]) - (at - first), inset)
        elif (
            (alone := _NUMBER_ALONE.fullmatch(row))
            and at + 1 < len(rows)
            and _HEAD.fullmatch(rows[at + 1].strip(" >\t"))
        ):
            heads += 1
            rows[at:] = _without_number_lines(rows[at:], int(alone[1]))
    return "\n".join(rows)


def _first_numbered(rows: list[str], at: int, number: int) -> int:
    """Return the first line above `game:` whose number goes before that of the line below it."""
    first = at
    while first > max(0, at - _FARTHEST):
        above = _NUMBERED.fullmatch(rows[first - 1])
        if above is None or int(above["number"]) != number - (at - first) - 1:
            break
        first -= 1
    return first


def _without_numbers(rows: list[str], number: int, inset: int) -> Iterator[str]:
    """Yield lines, the first of them without their numbers, as long as these go on from one to the next."""
    counting = True
    for row in rows:
        found = _NUMBERED.fullmatch(row) if counting else None
        counting = found is not None and int(found["number"]) == number
        if found is None or not counting:
            counting = counting or (number > 0 and not row.strip(" >\t"))  # a blank line may have lost its number
            yield row
            continue
        rest = found["rest"]
        blanks = min(inset, len(rest) - len(rest.lstrip()))
        yield found["marks"] + rest[blanks:]
        number += 1


def _without_number_lines(rows: list[str], number: int) -> Iterator[str]:
    """Yield lines without those that hold nothing but the number of the line below them."""
    for row in rows:
        if row.strip(" >\t") == str(number):
            number += 1
        else:
            yield row


def untagged(text: str) -> str:
    """Return a tidied text without its forum tags and what else a forum does to it.

    A tag without its partner is left as it is.

    >>> untagged("[quote=Ann]game: punica[/quote]\\nYes.")
    '> game: punica\\nYes.'
    """
    return unnumbered(_without_blocks(undamaged(text)))


def _without_blocks(text: str) -> str:
    """Return a text with fences and quote marks in place of tags."""
    if (paired := _paired_tags(text)) == set():
        return text
    done: list[str] = []
    depth, start = 0, 0
    for line in text.split("\n"):
        marks = QUOTE_MARKS.match(line)
        before = f"{marks[0].strip()} " if marks else ""
        rest_from = start + (marks.end() if marks else 0)
        end = start + len(line)
        tags = [tag for tag in _TAG.finditer(text, rest_from, end) if tag.start() in paired]
        if not tags:
            done.append(_behind_quote_marks(line, depth))
        for at, tag in enumerate(tags):
            if piece := text[rest_from : tag.start()].strip():
                done.append(_behind_quote_marks(before + piece, depth))
            rest_from = tag.end()
            if tag[2].lower() == "code":
                done.append(_behind_quote_marks(before + _FENCE, depth))
            else:
                depth += -1 if tag[1] else 1
            if at == len(tags) - 1 and (piece := text[rest_from:end].rstrip()).strip():
                done.append(_behind_quote_marks(before + piece, depth))
        start = end + 1
    return "\n".join(done)


def _paired_tags(text: str) -> set[int]:
    """Return where the tags stand that have a partner."""
    return {place for pair in _pairs(text) for place in pair}


def _pairs(text: str) -> Iterator[tuple[int, int]]:
    opened: list[tuple[str, int]] = []
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            opened.append((name, tag.start()))
        elif opened and opened[-1][0] == name:
            yield opened.pop()[1], tag.start()


def _behind_quote_marks(line: str, depth: int) -> str:
    return "> " * min(depth, _DEEPEST) + line
