"""Games with a clock: what goes on record, who is late, what follows."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from pbem.referee.adjudicator import Adjudicator
from pbem.referee.clock.sides import deadline
from pbem.referee.timekeeping import catch_up, hand_over
from tests.support.live import NOON, Folder, subjects

CLOCK = {"pace": {"bank": "3d", "bonus": "12h", "most": "5d"}, "late": "default", "grace": "6h"}
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def at(game: Adjudicator, when: datetime, *, letter: bool = False) -> Adjudicator:
    game.moment = when
    game.ledger.repo.letter_time = when if letter else None
    return game


def test_one(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    game = folder.create("toy", clock=CLOCK, begin=False)
    at(game, NOON)
    game.adjudicate()
    clocks = game.clock.read()
    print(clocks, game.open_decisions)
    hand_over(game, {side: NOON + HOUR for side in game.rules.sides})
    print(game.ledger.read("clock.yaml").decode())
    terms = game.clock.terms
    clocks = game.clock.read()
    print({side: deadline(terms, clocks, side) for side in clocks.sides})
    at(game, NOON + 4 * DAY)
    print(catch_up(game))
    print(game.ledger.read("clock.yaml").decode())
    print(game.ledger.read("clock/000/0001.yaml").decode())
    print(game.ledger.read("clock/000/0002.yaml").decode())
    print(subjects(game))
    game.close()
    assert 0
