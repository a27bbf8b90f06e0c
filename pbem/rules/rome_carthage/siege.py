"""Sieges of cities and subjugation of tribes: the roll at the end of a march, and what comes of it (16.4, 16.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.board import WALLED_CITY
from pbem.rules.rome_carthage.generals import displace, is_consul
from pbem.rules.rome_carthage.losses import suffer
from pbem.rules.rome_carthage.questions import Kinds, yes_or_no
from pbem.rules.rome_carthage.state import CARTHAGE, CONSULAR_ARMY, ENEMY, ROME, SIDES, Battle, Game, Result
from pbem.table import Table

CAPITALS: Final[Mapping[str, Side]] = {"carthage": CARTHAGE, "rome": ROME}


def end_of_march(game: Game, table: Table, side: Side, space: str) -> Flow[None]:
    """Let the army that ends its march at an enemy city or an unfriendly tribe besiege or subjugate it once (16.4)."""
    if not may_besiege(game, side, space):
        return
    march = game.the_march
    city = is_enemy_city(game, side, space)
    order = yield from table.ask(
        side,
        "besiege",
        rule="16.4",
        default={"attempt": True},
        space=space,
        general=march.general,
        cu=game.stack(side, space).cu,
        points=game.siege_points.get(space, 0),
    )
    if not order["attempt"]:
        return
    what = "siege" if city else "subjugation"
    roll = table.roll(
        f"{what}/{space}",
        rule="16.4",
        modifiers=siege_modifiers(game, side, space) if city else {},
        side=side,
        space=space,
        general=march.general,
    )
    points, lost = game.board.siege_result(roll.total)
    if points:
        stands = game.siege_points[space] = game.siege_points.get(space, 0) + points
        table.tell(f"{what}_points", rule="16.4", side=side, space=space, gained=points, points=stands)
    yield from suffer(
        game, table, side, game.stack(side, space), lost, elephant=False, cause=what, rule="16.4", space=space
    )
    if game.siege_points.get(space, 0) >= game.board.siege.points:
        yield from (capture if city else subjugate)(game, table, side, space)


def may_besiege(game: Game, side: Side, space: str) -> bool:
    """Say whether the general who marched may besiege or subjugate what is in the space (16.4).

    He needs three CU there, his own or found there; under another's command five if he is a consul (14.2).
    """
    march = game.march
    stack = game.stacks[side].get(space)
    if march is None or stack is None or march.general not in stack.generals:
        return False
    if not is_target(game, side, space) or (game.truce and game.control.get(space) == ENEMY[side]):
        return False
    subordinate = stack.commander != march.general
    needed = CONSULAR_ARMY if subordinate and is_consul(game, march.general) else game.board.siege.cu
    return stack.cu >= needed


def is_enemy_city(game: Game, side: Side, space: str) -> bool:
    """Say whether a space holds a walled city of the enemy (16.1)."""
    return game.board.spaces[space].kind == WALLED_CITY and game.control.get(space) == ENEMY[side]


def siege_modifiers(game: Game, side: Side, space: str) -> dict[str, int]:
    """Return the modifiers of a siege roll: strong walls, Carthage without engines; none to subjugate (16.4)."""
    return {
        "walls": game.board.spaces[space].siege_modifier,
        "no_siege_train": game.board.siege.carthage if side == CARTHAGE else 0,
    }


def capture(game: Game, table: Table, side: Side, space: str) -> Flow[None]:
    """Take a walled city: all inside are lost, and a fallen capital ends the war (16.4.1, 19)."""
    del game.siege_points[space]
    inside = game.garrisons.pop(space, None)
    game.control[space] = side
    table.tell("city_falls", rule="16.4.1", side=side, space=space, cu=inside.cu if inside else 0)
    if CAPITALS.get(space) == ENEMY[side]:
        game.result = Result(side, f"{space}_falls")
        game.out += inside.generals if inside else []
    elif inside:
        yield from displace(game, table, ENEMY[side], inside.generals, "city_falls")


def subjugate(game: Game, table: Table, side: Side, space: str) -> Flow[None]:
    """Take a tribe off the board for good; a control marker of the victor replaces it (16.4.2)."""
    del game.siege_points[space]
    game.tribes.remove(space)
    game.control[space] = side
    table.tell("tribe_subjugated", rule="16.4.2", side=side, space=space)
    yield from ()


def lift_empty(game: Game, table: Table) -> None:
    """End every siege and subjugation where no CU of a besieger are left in the space (16.5)."""
    for space in sorted(game.siege_points):
        if not kept_up(game, space):
            _lift(game, table, space)


def kept_up(game: Game, space: str) -> bool:
    """Tell whether CU of somebody stand where they keep up a siege or a subjugation (16.5)."""
    return any(game.cu(side, space) and is_target(game, side, space) for side in SIDES)


def is_target(game: Game, side: Side, space: str) -> bool:
    """Tell whether a space holds what a side can besiege or subjugate (16.4)."""
    return is_enemy_city(game, side, space) or game.unfriendly_tribe(side, space)


def lift_left(game: Game, table: Table, side: Side, space: str) -> None:
    """End the siege or the subjugation that a side was at in a space where it has no CU any more (16.5)."""
    if space in game.siege_points and not game.cu(side, space) and is_target(game, side, space):
        _lift(game, table, space)


def lift_of(game: Game, table: Table, battle: Battle) -> None:
    """End a subjugation whose army a battle has driven off, though the victor stands there in its place (16.5).

    Who had been at it? He who stood there before the battle: the defender, unless all of him had come by
    interception.
    """
    space, defender = battle.space, ENEMY[battle.attacker]
    if space not in game.siege_points or game.board.spaces[space].kind == WALLED_CITY:
        return
    was_there = battle.strength[defender] > sum(battle.defender_from.values())
    if not game.stack(defender if was_there else battle.attacker, space).cu:
        _lift(game, table, space)


def _lift(game: Game, table: Table, space: str) -> None:
    """Take the points of a siege or a subjugation off the board (16.5)."""
    points = game.siege_points.pop(space)
    kind = "subjugation_ends" if space in game.tribes else "siege_lifted"
    table.tell(kind, rule="16.5", space=space, points=points)


KINDS: Final[Kinds] = {"besiege": yes_or_no("besiege", "attempt")}
