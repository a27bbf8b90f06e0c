"""The move of a game to the rules that are here, once it is decided: what stays, and what is asked again.

The game goes on from its last recorded checkpoint. The answers since then are given again as long as they fit the same
decisions with the same dice; from the first changed decision on everything is asked again, and each side is told which
of its orders were dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

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


def carry_over(game: Adjudicator, act: Record) -> int:
    """Enact a move to the rules here, and return the number of the adjudication. Raises CannotPlay as `migrate`."""

    def play(now: Now, state: State, seed: Seed) -> tuple[Outcome[Any], Sources]:
        state.pins = {"box": act["box"], "code": act["code"]}
        return _carried_over(game.rules, now, state, seed, act)

    n = game.enact(act, play, resumed=False)
    game.ledger.derived.hold()
    return n


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
