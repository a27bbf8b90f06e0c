"""The position of Hannibal: Rome vs. Carthage: the board, hands and decks, and what is under way (2, 4).

Every fact that a check, a report or another rule may need stands here; the rule modules keep only their place in
the rulebook. Mappings are keyed by words (`capua`, `hannibal`), never by numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pbem.plain import static
from pbem.protocol import Side
from pbem.rules.rome_carthage.board import LAND, Board

ROME: Final = "rome"
CARTHAGE: Final = "carthage"
SIDES: Final = (CARTHAGE, ROME)
ENEMY: Final[Mapping[Side, Side]] = {ROME: CARTHAGE, CARTHAGE: ROME}
UNSEEN: Final = 0
"""A strategy card that the viewer may not know; the cards are numbered from 1."""
FACE_DOWN: Final = "face_down"
"""A battle card that the viewer may not know."""
CONSULAR_ARMY: Final = 5
CONSUL: Final = "consul"
PROCONSUL: Final = "proconsul"


@dataclass(slots=True)
class Stack:
    """What one side has in one place: combat units (elephants included) and generals, the commander first (8.5)."""

    cu: int = 0
    elephants: int = 0
    generals: list[str] = field(default_factory=list)
    train: bool = False
    """The Carthaginian siege train is with them (card 30)."""

    @property
    def commander(self) -> str | None:
        return self.generals[0] if self.generals else None

    @property
    def empty(self) -> bool:
        return not self.cu and not self.generals and not self.train

    def fewest_elephants(self, cu: int) -> int:
        """Return how many of some of its CU must be elephants (13.2)."""
        return max(0, cu - (self.cu - self.elephants))

    def most_elephants(self, cu: int) -> int:
        """Return how many of some of its CU can be elephants (13.2)."""
        return min(cu, self.elephants)


@dataclass(slots=True)
class CardPlay:
    """The strategy card on the table: who plays it, which, and for what (7.2)."""

    side: Side
    card: int
    use: str
    generals_left: int = 0
    """Generals whom a campaign card may still move (33, 37)."""
    moved: list[str] = field(default_factory=list)
    """Generals whom this card has moved."""
    walked: dict[str, list[int]] = field(default_factory=dict)
    """Space -> movement points spent by each CU there that this card has moved: nobody carries it further (8.4.1)."""
    rolled_at: list[str] = field(default_factory=list)
    """Cities and tribes at which this card has had its one siege roll (16.4)."""
    sailed: bool = False
    """The one army that a card may send by sea has sailed (8.8.2)."""


@dataclass(slots=True)
class March:
    """A general under way (8.2): his force, where it is and came from, what is left of points and path.

    The force stands in no stack while it marches; when it stops or fights it joins the stack there and is
    empty here. `path` holds the steps still ordered, each `{to: space}` with what to `drop` or `take` there.
    """

    side: Side
    general: str
    force: Stack
    origin: str
    at: str
    points: int
    came_from: str | None = None
    came_by: str = LAND
    """The kind of the last step: a kind of connection, or `sea`."""
    path: list[dict[str, Any]] = field(default_factory=list)
    then: str = "stop"
    """What follows at the end of the path: stop, ask, or siege."""
    if_intercepted: str | None = None
    """Told in advance: fight or back_up (9.3)."""
    if_avoided: str | None = None
    """Told in advance: pursue, stop or siege (10.3)."""
    entered: list[str] = field(default_factory=list)
    over: bool = False
    fought: bool = False
    failed_interceptors: list[str] = field(default_factory=list)
    """Enemy generals who failed to intercept this force: they may not avoid it either (9.1, 10.1)."""
    failed_cu: dict[str, int] = field(default_factory=dict)
    """Space -> how many enemy CU there failed to intercept it (10.1)."""
    passes_due: list[dict[str, str]] = field(default_factory=list)
    """Passes crossed whose losses are still to be rolled for: `name` of the roll and `kind` of pass (8.3.2)."""

    @property
    def the_way_back(self) -> str:
        """The space that the force came from, in a rule that follows a step (9.3)."""
        assert self.came_from is not None
        return self.came_from


@dataclass(slots=True)
class Reaction:
    """What the other side may do about a force that entered a space (9, 10)."""

    side: Side
    space: str
    origins: list[str] = field(default_factory=list)
    """Spaces from which an army may try to intercept: one attempt each (9.1, 9.5)."""
    refuges: list[str] = field(default_factory=list)
    """Where the reacting stack in the space may go if it avoids battle (10.1)."""
    interceptions: list[dict[str, Any]] = field(default_factory=list)
    avoidance: dict[str, Any] = field(default_factory=dict)
    arrived: dict[str, int] = field(default_factory=dict)
    """Space of origin -> CU that intercepted from there."""
    avoided: bool = False
    avoid_failed: bool = False


@dataclass(slots=True)
class Played:
    """A battle card on the table: a Reserve stands for the card it was named as (11.4, 11.7)."""

    round: int
    side: Side
    card: str
    used_as: str


@dataclass(slots=True)
class Battle:
    """A battle (11): who fights where, what each side holds, who has the initiative, and what was played."""

    space: str
    attacker: Side
    """The side that attacked first: the active player (11.3)."""
    initiative: Side
    """The current attacker."""
    attacker_from: str | None = None
    """The space the original attacker came from; None: there is no way back, he landed or sallied out."""
    defender_from: dict[str, int] = field(default_factory=dict)
    """Space -> CU that came from there by interception."""
    intercepted: bool = False
    """The original defender came by interception: one more card (9.3)."""
    avoid_failed: bool = False
    """The original defender failed to avoid battle: one card less (10.1)."""
    commanders: dict[str, str] = field(default_factory=dict)
    """Side -> commander; a side without a general has no entry."""
    strength: dict[str, int] = field(default_factory=dict)
    """CU of each side at the start of the battle."""
    lost: dict[str, int] = field(default_factory=dict)
    """CU of each side lost so far, which count for the political consequences (12.2)."""
    charge_cost: dict[str, int] = field(default_factory=dict)
    """Battle cards that the elephants' charge cost each side (13.3)."""
    cards: dict[str, dict[str, int]] = field(default_factory=dict)
    """How each side's hand came about: reason -> cards (11.1)."""
    hands: dict[str, list[str]] = field(default_factory=dict)
    round: int = 0
    """Rounds fought so far, the one under way included."""
    led: str | None = None
    """The card to match in this round, a Reserve under the name it was given."""
    played: list[Played] = field(default_factory=list)
    probe_used: bool = False
    """A general has used his one Probe of the battle as another card (Hannibal)."""
    withdrawals: int = 0
    """Attempts to withdraw since the last round (11.11)."""
    withdrawer: Side | None = None
    loser: Side | None = None
    won_by: str | None = None
    """The unmatched card that won; None if the attacker ran out of cards or somebody withdrew."""

    @property
    def the_led(self) -> str:
        """The card to match, in a rule of the match (11.5)."""
        assert self.led is not None
        return self.led

    @property
    def the_withdrawer(self) -> Side:
        """The side that broke off, in a rule of withdrawals (11.11)."""
        assert self.withdrawer is not None
        return self.withdrawer

    @property
    def the_loser(self) -> Side:
        """The side that lost, in a rule of defeats (11.8, 12)."""
        assert self.loser is not None
        return self.loser


