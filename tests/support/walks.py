"""Random games of every game on the shelf, one question at a time, for the tests that hold for all games."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from pbem.crypto.dice import SeededDice
from pbem.engine.session import Answer, Session
from pbem.game.boxes import shelf
from pbem.game.boxes.shelf import Loaded
from pbem.game.choices.legal_orders import Answers
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.protocol import Decision, Order, Side

TOY = Path(__file__).resolve().parents[1] / "toy"
FOLDERS = (str(TOY / "rules"), *filter(None, os.environ.get("PBEM_TEST_BOXES", "").split(os.pathsep)))
"""The folders of boxes beside our own: that of the toy, and those that `PBEM_TEST_BOXES` names."""
if str(TOY) not in sys.path:
    sys.path.insert(0, str(TOY))  # where the toy's package lies

GAMES = shelf.ids(FOLDERS)
"""Whatever lies in the folders of boxes; no list of names."""


@cache
def loaded(game: str, edition: str | None = None) -> Loaded:
    """Return a game on the shelf or the toy."""
    return shelf.load(game, edition=edition, folders=FOLDERS)


def editions() -> list[tuple[str, str, str]]:
    """Return every game with every edition and every scenario."""
    return [
        (game, edition, scenario)
        for game in GAMES
        for edition in loaded(game).box.editions
        for scenario in loaded(game, edition).scenarios
    ]


def edition_params(*, dear: bool = False) -> list[ParameterSet]:
    """Return `editions` as parameters of a test: but for the first scenario of each game they are left to `make check`.

    `dear`: what `aside` says is left to the soak.
    """
    seen: set[str] = set()
    found = []
    for each in editions():
        left = pytest.mark.soak if dear and aside(*each) else pytest.mark.slow if each[0] in seen else ()
        found.append(pytest.param(*each, marks=left))
        seen.add(each[0])
    return found


def sharing(game: str, edition: str) -> int:
    """Return how many editions of a game play by the same options as this one: they share its random games.

    Beside the usual one, editions that differ in nothing but the number of players share them too.
    """
    box = loaded(game).box
    left_out = () if edition == box.editions[0] else ("players",)

    def options(of: str) -> dict[str, Any]:
        return {name: value for name, value in box.options(of).items() if name not in left_out}

    return sum(options(other) == options(edition) for other in box.editions)


def aside(game: str, edition: str, scenario: str) -> bool:
    """Tell whether only the soak tries a scenario where time is dear: a further one than the first of its edition."""
    return scenario != loaded(game, edition).scenarios[0]


def by_viewers(count: int, rules: Rules[Any]) -> int:
    """Return the share of a count that makes a game of many viewers take no longer than one of two sides."""
    return max(1, 3 * count // (len(rules.sides) + 1))


def start(rules: Rules[Any], scenario: str, seed: int) -> Any:
    """Return the position at the start of a scenario."""
    return rules.setup(scenario, Table(SeededDice(f"setup {seed}")))


def plain(value: Any) -> Any:
    """Return a value as it comes back from a file; fail if it is not plain data."""
    return json.loads(json.dumps(value))


def state(session: Session[Any]) -> dict[str, Any]:
    """Return everything that two sessions in the same state share."""
    return {
        "position": session.rules.encode(session.position),
        "waiting": [
            (one.side, one.kind, one.about, one.rule, dict(one.facts), one.default) for one in session.open_decisions
        ],
        "at_rest": session.at_checkpoint,
        "result": session.result,
    }


def told(session: Session[Any]) -> list[Any]:
    """Return all that was told and rolled, in a form that can be compared."""
    return [*map(repr, session.table.events), *map(repr, session.table.rolls)]


@dataclass(slots=True)
class Walk:
    """A random game under way: the session, and what a resume would start from."""

    rules: Rules[Any]
    seed: int
    dice: SeededDice
    rng: Random
    session: Session[Any]
    checkpoint: dict[str, Any]
    """The last resting point, as it is written to disk."""
    dice_then: SeededDice
    """The dice as they were at the last resting point."""
    answers: list[Answer] = field(default_factory=list)
    """What was answered since."""
    count: int = 0
    usual: bool = False
    """Whether only what is listed is picked: no detours, and no preferences that leave the choice to the hand."""

    @property
    def open_decisions(self) -> tuple[Decision, ...]:
        return self.session.open_decisions

    @property
    def position(self) -> Any:
        return self.session.position

    def view(self, side: Side | None) -> Any:
        return self.rules.view(self.position, side)

    def pick(self, decision: Decision) -> Order:
        """Pick an answer: any, and now and then the first or the last, which are often the odd ones."""
        choices = self.rules.legal_orders(self.view(decision.side), decision)
        one_of = self.rng.random()
        order: Order | None
        if one_of < 0.05:
            order = choices[0]
        elif one_of < 0.1:
            order = choices[len(choices) - 1]
        elif self.usual and isinstance(choices, Answers):
            body = choices.root.draw(self.rng.random, wide=False)
            order = None if body is None else Order(decision.kind, body)
        else:
            order = choices.pick(self.rng.random)
        assert order is not None, f"{decision.side} has no answer to {decision.kind}"
        return replace(order, about=decision.about)

    def again(self) -> Session[Any]:
        """Return the same game resumed from its last resting point and the recorded answers."""
        session = Session(self.rules, self.rules.decode(plain(self.checkpoint)), deepcopy(self.dice_then))
        session.feed(read_back(answer) for answer in self.answers)
        return session


def read_back(answer: Answer) -> Answer:
    """Return a recorded answer as it comes back from a file."""
    return replace(answer, facts=plain(answer.facts), order=plain(answer.order))


def walk(rules: Rules[Any], scenario: str, seed: int, most: int = 1_000_000, *, usual: bool = False) -> Iterator[Walk]:
    """Play a random game; stop before every question, or several open at once, and at the end.

    Each resting point begins a new session, as when a game is taken up on another day.
    """
    dice, rng = SeededDice(seed), Random(seed)
    at = _from_rest(rules, seed, dice, rng, start(rules, scenario, seed))
    count = 0
    while at.session.result is None and count < most:
        at.usual = usual
        if at.session.at_checkpoint:
            at = _from_rest(rules, seed, dice, rng, rules.decode(plain(rules.encode(at.position))))
            continue
        at.count = count
        yield at
        orders = [at.pick(decision) for decision in at.open_decisions]
        at.answers += [
            Answer(one.side, one.kind, one.rule, one.facts, order.body, "test", one.secret, one.about)
            for one, order in zip(at.open_decisions, orders, strict=True)
        ]
        count += len(orders)
        at.session.answer(orders)
    at.count = count
    yield at


def _from_rest(rules: Rules[Any], seed: int, dice: SeededDice, rng: Random, position: Any) -> Walk:
    then, checkpoint = deepcopy(dice), rules.encode(position)
    return Walk(rules, seed, dice, rng, Session(rules, position, dice), checkpoint, then)


def faults_of_shape(game: str, order: Order) -> list[str]:
    """Return what is wrong with the shape of an order."""
    forms: Mapping[str, Any] = loaded(game).box.forms
    return [misfit.reason for misfit in forms[order.kind].misfits(order.body)]
