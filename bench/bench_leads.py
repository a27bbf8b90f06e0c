"""How much the default way to lead battle cards wins against its alternative: `strongest` against `commonest` (11.5).

Battles without abilities over a grid of hands and ratings, as `pbem odds` plays them. In each cell one side leads by
one word and then by the other, against the same enemy and the same shuffles; the enemy leads by the default. It takes
half a minute: `python -m bench leads`.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from bench import AT_LEAST, Figure
from pbem.crypto.dice import SeededDice
from pbem.game.boxes import shelf
from pbem.game.table import Table
from pbem.rules.rome_carthage.battle.rounds import COMMONEST, STRONGEST
from pbem.rules.rome_carthage.views.odds import ATTACKER, DEFENDER, share_won

HANDS: Final = ((5, 5), (8, 8), (12, 12), (16, 16), (20, 20), (8, 12), (12, 8), (12, 16), (16, 12), (14, 20), (20, 14))
RATINGS: Final = ((1, 1), (2, 2), (4, 4), (4, 2), (2, 4), (0, 3))
BATTLES: Final = 400
"""Battles in a cell, for each side and each word."""


def figures() -> Iterator[Figure]:
    """Yield what the default wins more, over all cells, and in the cells where it wins most and least."""
    gains = list(measured())
    points = "points of %"
    yield Figure("strongest for commonest: mean gain in battles won", statistics.mean(gains), points, 0, AT_LEAST)
    yield Figure("strongest for commonest: gain in the best cell", max(gains), points)
    yield Figure("strongest for commonest: gain in the worst cell", min(gains), points)
    yield Figure("strongest for commonest: cells", len(gains), "cells")
    yield Figure("strongest for commonest: battles", len(gains) * BATTLES * 2, "battles")


def measured(battles: int = BATTLES) -> Iterator[float]:
    """Yield the gain of each cell, as attacker and as defender."""
    for hands, ratings in product(HANDS, RATINGS):
        numbers = dict(zip(("attacker_cards", "defender_cards"), hands, strict=True))
        numbers |= dict(zip(("attacker_rating", "defender_rating"), ratings, strict=True))
        for side in (ATTACKER, DEFENDER):
            new, old = (_won(numbers, {side: word}, battles) for word in (STRONGEST, COMMONEST))
            yield 100 * (new - old if side == ATTACKER else old - new)


def _won(numbers: dict[str, int], leads: dict[str, str], battles: int) -> float:
    rules: Any = shelf.load("rome_carthage").rules
    tables = (Table(SeededDice(f"{numbers}/{n}")) for n in range(battles))
    return share_won(rules.board, rules.edition, numbers, tables, leads)
