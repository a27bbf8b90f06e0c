"""What is under way: an activation, the card on the table, a moment of responses, a march, a battle (5.4, 7, 9, 12)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pbem.game import plain
from pbem.protocol import Side
from pbem.rules.sword_of_rome.position.board import CLEAR
from pbem.rules.sword_of_rome.position.force import Force


@dataclass(slots=True)
class Activation:
    """The activation of a side: its turn in a round, or the one action of a Desperate Times (5.4, 7.4)."""

    side: Side
    played: bool = False
    """Its one card has been played (5.4)."""
    hired: bool = False
    """Mercenaries have been hired (S 7.2.4)."""
    desperate: bool = False
    """It is that of a Desperate Times: one action, and no card besides (7.4.2)."""
    proposed: list[str] = field(default_factory=list)
    """Powers that have refused an alliance in it, as `proposer+other` (15.1)."""


@dataclass(slots=True)
class CardPlay:
    """The card on the table: who plays it, for what, and what it still allows (7.1)."""

    side: Side
    card: str
    """An id, or `desperate_times`."""
    value: int
    use: str
    """activate, campaign, support, levy, event, colony, unrest, extra."""
    power: str = ""
    """The power that acts: of the side, or one without a player (16.1.1)."""
    commanders_left: int = 0
    """Commanders whom a Campaign still activates (9.5)."""
    moved: list[str] = field(default_factory=list)
    """Leaders who have been activated by it, or whom an ally has not lent to it (9.5.1, 9.5.5)."""
    rolled_at: list[str] = field(default_factory=list)
    """Spaces that have had their siege roll by it (9.5.3)."""
    cancelled: bool = False
    """A response has cancelled its activation or its event (7.1.1, 21.4)."""
    closed: list[str] = field(default_factory=list)
    """Cities into which no enemy CU go while it lies there (21.3)."""
    legs: dict[str, list[int]] = field(default_factory=dict)
    """Space -> points that CU there have used in a Campaign, those who have not moved left out (9.5.2)."""
    riders: dict[str, int] = field(default_factory=dict)
    """Leader -> points that he has used in a Campaign (9.5.2)."""
    attacked: int = 0
    """CU in the Garrison box that have attacked the unrest by it, and stand (S 20.3)."""


@dataclass(slots=True)
class Moment:
    """A moment at which responses may be played, and what they have made of it (7.1.1).

    The chapter that opens it reads the rest when the window is shut.
    """

    name: str
    space: str = ""
    power: str = ""
    """Who acts: attacker, mover, besieger, who rolls, winner or loser, whose card it is."""
    other: str = ""
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

    side: Side
    power: str
    leader: str
    force: Force
    origin: str
    at: str
    points: int
    came_from: str | None = None
    came_by: str = CLEAR
    """The kind of the last step: a kind of path, or `sea`."""
    path: list[dict[str, Any]] = field(default_factory=list)
    """The steps still ordered, as in the order `march`."""
    then: str = ""
    against: int | None = None
    """CU that attack the unrest when it has come to the Garrison box; None: those that have come (S 20.3)."""
    over: bool = False
    fought: bool = False
    """It has fought, refused battle or failed to pursue, and is done for this card (9.5.2)."""
    failed_interceptors: list[str] = field(default_factory=list)
    """Leaders who failed to intercept it: their armies may not avoid it either (10.6)."""
    trail: list[str] = field(default_factory=list)
    """The spaces it has been in, the origin first."""
    pursuing: bool = False
    """It goes on after an enemy has avoided it: its next step is not over a rough path or a strait (11.4)."""
    lent: int | None = None
    """CU that a fleet lent by Carthage carries; 0: refused, None: Carthage was not asked (S 9.6.3)."""
    bribed: list[str] = field(default_factory=list)
    """Spaces whose CU let it pass and do not intercept it (7.2.2)."""
    flanking: str | None = None
    """The space of the battle that it is to flank (9.5.6)."""
    caught_by: str | None = None
    """The power that has intercepted a flank, whose battle comes after the first one (9.5.9)."""
    legs: list[int] = field(default_factory=list)
    """Points that each of its CU has used in a Campaign, one entry a CU (9.5.2)."""
    further: int = 0
    """Movement points that events have added to those of its card (9.2)."""

    def as_if(self, force: Force) -> March:
        """Return the same march with another force, to look at what that could do."""
        other = plain.twin(self)
        other.force = force
        return other


@dataclass(slots=True)
class Battle:
    """A battle under way (12.1): who fights whom and where, the flank, and what responses have made of it."""

    space: str
    attacker: str
    defender: str
    """Empty: the unrest of Carthage (S 20.3)."""
    came_from: str | None = None
    came_by: str = CLEAR
    intercepted: bool = False
    """It follows a successful interception (10.5.2)."""
    failed_avoidance: bool = False
    flank: str | None = None
    """The power of the flanking army (9.5.6)."""
    flank_at: str | None = None
    """Where the flanking army stands."""
    flank_cu: int = 0
    """How many of the CU there are its; 0: all."""
    modifiers: dict[str, int] = field(default_factory=dict)
    """Power -> what events add to its roll."""
    dice: dict[str, int] = field(default_factory=dict)
    """Power -> dice it rolls, if an event says so."""
    no_losses: bool = False
    """The dice of this battle cost nobody CU."""
    sallied: int = 0
    """CU of the attacker that have come out of the city there (13.4)."""
    sallied_leaders: list[str] = field(default_factory=list)
    near: dict[str, list[str]] = field(default_factory=dict)
    """Power -> spaces next to those that it controlled when the battle began (7.3.4)."""
    lost: dict[str, int] = field(default_factory=dict)
    """Power -> CU that it has lost in the battle and on its retreat (12.5)."""

    def side_of(self, power: str) -> list[str]:
        """Return a power of the battle, and the ally on its flank if it has one (9.5.6)."""
        ally = self.flank if power == self.attacker else None
        return [power] if ally is None or ally == power else [power, ally]
