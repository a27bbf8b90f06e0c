"""How long it takes to play a whole game again from its records, and to explain or fork a turn near its end.

The game is one of Rome and Carthage between two stand-ins, over 200 adjudications, each with its sealed record and its
commit. The time of `pbem replay` is that of reading and opening all of it, playing it, and comparing every roll, event
and position.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from bench import Figure, seconds
from pbem.audit.explain.explain import Explained
from pbem.audit.explain.replay import replay_turns
from pbem.audit.explain.what_if import what_if
from pbem.referee.opening import create_game, open_to_read
from pbem.referee.play.adjudicator import Adjudicator
from pbem.referee.play.new_game import NewGame
from pbem.render.text.form import order_lines

GAME = "punica"
SIDES = {"carthage": "Bob", "rome": "Ann"}
MOST_SHEETS = 2000
ROUNDS = 3


def figures() -> Iterator[Figure]:
    """Yield the seconds of a replay of a whole game, and the milliseconds of explaining and forking a turn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        play(folder)
        with open_to_read(folder, folder / "keys", GAME) as game:
            count = game.adjudication
            found: list[Any] = []
            times = [seconds(lambda: found.extend(replay_turns(game))) for _ in range(ROUNDS)]
            assert len(found) == ROUNDS * count
            assert not any(turn.differences for turn in found)
            yield Figure("replay: a whole game", min(times), "s", 2.0)
            yield Figure("replay: an adjudication", 1000 * min(times) / count, "ms")
            explained = min(seconds(lambda: Explained(game, count - 1).turn()) for _ in range(ROUNDS))
            yield Figure("explain: a turn near the end", 1000 * explained, "ms")
            forks = [seconds(partial(what_if, game, count - 1, folder / f"fork-{at}")) for at in range(ROUNDS)]
            yield Figure("what-if: a turn near the end", 1000 * min(forks), "ms")


def play(folder: Path) -> None:
    """Play a whole game, two stand-ins by sheets."""
    with create_game(folder, folder / "keys", NewGame(GAME, "rome_carthage", players=SIDES)) as game:
        rules: Any = game.rules
        for side in game.rules.sides:
            hand_in(game, side, ["standing: default"])
        for _ in range(MOST_SHEETS):
            if not game.open_decisions:
                return
            side = game.open_decisions[0].side
            orders = [rules.bot_order(game.view(side), each) for each in game.open_decisions if each.side == side]
            lines = [line for order in orders for line in order_lines(order.kind, order.body)]
            hand_in(game, side, ["orders:", *lines])
            game.adjudicate()
        raise AssertionError("the game does not end")


def hand_in(game: Adjudicator, side: str, lines: list[str]) -> None:
    """Hand in a sheet, which must be good."""
    heading = [f"game: {game.name}", f"side: {side}", f"adjudication: {game.adjudication}"]
    receipt = game.receive(side, "\n".join([*heading, *lines]).encode())
    assert receipt.number is not None, str(receipt)
