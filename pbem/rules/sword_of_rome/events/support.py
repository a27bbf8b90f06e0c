"""Support: PC markers and the loyalty of cities; tribes have none (7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.game import Refusal, Table
from pbem.protocol import Flow, Side
from pbem.rules.sword_of_rome.position.board import NORMAL, WALLED
from pbem.rules.sword_of_rome.position.changes import change_marker, set_control, settle_spaces
from pbem.rules.sword_of_rome.position.naming import no_such_space, space_named
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege.siege import fall_if_due, take_fallen


def adder(game: Game, side: Side, space: str, powers: Sequence[str] | None = None) -> str | None:
    """Return the power of a side that could add support in a space: who holds its city, or has CU there (7.3.1).

    `powers` stands in the functions of adding for those of the side: a power without a player has none (16.1.1).
    """
    own = game.board.powers_of[side] if powers is None else powers
    if game.control.get(space) in own:
        return game.control[space]
    return next((power for power in own if game.cu(power, space)), None)


def room_for(game: Game, side: Side, space: str, powers: Sequence[str] | None = None) -> int:
    """Return how many points of support a side can add in a space (7.3.1)."""
    power = adder(game, side, space, powers)
    kind = game.kind(space)
    if power is None or kind not in (NORMAL, WALLED):
        return 0
    if kind == NORMAL:
        return int(game.takes_marker(power, space))
    if game.control.get(space) != power or game.besieged(space):
        return 0
    return game.board.powers[power].city_loyalty - game.loyalty[space]


def why_not_add(
    game: Game, side: Side, space: str, points: int = 1, powers: Sequence[str] | None = None
) -> Refusal | None:
    """Say why a side cannot add so many points of support in a space; None: it can (7.3.1)."""
    unknown = no_such_space(game, space)
    if unknown is not None or points <= room_for(game, side, space, powers):
        return unknown
    kind = game.kind(space)
    if kind not in (NORMAL, WALLED):
        return Refusal(f"{space_named(game, space)} has no support: it is a {kind}", "7.3")
    if kind == NORMAL:
        power = adder(game, side, space, powers)
        if power is None:
            return Refusal(f"you have no CU in {space_named(game, space)}", "7.3.1")
        if not game.friendly(power, space) and not game.takes_marker(power, space):
            return Refusal(f"{space_named(game, space)} is an ally's home and has no marker to remove", "15.2.3")
        return Refusal(f"{space_named(game, space)} takes one point, and none where a friend controls it", "7.3.1")
    if game.control.get(space) not in (game.board.powers_of[side] if powers is None else powers):
        return Refusal(f"{space_named(game, space)} is not your city", "7.3.1")
    if game.besieged(space):
        return Refusal(f"{space_named(game, space)} is besieged", "13.3")
    room = room_for(game, side, space, powers)
    return Refusal(f"{space_named(game, space)} has loyalty {game.loyalty[space]}, and room for {room}", "7.3.1")


def add_all(game: Game, table: Table, side: Side, spaces: Sequence[str], led: str | None = None) -> None:
    """Add points of support in some spaces: own PC for an enemy's, or loyalty (7.3.1).

    In an ally's home the enemy's PC only goes (15.2.3). `led` is a power without a player whose support it is (16.1.1).
    """
    added = []
    for space in spaces:
        power = adder(game, side, space, None if led is None else [led])
        assert power is not None
        if game.kind(space) == WALLED:
            game.loyalty[space] += 1
            added.append(space)
        elif change_marker(game, table, power, space):
            added.append(space)
    if added and led is None:
        table.tell("support_added", side=side, spaces=added, rule="7.3.1")
    elif added:
        table.tell("support_of", power=led, spaces=added, rule="16.1.1")


def rooms(game: Game, side: Side, powers: Sequence[str] | None = None) -> dict[str, int]:
    """Return the points of support that a side can add, by space (7.3.1)."""
    own = game.board.powers_of[side] if powers is None else powers
    near = {space for space, holder in game.control.items() if holder in own}
    near |= {space for power in own for space, force in game.everywhere(power) if force.cu}
    room = {space: room_for(game, side, space, powers) for space in game.board.in_order(near)}
    return {space: points for space, points in room.items() if points > 0}


def wrong_additions(
    game: Game, side: Side, spaces: Sequence[str], powers: Sequence[str] | None = None
) -> Iterator[tuple[int, Refusal]]:
    """Yield the spaces of a list in which so much support cannot be added, by their place in it (7.3.1)."""
    for at, space in enumerate(spaces):
        refusal = why_not_add(game, side, space, spaces[: at + 1].count(space), powers)
        if refusal is not None:
            yield at, refusal


# ---- removing


def room_to_remove(game: Game, space: str) -> int:
    """Return how many points of support another can remove in a space (7.3.3).

    A PC is safe where its power or an ally has CU, loyalty as far as it is no more than such CU, and all of it in a
    capital overseas (17).
    """
    holder = game.control.get(space)
    kind = game.kind(space)
    if holder is None or kind not in (NORMAL, WALLED) or game.board.is_capital(space):
        return 0
    guards = game.friendly_cu(holder, space)
    return int(not guards) if kind == NORMAL else max(0, game.loyalty[space] - guards)


def why_not_remove(game: Game, space: str, points: int = 1) -> Refusal | None:
    """Say why another cannot remove so many points of support in a space; None: they can (7.3.3)."""
    if points <= room_to_remove(game, space):
        return None
    kind = game.kind(space)
    if game.control.get(space) is None or kind not in (NORMAL, WALLED):
        return Refusal(f"nobody has support in {space_named(game, space)}", "7.3")
    if game.board.is_capital(space):
        return Refusal(f"{space_named(game, space)} is never converted", "17")
    if not game.friendly_cu(game.control[space], space):
        return Refusal(f"{space_named(game, space)} has no {points} points of support", "7.3.3")
    what = "the marker in" if kind == NORMAL else "the loyalty of"
    return Refusal(f"CU guard {what} {space_named(game, space)}", "7.3.3")


def own_support(game: Game, powers: Sequence[str]) -> dict[str, int]:
    """Return the points of support that some powers have, by space: what they can remove themselves (7.3.2)."""
    held = game.board.in_order(space for space, holder in game.control.items() if holder in powers)
    return {
        space: game.loyalty[space] if kind == WALLED else 1
        for space in held
        if (kind := game.kind(space)) in (NORMAL, WALLED)
    }


def remove(game: Game, space: str, to: str | None = None) -> None:
    """Remove a point of support in a space; with the last it goes to a power, or becomes independent (7.3.2 to 7.3.4).

    A city that carries a siege marker falls to the besieger instead (13.5): who removes loyalty tests that after it,
    by `settle_support`, for then its loyalty here is 0.
    """
    if game.kind(space) == WALLED:
        if game.loyalty[space] > 1:
            game.loyalty[space] -= 1
            return
        if space in game.sieges:
            game.loyalty[space] = 0
            return
    set_control(game, space, to)


def settle_support(game: Game, table: Table, spaces: Sequence[str]) -> Flow[None]:
    """Draw the consequences of points that were removed: cities fall to their besiegers (13.5)."""
    for space in dict.fromkeys(spaces):
        fall_if_due(game, table, space)
    yield from take_fallen(game, table)
    settle_spaces(game, table)
