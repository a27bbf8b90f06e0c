"""What it takes to verify a game of five hundred turns, and to make and to check one roll.

No game of random play lasts that long, so the one here is set up anew, in the same repo, whenever it is over.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, cast
from unittest.mock import patch

from bench import Figure, seconds
from bench.bench_long_game import LOAD, RULES, SCENARIO, SIDES, play
from pbem.audit.public.dice_check import roll_faults
from pbem.audit.verify import verify
from pbem.crypto.dice import ChainDice, step_key
from pbem.crypto.keys import Keys, Secrets
from pbem.game.boxes import shelf
from pbem.game.contract import Rules
from pbem.game.table import Table
from pbem.protocol import Checkpoint, Flow
from pbem.referee.opening import create_game
from pbem.referee.play.new_game import NewGame

TURNS = 500
ROUNDS = 5
ROLLS = 20_000
NAME = "old"
SECRETS = Secrets(
    b"the chain of a game without end!",
    b"the hidden secret of that game!!",
    "AGE-SECRET-KEY-1RZ5CJD3AH2FCRCMFMJYYZQCPPWZ70ULEHYP6KDU6AXZCD8FPXLQSF0Q3VR",
    "AGE-SECRET-KEY-1YG4HDKK0J3S6PNX6Z9QCVUG3XSKQJVX5ZLX5TV467QWXD444D0SQE049ME",
)


class Again:
    """The rules of a game that is set up anew when it is over."""

    def __init__(self, rules: Any) -> None:
        self._rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    def play(self, position: Any, table: Table) -> Flow[Mapping[str, Any]]:
        """Play on from a resting point; after the end, rest at a new beginning."""
        yield from self._rules.play(position, table)
        table.lay(self._rules.setup(SCENARIO, table))
        yield Checkpoint()
        return {}


def load_again(*names: Any, **words: Any) -> shelf.Loaded:
    """Return a game from the shelf as one that begins again."""
    loaded = LOAD(*names, **words)
    return replace(loaded, rules=cast("Rules[Any]", Again(loaded.rules)))


def figures() -> Iterator[Figure]:
    """Yield the seconds to verify a long game, without and with its secrets, and the microseconds of a roll."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with patch.object(shelf, "load", load_again):
            make(folder)
            path = folder / f"{NAME}.git"
            taken = statistics.median(seconds(lambda: check(path)) for _ in range(ROUNDS))
            yield Figure(f"verify: {TURNS} turns", taken, "s", 3.0)
            taken = statistics.median(seconds(lambda: check(path, folder / "keys")) for _ in range(ROUNDS))
            yield Figure(f"verify: {TURNS} turns, all derived again", taken, "s", 10.0)
            yield Figure(f"repo: {TURNS} turns", size_of(path) / 2**20, "MiB")
    yield from rolls()


def make(folder: Path) -> None:
    """Play a long game."""
    chance = Random(218)
    with create_game(folder, folder / "keys", NewGame(NAME, RULES, players=SIDES, secrets=SECRETS)) as game:
        while game.adjudication < TURNS:
            play(game, chance)


def size_of(path: Path) -> int:
    """Return how many bytes a repo takes."""
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())


def check(path: Path, keys: Path | None = None) -> None:
    """Verify a game, in which nothing may be wrong."""
    verdict = verify(path, keys=None if keys is None else lambda game: Keys.load(keys, game))
    assert not verdict.findings.divergences, verdict.findings.sorted[0]


def rolls() -> Iterator[Figure]:
    """Yield the microseconds that it takes to make and to check a roll of a die, with the key of its turn."""
    names = [f"retreat/cannae/round-{n}" for n in range(ROLLS)]
    dice = ChainDice(step_key("5a" * 32, NAME, 41, "1f" * 32), b"")
    made = [dice.faces(name, 1, 6) for name in names]
    said = [
        {
            "name": name,
            "faces": faces,
            "modifiers": {"leader": 2},
            "total": faces[0] + 2,
            "need": ">= 5",
            "success": faces[0] >= 3,
        }
        for name, faces in zip(names, made, strict=True)
    ]

    def make_all() -> None:
        for name in names:
            dice.faces(name, 1, 6)

    def check_all() -> None:
        assert not any(list(roll_faults(roll, dice)) for roll in said)

    for word, work in (("make", make_all), ("check", check_all)):
        taken = min(seconds(work) for _ in range(ROUNDS))
        yield Figure(f"dice: {word} a roll", 1e6 * taken / ROLLS, "us", 5.0)
