"""The Sword of Rome, with the fifth-player expansion. Each module is a chapter of the rulebook; this one joins them.

What only reports, forms, forecasts and bots need is imported when they first ask: most commands do without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from pbem.game import Kind, Kinds, LegalOrders, Rules, Table, as_printed, by_name, plain, propose_order
from pbem.protocol import Decision, Event, Fault, Flow, Order, Roll, Side
from pbem.rules.sword_of_rome.battle import battle
from pbem.rules.sword_of_rome.events import alliances, desperate_times, events, minor_leaders, nonplayers, responses
from pbem.rules.sword_of_rome.movement import activation
from pbem.rules.sword_of_rome.position.accounts import audit
from pbem.rules.sword_of_rome.position.options import Options
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.position.unpack import unpack
from pbem.rules.sword_of_rome.siege import plunder, siege, unrest
from pbem.rules.sword_of_rome.turn import (
    action,
    draw,
    order_of_play,
    overseas,
    reinforcements,
    renewal,
    returning,
    surrender,
)
from pbem.rules.sword_of_rome.turn import sequence as turn
from pbem.rules.sword_of_rome.turn.set_up import set_up, settle
from pbem.rules.sword_of_rome.views.secrets import resample_hidden, view
from pbem.rules.sword_of_rome.views.summary import facts, periods

if TYPE_CHECKING:
    from pbem.game import BaseMap, Box, Odds, Scene, Section, Summary

ASKING: Final = (
    draw,
    order_of_play,
    action,
    activation,
    battle,
    siege,
    plunder,
    unrest,
    events,
    responses,
    desperate_times,
    minor_leaders,
    alliances,
    nonplayers,
    overseas,
    surrender,
    renewal,
    reinforcements,
    returning,
)
"""The modules with decisions, in the order of play."""
KINDS: Final[Kinds] = {kind: pair for module in ASKING for kind, pair in module.KINDS.items()}
ASKED_ONCE: Final = frozenset({"discard", "first_player"})
"""Kinds for which a side is asked once in a phase, before its queue is dropped (5.2, 5.3)."""


class SwordOfRome(Rules[Game]):
    """The rules, for one edition and its options."""

    id = "sword_of_rome"
    round = "turn"
    kinds = by_name(*(Kind(kind, *pair) for kind, pair in KINDS.items()))
    has_bot = True
    reveals = frozenset({"dealt", "consuls_drawn", "robbed", "fetched"})

    def __init__(self, box: Box, options: Mapping[str, Any]) -> None:
        self.box = box
        self.edition = cast(Options, options)
        self.board = unpack(box, self.edition["players"])
        self.sides = self.board.sides
        self.in_play = frozenset([*self.board.spaces, *self.board.cards])
        self._base: BaseMap | None = None

    def setup(self, scenario: str, table: Table) -> Game:
        """Return the position at the start of a scenario (3)."""
        return set_up(self.board, self.edition, self.box.scenario(scenario), table)

    def play(self, position: Game, table: Table) -> Flow[Mapping[str, Any]]:
        """Play on from a checkpoint; return who won and why."""
        game = table.lay(position)
        yield from turn.play(game, table)
        assert game.result is not None
        return {"winner": list(game.result.winners), "reason": game.result.reason}

    def view(self, position: Game, side: Side | None) -> Game:
        """Return the position without the hands, decks and lots that a side may not see."""
        return view(position, side)

    def legal_orders(self, view: Game, decision: Decision) -> LegalOrders:
        """Return every legal answer to a decision."""
        options, _ = KINDS[decision.kind]
        return options(view, decision)

    def check(self, view: Game, decision: Decision, order: Order) -> Iterable[Fault]:
        """Yield what is wrong with an answer to a decision."""
        _, check = KINDS[decision.kind]
        return check(view, decision, order)

    def ends(self, order: Order) -> bool:
        """Tell whether an order ends an activation: it waits if an action before it cannot be carried out (5.4)."""
        return order.kind == "act" and order["do"] == "end"

    def successors(self, view: Game, decision: Decision, order: Order) -> Sequence[tuple[Game, Decision]]:
        """Return the view once a leader is activated, with the question for his march, if nothing may come before."""
        from pbem.rules.sword_of_rome.views.successors import successors

        return successors(view, decision, order, self.legal_orders)

    def is_last(self, view: Game, decision: Decision, order: Order) -> bool:
        """Tell whether its side is not asked for the kind again before its queue is dropped (5.2, 5.3, 5.4)."""
        return decision.kind in ASKED_ONCE or self.ends(order)

    def is_for_later(self, view: Game, decision: Decision, order: Order) -> bool:
        """Tell whether an order is meant for a later decision: a response waits for its moment (7.1.1)."""
        return decision.kind == "respond" and responses.is_for_later(view, decision.side, order)

    def out(self, position: Game) -> Collection[Side]:
        """Return the sides that are out of the game (5.10.3)."""
        return tuple(position.out)

    def scene(self, view: Game, told: Sequence[Event] = ()) -> Scene:
        """Return what there is to draw."""
        from pbem.rules.sword_of_rome.views.scene import base, scene

        if self._base is None:
            self._base = base(self.box, self.board)
        powers = [power for power in self.box.table("powers")["powers"] if power["id"] in self.board.powers]
        return scene(view, self._base, powers, as_printed(self, self.box), told)

    def left_in_turn(self, view: Game) -> tuple[int, str] | None:
        """Return the rounds that come after this one: in each every side is active once (5.4)."""
        return (self.board.tables["rounds"] - view.round, "round") if view.phase == "action" else None

    def summary(self, view: Game) -> Summary:
        """Return where things stand, for the text of a report."""
        from pbem.rules.sword_of_rome.views.summary import summary

        return summary(view, self.box.names)

    def facts(self, view: Game, decision: Decision) -> Mapping[str, Any]:
        """Return what conditions of standing orders may test, besides the facts of the decision."""
        return facts(view, decision)

    def periods(self, position: Game) -> Mapping[str, Any]:
        """Return the turn and the round that the game is in, for standing orders that end with one."""
        return periods(position)

    def close_up(self, view: Game, decision: Decision) -> Sequence[Section]:
        """Return the part of a position that a decision is about, for the text of a report."""
        from pbem.rules.sword_of_rome.views.summary import close_up

        return list(close_up(view, decision, self.box.names))

    def places(self, view: Game, decision: Decision) -> Sequence[str]:
        """Return the spaces that a decision is about."""
        from pbem.rules.sword_of_rome.views.summary import place_of

        space = place_of(view, decision)
        return () if space is None else (space,)

    def hints(self, view: Game, decision: Decision) -> Sequence[str | Order]:
        """Return what an order form says about the choices: sentences, and examples of orders."""
        from pbem.rules.sword_of_rome.views.hints import hints

        return list(hints(view, decision))

    def foresee(self, view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
        """Return the flow that plays on from an order to a leader, for a forecast; None for any other order."""
        from pbem.rules.sword_of_rome.views.forecast import foresee

        return foresee(view, table, decision, order)

    def outcome(self, position: Game, roll: Roll, facts: Mapping[str, Any]) -> tuple[int, str]:
        """Return the result of a roll on a table: how bad it is, and in words."""
        from pbem.rules.sword_of_rome.views.forecast import outcome

        return outcome(position, roll, facts)

    def prospects(self, position: Game, decision: Decision) -> Iterable[Event]:
        """Yield who can intercept or avoid battle, and with what chance."""
        from pbem.rules.sword_of_rome.views.forecast import prospects

        return prospects(position, decision)

    def bot_order(self, view: Game, decision: Decision) -> Order:
        """Return a good answer to a decision, for a side whose player is away."""
        from pbem.rules.sword_of_rome.policy import PROPOSALS

        return propose_order(self, PROPOSALS, view, decision)

    @cached_property
    def odds(self) -> Mapping[str, Odds]:
        """The questions about chances that players may ask."""
        from pbem.rules.sword_of_rome.views.odds import odds

        return odds(self.board, self.edition)

    def resample_hidden(self, position: Game, side: Side | None, table: Table) -> Game:
        """Return another position that a side could not tell from this one."""
        return resample_hidden(position, side, table)

    def show(self, view: Game, side: Side, what: str) -> Event | Fault:
        """Let a side show a card of its hand, or all of them (6.1)."""
        from pbem.rules.sword_of_rome.views.secrets import show

        return show(view, side, what)

    def settle(self, position: Game) -> Game:
        """Return a position that a test case has changed, with every card and leader in a place."""
        return settle(position)

    def vocabulary(self) -> Mapping[str, Collection[str | int]]:
        """Return the words that a test case may write in a position, by class and field."""
        from pbem.rules.sword_of_rome.views.vocabulary import vocabulary

        moments = [each["word"] for each in self.box.table("card_words")["words"]["when"]]
        return vocabulary(self.board, self.box.messages()["results"], moments)

    def audit(self, position: Game) -> Iterable[str]:
        """Yield every broken invariant in words."""
        return audit(position)

    def encode(self, position: Game) -> dict[str, Any]:
        """Return a position as plain data."""
        data: dict[str, Any] = plain.encode(position)
        return data

    def decode(self, data: Mapping[str, Any]) -> Game:
        """Return the position that `encode` was given."""
        return plain.decode(Game, data, board=self.board, options=self.edition)


def make(box: Box, options: Mapping[str, Any]) -> SwordOfRome:
    """Return the rules of the game in a box, with options chosen."""
    return SwordOfRome(box, options)
