"""The map, the counters, the leaders and the charts, which never change (3, terrain chart, recruitment, 9.2, 9.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from pbem.game import HexCoordinate
from pbem.protocol import Record, Side

Options: TypeAlias = Record
"""The options of the game, by their names."""
CLEAR: Final = "clear"
ROUGH: Final = "rough"
MOUNTAIN: Final = "mountain"
UNFORTIFIED: Final = "unfortified"
CLASS_1: Final = "class_1"
"""Fortresses that fall to siege works alone (9.9)."""
FOOT: Final = "foot"
HORSE: Final = "horse"
ELEPHANTS: Final = "elephants"
CAPUA: Final = "capua"
TARENTUM: Final = "tarentum"
ROME_CITY: Final = "rome"
NO_CASE: Final = -2
ONE_TO_ONE: Final = 1
"""The number of the column 1-1 in the field chart."""


@dataclass(frozen=True, slots=True)
class Hex:
    """One hex: its place on the lattice, its terrain, its province, its city if it has one (3.1)."""

    id: str
    at: HexCoordinate
    terrain: str
    province: str
    coast: bool
    city: str | None


@dataclass(frozen=True, slots=True)
class City:
    """One city or fortress (3.2, 7.4, 9.7)."""

    id: str
    name: str
    hex: str
    province: str
    kind: str
    loyalty: int | None
    """What a diplomacy roll needs, and what it scores; None: a class 1 fortress."""
    recruiting: bool
    garrison: int
    """SP of the garrison unit that may stand there (9.82)."""
    intrinsic: int


@dataclass(frozen=True, slots=True)
class Province:
    """One province (3.1, 6, 8, 12.2)."""

    id: str
    name: str
    diagonal: bool
    recruits: str
    vp: int
    hexes: tuple[str, ...]
    cities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as it stands: whole, or reduced by a step (9.3)."""

    id: str
    name: str
    side: Side
    kind: str
    sp: int
    steps: int
    """Steps it still has."""
    whole: str
    """The unit that it was at first."""
    reduced: str | None
    """What one step less makes of it; None: it is eliminated."""
    pool: str | None
    back: bool


