"""The position: leaders with their units, units without leaders, cities, provinces, and what is under way (3, 4).

Every fact that a check, a report or another rule may need stands here. Hexes are named by their number as text,
all else by words. Units are counted by kind of counter: `{"roman_foot": 3, "roman_foot_reduced": 1}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pbem.game import plain
from pbem.protocol import Record, Side
from pbem.rules.hannibal_italy.position.board import (
    Board,
    City,
    CityId,
    HexId,
    LeaderCard,
    LeaderId,
    LeaderOrGone,
    LeaderOrNone,
    LeaderPlace,
    Office,
    Options,
    PhaseName,
    Pool,
    ProvinceId,
    Reason,
    ScenarioId,
    Segment,
    SideId,
    UnitName,
    WorksStage,
)

ROME: Final = "rome"
CARTHAGE: Final = "carthage"
SIDES: Final = (CARTHAGE, ROME)
ENEMY: Final[Mapping[Side, Side]] = {ROME: CARTHAGE, CARTHAGE: ROME}
SENATE: Final = "senate"
"""Roman leaders who wait, eligible or not yet (5.20)."""
CANDIDATES: Final = "candidates"
"""The Senate Election Box (5.2)."""
UNPLACED: Final = "unplaced"
"""Elected, and not yet put on the map (5.23)."""
AWAY: Final = "away"
"""Not yet in play, or dead and to come back (10.6, 12.321)."""
DEAD: Final = "dead"
BOXES: Final = frozenset({SENATE, CANDIDATES, UNPLACED, AWAY, DEAD})
CONSUL: Final = "consul"
PRAETOR: Final = "praetor"
PROCONSUL: Final = "proconsul"
DICTATOR: Final = "dictator"
MASTER_OF_HORSE: Final = "master_of_horse"
RANKS: Final = (DICTATOR, MASTER_OF_HORSE, CONSUL, PROCONSUL, PRAETOR)
"""Offices, the highest first (10.31, 5.4)."""
SUMMER: Final = "summer"
WINTER: Final = "winter"
GONE: Final = "gone"
"""The slave legion once it is out of the game (6.22)."""
UNSEEN: Final = "unseen"
"""A unit that the viewer may not know: it stands for all that is there, however much (7.5)."""


# ---- a march, a battle, a siege under way: each stands in the position while it lasts (7, 9)


@dataclass(slots=True)
class March:
    """Leaders on their way with what they take along (7.1, 7.2)."""

    leader: LeaderId
    """Who leads; the others go with him."""
    together: list[LeaderId] = field(default_factory=list)
    """All who go, the leader among them, in the order of the order."""
    at: HexId = ""
    spent: int = 0
    """Half movement points spent."""
    allowance: int = 0
    way: list[HexId] = field(default_factory=list)
    """The hexes of the march so far, its start first: everybody sees the leaders go."""


@dataclass(slots=True)
class Party:
    """One side in a battle (9.2)."""

    leaders: list[LeaderId] = field(default_factory=list)
    armed: list[LeaderId] = field(default_factory=list)
    """Those of them, if they are Romans, who had units with them when the battle began (10.2)."""
    commander: LeaderId = ""
    loose: bool = False
    """Units without a leader fight, too."""
    foragers: dict[LeaderOrNone, dict[UnitName, int]] = field(default_factory=dict)
    """Units set aside to forage, by the leader who has them (9.4)."""
    lost: int = 0
    """SP lost so far."""
    sallies: bool = False
    """Its units come out of the besieged city (9.71)."""
    left: bool = False
    """It has left the battle (10.4)."""


@dataclass(slots=True)
class Battle:
    """A field battle in a hex (9.1 to 9.6)."""

    hex: HexId
    attacker: SideId = ""
    round: int = 0
    parties: dict[SideId, Party] = field(default_factory=dict)
    ambush: dict[LeaderOrNone, dict[UnitName, int]] = field(default_factory=dict)
    """Units of Hannibal that lie in ambush, by the leader who has them (9.5)."""
    ambush_comes: int = 0
    """The round in which they arrive; 0: not known, or never."""
    ambush_failed: bool = False
    revealed: bool = False
    """Rome has seen what it fights (7.5)."""


@dataclass(slots=True)
class Siege:
    """A siege of a city, or siege works round a class 1 fortress (9.7, 9.91)."""

    side: SideId
    number: int = 0
    """The number of its marker: roll it or more for the city to fall; 0: siege works."""
    works: WorksStage = ""
    """partial or complete (9.91)."""


@dataclass(slots=True)
class Year:
    """What a leader did in a year, for the next election (5.2)."""

    fought: bool = False
    lost: int = 0
    """SP that Rome lost in his battles."""
    took: int = 0
    """SP that Carthage lost in them."""
    withdrew: bool = False


# ---- the position


@dataclass(slots=True)
class Result:
    """How the game ended: the winner, None for a draw, and why (12)."""

    winner: SideId | None
    reason: Reason


@dataclass(slots=True)
class Leader:
    """A leader: where he is, his office, and the units that are with him (7.1)."""

    at: LeaderPlace = SENATE
    """A hex, or one of BOXES."""
    office: Office = ""
    inside: bool = False
    """Inside the city of his hex (7.6, 9.71)."""
    units: dict[UnitName, int] = field(default_factory=dict)
    came_from: HexId = ""
    """The hex from which he entered his own in this segment; empty: he did not move (10.4)."""
    year: Year = field(default_factory=Year)
    """What he has done this year."""
    last_year: Year = field(default_factory=Year)
    escaped: bool = False
    """He lost his army, lives, and is in Rome without units: he may leave it alone (10.2)."""


@dataclass(slots=True)
class Game:
    """The whole position."""

    year: int = 218
    """BC: it counts down."""
    segment: Segment = WINTER
    phase: PhaseName = ""
    first: SideId = CARTHAGE
    """The first player of the year (4.2)."""
    leaders: dict[LeaderId, Leader] = field(default_factory=dict)
    loose: dict[SideId, dict[HexId, dict[UnitName, int]]] = field(default_factory=dict)
    """Side -> hex -> units without a leader; in a city hex they are inside (7.6)."""
    pools: dict[Pool, dict[UnitName, int]] = field(default_factory=dict)
    """Pool -> unit -> how many lie there, face down (6.3, 6.31)."""
    cities: dict[CityId, SideId] = field(default_factory=dict)
    """City -> the side that it belongs to."""
    garrisons: list[CityId] = field(default_factory=list)
    """Cities that have their garrison unit (9.82)."""
    provinces: dict[ProvinceId, SideId] = field(default_factory=dict)
    """Province -> the side that controls it, if one does (8.2)."""
    sieges: dict[CityId, Siege] = field(default_factory=dict)
    served: list[LeaderId] = field(default_factory=list)
    """Roman leaders who have been consul (5.24)."""
    last_consuls: list[LeaderId] = field(default_factory=list)
    """The consuls of last year (5.2)."""
    dictators: list[LeaderId] = field(default_factory=list)
    """Who has been dictator, and cannot be again (5.4)."""
    slaves: LeaderOrGone = ""
    """The leader of the slave legion; `gone` once it is eliminated or its leader has left office (6.22)."""
    legions_lost: int = 0
    """SP of legions lost in combat in the whole game (6.22)."""
    lost_in_battle: int = 0
    """SP of legions lost in the battle, siege or overrun that is under way or was the last (6.22)."""
    worst_battle: int = 0
    """The most SP of legions that one battle has cost (6.22)."""
    lost_this_segment: int = 0
    """SP of legions lost in this segment (5.4)."""
    lost_this_year: int = 0
    consuls_killed: int = 0
    """Consuls killed in this segment (5.4)."""
    fallen: list[HexId] = field(default_factory=list)
    """The hexes in which they were killed: a dictator may take over there (5.4)."""
    elephants_dead: int = 0
    """Steps of elephants that everybody has seen die: by the roll of winter, and in combat (11.2)."""
    foot_lost: int = 0
    """SP of Roman foot lost this year, which score (12.2)."""
    vp: int = 0
    due: list[int] = field(default_factory=list)
    """Reinforcements of the scenario that are still to come, by their place in its list (12.311)."""
    capua_revolted: bool = False
    """Capua has joined Carthage once (12.21)."""
    tarentum_taken: bool = False
    """Carthage has held Tarentum (12.22)."""
    moved: list[LeaderId] = field(default_factory=list)
    """Leaders who have ended their move in this phase."""
    held: list[LeaderId] = field(default_factory=list)
    """Leaders who did not get away from an enemy leader, or stay for another reason, in this phase (7.6, 9.7)."""
    dropped: dict[HexId, dict[UnitName, int]] = field(default_factory=dict)
    """Hex -> units left there on the way in this phase, which do not march again in it (7.2)."""
    tried: list[CityId] = field(default_factory=list)
    """Cities at which diplomacy was tried in this segment (7.4)."""
    raised: dict[CityId, int] = field(default_factory=dict)
    """City -> legions raised there this summer: elected leaders may join them (5.23)."""
    vacant: list[HexId] = field(default_factory=list)
    """Hexes that consuls and praetors left at this election (5.23)."""
    left_by_consuls: list[HexId] = field(default_factory=list)
    """Those of them that consuls left, or a dictator (5.23)."""
    fought_in: list[HexId] = field(default_factory=list)
    """Hexes whose combat is over in this step."""
    march: March | None = None
    battle: Battle | None = None
    result: Result | None = None
    board: Board = plain.static()
    options: Options = plain.static()
    scenario: ScenarioId = ""
    there: Mapping[Side, Sequence[str]] | None = plain.static()
    """The leaders on the map, by side: a cache, cleared when a leader is put there or taken away."""

    @property
    def plan(self) -> Record:
        """The scenario as the box has it: its end, reinforcements, victory (12.3)."""
        plan: Record = self.board.scenarios[self.scenario]
        return plan

    @property
    def moved_last(self) -> Side:
        """The side that moves second in this segment: in winter the first player does (4.2, 9.2)."""
        return ENEMY[self.first] if self.segment == SUMMER else self.first

    @property
    def mover(self) -> Side:
        """The side whose phase it is, in a phase of recruiting or movement (4.2)."""
        return self.first if self.phase.startswith("first") else ENEMY[self.first]

    @property
    def the_march(self) -> March:
        """The march under way, in a rule of marches (7)."""
        assert self.march is not None
        return self.march

    @property
    def the_battle(self) -> Battle:
        """The battle under way, in a rule of battles (9)."""
        assert self.battle is not None
        return self.battle

    def card(self, leader: str) -> LeaderCard:
        """Return the counter of a leader."""
        return self.board.leaders[leader]

    def on_map(self, side: Side) -> Sequence[str]:
        """Return a side's leaders on the map, by their ids."""
        if self.there is None:
            leaders = self.leaders
            self.there = {
                each: [id for id in roster if leaders[id].at not in BOXES] for each, roster in self.board.roster.items()
            }
        return self.there[side]

    def put(self, leader: str, to: str) -> None:
        """Put a leader into a hex or one of BOXES; on the map he may be moved without this."""
        self.leaders[leader].at = to
        self.there = None

    def leaders_at(self, side: Side, hex: str, *, inside: bool | None = None) -> list[str]:
        """Return a side's leaders in a hex; with `inside`, only those inside its city, or only those outside."""
        leaders = self.leaders
        found = [id for id in self.on_map(side) if leaders[id].at == hex]
        return found if inside is None else [id for id in found if leaders[id].inside == inside]

    def city_at(self, hex: str) -> City | None:
        """Return the city in a hex."""
        city = self.board.hexes[hex].city
        return None if city is None else self.board.cities[city]

    def friendly_city(self, side: Side, hex: str) -> bool:
        """Tell whether the city in a hex belongs to a side."""
        city = self.board.hexes[hex].city
        return city is not None and self.cities[city] == side

    def besieged(self, hex: str) -> Siege | None:
        """Return the siege of the city in a hex."""
        city = self.board.hexes[hex].city
        return None if city is None else self.sieges.get(city)