@dataclass(slots=True)
class Retreat:
    """A beaten army about to retreat: where it may go from the space of the battle (12.1)."""

    side: Side
    space: str
    first_steps: list[str] = field(default_factory=list)
    barred: list[str] = field(default_factory=list)
    """Spaces that it may not enter at all."""
    room: int | None = None
    """CU that fit into its own unbesieged city in the space; None: there is none."""


@dataclass(slots=True)
class Result:
    """How the game ended: the winner and why (19)."""

    winner: Side
    reason: str


@dataclass(slots=True)
class Game:
    """The whole position. The order of `hands` and `deck` is the order of dealing."""

    turn: int = 1
    last_turn: int = 9
    phase: str = "deal"
    to_play: Side | None = None
    plays: int = 0
    """Card plays of this turn so far."""
    must_play: int | None = None
    """The Campaign card by which Rome claimed the first play (5.3)."""
    hands: dict[str, list[int]] = field(default_factory=dict)
    deck: list[int] = field(default_factory=list)
    discards: list[int] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    reshuffle_due: bool = False
    """The Truce was played or laid off: all cards are shuffled anew at the end of the turn (7.6)."""
    control: dict[str, str] = field(default_factory=dict)
    """Space -> side, for control markers, walled cities and friendly tribes alike (15.1, 16)."""
    truce: bool = False
    """A Truce is in force (card 64)."""
    macedonia: bool = False
    """Philip V is allied with Carthage (card 9)."""
    naval_victory: bool = False
    """The Carthaginian Naval Victory is in effect until the end of the turn (card 29)."""
    counsels: list[str] = field(default_factory=list)
    """Sides that Hanno or Cato binds until a turn begins after a reshuffle (cards 57, 58)."""
    event_uses: dict[str, int] = field(default_factory=dict)
    """Card -> how often its event was used, for cards that leave the game after some uses (7.4.2)."""
    arrivals: dict[str, int] = field(default_factory=dict)
    """General -> turn of his arrival, while it is still to come (6.4.4)."""
    tribes: list[str] = field(default_factory=list)
    """Tribes not yet subjugated, friendly or neutral (16.4.2)."""
    stacks: dict[str, dict[str, Stack]] = field(default_factory=dict)
    """Side -> space -> what stands there in the open."""
    garrisons: dict[str, Stack] = field(default_factory=dict)
    """Walled city -> what its owner has inside (16.2)."""
    siege_points: dict[str, int] = field(default_factory=dict)
    """Walled city or tribe -> siege or subjugation points (16.4)."""
    offices: dict[str, str] = field(default_factory=dict)
    reserve: list[str] = field(default_factory=list)
    """Roman generals off the board."""
    displaced: dict[str, list[str]] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    """Generals who are out of the game."""
    card: CardPlay | None = None
    march: March | None = None
    reaction: Reaction | None = None
    battle: Battle | None = None
    retreat: Retreat | None = None
    owed_markers: dict[str, int] = field(default_factory=dict)
    """Control markers a side must still take off (12.2)."""
    result: Result | None = None
    board: Board = static()
    options: Mapping[str, Any] = static()

    # What a rule is about is there while the rule is in force; these spare it the question whether it is.

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
        control = self.control
        for side in SIDES:
            if sum(control.get(space) == side for space in record.spaces) >= record.majority:
                return side
        return None

    def where(self, general: str) -> tuple[str, bool] | None:
        """Return the space a general is in and whether he is inside its city; None: off the board."""
        march = self.march
        if march is not None and general in march.force.generals:
            return march.at, False
        for side in SIDES:
            for space, stack in self.stacks[side].items():
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
        for space, stack in sorted(self.stacks[side].items()):
            for general in stack.generals:
                yield general, space, stack, False
        for space, inside in sorted(self.garrisons.items()):
            if self.control.get(space) == side:
                for general in inside.generals:
                    yield general, space, inside, True

    def unfriendly_tribe(self, side: Side, space: str) -> bool:
        """Tell whether a tribe is no friend of a side: a neutral one, or for Rome one with Carthage (16.6)."""
        return space in self.tribes and self.control.get(space) != side
