"""The session: a game in play, from its last checkpoint to its open decisions.

The rules are a generator. A `Session` starts it at a checkpoint and holds the decisions that are open. `resume` feeds
it the answers recorded since that checkpoint, and compares each decision with the recorded one. What plays on from
there is `pbem.engine.advance`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pbem.crypto.dice import Dice
from pbem.engine.faults import costs_in_sequence, every_fault, faults_in_sequence, is_for, name_in_full, second_answers
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.protocol import Bug, Checkpoint, Decision, Fault, Order, Path, PbemError, Record, Result, Side

S = TypeVar("S")

BY_ONLY = "only"
BY_DEFAULT = "default"
BY_BOT = "bot"
MOST_CHECKPOINTS = 1000
"""A game that reaches so many checkpoints without a decision is looping."""


class RulesDiffer(PbemError):
    """A decision is not the recorded one: the rules have changed since. `difference` says how."""

    def __init__(self, difference: str) -> None:
        self.difference = difference
        super().__init__(f"the rules have changed since this game stopped: {difference}")


class Alike(Bug):
    """Decisions of one kind are open to one side, and their `about` does not tell them apart: a bug of the rules."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(
            f"rule {decision.rule} asks {decision.side} for {decision.kind} twice at once; `about` must tell them apart"
        )


class Stuck(Bug):
    """A game reaches checkpoint after checkpoint without a decision: a bug of its rules."""


@dataclass(slots=True)
class Answer:
    """A decision as it was asked, the order that answered it, and the source of the order."""

    side: Side
    kind: str
    rule: str
    facts: Record
    order: Record
    by: str
    secret: bool = False
    about: str = ""


@dataclass(slots=True)
class Queued:
    """An order of a side that waits for its decision; `by` names its source, such as `sheet 2`."""

    order: Order
    by: str


@dataclass(slots=True)
class Step:
    """One adjudication of the past: the key that reseeded its dice, and its answers."""

    key: bytes
    answers: Sequence[Answer] = ()


