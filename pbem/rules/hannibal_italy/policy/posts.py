"""Where the stand-in leaves foot of Rome: in walled cities that Carthage covets, closed to diplomacy by it (7.42)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pbem.rules.hannibal_italy.policy.worth import taken_for
from pbem.rules.hannibal_italy.position.board import CLASS_1, ROME_CITY, UNFORTIFIED
from pbem.rules.hannibal_italy.position.forces import garrison, sp
from pbem.rules.hannibal_italy.position.state import CARTHAGE, ROME, SUMMER, Game
from pbem.rules.hannibal_italy.turn.recruiting import chart

FOOT: Final = "roman_foot"
ARMY: Final = 33
"""SP that an army keeps when it leaves units behind."""
RICH: Final = 120
"""SP that the leaders of Rome have with them before they can spare any."""
OPEN_FROM: Final = 213
"""The year from which cities without walls get a garrison, too: Carthage can beat it, but not talk it over."""
SURE: Final = 15
"""SP more than Hannibal's army is taken for, to be on the safe side."""
RISK: Final = 0.35
"""The chance, more or less, that a city without a garrison goes over."""


def can_spare(known: Game) -> bool:
    """Tell whether Rome has armies enough with its leaders to leave units in cities."""
    return sum(sp(known.board, known.leaders[leader].units) for leader in known.on_map(ROME)) >= RICH


def guard_of_rome(known: Game) -> int:
    """Return the SP that Rome keeps within its walls in winter, so that Hannibal can begin no siege works (9.91)."""
    home = known.board.cities[ROME_CITY]
    hannibal = next((leader for leader in known.on_map(CARTHAGE) if known.card(leader).supreme), "")
    return max(0, taken_for(known, hannibal) + SURE - home.intrinsic - garrison(known, home.id)) if hannibal else 0


def is_post(known: Game, hex: str) -> bool:
    """Tell whether a Roman city in a hex wants a foot unit: of doubtful loyalty, or where Rome levies (6.2, 7.41).

    Cities without walls get one only in the later years.
    """
    city = known.city_at(hex)
    if city is None or city.kind == CLASS_1 or known.cities[city.id] != ROME:
        return False
    if city.kind == UNFORTIFIED and known.year > OPEN_FROM:
        return False
    wanted = known.board.provinces[city.province].diagonal or chart(known).get(city.province, 0) > 1
    return wanted and city.id not in known.sieges


def unmanned(known: Game, hex: str) -> bool:
    """Tell whether a post has no unit of its own yet."""
    return is_post(known, hex) and not known.loose[ROME].get(hex) and not known.leaders_at(CARTHAGE, hex)


def left_behind(known: Game, leader: str, units: Mapping[str, int]) -> dict[str, int]:
    """Return what of the units at hand a leader takes along: a foot stays in a post, a guard in Rome."""
    hex = known.leaders[leader].at
    if known.leaders[leader].inside and known.besieged(hex):
        return dict(units)
    if hex == known.board.home and known.segment == SUMMER:  # Rome marches once more before the enemy does (4.2)
        return dict(units)
    if hex == known.board.home:
        others = sum(
            sp(known.board, known.leaders[other].units)
            for other in known.leaders_at(ROME, known.board.home)
            if other != leader
        )
        return _without(known, units, guard_of_rome(known) - others, 0)
    if is_post(known, hex) and can_spare(known):
        return _without(known, units, known.board.units[FOOT].sp, ARMY)
    return dict(units)


def _without(known: Game, units: Mapping[str, int], due: int, least: int) -> dict[str, int]:
    """Return units without as many foot as make up so many SP; all of them if the rest is no army."""
    cost = known.board.units[FOOT].sp
    count = min(units.get(FOOT, 0), max(0, -(-due // cost)))
    left = {unit: number - (count if unit == FOOT else 0) for unit, number in units.items()}
    left = {unit: number for unit, number in left.items() if number}
    return left if sp(known.board, left) >= least else dict(units)


def with_drops(known: Game, path: Sequence[Any], units: Mapping[str, int]) -> Iterator[Any]:
    """Yield the items of a path with a foot unit left in each post without one that it passes."""
    foot, left = units.get(FOOT, 0), sp(known.board, units)
    able = can_spare(known)
    last = max((at for at, item in enumerate(path) if isinstance(item, Mapping)), default=-1)
    for at, item in enumerate(path):
        yield item
        if at <= last or at == len(path) - 1 or not able:  # the strength along counts for diplomacy (7.41)
            continue
        cost = known.board.units[FOOT].sp
        if isinstance(item, str) and foot and left - cost >= ARMY and unmanned(known, item):
            foot, left = foot - 1, left - cost
            yield {"drop": {FOOT: 1}}
