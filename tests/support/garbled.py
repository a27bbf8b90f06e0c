"""Orders and sheets as players get them wrong: like good ones, with words and numbers changed, left out, doubled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from random import Random
from typing import Any

from pbem.game.boxes.box import Box
from pbem.game.contract import Rules
from pbem.protocol import Decision, Order, Side
from pbem.render.text.form import order_lines, standing_lines
from tests.support.walks import Walk, loaded


def garbled(at: Walk, decision: Decision, rng: Random) -> Iterator[Order]:
    """Yield orders like the legal ones of a question, spoilt."""
    words = _words(loaded(at.rules.id).box)
    choices = at.rules.legal_orders(at.view(decision.side), decision)
    for _ in range(6):
        order = choices.pick(rng.random)
        assert order is not None
        yield spoilt(order, words, rng)


def spoilt(order: Order, words: Sequence[str], rng: Random) -> Order:
    """Return an order with one to three things in it changed."""
    body = deepcopy(dict(order.body))
    for _ in range(rng.randint(1, 3)):
        garble(body, words, rng)
    return replace(order, body=body)


def garble(value: Any, words: Sequence[str], rng: Random) -> Any:
    """Return a value like the one given; mappings and lists are changed in place."""
    if isinstance(value, dict) and value:
        key = rng.choice(sorted(value))
        if rng.random() < 0.2:
            del value[key]
        else:
            value[key] = garble(value[key], words, rng)
    elif isinstance(value, list) and value:
        at = rng.randrange(len(value))
        what = rng.random()
        if what < 0.2:
            del value[at]
        elif what < 0.4:
            value.append(deepcopy(value[at]))
        elif what < 0.6:
            value.append(rng.choice(words))
        else:
            value[at] = garble(value[at], words, rng)
    elif isinstance(value, bool):
        return not value
    elif isinstance(value, int):
        return value + rng.choice([-1, 1, 1, 2, 5])
    elif isinstance(value, str):
        return rng.choice(words)
    return value


def garbled_sheets(
    rules: Rules[Any], box: Box, view: Any, side: Side, waiting: Sequence[Decision], rng: Random, count: int
) -> Iterator[bytes]:
    """Yield whole sheets of a side for the game `punica` at adjudication 7: good, spoilt in an order, a line, a word.

    They answer what is asked, and order what is not; some file standing orders.
    """
    words, kinds = _words(box), sorted(box.forms)
    mine = [decision for decision in waiting if decision.side == side]
    for _ in range(count):
        picked = [(each, rules.legal_orders(view, each).pick(rng.random)) for each in mine]
        orders = [replace(order, about=each.about) for each, order in picked if order is not None]
        orders += [
            Order(kind, box.forms[kind].example)
            for kind in rng.sample(kinds, rng.randint(not mine, min(2, len(kinds))))
        ]
        orders = [spoilt(order, words, rng) if rng.random() < 0.7 else order for order in orders]
        lines = ["game: punica", f"side: {side}", f"adjudication: {7 if rng.random() < 0.95 else 8}", "orders:"]
        lines += [line for order in orders for line in order_lines(order.kind, order.written)]
        if rng.random() < 0.2:
            filed = [spoilt(order, words, rng) for order in orders]
            lines += ["standing:", *standing_lines({order.kind: order.body} for order in filed)]
        if rng.random() < 0.1:
            del lines[rng.randrange(len(lines))]
        if rng.random() < 0.1:
            at = rng.randrange(len(lines))
            lines[at] = lines[at].replace(rng.choice(":{}[],- aeiou"), rng.choice(":{}[],- aeiou"), 1)
        yield "\n".join(lines).encode() + b"\n"


def _words(box: Box) -> list[str]:
    return [*box.names, "none", "any", "nowhere"]
