"""Paths of a retreat (12.4.1)."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.rules.sword_of_rome.position.state import Game


def retreats(
    game: Game, power: str, space: str, not_by: str | None, cu: int, *, first: str | None = None
) -> list[list[str]]:
    """Return the shortest ways of a retreat, each without the space it begins in; empty: there is none (12.4.1).

    They end in a space without enemy CU and without CU of another power that is friendly, or holds more own CU than
    retreat. `first` is the first step that an attacker must take, `not_by` the space that a defender must not enter.
    """
    most = game.board.tables["movement"]["retreat"]
    ways: list[list[str]] = [[]]
    for _ in range(most):
        ways = [[*way, to] for way in ways for to in _steps_back(game, power, space, way, not_by, first)]
        found = [way for way in ways if _refuge(game, power, way[-1], cu)]
        if found:
            return found
    return []


def _steps_back(
    game: Game, power: str, space: str, way: list[str], not_by: str | None, first: str | None
) -> Iterator[str]:
    at = way[-1] if way else space
    for to in game.board.by_land(power, at):
        if to != space and to not in way and to != not_by and (way or first is None or to == first):
            yield to


def _refuge(game: Game, power: str, space: str, cu: int) -> bool:
    others = any(other != power and game.outside(other, space) for other in game.board.powers)
    return not others and (game.friendly(power, space) or game.cu(power, space) > cu)
