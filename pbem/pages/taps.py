"""Answers by one tap: links that open a letter with the whole order sheet in it, which the player only has to send.

The sheet stands on one line, for some programs lose line ends. A link that is tapped twice, or two links, make two
sheets: the second corrects the first, or comes too late.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from urllib.parse import quote

from pbem.game.boxes.box import Box
from pbem.game.contract import Rules
from pbem.game.decision_kinds import does_nothing
from pbem.protocol import Decision, Order, S
from pbem.render.text.contents import ReportRequest
from pbem.render.text.form import SheetHead, one_line_sheet
from pbem.render.text.messages import Sentences, sentences

MOST: Final = 6
"""A question with more answers than these has no links."""
LONGEST: Final = 1800
"""The longest link that every mail program opens."""
OWN_CHAIN: Final = (
    "There are no answers to tap: each sheet of yours carries a link of your own dice chain. Fill in the sheet below."
)
SIGNED: Final = (
    "There are no answers to tap: in this game only a signed sheet counts, and a link cannot sign. "
    "Fill in the sheet below."
)


@dataclass(frozen=True, slots=True)
class Tap:
    """One answer: its words, and the link that opens a letter with it."""

    label: str
    link: str


@dataclass(frozen=True, slots=True)
class Taps:
    """The answers to the one question that a letter asks, or a sentence that says why they cannot be tapped."""

    answers: tuple[Tap, ...] = ()
    why_not: str = ""


def taps(rules: Rules[S], box: Box, request: ReportRequest[S], address: str, *, must_sign: bool) -> Taps:
    """Return the answers that can be tapped in a letter; `address` is the bare one that they go to.

    There are none where several questions wait, for a sheet answers all that its side answers. Nor are there where one
    of the answers does not fit into a link: a choice of some of them would mislead.
    """
    asked = [decision for decision in request.own if decision.waits]
    if len(asked) != 1 or request.side is None:
        return Taps()
    if must_sign:
        return Taps(why_not=SIGNED)
    if request.chain is not None and not request.chain.lost:
        return Taps(why_not=OWN_CHAIN)
    (decision,) = asked
    legal = list(islice(rules.legal_orders(request.view, decision), MOST + 1))
    if len(legal) > MOST:
        return Taps()
    head = SheetHead(request.game, request.side, request.adjudication, key=request.key)
    say = sentences(box, request.language)
    bodies = list(_ordered(decision, [each.body for each in legal]))
    links = [_mail_link(address, head, Order(decision.kind, body, decision.about)) for body in bodies]
    labels = _answer_labels(say, box, decision, bodies)
    whole = max(map(len, links), default=0) <= LONGEST and len({*labels}) == len(labels)
    return Taps(tuple(map(Tap, labels, links)) if whole else ())


def _ordered(decision: Decision, bodies: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the answers as a form lists them: the real choices first, what does nothing and the default last."""
    rest = [body for body in bodies if body != decision.default]
    yield from (body for body in rest if not does_nothing(body))
    yield from (body for body in rest if does_nothing(body))
    yield from (body for body in bodies if body == decision.default)


def _answer_labels(say: Sentences, box: Box, decision: Decision, bodies: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a label for each answer: the words of the box, or all values with their names if the words are the same.

    They never look like an order, for they come back in the text that a player quotes.
    """
    form = box.forms[decision.kind]
    spoken = [
        _capitalised(form.choice_in_words(body, box.names) or _in_full(say, box, decision, body)) for body in bodies
    ]
    if len({*spoken}) == len(spoken):
        return spoken
    return [_capitalised(_in_full(say, box, decision, body)) for body in bodies]


def _in_full(say: Sentences, box: Box, decision: Decision, body: Mapping[str, Any]) -> str:
    """Return all values of an answer with their names; the words of the box for one that does nothing."""
    form = box.forms[decision.kind]
    if form.unanswered and body == decision.default and does_nothing(body):
        return form.in_words(body, box.names)
    return say.answer({key: value for key, value in body.items() if value not in ([], {})} or body)


def _capitalised(words: str) -> str:
    words = words.replace("{", "(").replace("}", ")")
    return words[:1].upper() + words[1:]


def _mail_link(address: str, head: SheetHead, order: Order) -> str:
    """Return the link that opens a letter with one order in it."""
    body = one_line_sheet(head, order.kind, order.written) + "\n"
    if head.key:
        body += f"key: {head.key}\n"
    words = {"subject": f"Re: {head.game}, report {head.adjudication}", "body": body.replace("\n", "\r\n")}
    return f"mailto:{quote(address, safe='@+')}?" + "&".join(
        f"{key}={quote(text, safe='')}" for key, text in words.items()
    )
