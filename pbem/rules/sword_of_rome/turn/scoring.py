"""The Scoring Phase and how the game ends (4, 5.8, 5.10.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pbem.game import Table
from pbem.protocol import Side
from pbem.rules.sword_of_rome.position.board import CARTHAGE, GAULS, Board
from pbem.rules.sword_of_rome.position.state import Game, Result


def score(game: Game, table: Table) -> None:
    """Adjust the VP and check for victory (5.8.1, 5.8.2)."""
    for side in game.in_play:
        won, lost = gains(game, side), losses(game, side)
        before = game.vp[side]
        steps = [won, -lost] if game.options["vp_steps"] == "steps" else [won - lost]
        for step in steps:
            add_vp(game, side, step)
        table.tell("scored", side=side, won=won, lost=lost, before=before, vp=game.vp[side], rule="5.8.1")
    first = max(game.in_play, key=lambda side: (game.vp[side], -game.board.side_rank(side)))
    if game.vp[first] >= game.board.levels[game.turn]:
        table.tell("automatic_victory", side=first, vp=game.vp[first], rule="4.2")
        win(game, table, "automatic_victory", "4.2")
    elif game.turn >= game.last_turn:
        win(game, table, "most_vp", "4.3")
    game.phase = "alliances"


def win(game: Game, table: Table, reason: str, rule: str) -> None:
    """End the game: the person with the most VP wins, by the sum of their sides (4.2, 4.3).

    The order of ties decides between equals. All sides of the winner win together.
    """
    board = game.board
    playing = [sides for sides in board.seats.persons if {*sides} - {*game.out}]
    best = max(playing, key=lambda sides: (total(game, sides), -min(board.side_rank(side) for side in sides)))
    game.result = Result(list(best), reason)
    if reason == "most_vp" or len(best) > 1:
        table.tell("final_count", sides=list(best), vp=total(game, best), rule=rule)


def total(game: Game, sides: Sequence[Side]) -> int:
    """Return the VP of some sides together (4.3)."""
    return sum(game.vp[side] for side in sides)


def add_vp(game: Game, side: Side, points: int) -> None:
    """Add VP to those of a side, within the track (5.8.1)."""
    game.vp[side] = min(max(game.vp[side] + points, 0), game.board.tables["vp"]["most"])


@lru_cache(maxsize=8)
def _homes(board: Board) -> dict[str, str | None]:
    """Return the victory spaces of a board, and whose home each is."""
    return {space.id: space.home for space in board.spaces.values() if space.victory}


def gains(game: Game, side: Side) -> int:
    """Return the victory spaces that a side controls outside its home; the Gauls score none of them (4.1.1, 4.1.2)."""
    own = game.board.powers_of[side]
    if GAULS in own:
        return 0
    return sum(
        game.control.get(space) in own and game.control[space] != home for space, home in _homes(game.board).items()
    )


def losses(game: Game, side: Side) -> int:
    """Return the home victory spaces that a side has lost, and for Carthage what the unrest costs (4.1.1, S 20.2)."""
    own = game.board.powers_of[side]
    lost = sum(home in own and game.control.get(space) != home for space, home in _homes(game.board).items())
    if CARTHAGE in own:
        lost += game.unrest // game.board.tables["unrest"]["vp"]
    return lost


def drop_out(game: Game, table: Table) -> None:
    """Take the sides without CU on the map out of the game; the last one left has won (5.10.3).

    With two players a side goes out by itself, or with the other one of its person (option `player_out`).
    """
    option = game.options["player_out"]
    for side in [side for side in game.in_play if not any(map(game.cu_on_map, game.player(side, option)))]:
        game.out.append(side)
        own = game.board.powers_of[side]
        for power in own:
            for force in [*game.forces[power].values()]:
                game.gone.extend(force.leaders)
            for space in [space for space in game.inside if game.control.get(space) == power]:
                game.gone.extend(game.inside.pop(space).leaders)
            game.forces[power] = {}
            for leaders in (game.displaced, game.reserve, game.cup):
                leaving = [leader for leader in leaders if game.board.leaders[leader].power == power]
                game.gone.extend(leaving)
                leaders[:] = [leader for leader in leaders if leader not in leaving]
        game.alliances = [pair for pair in game.alliances if not set(pair.split("+")) & set(own)]
        for space in [space for space, holder in game.control.items() if holder in own]:
            del game.control[space]
            if space in game.loyalty:
                game.loyalty[space] = game.board.tables["city"]["converted"]
        table.tell("out_of_the_game", side=side, rule="5.10.3")
    left = {game.board.seats_of(side) for side in game.in_play}
    if len(left) == 1 and game.result is None:
        game.result = Result(list(left.pop()), "last_left")
