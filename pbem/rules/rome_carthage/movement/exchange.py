"""Units and generals dropped and taken on a march (8.2, 8.7, 14.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.game import Refusal
from pbem.protocol import Fault, Path
from pbem.rules.rome_carthage.movement.card_play import exhausted, resting
from pbem.rules.rome_carthage.orders import Exchange, illegal
from pbem.rules.rome_carthage.position.generals import arrange, is_consul, may_command
from pbem.rules.rome_carthage.position.naming import general_named, generals_named, space_named
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import Game
from pbem.rules.rome_carthage.siege.walls import room


def check_exchange(
    view: Game, change: Exchange, path: Path, force: Stack, stack: Stack, space: str, at_start: int
) -> Iterator[Fault]:
    """Yield what is wrong with dropping or taking CU and generals; if nothing, do it on trial (8.2, 8.7, 14.2)."""
    drops = path[-1] == "drop"
    source = force if drops else stack
    names, cu, elephants = list(change.generals), change.cu, change.elephants
    if not names and not cu:
        yield illegal(path, f"say what to {path[-1]}: cu, or generals", rule="8.7")
        return
    for at, general in enumerate(names):
        if general not in source.generals or general == force.generals[0] or general in names[:at]:
            have = generals_named(view, [name for name in source.generals if name != force.generals[0]])
            place = "marches along" if drops else f"is in {space_named(view, space)}"
            if general in names[:at]:
                reason = f"{general_named(view, general)} is named twice"
            elif general == force.generals[0]:
                reason = f"{general_named(view, general)} leads the march"
            else:
                reason = f"{general_named(view, general)} is not here; who {place}: {have}"
            yield illegal((*path, "generals", at), reason, rule="8.7")
            return
    if cu > source.cu or elephants > min(cu, source.elephants) or cu - elephants > source.cu - source.elephants:
        have = f"{source.cu} CU, {source.elephants} of them elephants"
        yield illegal(path, f"the {'force' if drops else 'space'} has {have}", rule="8.2")
        return
    if (why := why_no_exchange(view, force, stack, space, names, cu, drops, at_start)) is not None:
        yield illegal(path, why.reason, rule=why.rule)
        return
    if change.inside:
        side = view.board.generals[force.generals[0]].side
        free = room(view, side, space) if drops else None
        if free is None or cu > free:
            reason = f"{free} more CU fit inside" if free is not None else "inside is for what you drop at your city"
            yield illegal((*path, "inside"), reason, rule="16.2")
            return
    exchange(force, names, cu, elephants, drops)
    exchange(stack, names, cu, elephants, not drops)
    arrange(view, stack)


def why_no_exchange(
    game: Game, force: Stack, stack: Stack, space: str, names: list[str], cu: int, drops: bool, at_start: int
) -> Refusal | None:
    """Say why a force may not drop to a stack, or take from it, on its march; None: it may (8.7, 14.2).

    `at_start` is how many CU there were where it set out: two consuls may part on the way, too, if that was enough.
    """
    leader, keeps = force.generals[0], game.board.consular_army
    if drops and not force.cu:
        return None
    if drops:
        parting = any(is_consul(game, name) for name in names)
        if is_consul(game, leader) and (cu or parting) and force.cu - cu < keeps:
            return Refusal(f"a consul's army keeps {keeps} CU; {force.cu - cu} would march on", "14.2")
        least = game.options["consul_split_min"]
        if parting and (max(at_start, force.cu + stack.cu) < least or cu + stack.cu < keeps):
            reason = f"a consul is left behind only with {keeps} CU, from an army of {least} or where both have as many"
            return Refusal(reason, "14.2")
        return None
    if names and not game.options["pick_up_generals"]:
        return Refusal("a general picks up units on the way, but no generals (option pick_up_generals)", "8.7")
    side = game.board.generals[leader].side
    if done := [name for name in names if name in resting(game, side)]:
        return Refusal(f"{game.board.generals[done[0]].name} moves no more on this card", "8.7")
    if cu > stack.cu - (tired := exhausted(game, side, space)):
        return Refusal(f"{tired} of the CU in {space_named(game, space)} go no further on this card", "8.7")
    if force.cu + cu > (most := game.board.movement.cu):
        return Refusal(f"at most {most} CU march with a general, not {force.cu + cu}", "8.7")
    if not may_command(game, leader, names):
        name = game.board.generals[leader].name
        return Refusal(f"{name} may not take along a general who outranks him", "8.7")
    stays = [name for name in stack.generals if name not in names]
    if cu and any(is_consul(game, name) for name in stays) and stack.cu - cu < keeps:
        return Refusal(
            f"the consul in {space_named(game, space)} must keep {keeps} CU; {stack.cu - cu} would be left", "14.2"
        )
    return None


def exchange(force: Stack, names: Sequence[str], cu: int, elephants: int, drops: bool) -> None:
    """Change a force by what it drops or takes (8.2, 8.7)."""
    sign = -1 if drops else 1
    force.cu += sign * cu
    force.elephants += sign * elephants
    if drops:
        force.generals = [general for general in force.generals if general not in names]
    else:
        force.generals.extend(names)
