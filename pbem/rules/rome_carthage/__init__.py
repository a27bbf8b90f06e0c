"""Hannibal: Rome vs. Carthage. Each module is a chapter of the rulebook; this one joins them for the engine.

What only reports, forms, forecasts and bots need is imported when they first ask: most commands do without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from pbem.game import Rules, Table, by_name, plain
from pbem.protocol import Decision, Event, Flow, Record, Roll, Side
from pbem.rules.rome_carthage.battle.battle import BATTLE_KINDS
from pbem.rules.rome_carthage.battle.events import BATTLE_EVENT_KINDS
from pbem.rules.rome_carthage.battle.losses import LOSSES_KINDS
from pbem.rules.rome_carthage.battle.politics import POLITICS_KINDS
from pbem.rules.rome_carthage.battle.retreat import RETREAT_KINDS
from pbem.rules.rome_carthage.battle.rounds import ROUND_KINDS
from pbem.rules.rome_carthage.battle.withdrawal import INITIATIVE_KINDS, WITHDRAWAL_KINDS
from pbem.rules.rome_carthage.events.catalogue import unmatched
from pbem.rules.rome_carthage.movement.campaigns import CAMPAIGN_KINDS
from pbem.rules.rome_carthage.movement.detachment import REACTION_KINDS
from pbem.rules.rome_carthage.movement.hazards import WEATHER_KINDS
from pbem.rules.rome_carthage.movement.intercepted import INTERCEPTED_KINDS
from pbem.rules.rome_carthage.movement.march import MARCH_KINDS
from pbem.rules.rome_carthage.position.accounts import audit
from pbem.rules.rome_carthage.position.board import ALPS_PASS, LAND, PASS, SEA, STRAIT, TRIBE, WALLED_CITY
from pbem.rules.rome_carthage.position.state import FACE_DOWN, MAHARBAL, SIDES, UNSEEN, Game, Options
from pbem.rules.rome_carthage.position.unpack import unpack
from pbem.rules.rome_carthage.siege.siege import SIEGE_KINDS
from pbem.rules.rome_carthage.siege.sorties import SORTIE_KINDS
from pbem.rules.rome_carthage.turn import sequence as turn
from pbem.rules.rome_carthage.turn.consuls import CONSUL_KINDS
from pbem.rules.rome_carthage.turn.operations import PLAY_KINDS
from pbem.rules.rome_carthage.turn.reinforcements import REINFORCEMENT_KINDS
from pbem.rules.rome_carthage.turn.sequence import FIRST_PLAY_KINDS, set_up, settle
from pbem.rules.rome_carthage.views.secrets import resample_hidden, view
from pbem.rules.rome_carthage.views.summary import facts, periods

if TYPE_CHECKING:
    from pbem.game import BaseMap, Box, Odds, Scene, Summary

HAND_REASONS: Final = (
    *("general", "cu", "interception", "failed_avoidance", "allies"),
    *("desertion", "militia", "tribe", "limit", "charge"),
)
"""The reasons for battle cards (11.1)."""
KINDS: Final = by_name(
    *REINFORCEMENT_KINDS,
    *CONSUL_KINDS,
    *FIRST_PLAY_KINDS,
    *PLAY_KINDS,
    *CAMPAIGN_KINDS,
    *MARCH_KINDS,
    *REACTION_KINDS,
    *INTERCEPTED_KINDS,
    *WEATHER_KINDS,
    *BATTLE_KINDS,
    *BATTLE_EVENT_KINDS,
    *ROUND_KINDS,
    *INITIATIVE_KINDS,
    *WITHDRAWAL_KINDS,
    *LOSSES_KINDS,
    *RETREAT_KINDS,
    *POLITICS_KINDS,
    *SIEGE_KINDS,
    *SORTIE_KINDS,
    close_up="views.summary:close_up",
    places="views.summary:places",
)
"""The kinds of decisions, in the order of play."""


class RomeCarthage(Rules[Game]):
    """The rules, for one edition and its options."""

    id = "rome_carthage"
    sides = SIDES
    kinds = KINDS
    round = turn = "turn"
    reveals = frozenset({"dealt", "card_lost", "messenger_brings"})
    """Events that reveal hidden cards by a rule: cards from the deck or of the enemy (7.1, cards 9, 55)."""

    def __init__(self, box: Box, options: Record) -> None:
        self.box = box
        self.edition = cast(Options, options)
        self.board = unpack(box)
        box.refuse(unmatched(box.table("cards")["cards"]))
        self._base: BaseMap | None = None

    def setup(self, scenario: str, table: Table) -> Game:
        """Return the position at the start of a scenario (4)."""
        return set_up(self.board, self.edition, self.box.scenario(scenario), table)

    def play(self, position: Game, table: Table) -> Flow[Record]:
        """Play on from a checkpoint; return who won and why."""
        game = table.lay(position)
        yield from turn.play(game, table)
        assert game.result is not None
        return {"winner": game.result.winner, "reason": game.result.reason}

    def view(self, position: Game, side: Side | None) -> Game:
        """Return the position without the hands and decks that a side may not see."""
        return view(position, side)

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

        return summary(view)

    @cached_property
    def odds(self) -> Mapping[str, Odds]:
        """The questions about chances that players may ask."""
        from pbem.rules.rome_carthage.views.odds import odds

        return odds(self.board, self.edition)

    def facts(self, view: Game, decision: Decision) -> Record:
        """Return what conditions of standing orders may test, besides the facts of the decision."""
        return facts(view, decision)

    def outcome(self, position: Game, roll: Roll, facts: Record) -> tuple[int, str]:
        """Return the result of a roll on a table: how bad it is, and in words."""
        from pbem.rules.rome_carthage.views.forecast import outcome

        return outcome(position, roll, facts)

    def periods(self, position: Game) -> Record:
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
        board = self.board
        cities = [id for id, space in board.spaces.items() if space.kind == WALLED_CITY]
        tribes = [id for id, space in board.spaces.items() if space.kind == TRIBE]
        return plain.vocabulary(
            Game,
            {
                "SideId": SIDES,
                "GeneralId": board.generals,
                "Office": board.offices,
                "SpaceId": board.spaces,
                "ProvinceId": board.provinces,
                "CityId": cities,
                "TribeId": tribes,
                "WalledOrTribe": (*cities, *tribes),
                "CardNumber": (UNSEEN, *board.cards),
                "CardKey": [str(card) for card in board.cards],
                "UseOfCard": ("operations", "event", "discard"),
                "BattleCard": (*board.battle_cards, MAHARBAL, FACE_DOWN),
                "HandReason": HAND_REASONS,
                "KindOfStep": (LAND, PASS, ALPS_PASS, STRAIT, SEA),
                "StepWord": ("to", "by", "drop", "take"),
                "ThenWord": ("stop", "ask", "siege", "inside"),
                "IfIntercepted": ("fight", "back_up"),
                "IfAvoided": ("pursue", "stop", "siege"),
                "InterceptionWord": ("general", "cu", "elephants", "with"),
                "AvoidanceWord": ("to", "general", "cu", "elephants", "with"),
                "PassWord": ("name", "kind"),
                "AnyText": (),
                "PhaseName": (*turn.PHASES, *turn.SILENT),
                "Reason": self.box.messages()["results"],
            },
        )

    def audit(self, position: Game) -> Iterable[str]:
        """Yield every broken invariant in words."""
        return audit(position)

    def decode(self, data: Record) -> Game:
        """Return the position that `encode` was given."""
        return plain.decode(Game, data, board=self.board, options=self.edition)


def make(box: Box, options: Record) -> RomeCarthage:
    """Return the rules of the game in a box, with options chosen."""
    return RomeCarthage(box, options)
