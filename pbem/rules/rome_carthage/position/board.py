"""The board, the generals, the cards and the tables as the rulebook prints them: they never change (3, 7, 8.5)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple, TypeAlias, TypeVar

from pbem.protocol import Side
from pbem.rules.rome_carthage.position.records import About, Tables

T = TypeVar("T")

PLAIN: Final = "plain"
WALLED_CITY: Final = "walled_city"
TRIBE: Final = "tribe"

LAND: Final = "land"
PASS: Final = "pass"
ALPS_PASS: Final = "alps_pass"
STRAIT: Final = "strait"
SEA: Final = "sea"
"""A voyage, which goes by no connection (8.8)."""
PASSES: Final = (PASS, ALPS_PASS)

ITALY: Final = "italia"
HISPANIA: Final = "hispania"
AFRICA: Final = "africa"

NEUTRAL: Final = "neutral"
FOR_BOTH: Final = "both"
ISLAND: Final = "island"
COUNTRY: Final = "country"


class Space(NamedTuple):
    """One space: a plain one, a walled city or a tribe (3)."""

    id: str
    name: str
    province: str
    region: str
    kind: str
    port: bool
    port_modifier: int | None
    """The number on the ship (8.8.3)."""
    start_control: Side | None
    capacity: int
    """CU that fit inside the walls (16.2)."""
    siege_modifier: int


class Province(NamedTuple):
    """One province: a side controls it with `majority` of its spaces (15.1)."""

    id: str
    name: str
    region: str
    spaces: tuple[str, ...]
    majority: int
    political_point: bool
    allies_value: int
    """Battle cards it brings to its controller (11.2)."""
    allies_scope: str
    """Where they fight: anywhere in the country, on the whole island, or in the province alone."""


@dataclass(frozen=True, slots=True)
class General:
    """One general; each number he needs or less on a die stands ready, his abilities counted in (8.5).

    The abilities work only while he commands (8.7), and nobody else rolls.
    """

    id: str
    name: str
    short: str
    side: Side
    strategy: int
    battle: int
    intercepts_on: int
    avoids_on: int
    pursues_on: int
    cancels_withdrawal_on: int
    counterattacks_as_attacker_on: int
    counterattacks_as_defender_on: int
    rank: int = 1
    token: bool = False
    """One of the markers from which consuls are drawn (6.4.1)."""
    strategy_in: Mapping[str, int] | None = None
    stays_in: str | None = None
    probe_as: tuple[str, ...] = ()
    removes_marker: bool = False
    naval: int = 0
    siege_in_campaign: int = 0
    siege_dice_in_force_march: int = 1
    campaign_movement: int | None = None
    returns: bool = True
    """Comes back after he was displaced (8.9)."""

    def strategy_at(self, region: str) -> int:
        """Return the lowest operations number that activates him in a region (8.1)."""
        return self.strategy_in.get(region, self.strategy) if self.strategy_in else self.strategy


@dataclass(frozen=True, slots=True)
class StrategyCard:
    """One strategy card (7.2 to 7.4)."""

    number: int
    name: str
    ops: int
    ship: bool
    event_for: str
    """The side that may use its event, or `both`."""
    type: str
    """event, counter, dual, campaign or force_march."""
    battle: bool
    """Its event belongs in a battle."""
    removed_after: int | None
    """How many uses of the event take it out of the game; None: it stays (7.4.2)."""
    breaks_truce: bool
    event: str
    """The function that plays its event: one of `events.EVENTS`."""
    about: About
    """What the function is told, so that cards alike share one."""
    text: str
    """What the event does, for who holds the card."""

    def event_of(self, side: Side) -> bool:
        """Tell whether a side may use its event (7.4)."""
        return self.event_for in (FOR_BOTH, side)


class Movement(NamedTuple):
    """Points, costs and limits of movement (8.2, 8.3, 8.8.2, 12.1)."""

    points: int
    force_march: int
    cost: Mapping[str, int]
    cu: int
    sea_cu: Mapping[str, int]
    overrun: int
    """CU that pass over a single enemy CU without a general."""
    retreat: int
    """Spaces that a beaten army may cross (12.1)."""


class Militia(NamedTuple):
    """The cards a side gets for every battle in its home province (11.2.2)."""

    side: Side
    province: str
    cards: int


class BattleNumbers(NamedTuple):
    """What makes up a hand of battle cards, and the numbers of the rolls before a battle (9, 10, 11, 14.1)."""

    hand: int
    interceptor: int
    failed_avoidance: int
    friendly_tribe: int
    militia: Militia
    interception_marker: int
    change_of_command_from: int


class Elephants(NamedTuple):
    """The numbers of the elephants (13)."""

    most: int
    charge_without_general: int
    rampage_on: int
    rampage_cards: int


class Siege(NamedTuple):
    """What a siege or a subjugation takes, and the modifier of Carthaginian sieges (16.4)."""

    points: int
    cu: int
    carthage: int


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Everything the rulebook prints that the rules look up. One for all positions of a game."""

    spaces: Mapping[str, Space]
    provinces: Mapping[str, Province]
    connections: tuple[tuple[str, str, str], ...]
    """Both ends and the kind of every connection, each once."""
    neighbours: Mapping[str, Mapping[str, str]]
    """Space -> neighbour -> kind of the connection; neighbours stand in the order of their ids."""
    by_land: Mapping[str, tuple[str, ...]]
    """Space -> neighbours by an ordinary line: where interception, avoidance and retreat may go."""
    but_for_passes: Mapping[str, tuple[str, ...]]
    """Space -> neighbours by anything but a mountain pass: where a political connection may go (15.4)."""
    both_ends: frozenset[tuple[str, str]]
    """Connections, in both directions, open only to a side that controls both ends (8.3.3)."""
    steps: Mapping[str, tuple[tuple[str, int, bool], ...]]
    """Space -> neighbours, each with the points that the step costs and whether the way is one of `both_ends`."""
    unwalled: tuple[str, ...]
    """Every space that is no walled city."""
    ports: tuple[str, ...]
    islands: Mapping[str, tuple[str, ...]]
    """Island -> its provinces."""
    generals: Mapping[str, General]
    offices: Mapping[str, int]
    """Office -> rank (8.6)."""
    cards: Mapping[int, StrategyCard]
    battle_deck: tuple[str, ...]
    """The kinds of all battle cards, each as often as it is in the deck."""
    battle_cards: Mapping[str, str]
    """Kind of battle card -> name."""
    retreat_modifiers: Mapping[str, int]
    """Kind of the battle card that won -> modifier of the retreat roll (11.10)."""
    hand_sizes: Mapping[int, int]
    """Turn -> strategy cards dealt to each side (7.1)."""
    years: Mapping[int, str]
    raising_ops: int
    """The operations number of a card that raises a unit (7.3c)."""
    movement: Movement
    consular_army: int
    """CU that a consul keeps with him (14.2)."""
    hannibal_markers: int
    """Control markers that Carthage takes off if Hannibal is displaced (8.9)."""
    battle: BattleNumbers
    elephants: Elephants
    siege: Siege
    side_names: Mapping[str, str]
    regions: Mapping[str, str]
    """Region -> name, in the order in which reports list them."""
    tables: Tables
    """The tables as they stand in `tables.yaml`."""

    def attrition(self, die: int, column: int) -> tuple[int, bool]:
        """Return CU lost by attrition, and whether one of them must be an elephant CU (8.3.2, 11.9, 17).

        `column` is the number of CU in the force, or of rounds in the battle; nothing is lost of nothing.
        """
        table = self.tables["attrition"]
        if column < 1:
            return 0, False
        row = _row(table["rows"], table["lowest"], die)
        lost = int(row[bisect_right(table["columns"], column) - 1])
        return lost, lost > 0 and die >= table["elephant_from"]

    def retreat_loss(self, die: int, cu: int) -> int:
        """Return CU the loser of a battle loses, who began it with `cu`; all of them is `cu` (11.10)."""
        table = self.tables["retreat"]
        if cu < 1:
            return 0
        lost = _row(table["rows"], table["lowest"], die)[bisect_right(table["columns"], cu) - 1]
        return cu if lost == "all" else int(lost)

    def siege_result(self, die: int) -> tuple[int, int]:
        """Return siege points gained and CU lost (16.4)."""
        table = self.tables["siege"]
        points, lost = _row(table["rows"], table["lowest"], die)
        return points, lost

    def naval_result(self, die: int) -> str:
        """Return what happens to a Carthaginian voyage: none, return or sunk (8.8.3)."""
        table = self.tables["naval"]
        return _row(table["rows"], table["lowest"], die)

    def allied(self, province: str, islands: str = ISLAND) -> tuple[Province, ...]:
        """Return the provinces whose allies fight in a battle in a province (11.2.1).

        `islands` is the option `allies_on_islands`: whether all provinces of an island help one another.
        """
        here = self.provinces[province]
        if here.allies_scope == COUNTRY:
            return tuple(other for other in self.provinces.values() if other.region == here.region)
        if here.allies_scope == ISLAND and islands == ISLAND:
            ids = next(ids for ids in self.islands.values() if province in ids)
            return tuple(self.provinces[other] for other in ids)
        return (here,)


