"""Whether a game is fair between two stand-ins: how often each side wins, and how the points come out.

Every game on the shelf that has a stand-in is measured in its usual edition. Where a position counts points (`vp`),
their distribution is told: the tenths of the games, from the lowest to the highest. A side that wins less than a
quarter of the decided games speaks against the values of the edition. It takes some minutes a game:
`python -m bench policy`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from bench import AT_LEAST, Figure
from pbem.crypto.dice import SeededDice
from pbem.engine.playout import Playout, play_out
from pbem.game import shelf
from pbem.game.table import Table
from pbem.protocol import Decision, Order

PLAYED: Final = 200
TENTHS: Final = 10
FAIR: Final = 25.0
"""Per cent of the decided games that each side wins at least."""


def figures() -> Iterator[Figure]:
    """Yield the figures of every scenario of every game that has a stand-in."""
    for game in shelf.ids():
        loaded = shelf.load(game)
        if loaded.rules.has_bot:
            for scenario in loaded.box.scenarios:
                yield from figures_of(f"{game} {loaded.box.edition}", loaded.rules, scenario)


def figures_of(game: str, rules: Any, scenario: str, played: int = PLAYED) -> Iterator[Figure]:
    """Yield what share of the decided games each side wins, the share of draws, and how the points are distributed."""
    games = [contest(rules, scenario, seed) for seed in range(played)]
    wins = Counter((each.result or {}).get("winner") for each in games)
    decided = played - wins[None]
    for side in rules.sides:
        share = 100 * wins[side] / decided if decided else 0.0
        yield Figure(f"{game} {scenario}: of the decided games won by {side}", share, "%", FAIR, AT_LEAST)
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