class Session(Generic[S]):
    """A game in play from a checkpoint."""

    def __init__(self, rules: Rules[S], position: S, dice: Dice, names: Iterable[str] = ()) -> None:
        self.rules = rules
        self.table = Table(dice, names)
        self._earlier = frozenset(names)
        self.open_decisions: tuple[Decision, ...] = ()
        self.checkpoint: Checkpoint | None = None
        """The checkpoint that the game has reached; None: it has gone on, or not come to one."""
        self.result: Result | None = None
        self._one = False
        self._flow = rules.play(position, self.table)
        self._go(None)

    @property
    def at_checkpoint(self) -> bool:
        """Whether the game rests at a checkpoint."""
        return self.checkpoint is not None

    @property
    def position(self) -> S:
        """The position on the table; do not change it."""
        position: S = self.table.position
        return position

    def answer(self, orders: Sequence[Order]) -> None:
        """Answer all open decisions, in their order, and play on to the next ones or to a checkpoint."""
        self._go(orders[0] if self._one else tuple(orders))

    def go_on(self) -> None:
        """Play on from a checkpoint in the same generator; names of rolls may be used again from here on."""
        self.table.names.clear()
        self._go(None)

    def begin_adjudication(self) -> None:
        """Allow names of rolls again that were used before the last checkpoint: the dice have been reseeded since."""
        self.table.names -= self._earlier
        self._earlier = frozenset()

    def _go(self, sent: object) -> None:
        try:
            question = self._flow.send(sent)
        except StopIteration as end:
            self.open_decisions, self.checkpoint, self.result = (), None, Result.read(end.value)
            return
        self.checkpoint, self._one = None, False
        if isinstance(question, Checkpoint):
            self.open_decisions, self.checkpoint = (), question
        elif isinstance(question, Decision):
            self.open_decisions, self._one = (question,), True
        else:
            self.open_decisions = question
            _require_told_apart(question)

    def feed(self, answers: Iterable[Answer]) -> None:
        """Give recorded answers again. Raises RulesDiffer if a decision is not the recorded one."""
        pending = list(answers)
        while pending:
            if len(pending) < len(self.open_decisions) or not self.open_decisions:
                raise RulesDiffer(f"recorded: {pending[0].kind} of {pending[0].side}; the rules ask no such question")
            now, pending = pending[: len(self.open_decisions)], pending[len(self.open_decisions) :]
            for asked, recorded in zip(self.open_decisions, now, strict=True):
                require_same_decision(asked, recorded)
            self.answer([Order(recorded.kind, recorded.order) for recorded in now])

    def faults(self, decision: Decision, order: Order) -> list[Fault]:
        """Return the faults of an order, checked against the view of the side that gives it."""
        return list(self.rules.check(self.rules.view(self.position, decision.side), decision, order))

    def is_for(self, order: Order, decision: Decision) -> bool:
        """Tell whether an order that waits is for a decision, which is one of those that are open."""
        if not is_for(order, decision, self.open_decisions, lambda each, order: not self.faults(each, order)):
            return False
        return not self.rules.is_for_later(self.rules.view(self.position, decision.side), decision, order)

    def every_fault(
        self,
        decision: Decision,
        order: Order,
        unread: Sequence[Path] = (),
        fits: Callable[[Order], bool] = lambda order: True,
    ) -> list[Fault]:
        """Return all that is wrong with an order of a sheet, in the view of its side; see `every_fault`."""
        view = self.rules.view(self.position, decision.side)
        return every_fault(self.rules, view, decision, order, unread, fits)

    def further(self, decision: Decision, orders: Sequence[Order]) -> list[list[Fault]]:
        """Return the faults of each of several orders of a kind, to be carried out in sequence."""
        return faults_in_sequence(self.rules, self.rules.view(self.position, decision.side), decision, orders)

    def second_answers(self, decision: Decision, orders: Sequence[Order]) -> list[tuple[int, int]]:
        """Return each of several orders of a kind that no decision is left for, with the last that could be used."""
        return second_answers(self.rules, self.rules.view(self.position, decision.side), decision, orders)

    def costs(self, decision: Decision, orders: Sequence[Order]) -> list[str]:
        """Return what several orders of a kind cost in sequence, as far as that can be forecast."""
        return costs_in_sequence(self.rules, self.rules.view(self.position, decision.side), decision, orders)

    def ends(self, order: Order) -> bool:
        """Tell whether an order only ends a series of actions, in a game that has such orders."""
        return self.rules.ends(order)

    def bot_order(self, decision: Decision) -> Order | None:
        """Return what the bot of the game would answer for a side; None: it has no bot."""
        if not self.rules.has_bot:
            return None
        return self.rules.bot_order(self.rules.view(self.position, decision.side), decision)

    def first_legal(self, decision: Decision) -> Order:
        """Return the first legal answer of a side, as its view shows it."""
        return self.rules.legal_orders(self.rules.view(self.position, decision.side), decision)[0]

    def only_answer(self, decision: Decision) -> Order | None:
        """Return the only legal answer, if an observer could tell that it is the only one."""
        seen = self.rules.legal_orders(self.rules.view(self.position, None), decision)
        if not seen.certain or len(seen) != 1:
            return None
        own = self.rules.legal_orders(self.rules.view(self.position, decision.side), decision)
        return own[0] if len(own) == 1 else None


def _require_told_apart(decisions: Sequence[Decision]) -> None:
    """Raise Alike if two open decisions of one kind and side have the same `about`."""
    seen: set[tuple[Side, str, str]] = set()
    for decision in decisions:
        key = decision.side, decision.kind, decision.about
        if key in seen:
            raise Alike(decision)
        seen.add(key)


def require_same_decision(asked: Decision, recorded: Answer) -> None:
    """Raise RulesDiffer unless a decision is the recorded one: kind, side, what it is about, and facts."""
    if (asked.kind, asked.side, asked.about) != (recorded.kind, recorded.side, recorded.about):
        raise RulesDiffer(
            f"rule {asked.rule} asks {asked.side} for {name_in_full(asked.kind, asked.about)}; recorded is "
            f"{name_in_full(recorded.kind, recorded.about)} of {recorded.side} (rule {recorded.rule})"
        )
    if dict(asked.facts) != dict(recorded.facts):
        odd = sorted(
            key for key in asked.facts.keys() | recorded.facts.keys() if asked.facts.get(key) != recorded.facts.get(key)
        )
        raise RulesDiffer(
            f"rule {asked.rule}: the facts of {asked.kind} differ from the recorded ones: {', '.join(odd)}"
        )


def resume(rules: Rules[S], checkpoint: S, past: Sequence[Step], dice: Dice) -> Session[S]:
    """Return the game as it stands: start at the checkpoint and give again all that was answered since.

    `past` are the adjudications since the checkpoint, at least one. The first is the one that reached the checkpoint;
    its answers were given before it and are left out.
    """
    dice.reseed(past[0].key)
    session = Session(rules, checkpoint, dice)
    for step in past:
        dice.reseed(step.key)
        session.feed(step.answers)
    return session
