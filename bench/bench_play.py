"""How quickly games are played out at random, in times of what `chess` plays random legal moves.

The scenarios take turns with chess, so that whatever else the machine does hits both alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import chess

from bench import AT_LEAST, Figure, alternating
from pbem import shelf
from pbem.dice import SeededDice
from pbem.playout import play_out
from pbem.table import Table

GAME = "rome_carthage"
DECISIONS = 1500
MOVES = 1500
LONGEST = 300
ROUNDS = 7


def figures() -> Iterator[Figure]:
    """Yield decisions per second, checks included, of every scenario, as a share of chess moves per second."""
    loaded = shelf.load(GAME)
    scenarios = loaded.box.scenarios
    works = [playing(loaded.rules, scenario) for scenario in scenarios]
    *ours, moves = alternating(ROUNDS, *works, chess_moves)
    for scenario, seconds in zip(scenarios, ours, strict=True):
        bar = 0.7 if scenario == scenarios[0] else None
        share = (DECISIONS / seconds) / (MOVES / moves)
        yield Figure(f"random play, {scenario} / random chess", share, "times", bar, AT_LEAST)
        yield Figure(f"random play, {scenario}", DECISIONS / seconds, "decisions/s")
    yield Figure("random chess", MOVES / moves, "moves/s")


def playing(rules: Any, scenario: str) -> Callable[[], None]:
    """Return what answers so many questions of random games: known, options and check for each answer."""
    begun = rules.setup(scenario, Table(SeededDice(1)))

    def play() -> None:
        left, seed = DECISIONS, 0
        while left > 0:
            seed += 1
            left -= play_out(rules, begun, SeededDice(seed), Random(seed), most=left).decisions

    return play


def chess_moves() -> None:
    """Play so many random legal moves of chess; a game is broken off when it has become too long to be typical."""
    random, board = Random(1).random, chess.Board()
    for _ in range(MOVES):
        moves = list(board.legal_moves)
        if not moves or board.ply() >= LONGEST:
            board = chess.Board()
            moves = list(board.legal_moves)
        board.push(moves[int(random() * len(moves))])
