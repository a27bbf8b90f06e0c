"""Hannibal: Rome vs. Carthage. Each module is a chapter of the rulebook; this one joins them for the engine.

What only reports, forms, forecasts and bots need is imported when they first ask: most commands do without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, cast

from pbem.game import Kind, Kinds, LegalOrders, Rules, Table, by_name, plain, propose_order
from pbem.protocol import Decision, Event, Fault, Flow, Order, Roll, Side
from pbem.rules.rome_carthage.battle import commanders as command
from pbem.rules.rome_carthage.battle import elephants, initiative, losses, politics, retreat, withdrawal
from pbem.rules.rome_carthage.battle import events as battle_events
from pbem.rules.rome_carthage.battle import rounds as battle_rounds
from pbem.rules.rome_carthage.events.catalogue import unmatched
from pbem.rules.rome_carthage.movement import campaigns, detachment, intercepted, next_step, weather
from pbem.rules.rome_carthage.movement import march as movement
from pbem.rules.rome_carthage.position.accounts import audit
from pbem.rules.rome_carthage.position.options import Options
from pbem.rules.rome_carthage.position.state import SIDES, Game
from pbem.rules.rome_carthage.position.unpack import unpack
from pbem.rules.rome_carthage.siege import siege, sorties
from pbem.rules.rome_carthage.turn import consuls, operations, reinforcements
from pbem.rules.rome_carthage.turn import sequence as turn
from pbem.rules.rome_carthage.turn.set_up import set_up, settle
from pbem.rules.rome_carthage.views.secrets import resample_hidden, view
from pbem.rules.rome_carthage.views.summary import facts, periods

if TYPE_CHECKING:
    from pbem.game import BaseMap, Box, Odds, Scene, Section, Summary

ASKING: Final = (
    reinforcements,
    consuls,
    turn,
    operations,
    campaigns,
    next_step,
    movement,
    detachment,
    intercepted,
    weather,
    command,
    battle_events,
    elephants,
    battle_rounds,
    initiative,
    withdrawal,
    losses,
    retreat,
    politics,
    siege,
    sorties,
)
"""The modules with decisions, in the order of play."""
KINDS: Final[Kinds] = {kind: pair for module in ASKING for kind, pair in module.KINDS.items()}
ASKED_ONCE: Final = frozenset({"reinforce", "consuls", "claim_first", "first_player", "play"})
"""Kinds for which a side is asked once in a phase, or once with a card (5, 7.1)."""
ASKED_ONCE_A_MARCH: Final = frozenset(
    {
        "clear_marker",
        "besiege",
        "sortie",
        "change_command",
        "battle_events",
        "charge",
        "retreat",
        "withdraw_to",
    }
)
"""Kinds for which a side is asked once in a march, or in the one battle that may end it (8.2, 11, 16.4)."""


class RomeCarthage(Rules[Game]):
    """The rules, for one edition and its options."""

    id = "rome_carthage"
    sides = SIDES
    round = turn = "turn"
    kinds = by_name(*(Kind(kind, *pair) for kind, pair in KINDS.items()))
    has_bot = True
    reveals = frozenset({"dealt", "card_lost", "messenger_brings"})
    """Events that reveal hidden cards by a rule: cards from the deck or of the enemy (7.1, cards 9, 55)."""

    def __init__(self, box: Box, options: Mapping[str, Any]) -> None:
        self.box = box
        self.edition = cast(Options, options)
        self.board = unpack(box)
        box.refuse(unmatched(box.table("cards")["cards"]))
        self._base: BaseMap | None = None

    def setup(self, scenario: str, table: Table) -> Game:
        """Return the position at the start of a scenario (4)."""
        return set_up(self.board, self.edition, self.box.scenario(scenario), table)

    def play(self, position: Game, table: Table) -> Flow[Mapping[str, Any]]:
        """Play on from a checkpoint; return who won and why."""
        game = table.lay(position)
        yield from turn.play(game, table)
        assert game.result is not None
        return {"winner": game.result.winner, "reason": game.result.reason}

    def view(self, position: Game, side: Side | None) -> Game:
        """Return the position without the hands and decks that a side may not see."""
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
        """Tell whether an order ends a campaign: it waits if a march before it cannot be carried out (8.1)."""
        return order.kind == "campaign" and bool(order.get("stop"))

    def is_last(self, view: Game, decision: Decision, order: Order) -> bool:
        """Tell whether its side is asked for no second order of the kind with this card (7.1, 8.1).

        A campaign card asks again for each of its generals. A path may close on the way, and then the general is asked
        where he goes on to, so only `stop` surely ends a march (8.2).
        """
        if decision.kind in ASKED_ONCE:
            return True
        marches = view.card.generals_left if view.card is not None else 0
        if decision.kind == "campaign":
            return bool(order.get("stop")) or marches == 1
        if decision.kind in ("march", "pursue"):
            return bool(order.get("stop")) and not marches
        return decision.kind in ASKED_ONCE_A_MARCH and not marches

    def scene(self, view: Game, told: Sequence[Event] = ()) -> Scene:
        """Return what there is to draw; marches and retreats just told become arrows."""
        from pbem.rules.rome_carthage.views.scene import base, scene

        if self._base is None:
            self._base = base(self.box, self.board)
        return scene(view, self._base, self.box.table("game")["sides"], told)

    def left_in_turn(self, view: Game) -> tuple[int, str] | None:
        """Return the card plays that are left at most: a turn is over when both hands are empty (7.5)."""
        return (sum(map(len, view.hands.values())), "card play") if view.phase == "strategy" else None

    def summary(self, view: Game) -> Summary:
        """Return where things stand, for the text of a report."""
        from pbem.rules.rome_carthage.views.summary import summary

        return summary(view, self.box.names)

    def close_up(self, view: Game, decision: Decision) -> Sequence[Section]:
        """Return the part of a position that a decision is about, for the text of a report."""
        from pbem.rules.rome_carthage.views.summary import close_up

        return list(close_up(view, decision, self.box.names))

    def places(self, view: Game, decision: Decision) -> Sequence[str]:
        """Return the spaces that a decision is about."""
        from pbem.rules.rome_carthage.views.summary import places

        return list(places(view, decision))

    def hints(self, view: Game, decision: Decision) -> Sequence[str | Order]:
        """Return what an order form says about the choices: sentences, and examples of orders."""
        from pbem.rules.rome_carthage.views.hints import hints

        return list(hints(view, decision))

    @cached_property
    def odds(self) -> Mapping[str, Odds]:
        """The questions about chances that players may ask."""
        from pbem.rules.rome_carthage.views.odds import odds

        return odds(self.board, self.edition)

    def bot_order(self, view: Game, decision: Decision) -> Order:
        """Return a good answer to a decision, for a side whose player is away."""
        from pbem.rules.rome_carthage.policy import PROPOSALS

        return propose_order(self, PROPOSALS, view, decision)

    def facts(self, view: Game, decision: Decision) -> Mapping[str, Any]:
        """Return what conditions of standing orders may test, besides the facts of the decision."""
        return facts(view, decision)

    def foresee(self, view: Game, table: Table, decision: Decision, order: Order) -> Flow[None] | None:
        """Return the flow that plays on from an order to march, for a forecast; None for any other order."""
        from pbem.rules.rome_carthage.views.forecast import foresee

        return foresee(view, table, decision, order)

    def outcome(self, position: Game, roll: Roll, facts: Mapping[str, Any]) -> tuple[int, str]:
        """Return the result of a roll on a table: how bad it is, and in words."""
        from pbem.rules.rome_carthage.views.forecast import outcome

        return outcome(position, roll, facts)

    def prospects(self, position: Game, decision: Decision) -> Iterable[Event]:
        """Yield who can intercept or avoid battle, and with what chance."""
        from pbem.rules.rome_carthage.views.forecast import prospects

        return prospects(position, decision)

    def periods(self, position: Game) -> Mapping[str, Any]:
        """Return the turn and the card play that the game is in, for standing orders that end with one."""
        return periods(position)

    def resample_hidden(self, position: Game, side: Side | None, table: Table) -> Game:
        """Return another position that a side could not tell from this one."""
        return resample_hidden(position, side, table)

    def settle(self, position: Game) -> Game:
        """Return a position that a test case has changed, with every card and general in a place."""
        return settle(position)

    def vocabulary(self) -> Mapping[str, Collection[str | int]]:
        """Return the words that a test case may write in a position, by class and field."""
        from pbem.rules.rome_carthage.views.vocabulary import vocabulary

        return vocabulary(self.board, self.box.messages()["results"])

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


def make(box: Box, options: Mapping[str, Any]) -> RomeCarthage:
    """Return the rules of the game in a box, with options chosen."""
    return RomeCarthage(box, options)
