"""Whether a game is fair between two stand-ins: how often each side wins, and how the points come out.

Every game on the shelf that has a stand-in is measured in its usual edition, one of several sides in all of them
(`several_sides`). Where a position counts points (`vp`),
their distribution is told, side by side if each has points of its own: the tenths of the games, from the lowest to the
highest. A side that wins less than half of its share of the decided games speaks against the values of the edition.
It takes some minutes a game: `python -m bench policy`. How long the stand-in thinks is told too, in seconds of this
processor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random
from time import process_time
from typing import Any, Final

from bench import AT_LEAST, Figure
from bench.several_sides import BARS, Bars, figures_of_several
from pbem.crypto.dice import SeededDice
from pbem.engine.playout import Playout, play_out
from pbem.game.boxes import shelf
from pbem.game.table import Table
from pbem.protocol import Decision, Order

PLAYED: Final = 200
TENTHS: Final = 10
FAIR: Final = 0.5
"""Of its share of the decided games, so much each side wins at least: of two sides each a quarter of the games."""
LONGEST: Final = 5.0
"""Seconds that a game may take."""


def figures() -> Iterator[Figure]:
    """Yield the figures of every scenario of every game that has a stand-in."""
    for game in shelf.ids():
        loaded = shelf.load(game)
        if not loaded.rules.has_bot:
            continue
        if len(loaded.rules.sides) > 2:
            yield from figures_of_editions(game)
            continue
        for scenario in loaded.scenarios:
            yield from figures_of(f"{game} {loaded.box.edition}", loaded.rules, scenario)


def figures_of_editions(game: str, games: int | None = None) -> Iterator[Figure]:
    """Yield the figures of every edition of a game of several sides, the usual one without alliances too.

    `games` are played of each, if that is told.
    """
    usual = shelf.load(game).box
    for edition in usual.editions:
        loaded, bars = shelf.load(game, edition=edition), BARS.get(edition, Bars(PLAYED))
        bars = bars if games is None else replace(bars, games=games)
        scenario = loaded.scenarios[0]
        yield from figures_of_several(f"{game} {edition}", loaded.rules, scenario, bars)
        if edition == usual.edition:
            name = f"{game} {edition} without alliances"
            yield from figures_of_several(name, loaded.rules, scenario, bars, alliances=False)


def figures_of(game: str, rules: Any, scenario: str, played: int = PLAYED) -> Iterator[Figure]:
    """Yield what share of the decided games each side wins, the share of draws, and how the points are distributed."""
    seconds: list[float] = []
    games = []
    for seed in range(played):
        begun = process_time()
        games.append(contest(rules, scenario, seed))
        seconds.append(process_time() - begun)
    yield Figure(f"{game} {scenario}: the longest game", max(seconds), "s", LONGEST)
    answered = sum(each.decisions for each in games)
    yield Figure(f"{game} {scenario}: a decision, the game itself included", 1000 * sum(seconds) / answered, "ms")
    wins = Counter(side for each in games for side in (each.result.winners if each.result else ()))
    decided = sum(bool(each.result and each.result.winners) for each in games)
    fair = 100 * FAIR / len(rules.sides)
    for side in rules.sides:
        share = 100 * wins[side] / decided if decided else 0.0
        yield Figure(f"{game} {scenario}: of the decided games won by {side}", share, "%", fair, AT_LEAST)
    yield Figure(f"{game} {scenario}: drawn", 100 * (played - decided) / played, "%")
    for whose, points in points_of(games).items():
        for tenth in range(TENTHS + 1):
            value = points[min(tenth * len(points) // TENTHS, len(points) - 1)]
            yield Figure(f"{game} {scenario}: points{whose}, {tenth} of {TENTHS} games below", value, "points")


def points_of(games: Iterable[Playout[Any]]) -> dict[str, list[int]]:
    """Return the points at the end of games in ascending order, those of each side apart if a position has them so."""
    found: dict[str, list[int]] = {}
    for each in games:
        vp = getattr(each.position, "vp", {})
        for side, points in vp.items() if isinstance(vp, Mapping) else [("", vp)]:
            found.setdefault(f" of {side}" if side else "", []).append(points)
    return {whose: sorted(points) for whose, points in found.items()}


def contest(rules: Any, scenario: str, seed: int) -> Playout[Any]:
    """Return a game of the stand-in against itself."""

    def answer(view: Any, decision: Decision) -> Order:
        order: Order = rules.bot_order(view, decision)
        return order

    begun = rules.setup(scenario, Table(SeededDice(f"setup {seed}")))
    return play_out(rules, begun, SeededDice(seed), Random(seed), players=dict.fromkeys(rules.sides, answer))
