"""Routes of a retreat: where a beaten army may go, and over which spaces (12.1.1, 12.1.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbem.game import Refusal
from pbem.protocol import Side
from pbem.rules.rome_carthage.position.board import SEA
from pbem.rules.rome_carthage.position.generals import may_be_in
from pbem.rules.rome_carthage.position.naming import generals_named, no_such_space, space_named
from pbem.rules.rome_carthage.position.state import ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import Retreat, Stack
from pbem.rules.rome_carthage.siege.walls import room


@dataclass(slots=True, frozen=True)
class Route:
    """A way to safety: the spaces entered, the last being the refuge, and the CU lost on it (12.1.2)."""

    path: tuple[str, ...]
    lost: int


def retreat_of(game: Game) -> Retreat:
    """Return the limits of the loser's retreat from the battle under way (12.1.1, 16.2).

    The original attacker starts with the space he came from, by the rules of 1998 with any; the original defender
    never enters that; over passes and straits nobody retreats, nor anybody who landed or sallied out. A general who may
    not leave his country keeps his army in it.
    """
    battle, board = game.the_battle, game.board
    side, space = battle.the_loser, battle.space
    barred = [space]
    if side == battle.attacker:
        back, bound = battle.attacker_from, game.options["retreat_the_way_he_came"]
        first = [step for step in board.by_land[space] if step == back or (back is not None and not bound)]
    else:
        barred += [battle.attacker_from] if battle.attacker_from is not None else []
        first = [step for step in board.by_land[space] if step not in barred]
    for general in game.stack(side, space).generals:
        if board.generals[general].stays_in is not None:
            barred += [other for other in board.spaces if not may_be_in(game, general, other)]
    sallied = battle.sallied if side == battle.attacker and not battle.sallied.empty else None
    if sallied is None or not game.besieged(space):
        return Retreat(side, space, first, barred, None if lost_ashore(game, side) else room(game, side, space))
    left = board.spaces[space].capacity - game.garrison(side, space).cu
    back_in = Stack(sallied.cu, sallied.elephants, list(sallied.generals))
    return Retreat(side, space, first, barred, min(left, sallied.cu), back_in)


def lost_ashore(game: Game, side: Side) -> bool:
    """Tell whether a beaten side came by sea to the space of the battle, and no city there may save it (12.1.1)."""
    march, battle = game.march, game.the_battle
    if march is None or game.options["landed_may_shelter"] or side != battle.attacker:
        return False
    return march.side == side and march.at == battle.space and march.came_by == SEA


def routes(game: Game, retreat: Retreat, cu: int) -> list[Route]:
    """List the routes of retreat for a force of some CU, the shortest and then the cheapest first (12.1).

    The nearest refuge must be taken, over any of the ways to one equally near. By the rules of 2007 a longer
    way is open too if it costs fewer CU than every shortest one. A way that costs the whole force is none.
    """
    found: list[Route] = []
    cheapest: int | None = None
    ways: list[tuple[tuple[str, ...], int, int]] = [((step,), cu, 0) for step in retreat.first_steps]
    for _ in range(game.board.movement.retreat):
        onward = []
        for path, left, lost in ways:
            entered = enter(game, retreat, path[-1], left)
            if entered is None:
                continue
            left, paid, refuge = entered
            lost += paid
            if cheapest is not None and lost >= cheapest:
                continue
            if refuge:
                found.append(Route(path, lost))
            else:
                onward += [((*path, step), left, lost) for step in game.board.by_land[path[-1]] if step not in path]
        if found and cheapest is None:
            cheapest = min(route.lost for route in found)
            if not cheapest or not game.options["retreat_longer_path"]:
                break
        ways = onward
    return sorted(found, key=lambda route: (len(route.path), route.lost))


def enter(game: Game, retreat: Retreat, space: str, cu: int) -> tuple[int, int, bool] | None:
    """Return the result of entering a space in retreat: CU there, CU lost, whether it is a refuge (12.1).

    Its CU are those left and those met there; None if it cannot enter. A refuge has no enemy CU, and an own marker
    or more own CU than the force has left; or it is a city that takes the force in.
    """
    side = retreat.side
    if space in retreat.barred:
        return None
    enemy = game.stacks[ENEMY[side]].get(space)
    enemy_cu = enemy.cu if enemy is not None else 0
    paid = toll(game, retreat, space) if cu else 0
    # Generals without CU may not go where enemy CU stand (8.4.2); an army that pays with its last CU is no more.
    if (enemy_cu and not cu) or (cu and paid >= cu):
        return None
    own = game.stacks[side].get(space)
    own_cu = own.cu if own is not None else 0
    left = cu - paid
    if enemy_cu:
        return left + own_cu, paid, takes_in(game, side, space, left)
    return left + own_cu, paid, game.control.get(space) == side or own_cu > left


def takes_in(game: Game, side: Side, space: str, cu: int) -> bool:
    """Tell whether a beaten force finds refuge behind the walls of a city before which the enemy stands (12.1, 16.2).

    By the rules of 1998 any own city may shelter it, and an own marker is a refuge though the enemy stands there; but
    armies of both sides never stay in the open together, so that he who reaches an enemy is saved by walls alone.
    """
    if game.options["retreat_into_cities"] == "battle_space" and game.options["retreat_target_clear"]:
        return False
    free = room(game, side, space)
    return free is not None and free >= cu


def toll(game: Game, retreat: Retreat, space: str) -> int:
    """Return the CU that a retreating force loses in a space it enters (12.1.2).

    One for an enemy marker or, by the rules of 2007, an unfriendly tribe, and as many as the enemy has CU there
    outside the walls.
    """
    side, enemy = retreat.side, ENEMY[retreat.side]
    hostile = game.control.get(space) == enemy
    if not hostile and game.options["neutral_tribe_toll"]:
        hostile = game.unfriendly_tribe(side, space)
    stack = game.stacks[enemy].get(space)
    return int(hostile) + (stack.cu if stack is not None else 0)


def ways_named(game: Game, open_routes: Sequence[Route]) -> str:
    """Return the first routes of some as a sentence lists them, by the names of their spaces."""
    return "; ".join(" - ".join(space_named(game, step) for step in route.path) for route in open_routes[:3])


def _why_barred(game: Game, retreat: Retreat, space: str) -> str:
    """Say why a space is barred: the battle was there, the enemy came from it, a general is bound (12.1.1)."""
    name, battle = game.board.spaces[space].name, game.the_battle
    if space == retreat.space:
        return f"the battle was in {name}; a retreat leads out of it"
    if retreat.side != battle.attacker and space == battle.attacker_from:
        return f"the enemy came to the battle from {name}, and the army attacked never retreats there"
    bound = [each for each in game.stack(retreat.side, retreat.space).generals if not may_be_in(game, each, space)]
    return f"{generals_named(game, bound)} may not go to {name}, and the army stays with its general"


def why_no_route(game: Game, retreat: Retreat, path: Sequence[str], open_routes: list[Route]) -> tuple[int, Refusal]:
    """Return why a path is not one of the open routes, with the step at fault (12.1.1)."""
    board, here = game.board, retreat.space
    for at, step in enumerate(path):
        record = board.spaces.get(step)
        if record is None:
            return at, Refusal(no_such_space(game, step), "12.1")
        if step not in board.by_land[here]:
            kind = board.neighbours[here].get(step)
            way = f"across a {kind.replace('_', ' ')}" if kind else "by an ordinary line"
            no = "an army may not retreat" if kind else "does not lead"
            return at, Refusal(f"the way from {board.spaces[here].name} to {record.name} {no} {way}", "12.1")
        if at == 0 and step not in retreat.first_steps and retreat.first_steps and step not in retreat.barred:
            back = board.spaces[retreat.first_steps[0]].name
            return at, Refusal(f"the army that attacked goes back to {back} first, where it came from", "12.1")
        if step in path[:at]:
            return at, Refusal(f"the retreat has been in {record.name} already", "12.1")
        if step in retreat.barred:
            return at, Refusal(_why_barred(game, retreat, step), "12.1.1")
        here = step
    if len(path) > (most := board.movement.retreat):
        return most, Refusal(f"a retreat is at most {most} spaces long", "12.1")
    ways = ways_named(game, open_routes)
    return len(path) - 1, Refusal(f"this is not a way to the nearest refuge; open are: {ways}", "12.1")
