"""The bot's control markers: where it places them, and which it gives up first (12.2, 15.2, 18.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pbem.game import plain
from pbem.protocol import Side
from pbem.rules.rome_carthage.policy.worth import gain, worth_lost
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.turn.operations import open_spaces


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
