"""The migration of a game from the rules that it is played with to the rules that are here.

The record stays as it is. First, all turns since the last migration are played again, each span from a recorded
checkpoint. If they end in the same position and the same decisions, the game is pinned to the rules here. If not, the
game master must accept the differences, and the game then goes on from the last recorded checkpoint. The answers since
then are given again as long as they fit the same decisions with the same dice. From the first changed decision on,
everything is asked again, and each side is told which of its orders were dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pbem.audit.explain.playback import Playback
from pbem.audit.explain.replay import Replayed, replayed
from pbem.crypto.dice import Dice
from pbem.engine.advance import Outcome
from pbem.engine.answers import Sources
from pbem.engine.session import Answer, RulesDiffer, Session, Step
from pbem.game.contract import Rules
from pbem.protocol import Event, Order, Record
from pbem.referee import GAME_MASTER
from pbem.referee.game.open_game import CannotPlay, Now
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.played import ORDER_EXPIRED
from pbem.repo.files.adjudication import Seed
from pbem.repo.files.state import State

S = TypeVar("S")
UPKEEP: Final = "the rules here are newer"
"""The reason on record if the game master gives none."""


@dataclass(slots=True)
class Move:
    """The effect of a move to the rules here.

    `odd` is the part of the rules that differs (None: nothing does). `turns` would be played differently, and
    `elsewhere` are those of them after which the state of the game would differ.
    """

    odd: str | None
    turns: list[Replayed] = field(default_factory=list)
    under_way: int = 0
    """The first adjudication of the current play, whose answers are not published yet."""

    @property
    def changed(self) -> list[int]:
        """The numbers of the turns that differ."""
        return [turn.n for turn in self.turns]

    @property
    def elsewhere(self) -> list[Replayed]:
        """The turns after which the position, the decisions or the result would differ from the record."""
        return [turn for turn in self.turns if turn.elsewhere or not turn.played]

    @property
    def accepted(self) -> list[str]:
        """What the game master accepts by moving the game: a sentence for each turn, for everybody to read."""
        told = [turn for turn in self.elsewhere if turn.differences]
        return [
            str(turn.differences[-1]) if turn.n < self.under_way else f"turn {turn.n}, in the play that is under way"
            for turn in told
        ]


def consider(game: Adjudicator) -> Move:
    """Return the effect of moving a game to the rules here; nothing is changed."""
    odd = game.differs
    if odd is None:
        return Move(None)
    playback = Playback(game)
    undone: set[int] = set()
    since = 0
    for n in range(1, playback.last + 1):
        act = playback.public(n).get("act", {})
        undone.update(act.get("undone", ()))
        since = n if act.get("kind") == "migration" else since
    turns = replayed(game, playback, since, playback.last)
    told = [turn for turn in turns if (turn.differences or not turn.played) and turn.n not in undone]
    return Move(odd, told, playback.rest_before(playback.last + 1) + 1)


def migrate(game: Adjudicator, reason: str = "", *, accept: bool = False) -> tuple[Move, int | None]:
    """Move a game to the rules here; return the effect, and the number of the adjudication that did it.

    The number is None if nothing was done: the game is played with these rules already, or its state would differ and
    that is not accepted. Raises CannotPlay if the game has not begun or is over, or if these rules cannot read its
    checkpoint.
    """
    if not game.begun or game.result is not None:
        raise CannotPlay(f"{game.name} {'is over' if game.begun else 'has not begun'}; there is nothing to move")
    with game.lock():
        if not game.box.ours:
            game.box.check()
        move = consider(game)
        if move.odd is None or (move.elsewhere and not accept):
            return move, None
        reason = " ".join(reason.split()) or UPKEEP
        pins = {"box": game.box.digest, "code": game.loaded.code}
        act: dict[str, object] = {"kind": "migration", "reason": reason, **pins}
        act |= {"changed": move.changed} if move.changed else {}
        act |= {"accepted": move.accepted} if move.accepted else {}

        return move, carry_over(game, act)


def carry_over(game: Adjudicator, act: Record) -> int:
    """Enact a move to the rules here, and return the number of the adjudication. Raises CannotPlay as `migrate`."""

    def play(now: Now, state: State, seed: Seed) -> tuple[Outcome[Any], Sources]:
        state.pins = {"box": act["box"], "code": act["code"]}
        return _carried_over(game.rules, now, state, seed, act)

    return game.enact(act, play, resumed=False)


def _carried_over(rules: Rules[S], now: Now, state: State, seed: Seed, act: Record) -> tuple[Outcome[S], Sources]:
    """Resume a game from its checkpoint with the answers that still hold, and tell the sides of the others."""
    try:
        position = rules.decode(state.checkpoint)
    except (ValueError, TypeError, LookupError) as wrong:
        raise CannotPlay(f"the rules here cannot read the recorded checkpoint: {wrong}") from wrong
    session, kept = still_holding(rules, position, state.steps, now.dice)
    given = [answer for step in state.steps for answer in step.answers]
    dropped = given[sum(len(step.answers) for step in kept) :]
    state.steps = kept
    told = {word: act[word] for word in ("reason", "accepted") if word in act}
    events = [Event("migrated", told)]
    for each in dropped:
        if each.by.startswith(("sheet ", GAME_MASTER)):
            facts = {"order": each.kind, "by": each.by, "reasons": ["the rules have changed; you are asked anew"]}
            events.append(Event(ORDER_EXPIRED, facts, None, (each.side,)))
    now.dice.reseed(seed.key)
    sources = Sources({side: list(queue) for side, queue in state.pending.items()})
    return Outcome([], events, [], [], session, None), sources


def still_holding(rules: Rules[S], position: S, steps: Sequence[Step], dice: Dice) -> tuple[Session[S], list[Step]]:
    """Give recorded answers again from a checkpoint, as many as hold; return the resumed game and its steps.

    An answer holds if its decision is the same, if it is legal, and if the game waits for another one after it. Raises
    CannotPlay if these rules ask nothing at all there.
    """
    for count in range(sum(len(step.answers) for step in steps), -1, -1):
        kept = _cut_to(steps, count)
        try:
            dice.reseed(kept[0].key)
            session = Session(rules, position, dice)
            for step in kept:
                dice.reseed(step.key)
                _give(session, step.answers)
        except Exception:  # changed rules may do anything with an answer that is not for them: it does not hold
            continue
        if session.open_decisions:
            return session, kept
    raise CannotPlay("the rules here cannot go on from the recorded checkpoint")


def _cut_to(steps: Sequence[Step], count: int) -> list[Step]:
    """Return steps with so many of their answers."""
    kept = []
    for step in steps:
        kept.append(Step(step.key, step.answers[:count]))
        count -= len(kept[-1].answers)
    return kept


def _give(session: Session[S], answers: Sequence[Answer]) -> None:
    """Give recorded answers again. Raises RulesDiffer for one that is not legal."""
    left = list(answers)
    while left:
        for decision, answer in zip(session.open_decisions, left, strict=False):
            if session.faults(decision, Order(answer.kind, answer.order)):
                raise RulesDiffer(f"{answer.kind} of {answer.side} is not legal now")
        batch, left = left[: len(session.open_decisions)], left[len(session.open_decisions) :]
        session.feed(batch)
