"""How quickly whole games are played out at random and replayed, in times of what `chess` plays random legal moves.

Every edition of every game on the shelf is measured. Its scenarios take turns with chess, so that whatever else the
machine does hits both alike. A replay gives the answers of a random game again, each checked as if it had come by mail.
What a game takes in memory is measured apart. Only decisions with two legal orders or more are counted: chess asks no
others.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import chess

from bench import AT_LEAST, Figure, alternating
from pbem.crypto.dice import SeededDice
from pbem.engine.playout import play_out
from pbem.game.boxes import shelf
from pbem.game.boxes.shelf import Loaded
from pbem.game.table import Table
from pbem.protocol import Order

SEEDS = range(1, 6)
"""One whole game each."""
MOVES = 1500
LONGEST = 300
ROUNDS = 7
MEGABYTE = 1 << 20
LEAST = {"hannibal_italy": 0.22}
"""The share of what chess plays, for a game that has another than the usual one: its questions list ways over hexes."""
USUAL = 0.35
MOST = {"sword_of_rome": 32.0}
"""The megabytes that a random game may take, for a game that may take another number than the usual one."""
USUAL_MOST = 64.0


def figures() -> Iterator[Figure]:
    """Yield the figures of every edition of every game on the shelf."""
    for game in shelf.ids():
        for edition in shelf.load(game).box.editions:
            yield from figures_of(game, shelf.load(game, edition=edition))


def figures_of(game: str, loaded: Loaded) -> Iterator[Figure]:
    """Yield decisions per second, checks included, of every scenario, as a share of chess moves per second."""
    rules, scenarios, edition = loaded.rules, loaded.scenarios, loaded.box.edition
    begun = {scenario: rules.setup(scenario, Table(SeededDice(1))) for scenario in scenarios}
    records = {scenario: [record(rules, begun[scenario], seed) for seed in SEEDS] for scenario in scenarios}
    first = scenarios[0]
    works = [playing(rules, begun[scenario]) for scenario in scenarios]
    *ours, again, moves = alternating(ROUNDS, *works, replaying(rules, begun[first], records[first]), chess_moves)
    for scenario, seconds in zip(scenarios, ours, strict=True):
        decisions = sum(choices for _, choices in records[scenario])
        bar = LEAST.get(game, USUAL) if scenario == first else None
        share = (decisions / seconds) / (MOVES / moves)
        name = f"{game} {edition} {scenario}"
        yield Figure(f"{name}: random play / random chess", share, "times", bar, AT_LEAST)
        yield Figure(f"{name}: random play", decisions / seconds, "decisions/s")
    name = f"{game} {edition} {first}"
    yield Figure(f"{name}: replay / random play", ours[0] / again, "times", 1.5, AT_LEAST)
    yield Figure(f"{name}: replay", sum(len(orders) for orders, _ in records[first]) / again, "decisions/s")
    yield Figure("random chess", MOVES / moves, "moves/s")
    for scenario in scenarios:
        largest = max(memory(rules, begun[scenario], seed) for seed in SEEDS)
        most = MOST.get(game, USUAL_MOST)
        yield Figure(f"{game} {edition} {scenario}: a random game in memory", largest, "MB", most)


def playing(rules: Any, begun: Any) -> Callable[[], None]:
    """Return what plays random games: known, options and check for each answer."""

    def play() -> None:
        for seed in SEEDS:
            play_out(rules, begun, SeededDice(seed), Random(seed))

    return play


def record(rules: Any, begun: Any, seed: int) -> tuple[list[Order], int]:
    """Return the answers of the random game of a seed, and how many of them were a choice between two or more."""
    orders: list[Order] = []
    choices = 0
    random = Random(seed).random

    def pick(view: Any, decision: Any) -> Order:
        nonlocal choices
        legal = rules.legal_orders(view, decision)
        choices += len(legal) > 1
        order: Order = legal.pick(random)
        orders.append(order)
        return order

    play_out(rules, begun, SeededDice(seed), Random(seed), players=dict.fromkeys(rules.sides, pick))
    return orders, choices


def replaying(rules: Any, begun: Any, records: list[tuple[list[Order], int]]) -> Callable[[], None]:
    """Return what gives the answers of random games again: known and check for each."""

    def play() -> None:
        for seed, (orders, _) in zip(SEEDS, records, strict=True):
            left = iter(orders)
            players = dict.fromkeys(rules.sides, lambda view, decision, left=left: next(left))
            play_out(rules, begun, SeededDice(seed), Random(seed), players=players)

    return play


def memory(rules: Any, begun: Any, seed: int) -> float:
    """Return the most megabytes that a random game takes, with all its events."""
    tracemalloc.start()
    play_out(rules, begun, SeededDice(seed), Random(seed))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / MEGABYTE


def chess_moves() -> None:
    """Play so many random legal moves of chess; a game is broken off when it has become too long to be typical."""
    random, board = Random(1).random, chess.Board()
    for _ in range(MOVES):
        moves = list(board.legal_moves)
        if not moves or board.ply() >= LONGEST:
            board = chess.Board()
            moves = list(board.legal_moves)
        board.push(moves[int(random() * len(moves))])
