"""The position of The Sword of Rome (3): who holds what, who stands where, cards, alliances, and what is under way.

Every fact that a check, a report or another rule may need stands here; the rule modules keep only their place in the
rulebook. A *side* is a player, a *power* a colour on the map. Mappings are keyed by words. All is public but hands,
the order of decks and of the cup, and what a march still plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, TypeAlias

from pbem.game import plain
from pbem.protocol import Decision, Record, Side
from pbem.rules.sword_of_rome.position.board import (
    BOX,
    CARTHAGE,
    CLEAR,
    GARRISON_BOX,
    GREEKS,
    NORMAL,
    PERSON,
    TRIBE,
    WALLED,
    Board,
    Options,
)

NONE: Final = "none"
"""The word of an answer that names nothing and nobody."""
UNSEEN: Final = "unseen"
"""A card or a consul in the cup that the viewer may not know."""
ROUND: Final = "round"
TURN: Final = "turn"
FOR_GOOD: Final = "game"

# ---- what texts in a position stand for: `vocabulary` has the words of each


SideId: TypeAlias = Annotated[str, "SideId"]
PowerId: TypeAlias = Annotated[str, "PowerId"]
PowerOrNone: TypeAlias = Annotated[str, "PowerOrNone"]
Proposal: TypeAlias = Annotated[str, "Proposal"]
Pair: TypeAlias = Annotated[str, "Pair"]
LeaderId: TypeAlias = Annotated[str, "LeaderId"]
SpaceId: TypeAlias = Annotated[str, "SpaceId"]
SpaceOrNone: TypeAlias = Annotated[str, "SpaceOrNone"]
TribeId: TypeAlias = Annotated[str, "TribeId"]
CardId: TypeAlias = Annotated[str, "CardId"]
CardOnTable: TypeAlias = Annotated[str, "CardOnTable"]
UseOfCard: TypeAlias = Annotated[str, "UseOfCard"]
KindOfStep: TypeAlias = Annotated[str, "KindOfStep"]
StepWord: TypeAlias = Annotated[str, "StepWord"]
ThenWord: TypeAlias = Annotated[str, "ThenWord"]
MomentName: TypeAlias = Annotated[str, "MomentName"]
MarkName: TypeAlias = Annotated[str, "MarkName"]
MarkEnd: TypeAlias = Annotated[str, "MarkEnd"]
PhaseName: TypeAlias = Annotated[str, "PhaseName"]
Reason: TypeAlias = Annotated[str, "Reason"]
AnyText: TypeAlias = Annotated[str, "AnyText"]


@dataclass(slots=True)
class Force:
    """What a power has in one place: CU, the mercenaries among them, and leaders, the commander first (8.2.1)."""

    cu: int = 0
    mercenaries: int = 0
    leaders: list[LeaderId] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not (self.cu or self.leaders)

    @property
    def commander(self) -> str | None:
        return self.leaders[0] if self.leaders else None

    @property
    def army(self) -> bool:
        """Whether it is an army: a commander with CU (Glossary)."""
        return bool(self.cu and self.leaders)

    def fewest_mercenaries(self, cu: int) -> int:
        """Return how many mercenaries are at least among some of its CU."""
        return max(0, cu - (self.cu - self.mercenaries))

    def units(self, cu: int) -> list[tuple[int, int]]:
        """Return some of its CU with each number of mercenaries that can be among them."""
        return [(cu, some) for some in range(self.fewest_mercenaries(cu), min(cu, self.mercenaries) + 1)]


# ---- what is under way: an activation, a card, a moment, a march, a battle (5.4, 7, 9, 12)


@dataclass(slots=True)
class Activation:
    """The activation of a side: its turn in a round, or the one action of a Desperate Times (5.4, 7.4)."""

    side: SideId
    played: bool = False
    """Its one card has been played (5.4)."""
    hired: bool = False
    """Mercenaries have been hired (S 7.2.4)."""
    desperate: bool = False
    """It is that of a Desperate Times: one action, and no card besides (7.4.2)."""
    proposed: list[Proposal] = field(default_factory=list)
    """Powers that have refused an alliance in it, as `proposer+other` (15.1)."""


@dataclass(slots=True)
class CardPlay:
    """The card on the table: who plays it, for what, and what it still allows (7.1)."""

    side: SideId
    card: CardOnTable
    """An id, or `desperate_times`."""
    value: int
    use: UseOfCard
    """activate, campaign, support, levy, event, colony, unrest, extra."""
    power: PowerOrNone = ""
    """The power that acts: of the side, or one without a player (16.1.1)."""
    commanders_left: int = 0
    """Commanders whom a Campaign still activates (9.5)."""
    moved: list[LeaderId] = field(default_factory=list)
    """Leaders who have been activated by it, or whom an ally has not lent to it (9.5.1, 9.5.5)."""
    rolled_at: list[SpaceId] = field(default_factory=list)
    """Spaces that have had their siege roll by it (9.5.3)."""
    cancelled: bool = False
    """A response has cancelled its activation or its event (7.1.1, 21.4)."""
    closed: list[SpaceId] = field(default_factory=list)
    """Cities into which no enemy CU go while it lies there (21.3)."""
    legs: dict[SpaceId, list[int]] = field(default_factory=dict)
    """Space -> points that CU there have used in a Campaign, those who have not moved left out (9.5.2)."""
    riders: dict[LeaderId, int] = field(default_factory=dict)
    """Leader -> points that he has used in a Campaign (9.5.2)."""
    attacked: int = 0
    """CU in the Garrison box that have attacked the unrest by it, and stand (S 20.3)."""


@dataclass(slots=True)
class Moment:
    """A moment at which responses may be played, and what they have made of it (7.1.1).

    The chapter that opens it reads the rest when the window is shut.
    """

    name: MomentName
    space: SpaceOrNone = ""
    power: PowerOrNone = ""
    """Who acts: attacker, mover, besieger, who rolls, winner or loser, whose card it is."""
    other: PowerOrNone = ""
    """Against whom."""
    value: int = 0
    """Value of the card that was played."""
    cancelled: bool = False
    """It does not take place: the activation, voyage, attempt or event."""
    modifier: int = 0
    """What is added to its roll: interception, avoidance, siege or raid."""
    points: int = 0
    """Siege points that are added to a siege, or movement points to an army that is activated."""
    sails: int = 0
    """CU that may sail without another leave (9.6.3)."""
    avoided: bool = False
    """The army avoids battle without a roll."""
    flight: bool = False
    """The enemy retreats without a battle (21.3)."""
    again: bool = False
    """The battle is fought a second time (21.3)."""


@dataclass(slots=True)
class March:
    """A leader under way (9.1): his force, where it is and came from, what is left of points and path.

    The force stands in no space while it marches; when it stops or fights it joins what its power has there and is
    empty here. Only its own side knows `path` and `then`.
    """

    side: SideId
    power: PowerId
    leader: LeaderId
    force: Force
    origin: SpaceId
    at: SpaceId
    points: int
    came_from: SpaceId | None = None
    came_by: KindOfStep = CLEAR
    """The kind of the last step: a kind of path, or `sea`."""
    path: list[dict[StepWord, Any]] = field(default_factory=list)
    """The steps still ordered, as in the order `march`."""
    then: ThenWord = ""
    against: int | None = None
    """CU that attack the unrest when it has come to the Garrison box; None: those that have come (S 20.3)."""
    over: bool = False
    fought: bool = False
    """It has fought, refused battle or failed to pursue, and is done for this card (9.5.2)."""
    failed_interceptors: list[LeaderId] = field(default_factory=list)
    """Leaders who failed to intercept it: their armies may not avoid it either (10.6)."""
    trail: list[SpaceId] = field(default_factory=list)
    """The spaces it has been in, the origin first."""
    pursuing: bool = False
    """It goes on after an enemy has avoided it: its next step is not over a rough path or a strait (11.4)."""
    lent: int | None = None
    """CU that a fleet lent by Carthage carries; 0: refused, None: Carthage was not asked (S 9.6.3)."""
    bribed: list[SpaceId] = field(default_factory=list)
    """Spaces whose CU let it pass and do not intercept it (7.2.2)."""
    flanking: SpaceId | None = None
    """The space of the battle that it is to flank (9.5.6)."""
    caught_by: PowerId | None = None
    """The power that has intercepted a flank, whose battle comes after the first one (9.5.9)."""
    legs: list[int] = field(default_factory=list)
    """Points that each of its CU has used in a Campaign, one entry a CU (9.5.2)."""
    further: int = 0
    """Movement points that events have added to those of its card (9.2)."""

    @property
    def asked(self) -> Record:
        """The facts of it in a question to its side."""
        return {"power": self.power, "leader": self.leader, "at": self.at, "points": self.points}

    def as_if(self, force: Force) -> March:
        """Return the same march with another force, to look at what that could do."""
        other = plain.twin(self)
        other.force = force
        return other


@dataclass(slots=True)
class Battle:
    """A battle under way (12.1): who fights whom and where, the flank, and what responses have made of it."""

    space: SpaceId
    attacker: PowerId
    defender: PowerOrNone
    """Empty: the unrest of Carthage (S 20.3)."""
    came_from: SpaceId | None = None
    came_by: KindOfStep = CLEAR
    intercepted: bool = False
    """It follows a successful interception (10.5.2)."""
    failed_avoidance: bool = False
    flank: PowerId | None = None
    """The power of the flanking army (9.5.6)."""
    flank_at: SpaceId | None = None
    """Where the flanking army stands."""
    flank_cu: int = 0
    """How many of the CU there are its; 0: all."""
    modifiers: dict[PowerId, int] = field(default_factory=dict)
    """Power -> what events add to its roll."""
    dice: dict[PowerId, int] = field(default_factory=dict)
    """Power -> dice it rolls, if an event says so."""
    no_losses: bool = False
    """The dice of this battle cost nobody CU."""
    sallied: int = 0
    """CU of the attacker that have come out of the city there (13.4)."""
    sallied_leaders: list[LeaderId] = field(default_factory=list)
    near: dict[PowerId, list[SpaceId]] = field(default_factory=dict)
    """Power -> spaces next to those that it controlled when the battle began (7.3.4)."""
    lost: dict[PowerId, int] = field(default_factory=dict)
    """Power -> CU that it has lost in the battle and on its retreat (12.5)."""

    def side_of(self, power: str) -> list[str]:
        """Return a power of the battle, and the ally on its flank if it has one (9.5.6)."""
        ally = self.flank if power == self.attacker else None
        return [power] if ally is None or ally == power else [power, ally]


# ---- the position


@dataclass(slots=True)
class Result:
    """How the game ended: who has won, with two players both of their sides, and why (4.2, 4.3)."""

    winners: list[SideId]
    reason: Reason


@dataclass(slots=True)
class Siege:
    """A siege or a subjugation: whose, and its level (13.1)."""

    by: PowerId
    level: int = 0
    rolled: AnyText = ""
    """The turn and round of its last roll: there is one a round (13.1.1)."""


@dataclass(slots=True)
class Mark:
    """An event in effect: its name, who played it, until when, and on whom (7.1)."""

    name: MarkName
    side: SideId
    until: MarkEnd
    """The end of the round, of the turn, or of the game."""
    on: PowerId | None = None


@dataclass(slots=True)
class Game:
    """The whole position."""

    turn: int = 1
    last_turn: int = 6
    phase: PhaseName = "mines"
    round: int = 0
    """The round of the Action Phase; 0 outside of it (5.4)."""
    first: SideId | None = None
    """Who goes first in this turn (5.3)."""
    to_act: list[SideId] = field(default_factory=list)
    """Sides still to be active in this round, the next one first."""
    event_due: bool = False
    """The Gallic event of this round is still to come, with three players (5.4)."""
    vp: dict[SideId, int] = field(default_factory=dict)
    out: list[SideId] = field(default_factory=list)
    """Sides without CU, which are out of the game (5.10.3)."""

    hands: dict[SideId, list[CardId]] = field(default_factory=dict)
    decks: dict[SideId, list[CardId]] = field(default_factory=dict)
    """Side -> its deck, the next card first."""
    discards: dict[SideId, list[CardId]] = field(default_factory=dict)
    removed: list[CardId] = field(default_factory=list)
    desperate_times: dict[SideId, int] = field(default_factory=dict)
    """Side -> its Desperate Times that are left (7.4)."""
    reshuffle: list[SideId] = field(default_factory=list)
    """Sides that have played or discarded their RESHUFFLE card since the last Draw Phase (6.4.1)."""

    control: dict[SpaceId, PowerId] = field(default_factory=dict)
    """Space -> power, for PC markers, cities and tribes alike; a space that is not here is independent."""
    loyalty: dict[SpaceId, int] = field(default_factory=dict)
    """Walled city -> loyalty; independent cities have 1."""
    colonies: list[SpaceId] = field(default_factory=list)
    """Spaces that a Roman colony has made walled cities (7.2.1)."""
    tribes: list[TribeId] = field(default_factory=list)
    """Tribes not yet subjugated (13.5)."""
    sieges: dict[SpaceId, Siege] = field(default_factory=dict)
    forces: dict[PowerId, dict[SpaceId, Force]] = field(default_factory=dict)
    """Power -> space -> what it has there, outside of a city."""
    inside: dict[SpaceId, Force] = field(default_factory=dict)
    """Walled city -> what its power has inside, while enemies stand before it (9.3.1)."""
    displaced: list[LeaderId] = field(default_factory=list)
    """Named leaders in the Displaced box (8.4)."""
    reserve: list[LeaderId] = field(default_factory=list)
    """Leaders that may come: minor ones set aside, named ones whose event is not played yet."""
    cup: list[LeaderId] = field(default_factory=list)
    """The consuls in the cup (8.2.2)."""
    gone: list[LeaderId] = field(default_factory=list)
    """Leaders that are out of the game."""

    militia: int = 0
    """CU of the citizen militia among those of Carthage overseas, which it never leaves (17.1.2)."""
    fallen: list[PowerId] = field(default_factory=list)
    """Powers without a player that have lost their capital overseas, and act no more (17.2.2)."""

    alliances: list[Pair] = field(default_factory=list)
    """Pairs of powers as `power+power`, each in the order of the board (15)."""
    marks: list[Mark] = field(default_factory=list)
    plunder: int = 0
    """Markers on the plunder track: Gallic ones above 0, Transalpine ones below (14.1)."""
    mines_depleted: bool = False
    unrest: int = 0
    unrest_raised: bool = False
    """A card has raised the unrest in this round (S 20)."""
    activated: list[PowerId] = field(default_factory=list)
    """Powers without a player that have been activated in this round (16.1.1)."""
    activation: Activation | None = None
    card: CardPlay | None = None
    march: March | None = None
    battle: Battle | None = None
    moments: list[Moment] = field(default_factory=list)
    """The moments at which responses are asked for; the last one is open and responds to those before it (7.1.1)."""
    window_shut: bool = False
    """The window for a Desperate Times before the next activation has been (7.4.4)."""
    last_chances: list[SideId] = field(default_factory=list)
    """Sides that may still play a Desperate Times after the last round (7.4.5)."""
    result: Result | None = None
    reader: SideId | None = None
    """The side whose view this is; None: it is the whole position, or what everybody sees."""
    board: Board = plain.static()
    options: Options = plain.static()

    # ---- who is who

    @property
    def the_activation(self) -> Activation:
        """The activation under way, in a rule of the Action Phase."""
        assert self.activation is not None
        return self.activation

    @property
    def the_march(self) -> March:
        """The march under way, in a rule of movement (9)."""
        assert self.march is not None
        return self.march

    @property
    def the_battle(self) -> Battle:
        """The battle under way, in a rule of battles (12)."""
        assert self.battle is not None
        return self.battle

    @property
    def moment(self) -> Moment | None:
        """The moment at which responses are asked for now; None: there is none (7.1.1)."""
        return self.moments[-1] if self.moments else None

    @property
    def in_play(self) -> list[Side]:
        """The sides that are not out of the game, in their seats (5.10.3)."""
        return [side for side in self.board.sides if side not in self.out]

    def clockwise(self, first: Side) -> list[Side]:
        """Return the sides in play from one of them on, clockwise (5.3, 7.1.1)."""
        seats = self.board.sides
        at = seats.index(first)
        return [side for side in (*seats[at:], *seats[:at]) if side not in self.out]

    def pair(self, power: str, other: str) -> str:
        """Return the word for an alliance of two powers."""
        return self.board.pairs[power][other]

    def have_alliance(self, power: str, other: str) -> bool:
        """Tell whether two powers have an alliance, or are one power (15)."""
        return power == other or f"{power}+{other}" in self.alliances or f"{other}+{power}" in self.alliances

    def allied(self, power: str, other: str) -> bool:
        """Tell whether two powers are allied; a power is while it moves with who activated it (16.1.2)."""
        if self.have_alliance(power, other):
            return True
        card = self.card
        if card is None or self.board.powers[card.power or power].side is not None:
            return False
        leading = self.board.powers_of[card.side]
        return (power == card.power and other in leading) or (other == card.power and power in leading)

    def allies(self, power: str) -> list[str]:
        """Return the other powers allied with a power."""
        return [other for other in self.board.powers if other != power and self.allied(power, other)]

    def guardian(self, power: str) -> Side | None:
        """Return the side that a power without a player is bound to by a treaty; None: none (18)."""
        if self.board.powers[power].side is not None:
            return None
        partners = [each for pair in self.alliances if power in (both := pair.split("+")) for each in both]
        return next((side for each in partners if (side := self.board.powers[each].side) is not None), None)

    def full_ally(self, side: Side, power: str) -> bool:
        """Tell whether every power of a side is allied with a power: no event of the side hurts it (15.1.2, 15.2.1).

        With two players that may have to be true of all powers of its person (option `player_ally`).
        """
        sides = self.player(side, self.options["player_ally"])
        return all(self.allied(own, power) for each in sides for own in self.board.powers_of[each])

    def player(self, side: Side, meant: str) -> tuple[Side, ...]:
        """Return the sides of the player of a side: it alone, or those of its person, as an option says."""
        return self.board.seats_of(side) if meant == PERSON else (side,)

    # ---- spaces

    def kind(self, space: str) -> str:
        """Return what a space is now: a colony is a walled city, a subjugated tribe a normal space (7.2.1, 13.5)."""
        kind = self.board.spaces[space].kind
        if space in self.colonies:
            return WALLED
        return NORMAL if kind == TRIBE and space not in self.tribes else kind

    def friendly(self, power: str, space: str) -> bool:
        """Tell whether a power or an ally of it controls a space; independent spaces are enemy (Glossary)."""
        holder = self.control.get(space)
        return holder is not None and self.allied(power, holder)

    def allys_home(self, power: str, space: str) -> bool:
        """Tell whether a space is the home of an ally, where a power places no marker of its own (15.2.3)."""
        home = self.board.spaces[space].home
        return home is not None and home != power and self.allied(power, home)

    def takes_marker(self, power: str, space: str) -> bool:
        """Tell whether a power with CU in a normal space can change its marker (7.3.1, 15.2.3).

        A friend's stays, and so does in an ally's home that of nobody.
        """
        return not self.friendly(power, space) and (space in self.control or not self.allys_home(power, space))

    def cities(self, power: str) -> list[str]:
        """Return the walled cities that a power controls."""
        return [space for space, holder in self.control.items() if holder == power and self.kind(space) == WALLED]

    def is_harbour(self, power: str, space: str) -> bool:
        """Tell whether a power can sail from and to a space (9.6, 9.6.2, 17.2.1, S 19).

        That is a port, or for Carthage the Garrison box. Ports in the home overseas of a power without a player are
        its own alone; the Greeks have one where they have landed as long as their CU are there.
        """
        record = self.board.spaces[space]
        if not record.port:
            return space == GARRISON_BOX and power == CARTHAGE
        home = self.board.overseas.get(space)
        if home is None or home[0] == power:
            return True
        return power == GREEKS and space == home[1].landing and self.outside(GREEKS, space) > 0

    def harbours(self, power: str) -> list[str]:
        """List the spaces from and to which a power can sail, the Garrison box last (9.6, S 19)."""
        box = [GARRISON_BOX] if power == CARTHAGE and GARRISON_BOX in self.board.spaces else []
        return [*(port for port in self.board.ports if self.is_harbour(power, port)), *box]

    def besieged(self, space: str) -> bool:
        """Tell whether a city is besieged or a tribe being subjugated, be it at level 0 (13.3)."""
        return space in self.sieges

    def barred(self, space: str) -> bool:
        """Tell whether an event bars a city to enemy CU for as long as its card lies on the table (21.3)."""
        return self.card is not None and space in self.card.closed

    # ---- forces

    def force(self, power: str, space: str) -> Force:
        """Return what a power has in a space outside a city; an empty force that lies nowhere if nothing."""
        return self.forces[power].get(space) or Force()

    def garrison(self, power: str, space: str) -> Force:
        """Return what a power has inside a city (9.3.1)."""
        there = self.inside.get(space)
        return there if there is not None and self.control.get(space) == power else Force()

    def put(self, power: str, space: str, force: Force) -> Force:
        """Add a force to what a power has in a space and return all of it; new leaders stand behind the others."""
        there = self.forces[power].setdefault(space, Force())
        there.cu += force.cu
        there.mercenaries += force.mercenaries
        there.leaders.extend(force.leaders)
        if there.empty:
            del self.forces[power][space]
        return there

    def take(self, power: str, space: str, force: Force) -> Force:
        """Take a force out of what a power has in a space and return it as a force of its own."""
        taken = Force(force.cu, force.mercenaries, list(force.leaders))  # it may be all that is there
        there = self.forces[power][space]
        there.cu -= taken.cu
        there.mercenaries -= taken.mercenaries
        there.leaders = [leader for leader in there.leaders if leader not in taken.leaders]
        if there.empty:
            del self.forces[power][space]
        return taken

    def cu(self, power: str, space: str) -> int:
        """Return the CU that a power has in a space, those inside its city and on the march included."""
        return self.outside(power, space) + self.garrison(power, space).cu

    def outside(self, power: str, space: str) -> int:
        """Return the CU that a power has in a space outside a city, those on the march included."""
        there, march = self.forces[power].get(space), self.march
        moving = march.force.cu if march is not None and march.at == space and march.power == power else 0
        return moving if there is None else there.cu + moving

    def stands(self, power: str) -> set[str]:
        """Return the spaces in which a power has CU outside a city, those on the march included."""
        march = self.march
        moving = [march.at] if march is not None and march.power == power and march.force.cu else []
        return {*moving, *(space for space, force in self.forces[power].items() if force.cu)}

    def friendly_cu(self, power: str, space: str) -> int:
        """Return the CU in a space of a power and its allies (7.3.3)."""
        return sum(self.cu(other, space) for other in self.board.powers if self.allied(power, other))

    def present(self, space: str) -> list[str]:
        """Return the powers that have CU or leaders in a space outside a city, those on the march included."""
        march = self.march
        moving = march.power if march is not None and march.at == space and not march.force.empty else None
        return [power for power in self.board.powers if space in self.forces[power] or power == moving]

    def enemies_in(self, power: str, space: str) -> list[str]:
        """Return the powers that are no allies and have CU outside a city in a space (9.4.1)."""
        return [each for each in self.present(space) if not self.allied(power, each) and self.outside(each, space)]

    def everywhere(self, power: str) -> Iterator[tuple[str, Force]]:
        """Yield each space with each force of a power there: in boxes, inside cities, on the march too."""
        yield from self.forces[power].items()
        if self.march is not None and self.march.power == power and not self.march.force.empty:
            yield self.march.at, self.march.force
        for space, force in self.inside.items():
            if self.control.get(space) == power:
                yield space, force

    def where(self, leader: str) -> str | None:
        """Return the space that a leader is in; None: none."""
        power = self.board.leaders[leader].power
        for space, force in self.forces[power].items():
            if leader in force.leaders:
                return space
        return next((space for space, force in self.everywhere(power) if leader in force.leaders), None)

    def cu_on_map(self, side: Side) -> int:
        """Return the CU of a side on the map; by default the off-map boxes are not on it (5.10.3)."""
        counted = 0
        for power in self.board.powers_of[side]:
            for space, force in self.everywhere(power):
                if self.options["box_is_map"] or power != CARTHAGE or self.board.spaces[space].kind != BOX:
                    counted += force.cu
        return counted

    def mark(self, name: str) -> Mark | None:
        """Return an event in effect by its name; None: it is not."""
        return next((mark for mark in self.marks if mark.name == name), None)


# ---- windows: decisions in which a side may step in while another acts (7.1.1)


def window_decision(game: Game, decision: Decision) -> Decision:
    """Return a decision as that of a window; with `windows: ask` the game waits for whoever asks by standing orders.

    Nobody waits otherwise: standing orders and orders in advance answer, or the default does.
    """
    return replace(decision, waits=game.options["windows"] == "ask", on_request=True)
