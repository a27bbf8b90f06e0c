"""City walls: what a side has inside and outside, and what may come out (16.2, 16.4.3)."""

from __future__ import annotations

from pbem.game import Refusal
from pbem.protocol import Side
from pbem.rules.rome_carthage.position.board import WALLED_CITY
from pbem.rules.rome_carthage.position.generals import arrange
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Stack


def whole(game: Game, side: Side, space: str) -> Stack:
    """Return all that a side has in a space, in the open and inside its city (16.2)."""
    stack = game.stack(side, space)
    if space not in game.garrisons or (inside := game.garrison(side, space)).empty:
        return stack
    both = Stack(
        stack.cu + inside.cu,
        stack.elephants + inside.elephants,
        stack.generals + inside.generals,
        stack.train or inside.train,
    )
    arrange(game, both)
    return both


def whole_cu(game: Game, side: Side, space: str) -> int:
    """Return how many CU a side has in a space, in the open and inside its city (16.2)."""
    stack, inside = game.stacks[side].get(space), game.garrisons.get(space)
    behind_walls = inside.cu if inside is not None and game.control.get(space) == side else 0
    return behind_walls + (stack.cu if stack is not None else 0)


def pool(game: Game, side: Side, space: str) -> Stack:
    """Return all that a side may march with from a space: what is locked up in its city stays (16.2, 16.4.3)."""
    return game.stack(side, space) if locked_up(game, side, space) else whole(game, side, space)


def interceptors(game: Game, side: Side, space: str) -> Stack:
    """Return all that a side may intercept with from a space; by the rules of 1998 a watched garrison too (9.1)."""
    if game.options["watched_garrison_intercepts"] and not game.besieged(space):
        return whole(game, side, space)
    return pool(game, side, space)


def locked_up(game: Game, side: Side, space: str) -> bool:
    """Tell whether a garrison cannot come out: the city is besieged, or an enemy army stands before it (9.1, 16.4.3).

    It may sally out to fight (16.4.4), but it cannot slip away.
    """
    return game.besieged(space) or game.cu(ENEMY[side], space) > 0


def room(game: Game, side: Side, space: str) -> int | None:
    """Return how many CU still fit into a side's own unbesieged city in a space; None: there is none (16.2)."""
    record = game.board.spaces[space]
    if record.kind != WALLED_CITY or game.control.get(space) != side or game.besieged(space):
        return None
    return record.capacity - game.garrison(side, space).cu


def why_not_inside(game: Game, side: Side, space: str, force: Stack, start: str) -> Refusal | None:
    """Say why a force that ends its march in a space may not go inside the city there; None: it may (16.2).

    Who sets out from the city itself leaves his own place in it free.
    """
    name, free = game.board.spaces[space].name, room(game, side, space)
    if free is None:
        return Refusal(f"{name} is no unbesieged city of yours", "16.2")
    if space == start and game.march is None:
        stack = game.stack(side, space)
        normal = min(force.cu - force.elephants, stack.cu - stack.elephants)
        free += force.cu - normal - min(force.elephants, stack.elephants)
    return Refusal(f"{free} more CU fit into {name}, not {force.cu}", "16.2") if force.cu > free else None


def enter_city(game: Game, space: str, force: Stack) -> None:
    """Add a force that has left the open to the garrison of its city (16.2)."""
    inside = game.garrisons.setdefault(space, Stack())
    inside.cu += force.cu
    inside.elephants += force.elephants
    inside.generals += force.generals
    inside.train = inside.train or force.train
    arrange(game, inside)


def leave_city(game: Game, space: str, force: Stack) -> None:
    """Take a force out of the garrison of a city (16.2)."""
    inside = game.garrisons[space]
    inside.cu -= force.cu
    inside.elephants -= force.elephants
    inside.generals = [general for general in inside.generals if general not in force.generals]
    if inside.empty:
        del game.garrisons[space]


def detach(game: Game, side: Side, space: str, force: Stack) -> Stack:
    """Take a force out of a stack, from inside the city too where the open has not enough, and return it (9.5).

    The siege train goes with the last units.
    """
    stack, inside = game.stack(side, space), game.garrison(side, space)
    normal = min(force.cu - force.elephants, stack.cu - stack.elephants)
    elephants = min(force.elephants, stack.elephants)
    if space in game.stacks[side]:
        names = [general for general in force.generals if general in stack.generals]
        game.take(side, space, Stack(normal + elephants, elephants, names))
        left = game.stacks[side].get(space)
        if left is not None and left.train and not left.cu and force.cu:
            game.take(side, space, Stack(train=True))
            force.train = True
        if space in game.stacks[side]:
            arrange(game, game.stacks[side][space])
    if not inside.empty:
        leave_city(game, space, Stack(force.cu - normal - elephants, force.elephants - elephants, force.generals))
    return force
