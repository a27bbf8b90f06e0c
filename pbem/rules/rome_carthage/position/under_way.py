"""A stack, and what is under way: the card on the table, a march, a reaction, a battle, a retreat (2, 7 to 12)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pbem.protocol import Record, Side
from pbem.rules.rome_carthage.position.board import (
    LAND,
    AnyText,
    AvoidanceWord,
    BattleCard,
    CardNumber,
    GeneralId,
    HandReason,
    IfAvoided,
    IfIntercepted,
    InterceptionWord,
    KindOfStep,
    PassWord,
    ProvinceId,
    SideId,
    SpaceId,
    StepWord,
    ThenWord,
    UseOfCard,
    WalledOrTribe,
)


@dataclass(slots=True)
class Stack:
    """What one side has in one place: combat units (elephants included) and generals, the commander first (8.5)."""

    cu: int = 0
    elephants: int = 0
    generals: list[GeneralId] = field(default_factory=list)
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
        """Return how many of some of its CU can be elephants at most (13.2)."""
        return min(cu, self.elephants)

    def elephants_among(self, cu: int) -> range:
        """Return how many of some of its CU can be elephants, from the fewest to the most (13.2)."""
        return range(self.fewest_elephants(cu), self.most_elephants(cu) + 1)

    def parts(self, numbers: Iterable[int]) -> list[tuple[int, int]]:
        """List the (CU, elephants) that can be taken out of it, for each of some numbers of CU (13.2)."""
        return [(cu, elephants) for cu in numbers for elephants in self.elephants_among(cu)]


@dataclass(slots=True)
class CardPlay:
    """The strategy card on the table: who plays it, which, and for what (7.2)."""

    side: SideId
    card: CardNumber
    use: UseOfCard
    generals_left: int = 0
    """Generals whom a campaign card may still move (33, 37)."""
    moved: list[GeneralId] = field(default_factory=list)
    """Generals whom a campaign card moves no more: each moves once, and nobody after a battle or a siege roll (8.1)."""
    walked: dict[SpaceId, list[int]] = field(default_factory=dict)
    """Space -> movement points left to each CU there that a campaign card has moved (8.4.1)."""
    ridden: dict[GeneralId, int] = field(default_factory=dict)
    """General -> movement points of this campaign card for which others have carried him along (8.4.1)."""
    rolled_at: list[WalledOrTribe] = field(default_factory=list)
    """Cities and tribes at which this card has had its one siege roll (16.4)."""
    sailed: bool = False
    """The one army that a card may send by sea has sailed (8.8.2)."""
    intercepted_from: list[SpaceId] = field(default_factory=list)
    """Spaces from which the enemy has tried to intercept during this card play (9.5)."""


@dataclass(slots=True)
class March:
    """A general under way (8.2): his force, where it is and came from, what is left of points and path.

    The force stands in no stack while it marches; when it stops or fights it joins the stack there and is
    empty here. `path` holds the steps still ordered, each `{to: space}` with what to `drop` or `take` there.
    """

    side: SideId
    general: GeneralId
    force: Stack
    origin: SpaceId
    at: SpaceId
    points: int
    army: int = 0
    """CU of the army from which the force set out, those included that stayed (14.2)."""
    came_from: SpaceId | None = None
    came_by: KindOfStep = LAND
    """The kind of the last step: a kind of connection, or `sea`."""
    into_city: bool = False
    """The last voyage leads straight inside the own city there (8.8.1)."""
    path: list[dict[StepWord, Any]] = field(default_factory=list)
    then: ThenWord = ""
    """What follows at the end of the path: stop, ask, or siege; empty if the order does not say."""
    if_intercepted: IfIntercepted | None = None
    """Told in advance: fight or back_up (9.3)."""
    if_avoided: IfAvoided | None = None
    """Told in advance: pursue, stop or siege (10.3)."""
    charm: list[SpaceId] | None = None
    """Spaces whose markers Hannibal takes off as he enters them; None: all that he may (card 28)."""
    legs: list[int] = field(default_factory=list)
    """Points left to each CU of the force that has not come all the way with its general (8.4.1)."""
    riders: dict[GeneralId, int] = field(default_factory=dict)
    """Points left to each companion who has not come all the way with the general on this card (8.4.1)."""
    cut: int = 0
    """Points that Bad Weather has taken off the general, and not off his units (card 41)."""
    halted: bool = False
    """Backed up, turned back at sea or failed to pursue: a campaign card moves nobody in the force again (8.4.1)."""
    brought: list[GeneralId] = field(default_factory=list)
    """The generals of the force when it stopped or fought: those whom the card has moved there (8.7)."""
    stood: dict[SpaceId, int] = field(default_factory=dict)
    """Where the side's CU stood when a campaign card brought them to battle: more elsewhere have fled there (8.4.1)."""
    idle: list[int] = field(default_factory=list)
    """Points left to each CU inside the city before which the battle is fought: they have no part in it (8.4.1)."""
    entered: list[SpaceId] = field(default_factory=list)
    over: bool = False
    fought: bool = False
    failed_interceptors: list[GeneralId] = field(default_factory=list)
    """Enemy generals who failed to intercept this force: they may not avoid it either (9.1, 10.1)."""
    failed_cu: dict[SpaceId, int] = field(default_factory=dict)
    """Space -> how many enemy CU there failed to intercept it (10.1)."""
    passes_due: list[dict[PassWord, AnyText]] = field(default_factory=list)
    """Passes crossed whose losses are still to be rolled for: `name` of the roll and `kind` of pass (8.3.2)."""

    @property
    def told(self) -> Record:
        """The facts of most events of it: whose it is, who leads it, where it is."""
        return {"side": self.side, "general": self.general, "space": self.at}

    def spend(self, points: int) -> None:
        """Spend points on a step: those of the general and of whoever can go less far (8.2, 8.4.1)."""
        self.points -= points
        self.legs = [left - points for left in self.legs]
        self.riders = {general: left - points for general, left in self.riders.items()}

    @property
    def the_way_back(self) -> str:
        """The space that the force came from, in a rule that follows a step (9.3)."""
        assert self.came_from is not None
        return self.came_from


