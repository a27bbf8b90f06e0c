"""The assembler: joins the pieces of a sheet into one tree, and says which of them cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pbem.game.wording import listing
from pbem.game.words import fold
from pbem.game.yaml import LETTER, Mark, Placed, Unreadable, read
from pbem.game.yaml.limits import short
from pbem.orders.forgive.canonical import RESPACED
from pbem.orders.forgive.known import GAME, SECTIONS, Known
from pbem.orders.forgive.lines import Line, bare
from pbem.orders.forgive.scan import Scanned, Scanner, SheetPiece, looks_like_order
from pbem.orders.forgive.tree import Items, Moved, Node, Pairs, Word, tree_of
from pbem.orders.sheet import DEFAULT, LINK, ORDERS
from pbem.protocol import MALFORMED, Fault, Path

_AROUND: Final = " \t,;*_.!"
_MOST: Final = 200
_TOLD: Final = 30


@dataclass(slots=True)
class Assembled:
    """A sheet as one tree, the faults of what cannot be read, and sentences about what was put right in its form."""

    tree: Pairs
    faults: list[Placed] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    talk: Sequence[Line] = ()
    """The lines that were passed over."""


def whole_tree(lines: Sequence[Line], own: Sequence[str], known: Known) -> Pairs | None:
    """Return the tree of a sheet that is YAML throughout and has the keys of a sheet and no others; else None."""
    try:
        tree = tree_of(read(_text_of_lines(lines), name="", limits=LETTER, typed=False), moved_by(lines))
    except Unreadable:
        return None
    if not isinstance(tree, Pairs):
        return None
    values = {known.key(key.text): value for key, value in tree.pairs}
    if None in values or len(values) < len(tree.pairs):
        return None
    for section in SECTIONS:
        value = values.get(section, Items((), tree.mark))
        if isinstance(value, Pairs):
            return None
        # An order without its colon, `move {end:true}`, is one word to YAML, however many lines it has.
        if isinstance(value, Word) and (not value.text or looks_like_order(value.text, known)):
            return None
        if isinstance(value, Items) and not all(_is_item(each, known, section) for each in value.items):
            return None
    return Pairs([(word, _as_own(known.key(word.text), value, own)) for word, value in tree.pairs], tree.mark)


def _is_item(node: Node, known: Known, section: str) -> bool:
    """Tell whether an item of a list is one order with its body, as YAML has it, or the word for the usual set."""
    if not isinstance(node, Pairs):
        return isinstance(node, Word) and section != ORDERS and fold(node.text) == DEFAULT
    found = [
        (key, value)
        for key, value in node.pairs
        if section == ORDERS or not known.conditions.readings(key.text, whole=True)
    ]
    if len(found) != 1 or not known.kinds.readings(found[0][0].text):
        return False
    body = found[0][1]
    return not (isinstance(body, Word) and ":" in body.text)


def _as_own(key: str | None, value: Node, own: Sequence[str]) -> Node:
    """Return a value of the sheet as the player has it, if it is one that is never touched."""
    if key not in (GAME, LINK) or not isinstance(value, Word) or not value.text:
        return value
    mark = value.mark
    written = own[mark.line - 1][mark.column - 1 : mark.column - 1 + mark.width]
    if written.isascii():
        return value
    return Word(written[1:-1] if value.quoted else written, mark, value.quoted)


def assembled(lines: list[Line], own: Sequence[str], known: Known) -> Assembled:
    """Return the tree of any sheet, piece by piece. `own` are the player's own lines."""
    scanned = Scanner(known).scan(lines)
    values: dict[str, tuple[Word, Node]] = {}
    lists: dict[str, list[Node]] = {}
    done = Assembled(Pairs((), Mark(1, 1, 1)))
    for piece in scanned.pieces:
        if piece.is_order or piece.is_list:
            _add_items(piece, values, lists, done)
        elif piece.key in SECTIONS:
            word = Word(piece.key, piece.lines[0].mark())
            values.setdefault(piece.key, (word, Word("", word.mark)))  # until an order comes
        else:
            _add_value(piece, own, values, done)
    for key, line in scanned.astray:
        reason = "is this an order or a standing order? Put it below a line orders: or standing:"
        done.faults.append(Placed(Fault(MALFORMED, (key,), reason), line.mark()))
    first = min((word.mark for word, _ in values.values()), key=lambda mark: (mark.line, mark.column), default=None)
    done.tree = Pairs(list(values.values()), first or Mark(1, 1, 1))
    done.changes = list(_changes(scanned))
    done.talk = scanned.talk
    return done


