"""Odds in the form of the combat charts (9.2, 9.8)."""

from __future__ import annotations

from typing import Final

from pbem.rules.hannibal_italy.position.board import Board

NO_CASE: Final = -2
ONE_TO_ONE: Final = 1
"""The number of the column 1-1 in the field chart."""


def field_column(board: Board, attack: int, defence: int, shifts: int, rounding: str) -> int:
    """Return the column of the field chart for two strengths; NO_CASE: below the lowest (9.2).

    The text rounds up to the next whole number; the other reading takes the nearest, halves up, and below 1-1 the
    nearest of the inverse.
    """
    last = len(board.field.columns) - 1
    if attack <= 0:
        return NO_CASE
    if defence <= 0:
        return last
    if attack >= defence:
        ratio = -(-attack // defence) if rounding == "up" else (2 * attack + defence) // (2 * defence)
        column = ONE_TO_ONE + ratio - 1
    elif 2 * attack < defence:
        return NO_CASE
    elif rounding == "up":
        column = ONE_TO_ONE
    else:
        column = ONE_TO_ONE - ((2 * defence + attack) // (2 * attack) - 1)
    return max(0, min(column, last) + shifts) if column >= 0 else NO_CASE


def assault_column(board: Board, attack: int, defence: int, rounding: str) -> int:
    """Return the column of the siege chart; NO_CASE: fewer than three to two (9.8)."""
    last = len(board.assault.columns) - 1
    if 2 * attack < 3 * defence:
        return NO_CASE
    whole = attack // defence if rounding == "down" else (2 * attack + defence) // (2 * defence)
    return min(last, whole - 1) if whole >= 2 else 0
