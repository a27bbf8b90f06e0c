"""The sheet finder: finds order sheets in the text of a letter, and lines that look like orders but stand in none.

A sheet begins at a line `game: NAME` (and at the comment lines just above it), or is one line such as
`orders: punica carthage 15 battle_card {card: probe}`. Where it ends is told by the shape of YAML, and in doubt too
late rather than too early: a line that can only be an order, after a line that cannot, takes that line in as well. The
check of the sheet then points at it, while orders cut off would be lost in silence.

Two things are mended, each of which can be read in one way only. An order behind a `#` that a mail program broke in two
is one line again, for what was broken off has lost its `#`. Keys below an order that lost the blanks in front of them,
as they do in HTML, get them back. Whatever else is odd is for the check; only what a reader cannot see has been tidied
before (`pbem.mail.read.mime.tidy_text`).

A line looks like an order if, without bullets, numbers and quote marks, its first word is a kind of order of the game
followed by `:` or `{`, or a key of a sheet followed by `:`. Capitals count for nothing, and hyphens and blanks as
underscores. Nothing else looks like an order: "I play Hannibal: he was great" is talk.

Where no sheet is found, such lines are put below the heading of the report that the letter answers. Beside a sheet they
are never dropped in silence: they say the same as the sheet, or the letter goes back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from pbem.crypto.sealed_orders import BadBlock, SealedBlock, find_blocks
from pbem.mail.read.commands import Words, is_command
from pbem.mail.read.quoting import BULLETS, MARKS, QUOTE_MARKS, LetterLine, letter_lines
from pbem.orders.forgive import Answering
from pbem.orders.sheet import AHEAD, LINK, ORDERS, STANDING, STANDING_ADD, STANDING_CANCEL

_START: Final = re.compile(r"""\s*(["']?)game\1\s*:\s*(["']?)[\w.-]+\2\s*(?:#.*)?""", re.IGNORECASE)
_IN_ONE: Final = re.compile(
    r"\s*orders\s*:\s*(?P<game>[\w.-]+)\s+(?P<side>\w+)\s+(?P<number>\d+)\s*[-,:]?\s+"
    r"(?:(?P<kind>[^\W\d]\w*)\s*:?\s*(?P<body>(?<=:\s)\S.*|\{.*)|(?P<words>\S.*))",
    re.IGNORECASE,
)
"""A whole sheet on one line: game, side, adjudication, an order as YAML or in words."""
_ABOVE: Final = re.compile(r"\s*(?:#|(?:side|adjudication)\s*:\s*[\w-]+\s*(?:#|$))")
_BULLET: Final = r"(?:(?:[-+–—•·*−~>]+|\(?\d{1,3}[.)]|(?i:then|and|next)\b)[ ]*)"
_WORDS: Final = r"[\"'*_]*[^\W\d_][\w -]{0,40}[\"'*_]*"
_FIRM: Final = re.compile(
    rf"\s*(?:{_BULLET}+{_WORDS}(?:\s*[:：]?\s*[{{｛]|\s*:\s*(?:default\b|$))"  # an order behind any bullet or number
    r"|(?i:game|side|adjudication|ahead|orders|standing(?:_add|_cancel)?)\s*:(?=\s|$)"  # a key of the sheet itself
    r"|[-–—•·*−]\s*(?:[\"']?\w+[\"']?\s*:(?=\s|$)|\{)"  # an order, its hyphen perhaps made a bullet
    r"|(?:[+>]|\(?\d{1,2}[.)])\s*[^\W\d_][\w -]{0,40}\s*:(?=\s|$)"  # an order with another mark, or a number
    r"|(?:[-–—•·*−+>]|\(?\d{1,2}[.)])?\s*[\"'*_]{0,2}[^\W\d_][\w -]{0,40}[\"'*_]{0,2}\s*:?\s*\{"  # its body in braces
    r"|(?<=\s)[a-z_]\w*\s*:(?=\s|$))"  # a key within an order
)
_AT_ONCE: Final = re.compile(r"\s|#|[-–—•·−](?:\s|$)|[\[\]{},\"']|[a-z_]\w*\s*:(?:\s|$)")
_AFTER_A_BLANK_LINE: Final = re.compile(r"#|\s+-\s|\s*[\]}]|\s+[\[{]")
_UNFINISHED: Final = (":", ",", "[", "{")
_COMMENTED: Final = re.compile(r"\s*#[\s#]*(?=-\s)")
_OF_ITS_OWN: Final = re.compile(
    r"\s*(?:#|-\s|(?:game|side|adjudication|ahead|orders|standing(?:_add|_cancel)?|link)\s*:)"
)
_WITHOUT_BODY: Final = re.compile(r"(\s*)-\s+[a-z_]\w*\s*:\s*(?:#.*)?")
_KEY: Final = re.compile(r"(\s*)([a-z_]\w*)\s*:(?:\s|$)")
SHEET_KEYS: Final = ("game", "side", "adjudication", AHEAD, ORDERS, STANDING, STANDING_ADD, STANDING_CANCEL, LINK)
"""The keys of an order sheet."""
_MOST_BROKEN: Final = 5
"""So many lines a comment is broken into at most."""
_NO_WORDS: Final[Words] = {}
_ORDERS_BELOW: Final = re.compile(r"\s*orders\s*:\s*", re.IGNORECASE)
_TICKS: Final = re.compile(r"\s*(?:```+|~~~+)\s*[\w.+-]*")
_BEGIN: Final = re.compile(r"\W*BEGIN ORDERS\W*", re.IGNORECASE)
_END: Final = re.compile(r"\W*END ORDERS\W*", re.IGNORECASE)
_NAMES: Final = re.compile(r"""\s*(?:(["']?)(?:game|side)\1\s*:.*|#.*)?""", re.IGNORECASE)
_QUOTED: Final = re.compile(r"""(?<!\w)(?:"[^"]*"|'[^']*')""")
_REMARK: Final = re.compile(r"(?:^|\s)#.*")
_LISTS: Final = (ORDERS, STANDING, STANDING_ADD)
_SET_OFF: Final = rf"[\s{MARKS}]*+"
_HEAD: Final = re.compile(
    rf"\s*{BULLETS}{_SET_OFF}(?P<brace>\{{?){_SET_OFF}(?P<word>[^\W\d_][\w \-]{{0,39}}?){_SET_OFF}"
    r"(?P<sign>[:{]|[,;=-](?=\s*\{))(?P<rest>.*)",
    re.IGNORECASE,
)
_WITHIN: Final = re.compile(r"\s+(?:[-–—•·]\s|[\"']?\w+[\"']?\s*:|[\[\]{}#])|\s*[\]}]")
"""A line that can only go on with the order above it."""
_BARE_KEY: Final = re.compile(r"[a-z_]\w*\s*:(?:\s|$)")
_MOST_BLANK: Final = 2
"""So many blank lines may stand within an order: some programs set one after each line."""
_LONGEST: Final = 40
"""So many lines one order has at most."""
Unseal: TypeAlias = Callable[[str, SealedBlock], str]
"""Returns the sheet in a block that came from a sender; raises BadBlock."""
_MOST_BLOCKS: Final = 20
_ORDERS_BEGIN: Final = "----- BEGIN ORDERS -----"
_ORDERS_END: Final = "----- END ORDERS -----"


@dataclass(slots=True, frozen=True)
class FoundSheet:
    """A sheet in a text, without quote marks; `depth` is 0 where the sender wrote it.

    It stands from line `first` up to, but not including, line `end` of the text.
    """

    text: str
    depth: int
    first: int
    end: int


def sheets(text: str, words: Words = _NO_WORDS) -> list[FoundSheet]:
    """Return the sheets in a tidied text, in order of appearance, quoted ones included.

    A command ends a sheet that has no orders; `words` are those of all commands.
    """
    letter = letter_lines(text)
    fenced = _fenced(letter)
    starts = [i for i, line in enumerate(letter) if _START.fullmatch(line.text) or _IN_ONE.fullmatch(line.text)]
    firsts = [
        _first_with(letter, start, floor) for start, floor in zip(starts, [0, *(i + 1 for i in starts)], strict=False)
    ]
    found = []
    for start, first, limit in zip(starts, firsts, [*firsts, len(letter)][1:], strict=True):
        stop = _latest_end(letter, first, start, limit)
        end = stop if start in fenced else _before_commands(letter, start, _end_by_shape(letter, start, stop), words)
        sheet = "\n".join(_reindented(_spread_out([line.text for line in letter[first:end]], start - first)))
        found.append(FoundSheet(sheet.rstrip("\n") + "\n", letter[start].depth, first, end))
    return found


def outside(text: str, found: Sequence[FoundSheet]) -> tuple[list[str], list[str]]:
    """Return the lines of a tidied text that stand in no sheet: the sender's own (no signature), and quoted ones.

    A blank line stands for a sheet, and for a stretch of the other kind.
    """
    own: list[str] = []
    others: list[str] = []
    taken = {at for sheet in found for at in range(sheet.first, sheet.end)}
    signed = False
    for at, line in enumerate(letter_lines(text)):
        signed = signed or (line.depth == 0 and line.text == "--" and at not in taken)
        shown = "" if at in taken else line.text
        own.append(shown if line.depth == 0 and not signed else "")
        others.append(shown if line.depth else "")
    return own, others


def _spread_out(sheet: Sequence[str], start: int) -> Iterator[str]:
    """Yield the lines of a sheet: one that stood on a single line spread out, broken comments whole again."""
    if (one := _IN_ONE.fullmatch(sheet[start])) is not None:
        yield from sheet[:start]
        yield from (f"game: {one['game']}", f"side: {one['side']}", f"adjudication: {one['number']}", "orders:")
        order = one["words"] if one["kind"] is None else f"- {one['kind']}: {one['body']}"
        sheet = [order, *sheet[start + 1 :]]
    at = 0
    while at < len(sheet):
        end = _comment_end(sheet, at)
        yield " ".join([sheet[at], *map(str.strip, sheet[at + 1 : end])])
        at = end


def _reindented(sheet: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a sheet; the keys of an order whose blanks in front are lost stand below it again."""
    depth: int | None = None  # of an order, while all that followed it may be its keys
    for line in sheet:
        key = _KEY.match(line)
        if (order := _WITHOUT_BODY.fullmatch(line)) is not None:
            depth = len(order[1])
        elif depth is not None and key is not None and len(key[1]) <= depth and key[2] not in SHEET_KEYS:
            line = " " * (depth + 4) + line.lstrip()
        elif line.strip() and not line.lstrip().startswith("#"):
            depth = None
        yield line


def _comment_end(sheet: Sequence[str], start: int) -> int:
    """Return the line after an order in a comment, which goes on below if its brackets do, without the `#`."""
    order = _COMMENTED.match(sheet[start])
    missing = brackets_opened(sheet[start][order.end() :]) if order else 0
    for end in range(start + 1, min(len(sheet), start + _MOST_BROKEN + 1)):
        if missing <= 0 or not sheet[end].strip() or _OF_ITS_OWN.match(sheet[end]):
            break
        missing += brackets_opened(sheet[end])
        if missing <= 0:
            return end + 1
    return start + 1


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


def _first_with(letter: Sequence[LetterLine], start: int, floor: int) -> int:
    """Return where a sheet begins whose `game:` stands at `start`: with the comments and keys just above."""
    first = start
    while first > floor and letter[first - 1].depth == letter[start].depth and _ABOVE.match(letter[first - 1].text):
        first -= 1
    return first


def _latest_end(letter: Sequence[LetterLine], first: int, start: int, limit: int) -> int:
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


def _end_by_shape(letter: Sequence[LetterLine], start: int, stop: int) -> int:
    """Return the line before which a sheet ends by its shape: after the last line that belongs to it."""
    end, brackets = start + 1, brackets_opened(letter[start].text)
    whole, gap = True, False  # no stranger's line since `end`; a blank line just above
    unfinished = False  # a line above that must go on
    bodyless = False  # an order above with nothing behind its colon, and since then only what may be its keys
    listing = False  # the key of the orders just above, and since then only what may be orders in words
    for i in range(start + 1, stop):
        text = letter[i].text
        if not text:
            brackets, gap, listing = 0, True, False
            continue
        goes_on = (
            brackets > 0
            or (unfinished and text[0] in "[{")
            or (_AFTER_A_BLANK_LINE if gap and not bodyless else _AT_ONCE).match(text)
        )
        whole = bool(_FIRM.match(text) or (whole and (goes_on or listing)))
        if whole:
            end = i + 1
            unfinished = text.endswith(_UNFINISHED) and not text.startswith("#")
            firm = _FIRM.match(text) is not None or text.lstrip().startswith("#")
            listing = (listing and not firm) or _ORDERS_BELOW.fullmatch(text) is not None
            bodyless = bool(_WITHOUT_BODY.fullmatch(text) or (bodyless and _KEY.match(text)))
        brackets = max(0, brackets + brackets_opened(text)) if whole else 0
        gap = False
    return end


def _before_commands(letter: Sequence[LetterLine], start: int, end: int, words: Words) -> int:
    """Return where a sheet ends that names a game and a side for the commands in it, such as STATUS; else its end."""
    said = [i for i in range(start + 1, end) if is_command(words, letter[i].text)]
    orders = [i for i in range(start + 1, end) if i not in said and not _NAMES.fullmatch(letter[i].text)]
    return said[0] if said and not orders else end


def brackets_opened(text: str) -> int:
    """Return how many more brackets a line opens than it closes."""
    text = _REMARK.sub("", _QUOTED.sub("", text))
    return sum(map(text.count, "[{")) - sum(map(text.count, "]}"))


@dataclass(frozen=True, slots=True)
class BareOrder:
    """An order, or a line with a key of a sheet, outside any sheet.

    `word` is its kind or key as the game spells it, `text` what follows the colon, `lines` the lines as they were
    typed, and `quoted` tells whether they stand in quoted text. Of one that is said `in_words`, kind and text are what
    the words were read as; without a kind they are in doubt.
    """

    word: str
    text: tuple[str, ...]
    lines: tuple[str, ...]
    quoted: bool = False
    in_words: bool = False

    @property
    def is_braced(self) -> bool:
        """Whether it stands in braces, kind and all."""
        return re.match(rf"\s*{BULLETS}{_SET_OFF}\{{", self.lines[0]) is not None

    @property
    def is_key(self) -> bool:
        """Whether it is a key of the sheet itself."""
        return self.word in SHEET_KEYS


def kind_spelt(word: str) -> str:
    """Return a word as the kinds of a game are spelt.

    >>> kind_spelt("Battle Card")
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
    known = any(_order_head(line, kinds) is not None for line in lines)
    found: list[BareOrder] = []
    at = 0
    while at < len(lines):
        head = _order_head(lines[at], kinds) or (_odd_head(lines[at]) if known else None)
        if head is None:
            at += 1
            continue
        word, text = head
        end = _end_of_bare(lines, at, text, kinds)
        found.append(BareOrder(word, (text, *lines[at + 1 : end]), tuple(lines[at:end]), quoted))
        at = end
    return found


def sheet_of_bare(orders: Iterable[BareOrder], report: Answering) -> str:
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


def _order_head(line: str, kinds: Collection[str]) -> tuple[str, str] | None:
    """Return the kind or key with which a line begins and what follows it; None: it does not look like an order."""
    found = _HEAD.match(unicodedata.normalize("NFKC", line))
    if found is None:
        return None
    word, rest = kind_spelt(found["word"]), found["rest"]
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
    return kind_spelt(found["word"]), found["rest"].strip()


def _end_of_bare(lines: Sequence[str], start: int, text: str, kinds: Collection[str]) -> int:
    """Return the line before which an order ends: after what its brackets or indents show to belong to it.

    An order with nothing behind its colon goes on with keys, also if the blanks in front of them are lost.
    """
    brackets, bodyless = brackets_opened(text), not text or text.startswith("#")
    end = start + 1
    for at in range(start + 1, min(len(lines), start + _LONGEST)):
        line = lines[at]
        if not line.strip() and at - end < _MOST_BLANK:
            continue
        within = _WITHIN.match(line) or (bodyless and _BARE_KEY.match(line))
        if not line.strip() or (brackets <= 0 and (not within or _is_own_order(line, lines[start], kinds))):
            break
        brackets += brackets_opened(line)
        end = at + 1
    return end


def _is_own_order(line: str, above: str, kinds: Collection[str]) -> bool:
    """Tell whether a line is an order of its own, no deeper than the one above it."""
    depth, deepest = (len(each) - len(each.lstrip()) for each in (line, above))
    return depth <= deepest and _order_head(line, kinds) is not None


@dataclass(frozen=True, slots=True)
class BlocksOpened:
    """A text with sheets in place of its blocks, and why some of them were not opened."""

    text: str
    refused: str = ""
    """Why a block of the sender's own does not open; empty: all did."""
    quoted: str = ""
    """Why a quoted one does not."""
    games: tuple[str, ...] = ()
    """The games that the blocks say that they are for."""


def with_sheets(text: str, sender: str, unseal: Unseal) -> BlocksOpened:
    """Return a tidied text with the sheets that are sealed in it."""
    done: list[str] = []
    refused = quoted = ""
    at = 0
    found = list(islice(find_blocks(text), _MOST_BLOCKS + 1))
    if len(found) > _MOST_BLOCKS:
        return BlocksOpened(
            text, f"There are more than {_MOST_BLOCKS} blocks of sealed orders in it. Send those that count."
        )
    for block in found:
        start = max(at, text.rfind("\n", 0, block.start) + 1)
        depth = letter_lines(text[: block.start] + "x")[-1].depth
        quoting = QUOTE_MARKS.match(text, start, block.start)
        marks = f"{quoting[0].strip()} " if quoting is not None else ""
        sheet = ""
        try:
            sheet = unseal(sender, block)
        except BadBlock as wrong:
            if depth:
                quoted = quoted or str(wrong)
            else:
                refused = refused or str(wrong)
        ahead = text[start : block.start]  # words on the line that the block begins on
        done += [text[at:start], f"{ahead.rstrip()}\n" if ahead.strip(" >") else ""]
        done.append(
            "\n".join(marks + line for line in [_ORDERS_BEGIN, *sheet.rstrip("\n").split("\n"), _ORDERS_END])
            if sheet
            else ""
        )
        if block.end < len(text) and text[block.end] != "\n":
            done.append("\n")
        at = block.end
    return BlocksOpened("".join([*done, text[at:]]), refused, quoted)
