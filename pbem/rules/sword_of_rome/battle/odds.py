"""Numbers of a battle: sizes, automatic victory and modifiers, for the battle itself and for `pbem odds` (12.2)."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from pbem.rules.sword_of_rome.position.board import Board

Modifiers: TypeAlias = dict[str, int]


class Army(NamedTuple):
    """One side of a battle: its CU, its commander's tactics, the CU of its flank, and where it stands (12.2)."""

    cu: int
    tactics: int = 0
    """0 without a leader (12.2.2)."""
    flank: int | None = None
    """CU of the flanking force; None: there is none."""
    friendly: bool = False
    """Whether the space is friendly to it."""

    @property
    def size(self) -> int:
        """Its CU and half of those on its flank, rounded up (12.2.1)."""
        return self.cu + ((self.flank or 0) + 1) // 2


class Ground(NamedTuple):
    """What else counts in a battle (12.2.3)."""

    difficult: bool = False
    """The attacker came across rough ground or a strait."""
    intercepted: bool = False
    """The defender has intercepted the attacker (10.5.2)."""
    failed_avoidance: bool = False
    """The defender has tried to avoid the battle (11.1)."""


def automatic_winner(board: Board, attacker: Army, defender: Army) -> str | None:
    """Return `attacker` or `defender` if one wins without dice; None: the dice decide (12.2.1)."""
    small, large = sorted((attacker.size, defender.size))
    if board.force_ratio(large, small) is not None:
        return None
    return "attacker" if attacker.size > defender.size else "defender"


def modifiers(board: Board, attacker: Army, defender: Army, ground: Ground) -> tuple[Modifiers, Modifiers]:
    """Return what attacker and defender add to their dice, by reason (12.2.1 to 12.2.3).

    There is no automatic victory.
    """
    table = board.tables["battle"]
    for_attacker, for_defender = _own(table, attacker), _own(table, defender)
    small, large = sorted((attacker.size, defender.size))
    ratio = board.force_ratio(large, small)
    assert ratio is not None, "an automatic victory has no dice (12.2.1)"
    (for_attacker if attacker.size > defender.size else for_defender)["force_ratio"] = ratio
    lead = attacker.tactics - defender.tactics
    (for_attacker if lead > 0 else for_defender)["leadership"] = abs(lead)
    if ground.difficult:
        for_attacker["rough"] = table["rough"]
    if ground.intercepted:
        for_defender["interception"] = board.tables["interception"]["defender"]
    if ground.failed_avoidance:
        for_defender["failed_avoidance"] = board.tables["avoidance"]["failed"]
    return for_attacker, for_defender


def _own(table: dict[str, int], army: Army) -> Modifiers:
    """Return what an army has for itself: its flank, and a friendly space."""
    found = {}
    if army.flank:
        found["flank"] = table["flank"]
    if army.friendly:
        found["friendly"] = table["friendly"]
    return found
