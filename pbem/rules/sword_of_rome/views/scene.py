"""The scene to draw: who holds what, armies, sieges, VP, rounds, plunder, unrest, alliances (2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pbem.game import BaseMap, Cell, Counter, DrawnSide, Marker, Panel, Row, Scene, Track, base_map
from pbem.protocol import Event
from pbem.rules.sword_of_rome.position.board import Board
from pbem.rules.sword_of_rome.position.force import Force
from pbem.rules.sword_of_rome.position.state import Game

if TYPE_CHECKING:
    from pbem.game import Box


def base(box: Box, board: Board) -> BaseMap:
    """Return the map as it is printed."""
    return base_map(box.table("layout"), box.table("coast"), box.table("map")["spaces"], board.connections)


def scene(view: Game, base: BaseMap, colours: Mapping[str, str], told: Sequence[Event] = ()) -> Scene:
    """Return the scene of a position as its viewer knows it; powers are told apart by name as by colour."""
    board = view.board
    years = tuple(map(str, board.years))
    turn = min(view.turn, max(board.years))
    return Scene(
        base,
        title=f"Turn {view.turn}, {board.years[turn]}",
        subtitle=_subtitle(view),
        sides=tuple(DrawnSide(power.id, power.name, colours[power.id]) for power in board.powers.values()),
        control={space: view.control.get(space) for space in board.spaces},
        counters=tuple(_counters(view)),
        markers=tuple(_markers(view)),
        panels=(
            Panel("title", "Turn", (Track(years, turn - 1),)),
            Panel("state", "Sides", tuple(_standing(view))),
        ),
    )


def _subtitle(view: Game) -> str:
    if view.result is not None:
        return "the game is over"
    if view.activation is not None:
        return f"round {view.round}: {view.board.powers[view.board.powers_of[view.activation.side][0]].name}"
    return f"round {view.round}" if view.round else ""


def _standing(view: Game) -> Iterator[Row]:
    board = view.board
    yield Row(
        "", tuple(Cell(board.powers[board.powers_of[side][0]].name, board.powers_of[side][0]) for side in board.sides)
    )
    rows = {
        "VP": view.vp,
        "CU on the map": {side: view.cu_on_map(side) for side in board.sides},
        "Cards in hand": {side: len(view.hands[side]) for side in board.sides},
        "Desperate Times": view.desperate_times,
    }
    for label, of in rows.items():
        yield Row(label, tuple(Cell(str(of[side])) for side in board.sides))
    yield Row("Automatic victory", (Cell(str(board.levels[min(view.turn, max(board.levels))])),))
    yield Row("Plunder", (Cell(str(view.plunder)),))
    yield Row("Unrest", (Cell(str(view.unrest)),))


def _counters(view: Game) -> Iterator[Counter]:
    for power in view.board.powers:
        for space in view.board.spaces:
            force = view.forces[power].get(space)
            if force is not None:
                yield _counter(view, power, space, force)
    for space, force in view.inside.items():
        yield _counter(view, view.control[space], space, force, inside=True)


def _counter(view: Game, power: str, space: str, force: Force, inside: bool = False) -> Counter:
    leaders = view.board.leaders
    return Counter(
        space,
        power,
        strength=str(force.cu) if force.cu else "",
        label=leaders[force.leaders[0]].short if force.leaders else "",
        sublabel=", ".join(leaders[leader].short for leader in force.leaders[1:]),
        badges=(f"{force.mercenaries} m",) if force.mercenaries else (),
        inside=inside,
    )


def _markers(view: Game) -> Iterator[Marker]:
    for space, loyalty in view.loyalty.items():
        siege = view.sieges.get(space)
        if siege is None:
            yield Marker(space, str(loyalty))
        else:
            yield Marker(space, f"{siege.level}/{loyalty}", "siege", siege.by)
    for space, siege in view.sieges.items():
        if space in view.tribes:
            yield Marker(space, f"{siege.level}/{view.board.spaces[space].subjugation}", "siege", siege.by)
