"""What is under way: the activation of a side and the card on the table (5.4, 7.1).

A chapter adds what it has under way beside them: a march and the reactions to it (9 to 11), a battle and a retreat
(12), each with its field in `Game`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pbem.protocol import Side


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
