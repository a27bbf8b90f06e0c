"""The records of the box, as `schemas/` gives their shape: what the map, the cards, the tables and scenarios say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict


class Named(TypedDict):
    """A record with an id."""

    id: str


class SideRecord(Named):
    """A side, as `game.yaml` names and colours it."""

    name: str
    colour: str


# ---- the map


class SpaceRecord(Named):
    """A space of `map.yaml`."""

    name: str
    province: str
    kind: str
    control: str
    lat: int
    lon: int
    port: NotRequired[int]
    capacity: NotRequired[int]
    siege: NotRequired[int]


class ProvinceRecord(Named):
    """A province of `map.yaml`."""

    name: str
    region: str
    majority: int
    point: bool
    allies: int
    scope: str


class Chart(TypedDict):
    """The map: regions, provinces, spaces and what connects them."""

    totals: Mapping[str, object]
    regions: Sequence[Named]
    islands: Mapping[str, Sequence[str]]
    provinces: Sequence[ProvinceRecord]
    spaces: Sequence[SpaceRecord]
    connections: Sequence[Sequence[str]]


# ---- generals and cards


class GeneralRecord(Named):
    """A general of `generals.yaml`, as far as proofreading looks at him."""

    side: str
    strategy_in: NotRequired[Mapping[str, int]]
    stays_in: NotRequired[str]
    probe_as: NotRequired[Sequence[str]]


class GeneralsTable(TypedDict):
    """The generals, and the rank of each office."""

    totals: Mapping[str, int]
    offices: Mapping[str, int]
    generals: Sequence[GeneralRecord]


About = TypedDict(
    "About",
    {
        "binds": str,
        "cards": int,
        "column": int,
        "cu": int,
        "dice": int,
        "drm": int,
        "enemy_holds": int,
        "generals": int,
        "if_controlled": bool,
        "if_macedonia": bool,
        "if_province": str,
        "if_region": str,
        "markers": int,
        "no_enemy": bool,
        "pass": int,
        "points": int,
        "ports": Sequence[str],
        "province": str,
        "provinces": Sequence[str],
        "region": str,
        "regions": Sequence[str],
        "space": str,
        "spaces": int,
        "spaces_not": Sequence[str],
        "strategy": int,
        "units_in": Sequence[str],
    },
    total=False,
)
"""What `cards.yaml` tells the event of a card: each event reads the words that its cards have."""

CardRecord = TypedDict(
    "CardRecord",
    {
        "number": int,
        "name": str,
        "ops": int,
        "ship": NotRequired[bool],
        "for": str,
        "type": str,
        "battle": NotRequired[bool],
        "removed_after": NotRequired[int],
        "breaks_truce": NotRequired[bool],
        "event": str,
        "about": NotRequired[About],
        "text": str,
    },
)
"""A strategy card of `cards.yaml`."""


# ---- tables


class LossTable(TypedDict):
    """A table of losses: a row for each total, from the lowest, and a column for each size of an army."""

    lowest: int
    columns: Sequence[int]
    rows: Sequence[Sequence[int | str]]


class AttritionTable(LossTable):
    """The attrition table (8.3.2, 11.9, 17.2)."""

    elephant_from: int


class SiegeTable(TypedDict):
    """The siege table: points gained and CU lost for each total, and its numbers (16.4)."""

    lowest: int
    rows: Sequence[Sequence[int]]
    points: int
    cu: int
    carthage: int


class NavalTable(TypedDict):
    """The naval combat table, and the modifiers of its roll (8.8.3)."""

    lowest: int
    rows: Sequence[str]
    roman_port: int
    small: int
    syracuse: int
    macedonia: int
    naval_victory: int


Lot = TypedDict(
    "Lot",
    {
        "cu": int,
        "spaces": NotRequired[Sequence[str]],
        "generals_in": NotRequired[str],
        "if_space": NotRequired[str],
        "if_province": NotRequired[str],
        "at_least": NotRequired[Mapping[str, int]],
        "with": NotRequired[str],
        "turn": NotRequired[int],
    },
)
"""Units that come together as reinforcements, and where they may go (6)."""


class MilitiaRecord(TypedDict):
    """The militia of Latium (11.2.2)."""

    side: str
    province: str
    cards: int


class BattleRecord(TypedDict):
    """The numbers of battles, as far as proofreading looks at them."""

    militia: MilitiaRecord


class Tables(TypedDict):
    """The tables of `tables.yaml` that are looked up in play."""

    attrition: AttritionTable
    retreat: LossTable
    siege: SiegeTable
    naval: NavalTable
    battle: BattleRecord
    reinforcements: Mapping[str, Sequence[Lot]]


# ---- scenarios


class ArmyRecord(TypedDict):
    """An army at the start of a scenario."""

    side: str
    at: str
    cu: int
    elephants: NotRequired[int]
    generals: NotRequired[Sequence[str]]


class Scenario(TypedDict):
    """A scenario: its turns, its armies, and who holds which office (4)."""

    first_turn: int
    last_turn: int
    armies: Sequence[ArmyRecord]
    offices: Mapping[str, str]
    reserve: Sequence[str]
    arrivals: Mapping[str, int]
