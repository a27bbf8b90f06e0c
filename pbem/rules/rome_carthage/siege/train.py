"""The Carthaginian siege train on the map: whom it goes with, where it cannot go, how it is lost (card 30)."""

from __future__ import annotations

from pbem.game import Table
from pbem.protocol import Side
from pbem.rules.rome_carthage.position.board import ALPS_PASS, PASS, SEA
from pbem.rules.rome_carthage.position.state import CARTHAGE, ENEMY, Game
from pbem.rules.rome_carthage.position.under_way import March, Stack


def bars_train(game: Game, kind: str) -> bool:
    """Tell whether the train cannot go a way: never by sea, and over which passes the edition says (card 30)."""
    if kind == PASS:
        return game.options["siege_train_passes"] == "all"
    return kind in (SEA, ALPS_PASS)


def bring_train(game: Game, table: Table, march: March, wanted: bool) -> None:
    """Let the train set out with the first units that march from its space, unless it is told to stay (card 30)."""
    side, space = march.side, march.at
    if march.force.train:
        # It has gone along with the last units.
        march.force.train = False
        game.put(side, space, Stack(train=True))
    if not wanted or not march.force.cu:
        return
    if game.stack(side, space).train:
        game.take(side, space, Stack(train=True))
    elif game.garrison(side, space).train:
        inside = game.garrisons[space]
        inside.train = False
        if inside.empty:
            del game.garrisons[space]
    else:
        return
    march.force.train = True
    table.tell("train_goes", rule="card 30", side=march.side, general=march.general, space=march.at)


def leave_train(game: Game, table: Table, march: March, kind: str) -> None:
    """Leave the train where the force is if it cannot go the way that the force goes on by (card 30)."""
    if march.force.train and bars_train(game, kind):
        march.force.train = False
        set_down(game, march.side, march.at)
        table.tell("train_left", rule="card 30", side=march.side, general=march.general, space=march.at)


def set_down(game: Game, side: Side, space: str) -> None:
    """Leave the train in a space, behind the walls that it came out of if the enemy stands before them (card 30)."""
    if game.cu(ENEMY[side], space):
        game.garrisons.setdefault(space, Stack()).train = True
    else:
        game.put(side, space, Stack(train=True))


def part_with_train(game: Game, march: March, part: Stack) -> None:
    """Hand the train over with the last units that a force picks up, or drops, on the way (card 30)."""
    if part.train:
        part.train, march.force.train = False, True
    if march.force.train and not march.force.cu:
        march.force.train = False
        game.put(march.side, march.at, Stack(train=True))


def lose_train(game: Game, table: Table, side: Side, space: str) -> None:
    """Take the train out of an army that must retreat, or that is no more (card 30)."""
    stack = game.stack(side, space)
    if stack.train:
        game.take(side, space, Stack(train=True))
        table.tell("train_lost", rule="card 30", side=side, space=space)


def lose_lone_train(game: Game, table: Table, space: str) -> None:
    """Lose the train where it stands without units among enemy ones (card 30)."""
    stack = game.stacks[CARTHAGE].get(space)
    if stack is not None and stack.train and not stack.cu and game.cu(ENEMY[CARTHAGE], space):
        lose_train(game, table, CARTHAGE, space)
