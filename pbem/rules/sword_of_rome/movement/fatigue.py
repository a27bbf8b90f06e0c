"""Points that units have used in a Campaign: with both commanders none goes farther than with one (9.5.2)."""

from __future__ import annotations

from typing import Final

from pbem.rules.sword_of_rome.position.board import DESPERATE_VALUE
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.position.under_way import March

CAMPAIGN: Final = "campaign"
DONE: Final = 99
"""The points of units that have fought, besieged, refused battle or failed to pursue: they go nowhere else."""


def points_of(game: Game, power: str) -> int:
    """Return the movement points of a leader of a power: by the value of the card, without a player as by a 3 (9.2)."""
    record = game.board.powers[power]
    value = game.card.value if game.card is not None and record.side is not None else DESPERATE_VALUE
    return record.points[value - 1]


def points_left(game: Game, march: March) -> int:
    """Return the points of the force under way, fewer if it has units who moved before in a Campaign (9.5.2)."""
    if game.card is None or game.card.use != CAMPAIGN:
        return march.points
    used = [*march.legs, *(game.card.riders.get(leader, 0) for leader in march.force.leaders)]
    return min(march.points, points_of(game, march.power) + march.further - max(used, default=0))


def set_off(game: Game, march: March, space: str, there: int, cu: int) -> None:
    """Note that CU join the force under way, of those that stood in a space: the freshest."""
    if game.card is None or game.card.use != CAMPAIGN:
        return
    tired = sorted([*game.card.legs.get(space, []), *[0] * (there - len(game.card.legs.get(space, [])))])
    march.legs += tired[:cu]
    game.card.legs[space] = [used for used in tired[cu:] if used]


def stay(game: Game, march: March, cu: int) -> None:
    """Note that CU of the force under way stay where it is: those who have used the most points."""
    if game.card is None or game.card.use != CAMPAIGN:
        return
    march.legs.sort()
    kept = max(0, len(march.legs) - cu)
    game.card.legs.setdefault(march.at, []).extend(used for used in march.legs[kept:] if used)
    march.legs = march.legs[:kept]


def spend(game: Game, march: March, points: int) -> None:
    """Take points off the force under way, and note them for each of its units in a Campaign."""
    march.points -= points
    if game.card is None or game.card.use != CAMPAIGN:
        return
    march.legs = [used + points for used in march.legs]
    for leader in march.force.leaders:
        game.card.riders[leader] = game.card.riders.get(leader, 0) + points


def exhaust(game: Game, march: March, space: str, cu: int) -> None:
    """Note that the units of a march that stand in a space have done all that they can in this Campaign (9.5.2)."""
    if game.card is not None and game.card.use == CAMPAIGN:
        kept = game.card.legs.get(space, [])
        game.card.legs[space] = [*kept, *[DONE] * cu]
        game.card.riders |= dict.fromkeys([march.leader, *march.force.leaders], DONE)
        march.legs = []
