"""Generals: who outranks whom, what a general needs to roll, and how he is displaced (8.5, 8.6, 8.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pbem.game import Refusal, Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.battle.politics import give_up_markers
from pbem.rules.rome_carthage.position.state import CARTHAGE, CONSUL, ENEMY, ROME, Game, Result
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.siege.train import lose_lone_train

HANNIBAL: Final = "hannibal"


def rank(game: Game, general: str) -> int:
    """Return a general's rank: Hannibal stands above all Carthaginians, a consul above a proconsul (8.6)."""
    office = game.offices.get(general)
    return game.board.offices[office] if office else game.board.generals[general].rank


def is_consul(game: Game, general: str | None) -> bool:
    """Tell whether a general is one of the two consuls of the year (14)."""
    return general is not None and game.offices.get(general) == CONSUL


def precedence(game: Game, general: str) -> tuple[int, int]:
    """Return what decides who commands: the rank, and by the reorganised rules the battle rating too (8.6)."""
    rated = game.options["commander_by"] == "battle_rating"
    return rank(game, general), game.board.generals[general].battle if rated else 0


def may_command(game: Game, general: str, others: Iterable[str]) -> bool:
    """Tell whether a general may command others: nobody among them may take precedence over him (8.6)."""
    own = precedence(game, general)
    return all(precedence(game, other) <= own for other in others)


def arrange(game: Game, stack: Stack) -> None:
    """Put the highest general first; among equals the order stays, which is the owner's choice (8.5, 8.6)."""
    if len(stack.generals) > 1:
        stack.generals.sort(key=lambda general: precedence(game, general), reverse=True)


def arrive(game: Game, stack: Stack, newcomers: Sequence[str]) -> None:
    """Put in order a stack that generals have just joined without a march of their own (8.5, 8.6).

    Among equals it is for the owner to choose who commands, and he may when he activates them; until then the better in
    battle is taken for his choice.
    """
    records = game.board.generals
    for general in newcomers[:1]:
        first = stack.generals[0]
        if rank(game, general) == rank(game, first) and records[general].battle > records[first].battle:
            stack.generals.remove(general)
            stack.generals.insert(0, general)
    arrange(game, stack)


def strategy_rating(game: Game, general: str) -> int:
    """Return the lowest operations number that activates a general where he is (8.1).

    What makes it lower in some country is an ability of his, which is off while he must obey another (8.7).
    """
    record = game.board.generals[general]
    if record.strategy_in and (place := game.where(general)) is not None:
        space, inside = place
        stack = game.garrisons[space] if inside else game.stack(record.side, space)
        if general not in stack.generals or may_command(game, general, stack.generals):
            return record.strategy_at(game.board.spaces[space].region)
    return record.strategy


def may_be_in(game: Game, general: str, space: str) -> bool:
    """Tell whether a general may enter a space: Hanno never leaves Africa, Fabius never Italy (board)."""
    home = game.board.generals[general].stays_in
    return home is None or game.board.spaces[space].region == home


def why_not_at_hand(game: Game, side: Side, general: str, rule: str) -> Refusal | None:
    """Say why a side has no such general on the map, by the rule that needs him; None: it has him there (8.1)."""
    record = game.board.generals[general]
    if record.side != side:
        return Refusal(f"{record.name} is not your general", rule)
    return None if game.where(general) is not None else Refusal(f"{record.name} is not on the map", rule)


def displace(game: Game, table: Table, side: Side, generals: Sequence[str], cause: str) -> Flow[None]:
    """Take generals off the map; they come back as reinforcements, but for Hannibal and Africanus (8.9).

    What Hannibal costs is asked for when all of them have gone.
    """
    for general in generals:
        record = game.board.generals[general]
        game.offices.pop(general, None)
        if not record.returns or general == HANNIBAL:
            game.out.append(general)
        elif side == ROME:
            game.reserve.append(general)
        else:
            game.displaced.setdefault(side, []).append(general)
        table.tell("displaced", side=side, general=general, cause=cause, rule="8.9")
    if HANNIBAL in generals and game.result is None:
        yield from _lose_hannibal(game, table)


def drive_off_generals(game: Game, table: Table, side: Side, space: str) -> Flow[None]:
    """Displace enemy generals without CU whose space an army has come to (8.9)."""
    enemy = ENEMY[side]
    alone = game.stacks[enemy].get(space)
    if alone is not None and not alone.cu and game.stack(side, space).cu:
        lose_lone_train(game, table, space)
        game.stacks[enemy].pop(space, None)
        yield from displace(game, table, enemy, alone.generals, "overtaken")


def displace_the_destroyed(game: Game, table: Table) -> Flow[None]:
    """Displace, by the rules of 1998, the generals of a side whose CU all fell in the battle itself (8.9)."""
    battle = game.the_battle
    if not game.options["battle_displaces"]:
        return
    for side in (battle.attacker, ENEMY[battle.attacker]):
        stack = game.stacks[side].get(battle.space)
        if stack is not None and not stack.cu:
            del game.stacks[side][battle.space]
            yield from displace(game, table, side, stack.generals, "battle")


def _lose_hannibal(game: Game, table: Table) -> Flow[None]:
    """Make Carthage pay for the loss of Hannibal: by markers, or with the game, as the edition says (8.9, 19)."""
    if game.options["hannibal_displaced"] == "rome_wins":
        game.result = Result(ROME, "hannibal_displaced")
    else:
        yield from give_up_markers(game, table, CARTHAGE, game.board.hannibal_markers, "hannibal_displaced")
