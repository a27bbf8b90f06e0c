"""Two positions that a viewer cannot tell apart, and orders that mean the same in both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Protocol

from pbem.crypto.dice import SeededDice
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.protocol import Decision, Event, Fault, Order, Side
from tests.support.walks import Walk

FEW_CARDS = 2
"""So many cards at most lie elsewhere in one of two near twins."""
SEES_ALL = {"hannibal_italy": {"carthage"}}
"""Who may look at everything, by the rules of a game (7.5: Carthage at Roman units; nothing of its own is unseen)."""
BY_HAND = ("any", "lowest", "strongest", "commonest", "single", "worst")
"""Words by which an order leaves it to the hand which card it means: what comes of it does depend on the hand."""


def played(at: Walk, decision: Decision) -> Order:
    """Pick an answer as the stand-in would, so that there are battles and sieges; or any."""
    rules: Any = at.rules
    if rules.has_bot and at.rng.random() < 0.7:
        order: Order = rules.bot_order(at.view(decision.side), decision)
        return order
    return PICK(at, decision)


PICK = Walk.pick


def viewers(rules: Rules[Any]) -> tuple[Side | None, ...]:
    return (*rules.sides, None)


def lays_open(rules: Any, events: Sequence[Event], viewer: Side | None) -> bool:
    """Tell whether a rule itself has laid open something that was hidden from a viewer."""
    kinds: frozenset[str] = rules.reveals
    return any(event.kind in kinds and (event.to is None or viewer in event.to) for event in events)


class Stacked(Table):
    """A table at which cards come in an order of which two can be exchanged."""

    def __init__(self, seed: int) -> None:
        super().__init__(SeededDice(seed))
        self.stacks: dict[str, list[Any]] = {}

    def shuffle(self, name: str, items: Sequence[Any]) -> list[Any]:
        return self.stacks.setdefault(name, self.dice.shuffled(name, items))[:]

    def exchange(self, one: Any, other: Any) -> None:
        """Exchange two cards in a stack that has both."""
        for stack in self.stacks.values():
            if one in stack and other in stack:
                at, to = stack.index(one), stack.index(other)
                stack[at], stack[to] = other, one


def resampled(rules: Rules[Any], position: Any, viewer: Side | None, seed: int, *, near: bool) -> Any:
    """Return a position that a viewer cannot tell from another; one that is near it differs in a few cards only.

    Where a hand is quite another, nobody can play on from it with the same cards for long.
    """
    table, rng, written = Stacked(seed), Random(seed), rules.encode(position)
    other = rules.resample_hidden(position, viewer, table)
    for _ in range(60 if near else 0):
        odd = list(misplaced(written, rules.encode(other)))
        if len(odd) <= FEW_CARDS:
            break
        table.exchange(*rng.choice(odd))
        other = rules.resample_hidden(position, viewer, table)
    return other


def misplaced(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """Yield values that stand in one position, each with one that has its place in the other."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() & other.keys():
            yield from misplaced(one[key], other[key])
    elif isinstance(one, list) and isinstance(other, list):
        if not any(isinstance(value, dict | list) for value in one):
            here, there = Counter(one), Counter(other)
            yield from zip((here - there).elements(), (there - here).elements(), strict=False)
    elif one != other:
        yield one, other


class Twin(Protocol):
    """One of two games that a viewer cannot tell apart."""

    @property
    def rules(self) -> Rules[Any]: ...
    @property
    def position(self) -> Any: ...
    @property
    def open_decisions(self) -> tuple[Decision, ...]: ...


def same_orders(twins: Sequence[Twin], viewer: Side | None, rng: Random) -> list[Order] | None:
    """Return an answer to each open question that is legal in both twins and means the same; None: there is none."""
    found = []
    for at, decision in enumerate(twins[0].open_decisions):
        for order in some_answers(twins[0], decision, rng, every=decision.side != viewer):
            by_hand = decision.side != viewer and set(map(str, order.body.values())) & set(BY_HAND)
            if not by_hand and not any(faults(twin, twin.open_decisions[at], order) for twin in twins):
                found.append(about(order, decision))
                break
    return found if len(found) == len(twins[0].open_decisions) else None


def about(order: Order, decision: Decision) -> Order:
    """Return an order that says which decision it answers: a side can be asked the same about several others."""
    return replace(order, about=decision.about)


def some_answers(game: Twin, decision: Decision, rng: Random, *, every: bool) -> Iterator[Order]:
    """Yield what the stand-in would answer, then any: a few, or with `every` some of all kinds."""
    view = game.rules.view(game.position, decision.side)
    if game.rules.has_bot and rng.random() < 0.5:
        yield game.rules.bot_order(view, decision)
    choices = game.rules.legal_orders(view, decision)
    yield from (choices[rng.randrange(len(choices))] for _ in range(6))
    if every:
        yield from (choices[at] for at in rng.sample(range(len(choices)), min(len(choices), 200)))


def faults(game: Twin, decision: Decision, order: Order) -> list[Fault]:
    return list(game.rules.check(game.rules.view(game.position, decision.side), decision, order))
