"""Moves a game to the rules that are here, in place of those that it was begun with or moved to before.

What has happened stays as it is on record. All turns since the last move are played again first, each span from where
the record stood. Where that comes to the same position and the same questions, the game is pinned to the rules here.
Where it does not, the game master must accept it; the game then goes on from the resting point on record. Of the span
since then, the answers are given again as long as they answer the same questions with the same dice; from the first
question that has changed, everything is asked anew, and each side is told which of its orders were dropped for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.audit.playback import Course
from pbem.audit.replay import Replayed, replayed
from pbem.crypto.dice import Dice
from pbem.engine.session import Answer, Outcome, RulesDiffer, Session, Sources, Step
from pbem.protocol import Event, Order, Rules
from pbem.referee import GAME_MASTER
from pbem.referee.adjudicator import Adjudicator
from pbem.referee.open_game import CannotPlay, Now
from pbem.repo.ledger import Opening
from pbem.repo.state import State

UPKEEP = "the rules here are newer"
"""The reason on record if the game master gives none."""


@dataclass(slots=True)
class Move:
    """What a move to the rules here comes to.

    `odd` is what of the rules differs (None: nothing does), `turns` are those that would be played otherwise, and of
    them `elsewhere` those after which the game would stand otherwise.
    """

    odd: str | None
    turns: list[Replayed] = field(default_factory=list)
    under_way: int = 0
    """The first adjudication of the play that is under way: what is answered in it is not published yet."""

    @property
    def changed(self) -> list[int]:
        """The numbers of the turns that differ."""
        return [turn.n for turn in self.turns]

    @property
    def elsewhere(self) -> list[Replayed]:
        """The turns after which the position, the questions or the result would not be those on record."""
        return [turn for turn in self.turns if turn.elsewhere or not turn.played]

    @property
    def accepted(self) -> list[str]:
        """What a game master accepts who moves the game all the same: a sentence for each turn, for all to read."""
        told = [turn for turn in self.elsewhere if turn.differences]
        return [
            str(turn.differences[-1]) if turn.n < self.under_way else f"turn {turn.n}, in the play that is under way"
            for turn in told
        ]


def consider(game: Adjudicator) -> Move:
    """Return what moving a game to the rules here would come to; nothing is changed."""
    odd = game.differs
    if odd is None:
        return Move(None)
    course = Course(game)
    undone: set[int] = set()
    since = 0
    for n in range(1, course.last + 1):
        act = course.public(n).get("act", {})
        undone.update(act.get("undone", ()))
        since = n if act.get("kind") == "migration" else since
    turns = replayed(game, course, since, course.last)
    told = [turn for turn in turns if (turn.differences or not turn.played) and turn.n not in undone]
    return Move(odd, told, course.rest_before(course.last + 1) + 1)


def migrate(game: Adjudicator, reason: str = "", *, accept: bool = False) -> tuple[Move, int | None]:
    """Move a game to the rules here; return what it came to, and the number of the adjudication that did it.

    That is None if nothing was done: the rules are those of the game, or it would stand otherwise and that is not
    accepted. Raises CannotPlay if the game has not begun or is over, or if these rules cannot read its resting point.
    """
    if not game.begun or game.result is not None:
        raise CannotPlay(f"{game.name} {'is over' if game.begun else 'has not begun'}; there is nothing to move")
    with game.ledger.repo.lock():
        if not game.box.ours:
            game.box.check()
        move = consider(game)
        if move.odd is None or (move.elsewhere and not accept):
            return move, None
        reason = " ".join(reason.split()) or UPKEEP
        pins = {"box": game.box.digest, "code": game.loaded.code}
        act: dict[str, Any] = {"kind": "migration", "reason": reason, **pins}
        act |= {"changed": move.changed} if move.changed else {}
        act |= {"accepted": move.accepted} if move.accepted else {}

        def play(now: Now, state: State, opening: Opening) -> tuple[Outcome[Any], Sources]:
            state.pins = pins
            return _carried_over(game.rules, now, state, opening, act)

        return move, game.enact(act, play, resumed=False)


def _carried_over(
    rules: Rules[Any], now: Now, state: State, opening: Opening, act: Mapping[str, Any]
) -> tuple[Outcome[Any], Sources]:
    """Take a game up from its resting point as far as its answers still hold, and say what became of the others."""
    try:
        position = rules.decode(state.checkpoint)
    except (ValueError, TypeError, LookupError) as wrong:
        raise CannotPlay(f"the rules here cannot read the resting point on record: {wrong}") from wrong
    session, kept = still_holding(rules, position, state.steps, now.dice)
    given = [answer for step in state.steps for answer in step.answers]
    dropped = given[sum(len(step.answers) for step in kept) :]
    state.steps = kept
    told = {word: act[word] for word in ("reason", "accepted") if word in act}
    events = [Event("migrated", told)]
    for each in dropped:
        if each.by.startswith(("sheet ", GAME_MASTER)):
            facts = {"order": each.kind, "by": each.by, "reasons": ["the rules have changed; you are asked anew"]}
            events.append(Event("order_lapsed", facts, None, (each.side,)))
    now.dice.reseed(opening.key)
    sources = Sources({side: list(queue) for side, queue in state.pending.items()})
    return Outcome([], events, [], [], session, None), sources


def still_holding(
    rules: Rules[Any], position: Any, steps: Sequence[Step], dice: Dice
) -> tuple[Session[Any], list[Step]]:
    """Give recorded answers again from a resting point, as many as hold; return the game then, and its steps.

    An answer holds if its question is the same, if it is legal, and if the game waits for another after it. Raises
    CannotPlay if these rules ask nothing at all there.
    """
    for count in range(sum(len(step.answers) for step in steps), -1, -1):
        kept = _first(steps, count)
        try:
            session = Session(rules, position, _turned(dice, kept[0].key))
            for step in kept:
                dice.reseed(step.key)
                _give(session, step.answers)
        except Exception:  # whatever changed rules do with an answer that was not meant for them: it does not hold
            continue
        if session.open_decisions:
            return session, kept
    raise CannotPlay("the rules here cannot go on from the resting point on record")


def _first(steps: Sequence[Step], count: int) -> list[Step]:
    """Return steps with so many of their answers."""
    kept = []
    for step in steps:
        kept.append(Step(step.key, step.answers[:count]))
        count -= len(kept[-1].answers)
    return kept


def _turned(dice: Dice, key: bytes) -> Dice:
    dice.reseed(key)
    return dice


def _give(session: Session[Any], answers: Sequence[Answer]) -> None:
    """Give recorded answers again. Raises RulesDiffer for one that is not legal."""
    left = list(answers)
    while left:
        for decision, answer in zip(session.open_decisions, left, strict=False):
            if session.faults(decision, Order(answer.kind, answer.order)):
                raise RulesDiffer(f"{answer.kind} of {answer.side} is not legal now")
        batch, left = left[: len(session.open_decisions)], left[len(session.open_decisions) :]
        session.feed(batch)
