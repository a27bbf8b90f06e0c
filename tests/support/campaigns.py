"""Positions of Rome and Carthage in which something happens, and games played on from them question by question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.contract import Rules
from pbem.protocol import Decision, Event, Order, Side
from pbem.rules.rome_carthage.position.under_way import Stack


@dataclass(frozen=True, slots=True)
class Told:
    """One event of one adjudication, with the number of its roll."""

    adjudication: int
    event: Event
    roll: int | None = None


@dataclass(slots=True)
class Campaign:
    """A game under way: every stretch between two questions counts as an adjudication."""

    session: Session[Any]
    adjudication: int = 0
    told: list[Told] = field(default_factory=list)

    @property
    def open_decisions(self) -> tuple[Decision, ...]:
        return self.session.open_decisions

    def view(self, side: Side | None) -> Any:
        return self.session.rules.view(self.session.position, side)

    def note(self) -> None:
        """Note what has been told since the last question."""
        self.adjudication += 1
        rolls = 0
        for event in self.session.table.events[len(self.told) :]:
            rolls += event.roll is not None
            self.told.append(Told(self.adjudication, event, rolls if event.roll is not None else None))


def invasion(position: Any) -> Any:
    """Put armies of both sides next to each other in Italy and on Sicily."""
    carthage, rome = position.stacks["carthage"], position.stacks["rome"]
    carthage["arpi"] = carthage.pop("saguntum")
    carthage["messana"] = carthage.pop("new_carthage")
    carthage["messana"].cu = 6
    rome["capua"] = Stack(8, 0, ["fabius"])
    rome["beneventum"] = Stack(6, 0, ["marcellus", "varro"])
    position.reserve = [general for general in position.reserve if general not in ("fabius", "marcellus", "varro")]
    position.control["arpi"] = "carthage"
    return position


def campaign(rules: Rules[Any], position: Any, seed: int, most: int) -> Iterator[Campaign]:
    """Play on at random and stop before every question; armies march more often than cards are spent on markers."""
    rng = Random(seed)
    at = Campaign(Session(rules, position, SeededDice(seed)))
    for _ in range(most):
        while at.session.at_checkpoint:
            at.session.go_on()
        at.note()
        if at.session.result is not None:
            return
        yield at
        at.session.answer([_answer(at, decision, rng) for decision in at.open_decisions])


def _answer(at: Campaign, decision: Decision, rng: Random) -> Order:
    choices = at.session.rules.legal_orders(at.view(decision.side), decision)
    if decision.default is not None and rng.random() < 0.4:
        return Order(decision.kind, decision.default)
    picked = [order for order in (choices.pick(rng.random) for _ in range(8)) if order is not None]
    marching = [order for order in picked if order.get("path") and order.get("cu", 5) > 3]
    return marching[0] if marching else picked[0]
