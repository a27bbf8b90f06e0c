"""The order sheet: the text of a letter becomes orders, and its faults become complaints that show the place.

A sheet::

    game: punica            # the game's name
    side: rome
    adjudication: 41        # the last adjudication that the sheet answers
    link: 5f4b...           # only for a player with a chain of their own: the next link
    ahead: true             # only if no open decision is answered: the orders are for what comes
    orders:
    - intercept: {with: [{general: fabius_maximus, cu: 8}]}
    standing:               # optional, also without orders
    - intercept: {with: []}
      when: {at: [capua]}

The game's box describes the form of each kind of order (`OrderForm`). The rules are not known here.

WITHDRAW and STANDING CANCEL in a letter stand for a sheet (`sheet_of_word`). It is an input like any other: it is
sealed, goes into the dice, and opens a link of the player's chain. The line `key:` of a form shows who sends it. It is
taken out before the sheet is read, so that it is neither checked nor committed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from re import compile as pattern
from typing import Any, Final, Protocol, TypeAlias

from pbem.crypto.player_chains import LINK_SHAPE, LOST
from pbem.game import yaml as yamlio
from pbem.game.order_form import Misfit, OrderForm
from pbem.game.wording import guess, hint, shown
from pbem.game.yaml import LETTER, Mark, Placed, Unreadable, by_place, read
from pbem.game.yaml.limits import short
from pbem.protocol import ILLEGAL, MALFORMED, Fault, Order, Path, PbemError, Plain, Record, Side, cited

ORDERS: Final = "orders"
STANDING: Final = "standing"
STANDING_ADD: Final = "standing_add"
STANDING_CANCEL: Final = "standing_cancel"
LINK: Final = "link"
AHEAD: Final = "ahead"
"""True: its orders are for decisions that are still to come, and need not answer any that is open."""
DEFAULT: Final = "default"
"""As a standing order: the set that comes with the game. As its body: the default of the decision."""
ASK: Final = "ask"
"""As the body of a standing order: the decision is left to the player."""
WHEN: Final = "when"
UNTIL: Final = "until"
_HEADING: Final = {
    "game": "the name of the game, as your last report gives it",
    "side": "the side you play",
    "adjudication": "the number of the last adjudication, as your last report gives it",
    ORDERS: "a list of orders",
}
_MOST_MISFITS: Final = 200
"""Nobody mends more at once, and to guess what was meant takes time."""
_PIECE: Final = pattern(r"[^,\s'\"]+(?:[^,'\"]*[^,\s'\"])?")
_CONDITIONS: Final = (WHEN, UNTIL)
Written: TypeAlias = str | Record
"""A standing order as a sheet has it, or the word `default`."""
_COLUMNS: Final = 100
"""How many columns of a player's line are shown."""
_TAB: Final = "    "
_MOST_COMPLAINTS: Final = 50
_LONGEST_REASON: Final = 300
"""The most characters of the reason of a fault."""
WITHDRAW: Final = "WITHDRAW"
CANCEL: Final = "STANDING CANCEL"
_ALL: Final = "ALL"
KEY: Final = "key"
_KEY_LINE: Final = re.compile(
    r"(?im)(?:^(?: ?>)* ?|(?<=\})(?P<behind>[ \t]+))"
    rf"[\"'*_]*{KEY}[\"'*_]*[ \t]*[:：][ \t]*[\"'*_]*(?!age1)(?P<key>[a-z0-9]{{10,40}})[\"'*_]*"
    r"[ \t\r]*(?:#[^\n]*)?$\n?"
)
"""Not indented, for an order may have a key of this name; and no command `KEY age1...`, which is longer.

Where a line end got lost it stands behind the order above it.
"""


def piece_of(line: str, mark: Mark, n: int) -> Mark:
    """Return the place of the n-th part of a text with commas, from 0; the whole text if it has several lines."""
    start = mark.column - 1
    pieces = [found for found in _PIECE.finditer(line, start, start + mark.width) if found[0].strip("'\"")]
    return Mark(mark.line, pieces[n].start() + 1, len(pieces[n][0])) if n < len(pieces) else mark


