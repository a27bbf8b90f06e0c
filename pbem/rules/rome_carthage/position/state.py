"""The position of Hannibal: Rome vs. Carthage: the board, hands and decks, options, and what is under way (2, 4).

Every fact that a check, a report or another rule may need stands here, what is under way in the objects of
`under_way`; the rule modules keep only their place in the rulebook. Mappings are keyed by words (`capua`,
`hannibal`), never by numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypedDict

from pbem.game import plain
from pbem.protocol import Decision, Order, Side
from pbem.rules.rome_carthage.position.board import (
    Board,
    CardKey,
    CardNumber,
    CityId,
    GeneralId,
    Office,
    PhaseName,
    Reason,
    SideId,
    SpaceId,
    TribeId,
    WalledOrTribe,
)
from pbem.rules.rome_carthage.position.under_way import Battle, CardPlay, March, Reaction, Retreat, Stack

ROME: Final = "rome"
CARTHAGE: Final = "carthage"
SIDES: Final = (CARTHAGE, ROME)
ENEMY: Final[Mapping[Side, Side]] = {ROME: CARTHAGE, CARTHAGE: ROME}
UNSEEN: Final = 0
"""A strategy card that the viewer may not know; the cards are numbered from 1."""
FACE_DOWN: Final = "face_down"
"""A battle card that the viewer may not know."""
MAHARBAL: Final = "maharbal"
"""Card 6 played as a battle card."""
CAPITAL: Final[Mapping[Side, str]] = {CARTHAGE: "carthage", ROME: "rome"}
"""Side -> the city with whose fall it loses the war (19)."""
CONSUL: Final = "consul"
PROCONSUL: Final = "proconsul"


# ---- the options of an edition; what each means stands in `game.yaml`


class Options(TypedDict):
    """The options in force in a game, in the order of the rulebook."""

    carthage_free_cu: str
    baetica_cu: str
    proconsul_mandatory: bool
    consul_redraw: bool
    africanus_arrival: str
    ops_colour_bound: bool
    raise_in: str
    windows: str
    reshuffle: str
    truce_reshuffle_on_discard: bool
    strait_cost: int
    pass_drm: Mapping[str, int]
    pass_roll_timing: str
    carried_generals: str
    commander_by: str
    pick_up_generals: bool
    small_voyage: str
    naval_roman_pc_ports: str
    hannibal_displaced: str
    storm_displaces: bool
    battle_displaces: bool
    intercept_into_enemy: bool
    lone_generals_intercepted: bool
    watched_garrison_intercepts: bool
    naval_roll_when_backing_up: bool
    who_keeps_unit: str
    interceptions_from_a_space: str
    failed_interceptor_avoids: bool
    avoid_into_city: bool
    avoid_into_tribe: bool
    rome_italy_ally_cap: int | None
    allies_on_islands: str
    decline_match: bool
    matched_envelopment: str
    withdraw_limit: int | None
    withdraw_fail_initiative: str
    retreat_longer_path: bool
    retreat_target_clear: bool
    landed_may_shelter: bool
    retreat_the_way_he_came: bool
    neutral_tribe_toll: bool
    peace_after_battle: bool
    elephant_retreat_loss: str
    change_of_command_forced: bool
    consul_split_min: int
    consul_move_min5: bool
    proconsul_size_rule: bool
    flip_needs: str
    retreat_into_cities: str
    sub_general_siege: bool
    lone_sortie: bool
    rome_falls_timing: str
    elephant_reinforcement: str
    mercenaries_spared: str
    numidian_ally: str
    capua_provinces: int
    italians_won_over: str
    charming_general: str
    siege_train_passes: str
    bad_weather_by_land: str
    bad_weather_stops: str
    elephant_fright_loss: str
    pirates_port: str
    messenger_use: str
    counsel_ends: str
    ally_deserts: str
    truce_end: str


# ---- the position


@dataclass(slots=True)
class Result:
    """How the game ended: the winner and why (19)."""

    winner: SideId
    reason: Reason


@dataclass(slots=True)
class Game:
    """The whole position. The order of `hands` and `deck` is the order of dealing."""

    turn: int = 1
    last_turn: int = 9
    phase: PhaseName = "deal"
    to_play: SideId | None = None
    plays: int = 0
    """Card plays of this turn so far."""
    must_play: CardNumber | None = None
    """The Campaign card by which Rome claimed the first play (5.3)."""
    hands: dict[SideId, list[CardNumber]] = field(default_factory=dict)
    deck: list[CardNumber] = field(default_factory=list)
    discards: list[CardNumber] = field(default_factory=list)
    removed: list[CardNumber] = field(default_factory=list)
    play_next: CardNumber | None = None
    """The card that Messenger Intercepted brought, where it must be played at once (card 55)."""
    reshuffle_due: bool = False
    """The Truce was played or discarded: all cards are shuffled at the end of the turn (7.6)."""
    control: dict[SpaceId, SideId] = field(default_factory=dict)
    """Space -> side, for control markers, walled cities and friendly tribes alike (15.1, 16)."""
    truce: bool = False
    """A Truce is in force (card 64)."""
    macedonia: bool = False
    """Philip V is allied with Carthage (card 9)."""
    naval_victory: bool = False
    """The Carthaginian Naval Victory is in effect until the end of the turn (card 29)."""
    counsels: list[SideId] = field(default_factory=list)
    """Sides that Hanno or Cato binds until a turn begins after a reshuffle (cards 57, 58)."""
    counsels_ending: list[SideId] = field(default_factory=list)
    """Those of them for whom all cards have been shuffled since: they are free when the next turn begins."""
    event_uses: dict[CardKey, int] = field(default_factory=dict)
    """Card -> how often its event was used, for cards that leave the game after some uses (7.4.2)."""
    arrivals: dict[GeneralId, int] = field(default_factory=dict)
    """General -> turn of his arrival, while it is still to come (6.4.4)."""
    tribes: list[TribeId] = field(default_factory=list)
    """Tribes not yet subjugated, friendly or neutral (16.4.2)."""
    stacks: dict[SideId, dict[SpaceId, Stack]] = field(default_factory=dict)
    """Side -> space -> what stands there in the open."""
    garrisons: dict[CityId, Stack] = field(default_factory=dict)
    """Walled city -> what its owner has inside (16.2)."""
    siege_points: dict[WalledOrTribe, int] = field(default_factory=dict)
    """Walled city or tribe -> siege or subjugation points (16.4)."""
    offices: dict[GeneralId, Office] = field(default_factory=dict)
    consuls: list[GeneralId] = field(default_factory=list)
    """The consuls drawn last, in office or displaced since (6.4.1)."""
    reserve: list[GeneralId] = field(default_factory=list)
    """Roman generals off the board."""
    displaced: dict[SideId, list[GeneralId]] = field(default_factory=dict)
    out: list[GeneralId] = field(default_factory=list)
    """Generals who are out of the game."""
    card: CardPlay | None = None
    march: March | None = None
    reaction: Reaction | None = None
    battle: Battle | None = None
    retreat: Retreat | None = None
    owed_markers: dict[SideId, int] = field(default_factory=dict)
    """Control markers a side must still take off (12.2)."""
    result: Result | None = None
    board: Board = plain.static()
    options: Options = plain.static()

    # While a rule is being carried out, what it is about exists; these save it the test for None.

    @property
    def the_active_side(self) -> Side:
        """The side whose card play it is, in a rule of card plays (5.3)."""
        assert self.to_play is not None
        return self.to_play

    @property
    def the_card(self) -> CardPlay:
        """The strategy card on the table, in a rule of card plays (7)."""
        assert self.card is not None
        return self.card

    @property
    def marches_left(self) -> int:
        """The generals of a campaign who may still march after the one who does (8.1)."""
        return self.card.generals_left if self.card is not None else 0

    @property
    def the_march(self) -> March:
        """The march under way, in a rule of marches (8)."""
        assert self.march is not None
        return self.march

    @property
    def the_reaction(self) -> Reaction:
        """The reaction under way, in a rule of reactions (9, 10)."""
        assert self.reaction is not None
        return self.reaction

    @property
    def the_battle(self) -> Battle:
        """The battle under way, in a rule of battles (11)."""
        assert self.battle is not None
        return self.battle

    @property
    def the_retreat(self) -> Retreat:
        """The retreat under way, in a rule of retreats (12)."""
        assert self.retreat is not None
        return self.retreat

    def stack(self, side: Side, space: str) -> Stack:
        """Return what a side has in the open in a space; an empty stack that lies nowhere if nothing."""
        return self.stacks[side].get(space) or Stack()

    def put(self, side: Side, space: str, force: Stack) -> Stack:
        """Add a force to a side's stack in a space and return the stack; generals keep their order behind."""
        stacks = self.stacks[side]
        stack = stacks.get(space)
        if stack is None:
            stack = stacks[space] = Stack()
        stack.cu += force.cu
        stack.elephants += force.elephants
        stack.generals.extend(force.generals)
        stack.train = stack.train or force.train
        if stack.empty:
            del stacks[space]
        return stack

    def take(self, side: Side, space: str, force: Stack) -> Stack:
        """Take a force out of a side's stack in a space and return it as a stack of its own."""
        stack = self.stacks[side][space]
        stack.cu -= force.cu
        stack.elephants -= force.elephants
        stack.generals = [general for general in stack.generals if general not in force.generals]
        stack.train = stack.train and not force.train
        if stack.empty:
            del self.stacks[side][space]
        return Stack(force.cu, force.elephants, list(force.generals), force.train)

    def cu(self, side: Side, space: str) -> int:
        """Return the CU a side has in the open in a space, a force on the march included."""
        stack = self.stacks[side].get(space)
        count = stack.cu if stack else 0
        march = self.march
        if march is not None and march.at == space and march.side == side:
            count += march.force.cu
        return count

    def garrison(self, side: Side, space: str) -> Stack:
        """Return what a side has inside a walled city (16.2)."""
        inside = self.garrisons.get(space)
        return inside if inside is not None and self.control.get(space) == side else Stack()

    def besieged(self, space: str) -> bool:
        """Tell whether a walled city is besieged: it is once it has a siege point (16.4.3)."""
        return self.siege_points.get(space, 0) > 0 and space not in self.tribes

    def controller(self, province: str) -> Side | None:
        """Return the side that controls more than half of ALL spaces of a province (15.1)."""
        record = self.board.provinces[province]
        holders = [self.control.get(space) for space in record.spaces]
        for side in SIDES:
            if holders.count(side) >= record.majority:
                return side
        return None

    def where(self, general: str) -> tuple[str, bool] | None:
        """Return the space a general is in and whether he is inside its city; None: off the board."""
        march = self.march
        if march is not None and general in march.force.generals:
            return march.at, False
        record = self.board.generals.get(general)
        if record is None:
            return None
        for space, stack in self.stacks[record.side].items():
            if general in stack.generals:
                return space, False
        for space, stack in self.garrisons.items():
            if general in stack.generals:
                return space, True
        return None

    def whereabouts(self, general: str) -> tuple[str, bool]:
        """Return the space of a general who is known to be on the map, and whether he is inside its city (8.1)."""
        place = self.where(general)
        assert place is not None
        return place

    def generals_in_play(self, side: Side) -> Iterator[tuple[str, str, Stack, bool]]:
        """Yield (general, space, stack, inside a city) for every general of a side, by the ids of their spaces."""
        for space, stack in sorted([at for at in self.stacks[side].items() if at[1].generals]):
            for general in stack.generals:
                yield general, space, stack, False
        for space, inside in sorted(self.garrisons.items()):
            if self.control.get(space) == side:
                for general in inside.generals:
                    yield general, space, inside, True

    def unfriendly_tribe(self, side: Side, space: str) -> bool:
        """Tell whether a tribe is no friend of a side: a neutral one, or for Rome one with Carthage (16.6)."""
        return space in self.tribes and self.control.get(space) != side


def once_a_march(view: Game, decision: Decision, order: Order) -> bool:
    """Tell whether no march follows: its side is asked once in a march, or in the one battle that may end it (8)."""
    return not view.marches_left
