"""The end of a turn: winter attrition, political isolation, the victory check (5.4 to 5.6, 15.4, 17 to 19)."""

from __future__ import annotations

from typing import Final

from pbem.game import Table
from pbem.protocol import Flow, Side
from pbem.rules.rome_carthage.battle.losses import Army, Cause, Hardship, attrition
from pbem.rules.rome_carthage.battle.politics import give_up_markers, removable_markers
from pbem.rules.rome_carthage.position.board import ITALY, WALLED_CITY
from pbem.rules.rome_carthage.position.state import CAPITAL, CARTHAGE, ENEMY, ROME, SIDES, Game, Result
from pbem.rules.rome_carthage.siege.siege import lift_left

HOME: Final = "latium"
"""The province of Italy that Carthage may lack."""


# ---- winter attrition of armies on enemy ground (5.4, 17)


def winter(game: Game, table: Table) -> Flow[None]:
    """Roll for every stack on an enemy marker, before an enemy city or with a tribe that is no friend (17.1).

    Carthage first, each side by the order of the board: the rulebook names no order, and none matters. Who is inside
    his own city is on his own ground. Generals are never lost, and stay where they are (17.2).
    """
    table.tell("winter_begins", turn=game.turn, rule="5.4")
    for side in SIDES:
        stacks = game.stacks[side]
        for space in [space for space in game.board.spaces if space in stacks and on_enemy_ground(game, side, space)]:
            army, cold = Army(side, stacks[space], space), Hardship(f"winter/{space}", Cause("winter", "17.1"))
            yield from attrition(game, table, army, cold)
            lift_left(game, table, side, space)
    game.phase = "isolation"


def on_enemy_ground(game: Game, side: Side, space: str) -> bool:
    """Tell whether a side has units in the open in a space where winter costs them (17.1)."""
    if not game.stacks[side][space].cu:
        return False
    return game.control.get(space) == ENEMY[side] or game.unfriendly_tribe(side, space)


# ---- political isolation: control markers that are cut off come off the board (5.5, 15.4)


def remove_isolated(game: Game, table: Table) -> None:
    """Take isolated markers off, those of Rome first, then those of Carthage (5.5, 15.4)."""
    for side in (ROME, CARTHAGE):
        if spaces := isolated(game, side):
            for space in spaces:
                del game.control[space]
            table.tell("isolated", side=side, spaces=spaces, rule="15.4")
    game.phase = "victory"


def isolated(game: Game, side: Side) -> list[str]:
    """List a side's markers from which no way leads to its units, a city, a tribe or a port of its own (15.4)."""
    spaces, ends, theirs = game.board.spaces, with_units(game, side), with_units(game, ENEMY[side])
    for space, holder in game.control.items():
        if holder == side and (spaces[space].port or spaces[space].kind == WALLED_CITY or space in game.tribes):
            ends.add(space)
    return [space for space in removable_markers(game, side) if not connected(game, side, space, ends, theirs)]


def connected(game: Game, side: Side, start: str, ends: set[str], theirs: set[str]) -> bool:
    """Tell whether a way leads from a space to one of those that hold a side's markers in place (15.4).

    It may lead through the side's own markers, and through spaces without a marker, a tribe or enemy units; `theirs`
    are the spaces with enemy units.
    """
    control, seen, edge = game.control, {start}, [start]
    while edge:
        here = edge.pop()
        if here in ends or not ends.isdisjoint(game.board.but_for_passes[here]):
            return True
        for near in game.board.but_for_passes[here]:
            marker = control.get(near)
            if near not in seen and (marker == side or not (marker or near in theirs or near in game.tribes)):
                seen.add(near)
                edge.append(near)
    return False


def with_units(game: Game, side: Side) -> set[str]:
    """Return the spaces in which a side has units, in the open or inside its city (15.4)."""
    inside = {space for space, garrison in game.garrisons.items() if garrison.cu and game.control.get(space) == side}
    return inside | {space for space, stack in game.stacks[side].items() if stack.cu}


# ---- victory: sudden victories, political points, the end of the war (5.6, 18, 19)


def check_victory(game: Game, table: Table) -> Flow[None]:
    """Check for victory; the side with fewer political points gives up markers for the difference (18, 19).

    After the last turn the points are counted once more when these markers are gone: more points win, a tie is
    Carthage's (18.3).
    """
    reason = carthage_wins(game)
    if reason is not None:
        game.result = Result(CARTHAGE, reason)
        return
    points = political_points(game)
    table.tell("political_points", carthage=points[CARTHAGE], rome=points[ROME], rule="18.1")
    behind = min(SIDES, key=lambda side: points[side])
    lead = points[ENEMY[behind]] - points[behind]
    yield from give_up_markers(game, table, behind, lead, "political_points")
    if game.result is None and game.turn >= game.last_turn:
        end_the_war(game, table)
    game.phase = "turn_end"


def carthage_wins(game: Game) -> str | None:
    """Say how Carthage has won at once: it holds Rome, or all provinces of Italy but Latium; None: it has not (19)."""
    if game.control.get(CAPITAL[ROME]) == CARTHAGE:
        return "rome_falls"
    provinces = (id for id, record in game.board.provinces.items() if record.region == ITALY and id != HOME)
    return "italy_lost" if all(game.controller(id) == CARTHAGE for id in provinces) else None


def political_points(game: Game) -> dict[Side, int]:
    """Return the political points of each side: one for each province that counts (18.1)."""
    holders = [game.controller(id) for id, record in game.board.provinces.items() if record.political_point]
    return {side: holders.count(side) for side in SIDES}


def end_the_war(game: Game, table: Table) -> None:
    """Count the points after the last turn (18.3)."""
    points = political_points(game)
    table.tell("final_count", carthage=points[CARTHAGE], rome=points[ROME], rule="18.3")
    if points[CARTHAGE] == points[ROME]:
        game.result = Result(CARTHAGE, "points_tied")
    else:
        game.result = Result(max(SIDES, key=lambda side: points[side]), "points")
