"""The form at the end of a report: an order sheet in which every order is a comment.

The real choices stand first, what does nothing and the default last. To choose an order, a player takes one `#` away. A
form that is sent back unchanged orders nothing, so that no slip answers a question. Lines are short enough for a mail
program to quote without breaking them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pbem.crypto.player_chains import PlayerChain
from pbem.game import LegalOrders
from pbem.game import yaml as yamlio
from pbem.game.boxes.box import Box
from pbem.game.contract import Rules
from pbem.game.decision_kinds import does_nothing
from pbem.protocol import Decision, Order, S, Side, cited
from pbem.render.text.order_words import OrderWords
from pbem.render.text.text_lines import GLUE, folded

WIDTH: Final = 70
NARROW: Final = 42
"""The width of remarks on a page that a phone shows; orders are broken as in a letter, for each line has its `#`."""
ORDER_WIDTH: Final = 76
"""So long an order of a sheet that stands in no letter may be on one line."""
WITHOUT: Final = "Without an answer"
COUNTS: Final = f"{WITHOUT} this counts (or write AGREED):"
AGREES: Final = "AGREED takes this:"
"""How the default of a decision begins: it is marked as what counts if the player stays silent."""
COUNTS_ALONE: Final = f"{WITHOUT} this counts:"
TAKE: Final = "Take the # off one of these, or write your own:"
SAY_IT: Final = "Take the # off one of these, or write a line such as: {}"
OTHERWISE: Final = "Or this:"
"""The same where AGREED could mean another answer."""
MOST_LISTED: Final = 12
"""The most legal orders that are all listed for one decision."""
FEW_SHOWN: Final = 6
"""How many are shown where there are more than that; half of them if each takes several lines."""


@dataclass(frozen=True, slots=True)
class SheetHead:
    """The lines above the orders of a sheet: which game, which side, which adjudication, the link of its chain."""

    game: str
    side: Side
    adjudication: int
    chain: PlayerChain | None = None
    """The side's own dice chain; None: it has none."""
    key: str = ""
    """The word that shows who sends the sheet; it is no part of what the sheet says."""

    def lines(self) -> Iterator[str]:
        """Yield the lines."""
        yield f"game: {self.game}"
        yield f"side: {self.side}"
        yield f"adjudication: {self.adjudication}"
        if self.key:
            yield f"key: {self.key}"
        if self.chain is not None:
            yield from _link_lines(self.chain)


@dataclass(frozen=True, slots=True)
class Choices:
    """What a form says of one decision, however wide it is: its question, remarks, and orders to choose from."""

    question: str
    rule: str
    about: str
    waits: bool
    proposal: bool
    remarks: Sequence[str]
    real: Sequence[str]
    """The lines of the orders that do something."""
    more: str
    """What to say of those left out; empty: none is."""
    idle: Sequence[str]
    """The lines of the orders that do nothing."""
    default: Sequence[str]
    """The lines of the default; none if there is none."""
    in_words: str = ""
    """The first of the orders that do something, as one would say it; empty: there is none, or no words for it."""

    @property
    def title(self) -> str:
        """The question and the rule that asks it."""
        return f"{self.question} ({cited(self.rule)})"


def choices(rules: Rules[S], box: Box, view: S, decision: Decision) -> Choices:
    """Return what a form says of a decision; `view` is the position as its side knows it.

    Where `rules.hints` picks orders as examples, they replace the list that is otherwise made of the legal orders.
    """
    hints = list(rules.hints(view, decision))
    bodies: list[Mapping[str, Any]] = [hint.body for hint in hints if isinstance(hint, Order)]
    more = ""
    if not bodies:
        bodies, more = _orders_to_list(decision.kind, rules.legal_orders(view, decision))
    if decision.default is None:
        bodies = bodies or [box.forms[decision.kind].example]
    others = [body for body in bodies if body != decision.default]
    real = [body for body in others if not does_nothing(body)]
    return Choices(
        question(box, decision),
        decision.rule,
        decision.about,
        decision.waits,
        box.forms[decision.kind].proposal,
        [hint for hint in hints if isinstance(hint, str)],
        _order_comments(decision, real),
        more,
        _order_comments(decision, [body for body in others if does_nothing(body)]),
        _order_comments(decision, [] if decision.default is None else [decision.default]),
        in_words(rules, box, view, decision, real[0]) if real else "",
    )


def in_words(rules: Rules[S], box: Box, view: S, decision: Decision, body: Mapping[str, Any]) -> str:
    """Return an answer as one would say it; empty: there are no words for it."""
    said = OrderWords(box.lexicon).say(rules.choices(view, decision), body)
    return "" if said is None else said.text


def form(
    asked: Iterable[Choices],
    head: SheetHead,
    heading: Iterable[str] = (),
    *,
    titled: bool = True,
    default_counts: bool = True,
    width: int = WIDTH,
) -> str:
    """Return a sheet, as YAML, that answers a side's open decisions, of each of which it says the `choices`.

    `heading` are sentences that become comments above the sheet. Each question has its title unless it stands above.
    Without `default_counts` the default of a question that is waited for counts only if its side agrees. Remarks are
    `width` wide at most.
    """
    lines = [*_comment_lines(heading, width), *head.lines(), "orders:"]
    for each in asked:
        lines += _comment_lines([each.title] if titled else [each.question] if each.about else [], width)
        counts, agrees = (COUNTS_ALONE, OTHERWISE) if each.proposal else (COUNTS, AGREES)
        lines += _question(each, counts if default_counts or not each.waits else agrees, width)
    return "\n".join(lines) + "\n"


def question(box: Box, decision: Decision) -> str:
    """Return the question of a decision, with what tells it from its like."""
    about = f"For {box.names.get(decision.about, decision.about)}: " if decision.about else ""
    return about + box.forms[decision.kind].title


