"""The posts of the bot: walled cities in which Rome leaves foot, to close them to diplomacy (7.42)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.rules.hannibal_italy.movement.orders import DROP, PathWord
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


def can_spare(view: Game) -> bool:
    """Tell whether Rome has armies enough with its leaders to leave units in cities."""
    return sum(sp(view.board, view.leaders[leader].units) for leader in view.on_map(ROME)) >= RICH


def guard_of_rome(view: Game) -> int:
    """Return the SP that Rome keeps within its walls in winter, so that Hannibal can begin no siege works (9.91)."""
    home = view.board.cities[ROME_CITY]
    hannibal = next((leader for leader in view.on_map(CARTHAGE) if view.card(leader).supreme), "")
    return max(0, taken_for(view, hannibal) + SURE - home.intrinsic - garrison(view, home.id)) if hannibal else 0


def is_post(view: Game, hex: str) -> bool:
    """Tell whether a Roman city in a hex wants a foot unit: of doubtful loyalty, or where Rome levies (6.2, 7.41).

    Cities without walls get one only in the later years.
    """
    city = view.city_at(hex)
    if city is None or city.kind == CLASS_1 or view.cities[city.id] != ROME:
        return False
    if city.kind == UNFORTIFIED and view.year > OPEN_FROM:
        return False
    wanted = view.board.provinces[city.province].diagonal or chart(view).get(city.province, 0) > 1
    return wanted and city.id not in view.sieges


def unmanned(view: Game, hex: str) -> bool:
    """Tell whether a post has no unit of its own yet."""
    return is_post(view, hex) and not view.loose[ROME].get(hex) and not view.leaders_at(CARTHAGE, hex)


def left_behind(view: Game, leader: str, units: Mapping[str, int]) -> dict[str, int]:
    """Return what of the units at hand a leader takes along: a foot stays in a post, a guard in Rome."""
    hex = view.leaders[leader].at
    if view.leaders[leader].inside and view.besieged(hex):
        return dict(units)
    if hex == view.board.home and view.segment == SUMMER:  # Rome marches once more before the enemy does (4.2)
        return dict(units)
    if hex == view.board.home:
        others = sum(
            sp(view.board, view.leaders[other].units)
            for other in view.leaders_at(ROME, view.board.home)
            if other != leader
        )
        return _without(view, units, guard_of_rome(view) - others, 0)
    if is_post(view, hex) and can_spare(view):
        return _without(view, units, view.board.units[FOOT].sp, ARMY)
    return dict(units)


def _without(view: Game, units: Mapping[str, int], due: int, least: int) -> dict[str, int]:
    """Return units without as many foot as make up so many SP; all of them if the rest is no army."""
    cost = view.board.units[FOOT].sp
    count = min(units.get(FOOT, 0), max(0, -(-due // cost)))
    left = {unit: number - (count if unit == FOOT else 0) for unit, number in units.items()}
    left = {unit: number for unit, number in left.items() if number}
    return left if sp(view.board, left) >= least else dict(units)


def with_drops(view: Game, path: Sequence[PathWord], units: Mapping[str, int]) -> Iterator[PathWord]:
    """Yield the items of a path with a foot unit left in each post without one that it passes."""
    foot, left = units.get(FOOT, 0), sp(view.board, units)
    able = can_spare(view)
    last = max((at for at, item in enumerate(path) if isinstance(item, Mapping)), default=-1)
    for at, item in enumerate(path):
        yield item
        if at <= last or at == len(path) - 1 or not able:  # the strength along counts for diplomacy (7.41)
            continue
        cost = view.board.units[FOOT].sp
        if isinstance(item, str) and foot and left - cost >= ARMY and unmanned(view, item):
            foot, left = foot - 1, left - cost
            yield {DROP: {FOOT: 1}}
