"""A forecast as text: what an order may lead to, one line each, details indented below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from pbem.game.boxes.box import Box
from pbem.game.prospects import EQUAL, SUCCESS, Asked, Chance, Prospect, Stops, Unfit, Unforeseen
from pbem.protocol import Decision, Side, cited
from pbem.render.text.form import decision_title
from pbem.render.text.messages import sentences
from pbem.render.text.text_lines import folded

WIDTH: Final = 72
_DEEPER: Final = "  "
NOTHING: Final = "Nothing would be rolled, and nobody else would be asked."


def foreseen(
    box: Box, side: Side, prospects: Iterable[Prospect], language: str = "en", costs: Sequence[str] = ()
) -> str:
    """Return what a side may expect of its orders; `costs` are lines on what they cost."""
    lines: list[str] = []
    told = list(_told_prospect(box, side, prospects, language))
    for (depth, text), (below, _) in zip_longest(told, told[1:], fillvalue=(0, "")):
        if below <= depth and text.endswith(":"):  # nothing is told below it
            text = f"{text[:-1]}."
        lines += folded(text, WIDTH, _DEEPER * depth, _DEEPER * (depth + 1))
    if costs:
        lines += ["", "Cost of all of it:"] if lines else ["Cost:"]
        for text in costs:
            lines += folded(text, WIDTH, _DEEPER, _DEEPER * 2)
    return "".join(f"{line}\n" for line in lines or [NOTHING])


def _told_prospect(box: Box, side: Side, prospects: Iterable[Prospect], language: str) -> Iterator[tuple[int, str]]:
    say = sentences(box, language)
    for each in prospects:
        if isinstance(each, Asked) and each.given:
            continue
        if isinstance(each, Asked):
            yield 1, f"{_who(box, side, each.decision, say.name(each.decision.side))}{_not_waited_for(each.decision)}"
        elif isinstance(each, Chance):
            outcomes = ", ".join(f"{word} {percent} %" for word, percent in each.outcomes.items())
            aim = say.purpose(each.roll, each.facts)
            if each.against is not None:
                aim += f", against {say.purpose(each.against, each.facts_against)}"
                outcomes = f"it wins with {each.outcomes[SUCCESS]} %"
                outcomes += f"; equal {each.outcomes[EQUAL]} %" if EQUAL in each.outcomes else ""
            elif each.roll.need is not None:
                outcomes = f"{next(iter(each.outcomes.values()), 0)} %"
            yield 1, f"{aim}: {outcomes}"
        elif isinstance(each, Stops):
            yield 0, _stops(each, side, say.name)
        elif isinstance(each, Unfit):
            yield 1, _unfit(each)
        elif isinstance(each, Unforeseen):
            yield 1, f"What comes of your order {each.kind} cannot be foreseen."
        elif (found := say.forecast(each.event)) is not None:
            yield found.depth, found.text


def _who(box: Box, side: Side, decision: Decision, name: str) -> str:
    asked = decision_title(box, decision)
    return f"You would be asked: {asked}" if decision.side == side else f"{name} could be asked: {asked}"


def _stops(stop: Stops, side: Side, name: Callable[[str], str]) -> str:
    """Return why a forecast stops before the play is over."""
    if stop.decision is None:
        return "The forecast stops here, for it has become too long."
    if stop.decision.side == side:
        return "The forecast stops here: the rest depends on your answer, which you may add to the sheet."
    return f"The forecast stops here: the rest depends on the answer of {name(stop.decision.side)}."


def _unfit(unfit: Unfit) -> str:
    """Return why an order of the sheet cannot be carried out when its time comes."""
    reasons = "; ".join(fault.reason + (f" ({cited(fault.rule)})" if fault.rule else "") for fault in unfit.faults)
    return f"Your order {unfit.order.kind} cannot be carried out there: {reasons}."


def _not_waited_for(decision: Decision) -> str:
    return "" if decision.waits else " The game does not wait for the answer."
