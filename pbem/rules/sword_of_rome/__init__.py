"""The Sword of Rome, with the fifth-player expansion. Each module is a chapter of the rulebook; this one joins them.

What only reports, forms, forecasts and bots need is imported when they first ask: most commands do without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Final, cast

from pbem.game import Rules, Table, as_printed, by_name, plain
from pbem.protocol import Decision, Event, Fault, Flow, Record, Roll, Side
from pbem.rules.sword_of_rome.battle.retreat import RETREAT_KINDS
from pbem.rules.sword_of_rome.battle.spoils import SPOILS_KINDS
from pbem.rules.sword_of_rome.events.alliances import ALLIANCE_KINDS
from pbem.rules.sword_of_rome.events.card_play import EXTRA
from pbem.rules.sword_of_rome.events.desperate_times import DESPERATE_KINDS
from pbem.rules.sword_of_rome.events.minor_leaders import MINOR_LEADER_KINDS
from pbem.rules.sword_of_rome.events.responses import RESPONSE_KINDS
from pbem.rules.sword_of_rome.movement.entering import ENTERING_KINDS
from pbem.rules.sword_of_rome.movement.flanks import FLANK_KINDS
from pbem.rules.sword_of_rome.movement.march_orders import MARCH_KINDS
from pbem.rules.sword_of_rome.movement.parts import ASK, ATTACK_UNREST, STOP
from pbem.rules.sword_of_rome.movement.reactions import REACTION_KINDS
from pbem.rules.sword_of_rome.movement.voyages import VOYAGE_KINDS
from pbem.rules.sword_of_rome.position.accounts import audit
from pbem.rules.sword_of_rome.position.board import APPIAN, CLEAR, DESPERATE_TIMES, DIFFICULT, SEA, Options
from pbem.rules.sword_of_rome.position.changes import INSURRECTION
from pbem.rules.sword_of_rome.position.state import FOR_GOOD, ROUND, TURN, UNSEEN, Game
from pbem.rules.sword_of_rome.position.unpack import unpack
from pbem.rules.sword_of_rome.siege.siege import SIEGE_KINDS
from pbem.rules.sword_of_rome.turn import sequence as turn
from pbem.rules.sword_of_rome.turn.action import ACTION_KINDS, USES
from pbem.rules.sword_of_rome.turn.attrition import SURRENDER_KINDS
from pbem.rules.sword_of_rome.turn.draw import DRAW_KINDS
from pbem.rules.sword_of_rome.turn.order_of_play import ORDER_OF_PLAY_KINDS
from pbem.rules.sword_of_rome.turn.overseas import OVERSEAS_KINDS
from pbem.rules.sword_of_rome.turn.reinforcements import REINFORCEMENT_KINDS
from pbem.rules.sword_of_rome.turn.sequence import set_up, settle
from pbem.rules.sword_of_rome.views.secrets import resample_hidden, view
from pbem.rules.sword_of_rome.views.summary import facts, periods

if TYPE_CHECKING:
    from pbem.game import BaseMap, Box, Odds, Scene, Summary

KINDS: Final = by_name(
    *DRAW_KINDS,
    *ORDER_OF_PLAY_KINDS,
    *ACTION_KINDS,
    *MARCH_KINDS,
    *FLANK_KINDS,
    *ENTERING_KINDS,
    *REACTION_KINDS,
    *VOYAGE_KINDS,
    *RETREAT_KINDS,
    *SPOILS_KINDS,
    *SIEGE_KINDS,
    *RESPONSE_KINDS,
    *DESPERATE_KINDS,
    *MINOR_LEADER_KINDS,
    *ALLIANCE_KINDS,
    *OVERSEAS_KINDS,
    *SURRENDER_KINDS,
    *REINFORCEMENT_KINDS,
    close_up="views.summary:close_up",
    places="views.summary:places",
)
"""The kinds of decisions, in the order of play."""


class SwordOfRome(Rules[Game]):
    """The rules, for one edition and its options."""

    id = "sword_of_rome"
    round = "turn"
    kinds = KINDS
    reveals = frozenset({"dealt", "consuls_drawn", "robbed", "fetched"})

    def __init__(self, box: Box, options: Record) -> None:
        self.box = box
        self.edition = cast(Options, options)
        self.board = unpack(box, self.edition["players"])
        self.sides = self.board.sides
        self.in_play = frozenset([*self.board.spaces, *self.board.cards])
        self._base: BaseMap | None = None

    def setup(self, scenario: str, table: Table) -> Game:
        """Return the position at the start of a scenario (3)."""
        return set_up(self.board, self.edition, self.box.scenario(scenario), table)

    def play(self, position: Game, table: Table) -> Flow[Record]:
        """Play on from a checkpoint; return who won and why."""
        game = table.lay(position)
        yield from turn.play(game, table)
        assert game.result is not None
        return {"winner": list(game.result.winners), "reason": game.result.reason}

    def view(self, position: Game, side: Side | None) -> Game:
        """Return the position without the hands, decks and lots that a side may not see."""
        return view(position, side)

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

    def facts(self, view: Game, decision: Decision) -> Record:
        """Return what conditions of standing orders may test, besides the facts of the decision."""
        return facts(view, decision)

    def periods(self, position: Game) -> Record:
        """Return the turn and the round that the game is in, for standing orders that end with one."""
        return periods(position)

    def outcome(self, position: Game, roll: Roll, facts: Record) -> tuple[int, str]:
        """Return the result of a roll on a table: how bad it is, and in words."""
        from pbem.rules.sword_of_rome.views.odds import outcome

        return outcome(position, roll, facts)

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
        board, powers = self.board, list(self.board.powers)
        cards = (UNSEEN, *board.cards)
        effects = [effect for card in board.cards.values() for effect in card.effects]
        return plain.vocabulary(
            Game,
            {
                "SideId": board.sides,
                "PowerId": powers,
                "PowerOrNone": ("", *powers),
                "Proposal": [f"{a}+{b}" for a, b in permutations(powers, 2)],
                "Pair": [f"{a}+{b}" for a, b in combinations(powers, 2)],
                "LeaderId": board.leaders,
                "SpaceId": board.spaces,
                "SpaceOrNone": ("", *board.spaces),
                "TribeId": board.tribes,
                "CardId": cards,
                "CardOnTable": (*cards, DESPERATE_TIMES),
                "UseOfCard": (*USES, EXTRA),
                "KindOfStep": (CLEAR, *DIFFICULT, APPIAN, SEA),
                "StepWord": ("to", "by", "drop", "take", "raid"),
                "ThenWord": ("", STOP, ASK, ATTACK_UNREST),
                "MomentName": [each["word"] for each in self.box.table("card_words")["words"]["when"]],
                "MarkName": sorted({INSURRECTION, *(each["marker"]["name"] for each in effects if "marker" in each)}),
                "MarkEnd": (ROUND, TURN, FOR_GOOD),
                "PhaseName": (*turn.PHASES, *turn.SILENT),
                "Reason": self.box.messages()["results"],
                "AnyText": (),
            },
        )

    def audit(self, position: Game) -> Iterable[str]:
        """Yield every broken invariant in words."""
        return audit(position)

    def decode(self, data: Record) -> Game:
        """Return the position that `encode` was given."""
        return plain.decode(Game, data, board=self.board, options=self.edition)


def make(box: Box, options: Record) -> SwordOfRome:
    """Return the rules of the game in a box, with options chosen."""
    return SwordOfRome(box, options)
