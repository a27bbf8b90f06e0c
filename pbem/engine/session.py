"""Drives a game: from a resting point, through recorded answers, to the next question that nobody has answered.

The rules are a generator. A `Session` starts it at a resting point and keep_queue the questions that are open. `resume`
feeds it the answers recorded since that resting point, comparing each question with the recorded one. `advance` then
takes new answers from its sources: the side's sheet, its standing orders, the only legal answer if an onlooker could
tell that it is the only one, the game's stand-in for an absent side, and the default once the deadline has passed, or
at once where nobody waits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pbem.crypto.dice import Dice
from pbem.engine.sequence import costs_in_turn, faults_in_turn
from pbem.game.table import Table
from pbem.protocol import Bug, Checkpoint, Decision, Draw, Event, Fault, Order, PbemError, Roll, Rules, Side

S = TypeVar("S")

BY_ONLY = "only"
BY_DEFAULT = "default"
BY_STAND_IN = "stand-in"
MOST_RESTS = 1000
"""A game that rests this often without a question is looping."""


class RulesDiffer(PbemError):
    """A question asked again is not the recorded one: the rules have changed since. `difference` says how."""

    def __init__(self, difference: str) -> None:
        self.difference = difference
        super().__init__(f"the rules have changed since this game stopped: {difference}")


class Stuck(Bug):
    """A game rests again and again without asking anything: a bug of its rules."""


@dataclass(slots=True)
class Answer:
    """A question as it was asked, the order that answered it, and where the order came from."""

    side: Side
    kind: str
    rule: str
    facts: Mapping[str, Any]
    order: Mapping[str, Any]
    by: str
    secret: bool = False


@dataclass(slots=True)
class Queued:
    """An order of a side that waits for its question; `by` names its sheet."""

    order: Order
    by: str


@dataclass(slots=True)
class Step:
    """One adjudication of the past: what turned the dice to it, and the answers that it took."""

    key: bytes
    answers: Sequence[Answer] = ()


@dataclass(slots=True)
class Outcome(Generic[S]):
    """What one adjudication came to."""

    answers: list[Answer]
    events: list[Event]
    rolls: list[Roll]
    draws: list[Draw]
    session: Session[S]
    """The game as it stands now: the questions open, the position, the result if it is over."""
    rested: S | None
    """The last resting point that was reached; None if the game did not get that far."""


class Session(Generic[S]):
    """A game under way from a resting point."""

    def __init__(self, rules: Rules[S], position: S, dice: Dice, names: Iterable[str] = ()) -> None:
        self.rules = rules
        self.table = Table(dice, names)
        self._earlier = frozenset(names)
        self.open_decisions: tuple[Decision, ...] = ()
        self.at_checkpoint = self.keep_queue = False
        self.result: Mapping[str, Any] | None = None
        self._one = False
        self._flow = rules.play(position, self.table)
        self._go(None)

    @property
    def position(self) -> S:
        """The position as it lies on the table: look, do not touch."""
        position: S = self.table.position
        return position

    def answer(self, orders: Sequence[Order]) -> None:
        """Answer all open questions, in their order, and play on to the next ones or to a resting point."""
        self._go(orders[0] if self._one else tuple(orders))

    def go_on(self) -> None:
        """Play on from a resting point without starting afresh; names of rolls may come again from here on."""
        self.table.names.clear()
        self._go(None)

    def begin_adjudication(self) -> None:
        """Let names come again that were used before the game last rested: the dice have been turned since."""
        self.table.names -= self._earlier
        self._earlier = frozenset()

    def _go(self, sent: Any) -> None:
        try:
            question = self._flow.send(sent)
        except StopIteration as end:
            self.open_decisions, self.at_checkpoint, self.result = (), False, end.value
            return
        self.at_checkpoint = self.keep_queue = self._one = False
        if isinstance(question, Checkpoint):
            self.open_decisions, self.at_checkpoint, self.keep_queue = (), True, question.keep_queue
        elif isinstance(question, Decision):
            self.open_decisions, self._one = (question,), True
        else:
            self.open_decisions = question

    def feed(self, answers: Iterable[Answer]) -> None:
        """Give recorded answers again. Raises RulesDiffer where a question is not the one recorded."""
        pending = list(answers)
        while pending:
            if len(pending) < len(self.open_decisions) or not self.open_decisions:
                raise RulesDiffer(f"recorded: {pending[0].kind} of {pending[0].side}; the rules ask no such question")
            now, pending = pending[: len(self.open_decisions)], pending[len(self.open_decisions) :]
            for asked, recorded in zip(self.open_decisions, now, strict=True):
                same_question(asked, recorded)
            self.answer([Order(recorded.kind, recorded.order) for recorded in now])

    def faults(self, decision: Decision, order: Order) -> list[Fault]:
        """Return what is wrong with an order, seen with the eyes of the side that gives it."""
        return list(self.rules.check(self.rules.view(self.position, decision.side), decision, order))

    def further(self, decision: Decision, orders: Sequence[Order]) -> list[list[Fault]]:
        """Return what is wrong with each of several orders of a kind, to be carried out in turn."""
        return faults_in_turn(self.rules, self.rules.view(self.position, decision.side), decision, orders)

    def costs(self, decision: Decision, orders: Sequence[Order]) -> list[str]:
        """Return what several orders of a kind cost, to be carried out in turn, as far as that can be foreseen."""
        return costs_in_turn(self.rules, self.rules.view(self.position, decision.side), decision, orders)

    def ends(self, order: Order) -> bool:
        """Tell whether an order only ends what its side is doing, in a game that has such orders."""
        return self.rules.ends(order)

    def bot_order(self, decision: Decision) -> Order | None:
        """Return what the game's own bot would answer for a side; None: the game has none."""
        if not self.rules.has_bot:
            return None
        return self.rules.bot_order(self.rules.view(self.position, decision.side), decision)

    def only_answer(self, decision: Decision) -> Order | None:
        """Return the only legal answer, if an onlooker could tell that it is the only one."""
        seen = self.rules.legal_orders(self.rules.view(self.position, None), decision)
        if not seen.certain or len(seen) != 1:
            return None
        own = self.rules.legal_orders(self.rules.view(self.position, decision.side), decision)
        return own[0] if len(own) == 1 else None


