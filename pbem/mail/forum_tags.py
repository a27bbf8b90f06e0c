"""Forum tags: `[code]` becomes a fence and `[quote]` quote marks, so that a post is read like a letter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pbem.mail.forum_damage import undamaged, unnumbered
from pbem.mail.lines import QUOTE_MARKS

_TAG: Final = re.compile(r"\[(/?)(code|quote)(?:[=\s][^\]\n]{0,200})?\]", re.IGNORECASE)
_FENCE: Final = "```"
_DEEPEST: Final = 20


def untagged(text: str) -> str:
    """Return a tidied text without its forum tags and what else a forum does to it (`pbem.mail.forum_damage`).

    A tag without its partner is left as it is.

    >>> untagged("[quote=Ann]game: punica[/quote]\\nYes.")
    '> game: punica\\nYes.'
    """
    return unnumbered(_without_blocks(undamaged(text)))


def _without_blocks(text: str) -> str:
    """Return a text with fences and quote marks in place of tags."""
    if (paired := _paired(text)) == set():
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
            done.append(_quoted(line, depth))
        for at, tag in enumerate(tags):
            if piece := text[rest_from : tag.start()].strip():
                done.append(_quoted(before + piece, depth))
            rest_from = tag.end()
            if tag[2].lower() == "code":
                done.append(_quoted(before + _FENCE, depth))
            else:
                depth += -1 if tag[1] else 1
            if at == len(tags) - 1 and (piece := text[rest_from:end].rstrip()).strip():
                done.append(_quoted(before + piece, depth))
        start = end + 1
    return "\n".join(done)


def _paired(text: str) -> set[int]:
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


def _quoted(line: str, depth: int) -> str:
    return "> " * min(depth, _DEEPEST) + line