def decision_title(box: Box, decision: Decision) -> str:
    """Return the question of a decision and the rule that asks it."""
    return f"{question(box, decision)} ({cited(decision.rule)})"


def order_lines(kind: str, body: Mapping[str, Any], width: int = ORDER_WIDTH) -> list[str]:
    """Return one order as an item of a sheet's list, on one line if it fits.

    >>> order_lines("intercept", {"with": [{"general": "fabius", "cu": 8}]})
    ['- intercept: {with: [{general: fabius, cu: 8}]}']
    """
    whole = f"- {kind}: {_flow_value(body)}"
    if len(whole) <= width:
        return [whole]
    return [f"- {kind}:", *(line for key, value in body.items() for line in _body_entry(key, value, width))]


def short_order(kind: str, body: Mapping[str, Any], width: int = ORDER_WIDTH) -> list[str]:
    """Return one order as an item of a sheet's list, in as few lines as it takes.

    >>> short_order("intercept", {"with": [{"general": "fabius", "cu": 8}]}, 40)
    ['- intercept: {with: [{general: fabius,', '    cu: 8}]}']
    """
    whole = f"- {kind}: {_flow_value(body)}"
    return [whole] if len(whole) <= width else folded(whole.replace(": ", f":{GLUE}"), width, later="    ")


def one_line_sheet(head: SheetHead, kind: str, body: Mapping[str, Any]) -> str:
    """Return a whole sheet with one order on one line, for where line ends may get lost.

    >>> one_line_sheet(SheetHead("punica", "carthage", 15), "battle_card", {"card": "probe"})
    'orders: punica carthage 15 battle_card {card: probe}'
    """
    return f"orders: {head.game} {head.side} {head.adjudication} {kind} {_flow_value(body)}"


def standing_remark(count: int, box: Box, side: Side) -> Iterator[str]:
    """Yield what a form says to a side without standing orders: how it comes to those of the game."""
    if not count and box.standing_of(side):
        yield "To be asked less often, add the line: standing: default"


def standing_lines(orders: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield standing orders as a sheet would have them, each on a line as far as it fits.

    >>> list(standing_lines([{"losses": "default", "when": {"cu": "<= 2"}}]))
    ['- losses: default, when: {cu: <= 2}']
    """
    for order in orders:
        yield from folded(standing_text(order), WIDTH, "- ", "    ")


def standing_text(order: Mapping[str, Any]) -> str:
    """Return a standing order as a sheet would have it, on one line.

    >>> standing_text({"losses": {"cu": [1, 2]}})
    'losses: {cu: [1, 2]}'
    """
    return ", ".join(f"{key}: {_flow_value(value)}" for key, value in order.items())


def _link_lines(chain: PlayerChain) -> Iterator[str]:
    """Yield what the form says of the next link of the side's own chain."""
    if not chain.lost:
        yield from _comment_lines([f"Fill in what this prints: pbem my-chain next FILE --after {chain.opened}"])
        yield "link:"


def _question(asked: Choices, without: str, width: int) -> Iterator[str]:
    """Yield what the form says of one question: the choices, and last its default, below the words `without`."""
    yield from _comment_lines(asked.remarks, width)
    words = asked.in_words.replace(" ", GLUE) if len(asked.in_words) < width // 2 else asked.in_words
    yield from _below(SAY_IT.format(words) if words else TAKE, asked.real, width)
    yield from _comment_lines([asked.more] if asked.more else [], width)
    yield from _below("Or do nothing:", asked.idle, width)
    yield from _below(without, asked.default, width)


def _below(heading: str, orders: Sequence[str], width: int) -> Iterator[str]:
    """Yield orders to choose from, below a heading if there are any."""
    yield from _comment_lines([heading] if orders else [], width)
    yield from orders


def _order_comments(decision: Decision, bodies: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return orders that answer a decision as comment lines."""
    written = (Order(decision.kind, body, decision.about).written for body in bodies)
    return [f"# {line}" for each in written for line in short_order(decision.kind, each, WIDTH)]


def _orders_to_list(kind: str, choices: LegalOrders) -> tuple[list[Mapping[str, Any]], str]:
    """Return legal answers to choose from, and what to say of those left out."""
    count = len(choices)
    picked: Sequence[int] = range(count)
    if count > MOST_LISTED:
        long = len(short_order(kind, choices[0].body, WIDTH)) > 1
        few = FEW_SHOWN // 2 if long else FEW_SHOWN
        picked = [at * (count - 1) // (few - 1) for at in range(few)]
    return [choices[at].body for at in picked], f"... and {count - len(picked):,} more" if count > len(picked) else ""


def _comment_lines(texts: Iterable[str], width: int = WIDTH) -> Iterator[str]:
    """Yield texts as comment lines; the lines of one text after the first are indented."""
    for text in texts:
        indent = " " * (len(text) - len(text.lstrip(" ")))
        yield from (f"# {line}" for line in folded(text, width - 2, later=indent + "  "))


def _body_entry(key: str, value: object, width: int) -> Iterator[str]:
    """Yield one key of an order's body, broken into items where it is too long for a line."""
    line = f"    {key}: {_flow_value(value)}"
    if len(line) <= width or not isinstance(value, (list, tuple, Mapping)):
        yield line
        return
    yield f"    {key}:"
    if isinstance(value, Mapping):
        yield from (f"      {inner}: {_flow_value(worth)}" for inner, worth in value.items())
    else:
        yield from (f"    - {_flow_value(item)}" for item in value)


def _flow_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow_value, value)) + "]"
    return yamlio.dump(value).rstrip("\n")
