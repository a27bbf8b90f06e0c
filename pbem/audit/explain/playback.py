"""The playback of a game: its adjudications played again from the records, with the rules that are here.

What the game master did in between (rollbacks, rulings, a move to other rules) is done again as recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple

from pbem.crypto.dice import ChainDice, Dice, step_key
from pbem.engine.advance import Outcome, advance, begin, begin_at
from pbem.engine.answers import Recorded
from pbem.engine.session import Answer, RulesDiffer, Session, Step
from pbem.game import yaml as yamlio
from pbem.game.table import Table
from pbem.protocol import Decision, Draw, Event, Order, Record, Roll, cited
from pbem.referee.acts.ruling import patched, whole_patch
from pbem.referee.game.open_game import OpenGame
from pbem.repo.files.adjudication import Adjudication
from pbem.repo.files.layout import MIGRATION, turn_path
from pbem.repo.files.records import reached_checkpoint, result_in
from pbem.repo.files.state import State
from pbem.repo.git import StoreError


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """A recorded answer that was given again: after how many events of its adjudication, and to which decision."""

    after: int
    decision: Decision
    answer: Answer


class SoFar(NamedTuple):
    """What has happened in an adjudication so far."""

    events: list[Event]
    rolls: list[Roll]
    draws: list[Draw]


class Unasked(RulesDiffer):
    """A recorded answer to a decision that is no longer asked; `outcome` is the adjudication without it."""

    def __init__(self, text: str, outcome: Outcome[Any]) -> None:
        self.outcome = outcome
        super().__init__(text)


class RecordedAnswers(Recorded):
    """The recorded answers of an adjudication, given again. Raises RulesDiffer for one that is not legal any more."""

    def __init__(self, answers: Iterable[Answer], before: int = 0) -> None:
        """`before` is how many events are on the table already."""
        super().__init__(answers)
        self.given: list[GivenAnswer] = []
        self._before = self._after = before

    def find(self, session: Session[Any], decision: Decision) -> tuple[Order, str] | None:
        """Return the recorded answer to a question."""
        found = super().find(session, decision)
        self._after = len(session.table.events)
        if found is not None and (faults := session.faults(decision, found[0])):
            # The reason of a fault is for the side alone: it may name what the side holds.
            rule = f" ({cited(faults[0].rule)})" if faults[0].rule else ""
            raise RulesDiffer(f"{decision.kind} of {decision.side} is on record, but is not legal now{rule}")
        return found

    def use(self, decision: Decision, order: Order) -> None:
        """Take an answer off the record, and note when it was given."""
        recorded = next(each for each in self.left if each.order is order.body)
        self.given.append(GivenAnswer(self._after - self._before, decision, recorded))
        super().use(decision, order)


class Playback:
    """A game that is played back from its records.

    `session` is the game after the adjudication that was played last; None: not begun.
    """

    def __init__(self, game: OpenGame, dice: Dice | None = None) -> None:
        """`dice` are rolled instead of those of the game."""
        self.game = game
        self.ledger = game.ledger
        self.rules = game.rules
        self.dice = dice or ChainDice(b"", game.ledger.keys.hidden)
        self.session: Session[Any] | None = None
        self._before = 0, 0, 0
        self._public: dict[int, tuple[str, Record]] = {}
        self._turns: dict[int, Adjudication] = {}

    @property
    def so_far(self) -> SoFar:
        """What has happened so far in the adjudication that was begun last, even if it could not be finished."""
        table = None if self.session is None else self.session.table
        if table is None:
            return SoFar([], [], [])
        events, rolls, draws = self._before
        return SoFar(table.events[events:], table.rolls[rolls:], table.draws[draws:])

    @cached_property
    def commits(self) -> dict[int, str]:
        """The commit that made each adjudication."""
        return self.ledger.commits()

    @cached_property
    def last(self) -> int:
        """The number of the last adjudication; 0: none was made."""
        return max(self.commits, default=0)

    def recorded(self, n: int) -> State:
        """Return the state after an adjudication. Raises StoreError if no commit has it."""
        state = self.ledger.state(self.commits.get(n, ""))
        if state is None or state.adjudication != n:
            raise StoreError(f"{self.game.name}: its history does not say how it stood after adjudication {n}")
        return state

    def public(self, n: int) -> Record:
        """Return a turn file. Do not change it."""
        return self._read(n)[1]

    def digest(self, n: int) -> str:
        """Return the digest of a turn file."""
        return self._read(n)[0]

    def turn(self, n: int) -> Adjudication:
        """Return a whole adjudication. Do not change it."""
        if n not in self._turns:
            self._turns[n] = self.ledger.read_adjudication(n, self.public(n))
        return self._turns[n]

    def _read(self, n: int) -> tuple[str, Record]:
        """Return the digest and the content of a turn file; every file is read once."""
        if n not in self._public:
            content = self.ledger.repo.read(turn_path(n))
            if content is None:
                raise StoreError(f"{self.game.name} has no turn file {turn_path(n)}")
            self._public[n] = sha256(content).hexdigest(), yamlio.read(content, name=turn_path(n)).value
        return self._public[n]

    def rests(self, n: int) -> bool:
        """Tell whether an adjudication reached a checkpoint from which the game goes on."""
        return n > 0 and reached_checkpoint(self.public(n))

    def rest_before(self, n: int) -> int:
        """Return the last adjudication before another that reached a checkpoint; 0: there is none."""
        return next((k for k in range(n - 1, 0, -1) if self.rests(k)), 0)

    def publishes(self, n: int) -> bool:
        """Tell whether the turn file of an adjudication, or of a later one, publishes its answers by now."""
        for later in range(n, self.last + 1):
            public = self.public(later)
            if "answers" in public:
                return True
            if n in public.get("act", {}).get("undone", ()):
                break
        return False

    def take_up(self, n: int) -> None:
        """Go to the recorded state after an adjudication; 0: before the first.

        Raises RulesDiffer, or whatever the rules here raise, if they cannot take it up.
        """
        if n == 0:
            self.session = None
            return
        self.session = self.recorded(n).resumed(self.rules, self.dice)

    def key(self, n: int) -> bytes:
        """Return the key of the dice of an adjudication."""
        public = self.public(n)
        charter = self.game.charter
        return step_key(public["link"], charter.game, n, public["inputs"])

    def play(self, n: int) -> tuple[Outcome[Any], list[GivenAnswer]]:
        """Play an adjudication from the current state; return its outcome and the answers that were given.

        Raises RulesDiffer where the rules ask something else, or do not accept an answer.
        """
        turn, key = self.turn(n), self.key(n)
        if self.session is not None:
            table = self.session.table
            self._before = len(table.events), len(table.rolls), len(table.draws)
        given: list[GivenAnswer] = []
        if turn.act is None or turn.act.get("what") == "answer":
            if self.session is None:
                outcome = begin(self.rules, self.game.charter.scenario, key, self.dice)
            else:
                answers = RecordedAnswers(turn.answers, len(self.session.table.events))
                outcome = advance(self.session, key, self.dice, answers)
                given = answers.given
                if answers.left:
                    left = answers.left[0]
                    raise Unasked(f"{left.kind} of {left.side} is recorded, but is not asked now", outcome)
        else:
            outcome = self._done_by_the_game_master(turn, key)
        self.session = outcome.session
        return outcome, given

    def _done_by_the_game_master(self, turn: Adjudication, key: bytes) -> Outcome[Any]:
        """Repeat an act of the game master: a rollback, a patch, a move to other rules."""
        act = turn.act
        assert act is not None
        if act.get("what") == "patch":
            position = patched_position(self, turn)
            self.dice.reseed(key)
            return begin_at(self.rules, position, self.dice, Table(self.dice))
        if act["kind"] == "rollback":
            session = self.recorded(act["to"]).resumed(self.rules, self.dice, Step(key))
        elif act["kind"] == MIGRATION:
            session = self.recorded(turn.n).resumed(self.rules, self.dice)
        else:
            assert self.session is not None
            session = self.session
            if (over := result_in(self.public(turn.n))) is not None:
                session.open_decisions, session.result = (), over
        return Outcome([], [], [], [], session, None)


def patched_position(playback: Playback, turn: Adjudication) -> Any:
    """Return the position that a ruling has set."""
    return patched(playback.rules, playback.recorded(turn.n - 1).checkpoint, whole_patch(turn.act or {}, turn.whole))
