"""The panels beside the map: turn, round, sides, plunder, unrest, alliances, and what is off the map (4, 5, 14, 15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Cell, Grid, Panel, Row, Track
from pbem.protocol import Side
from pbem.rules.sword_of_rome.position.board import CARTHAGE, Board
from pbem.rules.sword_of_rome.position.naming import event_named
from pbem.rules.sword_of_rome.position.state import Game
from pbem.rules.sword_of_rome.siege.unrest import cap
from pbem.rules.sword_of_rome.turn.scoring import total

SHORT: Final = 4
"""Letters of a power that stands beside another one of its side."""


def panels(view: Game, printed: str) -> Iterator[Panel]:
    """Yield all panels, each in its slot; `printed` is how much of the game is as printed."""
    board = view.board
    turns = tuple(str(turn) for turn in board.years if turn <= view.last_turn)
    yield Panel("title", "Turn", (Track(turns, min(view.turn, view.last_turn) - 1),))
    yield Panel("title", "Round", tuple(_round(view)))
    yield Panel("state", "Sides", tuple(_sides(view)))
    yield Panel("tracks", _title(board), tuple(_tracks(view)))
    yield Panel("tracks", "Reconstructed map and cards", (Row(printed),))
    yield Panel("alliances", "Alliances", tuple(_alliances(view)))
    yield Panel("off_map", "Off the map", tuple(_off_map(view)))


def _title(board: Board) -> str:
    """Return what the panel of the tracks is about in this game (14.1, S 20)."""
    plunder = any(power.raids for power in board.powers.values())
    if board.powers[CARTHAGE].side is not None:
        return "Plunder and unrest"
    return "Plunder" if plunder else "Victory"


def _round(view: Game) -> Iterator[Row | Track]:
    """Yield the rounds, the order in it, and the powers without a player that have been activated (16.1.1)."""
    board = view.board
    yield Track(tuple(str(each) for each in range(1, board.tables["rounds"] + 1)), view.round - 1)
    if view.to_act:
        yield Row("To act", tuple(_cell(view, side) for side in view.to_act))
    activated = [Cell(board.powers[power].name, power) for power in view.activated]
    if view.unrest_raised:
        activated.append(Cell("unrest +1"))
    if view.event_due:
        yield Row("Gallic event", (Cell("to come"),))
    yield Row("Activated", tuple(activated) or (Cell("none"),))


def _cell(view: Game, side: Side) -> Cell:
    """Return a side as it is named at the head of a column: both of its powers, if it leads two."""
    powers = view.board.powers_of[side]
    names = [view.board.powers[power].name for power in powers]
    return Cell(names[0] if len(names) == 1 else "/".join(name[:SHORT] for name in names), powers[0])


def _sides(view: Game) -> Iterator[Grid | Row]:
    """Yield what is known of every side: VP, CU, cards in hand, deck and discards, Desperate Times (6.1, 7.4)."""
    board = view.board
    lines = {
        "VP": view.vp,
        "CU on the map": {side: view.cu_on_map(side) for side in board.sides},
        "Cards in hand": {side: len(view.hands[side]) for side in board.sides},
        "Cards in the deck": {side: len(view.decks[side]) for side in board.sides},
        "Cards discarded": {side: len(view.discards[side]) for side in board.sides},
        "Desperate Times": view.desperate_times,
    }
    if len(board.seats.persons) < len(board.sides):
        lines["VP of both sides"] = {side: total(view, board.seats_of(side)) for side in board.sides}
    yield Grid(
        columns=tuple(_cell(view, side) for side in board.sides),
        heads=tuple(Cell(label) for label in lines),
        lines=tuple(tuple(Cell(str(of[side])) for side in board.sides) for of in lines.values()),
    )


def _tracks(view: Game) -> Iterator[Row]:
    """Yield the level of automatic victory, the plunder, and the unrest with its cap (4.2, 14.1, S 20.1)."""
    board = view.board
    track = board.tables["plunder"]["track"]
    holder = "gauls" if view.plunder > 0 else "transalpine_gauls"
    yield Row("Automatic victory this turn", (Cell(f"{board.levels[min(view.turn, max(board.levels))]} VP"),))
    plunder = Cell(board.powers[holder].name, holder) if view.plunder else Cell("none")
    if any(power.raids for power in board.powers.values()):
        yield Row(f"Plunder: {abs(view.plunder)} of {track}", (plunder,))
    if board.powers[CARTHAGE].side is not None:
        yield Row("Unrest of Carthage", (Cell(f"{view.unrest}, cap {cap(view)}"),))
    elif view.militia:
        yield Row("Citizen militia in Africa", (Cell(f"{view.militia} CU", CARTHAGE),))


def _alliances(view: Game) -> Iterator[Row]:
    """Yield the alliances in force, those for ever last (15.4)."""
    permanent = ["+".join(pair) for pair in view.board.permanent]
    for pair in sorted(view.alliances, key=lambda each: each in permanent):
        cells = tuple(Cell(view.board.powers[power].name, power) for power in pair.split("+"))
        yield Row("for ever" if pair in permanent else "this turn", cells)


def _off_map(view: Game) -> Iterator[Row]:
    """Yield leaders who are displaced, to come, in the cup or out of the game, and events in effect (8.2.2, 8.4)."""
    leaders = view.board.leaders
    boxes = (
        ("Displaced", view.displaced),
        ("To come", view.reserve),
        ("In the cup", sorted(view.cup)),
        ("Out of the game", view.gone),
    )
    for label, there in boxes:
        yield Row(f"{label}: {', '.join(leaders[leader].short for leader in there) or 'nobody'}")
    marks = [
        event_named(view, mark.name) + (f" on {view.board.powers[mark.on].name}" if mark.on else "")
        for mark in view.marks
    ]
    yield Row(f"In effect: {', '.join(marks) or 'nothing'}")
