"""Bare orders: the lines of a letter that look like orders but stand in no sheet.

A line looks like an order if, without bullets, numbers and quote marks, its first word is a kind of order of the game
followed by `:` or `{`, or a key of a sheet followed by `:`. Capitals count for nothing, and hyphens and blanks as
underscores. Nothing else looks like an order: "I play Hannibal: he was great" is talk.

Where no sheet is found, such lines are put below the heading of the report that the letter answers. Beside a sheet they
are never dropped in silence: they say the same as the sheet, or the letter goes back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pbem.mail.lines import BULLETS, MARKS
from pbem.mail.sheet_finder import SHEET_KEYS, brackets_opened
from pbem.orders.forgive import Answering
from pbem.orders.sheet import ORDERS, STANDING, STANDING_ADD

_LISTS: Final = (ORDERS, STANDING, STANDING_ADD)
_SET_OFF: Final = rf"[\s{MARKS}]*+"
_HEAD: Final = re.compile(
    rf"\s*{BULLETS}{_SET_OFF}(?P<brace>\{{?){_SET_OFF}(?P<word>[^\W\d_][\w \-]{{0,39}}?){_SET_OFF}"
    r"(?P<sign>[:{]|[,;=-](?=\s*\{))(?P<rest>.*)",
    re.IGNORECASE,
)
_WITHIN: Final = re.compile(r"\s+(?:[-–—•·]\s|[\"']?\w+[\"']?\s*:|[\[\]{}#])|\s*[\]}]")
"""A line that can only go on with the order above it."""
_KEY: Final = re.compile(r"[a-z_]\w*\s*:(?:\s|$)")
_MOST_BLANK: Final = 2
"""So many blank lines may stand within an order: some programs set one after each line."""
_LONGEST: Final = 40
"""So many lines one order has at most."""


@dataclass(frozen=True, slots=True)
class BareOrder:
    """An order, or a line with a key of a sheet, outside any sheet.

    `word` is its kind or key as the game spells it, `text` what follows the colon, `lines` the lines as they were
    typed, and `quoted` tells whether they stand in quoted text.
    """

    word: str
    text: tuple[str, ...]
    lines: tuple[str, ...]
    quoted: bool = False

    @property
    def is_braced(self) -> bool:
        """Whether it stands in braces, kind and all."""
        return re.match(rf"\s*{BULLETS}{_SET_OFF}\{{", self.lines[0]) is not None

    @property
    def is_key(self) -> bool:
        """Whether it is a key of the sheet itself."""
        return self.word in SHEET_KEYS


def folded(word: str) -> str:
    """Return a word as the kinds of a game are spelt.

    >>> folded("Battle Card")
    'battle_card'
    """
    return re.sub(r"[\s_‐-―-]+", "_", unicodedata.normalize("NFKC", word).casefold()).strip("_")


def may_order(lines: Iterable[str]) -> bool:
    """Tell whether any line has the shape of an order, of whatever game."""
    return any(_HEAD.match(unicodedata.normalize("NFKC", line)) for line in lines)


def bare_orders(lines: Sequence[str], kinds: Collection[str], *, quoted: bool = False) -> list[BareOrder]:
    """Return the bare orders among some lines, in order.

    Beside one of them counts as another what has a body in braces and no kind of the game: it is never passed over.

    >>> [each.word for each in bare_orders(["I will risk it.", "* Battle card: {card: probe}"], ["battle_card"])]
    ['battle_card']
    """
    known = any(_head(line, kinds) is not None for line in lines)
    found: list[BareOrder] = []
    at = 0
    while at < len(lines):
        head = _head(lines[at], kinds) or (_odd_head(lines[at]) if known else None)
        if head is None:
            at += 1
            continue
        word, text = head
        end = _end(lines, at, text, kinds)
        found.append(BareOrder(word, (text, *lines[at + 1 : end]), tuple(lines[at:end]), quoted))
        at = end
    return found


def sheet_of(orders: Iterable[BareOrder], report: Answering) -> str:
    """Return a sheet with bare orders below the heading of a report; a key that the player wrote stays as it is."""
    head = {"game": report.game, "side": report.side, "adjudication": str(report.adjudication)}
    lists: dict[str, list[str]] = {}
    current = ORDERS
    for each in orders:
        if each.word in _LISTS:
            said = " ".join(" ".join(each.text).split())
            lists.setdefault(each.word, []).extend([said] if said and not said.startswith("#") else [])
            current = each.word if not said or said.startswith(("#", "- ")) else ORDERS
        elif each.is_key:
            head[each.word] = " ".join(" ".join(each.text).split())
        else:
            lists.setdefault(current, []).extend(_item(each))
    text = [f"{key}: {value}" for key, value in head.items()]
    for key in _LISTS:
        if key in lists:
            text += [f"{key}: {lists[key][0]}"] if _is_word(lists[key]) else [f"{key}:", *lists[key]]
    return "\n".join(text) + "\n"


def _is_word(lines: Sequence[str]) -> bool:
    """Tell whether what follows a key is no list, such as the word `default`."""
    return len(lines) == 1 and not lines[0].startswith("- ")


def _item(order: BareOrder) -> Iterator[str]:
    """Yield an order as an item of a list; the lines below its first keep their indents among each other."""
    first, *more = order.text
    yield f"- {order.word}: {first}".rstrip()
    depths = [len(line) - len(line.lstrip()) for line in more if line.strip()]
    for line in more:
        if line.strip():
            yield " " * 4 + line[min(depths) :].rstrip()


def _head(line: str, kinds: Collection[str]) -> tuple[str, str] | None:
    """Return the kind or key with which a line begins and what follows it; None: it does not look like an order."""
    found = _HEAD.match(unicodedata.normalize("NFKC", line))
    if found is None:
        return None
    word, rest = folded(found["word"]), found["rest"]
    if found["sign"] == "{":
        rest = "{" + rest
        return (word, rest.strip()) if word in kinds else None
    if found["brace"] and brackets_opened(rest) < 0:  # the whole order stood in braces
        rest = rest.rstrip().removesuffix("}")
    return (word, rest.strip()) if word in kinds or word in SHEET_KEYS else None


def _odd_head(line: str) -> tuple[str, str] | None:
    """Return the first word of a line and the braces behind its colon; None: it has not that shape."""
    found = _HEAD.match(unicodedata.normalize("NFKC", line))
    if found is None or found["brace"] or found["sign"] == "{" or not found["rest"].lstrip().startswith("{"):
        return None
    return folded(found["word"]), found["rest"].strip()


def _end(lines: Sequence[str], start: int, text: str, kinds: Collection[str]) -> int:
    """Return the line before which an order ends: after what its brackets or indents show to belong to it.

    An order with nothing behind its colon goes on with keys, also if the blanks in front of them are lost.
    """
    brackets, bodyless = brackets_opened(text), not text or text.startswith("#")
    end = start + 1
    for at in range(start + 1, min(len(lines), start + _LONGEST)):
        line = lines[at]
        if not line.strip() and at - end < _MOST_BLANK:
            continue
        within = _WITHIN.match(line) or (bodyless and _KEY.match(line))
        if not line.strip() or (brackets <= 0 and (not within or _is_own(line, lines[start], kinds))):
            break
        brackets += brackets_opened(line)
        end = at + 1
    return end


def _is_own(line: str, above: str, kinds: Collection[str]) -> bool:
    """Tell whether a line is an order of its own, no deeper than the one above it."""
    depth, deepest = (len(each) - len(each.lstrip()) for each in (line, above))
    return depth <= deepest and _head(line, kinds) is not None
