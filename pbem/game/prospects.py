"""Prospects: forecasts of what an order may lead to, and odds of what may happen.

A game that can foresee what an order leads to overrides three methods of `Rules`:

* `foresee(view, table, decision, order)` returns the flow that plays on from an answer on a table, as `Rules.play`
  would, or None where it cannot tell; `view` is the position as the side knows it.
* `outcome(position, roll, facts)` returns the result of a roll without a number to reach: how bad that is for the side
  that forecasts, and words for it.
* `prospects(position, decision)` yields events that say who can do what a question asks, and with what chance.

A game that has any returns them as `Rules.odds`, a mapping from a word to an `Odds`: `{"battle": Odds(...)}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

from pbem.protocol import Checkpoint, Decision, Event, Fault, Flow, Order, Record, Roll

if TYPE_CHECKING:
    from pbem.game.table import Table

# ---- Forecasts: the decisions, rolls and events that an order may lead to


SUCCESS: Final = "success"
EQUAL: Final = "equal"
"""Results of two rolls that are compared: the totals are the same."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision that the order leads to; `answer` is what the forecast goes on with, None where it ends."""

    decision: Decision
    answer: Record | None
    given: bool = False
    """Whether a further order of the sheet answers it."""


@dataclass(frozen=True, slots=True)
class Chance:
    """A roll that the order may trigger: its possible results and their probabilities in percent."""

    roll: Roll
    facts: Record
    outcomes: Mapping[str, int]
    against: Roll | None = None
    """The roll that it must beat; None: it stands alone."""
    facts_against: Record = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Happens:
    """An event that the order leads to if nothing interferes."""

    event: Event


@dataclass(frozen=True, slots=True)
class Stops:
    """The forecast stops before the play is over, because what follows depends on an answer, or is too long."""

    decision: Decision | None
    """The decision without an answer; None: it is too long."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """A further order of the sheet cannot answer the decision that it is for, because of some faults."""

    order: Order
    faults: Sequence[Fault]


@dataclass(frozen=True, slots=True)
class Unforeseen:
    """The game cannot tell what an order of a kind leads to: its `foresee` returns None."""

    kind: str


Prospect: TypeAlias = Asked | Chance | Happens | Stops | Unfit | Unforeseen


def prospect_record(prospect: Prospect) -> dict[str, object]:
    """Return a prospect for a program to read."""
    if isinstance(prospect, Asked):
        asked = prospect.decision
        return {
            "asked": asked.kind,
            "side": asked.side,
            "rule": asked.rule,
            "waits": asked.waits,
            "facts": dict(asked.facts),
            "answer": prospect.answer,
        }
    if isinstance(prospect, Chance):
        roll = prospect.roll
        return {
            "roll": roll.name,
            "rule": roll.rule,
            "need": roll.need,
            "modifiers": roll.modifiers,
            "facts": dict(prospect.facts),
            "percent": dict(prospect.outcomes),
            **({} if prospect.against is None else {"against": prospect.against.name}),
        }
    if isinstance(prospect, Stops):
        asked_last = prospect.decision
        return {"stops": "too long"} if asked_last is None else {"stops": asked_last.kind, "side": asked_last.side}
    if isinstance(prospect, Unfit):
        return {"unfit": prospect.order.kind, "faults": [fault.reason for fault in prospect.faults]}
    if isinstance(prospect, Unforeseen):
        return {"unforeseen": prospect.kind}
    return {"event": prospect.event.kind, "rule": prospect.event.rule, "facts": prospect.event.facts}


# ---- Odds: questions about chances that a game can answer, the numbers they need, the answers


@dataclass(frozen=True, slots=True)
class Number:
    """A number that a question needs: its meaning, its least and greatest value, and its value if left out.

    Without a `default` it must be given, unless `optional`: then the answer works it out from the others.
    """

    meaning: str
    least: int
    most: int
    default: int | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Chances:
    """An answer: lines to read, and the same as plain data with fractions, for a program."""

    lines: tuple[str, ...]
    figures: Record


@dataclass(frozen=True, slots=True)
class Odds:
    """A question about chances. `answer` gets the numbers, and a fresh table for each game it may play out."""

    about: str
    numbers: Mapping[str, Number]
    answer: Callable[[Mapping[str, int], Iterable[Table]], Chances]
    """Raises ValueError if the numbers contradict each other."""


def percent(at_most: int) -> int:
    """Return the chance of a die to show a number or less, in percent.

    >>> percent(2), percent(0), percent(7)
    (33, 0, 100)
    """
    return round(100 * min(max(at_most, 0), 6) / 6)


def share(chance: float) -> str:
    """Return a chance in words.

    >>> share(0.125)
    '12.5 %'
    """
    return f"{100 * chance:.1f} %"


def histogram(counts: Mapping[int, int]) -> list[str]:
    """Return a line for each number that was counted: how often it came, and a bar as long as that."""
    total = sum(counts.values())
    return [
        f"  {number:>2}: {share(often / total):>6}  {'#' * round(50 * often / total)}"
        for number, often in sorted(counts.items())
    ]


def turn_by_turn(chances: Iterable[Fraction]) -> Iterator[str]:
    """Yield a line for each turn: the chance that something happens in it, and that it has happened by then."""
    done = Fraction(0)
    for turn, chance in enumerate(chances, 1):
        done += chance
        yield f"  {turn:>2}: {share(float(chance)):>6}, by then {share(float(done)):>6}"


def play_through(flow: Flow[None], answer: Callable[[Decision], Order]) -> None:
    """Run a piece of the rules that asks nothing but decisions, each answered by a function."""
    try:
        asked = next(flow)
        while True:
            assert not isinstance(asked, Checkpoint)
            asked = flow.send(tuple(map(answer, asked)) if isinstance(asked, tuple) else answer(asked))
    except StopIteration:
        return
