"""The Isolation Phase: PC markers that are cut off become independent (5.7)."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game import Table
from pbem.rules.sword_of_rome.position.board import BOX, DIFFICULT, NORMAL, TRIBE, WALLED
from pbem.rules.sword_of_rome.position.changes import set_control
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.turn.order_of_play import by_vp


def remove_isolated(game: Game, table: Table) -> None:
    """Make the isolated markers independent: of powers without a player first, then by descending VP (5.7.2)."""
    players = [power for side in by_vp(game) for power in game.board.powers_of[side]]
    alone = [power.id for power in game.board.powers.values() if power.side is None]  # with CU or without
    for power in [*alone, *players]:
        lost = list(isolated(game, power))
        for space in lost:
            set_control(game, space, None)
        if lost:
            table.tell("isolated", power=power, spaces=lost, rule="5.7.1")
    game.phase = "scoring"


def isolated(game: Game, power: str) -> Iterator[str]:
    """Yield the markers of a power from which no path of friendly spaces leads to a source (5.7.1)."""
    for space in game.board.in_order(space for space, holder in game.control.items() if holder == power):
        if game.kind(space) == NORMAL and not supplied(game, power, space):
            yield space


def supplied(game: Game, power: str, space: str) -> bool:
    """Tell whether a path leads from a space to a friendly city, port, tribe, reinforcement space or CU (5.7.1).

    It goes over friendly spaces, and over enemy ones with friendly CU, but over no rough path and no strait.
    """
    seen: set[str] = set()
    found = [space]
    while found:
        at = found.pop()
        if at in seen:
            continue
        seen.add(at)
        if is_source(game, power, at):
            return True
        found.extend(
            to
            for to in game.board.neighbours[at]
            if game.board.path(power, at, to) not in DIFFICULT
            and (game.friendly(power, to) or game.friendly_cu(power, to))
        )
    return False


def is_source(game: Game, power: str, space: str) -> bool:
    """Tell whether a path may end in a space: friendly CU, or a friendly city, port, tribe or reinforcement space."""
    if game.friendly_cu(power, space):
        return True
    record = game.board.spaces[space]
    worth = game.kind(space) in (WALLED, TRIBE, BOX) or record.port or record.reinforcement
    return bool(worth) and game.friendly(power, space)
