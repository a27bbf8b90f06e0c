"""Whether a game slows down as it grows: a turn after a thousand adjudications against one after ten.

No game of random play lasts that long, so the one here is set up anew every so often, in the same repo. Copies of the
old game and young ones then play the very same stretch, from a set-up on, turn and turn about. (Copies, because file
systems are slow to make files where many were deleted a minute ago, and no game played by mail has its repo tidied
that often.) A turn is a sheet received and the adjudication that it sets off, with all that both commit.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast
from unittest.mock import patch

from bench import Figure, seconds
from pbem.cli import demo as demonstration
from pbem.crypto.dice import SeededDice
from pbem.game.boxes import shelf
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.protocol import Checkpoint, Flow
from pbem.referee.opening import create_game, open_game
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.render.text.form import order_lines

RULES = "rome_carthage"
SCENARIO = "standard"
SECRETS = replace(
    demonstration.SECRETS, chain=b"the chain of a game without end!", hidden=b"the hidden secret of that game!!"
)
SIDES = {"carthage": "Bob", "rome": "Ann"}
YOUNG, OLD = 10, 1000
STRETCH = 50
ROUNDS = 5
LOAD = shelf.load


class Endless:
    """The rules of a game, but every so many resting points it is set up anew, and its dice know only the position.

    So a game that begins and one that has gone on for long come to the same questions when they are answered alike.
    """

    def __init__(self, rules: Any) -> None:
        self._rules = rules
        self._rests = 0
        self.set_ups = 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def setup(self, scenario: str, table: Table) -> Any:
        """Set up a scenario, always with the same deck."""
        return self._rules.setup(scenario, Table(SeededDice("deck")))

    def play(self, position: Any, table: Table) -> Flow[Mapping[str, Any]]:
        """Play on from a resting point, or rest at once at a new set-up."""
        self._rests += 1
        table.dice = SeededDice(f"{position.turn} {position.phase} {position.plays}")
        if self._rests % STRETCH:
            result: Mapping[str, Any] = yield from self._rules.play(position, table)
            return result
        table.lay(self.setup(SCENARIO, table))
        self.set_ups += 1
        yield Checkpoint()
        return {}


def load_endless(*names: Any, **words: Any) -> shelf.Loaded:
    """Return a game from the shelf as one without end."""
    loaded = LOAD(*names, **words)
    return replace(loaded, rules=cast("Rules[Any]", Endless(loaded.rules)))


def figures() -> Iterator[Figure]:
    """Yield the cost of a late turn against that of an early one."""
    turns: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as name, patch.object(shelf, "load", load_endless):
        folder = Path(name)
        create(folder / "aged", "old")
        age(folder / "aged")
        for number in range(ROUNDS):
            shutil.copytree(folder / "aged", folder / f"old_{number}")
            create(folder / f"young_{number}", "young")
            with reopen(folder / f"old_{number}", "old") as old, reopen(folder / f"young_{number}", "young") as young:
                turns += side_by_side(old, young, number)
    late, early = (statistics.median(times) for times in zip(*turns, strict=True))
    ratio = statistics.median(old / young for old, young in turns)
    yield Figure(f"turn {OLD:,} / turn {YOUNG}", ratio, "times", 1.05)
    yield Figure(f"turn {OLD:,}", 1000 * late, "ms")
    yield Figure(f"turn {YOUNG}", 1000 * early, "ms")


def create(folder: Path, name: str) -> None:
    """Make a game; its secrets lie beside it."""
    create_game(folder, folder / "keys", NewGame(name, RULES, players=SIDES, secrets=SECRETS)).close()


def reopen(folder: Path, name: str) -> Adjudicator:
    """Open a game."""
    return open_game(folder, folder / "keys", name)


def age(folder: Path) -> None:
    """Play a game on for long, up to one of its set-ups."""
    chance = Random(218)
    with reopen(folder, "old") as game:
        rules: Any = game.rules
        while game.adjudication < OLD:
            play(game, chance)
        set_ups = rules.set_ups
        while rules.set_ups == set_ups:
            play(game, chance)


def side_by_side(old: Adjudicator, young: Adjudicator, seed: int) -> Iterator[tuple[float, float]]:
    """Yield the seconds that the same turn takes in an old game and in a young one."""
    rules: Any = young.rules
    pair = [(old, Random(seed)), (young, Random(seed))]
    for game, chance in pair * YOUNG:
        play(game, chance)
    while rules.set_ups == 1:
        taken = {game.name: play(game, chance) for game, chance in pair}
        yield taken["old"], taken["young"]
        pair.reverse()


def play(game: Adjudicator, chance: Random) -> float:
    """Play a random turn; return the seconds it took, without those in which the player thought."""
    side = game.open_decisions[0].side
    view = game.view(side)
    lines = [f"game: {game.name}", f"side: {side}", f"adjudication: {game.adjudication}", "orders:"]
    for decision in game.open_decisions:
        if decision.side == side:
            order = game.rules.legal_orders(view, decision).pick(chance.random)
            assert order is not None
            lines += order_lines(order.kind, order.body)
    sheet = "\n".join(lines).encode()

    def turn() -> None:
        assert game.receive(side, sheet).number is not None
        game.adjudicate()

    return seconds(turn)
