"""HANNIBAL in Italy, 218-206 BC: its rules. Each module is a chapter of the rulebook; this one joins them.

What only reports, forms, forecasts and bots need is imported when they first ask: most commands do without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pbem.game import Rules, Table, by_name, plain
from pbem.protocol import Decision, Event, Flow, Record, Roll, Side
from pbem.rules.hannibal_italy.battle.battle import BATTLE_KINDS
from pbem.rules.hannibal_italy.battle.foraging import FORAGING_KINDS
from pbem.rules.hannibal_italy.battle.losses import LOSSES_KINDS
from pbem.rules.hannibal_italy.battle.parties import COMMAND_KINDS
from pbem.rules.hannibal_italy.movement.offers import MARCH_KINDS
from pbem.rules.hannibal_italy.position.accounts import audit
from pbem.rules.hannibal_italy.position.board import Options
from pbem.rules.hannibal_italy.position.state import BOXES, GONE, RANKS, SIDES, SUMMER, UNSEEN, WINTER, Game
from pbem.rules.hannibal_italy.position.unpack import unpack
from pbem.rules.hannibal_italy.siege.siege import COMPLETE, PARTIAL, SIEGE_KINDS
from pbem.rules.hannibal_italy.turn import sequence as turn
from pbem.rules.hannibal_italy.turn.elections import ELECTION_KINDS
from pbem.rules.hannibal_italy.turn.elephants import ELEPHANT_KINDS
from pbem.rules.hannibal_italy.turn.recruiting import RECRUITING_KINDS
from pbem.rules.hannibal_italy.turn.reinforcements import REINFORCEMENT_KINDS
from pbem.rules.hannibal_italy.turn.sequence import COMBAT_KINDS, FIRST_PLAYER_KINDS
from pbem.rules.hannibal_italy.turn.set_up import chosen_for_balance, reconstructed, set_up, settle
from pbem.rules.hannibal_italy.turn.winter import WINTER_KINDS
from pbem.rules.hannibal_italy.views.secrets import resample_hidden, view
from pbem.rules.hannibal_italy.views.summary import facts, periods

if TYPE_CHECKING:
    from pbem.game import BaseMap, Box, Odds, Scene, Summary

KINDS: Final = by_name(
    *FIRST_PLAYER_KINDS,
    *ELECTION_KINDS,
    *REINFORCEMENT_KINDS,
    *RECRUITING_KINDS,
    *MARCH_KINDS,
    *COMBAT_KINDS,
    *BATTLE_KINDS,
    *COMMAND_KINDS,
    *FORAGING_KINDS,
    *LOSSES_KINDS,
    *SIEGE_KINDS,
    *WINTER_KINDS,
    *ELEPHANT_KINDS,
    close_up="views.summary:armies_and_enemies",
    places="views.summary:places",
)
"""The kinds of decisions, in the order of play."""


class HannibalItaly(Rules[Game]):
    """The rules, under the options agreed on."""

    id = "hannibal_italy"
    sides = SIDES
    kinds = KINDS
    round = "segment"
    turn = "year"
    reveals = frozenset(
        {
            *("armies_meet", "battle_begins", "province_won", "province_lost", "siege_begins", "holds_out", "too_weak"),
            *("works_begun", "works_lost", "overrun", "overrun_fails", "diplomacy_refused", "suffers", "left_behind"),
            *("city_taken", "diplomacy_fails", "assault_result", "lost"),
        }
    )
    """Events from which Rome learns what a Carthaginian has: it sees him, or his strength (7.41, 7.5, 8.2, 9.3)."""

    def __init__(self, box: Box, options: Options) -> None:
        self.box = box
        self.edition = options
        self.board = unpack(box, options)
        self._base: BaseMap | None = None

    def setup(self, scenario: str, table: Table) -> Game:
        """Return the position at the start of a scenario (12.31, 12.32), and tell what in the box is not certain."""
        if files := reconstructed(self.box):
            table.tell("reconstructed", what=files)
        if files := chosen_for_balance(self.box):
            table.tell("chosen_for_balance", what=files)
        return set_up(self.board, self.edition, scenario, self.box.scenario(scenario), table)

    def play(self, position: Game, table: Table) -> Flow[Record]:
        """Play on from a checkpoint; return who won and why."""
        game = table.lay(position)
        game.there = None
        yield from turn.play(game, table)
        assert game.result is not None
        return {"winner": game.result.winner, "reason": game.result.reason}

    def view(self, position: Game, side: Side | None) -> Game:
        """Return the position as a side may know it."""
        return view(position, side)

    def scene(self, view: Game, told: Sequence[Event] = ()) -> Scene:
        """Return what there is to draw, with arrows for the marches just told."""
        from pbem.rules.hannibal_italy.views.scene import base, scene

        if self._base is None:
            self._base = base(self.box, self.board)
        return scene(view, self._base, self.box.table("game")["sides"], told)

    def left_in_turn(self, view: Game) -> tuple[int, str] | None:
        """Return the phases of the year that come after this one (4.2)."""
        return turn.phases_left(view), "phase"

    def summary(self, view: Game) -> Summary:
        """Return the summary of a position, for the text of a report."""
        from pbem.rules.hannibal_italy.views.summary import summary

        return summary(view, self.box.names)

    @cached_property
    def odds(self) -> Mapping[str, Odds]:
        """The questions about chances that players may ask."""
        from pbem.rules.hannibal_italy.views.odds import odds

        return odds(self.board, self.edition)

    def facts(self, view: Game, decision: Decision) -> Record:
        """Return the facts that a standing order may use, besides those that the decision states."""
        return facts(view, decision)

    def periods(self, position: Game) -> Record:
        """Return the segment and the year that the game is in, for standing orders that end with one."""
        return periods(position)

    def outcome(self, position: Game, roll: Roll, facts: Record) -> tuple[int, str]:
        """Return the result of a roll that has no number to reach: how bad it is, and in words."""
        from pbem.rules.hannibal_italy.views.forecast import outcome

        return outcome(position, roll, facts)

    def resample_hidden(self, position: Game, side: Side | None, table: Table) -> Game:
        """Return another position that a side could not tell from this one."""
        return resample_hidden(position, side, table)

    def vocabulary(self) -> Mapping[str, Collection[str | int]]:
        """Return the words that a test case may write in a position, by class and field."""
        board = self.board
        units, leaders = (*board.units, UNSEEN), board.leaders
        return plain.vocabulary(
            Game,
            {
                "SideId": SIDES,
                "LeaderId": leaders,
                "LeaderOrGone": (*leaders, GONE),
                "LeaderOrNone": (*leaders, ""),
                "LeaderPlace": (*board.hexes, *BOXES),
                "Office": RANKS,
                "UnitName": units,
                "Pool": [unit.pool for unit in board.units.values() if unit.pool is not None],
                "HexId": board.hexes,
                "CityId": board.cities,
                "ProvinceId": board.provinces,
                "WorksStage": (PARTIAL, COMPLETE),
                "Segment": (SUMMER, WINTER),
                "PhaseName": (*turn.PHASES, *turn.SILENT),
                "ScenarioId": board.scenarios,
                "Reason": self.box.messages()["results"],
            },
        )

    def audit(self, position: Game) -> Iterable[str]:
        """Yield every broken invariant in words."""
        return audit(position)

    def settle(self, position: Game) -> Game:
        """Take the units that a game master has put on the map out of the pools."""
        return settle(position)

    def decode(self, data: Record) -> Game:
        """Return the position that `encode` was given."""
        return plain.decode(Game, data, board=self.board, options=self.edition, there=None)


def make(box: Box, options: Options) -> HannibalItaly:
    """Return the rules of the game in a box, with options chosen."""
    return HannibalItaly(box, options)