class SheetSource(Protocol):
    """A document that a sheet is made of: its value, its lines, and the place of everything in it."""

    @property
    def value(self) -> Any: ...
    @property
    def lines(self) -> Sequence[str]: ...
    def mark(self, path: Path, *, key: bool = False) -> Mark: ...
    def nearest(self, path: Path) -> Mark: ...


class BadSheet(PbemError):
    """A sheet that cannot be accepted: its name, its lines, and every fault with its place, in order.

    `rest` is the part of it that can be read, so that the rules can check that as well; None: nothing.
    """

    def __init__(
        self, name: str, lines: Sequence[str], complaints: Iterable[Placed], rest: Sheet | None = None
    ) -> None:
        self.rest = rest
        self.name = name
        self.lines = lines
        self.complaints = by_place(complaints)
        super().__init__(name)

    def __str__(self) -> str:
        return complain(self.name, self.lines, self.complaints)

    def faulty(self, start: Path) -> list[Path]:
        """Return the paths of the faults below a path, from there on."""
        paths = [placed.fault.path for placed in self.complaints]
        return [path[len(start) :] for path in paths if path[: len(start)] == start]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its game and side, the adjudication that it answers, its orders, and its standing orders.

    A standing order is kept as it was written: one key is the kind of order, `when` and `until` may stand beside it;
    or it is the word `default`. `standing` replaces the orders in force, unless it is None; `standing_add` goes before
    them. `standing_cancel` are the numbers of those in force that it cancels, from 1. `link` is the link of the
    player's chain that the sheet opens. Orders that are sent `ahead` need not answer an open decision.
    """

    game: str
    side: Side
    adjudication: int
    orders: tuple[Order, ...]
    standing: tuple[Written, ...] | None
    standing_add: tuple[Written, ...]
    document: SheetSource
    written: tuple[int, ...]
    """The place of each of `orders` in the text: in a bad sheet not every order can be read."""
    link: str | None = None
    standing_cancel: tuple[int, ...] = ()
    ahead: bool = False

    @property
    def files(self) -> bool:
        """Whether it changes the standing orders in force."""
        return self.standing is not None or bool(self.standing_add) or bool(self.standing_cancel)

    def says_the_same(self, other: Sheet) -> bool:
        """Tell whether another sheet has the same content, whatever text it was read from."""
        return self._content() == other._content()

    def _content(self) -> tuple[object, ...]:
        given = self.document.value.get(ORDERS) is not None
        parts = (self.orders, self.standing, self.standing_add, self.standing_cancel, self.ahead)
        return self.game, self.side, self.adjudication, self.link, given, *map(repr, parts)

    def unreadable(self, kind: str) -> list[int]:
        """Return the places of the orders of a kind that cannot be read."""
        every = self.document.value.get(ORDERS) or ()
        return [
            at for at, item in enumerate(every) if at not in self.written and isinstance(item, dict) and kind in item
        ]

    def place(self, order: int, path: Path) -> Mark:
        """Return the place of a path within the body of an order; if it is not there, the key around it."""
        start: Path = (ORDERS, self.written[order], self.orders[order].kind)
        return self.place_of(start, self.orders[order].body, path)

    def place_of(self, start: Path, value: Any, path: Path) -> Mark:
        """Return the place of a path within a value that stands at `start`; if it is not there, the key around it."""
        for at, key in enumerate(path):
            if isinstance(value, str) and isinstance(key, int):
                mark = self.document.nearest((*start, *path[:at]))
                return piece_of(self.document.lines[mark.line - 1], mark, key)
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                break
        return self.document.nearest((*start, *path))

    def placed(self, fault: Fault, order: int | None = None) -> Placed:
        """Return a fault of an order (its path is within the body) or of the sheet, with its place."""
        return Placed(fault, self.document.nearest(fault.path) if order is None else self.place(order, fault.path))


def read_sheet(raw: bytes | str, *, name: str = "orders.yaml", forms: Mapping[str, OrderForm]) -> Sheet:
    """Read a sheet; `forms` are the kinds of order of the game. Raises BadSheet."""
    try:
        document = read(raw, name=name, limits=LETTER)
    except Unreadable as error:
        raise BadSheet(name, error.text.split("\n"), error.faults) from None
    return sheet_from(document, name, forms)


def sheet_from(document: SheetSource, name: str, forms: Mapping[str, OrderForm], found: Sequence[Placed] = ()) -> Sheet:
    """Return the sheet that a document holds; `found` are faults that are known of it. Raises BadSheet."""
    known = [each.fault.path for each in found]
    misfits = [
        misfit
        for misfit in islice(_misfits_of_sheet(document.value, forms), _MOST_MISFITS)
        if not any(path and misfit.path[: len(path)] == path for path in known)
    ]
    if misfits or found:
        complaints = [*found[:_MOST_MISFITS], *(_placed_misfit(misfit, document) for misfit in misfits)]
        rest = _readable_part(document, [each.fault.path for each in complaints])
        raise BadSheet(name, document.lines, complaints, rest)
    value = document.value
    return _sheet_of_value(document, value, range(len(value.get(ORDERS) or ())))


def _sheet_of_value(document: SheetSource, value: Record, written: Iterable[int]) -> Sheet:
    """Return the sheet with the orders that can be read; `value` is that of the document, without what cannot."""
    numbers = tuple(written)
    orders = (next(iter(value[ORDERS][at].items())) for at in numbers)
    return Sheet(
        game=value["game"],
        side=value["side"],
        adjudication=value["adjudication"],
        orders=tuple(Order.read(kind, {} if body is None else body) for kind, body in orders),
        standing=_standing_of(value[STANDING]) if STANDING in value else None,
        standing_add=_standing_of(value.get(STANDING_ADD, ())),
        document=document,
        written=numbers,
        link=value.get(LINK),
        standing_cancel=tuple(value.get(STANDING_CANCEL, ())),
        ahead=value.get(AHEAD, False),
    )


def _standing_of(written: str | Sequence[Written]) -> tuple[Written, ...]:
    return (DEFAULT,) if isinstance(written, str) else tuple(written)


def _readable_part(document: SheetSource, faulty: Sequence[Path]) -> Sheet | None:
    """Return the readable part of a sheet: the orders that have no fault, if heading and list of orders have none.

    A standing order with a fault is left empty. Of the other keys only those are left that have no fault at all.
    """
    value = document.value
    if len(faulty) >= _MOST_MISFITS or not isinstance(value, dict) or not value.keys() >= {*_HEADING} - {ORDERS}:
        return None
    bad = {path[:2] for path in faulty if len(path) > 1}
    broken = {path[0] for path in faulty if len(path) == 1}
    if () in faulty or broken & {*_HEADING}:
        return None
    readable = {key: item for key, item in value.items() if key not in broken}
    for key in (STANDING, STANDING_ADD):
        if isinstance(written := readable.get(key), list):
            readable[key] = [{} if (key, at) in bad else item for at, item in enumerate(written)]
    numbers = (at for at in range(len(value.get(ORDERS) or ())) if (ORDERS, at) not in bad)
    return _sheet_of_value(document, readable, numbers)


def check_heading(sheet: Sheet, *, game: str, side: Side, adjudication: int, sides: Collection[Side]) -> list[Fault]:
    """Return the faults of the heading of a sheet: game, side, last adjudication."""
    faults = []
    if sheet.game != game:
        reason = f"this letter is about {game}, but the sheet is for {short(sheet.game)}"
        faults.append(Fault(ILLEGAL, ("game",), reason))
    if sheet.side not in sides:
        reason = f"there is no side {short(sheet.side)}{hint(sheet.side, sides, 'the sides are', 'and')}"
        faults.append(Fault(ILLEGAL, ("side",), reason))
    elif sheet.side != side:
        faults.append(Fault(ILLEGAL, ("side",), f"you play {side}; you cannot give orders to {sheet.side}"))
    if sheet.adjudication < adjudication:
        reason = f"adjudication {adjudication} came after {sheet.adjudication}; answer the last report"
        faults.append(Fault(ILLEGAL, ("adjudication",), reason))
    elif sheet.adjudication > adjudication:
        reason = f"adjudication {sheet.adjudication} has not taken place; the last was {adjudication}"
        faults.append(Fault(ILLEGAL, ("adjudication",), reason))
    return faults


def _placed_misfit(misfit: Misfit, document: SheetSource) -> Placed:
    mark = document.mark(misfit.path, key=True) if misfit.at_key else document.nearest(misfit.path)
    return Placed(Fault(MALFORMED, misfit.path, shortened(misfit.reason), rule=misfit.rule or None), mark)


def _misfits_of_sheet(value: object, forms: Mapping[str, OrderForm]) -> Iterator[Misfit]:
    """Yield everything in a sheet that has the wrong place or form."""
    if not isinstance(value, dict):
        found = "this sheet is empty" if value is None else f"this is {shown(value)}"
        yield Misfit((), f"{found}; a sheet has the keys {', '.join(_HEADING)}")
        return
    known = (*_HEADING, STANDING, STANDING_ADD)  # the others are for few: nobody else is troubled with them
    files = STANDING in value or STANDING_ADD in value or STANDING_CANCEL in value
    unknown = [key for key in value if key not in (*known, STANDING_CANCEL, LINK, AHEAD)]
    for key in unknown:
        yield Misfit((key,), f"unknown word '{short(key)}'{hint(key, known, 'a sheet has', 'and')}", at_key=True)
    meant = {guess(key, known) for key in unknown}
    for key, meaning in _HEADING.items():
        if key not in value and key not in meant and (key != ORDERS or not files):
            yield Misfit((key,), f"{key} is missing: {meaning}")
    for key in ("game", "side"):
        if key in value and not isinstance(value[key], str):
            yield Misfit((key,), f"{key} must be a word, not {shown(value[key])}")
    number = value.get("adjudication", 0)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        yield Misfit(("adjudication",), f"adjudication must be a whole number from 0, not {shown(number)}")
    link = value.get(LINK)
    if link is not None and link != LOST and not (isinstance(link, str) and LINK_SHAPE.fullmatch(link)):
        reason = f"link must be 64 characters, 0 to 9 and a to f, or the word {LOST}, not {shown(link)}"
        yield Misfit((LINK,), reason)
    if not isinstance(value.get(AHEAD, False), bool):
        yield Misfit((AHEAD,), f"{AHEAD} must be true or false, not {shown(value[AHEAD])}")
    for key, standing in ((ORDERS, False), (STANDING, True), (STANDING_ADD, True)):
        if key in value:
            yield from _misfits_of_list(key, value[key], forms, standing)
    cancelled = value.get(STANDING_CANCEL, [1])
    numbers = cancelled if isinstance(cancelled, list) else []
    if not numbers or any(type(number) is not int or number < 1 for number in numbers):
        reason = f"{STANDING_CANCEL} must be a list of the numbers that STANDING lists, such as [2]"
        yield Misfit((STANDING_CANCEL,), f"{reason}, not {shown(cancelled)}")


def _misfits_of_list(key: str, orders: object, forms: Mapping[str, OrderForm], standing: bool) -> Iterator[Misfit]:
    if standing and orders == DEFAULT:
        return
    if key == ORDERS and orders is None:  # a form in which nothing is chosen
        return
    if not isinstance(orders, list):
        advice = f"for none write '{key}: []'" if orders is None else "begin each order with '- '"
        yield Misfit((key,), f"{key} must be a list, not {shown(orders)}; {advice}")
        return
    for i, item in enumerate(orders):
        yield from _misfits_of_item((key, i), item, forms, standing)


def _misfits_of_item(path: Path, item: object, forms: Mapping[str, OrderForm], standing: bool) -> Iterator[Misfit]:
    """Yield the faults in the form of one order: its kind, then its body."""
    if standing and item == DEFAULT:
        return
    if not isinstance(item, dict) or not item:
        kind = guess(item, forms) or "kind"
        yield Misfit(path, f"an order is written '{kind}: {{...}}'; this is {shown(item)}")
        return
    keys = [key for key in item if not (standing and key in _CONDITIONS)]
    if not keys:
        yield Misfit(path, "a standing order needs an order beside its conditions")
        return
    kind, *others = keys
    if others:
        yield from _misfits_of_neighbours(path, item, keys, forms)
        return
    if kind not in forms:
        better = hint(kind, forms, "there are", "and") or f"; there are {', '.join(forms)}"
        yield Misfit((*path, kind), f"there is no order '{short(kind)}'{better}", at_key=True)
        return
    body = item[kind]
    if standing:  # its conditions may stand within the body; it is read when it is set
        if body is not None and body not in (DEFAULT, ASK) and not isinstance(body, dict):
            words = f"or one of the words {DEFAULT} and {ASK}"
            reason = f"{kind} needs braces, as in {forms[kind].in_full()}, {words}; this is {shown(body)}"
            yield Misfit((*path, kind), reason)
        return
    for misfit in forms[kind].misfits({} if body is None else body):
        yield misfit._replace(path=(*path, kind, *misfit.path))


def _misfits_of_neighbours(
    path: Path, item: Record, keys: Sequence[str], forms: Mapping[str, OrderForm]
) -> Iterator[Misfit]:
    """Yield the faults of an item with several keys: two orders, or a body that is not indented."""
    kind, *others = keys
    for other in others:
        if other in forms or kind not in forms:
            reason = f"'{short(other)}' stands in one item with '{short(kind)}'; begin each order with '- '"
        elif item[kind] is None:
            reason = f"'{short(other)}' must be indented further than '{kind}', to whose order it belongs"
        else:
            reason = f"'{short(other)}' cannot stand beside '{kind}'; it belongs into its body, or begins with '- '"
        yield Misfit((*path, other), reason, at_key=True)


def complain(name: str, lines: Sequence[str], faults: Iterable[Placed]) -> str:
    """Return every fault as `name:line:column: kind: reason (rule n)`, the line it is about, and carets under it."""
    every = list(faults)
    rows: list[str] = []
    for placed in every[:_MOST_COMPLAINTS]:
        mark, fault = placed.mark, placed.fault
        rows.append(f"{name}:{mark.line}:{mark.column}: {fault.kind}: {fault_sentence(fault)}")
        if mark.line <= len(lines) and lines[mark.line - 1].strip():
            rows += _with_carets(lines[mark.line - 1], mark)
    if len(every) > _MOST_COMPLAINTS:
        rows.append(f"... and {len(every) - _MOST_COMPLAINTS} more")
    return "".join(f"{row}\n" for row in rows)


def as_rows(name: str, faults: Iterable[Placed]) -> list[dict[str, str | int | None]]:
    """Return every fault as a row for programs: file, line, column, width, kind, reason, rule."""
    return [
        {
            "file": name,
            "line": placed.mark.line,
            "column": placed.mark.column,
            "width": placed.mark.width,
            "kind": placed.fault.kind,
            "reason": shortened(placed.fault.reason),
            "rule": placed.fault.rule,
        }
        for placed in faults
    ]


def fault_sentence(fault: Fault) -> str:
    """Return the reason of a fault on one line, shortened, with the rule that it cites."""
    rule = f" ({cited(fault.rule)})" if fault.rule else ""
    return shortened(fault.reason) + rule


def shortened(text: str, longest: int = _LONGEST_REASON) -> str:
    """Return a text on one line, without invisible characters, cut to `longest`."""
    text = "".join(" " if char.isspace() else _visible(char) for char in text[: longest + 1])
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _with_carets(line: str, mark: Mark) -> list[str]:
    """Return a line, cut around the mark if it is long, and the line of carets that goes below it."""
    start = min(mark.column - 1, len(line))
    stop = min(max(start + mark.width, start + 1), start + _COLUMNS // 2)
    first, last = 0, len(line)
    if len(line) > _COLUMNS:  # counted in characters: a line of wide ones may still be twice as wide
        first = max(0, start - _COLUMNS // 3)
        last = min(len(line), first + _COLUMNS)
    before = ("..." if first else "") + _made_visible(line[first:start])
    text = before + _made_visible(line[start:last]) + ("..." if last < len(line) else "")
    carets = max(1, width_of(_made_visible(line[start:stop])))
    return [f"  {text}", "  " + " " * width_of(before) + "^" * carets]


def _made_visible(text: str) -> str:
    return "".join(_TAB if char == "\t" else _visible(char) for char in text)


def _visible(char: str) -> str:
    """Return a character, or `?` for one that shows nothing or changes how its neighbours are shown."""
    return "?" if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} else char


def width_of(text: str) -> int:
    """Return how many columns of a monospace font a text takes, once what is invisible in it is drawn as `?`."""
    return sum(
        0 if unicodedata.category(char) in {"Mn", "Me"} else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in map(_visible, text)
    )


def sheet_of_word(word: str, game: str, side: Side, adjudication: int) -> bytes | None:
    """Return the sheet that a word of a letter stands for, such as `STANDING CANCEL 2`; None: it stands for none.

    >>> sheet_of_word("WITHDRAW", "punica", "rome", 12) == withdrawal("punica", "rome", 12)
    True
    """
    try:
        if word.startswith(WITHDRAW):
            return withdrawal(game, side, adjudication, link_in(word.split()[1:]))
        if word.startswith(CANCEL) and (found := cancelled(word.split()[2:])) is not None:
            return cancellation(game, side, adjudication, found[0], link_in(found[1]))
    except ValueError:
        pass
    return None


def cancelled(words: Sequence[str]) -> tuple[list[int], Sequence[str]] | None:
    """Return the numbers that the words behind STANDING CANCEL name, none for ALL, and the words behind them.

    None: they name nothing.

    >>> cancelled(["5", "2,"]), cancelled(["ALL"]), cancelled(["two"])
    (([2, 5], []), ([], []), None)
    """
    plain = [word.strip(",.") for word in words]
    count = next((at for at, word in enumerate(plain) if not _is_count(word)), len(plain))
    if count:
        return sorted({int(word) for word in plain[:count]}), words[count:]
    return ([], words[1:]) if plain and plain[0].upper() == _ALL else None


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 10 and int(word) > 0


def link_in(words: Sequence[str]) -> str | None:
    """Return the link of the player's chain that ends a word of a letter, as it is written; None: there is none.

    Raises ValueError if something else stands there.
    """
    match words:
        case []:
            return None
        case [link] if LINK_SHAPE.fullmatch(link) or link == LOST:
            return link
        case _:
            raise ValueError("no link")


def withdrawal(game: str, side: Side, adjudication: int, link: str | None = None) -> bytes:
    """Return the empty sheet that takes the place of one which is not used yet.

    >>> print(withdrawal("punica", "rome", 12).decode(), end="")
    game: punica
    side: rome
    adjudication: 12
    orders: []
    """
    return _sheet_bytes(game, side, adjudication, link, {ORDERS: []})


def cancellation(game: str, side: Side, adjudication: int, numbers: Sequence[int], link: str | None = None) -> bytes:
    """Return the sheet that cancels standing orders by their numbers; all of them, if none are given."""
    return _sheet_bytes(game, side, adjudication, link, {STANDING_CANCEL: list(numbers)} if numbers else {STANDING: []})


def _sheet_bytes(game: str, side: Side, adjudication: int, link: str | None, more: dict[str, Plain]) -> bytes:
    opened = {} if link is None else {LINK: link}
    return yamlio.dump({"game": game, "side": side, "adjudication": adjudication, **opened, **more}).encode()


def keys_in(text: str) -> list[str]:
    """Return the keys in a text, quoted ones included.

    >>> keys_in("game: punica\\nkey: abcdefghij234567abcd\\n> key: ZYXWVUTSRQ765432zyxw # yours")
    ['abcdefghij234567abcd', 'zyxwvutsrq765432zyxw']
    """
    return [found["key"].lower() for found in _KEY_LINE.finditer(text)]


def without_keys(text: str) -> str:
    """Return a text without the lines that have a key.

    >>> without_keys("game: punica\\nkey: abcdefghij234567abcd\\norders:\\n")
    'game: punica\\norders:\\n'
    """
    return _KEY_LINE.sub(lambda found: "\n" if found["behind"] and found[0].endswith("\n") else "", text)


def with_keys_blank(text: str) -> str:
    """Return a text with those lines empty, so that all others keep their places."""
    return _KEY_LINE.sub(lambda found: "\n" if found[0].endswith("\n") else "", text)
