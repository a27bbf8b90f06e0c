"""The board: everything the rulebook prints that the rules look up, one for all positions of a game (2, 6, 8).

With it come the options of an edition; what each means stands in `game.yaml`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias, TypedDict

from pbem.protocol import Record, Side

PERSON: Final = "person"
"""The value of options that ask, with two players, what the rules mean by a player: a side, or who leads two."""
NORMAL: Final = "normal"
WALLED: Final = "walled"
TRIBE: Final = "tribe"
BOX: Final = "box"
CLEAR: Final = "clear"
ROUGH: Final = "rough"
STRAIT: Final = "strait"
APPIAN: Final = "appian"
SEA: Final = "sea"
"""A voyage, which goes by no path (9.6)."""
DIFFICULT: Final = (ROUGH, STRAIT)
"""The paths that no interception, avoidance or retreat crosses (10.2, 11.1, 12.4.1)."""
ROMANS: Final = "romans"
GAULS: Final = "gauls"
ETRUSCANS: Final = "etruscans"
SAMNITES: Final = "samnites"
GREEKS: Final = "greeks"
CARTHAGE: Final = "carthage"
REBELS: Final = "rebels"
GARRISON_BOX: Final = "garrison_box"
TRANSALPINE_BOX: Final = "transalpine_box"
ROMA: Final = "roma"
SICILY: Final = "sicily"
NAMED: Final = "named"
CONSUL: Final = "consul"
DICTATOR: Final = "dictator"
LEADER: Final = "leader"
"""The side with the most VP, in the table of Gallic events."""
DESPERATE_TIMES: Final = "desperate_times"
"""The word for a Desperate Times where a card is named (7.4.6)."""
DESPERATE_VALUE: Final = 3
Dice: TypeAlias = tuple[int, Sequence[int]]
"""The size of an army, and the faces that it has rolled."""


class Options(TypedDict):
    """The options in force in a game, in the order of `game.yaml`."""

    players: int
    kept_hand: str
    windows: str
    responses: str
    last_desperate_times: bool
    greek_great_fleet: str
    friendly_voyage: str
    loss_column: str
    no_retreat_counts: bool
    sea_way_back: str
    intercepted_flank: bool
    last_raider: bool
    active_player_decides: bool
    victim_decides: bool
    unrest_losses: str
    unrest_automatic: bool
    besieged_attrition: bool
    surrender_roll: bool
    vp_steps: str
    renewals: str
    leaving_mercenaries: str
    box_mercenaries: bool
    box_is_map: bool
    pooled_levies: bool
    eased_leader: bool
    price_to_nothing: bool
    own_alliance: bool
    player_besieged: str
    player_decides: str
    player_ally: str
    player_rank: str
    player_out: str


class Space(NamedTuple):
    """One space: normal, a walled city, a tribe or an off-map box (2.2)."""

    id: str
    name: str
    kind: str
    region: str
    italy: bool
    """In Italy, where Carthage never goes as a power without a player (16.3)."""
    victory: bool
    """Whether it is a victory space in this edition (4.1.1, S 2.2)."""
    home: str | None = None
    """The power whose home it is; None: it starts independent."""
    port: bool = False
    reinforcement: int = 0
    loyalty: int = 0
    """Loyalty of a walled city at the start."""
    subjugation: int = 0
    """Points that subjugate a tribe (13.5)."""


class Overseas(NamedTuple):
    """The home overseas of a power without a player, which no enemy conquers (17)."""

    spaces: frozenset[str]
    """Its ports are for this power alone (9.6.2)."""
    capital: str
    """Never besieged nor converted; its armies there always stand (17, 17.1)."""
    landing: str
    """Where the Greeks can land, and have a port as long as their CU are there (9.6.2, 17.2)."""


class Power(NamedTuple):
    """One power; a non-player power has no side (16)."""

    id: str
    name: str
    side: Side | None
    points: tuple[int, int, int]
    """Movement points with a card of value 1, 2 and 3 (9.2)."""
    ends_in: frozenset[str]
    """The spaces in which its moves, interceptions and avoidances must end; empty: anywhere (16.3)."""
    victim: str | None
    """The power whose side, with its allies, does not decide for it at the end of a turn (16.1)."""
    barred: frozenset[str]
    """The spaces that it never enters, as a power without a player (16.3)."""
    activated_by: tuple[Side, ...]
    """The sides whose cards of Neutral Power Activates activate it, besides cards that name it (16.1.1)."""
    overseas: Overseas | None
    """Its home overseas, while it has no player (17)."""
    raids: bool = False
    city_loyalty: int = 3
    """The most loyalty its cities can have (7.3.1)."""
    siege: int = 0
    """Modifier of its siege rolls (13.2)."""
    levy: int = 0
    """CU that it gets in the Reinforcement Phase whatever it controls (5.10.1)."""


class Leader(NamedTuple):
    """One leader (8.1)."""

    id: str
    name: str
    short: str
    power: str
    named: bool
    initiative: int
    tactics: int
    stays: frozenset[str]
    """The spaces that he never leaves while his power has no player; empty: he goes anywhere (17.1.1)."""
    role: str | None = None
    """consul or dictator."""
    penalty: int = 0
    """Loyalty that keeping him costs the Greeks each turn (8.2.3)."""


class Card(NamedTuple):
    """One card of a deck (6.1, 7.1). `schemas/cards.yaml` has every word of an event."""

    id: str
    deck: Side
    name: str
    value: int
    conditions: tuple[Record, ...]
    effects: tuple[Record, ...]
    when: str | None = None
    """The moment of a response; None: it is played as a card of the own Action Phase."""
    remove: bool = False
    """Out of the game once its event was played (7.1.3)."""
    reshuffle: bool = False
    extra: bool = False
    """Played beside the card of the Action Phase, not as it (7.1.2, 21.5)."""


class Voyage(NamedTuple):
    """One right to sail: so many CU with a card of that value (9.6.3)."""

    power: str
    value: int
    cu: int
    ports: tuple[str, ...]
    """One end of the voyage must be one of these; empty: any ports."""
    holds: str | None = None
    marker: str | None = None
    lent: bool = False
    """Carthage may lend it to an ally (S 9.6.3)."""
    allied: str | None = None
    """Only while it is allied with that power (18)."""


class Seats(NamedTuple):
    """What a game of so many players is: who plays, and with how many cards."""

    players: int
    sides: tuple[Side, ...]
    """In their seats, clockwise (7.1.1)."""
    hands: Mapping[Side, int]
    """Cards that each draws up to, for Carthage without what its ports bring (6.2.2, S 5.2)."""
    discard_all: frozenset[Side]
    """Who keeps no card of the last turn (6.2.1)."""
    victory: frozenset[str]
    """The words of the map whose spaces score (4.1.1, S 2.2)."""
    persons: tuple[tuple[Side, ...], ...]
    """The sides of each person: they win together (4.2, 4.3)."""
    events_after: Side | None = None
    """The side after which Gallic events come in each round, where nobody leads the Gauls."""


class GallicEvent(NamedTuple):
    """One row of the table of Gallic events."""

    name: str
    of: str | None = None
    """The power that suffers, or `leader`; None: nothing happens."""
    takes: str | None = None
    """marker or loyalty."""


@dataclass(frozen=True, eq=False)
class Board:
    """The map, the powers, the leaders, the cards and the tables.

    What rules look up in every position, and follows from these alone, is a cached property.
    """

    seats: Seats
    sides: tuple[Side, ...]
    """In their seats, clockwise (7.1.1)."""
    spaces: Mapping[str, Space]
    connections: tuple[tuple[str, str, str], ...]
    """Both ends and the kind of every path, each once."""
    neighbours: Mapping[str, Mapping[str, str]]
    """Space -> neighbour -> kind of the path, in the order of their ids; a one-way path stands at its start only."""
    ports: tuple[str, ...]
    walled: tuple[str, ...]
    tribes: tuple[str, ...]
    homes: Mapping[str, tuple[str, ...]]
    """Power -> its home spaces."""
    appian_way: tuple[str, ...]
    clear_for: Mapping[str, frozenset[str]]
    """Power -> spaces to which every path is clear for it (9.2)."""
    powers: Mapping[str, Power]
    powers_of: Mapping[Side, tuple[str, ...]]
    tie_order: tuple[str, ...]
    """The powers, those that win a tie first (4.4)."""
    permanent: tuple[tuple[str, str], ...]
    """Alliances that never end (15.4)."""
    leaders: Mapping[str, Leader]
    cards: Mapping[str, Card]
    decks: Mapping[Side, tuple[str, ...]]
    named_events: Mapping[Side, tuple[str, ...]]
    """Side -> the events that its Desperate Times name (7.4.3)."""
    voyages: tuple[Voyage, ...]
    gallic_events: Mapping[int, GallicEvent]
    """Total of two dice -> the event."""
    years: Mapping[int, str]
    levels: Mapping[int, int]
    """Turn -> VP of an automatic victory (4.2)."""
    tables: Record
    """The tables as they stand in `tables.yaml`."""
    names: Mapping[str, str]
    """Id -> name, of all that the box names."""

    @cached_property
    def _persons(self) -> Mapping[Side, tuple[Side, ...]]:
        return {side: sides for sides in self.seats.persons for side in sides}

    def seats_of(self, side: Side) -> tuple[Side, ...]:
        """Return the sides that the person leads who leads this one (4.2)."""
        return self._persons[side]

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {space: at for at, space in enumerate(self.spaces)}

    def in_order(self, spaces: Iterable[str]) -> list[str]:
        """Return some spaces in the order of the board."""
        return sorted(spaces, key=self._place.__getitem__)

    def side_rank(self, side: Side) -> int:
        """Return the place of a side in the order of ties, by its first power (4.4)."""
        return min(self.tie_order.index(power) for power in self.powers_of[side])

    @cached_property
    def pairs(self) -> Mapping[str, Mapping[str, str]]:
        """Power -> power -> the word for their alliance: both in the order of the board (15)."""
        order = list(self.powers)
        return {a: {b: "+".join(sorted((a, b), key=order.index)) for b in order} for a in order}

    @cached_property
    def playerless(self) -> tuple[str, ...]:
        """The powers without a player (16)."""
        return tuple(power.id for power in self.powers.values() if power.side is None)

    @cached_property
    def nonplayer_cards(self) -> Mapping[str, Sequence[str]]:
        """Card -> the powers without a player that it names (7.1.2, 16.1.1)."""
        named = [(card.id, effect.get("nonplayer")) for card in self.cards.values() for effect in card.effects]
        return {card: powers for card, powers in named if powers is not None}

    @cached_property
    def minor_leaders(self) -> Mapping[str, tuple[str, ...]]:
        """Power -> its minor leaders (8.3)."""
        return {
            power: tuple(leader.id for leader in self.leaders.values() if leader.power == power and not leader.named)
            for power in self.powers
        }

    @cached_property
    def responses(self) -> Mapping[Side, Mapping[str, tuple[str, ...]]]:
        """Side -> moment -> the cards of its deck that respond to it (7.1.1)."""
        moments = {card.when for card in self.cards.values() if card.when is not None}
        return {
            side: {when: tuple(card for card in deck if self.cards[card].when == when) for when in moments}
            for side, deck in self.decks.items()
        }

    @cached_property
    def overseas(self) -> Mapping[str, tuple[str, Overseas]]:
        """Space -> the power without a player whose home overseas it belongs to, and that home (17)."""
        homes = [(power.id, power.overseas) for power in self.powers.values() if power.overseas is not None]
        return {space: (power, home) for power, home in homes for space in home.spaces}

    def is_capital(self, space: str) -> bool:
        """Tell whether a space is a city overseas that no enemy conquers (17)."""
        home = self.overseas.get(space)
        return home is not None and home[1].capital == space

    def path(self, power: str, origin: str, to: str) -> str | None:
        """Return the kind of the path between neighbours as it is for a power; None: there is none (2.2, 9.2)."""
        kind = self.neighbours[origin].get(to)
        if kind is not None and {origin, to} & self.clear_for.get(power, frozenset()):
            return CLEAR
        return kind

    @cached_property
    def by_land(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """Power -> space -> the neighbours that it reaches without a rough path or a strait (10.2, 11.1, 12.4.1)."""
        return {
            power: {
                space: tuple(to for to in around if self.path(power, space, to) not in DIFFICULT)
                for space, around in self.neighbours.items()
            }
            for power in self.powers
        }

    def siege_result(self, total: int) -> tuple[int, int]:
        """Return points gained and CU lost by a total of the siege and subjugation table (13.2)."""
        rows = self.tables["siege"]["rows"]
        points, lost = rows[min(max(total - 2, 0), len(rows) - 1)]
        return points, lost

    def attrition(self, face: int, cu: int) -> int:
        """Return CU that a force loses by attrition (5.5)."""
        table = self.tables["attrition"]
        if cu < 1:
            return 0
        row: Sequence[int] = table["rows"][face - 1]
        return min(cu, row[bisect_right(table["columns"], cu) - 1])

    def naval_result(self, total: int) -> str:
        """Return success, return or attrition (9.6.4)."""
        rows: Sequence[str] = self.tables["naval"]["rows"]
        return rows[min(max(total - 1, 0), len(rows) - 1)]

    def force_ratio(self, larger: int, smaller: int) -> int | None:
        """Return the modifier of the larger army; None: it wins automatically (12.2.1)."""
        percent = 100 * larger // smaller if smaller else None
        table = self.tables["force_ratio"]
        if percent is None or percent >= table["automatic"]:
            return None
        rows: Sequence[Sequence[int]] = table["rows"]
        return rows[bisect_right(rows, percent, key=lambda row: row[0]) - 1][1]

    def losses(self, winner: Dice, loser: Dice) -> tuple[int, int]:
        """Return the CU that winner and loser of a battle lose, each told as size and unmodified faces (12.3).

        The size of the army that rolled a die finds its column. The caller limits the result to the CU that are there.
        """
        table = self.tables["losses"]
        by_winner = [(table["winner"], winner), (table["loser_own"], loser)]
        lost_by_loser = sum(_lost(rows, dice) for rows, dice in by_winner)
        return _lost(table["loser"], loser), lost_by_loser


def _lost(rows: Sequence[Sequence[int]], dice: Dice) -> int:
    size, faces = dice
    column = min(size, len(rows[0])) - 1
    return sum(rows[face - 1][column] for face in faces) if size else 0
