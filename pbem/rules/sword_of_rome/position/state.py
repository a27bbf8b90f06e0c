"""The position of The Sword of Rome (3): who holds what, who stands where, cards, alliances, and what is under way.

Every fact that a check, a report or another rule may need stands here; the rule modules keep only their place in the
rulebook. A *side* is a player, a *power* a colour on the map. Mappings are keyed by words. All is public but hands,
the order of decks and of the cup, and what a march still plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pbem.game import plain
from pbem.protocol import Side
from pbem.rules.sword_of_rome.position.board import BOX, CARTHAGE, GARRISON_BOX, GREEKS, NORMAL, TRIBE, WALLED, Board
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.options import PERSON, Options
from pbem.rules.sword_of_rome.position.under_way import Activation, Battle, CardPlay, March, Moment

UNSEEN: Final = "unseen"
"""A card or a consul in the cup that the viewer may not know."""
ROUND: Final = "round"
TURN: Final = "turn"
FOR_GOOD: Final = "game"


@dataclass(slots=True)
class Result:
    """How the game ended: who has won, with two players both of their sides, and why (4.2, 4.3)."""

    winners: list[Side]
    reason: str


@dataclass(slots=True)
class Siege:
    """A siege or a subjugation: whose, and its level (13.1)."""

    by: str
    level: int = 0
    rolled: str = ""
    """The turn and round of its last roll: there is one a round (13.1.1)."""


@dataclass(slots=True)
class Mark:
    """An event in effect: its name, who played it, until when, and on whom (7.1)."""

    name: str
    side: Side
    until: str
    """The end of the round, of the turn, or of the game."""
    on: str | None = None


@dataclass(slots=True)
class Game:
    """The whole position."""

    turn: int = 1
    last_turn: int = 6
    phase: str = "mines"
    round: int = 0
    """The round of the Action Phase; 0 outside of it (5.4)."""
    first: Side | None = None
    """Who goes first in this turn (5.3)."""
    to_act: list[Side] = field(default_factory=list)
    """Sides still to be active in this round, the next one first."""
    event_due: bool = False
    """The Gallic event of this round is still to come, with three players (5.4)."""
    vp: dict[str, int] = field(default_factory=dict)
    out: list[Side] = field(default_factory=list)
    """Sides without CU, which are out of the game (5.10.3)."""

    hands: dict[str, list[str]] = field(default_factory=dict)
    decks: dict[str, list[str]] = field(default_factory=dict)
    """Side -> its deck, the next card first."""
    discards: dict[str, list[str]] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    desperate_times: dict[str, int] = field(default_factory=dict)
    """Side -> its Desperate Times that are left (7.4)."""
    reshuffle: list[Side] = field(default_factory=list)
    """Sides that have played or discarded their RESHUFFLE card since the last Draw Phase (6.4.1)."""

    control: dict[str, str] = field(default_factory=dict)
    """Space -> power, for PC markers, cities and tribes alike; a space that is not here is independent."""
    loyalty: dict[str, int] = field(default_factory=dict)
    """Walled city -> loyalty; independent cities have 1."""
    colonies: list[str] = field(default_factory=list)
    """Spaces that a Roman colony has made walled cities (7.2.1)."""
    tribes: list[str] = field(default_factory=list)
    """Tribes not yet subjugated (13.5)."""
    sieges: dict[str, Siege] = field(default_factory=dict)
    forces: dict[str, dict[str, Force]] = field(default_factory=dict)
    """Power -> space -> what it has there, outside of a city."""
    inside: dict[str, Force] = field(default_factory=dict)
    """Walled city -> what its power has inside, while enemies stand before it (9.3.1)."""
    displaced: list[str] = field(default_factory=list)
    """Named leaders in the Displaced box (8.4)."""
    reserve: list[str] = field(default_factory=list)
    """Leaders that may come: minor ones set aside, named ones whose event is not played yet."""
    cup: list[str] = field(default_factory=list)
    """The consuls in the cup (8.2.2)."""
    gone: list[str] = field(default_factory=list)
    """Leaders that are out of the game."""

    militia: int = 0
    """CU of the citizen militia among those of Carthage overseas, which it never leaves (17.1.2)."""
    fallen: list[str] = field(default_factory=list)
    """Powers without a player that have lost their capital overseas, and act no more (17.2.2)."""

    alliances: list[str] = field(default_factory=list)
    """Pairs of powers as `power+power`, each in the order of the board (15)."""
    marks: list[Mark] = field(default_factory=list)
    plunder: int = 0
    """Markers on the plunder track: Gallic ones above 0, Transalpine ones below (14.1)."""
    mines_depleted: bool = False
    unrest: int = 0
    unrest_raised: bool = False
    """A card has raised the unrest in this round (S 20)."""
    activated: list[str] = field(default_factory=list)
    """Powers without a player that have been activated in this round (16.1.1)."""
    activation: Activation | None = None
    card: CardPlay | None = None
    march: March | None = None
    battle: Battle | None = None
    moments: list[Moment] = field(default_factory=list)
    """The moments at which responses are asked for; the last one is open and responds to those before it (7.1.1)."""
    window_shut: bool = False
    """The window for a Desperate Times before the next activation has been (7.4.4)."""
    last_chances: list[Side] = field(default_factory=list)
    """Sides that may still play a Desperate Times after the last round (7.4.5)."""
    result: Result | None = None
    reader: Side | None = None
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
        sides = self.board.seats_of(side) if self.options["player_ally"] == PERSON else (side,)
        return all(self.allied(own, power) for each in sides for own in self.board.powers_of[each])

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
