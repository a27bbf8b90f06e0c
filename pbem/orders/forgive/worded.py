"""Orders in words within a sheet: lines that are no order as YAML has it are given to the reader of words.

YAML comes first: what it reads is as it was. Lines that it passes over, and orders that it cannot read, are read as
words; what comes of them are orders at their places in the sheet, or faults that name the word in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pbem.game.choices.parts import Plain
from pbem.game.yaml import Mark, Placed
from pbem.game.yaml.limits import short
from pbem.orders.forgive.assemble import Assembled
from pbem.orders.forgive.lines import Line
from pbem.orders.forgive.tree import Items, Node, Pairs, Word
from pbem.orders.said.english import refusing_word
from pbem.orders.said.words_reader import SaidOrder, WordsReader
from pbem.orders.sheet import ORDERS
from pbem.protocol import MALFORMED, Fault, Order

_BRACED: Final = "{"
_REMARK: Final = re.compile(r"(?<=\s)#.*")


@dataclass(frozen=True, slots=True)
class Worded:
    """A sheet with the orders that its words say, the faults that are left of it, and the lines that order nothing."""

    tree: Pairs
    faults: Sequence[Placed]
    talk: Sequence[Line]
    changes: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Item:
    """An item of the list of orders: its node, its first line, and the one behind its last."""

    node: Node
    first: int
    end: int


def worded(
    found: Assembled, value: Mapping[str, object], bad: Sequence[Placed], lines: Sequence[Line], reader: WordsReader
) -> Worded | None:
    """Return a sheet with what the reader of words finds in it; None: it finds nothing.

    `value` is what is meant by the sheet as YAML reads it, `bad` are its faults.
    """
    items = _items_of(found.tree, lines)
    faulty = {path[1] for placed in bad if (path := placed.fault.path)[:1] == (ORDERS,) and len(path) > 1}
    kept = [""] * len(lines)
    for line in found.talk:
        kept[line.number - 1] = line.text
    for at, item in enumerate(items):
        if at in faulty:
            kept[item.first : item.end] = [line.text for line in lines[item.first : item.end]]
    said = reader.read(kept, _yaml_orders(value, faulty))
    if not said.orders and not said.doubts:
        return None
    taken = {number for each in said.orders for number in range(each.first, each.last + 1)}
    doubted = {each.line for each in said.doubts}
    gone = {
        at
        for at in faulty
        if isinstance(at, int) and at < len(items) and _is_in_words(items[at], lines, taken, doubted)
    }
    kept_items: list[tuple[int, int | None, Node]] = [
        (item.first, at, item.node) for at, item in enumerate(items) if at not in gone
    ]
    kept_items += [(each.first, None, _node_of(each, lines[each.first])) for each in said.orders]
    nodes = sorted(kept_items, key=lambda each: each[0])
    now = {at: number for number, (_, at, _) in enumerate(nodes) if at is not None}
    faults = [placed for each in found.faults if (placed := _moved(each, now)) is not None]
    braced = {
        number
        for at in faulty - gone
        if isinstance(at, int) and at < len(items)
        for number in range(items[at].first, items[at].end)
    }
    for number, doubt in enumerate(each for each in said.doubts if each.line not in braced):
        line = lines[doubt.line]
        indent = len(line.text) - len(line.text.lstrip())
        mark = line.mark(max(doubt.start, indent), doubt.end)
        faults.append(Placed(Fault(MALFORMED, (ORDERS, len(nodes) + number), doubt.reason), mark))
    return Worded(
        _with_orders(found.tree, [node for _, _, node in nodes], lines),
        faults,
        [line for line in found.talk if line.number - 1 not in taken],
        [f"“{short(_text_of(each, lines))}” was read as {_order_text(each.order)}" for each in said.orders],
    )


def turned_round(found: Assembled, lines: Sequence[Line]) -> list[Placed]:
    """Return the words beside orders that may turn them round: in a remark, in their paragraph, or right above it.

    Words above count if they end without a full stop: "Do NOT" and "Draft only", but not "I had not expected that."
    """
    talk = {line.number - 1: line.text for line in found.talk}
    faults: dict[int, Placed] = {}
    for item in _items_of(found.tree, lines):
        for number in range(item.first, item.end):
            text = lines[number].text
            remark = None if text.lstrip().startswith("#") else _REMARK.search(text)
            if remark is not None and (word := refusing_word(remark[0], remark=True)):
                faults[number] = _turned(lines[number], remark.start(), word)
        for number in _beside(range(item.first, item.end), talk, lines):
            if word := refusing_word(talk[number]):
                faults.setdefault(number, _turned(lines[number], 0, word))
    return list(faults.values())


def _beside(orders: Iterable[int], talk: Mapping[int, str], lines: Sequence[Line]) -> set[int]:
    """Return the lines of talk in the paragraphs of some orders, and in one right above that goes on with them."""
    found: set[int] = set()
    for order in orders:
        for step in (-1, 1):
            number = order + step
            while 0 <= number < len(lines) and lines[number].text.strip():
                found |= {number} & talk.keys()
                number += step
            if step == 1:
                continue
            while number >= 0 and not lines[number].text.strip():
                number -= 1
            if number in talk and talk[number].rstrip()[-1:] not in tuple(".!)"):
                while number in talk:
                    found.add(number)
                    number -= 1
        found |= {order} & talk.keys()
    return found


def _turned(line: Line, start: int, word: str) -> Placed:
    at = max(start, line.text.find(word, start))
    mark = line.mark(at, at + len(word))
    return Placed(Fault(MALFORMED, (), f"“{word}” may turn the order round: say only what is to be done"), mark)


def _items_of(tree: Pairs, lines: Sequence[Line]) -> list[_Item]:
    """Return the items of the list of orders with the lines that they stand in."""
    list_ = next((node for word, node in tree.pairs if word.text == ORDERS), None)
    if not isinstance(list_, Items):
        return []
    starts = [node.mark.line - 1 for node in list_.items]
    keys = sorted(word.mark.line - 1 for word, _ in tree.pairs)
    items = []
    for at, (node, first) in enumerate(zip(list_.items, starts, strict=True)):
        after = [*(start for start in starts[at + 1 :] if start > first), *(key for key in keys if key > first)]
        end = min([*after, len(lines)])
        blank = next((number for number in range(first, end) if not lines[number].text.strip()), end)
        items.append(_Item(node, first, blank))
    return items


def _yaml_orders(value: Mapping[str, object], faulty: Iterable[object]) -> list[Order]:
    """Return the orders that YAML reads."""
    written = value.get(ORDERS)
    bad = set(faulty)
    orders = enumerate(written) if isinstance(written, list) else ()
    return [
        Order.read(kind, body or {})
        for at, item in orders
        if at not in bad and isinstance(item, dict) and len(item) == 1
        for kind, body in item.items()
        if body is None or isinstance(body, dict)
    ]


def _is_in_words(item: _Item, lines: Sequence[Line], taken: set[int], doubted: set[int]) -> bool:
    """Tell whether an item is read as words: then what YAML has against it does not count."""
    numbers = set(range(item.first, item.end))
    braced = any(_BRACED in lines[number].text for number in numbers)
    return bool(numbers & taken) or (bool(numbers & doubted) and not braced)


def _moved(placed: Placed, now: Mapping[int, int]) -> Placed | None:
    """Return a fault with the number that its order has now; None: the order was read as words."""
    fault = placed.fault
    if fault.path[:1] != (ORDERS,) or len(fault.path) < 2 or not isinstance(at := fault.path[1], int):
        return placed
    return Placed(replace(fault, path=(ORDERS, now[at], *fault.path[2:])), placed.mark) if at in now else None


def _with_orders(tree: Pairs, nodes: Sequence[Node], lines: Sequence[Line]) -> Pairs:
    """Return a sheet with other orders."""
    first = next((line for line in lines if line.text.strip()), lines[0]).mark()
    word = next((word for word, _ in tree.pairs if word.text == ORDERS), Word(ORDERS, first))
    others = [(each, node) for each, node in tree.pairs if each.text != ORDERS]
    return Pairs([*others, (word, Items(nodes, word.mark))], tree.mark if tree.pairs else first)


def _node_of(said: SaidOrder, line: Line) -> Node:
    """Return an order as a node, all of it at the place of its line."""
    mark = line.mark(len(line.text) - len(line.text.lstrip()))
    return Pairs([(Word(said.order.kind, mark), _node_of_value(said.order.written, mark))], mark)


def _node_of_value(value: Plain, mark: Mark) -> Node:
    if isinstance(value, Mapping):
        return Pairs([(Word(str(key), mark), _node_of_value(below, mark)) for key, below in value.items()], mark)
    if isinstance(value, list | tuple):
        return Items([_node_of_value(each, mark) for each in value], mark)
    if isinstance(value, bool):
        return Word("true" if value else "false", mark)
    return Word("" if value is None else str(value), mark, quoted=isinstance(value, str))


def _text_of(said: SaidOrder, lines: Sequence[Line]) -> str:
    return " ".join(" ".join(line.text.split()) for line in lines[said.first : said.last + 1])


def _order_text(order: Order) -> str:
    """Return an order on one line, as a sheet has it."""
    return f"{order.kind}: {_flow_text(order.written)}"


def _flow_text(value: Plain) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow_text(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow_text, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
