"""The form at the end of a report: a ready order sheet, filled in where there is a default, with what else is legal.

Lines stay short enough for a mail program to quote them without breaking one. Whoever sends the form back unchanged
gives the default of every question that has one; another choice is one `#` away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pbem.crypto.player_chains import LOST, OwnChain
from pbem.game import LegalOrders
from pbem.game import yaml as yamlio
from pbem.game.box import Box
from pbem.protocol import Decision, Order, Side, cited
from pbem.render.wrap import folded

WIDTH: Final = 70
ORDER_WIDTH: Final = 76
"""An order is longer than a remark: whole on one line it takes a single `#` to choose it."""
MOST_LISTED: Final = 12
"""So many legal answers to one question are listed."""
FEW_SHOWN: Final = 6
"""So many of a number too large to list."""


def form(
    rules: Any,
    view: Any,
    decisions: Sequence[Decision],
    *,
    box: Box,
    game: str,
    side: Side,
    adjudication: int,
    heading: Iterable[str] = (),
    chain: OwnChain | None = None,
) -> str:
    """Return a sheet that answers a side's open questions, as YAML; `known` is the position as the side knows it.

    `heading` are sentences that stand above it as comments. A game whose rules have `hints(known, decision)` says
    there in its own words what can be ordered: texts, and orders picked as examples, which then take the place of
    our own list. `chain` is the side's own; None: it has none.
    """
    lines = [*_remarks(heading), f"game: {game}", f"side: {side}", f"adjudication: {adjudication}"]
    if chain is not None:
        lines += _link(chain)
    lines.append("orders:")
    for decision in decisions:
        lines += _question(rules, view, decision, box)
    return "\n".join(lines) + "\n"


def order_lines(kind: str, body: Mapping[str, Any], width: int = ORDER_WIDTH) -> list[str]:
    """Return one order as an item of a sheet's list, on one line if it fits.

    >>> order_lines("intercept", {"with": [{"general": "fabius", "cu": 8}]})
    ['- intercept: {with: [{general: fabius, cu: 8}]}']
    """
    whole = f"- {kind}: {_flow(body)}"
    if len(whole) <= width:
        return [whole]
    return [f"- {kind}:", *(line for key, value in body.items() for line in _entry(key, value, width))]


def standing_remark(count: int, box: Box) -> Iterator[str]:
    """Yield what a form says of standing orders: how many the side has, or how it comes to those of the game."""
    if count:
        yield f"{count} standing order{'' if count == 1 else 's'} of yours in force."
    elif box.standing:
        yield "To be asked less, add the line: standing: default"


def standing_lines(orders: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield standing orders as a sheet would have them, each on a line as far as it fits.

    >>> list(standing_lines([{"losses": "default", "when": {"cu": "<= 2"}}]))
    ['- losses: default, when: {cu: <= 2}']
    """
    for order in orders:
        yield from folded(", ".join(f"{key}: {_flow(value)}" for key, value in order.items()), WIDTH, "- ", "    ")


def _link(chain: OwnChain) -> Iterator[str]:
    """Yield what the form says of the next link of the side's own chain: the tip is what it has opened at first."""
    if chain.waiting not in (None, LOST):
        yield f"link: {chain.waiting}"
    else:
        yield from _remarks([f"Put in what this prints: pbem my-chain next FILE --after {chain.opened}"])
        yield "link:"


def _question(rules: Any, view: Any, decision: Decision, box: Box) -> Iterator[str]:
    """Yield what the form says of one question: its title, the answer filled in, what else there is."""
    yield from _remarks([f"{box.forms[decision.kind].title} ({cited(decision.rule)})"])
    if decision.default is not None:
        yield from order_lines(decision.kind, decision.default)
    hints = list(rules.hints(view, decision))
    yield from _remarks(hint for hint in hints if isinstance(hint, str))
    bodies, more = [hint.body for hint in hints if isinstance(hint, Order)], ""
    if not bodies:
        bodies, more = _listed(rules.legal_orders(view, decision))
    others = [body for body in bodies if body != decision.default]
    if decision.default is None:
        others = others or [box.forms[decision.kind].example]
        yield from _remarks(["Take the # off one of these, or write your own:"])
    elif others:
        yield from _remarks(["Or instead:"])
    for body in others:
        yield from (f"# {line}" for line in order_lines(decision.kind, body, ORDER_WIDTH - 2))
    yield from _remarks([more] if more else [])


def _listed(choices: LegalOrders) -> tuple[list[Mapping[str, Any]], str]:
    """Return legal answers to choose from, and what to say of those left out."""
    count = len(choices)
    picked: Sequence[int] = range(count)
    if count > MOST_LISTED:
        picked = [at * (count - 1) // (FEW_SHOWN - 1) for at in range(FEW_SHOWN)]
    return [choices[at].body for at in picked], f"... and {count - len(picked):,} more" if count > len(picked) else ""


def _no_hints(view: Any, decision: Decision) -> Sequence[str | Order]:
    return ()


def _remarks(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts as comment lines; the lines of one text after the first are indented."""
    for text in texts:
        indent = " " * (len(text) - len(text.lstrip(" ")))
        yield from (f"# {line}" for line in folded(text, WIDTH - 2, later=indent + "  "))


def _entry(key: str, value: Any, width: int) -> Iterator[str]:
    """Yield one key of an order's body, broken into items where it is too long for a line."""
    line = f"    {key}: {_flow(value)}"
    if len(line) <= width or not isinstance(value, (list, tuple, Mapping)):
        yield line
        return
    yield f"    {key}:"
    if isinstance(value, Mapping):
        yield from (f"      {inner}: {_flow(worth)}" for inner, worth in value.items())
    else:
        yield from (f"    - {_flow(item)}" for item in value)


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return yamlio.dump(value).rstrip("\n")
