"""The steps of a game: begin it, and advance it as far as answers reach.

`advance` plays one adjudication: it takes answers from an `AnswerSource` until a decision is left without one, the
game ends, or it reaches a checkpoint and from there the next decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from pbem.crypto.dice import Dice
from pbem.engine.answers import AnswerSource, Sources
from pbem.engine.session import MOST_CHECKPOINTS, Answer, Session, Stuck
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.protocol import Decision, Draw, Event, Order, Roll, Side

S = TypeVar("S")


@dataclass(slots=True)
class Outcome(Generic[S]):
    """The outcome of one adjudication."""

    answers: list[Answer]
    events: list[Event]
    rolls: list[Roll]
    draws: list[Draw]
    session: Session[S]
    """The game afterwards: its open decisions, its position, and its result if it is over."""
    checkpoint: S | None
    """The last checkpoint that was reached; None: none was."""
    kept: frozenset[Side] = frozenset()
    """The sides whose orders every checkpoint on the way has kept, while it dropped those of others."""


def play_on(session: Session[S], sources: AnswerSource) -> list[Answer]:
    """Play on to a checkpoint, the end of the game, or a decision that cannot be answered yet.

    Decisions that are open at the same time are answered at the same time.
    """
    taken: list[Answer] = []
    while session.open_decisions:
        answers = _found(session, sources)
        if len(answers) < len(session.open_decisions):
            break
        for decision, (order, by) in zip(session.open_decisions, answers, strict=True):
            sources.use(decision, order)
            taken.append(_recorded_answer(decision, order, by))
        session.answer([order for order, _ in answers])
    return taken


def _recorded_answer(decision: Decision, order: Order, by: str) -> Answer:
    """Return an answer as it is recorded."""
    return Answer(
        decision.side, decision.kind, decision.rule, decision.facts, order.body, by, decision.secret, decision.about
    )


def at_hand(session: Session[S], sources: Sources) -> bool:
    """Tell whether there is something to adjudicate: every open decision has an answer, or an order has expired.

    Nothing is played. Orders that have become illegal are dropped from the sources.
    """
    return bool(session.open_decisions) and (
        len(_found(session, sources)) == len(session.open_decisions) or bool(sources.expired)
    )


def _found(session: Session[S], sources: AnswerSource) -> list[tuple[Order, str]]:
    """Return the answers that there are to the open decisions, with their sources."""
    found = (sources.find(session, decision) for decision in session.open_decisions)
    return [answer for answer in found if answer is not None]


def advance(session: Session[S], key: bytes, dice: Dice, sources: AnswerSource) -> Outcome[S]:
    """Play one adjudication with the answers at hand; `key` reseeds the dice for it.

    After a checkpoint the game is played only to its next decision, so that each span between two checkpoints has its
    own adjudications. An outcome without answers has not used the dice.
    """
    seen = _Happened.on(session.table)
    dice.reseed(key)
    session.begin_adjudication()
    answers = play_on(session, sources)
    return _settle(session, dice, sources, answers, _Happened.on(session.table).since(seen))


def begin(rules: Rules[S], scenario: str, key: bytes, dice: Dice) -> Outcome[S]:
    """Set up a scenario and play to its first decision; the position after set-up is the first checkpoint."""
    dice.reseed(key)
    table = Table(dice)
    position = rules.setup(scenario, table)
    return begin_at(rules, position, dice, table)


def begin_at(rules: Rules[S], position: S, dice: Dice, table: Table) -> Outcome[S]:
    """Play from a position, which becomes a checkpoint, to the first decision; `table` has what led up to it."""
    session = Session(rules, position, dice, table.names)
    outcome = _settle(session, dice, Sources(), [], _Happened.on(table).then(_Happened.on(session.table)))
    outcome.checkpoint = position if outcome.checkpoint is None else outcome.checkpoint
    return outcome


@dataclass(slots=True)
class _Happened:
    """The events, rolls and hidden draws of one table, or of several in a row."""

    events: list[Event]
    rolls: list[Roll]
    draws: list[Draw]

    @classmethod
    def on(cls, table: Table) -> _Happened:
        return cls([*table.events], [*table.rolls], [*table.draws])

    def since(self, then: _Happened) -> _Happened:
        return _Happened(self.events[len(then.events) :], self.rolls[len(then.rolls) :], self.draws[len(then.draws) :])

    def then(self, more: _Happened) -> _Happened:
        return _Happened(self.events + more.events, self.rolls + more.rolls, self.draws + more.draws)


def _settle(
    session: Session[S], dice: Dice, sources: AnswerSource, answers: list[Answer], happened: _Happened
) -> Outcome[S]:
    """Go on from a checkpoint, if there is one, to the next decision, and return the outcome."""
    rules, checkpoint, kept = session.rules, None, frozenset(session.rules.sides)
    for _ in range(MOST_CHECKPOINTS):
        if session.checkpoint is None:
            kept = kept if checkpoint is not None else frozenset()
            return Outcome(answers, happened.events, happened.rolls, happened.draws, session, checkpoint, kept)
        sources.end_span(session, session.checkpoint)
        checkpoint, kept = session.position, kept & session.checkpoint.kept
        session = Session(rules, checkpoint, dice, session.table.names)
        happened = happened.then(_Happened.on(session.table))
    raise Stuck(f"{rules.id} reaches checkpoint after checkpoint without a decision")
