"""Whether a game slows down as it grows: a turn after a thousand adjudications against one after ten.

No game of random play lasts that long, so the one here is set up anew every so often, in the same repo. Copies of the
old game and young ones then play the same stretch, from a set-up on, turn and turn about. (Copies, because file systems
are slow to make files where many were deleted a minute ago, and no game played by mail has its repo tidied that often.)
A turn is a sheet received and the adjudication that it sets off, with all that both commit.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from bench import Figure, seconds
from pbem.adjudicator import Adjudicator
from pbem.draw.form import order_lines
from pbem.protocol import REST, Flow
from pbem.table import Table

RULES = "rome_carthage"
SECRETS = (b"the chain of a game without end!", b"the hidden secret of that game!!")
SIDES = {"carthage": "Bob", "rome": "Ann"}
YOUNG, OLD = 10, 1000
STRETCH = 50
ROUNDS = 5


class Endless:
    """The rules of a game, but every so many resting points it is set up anew."""

    def __init__(self, rules: Any, scenario: str) -> None:
        self._rules = rules
        self._scenario = scenario
        self._rests = 0
        self.set_ups = 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def play(self, position: Any, table: Table) -> Flow[Mapping[str, Any]]:
        """Play on from a resting point, or rest at once at a new set-up."""
        self._rests += 1
        if self._rests % STRETCH:
            result: Mapping[str, Any] = yield from self._rules.play(position, table)
            return result
        table.lay(self._rules.setup(self._scenario, table))
        self.set_ups += 1
        yield REST
        return {}


def figures() -> Iterator[Figure]:
    """Yield the cost of a late turn against that of an early one."""
    turns: list[list[float]] = []
    chance = Random(218)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        create(folder / "aged", "old")
        with endless(folder / "aged", "old") as (game, rules):
            while game.adjudication < OLD:
                play(game, chance)
            set_ups = rules.set_ups
            while rules.set_ups == set_ups:
                play(game, chance)
        for number in range(ROUNDS):
            shutil.copytree(folder / "aged", folder / f"old_{number}")
            create(folder / f"young_{number}", "young")
            with (
                endless(folder / f"old_{number}", "old") as (old, _),
                endless(folder / f"young_{number}", "young") as (young, rules),
            ):
                for game in (old, young) * YOUNG:
                    play(game, chance)
                while rules.set_ups == 1:
                    turns.append([play(game, chance) for game in (old, young)])
    late, early = (statistics.median(times) for times in zip(*turns, strict=True))
    yield Figure(f"turn {OLD:,} / turn {YOUNG}", late / early, "times", 1.05)
    yield Figure(f"turn {OLD:,}", 1000 * late, "ms")


def create(folder: Path, name: str) -> None:
    """Make a game; its secrets lie beside it."""
    Adjudicator.create(folder, folder / "keys", name, RULES, players=SIDES, secrets=SECRETS).close()


@contextmanager
def endless(folder: Path, name: str) -> Iterator[tuple[Adjudicator, Endless]]:
    """Open a game as one without end."""
    with Adjudicator.open(folder, folder / "keys", name) as game:
        game.rules = rules = Endless(game.rules, game.charter.scenario)
        yield game, rules


def play(game: Adjudicator, chance: Random) -> float:
    """Play a random turn; return the seconds it took, without those in which the player thought."""
    side = game.waiting[0].side
    known = game.known(side)
    lines = [f"game: {game.name}", f"side: {side}", f"adjudication: {game.adjudication}", "orders:"]
    for decision in game.waiting:
        if decision.side == side:
            order = game.rules.options(known, decision).pick(chance.random)
            assert order is not None
            lines += order_lines(order.kind, order.body)
    sheet = "\n".join(lines).encode()

    def turn() -> None:
        assert game.receive(side, sheet).number is not None
        game.adjudicate()

    return seconds(turn)
