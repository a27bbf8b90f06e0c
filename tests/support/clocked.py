"""Games with a clock, for tests: time is set by hand, and players answer after so long."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random
from typing import Any

from pbem.protocol import Order, Side
from pbem.referee.acts.timekeeping import catch_up, hand_over
from pbem.referee.game.side_clocks import Clocks, deadline
from pbem.referee.game.terms import Terms
from pbem.referee.play.adjudicator import Adjudicator
from tests.support.live import NOON, Folder, pick, sheet

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
CLOCK: Mapping[str, Any] = {
    "zone": "Europe/Berlin",
    "pace": {"bank": "3d", "bonus": "12h", "most": "5d"},
    "late": "default",
    "away": 10,
    "pause": "7d",
}


class Table:
    """A game with a clock, and the current time."""

    def __init__(
        self,
        folder: Folder,
        clock: Mapping[str, Any] = CLOCK,
        now: datetime = NOON,
        rules: str = "toy",
        **more: Any,
    ) -> None:
        self.game = folder.create(rules, clock=clock, **{"begin": False, **more})
        self.now = now
        self.random = Random(5)
        self.wait(timedelta(0))
        self.game.adjudicate()

    def wait(self, span: timedelta) -> Adjudicator:
        """Let time pass; what comes next comes of no letter."""
        self.now += span
        self.game.today, self.game.moment, self.game.ledger.repo.letter_time = self.now.date(), self.now, None
        return self.game

    def ask(self, *sides: Side) -> None:
        """Hand over the letters that ask, to all whom they wait for or to some sides."""
        hand_over(self.game, dict.fromkeys(sides or self.game.rules.sides, self.now))

    def answer(self, side: Side, *, replace: bytes | None = None) -> list[int]:
        """Let a letter of a side come now, with legal answers to all that it is asked, and carry it out."""
        game = self.game
        game.carry_out_letter_of(self.now, self.now)
        done = catch_up(game)
        text = replace or sheet(game, side, *self.choices(side))
        receipt = game.receive(side, text)
        assert receipt.number is not None, str(receipt)
        return done + game.adjudicate()

    def choices(self, side: Side) -> list[Order]:
        """Return legal answers to all that a side is asked."""
        return [pick(self.game, each, self.random) for each in self.game.asked(side)]

    def late(self) -> list[int]:
        """Call who is late now."""
        return catch_up(self.game)

    @property
    def terms(self) -> Terms:
        assert self.game.clock.terms is not None
        return self.game.clock.terms

    @property
    def clocks(self) -> Clocks:
        clocks = self.game.clock.read()
        assert clocks is not None
        return clocks

    def until(self, side: Side) -> datetime | None:
        return deadline(self.terms, self.clocks, side)

    def asked(self) -> list[Side]:
        """Return the sides that the game waits for."""
        return list(dict.fromkeys(each.side for each in self.game.open_decisions))
