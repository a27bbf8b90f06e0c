"""Support: PC markers and the loyalty of cities; tribes have none (7.3)."""

from __future__ import annotations

from pbem.game import Refusal
from pbem.protocol import Side
from pbem.rules.sword_of_rome.position.board import NORMAL, WALLED
from pbem.rules.sword_of_rome.position.changes import set_control
from pbem.rules.sword_of_rome.position.naming import no_such_space, space_named
from pbem.rules.sword_of_rome.position.state import Game


def adder(game: Game, side: Side, space: str) -> str | None:
    """Return the power of a side that could add support in a space: who holds its city, or has CU there (7.3.1)."""
    own = game.board.powers_of[side]
    if game.control.get(space) in own:
        return game.control[space]
    return next((power for power in own if game.cu(power, space)), None)


def room_for(game: Game, side: Side, space: str) -> int:
    """Return how many points of support a side can add in a space (7.3.1)."""
    power = adder(game, side, space)
    kind = game.kind(space)
    if power is None or kind not in (NORMAL, WALLED):
        return 0
    if kind == NORMAL:
        return int(not game.friendly(power, space))
    if game.control.get(space) != power or game.besieged(space):
        return 0
    return game.board.powers[power].city_loyalty - game.loyalty[space]


def why_not_add(game: Game, side: Side, space: str, points: int = 1) -> Refusal | None:
    """Say why a side cannot add so many points of support in a space; None: it can (7.3.1)."""
    unknown = no_such_space(game, space)
    if unknown is not None or points <= room_for(game, side, space):
        return unknown
    kind = game.kind(space)
    if kind not in (NORMAL, WALLED):
        return Refusal(f"{space_named(game, space)} has no support: it is a {kind}", "7.3")
    if kind == NORMAL:
        if adder(game, side, space) is None:
            return Refusal(f"you have no CU in {space_named(game, space)}", "7.3.1")
        return Refusal(f"{space_named(game, space)} takes one point, and none where a friend controls it", "7.3.1")
    if game.control.get(space) not in game.board.powers_of[side]:
        return Refusal(f"{space_named(game, space)} is not your city", "7.3.1")
    if game.besieged(space):
        return Refusal(f"{space_named(game, space)} is besieged", "13.3")
    return Refusal(
        f"{space_named(game, space)} has loyalty {game.loyalty[space]}, and room for {room_for(game, side, space)}",
        "7.3.1",
    )


def add(game: Game, side: Side, space: str) -> None:
    """Add a point of support in a space: own PC for an enemy's, or loyalty (7.3.1).

    In an ally's home the enemy's PC only goes (15.2.3).
    """
    power = adder(game, side, space)
    assert power is not None
    if game.kind(space) == WALLED:
        game.loyalty[space] += 1
        return
    home = game.board.spaces[space].home
    in_allys_home = home is not None and home != power and game.allied(power, home)
    set_control(game, space, None if in_allys_home else power)


def why_not_remove(game: Game, space: str) -> Refusal | None:
    """Say why another cannot remove a point of support in a space; None: they can (7.3.3).

    A PC is safe where its power or an ally has CU, loyalty as far as it is no more than such CU.
    """
    holder = game.control.get(space)
    kind = game.kind(space)
    if holder is None or kind not in (NORMAL, WALLED):
        return Refusal(f"nobody has support in {space_named(game, space)}", "7.3")
    guards = game.friendly_cu(holder, space)
    if kind == NORMAL and guards:
        return Refusal(f"CU guard the marker in {space_named(game, space)}", "7.3.3")
    if kind == WALLED and game.loyalty[space] <= guards:
        return Refusal(f"CU guard the loyalty of {space_named(game, space)}", "7.3.3")
    return None


def remove(game: Game, space: str) -> bool:
    """Remove a point of support in a space; tell whether it is independent now (7.3.2, 7.3.3).

    A city that carries a siege marker falls to the besieger instead (13.5): who removes loyalty tests that after it,
    by `siege.siege.fall_if_due`, for then its loyalty here is 0.
    """
    if game.kind(space) == WALLED:
        if game.loyalty[space] > 1:
            game.loyalty[space] -= 1
            return False
        if space in game.sieges:
            game.loyalty[space] = 0
            return False
    set_control(game, space, None)
    return True