@dataclass(frozen=True, slots=True)
class LeaderCard:
    """A leader as his counter has him (3.3, 10)."""

    id: str
    name: str
    side: Side
    combat: int
    withdraws_on: int | None
    """None: he always succeeds (10.4)."""
    served: bool = False
    first_year: int | None = None
    """The year from which he is eligible; None: always (5.20)."""
    election: int = 0
    supreme: bool = False
    """He always commands (10.31)."""
    ambushes: bool = False
    recruits: int = 0
    """What he adds to his recruiting die (6.32)."""
    gaulish: bool = False
    """He alone raises and moves Gauls, in two provinces only, and comes back (10.6)."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A table of combat results: columns by odds, rows by the modified die (9.2, 9.8)."""

    columns: tuple[str, ...]
    lowest: int
    rows: tuple[tuple[str, ...], ...]

    def read(self, column: int, die: int) -> str:
        """Return a result; a die off either end uses the nearest row."""
        row = min(max(die - self.lowest, 0), len(self.rows) - 1)
        return self.rows[row][column]


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Everything that is printed."""

    hexes: Mapping[str, Hex]
    cities: Mapping[str, City]
    provinces: Mapping[str, Province]
    units: Mapping[str, Unit]
    counts: Mapping[str, int]
    """Whole unit -> how many counters there are."""
    legion: tuple[str, ...]
    leaders: Mapping[str, LeaderCard]
    roster: Mapping[Side, tuple[str, ...]]
    """Side -> its leaders, in play or not, by their ids."""
    steps: Mapping[str, tuple[tuple[str, int], ...]]
    """Hex -> the hexes next to it with the cost of entering them, in half movement points (7.3, 7.31)."""
    costs: Mapping[str, Mapping[str, int]]
    """The same, to look up the cost of one step."""
    near: Mapping[str, tuple[str, ...]]
    """Hex -> the cities in it and next to it, by their ids (7.4)."""
    around: Mapping[str, tuple[str, ...]]
    """Hex -> the cities next to it alone."""
    rates: Mapping[str, int]
    """Kind of unit -> its half movement points (7.3)."""
    beyond_gaul: frozenset[str]
    """The hexes in which the Gaulish leader may not be (10.6)."""
    rivers: frozenset[tuple[str, str]]
    """Pairs of hexes with a river between them, both ways round."""
    roads: frozenset[tuple[str, str]]
    edges: Mapping[str, tuple[str, ...]]
    home: str
    """The hex of Rome."""
    field: Chart
    assault: Chart
    tables: Record
    """The rest of the charts, as the box has them."""
    by_name: Mapping[str, str]
    """City or hex, as an order may write it -> hex."""
    scenarios: Mapping[str, Record]
    ways: Mapping[str, tuple[str, ...]]
    """Road -> its hexes, in order."""

    def find(self, place: str | int) -> str | None:
        """Return the hex that an order writes by its number or its city, in capitals and with blanks or not."""
        text = f"{place:04}" if isinstance(place, int) else place.strip()
        return self.by_name.get(text) or self.by_name.get(text.lower().replace(" ", "_"))


# ---- odds in the form of the combat charts (9.2, 9.8)


def field_column(board: Board, attack: int, defence: int, shifts: int, rounding: str) -> int:
    """Return the column of the field chart for two strengths; NO_CASE: below the lowest (9.2).

    The text rounds up to the next whole number; the other reading takes the nearest, halves up, and below 1-1 the
    nearest of the inverse.
    """
    last = len(board.field.columns) - 1
    if attack <= 0:
        return NO_CASE
    if defence <= 0:
        return last
    if attack >= defence:
        ratio = -(-attack // defence) if rounding == "up" else (2 * attack + defence) // (2 * defence)
        column = ONE_TO_ONE + ratio - 1
    elif 2 * attack < defence:
        return NO_CASE
    elif rounding == "up":
        column = ONE_TO_ONE
    else:
        column = ONE_TO_ONE - ((2 * defence + attack) // (2 * attack) - 1)
    return max(0, min(column, last) + shifts) if column >= 0 else NO_CASE


def assault_column(board: Board, attack: int, defence: int, rounding: str) -> int:
    """Return the column of the siege chart; NO_CASE: fewer than three to two (9.8)."""
    last = len(board.assault.columns) - 1
    if 2 * attack < 3 * defence:
        return NO_CASE
    whole = attack // defence if rounding == "down" else (2 * attack + defence) // (2 * defence)
    return min(last, whole - 1) if whole >= 2 else 0


# ---- what texts and numbers in a position stand for: `vocabulary` has the words of each


SideId: TypeAlias = Annotated[str, "SideId"]
LeaderId: TypeAlias = Annotated[str, "LeaderId"]
LeaderOrGone: TypeAlias = Annotated[str, "LeaderOrGone"]
LeaderOrNone: TypeAlias = Annotated[str, "LeaderOrNone"]
LeaderPlace: TypeAlias = Annotated[str, "LeaderPlace"]
Office: TypeAlias = Annotated[str, "Office"]
UnitName: TypeAlias = Annotated[str, "UnitName"]
Pool: TypeAlias = Annotated[str, "Pool"]
HexId: TypeAlias = Annotated[str, "HexId"]
CityId: TypeAlias = Annotated[str, "CityId"]
ProvinceId: TypeAlias = Annotated[str, "ProvinceId"]
WorksStage: TypeAlias = Annotated[str, "WorksStage"]
Segment: TypeAlias = Annotated[str, "Segment"]
PhaseName: TypeAlias = Annotated[str, "PhaseName"]
ScenarioId: TypeAlias = Annotated[str, "ScenarioId"]
Reason: TypeAlias = Annotated[str, "Reason"]
