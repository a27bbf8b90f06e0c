"""What is under way: an activation, the card on the table, a moment of responses, a march, a battle (5.4, 7, 9, 12)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

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
    """Leaders who have been activated by it (9.5.1)."""
    rolled_at: list[str] = field(default_factory=list)
    """Spaces that have had their siege roll by it (9.5.3)."""
    cancelled: bool = False
    """A response has cancelled its activation or its event (7.1.1, 21.4)."""
    points: int = 0
    """Movement points that events add to its marches."""
    closed: list[str] = field(default_factory=list)
    """Cities into which no enemy CU go while it lies there (21.3)."""


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
    """Siege points that are added to a siege."""
    sails: int = 0
    """CU that may sail without another leave (9.6.3)."""
    avoided: bool = False
    """The army avoids battle without a roll."""
    flight: bool = False
    """The enemy retreats without a battle (21.3)."""
    again: bool = False
    """The battle is fought a second time (21.3)."""
    ambush: str = ""
    """The power whose army attacks out of an ambush; it stands in the space already (9.3.3)."""


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
    over: bool = False
    fought: bool = False
    failed_interceptors: list[str] = field(default_factory=list)
    """Leaders who failed to intercept it: their armies may not avoid it either (10.6)."""


@dataclass(slots=True)
class Battle:
    """A battle under way (12.1): who fights whom and where, the flank, and what responses have made of it."""

    space: str
    attacker: str
    defender: str
    came_from: str | None = None
    came_by: str = CLEAR
    intercepted: bool = False
    """It follows a successful interception (10.5.2)."""
    failed_avoidance: bool = False
    flank: str | None = None
    """The power of the flanking army (9.5.6)."""
    flank_at: str | None = None
    """Where the flanking army stands."""
    modifiers: dict[str, int] = field(default_factory=dict)
    """Power -> what events add to its roll."""
    dice: dict[str, int] = field(default_factory=dict)
    """Power -> dice it rolls, if an event says so."""
    no_losses: bool = False
