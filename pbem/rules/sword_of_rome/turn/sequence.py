"""The sequence of a turn (5): each phase, and what ends with the turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pbem.game import Table
from pbem.protocol import Checkpoint, Flow, Side
from pbem.rules.sword_of_rome.events.alliances import renew_alliances
from pbem.rules.sword_of_rome.position.board import DICTATOR
from pbem.rules.sword_of_rome.position.state import FOR_GOOD, Activation, Game
from pbem.rules.sword_of_rome.siege.siege import take_fallen
from pbem.rules.sword_of_rome.turn.action import act_on
from pbem.rules.sword_of_rome.turn.attrition import attrition, remove_isolated, surrender
from pbem.rules.sword_of_rome.turn.draw import check_mines, draw_cards
from pbem.rules.sword_of_rome.turn.order_of_play import choose_first_player
from pbem.rules.sword_of_rome.turn.reinforcements import reinforce
from pbem.rules.sword_of_rome.turn.scoring import score


def play(game: Game, table: Table) -> Flow[None]:
    """Play the phases, with a checkpoint after each and after every action, until somebody has won (5)."""
    while game.result is None:
        acting = game.activation
        if game.phase in SILENT:
            SILENT[game.phase](game, table)
        else:
            yield from PHASES[game.phase](game, table)
        yield from take_fallen(game, table)
        yield Checkpoint(keep_queue=_waiting(game, acting))


def _waiting(game: Game, acting: Activation | None) -> frozenset[Side]:
    """Return the sides whose orders ahead still wait: until their own activation is over, or the turn (5.4, 7.4.1).

    What is ordered for the window before the next activation must outlast the one that is under way.
    """
    if game.phase == "mines":
        return frozenset()
    done = [] if acting is None or game.activation is acting else [acting.side]
    return frozenset(game.board.sides).difference(done)


def begin_turn(game: Game, table: Table) -> None:
    """Begin a turn: the mines are looked after (5.1)."""
    table.tell("turn_begins", turn=game.turn, years=game.board.years[game.turn], rule="5")
    check_mines(game, table)


def end_turn(game: Game, table: Table) -> None:
    """End the turn, and with it the events and the Dictator that last as long, wherever he is (5.11, 8.2.2)."""
    table.tell("turn_ends", turn=game.turn, rule="5.11")
    game.marks = [mark for mark in game.marks if mark.until == FOR_GOOD]
    for forces in (*game.forces.values(), game.inside):
        for space, force in list(forces.items()):
            force.leaders = _without_dictator(game, force.leaders)
            if force.empty:
                del forces[space]
    game.displaced = _without_dictator(game, game.displaced)
    game.turn += 1
    game.phase = "mines"


def _without_dictator(game: Game, leaders: list[str]) -> list[str]:
    """Return some leaders without the Dictator, who is set aside until his event brings him again."""
    leaving = [leader for leader in leaders if game.board.leaders[leader].role == DICTATOR]
    game.reserve += leaving
    return [leader for leader in leaders if leader not in leaving]


SILENT: Final[Mapping[str, Callable[[Game, Table], None]]] = {
    "mines": begin_turn,
    "isolation": remove_isolated,
    "scoring": score,
    "turn_end": end_turn,
}
"""The phases without decisions."""
PHASES: Final[Mapping[str, Callable[[Game, Table], Flow[None]]]] = {
    "draw": draw_cards,
    "first_player": choose_first_player,
    "action": act_on,
    "attrition": attrition,
    "surrender": surrender,
    "alliances": renew_alliances,
    "reinforcement": reinforce,
}
