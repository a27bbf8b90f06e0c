"""How long a player waits for the orders of one decision: all that are legal, one picked of them, and one checked.

Random games of every edition are looked at, without chess, for these are times that somebody waits. Of each decision
the best of some rounds counts, and of a game the slowest decision: what is computed lazily is computed here, for the
orders are counted. What one game keeps of its board is there already, as it is in a service that runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from typing import Any

from bench import Figure, seconds
from pbem.crypto.dice import SeededDice
from pbem.engine.session import Session
from pbem.game.boxes import shelf
from pbem.game.boxes.shelf import Loaded
from pbem.game.table import Table
from pbem.protocol import Decision, Order

GAMES = range(1, 4)
ROUNDS = 3
BUILT, COUNTED, PICKED, CHECKED = "legal orders built", "legal orders counted", "an order picked", "an order checked"
MOST = {BUILT: 20.0, COUNTED: 20.0, PICKED: 1.0, CHECKED: 2.0}
"""The milliseconds that each may take."""


def figures() -> Iterator[Figure]:
    """Yield the milliseconds of the slowest decision, and of one in the middle, for every edition of every game."""
    for game in shelf.ids():
        for edition in shelf.load(game).box.editions:
            yield from figures_of(f"{game} {edition}", shelf.load(game, edition=edition))


def figures_of(name: str, loaded: Loaded) -> Iterator[Figure]:
    """Yield the figures of an edition; the usual times, and those of the slowest decisions with their kinds."""
    times: dict[str, list[tuple[float, str]]] = {what: [] for what in MOST}
    for seed in GAMES:
        for kind, found in measured(loaded, seed):
            for what, time in found.items():
                times[what].append((1000 * time, kind))
    for what, most in MOST.items():
        slowest, kind = max(times[what])
        yield Figure(f"{name}: {what}, slowest ({kind})", slowest, "ms", most)
        yield Figure(f"{name}: {what}, usually", median(time for time, _ in times[what]), "ms")


def measured(loaded: Loaded, seed: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Play a random game; yield the kind of each decision, and what its orders take."""
    rules: Any = loaded.rules
    random = Random(seed)
    session = Session(rules, rules.setup(loaded.scenarios[0], Table(SeededDice(seed))), SeededDice(seed))
    while session.result is None:
        if session.at_checkpoint:
            session.go_on()
            continue
        orders = []
        for decision in session.open_decisions:
            view = rules.view(session.position, decision.side)
            order = rules.legal_orders(view, decision).pick(random.random)
            orders.append(order)
            yield decision.kind, looked_at(rules, view, decision, order)
        session.answer(orders)


def looked_at(rules: Any, view: Any, decision: Decision, order: Order) -> dict[str, float]:
    """Return the seconds that the orders of a decision take."""

    def counted() -> None:
        len(rules.legal_orders(view, decision))

    legal = rules.legal_orders(view, decision)
    len(legal)
    return {
        BUILT: best(lambda: rules.legal_orders(view, decision)),
        COUNTED: best(counted),
        PICKED: best(lambda: legal.pick(Random(1).random)),
        CHECKED: best(lambda: list(rules.check(view, decision, order))),
    }


def best(work: Callable[[], object]) -> float:
    """Return the seconds of the quickest of some rounds: what is slower had to share the machine."""
    return min(seconds(work) for _ in range(ROUNDS))
