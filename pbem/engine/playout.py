"""The play-out: a game played to its end by legal answers, picked at random or by given players.

For tests, benches and bots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from pbem.crypto.dice import Dice
from pbem.engine.session import MOST_CHECKPOINTS, Session, Stuck
from pbem.game.contract import Rules
from pbem.protocol import Bug, Decision, Event, Fault, Order, Result, Side

S = TypeVar("S")

Player: TypeAlias = Callable[[object, Decision], Order]
"""Answers a decision of its side from the view of that side."""


class Picker(Protocol):
    """A source of numbers from 0 up to, not including, 1, such as `random.Random`."""

    def random(self) -> float: ...


class DeadEnd(Bug):
    """A decision without any legal order: a bug of the rules."""


class OptionRefused(Bug):
    """An order that `legal_orders` offers and `check` refuses: a bug of the rules."""

    def __init__(self, order: Order, faults: list[Fault]) -> None:
        self.order = order
        self.faults = faults
        super().__init__(f"{order.kind} {dict(order.body)}: {'; '.join(fault.reason for fault in faults)}")


@dataclass(slots=True)
class Playout(Generic[S]):
    """The outcome of a play-out: how many decisions were answered, and the end (`result` None: not reached)."""

    decisions: int
    events: list[Event]
    result: Result | None
    position: S


def play_out(
    rules: Rules[S],
    position: S,
    dice: Dice,
    rng: Picker,
    *,
    most: int = 1_000_000,
    check: bool = True,
    players: Mapping[Side, Player] | None = None,
) -> Playout[S]:
    """Play from a checkpoint to the end of the game, or until `most` decisions are answered.

    `players` answer for their sides; for the others, answers are picked at random. `position` is not changed. With
    `check`, each answer is checked before it is played, as a sheet would be. The dice must tell the uses of a name
    apart, as seeded dice do: names are used again after each checkpoint.
    """

    def at_random(view: S, decision: Decision) -> Order | None:
        return rules.legal_orders(view, decision).pick(rng.random)

    session = Session(rules, position, dice)
    decisions = checkpoints = 0
    while session.result is None and decisions < most:
        if session.at_checkpoint:
            if (checkpoints := checkpoints + 1) > MOST_CHECKPOINTS:
                raise Stuck(f"{rules.id} reaches checkpoint after checkpoint without a decision")
            session.go_on()
            continue
        checkpoints = 0
        waiting = session.open_decisions
        answers = []
        for decision in waiting:
            player = (players or {}).get(decision.side, at_random)
            answers.append(_pick(rules, rules.view(session.position, decision.side), decision, player, check=check))
        session.answer(answers)
        decisions += len(waiting)
    return Playout(decisions, session.table.events, session.result, session.position)


def _pick(
    rules: Rules[S], view: S, decision: Decision, player: Callable[[S, Decision], Order | None], *, check: bool
) -> Order:
    """Return the legal order that a player chooses in the view of the side that gives it."""
    order = player(view, decision)
    if order is None:
        raise DeadEnd(f"{decision.side} has no answer to {decision.kind} (rule {decision.rule})")
    if check and (faults := list(rules.check(view, decision, order))):
        raise OptionRefused(order, faults)
    return order
