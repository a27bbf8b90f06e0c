"""The ways of a march: where a force can get with its points, by land and by sea, and by which path (9.2, 9.6)."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from pbem.rules.sword_of_rome.movement.voyages import carried
from pbem.rules.sword_of_rome.position.board import APPIAN, CLEAR, SEA
from pbem.rules.sword_of_rome.position.state import Game


class Way(NamedTuple):
    """A way to a space: the points it takes, its steps, the last kind of path, and the CU that can take it."""

    cost: int
    steps: tuple[tuple[str, str], ...]
    """Each space with the kind of the path, or `sea`."""
    kind: str
    most: int

    @property
    def came_from(self) -> str | None:
        """The space before the last one; None: it has none, or lies at the start."""
        return self.steps[-2][0] if len(self.steps) > 1 else None


def ways(game: Game, power: str, start: str, points: int, value: int, cu: int) -> Mapping[str, Way]:
    """Return the cheapest way to every space within reach of a force, its own space left out.

    No way leads on through enemy CU, from there the force would fight.
    """
    board = game.board
    costs = board.tables["movement"]["cost"]
    enemies = {
        space for other in board.powers if not game.allied(power, other) for space, force in game.forces[other].items()
    }
    own = _ships(game, power) if game.is_harbour(power, start) else 0
    found: dict[str, Way] = {}
    rim: list[tuple[int, str, Way]] = [(0, start, Way(0, (), CLEAR, cu))]
    while rim:
        done, here, way = heappop(rim)
        if here in found:
            continue
        found[here] = way
        if here in enemies and here != start:
            continue
        for to in board.neighbours[here]:
            kind = board.path(power, here, to) or CLEAR
            cost = done + int(costs[CLEAR if kind == APPIAN else kind])
            if to not in found and cost <= points:
                heappush(rim, (cost, to, Way(cost, (*way.steps, (to, kind)), kind, way.most)))
        cost = done + int(costs[SEA])
        if cost <= points and game.is_harbour(power, here):
            for to in game.harbours(power):
                if to in found or to == here:
                    continue
                most = min(way.most, max(carried(game, power, value, here, to), own))
                if most:
                    heappush(rim, (cost, to, Way(cost, (*way.steps, (to, SEA)), SEA, most)))
    del found[start]
    return found


def _ships(game: Game, power: str) -> int:
    """Return the CU that an event in the own hand can carry (9.6.3)."""
    side = game.board.powers[power].side
    told = [
        effect["sail"]
        for card in (game.hands[side] if side is not None else ())
        if card in game.board.cards
        for effect in game.board.cards[card].effects
        if "sail" in effect
    ]
    return max((each["cu"] for each in told if each["power"] == power), default=0)
