"""Whether a game is fair between two stand-ins: how often each side wins, and how the points come out.

Every game on the shelf that has a stand-in is measured. Where a position counts points (`vp`), their distribution is
told: the tenths of the games, from the lowest to the highest. A side that wins less than a quarter of the games speaks
against values of the box that are reconstructed; where others are proposed they are measured, too. It takes some
minutes a game: `python -m bench policy`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from bench import AT_LEAST, Figure
from pbem.crypto.dice import SeededDice
from pbem.engine.playout import Playout, play_out
from pbem.game import shelf
from pbem.game.table import Table
from pbem.protocol import Decision, Order

PROPOSALS: Final = Path(__file__).resolve().parents[1] / "docs"
"""Where other values for a game are proposed: `<game>/proposal`, a folder of boxes with its corrected files."""
PLAYED = 200
TENTHS = 10
FAIR = 25.0
"""Per cent of the games that each side wins at least."""


def figures() -> Iterator[Figure]:
    """Yield the figures of every scenario of every game that has a stand-in, and of the values proposed for it."""
    for game in shelf.ids():
        loaded = shelf.load(game)
        if loaded.rules.has_bot:
            for scenario in loaded.box.scenarios:
                yield from figures_of(game, loaded.rules, scenario)
        proposal = PROPOSALS / game / "proposal"
        if proposal.is_dir():
            proposed = shelf.load(game, folders=[str(proposal)])
            for scenario in proposed.box.scenarios:
                yield from figures_of(f"{game} proposed", proposed.rules, scenario)


def figures_of(game: str, rules: Any, scenario: str, played: int = PLAYED) -> Iterator[Figure]:
    """Yield the share of the games that each side wins, and of the draws, and how the points are distributed."""
    games = [contest(rules, scenario, seed) for seed in range(played)]
    wins = Counter((each.result or {}).get("winner") for each in games)
    for side in rules.sides:
        yield Figure(f"{game} {scenario}: won by {side}", 100 * wins[side] / played, "%", FAIR, AT_LEAST)
    yield Figure(f"{game} {scenario}: drawn", 100 * wins[None] / played, "%")
    points = sorted(each.position.vp for each in games if hasattr(each.position, "vp"))
    for tenth in range(TENTHS + 1) if points else ():
        value = points[min(tenth * len(points) // TENTHS, len(points) - 1)]
        yield Figure(f"{game} {scenario}: points, {tenth} of {TENTHS} games below", value, "points")


def contest(rules: Any, scenario: str, seed: int) -> Playout[Any]:
    """Return a game of the stand-in against itself."""

    def answer(view: Any, decision: Decision) -> Order:
        order: Order = rules.bot_order(view, decision)
        return order

    begun = rules.setup(scenario, Table(SeededDice(f"setup {seed}")))
    return play_out(rules, begun, SeededDice(seed), Random(seed), players=dict.fromkeys(rules.sides, answer))
