"""The worth that the bot gives to a walled city of the enemy: by storm, siege or siege works (9.7 to 9.9)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pbem.protocol import Side
from pbem.rules.hannibal_italy.battle.odds import NO_CASE, assault_column
from pbem.rules.hannibal_italy.policy.worth import LOST, PER_STEP, chance
from pbem.rules.hannibal_italy.position.board import CLASS_1, Board, City
from pbem.rules.hannibal_italy.position.state import CARTHAGE, Game
from pbem.rules.hannibal_italy.siege.siege import ASSAULT, LEAVE, SIEGE
from pbem.rules.hannibal_italy.views.averages import read_assaults

LATER: Final = 0.3
"""The chance that a city besieged falls in a later segment, before the siege has to be given up."""
AGAIN: Final = 0.2
"""The chance that a city is taken later whose storm was beaten back."""
DUG_IN: Final = 0.45
"""The chance that siege works take a fortress before they have to be given up."""
FALL_OF_ROME: Final = 25.0


@lru_cache(maxsize=8192)
def storm(board: Board, own: int, against: int, die: int, rounding: str, *, empty: bool) -> tuple[float, float]:
    """Return the chance that an assault takes a city, and the steps that it costs on average (9.8)."""
    column = assault_column(board, own, against, rounding)
    if column == NO_CASE:
        return 0.0, 0.0
    if empty:
        column = len(board.assault.columns) - 1
    found = read_assaults(board, column, {"die": die})
    return found.exact.get("stormed", 0.0), found.attacker


def before_walls(view: Game, side: Side, city: City, own: int, guard: int, die: int, prize: float) -> tuple[str, float]:
    """Return what a side had best do before a walled city of the enemy with so many SP, and what that is worth.

    `guard` are the SP inside, its garrison unit among them; `die` is what the commanders change an assault by.
    """
    against = city.intrinsic + guard
    if own < against:
        return LEAVE, 0.0
    if city.kind == CLASS_1:
        return SIEGE, DUG_IN * prize + (FALL_OF_ROME if side == CARTHAGE else 0.0)
    siege = view.sieges.get(city.id)
    at_once = chance(siege.number if siege is not None else int(view.board.tables["siege_numbers"][0]))
    besieged = (at_once + (1 - at_once) * LATER) * prize
    if side == CARTHAGE:
        die += int(view.board.tables["carthage_assaults"])
    stormed, steps = storm(view.board, own, against, die, str(view.options["assault_odds"]), empty=guard == 0)
    price = steps * PER_STEP[side] * LOST[side] * (0.5 if side != CARTHAGE else 1.0)  # Rome's horse does not score
    assaulted = (stormed + (1 - stormed) * AGAIN) * prize - price
    return (ASSAULT, assaulted) if stormed and assaulted > besieged else (SIEGE, besieged)