def same_question(asked: Decision, recorded: Answer) -> None:
    """Raise RulesDiffer unless a question is the recorded one: kind, side and facts."""
    if (asked.kind, asked.side) != (recorded.kind, recorded.side):
        raise RulesDiffer(
            f"rule {asked.rule} asks {asked.side} for {asked.kind}; recorded is {recorded.kind} of {recorded.side} "
            f"(rule {recorded.rule})"
        )
    if dict(asked.facts) != dict(recorded.facts):
        odd = sorted(
            key for key in asked.facts.keys() | recorded.facts.keys() if asked.facts.get(key) != recorded.facts.get(key)
        )
        raise RulesDiffer(
            f"rule {asked.rule}: the facts of {asked.kind} differ from the recorded ones: {', '.join(odd)}"
        )


@dataclass(slots=True)
class Sources:
    """Where answers come from, in this order: sheets, standing orders, the only legal one, the stand-in, the default.

    `sheets` holds each side's orders not yet used, `standing` finds the standing order that answers a question,
    `late` are the sides whose deadline has passed, `absent` those for whom the game's stand-in plays. `defaults` are
    orders that the game master has set for late sides. Orders that no longer fit are taken out and told in `lapsed`.
    """

    sheets: dict[Side, list[Queued]] = field(default_factory=dict)
    standing: Callable[[Session[Any], Decision], Queued | None] | None = None
    late: frozenset[Side] = frozenset()
    absent: frozenset[Side] = frozenset()
    defaults: Mapping[Side, Queued] = field(default_factory=dict)
    lapsed: list[tuple[Side, Queued, list[Fault]]] = field(default_factory=list)

    def find(self, session: Session[Any], decision: Decision, taken: Sequence[Order] = ()) -> tuple[Order, str] | None:
        """Return the answer to a question and its source; the order stays in its queue.

        `taken` are orders of the same side that answer other questions open at the same time.
        """
        queue = self.sheets.get(decision.side, [])
        for queued in [queued for queued in queue if queued.order.kind == decision.kind]:
            if any(queued.order is order for order in taken) or not any(queued is each for each in queue):
                continue
            faults = session.faults(decision, queued.order)
            if not faults:
                return queued.order, queued.by
            self._lapse(session, decision.side, queued, faults)
        if self.standing is not None and (standing := self.standing(session, decision)) is not None:
            return standing.order, standing.by
        if (only := session.only_answer(decision)) is not None:
            return only, BY_ONLY
        if decision.side in self.absent and (order := session.bot_order(decision)) is not None:
            return order, BY_STAND_IN
        if decision.side in self.late and (ruled := self._ruled(session, decision)) is not None:
            return ruled.order, ruled.by
        if decision.default is not None and (decision.side in self.late or not decision.waits):
            return Order(decision.kind, decision.default), BY_DEFAULT
        return None

    def _lapse(self, session: Session[Any], side: Side, queued: Queued, faults: list[Fault]) -> None:
        """Take out an order that no longer fits, and what was to end its side's doings after it: it is asked anew."""
        queue = self.sheets[side]
        at = next(at for at, each in enumerate(queue) if each is queued)
        later = [each for each in queue[at + 1 :] if each.order.kind == queued.order.kind and session.ends(each.order)]
        queue[:] = [each for each in queue if each is not queued and not any(each is last for last in later)]
        self.lapsed.append((side, queued, faults))

    def _ruled(self, session: Session[Any], decision: Decision) -> Queued | None:
        """Return what the game master has set to be a late side's answer, if it is one to this question."""
        ruled = self.defaults.get(decision.side)
        fits = ruled is not None and ruled.order.kind == decision.kind and not session.faults(decision, ruled.order)
        return ruled if fits else None

    def use(self, decision: Decision, order: Order) -> None:
        """Take an order that has answered its question out of its queue."""
        queue = self.sheets.get(decision.side, [])
        queue[:] = [queued for queued in queue if queued.order is not order]

    def drop_rest(self, session: Session[Any] | None = None) -> None:
        """Let the orders lapse that are left; of an end that came by itself in a `session` nothing need be said."""
        for side, queue in self.sheets.items():
            self.lapsed.extend(
                (side, queued, []) for queued in queue if session is None or not session.ends(queued.order)
            )
            queue.clear()