def _row(rows: Sequence[T], lowest: int, total: int) -> T:
    """Return the row of a table for a total of dice and modifiers; off either end the nearest one."""
    return rows[min(max(total - lowest, 0), len(rows) - 1)]


# ---- what texts and numbers in a position stand for: `vocabulary` has the words of each


SideId: TypeAlias = Annotated[str, "SideId"]
GeneralId: TypeAlias = Annotated[str, "GeneralId"]
Office: TypeAlias = Annotated[str, "Office"]
SpaceId: TypeAlias = Annotated[str, "SpaceId"]
ProvinceId: TypeAlias = Annotated[str, "ProvinceId"]
CityId: TypeAlias = Annotated[str, "CityId"]
TribeId: TypeAlias = Annotated[str, "TribeId"]
WalledOrTribe: TypeAlias = Annotated[str, "WalledOrTribe"]
CardNumber: TypeAlias = Annotated[int, "CardNumber"]
CardKey: TypeAlias = Annotated[str, "CardKey"]
UseOfCard: TypeAlias = Annotated[str, "UseOfCard"]
BattleCard: TypeAlias = Annotated[str, "BattleCard"]
HandReason: TypeAlias = Annotated[str, "HandReason"]
KindOfStep: TypeAlias = Annotated[str, "KindOfStep"]
StepWord: TypeAlias = Annotated[str, "StepWord"]
ThenWord: TypeAlias = Annotated[str, "ThenWord"]
IfIntercepted: TypeAlias = Annotated[str, "IfIntercepted"]
IfAvoided: TypeAlias = Annotated[str, "IfAvoided"]
InterceptionWord: TypeAlias = Annotated[str, "InterceptionWord"]
AvoidanceWord: TypeAlias = Annotated[str, "AvoidanceWord"]
PassWord: TypeAlias = Annotated[str, "PassWord"]
AnyText: TypeAlias = Annotated[str, "AnyText"]
PhaseName: TypeAlias = Annotated[str, "PhaseName"]
Reason: TypeAlias = Annotated[str, "Reason"]
