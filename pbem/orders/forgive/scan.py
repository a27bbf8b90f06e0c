"""The scanner: parts the lines of a sheet into its keys and its orders, one piece of text for each.

YAML goes by indentation, and one wrong sign spoils all of it. People write `2) march: {...}`, forget a bracket, wrap
lines where they like and talk between two orders. So each order is cut out by its first word and read by itself. What
looks like an order is never passed over: after bullets, numbers and quote marks its first word is a kind of order
followed by `:` or `{`, or a key of the sheet followed by `:`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pbem.game.wording import nearest
from pbem.game.words import fold
from pbem.orders.forgive.known import ADJUDICATION, GAME, SECTIONS, SIDE, Known
from pbem.orders.forgive.lines import Line, Signs, bare, with_blanks
from pbem.orders.sheet import ORDERS

_BULLET: Final = re.compile(
    r"\s*(?:>|[-+*•·~]+|\(?\d{1,3}[.)](?!\d)|\(?[a-z]\)|(?:then|and|next)\b(?=\s*-))[ ]*", re.IGNORECASE
)
_CONJUNCTION: Final = re.compile(r"(?:then|and|next)[ ]+", re.IGNORECASE)
_NOTE: Final = re.compile(r"\s*#(?![A-Za-z]?\d)")
"""How a note begins: `#24` and `#g1` are numbers of something."""
_MOST_BULLETS: Final = 10
_MISSPELT: Final = 0.8
"""A word that is so much like a kind or a key, but is none, was meant for one."""
_MARKS: Final = re.compile(r"\s*(?:>[ ]?)+")
_HEAD: Final = re.compile(r"[\"'*_]*([^\W\d_](?:[\w .-]{0,40}?[^\W_])?)[\"'*_]*[ ]*([:{]|[,;=-](?=[ ]*\{))[*_]*")
"""A first word, and its colon or bracket. Before a bracket another sign may stand for the colon."""
_TAG: Final = r"\[/?(?:code|quote|pre)(?:=[^\]]*)?\]"
_FENCE: Final = re.compile(rf"\s*(?:(?:```+|'''+|~~~+)\s*[\w.+-]*|---+|\.\.\.|(?:{_TAG}\s*)+)", re.IGNORECASE)
_TAGS: Final = re.compile(rf"\s*(?:{_TAG}\s*)+", re.IGNORECASE)
_JUNK: Final = re.compile(rf"(?:[\s*_\"'.,;!]|{_TAG})*(?:#.*)?", re.IGNORECASE)
_STILL_COMMENT: Final = re.compile(r"#[ ]{4,}\S")
_STRUCTURE: Final = re.compile(r"[{}]|^[\])\"']")
"""What prose does not have, and parts of orders have."""
_JOINT: Final = re.compile(r"[\s,;.&*_]*(?:\b(?:and|then)\b)?[\s,]*", re.IGNORECASE)
_SHORT_SHEET: Final = re.compile(r"[\"']?([\w.-]+)[\"']?[ ,]+([^\W\d]\w*)[ ,]+#?(\d{1,9})\b[ ,:;]*")


class Head(NamedTuple):
    """The first word of what may be an order or a key: where it stands, and where what follows it begins."""

    start: int
    end: int
    word: str
    sign: str
    rest: int


class Start(NamedTuple):
    """The beginning of a line: where it is, whether more than a `>` stands before it, and its first word."""

    at: int
    bulleted: bool
    head: Head | None


@dataclass(slots=True)
class SheetPiece:
    """A piece of a sheet: the value of a key, an order, or a list of orders in brackets."""

    key: str
    """The key of the sheet that it stands under."""
    lines: list[Line]
    kind: str = ""
    """The kind of order, as it is written."""
    is_list: bool = False
    is_order: bool = True
    signs: Signs = field(default_factory=Signs)
    at: int = 0
    """How far its first line is indented."""
    core: int = 0
    """How far its first word is."""
    flow: bool = False
    """Whether the body is in brackets."""
    done: bool = False
    """Whether nothing but conditions can follow."""
    block: bool = False
    """Whether the body stands below its kind."""


@dataclass(slots=True)
class Scanned:
    """The pieces of a sheet in their order, the lines that were passed over, and whether any sign was put right."""

    pieces: list[SheetPiece] = field(default_factory=list)
    talk: list[Line] = field(default_factory=list)
    bullets: list[tuple[Line, str]] = field(default_factory=list)
    """The lines of orders that begin otherwise than with a hyphen, each with what stands there instead."""
    astray: list[tuple[str, Line]] = field(default_factory=list)
    """Orders of which it is not clear under which key they belong, each with the last key above it."""
    respaced: bool = False


def head_of(text: str, start: int = 0) -> Head | None:
    """Return the word with a colon or a bracket behind it that begins at a place of a text; None: there is none."""
    found = _HEAD.match(text, start)
    if found is None:
        return None
    if found[2] == "{":
        return Head(found.start(1), found.end(1), found[1], "{", found.start(2))
    return Head(found.start(1), found.end(1), found[1], ":", found.end())


def unbulleted(text: str) -> tuple[int, bool]:
    """Return where a line begins behind bullets, numbers and quote marks, and whether there are any but the last."""
    at, bulleted = 0, False
    for _ in range(_MOST_BULLETS):
        found = _BULLET.match(text, at)
        if found is None:
            break
        bulleted = bulleted or found[0].strip() != ">"
        at = found.end()
    return at + len(text[at:]) - len(text[at:].lstrip()), bulleted


def order_start(text: str, known: Known) -> Start:
    """Return where a line begins behind all that may stand before an order."""
    at, bulleted = unbulleted(text)
    then = _CONJUNCTION.match(text, at)
    if then is not None and (head := head_of(text, then.end())) is not None and known.kind(head.word):
        return Start(then.end(), True, head)
    return Start(at, bulleted, head_of(text, at))


def looks_like_order(text: str, known: Known) -> bool:
    """Tell whether a line begins as an order or as a key of the sheet does."""
    head = order_start(text, known).head
    if head is None:
        return False
    return known.kind(head.word) is not None or (head.sign == ":" and known.key(head.word) is not None)


def chosen(lines: Sequence[Line], known: Known) -> tuple[list[Line], bool]:
    """Take the `#` off below an order of a form whose own `#` was taken off; tell whether there was any.

    The lines below it that are still comments, as far in as the form has them, can only be its body.
    """
    found: list[Line] = []
    below, taken, signs = False, False, Signs()
    for line in lines:
        marks = _MARKS.match(line.text)
        start = marks.end() if marks else 0
        if below and _STILL_COMMENT.match(line.text, start):
            line = Line(line.number, f"{line.text[:start]} {line.text[start + 1 :]}", line.columns)
            taken = True
            if signs.open:
                signs.read(line, start)
                below = signs.open
        else:
            head, signs, below = order_start(line.text, known).head, Signs(), False
            if head is not None and known.kind(head.word) is not None:
                signs.read(line, head.rest)
                below = signs.open or not bare(line.text[head.rest :])
        found.append(line)
    return found, taken


class Scanner:
    """Goes over the lines of a sheet once, and collects the pieces."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.found = Scanned()
        self.section = ""
        self.talked = False
        """Whether other words stand between the key of the section and this line."""
        self.closed = False
        """Whether the key of the section has its whole value already."""
        self.piece: SheetPiece | None = None
        self.rest: Line | None = None
        """What stands on a line behind something whole, as if it were a line of its own."""

    def scan(self, lines: list[Line]) -> Scanned:
        """Return what is in the lines."""
        for line in lines:
            self._line(line)
            while (rest := self.rest) is not None:
                self.rest = None
                self._at_rest(rest)
        return self.found

    def _line(self, line: Line) -> None:
        marks = _MARKS.match(line.text)
        line = line.part(marks.end()) if marks else line
        piece = self.piece
        if not line.text.strip() or _NOTE.match(line.text):
            return
        if piece is not None and piece.signs.open and not self._breaks_in(line, piece):
            self._go_on(line.indented(piece_indent(piece, line)), piece)
            return
        if _FENCE.fullmatch(line.text):
            return
        if (tag := _TAGS.match(line.text)) is not None:
            line = line.part(tag.end())
        self._at_rest(line)

    def _breaks_in(self, line: Line, piece: SheetPiece) -> bool:
        """Tell whether a line begins something new although a bracket is open: somebody forgot to close it."""
        _, bulleted, head = order_start(line.text, self.known)
        if head is None:
            return False
        if bulleted and self.known.kind(head.word):
            return True
        return head.sign == ":" and bool(self.known.key(head.word)) and not self._is_field(head.word, piece)

    def _is_field(self, word: str, piece: SheetPiece) -> bool:
        """Tell whether a word is a key of the body of an order."""
        kind = self.known.kinds.readings(piece.kind)
        return any(self.known.place(each).keys.readings(word, whole=True) for each in kind)

    def _at_rest(self, line: Line) -> None:
        """Take a line that stands in no bracket."""
        piece = self.piece
        at, bulleted, head = start = order_start(line.text, self.known)
        if at >= len(line.text) or (piece is not None and self._belongs(line, start, piece)):
            return
        if head is not None and head.sign == ":" and self._key(line, head):
            return
        if head is not None and (self.known.kind(head.word) or self._may_be_order(line, head, bulleted)):
            self._order(line, at, head)
        elif self.section and self._is_part(line.text[at:], bulleted):
            self._order(line, at, None)
        else:
            self._talk(line)

    def _is_part(self, text: str, bulleted: bool) -> bool:
        """Tell whether words that are no order are part of one: then they are a fault, and not passed over."""
        if _STRUCTURE.search(text) or (bulleted and not self.talked):
            return True
        return text.isdecimal() or bool(self.known.box.lexicon.everything.readings(text, whole=True))

    def _may_be_order(self, line: Line, head: Head, bulleted: bool) -> bool:
        """Tell whether a word that is no kind was perhaps meant for one: the check then says that it is none."""
        if line.text[head.rest :].lstrip().startswith("{") or (bulleted and self.known.kinds.readings(head.word)):
            return True
        if bulleted and self.section and not self.talked:
            return True
        return nearest(fold(head.word), [*self.known.box.forms, *self.known.keys.words], _MISSPELT) is not None

    def _belongs(self, line: Line, start: Start, piece: SheetPiece) -> bool:
        """Put a line to the piece before it, if it goes on with it; tell whether it did."""
        if not piece.is_order:
            return False
        _, bulleted, head = start
        if head is not None and not bulleted and self.known.conditions.readings(head.word, whole=True):
            if piece.block and line.indent > piece.core:
                self._go_on(line.indented(line.indent - piece.core + 1), piece)
            else:
                self._go_on(line.indented(0), piece)
            return True
        if piece.done:
            return False
        begun = piece.lines[-1].text.rstrip().endswith(":")
        if begun and not bulleted and line.text.lstrip()[:1] in ("{", "["):
            piece.flow = len(piece.lines) == 1
            self._go_on(line.indented(piece_indent(piece, line)), piece)
            return True
        if not piece.block or not self._in_block(line, start, piece):
            return False
        self._go_on(line.indented(piece_indent(piece, line)), piece)
        return True

    def _in_block(self, line: Line, start: Start, piece: SheetPiece) -> bool:
        """Tell whether a line belongs to the body that stands below its kind, though it lost its blanks perhaps."""
        _, bulleted, head = start
        deeper = line.indent > piece.at
        if head is None:
            return deeper or bulleted
        value = bare(line.text[head.rest :])
        if self.known.kind(head.word) and (bulleted or value.startswith("{")):
            return False
        if self._is_field(head.word, piece) and not bulleted:
            return deeper or self.known.key(head.word) is None
        return deeper and self.known.kind(head.word) is None and (bulleted or self.known.key(head.word) is None)

    def _go_on(self, line: Line, piece: SheetPiece) -> None:
        """Add a line to a piece; what stands behind a body in brackets is a line of its own."""
        missing: list[int] = []
        end, ends_here = 0, False
        while end < len(line.text) and not ends_here:
            more, end = piece.signs.read(line, end)
            missing += more
            ends_here = piece.flow and not piece.done and not piece.signs.open
        self.found.respaced = self.found.respaced or bool(missing)
        piece.lines.append(with_blanks(line.part(0, end), missing))
        if ends_here:
            piece.done = True
            self._behind(line.part(end))

    def _behind(self, rest: Line) -> None:
        """Take what stands on a line behind the body of an order."""
        if not _JUNK.fullmatch(rest.text):
            joint = _JOINT.match(rest.text)
            self.rest = rest.part(joint.end() if joint else 0)

    def _key(self, line: Line, head: Head) -> bool:
        """Take a key of the sheet and its value; tell whether it is one."""
        key = self.known.key(head.word)
        if key is None or self.known.kind(head.word) is not None:
            return False
        rest = line.part(head.rest)
        if key in SECTIONS:
            self.section, self.talked, self.closed = key, False, False
            self._section(rest, line, head)
            return True
        end = len(rest.text)
        for found in re.finditer(r"(?<!\S)[\"']?\w+[\"']?[ ]*:", rest.text):  # several keys on one line
            inner = head_of(rest.text, found.start())
            if inner is not None and self.known.key(inner.word):
                end = found.start()
                break
        self._put(SheetPiece(key, [line.part(head.start, head.end), rest.part(0, end)], is_order=False))
        if end < len(rest.text):
            self.rest = rest.part(end)
        return True

    def _section(self, rest: Line, line: Line, head: Head) -> None:
        """Take a key with a list of orders, and what stands behind it on its line."""
        text = bare(rest.text)
        self._put(SheetPiece(self.section, [line.part(head.start, head.end)], is_order=False))
        if not text:
            return
        if text.startswith("["):
            piece = SheetPiece(self.section, [], is_list=True, is_order=False, flow=True)
            self._put(piece)
            self._go_on(rest.indented(0), piece)
            self.closed = True
            return
        at, bulleted, inner = order_start(rest.text, self.known)
        short = _SHORT_SHEET.match(rest.text, at)
        if self.section == ORDERS and short is not None and self.known.sides.readings(short[2]):
            for key, group in ((GAME, 1), (SIDE, 2), (ADJUDICATION, 3)):
                word = rest.part(short.start(group), short.end(group))
                self._put(SheetPiece(key, [word, word], is_order=False))
            if rest.text[short.end() :].strip():
                self.rest = rest.part(short.end())
        elif inner is not None and (bulleted or self.known.kind(inner.word) or inner.sign == "{" or "{" in text):
            self._order(rest, at, inner)
        elif bulleted:
            self._order(rest, at, None)
        else:
            self._put(SheetPiece(self.section, [rest.indented(0)], is_list=True, is_order=False))
            self.closed = True

    def _order(self, line: Line, at: int, head: Head | None) -> None:
        """Take the first line of an order."""
        if not self.section:
            self.section = ORDERS
        if self.closed or (self.talked and self.section != ORDERS):
            self.found.astray.append((self.section, line.part(at)))
        bullet = line.text[:at].strip()
        if bullet != "-":
            self.found.bullets.append((line.part(at), bullet))
        if head is None:
            self._put(SheetPiece(self.section, [line.part(at)], at=line.indent, core=at, done=True))
            return
        body = line.part(head.rest)
        first = joined(line.part(head.start, head.end), body)
        value = bare(body.text)
        piece = SheetPiece(self.section, [], head.word, at=line.indent, core=at, block=not value, flow=value[:1] == "{")
        if head.sign == "{":
            self.found.respaced = True
        self._put(piece)
        self._go_on(first, piece)
        if value and not piece.flow:
            piece.done = not piece.signs.open

    def _put(self, piece: SheetPiece) -> None:
        self.found.pieces.append(piece)
        self.piece = piece

    def _talk(self, line: Line) -> None:
        self.piece = None
        self.talked = True
        self.found.talk.append(line)


def piece_indent(piece: SheetPiece, line: Line) -> int:
    """Return how far a line of the body of an order is indented, with its kind at the start of the line."""
    return max(1, line.indent - piece.core + 1)


def joined(word: Line, body: Line) -> Line:
    """Return the first line of an order, with one colon behind its kind."""
    start = body.indent
    columns = [*word.columns[:-1], word.columns[-1], word.columns[-1], *body.columns[start:]]
    return Line(word.number, f"{word.text}: {body.text[start:]}".rstrip(), columns)