class Besiegers(NamedTuple):
    """Who made an attempt at a city or a tribe (16.4)."""

    general: str
    cu: int | None
    """The CU that took part under a subordinate, without those lost; None: the whole army."""


@dataclass(slots=True)
class Reaction:
    """What the other side may do about a force that entered a space (9, 10)."""

    side: SideId
    space: SpaceId
    origins: list[SpaceId] = field(default_factory=list)
    """Spaces from which an army may try to intercept: one attempt each (9.1, 9.5)."""
    refuges: list[SpaceId] = field(default_factory=list)
    """Where the reacting stack in the space may go if it avoids battle (10.1)."""
    interceptions: list[dict[InterceptionWord, Any]] = field(default_factory=list)
    command: GeneralId | None = None
    """Who commands the armies that meet in the space, if the reacting side says so and nobody outranks him (8.6)."""
    avoidance: dict[AvoidanceWord, Any] = field(default_factory=dict)
    arrived: dict[SpaceId, int] = field(default_factory=dict)
    """Space of origin -> CU that intercepted from there."""
    avoided: bool = False
    avoid_failed: bool = False


@dataclass(slots=True)
class Played:
    """A battle card on the table: a Reserve stands for the card it was named as (11.4, 11.7)."""

    round: int
    side: SideId
    card: BattleCard
    used_as: BattleCard


@dataclass(slots=True)
class Battle:
    """A battle (11): who fights where, what each side holds, who has the initiative, and what was played."""

    space: SpaceId
    attacker: SideId
    """The side that attacked first: the active player (11.3)."""
    initiative: SideId
    """The current attacker."""
    attacker_from: SpaceId | None = None
    """The space the original attacker came from; None: there is no way back, they landed or sallied out."""
    defender_from: dict[SpaceId, int] = field(default_factory=dict)
    """Space -> CU that came from there by interception."""
    intercepted: bool = False
    """The original defender came by interception: one more card (9.3)."""
    avoid_failed: bool = False
    """The original defender failed to avoid battle: one card less (10.1)."""
    commanders: dict[SideId, GeneralId] = field(default_factory=dict)
    """Side -> commander; a side without a general has no entry."""
    strength: dict[SideId, int] = field(default_factory=dict)
    """CU of each side at the start of the battle."""
    lost: dict[SideId, int] = field(default_factory=dict)
    """CU of each side lost so far, which count for the political consequences (12.2)."""
    charge_cost: dict[SideId, int] = field(default_factory=dict)
    """Battle cards that the elephants' charge cost each side (13.3)."""
    cards: dict[SideId, dict[HandReason, int]] = field(default_factory=dict)
    """How each side's hand came about: reason -> cards (11.1)."""
    hands: dict[SideId, list[BattleCard]] = field(default_factory=dict)
    spy: SideId | None = None
    """The side that has declared a Spy in Enemy Camp (card 20)."""
    shown: dict[SideId, list[BattleCard]] = field(default_factory=dict)
    """Side -> those cards of its hand that lie open (card 20)."""
    deserted: dict[SideId, list[ProvinceId]] = field(default_factory=dict)
    """Side -> provinces whose allies bring it no card (cards 31, 32)."""
    round: int = 0
    """Rounds fought so far, the one under way included."""
    led: BattleCard | None = None
    """The card to match in this round, a Reserve under the name it was given."""
    played: list[Played] = field(default_factory=list)
    probe_used: bool = False
    """A general has used his one Probe of the battle as another card (Hannibal)."""
    withdrawals: int = 0
    """Attempts to withdraw since the last round (11.11)."""
    sallied: Stack = field(default_factory=Stack)
    """What of the original attacker came out of a city in the space to fight (16.4.4)."""
    withdrawer: SideId | None = None
    loser: SideId | None = None
    won_by: BattleCard | None = None
    """The unmatched card that won; None if the attacker ran out of cards or somebody withdrew."""

    @property
    def round_now(self) -> int:
        """The number of the round that is being fought or comes next; of the last one, once the battle is decided."""
        decided = self.loser is not None or self.withdrawer is not None
        return max(self.round, 1) if decided or self.led is not None else self.round + 1

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

    side: SideId
    space: SpaceId
    first_steps: list[SpaceId] = field(default_factory=list)
    barred: list[SpaceId] = field(default_factory=list)
    """Spaces that it may not enter at all."""
    room: int | None = None
    """CU that may go into its own city in the space; None: it has none there, or may not enter it."""
    sallied: Stack | None = None
    """The city is besieged: of the army no more than this, which sallied out of it, may go back (16.5.5)."""