class Recorded(Sources):
    """The answers of an adjudication of the past, given again. Raises RulesDiffer where a question has changed."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        super().__init__()
        self.left = list(answers)

    def find(self, session: Session[Any], decision: Decision, taken: Sequence[Order] = ()) -> tuple[Order, str] | None:
        """Return the recorded answer to a question."""
        for recorded in self.left:
            if any(recorded.order is order.body for order in taken):
                continue
            if (recorded.kind, recorded.side) == (decision.kind, decision.side):
                same_question(decision, recorded)
                return Order(recorded.kind, recorded.order), recorded.by
        return None

    def use(self, decision: Decision, order: Order) -> None:
        """Take an answer off the record."""
        for at, recorded in enumerate(self.left):
            if recorded.order is order.body and recorded.side == decision.side:
                del self.left[at]
                return


def run(session: Session[Any], sources: Sources) -> list[Answer]:
    """Play on until the game rests, ends, or waits on somebody. Questions open at once are answered at once."""
    taken: list[Answer] = []
    while session.open_decisions:
        answers = _found(session, sources)
        if len(answers) < len(session.open_decisions):
            break
        for decision, (order, by) in zip(session.open_decisions, answers, strict=True):
            sources.use(decision, order)
            taken.append(
                Answer(decision.side, decision.kind, decision.rule, decision.facts, order.body, by, decision.secret)
            )
        session.answer([order for order, _ in answers])
    return taken


def at_hand(session: Session[Any], sources: Sources) -> bool:
    """Tell whether there is something to adjudicate: every open question has its answer, or an order no longer fits.

    Nothing is played; of the sources only those that no longer fit are taken out.
    """
    return bool(session.open_decisions) and (
        len(_found(session, sources)) == len(session.open_decisions) or bool(sources.lapsed)
    )


def _found(session: Session[Any], sources: Sources) -> list[tuple[Order, str]]:
    """Return the answers to the open questions, with their sources, as far as there are any."""
    answers: list[tuple[Order, str]] = []
    taken: dict[Side, list[Order]] = {}
    for decision in session.open_decisions:
        of_side = taken.setdefault(decision.side, [])
        if (answer := sources.find(session, decision, of_side)) is not None:
            answers.append(answer)
            of_side.append(answer[0])
    return answers


def resume(rules: Rules[S], checkpoint: S, past: Sequence[Step], dice: Dice) -> Session[S]:
    """Return the game as it stands: the resting point, and all that was answered since, fed in again.

    `past` are the adjudications since the resting point, at least one: the first is the one that reached it,
    whose answers stand before it and are left out.
    """
    dice.reseed(past[0].key)
    session = Session(rules, checkpoint, dice)
    for step in past:
        dice.reseed(step.key)
        session.feed(step.answers)
    return session


def advance(session: Session[S], key: bytes, dice: Dice, sources: Sources) -> Outcome[S]:
    """Carry a game on with whatever can be answered now; `key` turns the dice to this adjudication.

    At most one resting span is played: after a rest the game goes on only to its next question, so that each
    span has its own adjudications. An outcome without answers has not touched the dice.
    """
    seen = _Happened.on(session.table)
    dice.reseed(key)
    session.begin_adjudication()
    answers = run(session, sources)
    return _settle(session, dice, sources, answers, _Happened.on(session.table).since(seen))


def begin(rules: Rules[S], scenario: str, key: bytes, dice: Dice) -> Outcome[S]:
    """Set up a scenario and play to its first question; the position set up is the first resting point."""
    dice.reseed(key)
    table = Table(dice)
    position = rules.setup(scenario, table)
    return begin_at(rules, position, dice, table)


def begin_at(rules: Rules[S], position: S, dice: Dice, table: Table) -> Outcome[S]:
    """Play from a position, which becomes a resting point, to the first question; `table` has what led up to it."""
    session = Session(rules, position, dice, table.names)
    outcome = _settle(session, dice, Sources(), [], _Happened.on(table).then(_Happened.on(session.table)))
    outcome.rested = position if outcome.rested is None else outcome.rested
    return outcome


@dataclass(slots=True)
class _Happened:
    """What has happened on a table, or on several, one after the other."""

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
    session: Session[S], dice: Dice, sources: Sources, answers: list[Answer], happened: _Happened
) -> Outcome[S]:
    """Go on from a rest, if there is one, to the next question, and sum up."""
    rules, rested = session.rules, None
    for _ in range(MOST_RESTS):
        if not session.at_checkpoint:
            return Outcome(answers, happened.events, happened.rolls, happened.draws, session, rested)
        if not session.keep_queue:
            sources.drop_rest(session)
        rested = session.position
        session = Session(rules, rested, dice, session.table.names)
        happened = happened.then(_Happened.on(session.table))
    raise Stuck(f"{rules.id} rests without asking anything")
