"""A march, a battle or a siege that is under way. Each stands in the position while it lasts (7, 9)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class March:
    """Leaders on their way with what they take along (7.1, 7.2)."""

    leader: str
    """Who leads; the others go with him."""
    together: list[str] = field(default_factory=list)
    """All who go, the leader among them, in the order of the order."""
    at: str = ""
    spent: int = 0
    """Half movement points spent."""
    allowance: int = 0
    way: list[str] = field(default_factory=list)
    """The hexes of the march so far, its start first: everybody sees the leaders go."""


@dataclass(slots=True)
class Party:
    """One side in a battle (9.2)."""

    leaders: list[str] = field(default_factory=list)
    armed: list[str] = field(default_factory=list)
    """Those of them, if they are Romans, who had units with them when the battle began (10.2)."""
    commander: str = ""
    loose: bool = False
    """Units without a leader fight, too."""
    foragers: dict[str, dict[str, int]] = field(default_factory=dict)
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

    hex: str
    attacker: str = ""
    round: int = 0
    parties: dict[str, Party] = field(default_factory=dict)
    ambush: dict[str, dict[str, int]] = field(default_factory=dict)
    """Units of Hannibal that lie in ambush, by the leader who has them (9.5)."""
    ambush_comes: int = 0
    """The round in which they arrive; 0: not known, or never."""
    ambush_failed: bool = False
    revealed: bool = False
    """Rome has seen what it fights (7.5)."""


@dataclass(slots=True)
class Siege:
    """A siege of a city, or siege works round a class 1 fortress (9.7, 9.91)."""

    side: str
    number: int = 0
    """The number of its marker: roll it or more for the city to fall; 0: siege works."""
    works: str = ""
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
