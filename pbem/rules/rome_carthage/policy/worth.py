"""Worth of a position to a side, for the bot: provinces, then markers on the way to them, and units (15, 18)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from math import exp
from typing import Final

from pbem.game import plain
from pbem.protocol import Side
from pbem.rules.rome_carthage.battle.battle import allies, friendly_tribe, militia
from pbem.rules.rome_carthage.position.board import Board, Province
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.turn.operations import open_spaces

POINT: Final = 1.0
"""A province that counts for political points; everything else is measured by it."""
POINTLESS: Final = 0.25
"""One that does not, for each battle card that it brings."""
ON_THE_WAY: Final = 0.35
"""The share of a province's worth that the markers short of its control have together."""
SPARE: Final = 0.04
"""A marker beyond the majority."""
CU: Final = 0.16
"""A combat unit."""
FAR: Final = 99
"""Movement points that nobody has: out of reach."""
_STEEPNESS: Final = 0.3
"""How much a battle card more or less tips a battle."""


def weight(province: Province) -> float:
    """Return what control of a province is worth (18.1)."""
    return POINT if province.political_point else POINTLESS * max(1, province.allies_value)


def standing(province: Province, own: int) -> float:
    """Return what a number of own spaces in a province is worth (15.1)."""
    if own >= province.majority:
        return weight(province) + SPARE * (own - province.majority)
    return weight(province) * ON_THE_WAY * own / province.majority


def held(game: Game, side: Side) -> Counter[str]:
    """Return how many spaces of each province a side controls (15.1)."""
    spaces = game.board.spaces
    return Counter(spaces[space].province for space, by in game.control.items() if by == side)


def gain(game: Game, side: Side, province: str, own: int, enemy: int) -> float:
    """Return the value of more own spaces, and fewer enemy spaces, in a province."""
    record = game.board.provinces[province]
    mine = sum(game.control.get(space) == side for space in record.spaces)
    theirs = sum(game.control.get(space) == ENEMY[side] for space in record.spaces)
    won = standing(record, mine + own) - standing(record, mine)
    return won + standing(record, theirs) - standing(record, theirs - enemy)


def worth_of_marker(game: Game, side: Side, space: str) -> float:
    """Return what a control marker of one's own is worth in a space that the enemy or nobody holds (15.2)."""
    enemy = int(game.control.get(space) == ENEMY[side])
    return gain(game, side, game.board.spaces[space].province, 1, enemy)


def worth_lost(game: Game, side: Side, space: str) -> float:
    """Return what it costs a side to lose its marker in a space (12.2, 18.2)."""
    return -gain(game, side, game.board.spaces[space].province, -1, 0)


def cards_in_battle(game: Game, side: Side, space: str, stack: Stack) -> int:
    """Estimate how many battle cards an army would have in a space (11.1)."""
    commander = stack.commander
    cards = stack.cu + militia(game, side, space) + friendly_tribe(game, side, space)
    if commander is not None:
        cards += game.board.generals[commander].battle + allies(game, side, space)
    return min(cards, game.board.battle.hand)


def chance(own: int, enemy: int, leads: bool = True) -> float:
    """Estimate the chance to win a battle from both numbers of battle cards (11)."""
    return 1 / (1 + exp(-_STEEPNESS * (own - enemy + (1 if leads else -1))))


@lru_cache(maxsize=4096)
def reach(board: Board, start: str) -> Mapping[str, int]:
    """Return how many movement points away by land every space is from another (8.2, 8.3)."""
    far = {start: 0}
    rim = [(0, start)]
    while rim:
        steps, here = heappop(rim)
        for to, cost, _ in board.steps[here]:
            if steps + cost < far.get(to, FAR):
                far[to] = steps + cost
                heappush(rim, (far[to], to))
    return far


# ---- control markers: where the bot places them, and which it gives up first (12.2, 15.2, 18.2)


def best_markers(game: Game, side: Side, most: int, spaces: Iterable[str] | None = None) -> tuple[float, list[str]]:
    """Return the worth of the best markers a side can place, at most so many, and their spaces (15.2)."""
    able = open_spaces(game, side) if spaces is None else spaces
    by_province: dict[str, list[str]] = defaultdict(list)
    for space in able:
        by_province[game.board.spaces[space].province].append(space)
    best: dict[int, tuple[float, list[str]]] = {0: (0.0, [])}
    for province, here in sorted(by_province.items()):
        here.sort(key=lambda space: (game.control.get(space) != ENEMY[side], _alone(game, side, space), space))
        worths = _worths(game, side, province, here[:most])
        best = _better(best, worths, here, most)
    return max(best.values(), key=lambda found: (found[0], found[1]))


def _worths(game: Game, side: Side, province: str, here: Sequence[str]) -> list[float]:
    """Return what the first one, two, three ... of some spaces of a province would be worth together."""
    worths, turned = [0.0], 0
    for count, space in enumerate(here, 1):
        turned += game.control.get(space) == ENEMY[side]
        worths.append(gain(game, side, province, count, turned))
    return worths


def _better(
    best: dict[int, tuple[float, list[str]]], worths: Sequence[float], here: Sequence[str], most: int
) -> dict[int, tuple[float, list[str]]]:
    """Return the best choice for each number of markers, some of them in one more province."""
    found = dict(best)
    for used, (worth, spaces) in best.items():
        for count in range(1, min(len(worths) - 1, most - used) + 1):
            total = worth + worths[count]
            if total > found.get(used + count, (-1.0, []))[0]:
                found[used + count] = (total, [*spaces, *here[:count]])
    return found


def _alone(game: Game, side: Side, space: str) -> bool:
    """Tell whether a marker would stand apart from its side's others, where isolation may remove it (15.4)."""
    near = game.board.by_land[space]
    return not game.board.spaces[space].port and not any(game.control.get(other) == side for other in near)


def cheapest_to_lose(game: Game, side: Side, removable: Iterable[str], count: int) -> list[str]:
    """Return the markers whose loss costs a side least, taken one after another (12.2, 18.2)."""
    left: list[str] = list(removable)
    taken: list[str] = []
    trial = plain.twin(game)
    trial.control = dict(game.control)
    for _ in range(count):
        worst = min(left, key=lambda space: (worth_lost(trial, side, space), space))
        left.remove(worst)
        taken.append(worst)
        del trial.control[worst]
    return sorted(taken)