def _add_value(piece: SheetPiece, own: Sequence[str], values: dict[str, tuple[Word, Node]], done: Assembled) -> None:
    """Add the value of a key of the sheet; one that stands twice must be the same."""
    word, rest = piece.lines
    text = bare(rest.text).strip(_AROUND)
    start = rest.text.find(text)
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    start, end = (start + 1, start + len(text) - 1) if quoted else (start, start + len(text))
    mark = rest.mark(start, end) if text else word.mark()
    value = rest.text[start:end]
    if piece.key in (GAME, LINK) and value:  # never touched: as the player has it
        value = own[mark.line - 1][mark.column - 1 : mark.column - 1 + mark.width]
    if piece.key not in values:
        values[piece.key] = (Word(piece.key, word.mark()), Word(value, mark, quoted))
    elif getattr(values[piece.key][1], "text", None) != value:
        reason = f"{piece.key} stands here twice; the first is in line {values[piece.key][0].mark.line}"
        done.faults.append(Placed(Fault(MALFORMED, (piece.key,), reason), word.mark()))


def _add_items(
    piece: SheetPiece, values: dict[str, tuple[Word, Node]], lists: dict[str, list[Node]], done: Assembled
) -> None:
    """Add an order, or what stands behind `orders:` on its line: a list, or one word."""
    mark = piece.lines[0].mark(piece.lines[0].indent)
    items = lists.setdefault(piece.key, [])
    word = values[piece.key][0] if piece.key in values else Word(piece.key, mark)
    values[piece.key] = (word, Items(items, word.mark))
    try:
        node = tree_of(read(_text_of_lines(piece.lines), name="", limits=LETTER, typed=False), moved_by(piece.lines))
    except Unreadable as error:
        moved = moved_by(piece.lines)
        path: Path = (piece.key, len(items))
        for placed in error.faults[: _MOST - len(done.faults)]:
            done.faults.append(Placed(Fault(MALFORMED, path, placed.fault.reason), moved(placed.mark)))
        items.append(Word("", mark))
        return
    if not piece.is_list:
        items.append(node)
    elif isinstance(node, Items):
        items.extend(node.items)
    elif items or not isinstance(node, Word):
        items.append(node)
    else:
        values[piece.key] = (word, node)


def _text_of_lines(lines: Iterable[Line]) -> str:
    return "\n".join(line.text for line in lines) + "\n"


def moved_by(lines: Sequence[Line]) -> Moved:
    """Return what takes a mark in a text made of some lines to its place in the player's own text."""

    def moved(mark: Mark) -> Mark:
        line = lines[min(mark.line, len(lines)) - 1]
        return line.mark(mark.column - 1, mark.column - 1 + mark.width)

    return moved


def _changes(scanned: Scanned) -> Iterable[str]:
    """Yield sentences about the form of what was read."""
    plain = list(dict.fromkeys(str(line.number) for line, bullet in scanned.bullets if not bullet))
    if len(plain) == 1:
        yield f"line {plain[0]}, which has no hyphen in front, was read as an order"
    elif plain:
        yield f"lines {listing(plain)}, which have no hyphen in front, were read as orders"
    for line, bullet in [each for each in scanned.bullets if each[1]][:_TOLD]:
        yield f"line {line.number}, which begins with {bullet}, was read as an order"
    if scanned.respaced:
        yield RESPACED


def passed_over(talk: Sequence[Line]) -> Iterable[str]:
    """Yield sentences about lines that order nothing."""
    for line in talk[:_TOLD]:
        yield f"line {line.number} is no order and was passed over: {short(line.text.strip())}"
    if len(talk) > _TOLD:
        yield f"{len(talk) - _TOLD} more lines are no orders and were passed over"
