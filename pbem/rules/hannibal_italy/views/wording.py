"""Words for units, places and leaders, for reports and forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pbem.rules.hannibal_italy.position.board import ELEPHANTS, FOOT, HORSE, Board
from pbem.rules.hannibal_italy.position.forces import sp
from pbem.rules.hannibal_italy.position.state import UNSEEN, Game

UNKNOWN: Final = "?"
_KINDS: Final[Mapping[str, tuple[str, str]]] = {
    FOOT: ("foot", "foot"),
    HORSE: ("horse", "horse"),
    ELEPHANTS: ("elephant", "elephants"),
    "allied": ("ally", "allies"),
    "gaul": ("Gaul", "Gauls"),
}
"""What a unit is called by its kind or the pool that it is drawn from: one, several."""


def strength(board: Board, units: Mapping[str, int]) -> str:
    """Return the SP of units in words; that they are not known, if the viewer may not see them (7.5)."""
    return UNKNOWN if UNSEEN in units else f"{sp(board, units)} SP"


def units_in_words(board: Board, units: Mapping[str, int]) -> str:
    """Return units with the SP of each in brackets, like ones together; what the viewer may not see is not known."""
    if UNSEEN in units:
        return "not known"
    alike: dict[tuple[tuple[str, str], int], int] = {}
    for unit, count in units.items():
        kind = board.units[unit]
        words = ("slave", "slaves") if kind.whole == "slaves" else _KINDS[kind.pool or kind.kind]
        alike[words, kind.sp] = alike.get((words, kind.sp), 0) + count
    return ", ".join(f"{count} {one if count == 1 else many} ({sp})" for ((one, many), sp), count in alike.items())


def units_as_written(board: Board, units: Mapping[str, int]) -> str:
    """Return units by the words that an order names them by, with the SP of each in brackets."""
    if UNSEEN in units:
        return "not known"
    return ", ".join(f"{count} {unit} ({board.units[unit].sp} SP)" for unit, count in units.items())


def place_as_written(view: Game, hex: str) -> str:
    """Return a hex as an order may name it: by its city, if it has one, else by its number in quotes."""
    return view.board.hexes[hex].city or f'"{hex}"'


def some(words: Sequence[str], most: int) -> str:
    """Return words in a row, the first of them if they are many.

    >>> some(["capua", "cannae", "rome"], 2)
    'capua, cannae and 1 more'
    """
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
