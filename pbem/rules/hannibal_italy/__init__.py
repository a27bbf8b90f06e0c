"""HANNIBAL in Italy, 218-206 BC: its rules. Each module is a chapter of the rulebook; this one joins them.

What only reports, forms, forecasts and bots need is imported when they first ask: most commands do without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from pbem.game import Kinds, LegalOrders, Rules, Table, plain, propose_order
from pbem.protocol import Decision, Event, Fault, Flow, Order, Roll, Side
from pbem.rules.hannibal_italy.battle import ambush, commanders, foraging, losses
from pbem.rules.hannibal_italy.battle import battle as field_combat
from pbem.rules.hannibal_italy.battle import phase as combat
from pbem.rules.hannibal_italy.movement import offers as marches
from pbem.rules.hannibal_italy.movement.orders import END
from pbem.rules.hannibal_italy.position.accounts import audit
from pbem.rules.hannibal_italy.position.board import Options
from pbem.rules.hannibal_italy.position.state import SIDES, Game
from pbem.rules.hannibal_italy.position.unpack import unpack
from pbem.rules.hannibal_italy.siege import siege as sieges
from pbem.rules.hannibal_italy.siege import works as siege_works
from pbem.rules.hannibal_italy.turn import dictators, elections, elephants, recruiting, winter
from pbem.rules.hannibal_italy.turn import first_player as initiative
from pbem.rules.hannibal_italy.turn import reinforcements as arrivals
from pbem.rules.hannibal_italy.turn import sequence as turn
from pbem.rules.hannibal_italy.turn.set_up import set_up, settle
from pbem.rules.hannibal_italy.views.secrets import resample_hidden, view
from pbem.rules.hannibal_italy.views.sources import chosen_for_balance, reconstructed
from pbem.rules.hannibal_italy.views.successors import cost, successors
from pbem.rules.hannibal_italy.views.summary import facts, periods

if TYPE_CHECKING:
    from pbem.game import BaseMap, Box, Odds, Scene, Section, Summary

ASKING: Final = (
    initiative,
    elections,
    arrivals,
    recruiting,
    marches,
    combat,
    field_combat,
    commanders,
    foraging,
    ambush,
    losses,
    sieges,
    siege_works,
    dictators,
    winter,
    elephants,
)
"""The modules that ask for decisions, in the order of play."""
KINDS: Final[Kinds] = {kind: pair for module in ASKING for kind, pair in module.KINDS.items()}
ASKED_ONCE: Final = frozenset(
    {"first_player", "proconsul", "place", "raise", "dictator", "elephants"},
)
"""Kinds for which a side is asked once in a phase; the orders for all others may follow one another in it (4.2)."""


class HannibalItaly(Rules[Game]):
    """The rules, under the options agreed on."""

    id = "hannibal_italy"
    sides = SIDES
    round = "segment"
    turn = "year"
    has_bot = True
    reveals = frozenset(
        {
            "armies_meet",
            "battle_begins",
            "province_won",
            "province_lost",
            "siege_begins",
            "holds_out",
            "too_weak",
            "works_begun",
            "works_lost",
            "overrun",
            "overrun_fails",
            "diplomacy_refused",
            "suffers",
            "left_behind",
            "city_taken",
            "diplomacy_fails",
            "assault_result",
            "lost",
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

    def play(self, position: Game, table: Table) -> Flow[Mapping[str, Any]]:
        """Play on from a checkpoint; return who won and why."""
        game = table.lay(position)
        game.there = None
        yield from turn.play(game, table)
        assert game.result is not None
        return {"winner": game.result.winner, "reason": game.result.reason}

    def view(self, position: Game, side: Side | None) -> Game:
        """Return the position as a side may know it."""
        return view(position, side)

    def legal_orders(self, view: Game, decision: Decision) -> LegalOrders:
        """Return every legal answer to a decision."""
        legal_orders, _ = KINDS[decision.kind]
        return legal_orders(view, decision)

    def check(self, view: Game, decision: Decision, order: Order) -> Iterable[Fault]:
        """Yield what is wrong with an answer to a decision."""
        _, check = KINDS[decision.kind]
        return check(view, decision, order)

    def successors(self, view: Game, decision: Decision, order: Order) -> Sequence[tuple[Game, Decision]]:
        """Return the positions and decisions that a march may lead to, as its side knows them, the luckiest first."""
        return successors(view, decision, order) if decision.kind == "move" else ()

    def cost(self, view: Game, decision: Decision, order: Order) -> str:
        """Return what a legal march costs, in words; nothing of other orders."""
        return cost(view, decision, order) if decision.kind == "move" else ""

    def ends(self, order: Order) -> bool:
        """Tell whether an order ends its side's movement: it waits if an order before it cannot be carried out."""
        return order.kind == "move" and order.body == END

    def is_last(self, view: Game, decision: Decision, order: Order) -> bool:
        """Tell whether its side is asked for no second order of the kind: an office, or the end of all marches (4.2).

        A march is the last one if nobody can march after it, whatever the dice say.
        """
        if decision.kind != "move":
            return decision.kind in ASKED_ONCE
        if self.ends(order):
            return True
        return not any(True for _ in self.check(view, decision, order)) and not successors(view, decision, order)

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

    def close_up(self, view: Game, decision: Decision) -> Sequence[Section]:
        """Return the part of a position that a decision is about, for the text of a report."""
        from pbem.rules.hannibal_italy.views.summary import close_up

        return list(close_up(view, decision))

    def places(self, view: Game, decision: Decision) -> Sequence[str]:
        """Return the hexes that a decision is about."""
        from pbem.rules.hannibal_italy.views.summary import places

        return places(view, decision)

    def hints(self, view: Game, decision: Decision) -> Sequence[str | Order]:
        """Return what an order form says of the choices, in words and examples."""
        from pbem.rules.hannibal_italy.views.hints import hints

        return list(hints(view, decision))

    @cached_property
    def odds(self) -> Mapping[str, Odds]:
        """The questions about chances that players may ask."""
        from pbem.rules.hannibal_italy.views.odds import odds

        return odds(self.board, self.edition)

    def bot_order(self, view: Game, decision: Decision) -> Order:
        """Return a good answer to a decision, for a side whose player is absent."""
        from pbem.rules.hannibal_italy.policy import PROPOSALS

        return propose_order(self, PROPOSALS, view, decision)

    def facts(self, view: Game, decision: Decision) -> Mapping[str, Any]:
        """Return the facts that a standing order may use, besides those that the decision states."""
        return facts(view, decision)

    def periods(self, position: Game) -> Mapping[str, Any]:
        """Return the segment and the year that the game is in, for standing orders that end with one."""
        return periods(position)

    def foresee(self, view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
        """Return the flow that plays on from a march as a forecast; None where there is nothing to foresee."""
        from pbem.rules.hannibal_italy.views.forecast import foresee

        return foresee(view, table, decision, order)

    def outcome(self, position: Game, roll: Roll, facts: Mapping[str, Any]) -> tuple[int, str]:
        """Return the result of a roll that has no number to reach: how bad it is, and in words."""
        from pbem.rules.hannibal_italy.views.forecast import outcome

        return outcome(position, roll, facts)

    def prospects(self, position: Game, decision: Decision) -> Iterable[Event]:
        """Yield the leaders who can do what a decision asks, and their chances."""
        from pbem.rules.hannibal_italy.views.forecast import prospects

        return prospects(position, decision)

    def resample_hidden(self, position: Game, side: Side | None, table: Table) -> Game:
        """Return another position that a side could not tell from this one."""
        return resample_hidden(position, side, table)

    def vocabulary(self) -> Mapping[str, Collection[str | int]]:
        """Return the words that a test case may write in a position, by class and field."""
        from pbem.rules.hannibal_italy.views.vocabulary import vocabulary

        return vocabulary(self.board, self.box.messages()["results"])

    def audit(self, position: Game) -> Iterable[str]:
        """Yield every broken invariant in words."""
        return audit(position)

    def settle(self, position: Game) -> Game:
        """Take the units that a game master has put on the map out of the pools."""
        return settle(position)

    def encode(self, position: Game) -> dict[str, Any]:
        """Return a position as plain data."""
        data: dict[str, Any] = plain.encode(position)
        return data

    def decode(self, data: Mapping[str, Any]) -> Game:
        """Return the position that `encode` was given."""
        return plain.decode(Game, data, board=self.board, options=self.edition, there=None)


def make(box: Box, options: Options) -> HannibalItaly:
    """Return the rules of the game in a box, with options chosen."""
    return HannibalItaly(box, options)
