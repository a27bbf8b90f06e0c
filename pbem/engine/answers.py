"""Sources of answers: what players and the game master have said so far, or the record of an adjudication.

`advance` in `pbem.engine.advance` takes its answers from an `AnswerSource`. There are two: `Sources` for a game that
is played, and `Recorded` for an adjudication of the past that is played again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from pbem.engine.session import BY_BOT, BY_DEFAULT, BY_ONLY, Answer, Queued, Session, require_same_decision
from pbem.protocol import Checkpoint, Decision, Fault, Order, Side

S = TypeVar("S")


class AnswerSource(Protocol):
    """A source of answers to the decisions of a session."""

    def find(self, session: Session[S], decision: Decision) -> tuple[Order, str] | None:
        """Return the answer to a decision and the name of its source; None if there is none yet."""

    def use(self, decision: Decision, order: Order) -> None:
        """Remove an order that has answered its decision."""

    def end_span(self, session: Session[S], checkpoint: Checkpoint) -> None:
        """Drop what may not be carried over a checkpoint that the session has reached."""


class StandingAnswers(Protocol):
    """The standing orders of all sides."""

    def answer(self, session: Session[S], decision: Decision) -> Queued | None:
        """Return the order that answers a decision; None: there is none."""

    def waits(self, session: Session[S], decision: Decision) -> bool:
        """Tell whether the game waits for the answer to a decision, as its side wants it."""


class Expired(NamedTuple):
    """An order that was dropped unused, with the faults that made it illegal; no faults: it was not needed."""

    side: Side
    queued: Queued
    faults: list[Fault]


@dataclass(slots=True)
class Sources:
    """The sources of answers to a game in play, tried in order.

    1. the side's sheet: `sheets` holds each side's orders that are not used yet;
    2. its standing orders, one of which may answer;
    3. the only legal order, if an observer could tell that it is the only one;
    4. the bot, for the sides that are `absent` or have `resigned`; for these, the default in a game without a bot;
    5. for the sides that are `late`, the order that the game master has set in `defaults`;
    6. the default of the decision, for a late side, or at once if the game does not wait for the answer.

    Orders that have become illegal, or were not needed, are moved to `expired`.
    """

    sheets: dict[Side, list[Queued]] = field(default_factory=dict)
    standing: StandingAnswers | None = None
    late: frozenset[Side] = frozenset()
    absent: frozenset[Side] = frozenset()
    resigned: frozenset[Side] = frozenset()
    defaults: Mapping[Side, Queued] = field(default_factory=dict)
    expired: list[Expired] = field(default_factory=list)

    def find(self, session: Session[S], decision: Decision) -> tuple[Order, str] | None:
        """Return the answer to a decision and its source; the order stays in its queue."""
        queue = self.sheets.get(decision.side, [])
        for queued in [queued for queued in queue if session.is_for(queued.order, decision)]:
            if not any(queued is each for each in queue):
                continue
            faults = session.faults(decision, queued.order)
            if not faults:
                return queued.order, queued.by
            self._expire(session, decision.side, queued, faults)
        if self.standing is not None and (standing := self.standing.answer(session, decision)) is not None:
            return standing.order, standing.by
        if (only := session.only_answer(decision)) is not None:
            return only, BY_ONLY
        if decision.side in self.absent | self.resigned and (order := session.bot_order(decision)) is not None:
            return order, BY_BOT
        if decision.side in self.resigned:  # nobody is left who could answer: without a default, any legal order
            if decision.default is not None:
                return Order(decision.kind, decision.default), BY_DEFAULT
            return session.first_legal(decision), BY_BOT
        if decision.side in self.late and (ruled := self._ruled(session, decision)) is not None:
            return ruled.order, ruled.by
        if decision.default is not None and (decision.side in self.late or not self._waits(session, decision)):
            return Order(decision.kind, decision.default), BY_DEFAULT
        return None

    def _waits(self, session: Session[S], decision: Decision) -> bool:
        """Tell whether the game waits for the answer to a decision."""
        if self.standing is None:
            return decision.waits and not decision.on_request
        return self.standing.waits(session, decision)

    def _expire(self, session: Session[S], side: Side, queued: Queued, faults: list[Fault]) -> None:
        """Drop an order that has become illegal, and any "end" order queued behind it.

        So the side is asked again.
        """
        queue, order = self.sheets[side], queued.order
        at = next(at for at, each in enumerate(queue) if each is queued)
        alike = [each for each in queue[at + 1 :] if (each.order.kind, each.order.about) == (order.kind, order.about)]
        later = [each for each in alike if session.ends(each.order)]
        queue[:] = [each for each in queue if each is not queued and not any(each is last for last in later)]
        self.expired.append(Expired(side, queued, faults))

    def _ruled(self, session: Session[S], decision: Decision) -> Queued | None:
        """Return the order that the game master has set for a late side, if it answers this decision legally."""
        ruled = self.defaults.get(decision.side)
        fits = ruled is not None and session.is_for(ruled.order, decision) and not session.faults(decision, ruled.order)
        return ruled if fits else None

    def use(self, decision: Decision, order: Order) -> None:
        """Remove an order that has answered its decision from its queue."""
        queue = self.sheets.get(decision.side, [])
        queue[:] = [queued for queued in queue if queued.order is not order]

    def end_span(self, session: Session[S], checkpoint: Checkpoint) -> None:
        """Drop the orders that a checkpoint does not keep. An "end" order that was not needed is not reported."""
        over = [side for side in self.sheets if not checkpoint.keeps(side)]
        self._drop(over, lambda order: not session.ends(order))

    def drop_all(self) -> None:
        """Drop all orders that are left, and report each of them."""
        self._drop(self.sheets, lambda order: True)

    def _drop(self, sides: Iterable[Side], is_reported: Callable[[Order], bool]) -> None:
        for side in sides:
            queue = self.sheets[side]
            self.expired += [Expired(side, queued, []) for queued in queue if is_reported(queued.order)]
            queue.clear()


class Recorded:
    """The answers of an adjudication of the past, given again. Raises RulesDiffer if a decision has changed."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.left = list(answers)

    def find(self, session: Session[S], decision: Decision) -> tuple[Order, str] | None:
        """Return the recorded answer to a decision."""
        for recorded in self.left:
            if (recorded.kind, recorded.side, recorded.about) == (decision.kind, decision.side, decision.about):
                require_same_decision(decision, recorded)
                return Order(recorded.kind, recorded.order), recorded.by
        return None

    def use(self, decision: Decision, order: Order) -> None:
        """Remove an answer from those that are left."""
        for at, recorded in enumerate(self.left):
            if recorded.order is order.body and recorded.side == decision.side:
                del self.left[at]
                return

    def end_span(self, session: Session[S], checkpoint: Checkpoint) -> None:
        """Drop nothing: only what was used is on record."""


def has_order_for(session: Session[S], orders: Mapping[Side, Sequence[Queued]], decision: Decision) -> bool:
    """Tell whether any of the waiting orders is for an open decision."""
    return any(session.is_for(queued.order, decision) for queued in orders.get(decision.side, ()))
