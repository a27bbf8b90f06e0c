"""The scene to draw: markers, armies, sieges, the turn, political points (3, 18.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pbem.game import Arrow, BaseMap, Cell, Counter, Marker, Panel, Row, Scene, Track, base_map, drawn_sides
from pbem.protocol import Event
from pbem.rules.rome_carthage.position.board import Board
from pbem.rules.rome_carthage.position.records import SideRecord
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import SIDES, Game
from pbem.rules.rome_carthage.turn.victory import political_points

if TYPE_CHECKING:
    from pbem.game import Box


def base(box: Box, board: Board) -> BaseMap:
    """Return the map as it is printed."""
    chart = box.table("map")
    return base_map(box.table("layout"), box.table("coast"), chart["spaces"], board.connections)


def scene(view: Game, base: BaseMap, sides: Sequence[SideRecord], told: Sequence[Event] = ()) -> Scene:
    """Return the scene of a position as its viewer knows it, with arrows for the marches just told."""
    board = view.board
    control: dict[str, str | None] = dict(view.control)
    provinces = {province: view.controller(province) for province in board.provinces}
    return Scene(
        base,
        title=f"Turn {view.turn}, {board.years[min(view.turn, max(board.years))]}",
        subtitle=_subtitle(view),
        sides=drawn_sides(sides),
        control=control,
        tints=provinces,
        counters=tuple(_counters(view)),
        markers=tuple(_markers(view)),
        arrows=tuple(_arrows(told)),
        panels=(
            Panel("title", "Turn", (Track(tuple(map(str, board.years)), min(view.turn, max(board.years)) - 1),)),
            Panel("state", "Sides", tuple(_standing(view, sides))),
        ),
    )


def _subtitle(view: Game) -> str:
    """Return what is under way, and whether there is a Truce (card 64)."""
    return ", ".join(filter(None, (_going_on(view), "Truce" if view.truce else "")))


def _going_on(view: Game) -> str:
    if view.result is not None:
        return "the war is over"
    if view.battle is not None:
        return f"battle at {view.board.spaces[view.battle.space].name}, round {view.battle.round_now}"
    if view.march is not None:
        return f"{view.board.generals[view.march.general].name} is on the march"
    return f"card play {view.plays + 1}" if view.phase == "strategy" else ""


def _standing(view: Game, sides: Sequence[SideRecord]) -> Iterator[Row]:
    yield Row("", tuple(Cell(side["name"], side["id"]) for side in sides))
    units = {side: sum(stack.cu for stack in view.stacks[side].values()) for side in SIDES}
    for space, inside in view.garrisons.items():
        units[view.control[space]] += inside.cu
    if view.march is not None:
        units[view.march.side] += view.march.force.cu
    rows = {
        "Political points": political_points(view),
        "Combat units": units,
        "Cards in hand": {side: len(view.hands[side]) for side in SIDES},
    }
    for label, of in rows.items():
        yield Row(label, tuple(Cell(str(of[side["id"]])) for side in sides))


def _counters(view: Game) -> Iterator[Counter]:
    for side in SIDES:
        for space in view.board.spaces:
            stack = view.stacks[side].get(space)
            if stack is not None:
                yield _counter(view, side, space, stack, inside=False)
    march = view.march
    if march is not None and not march.force.empty:
        yield _counter(view, march.side, march.at, march.force, inside=False)
    for space, inside in view.garrisons.items():
        yield _counter(view, view.control[space], space, inside, inside=True)


def _counter(view: Game, side: str, space: str, stack: Stack, *, inside: bool) -> Counter:
    names = [view.board.generals[general].short for general in stack.generals]
    badges = (*([f"{stack.elephants} el"] if stack.elephants else ()), *(["train"] if stack.train else ()))
    strength = str(stack.cu) if stack.cu or not names else ""
    return Counter(space, side, strength, names[0] if names else "", ", ".join(names[1:]), badges, inside)


def _markers(view: Game) -> Iterator[Marker]:
    for space, points in view.siege_points.items():
        holder = view.control.get(space)
        besieger = next((side for side in SIDES if side != holder and (view.cu(side, space))), None)
        word = "subdue" if space in view.tribes else "siege"
        yield Marker(space, f"{word} {points}", "siege", besieger)
    if view.battle is not None:
        yield Marker(view.battle.space, "battle", "battle")


def _arrows(told: Sequence[Event]) -> Iterator[Arrow]:
    """Yield one arrow for each march, interception, avoidance and retreat, from what was told of them."""
    way: list[str] = []
    side = ""
    for event in told:
        facts = event.facts
        if event.kind == "marches":
            if len(way) > 1:
                yield Arrow(tuple(way), side)
            way, side = [facts["space"]], facts["side"]
        elif event.kind in ("entered", "turned_back", "backed_up") and way:
            way.append(facts["space"])
        elif event.kind == "sails" and way:
            if len(way) > 1:
                yield Arrow(tuple(way), side)
            yield Arrow((facts["origin"], facts["space"]), side, "sea")
            way = [facts["space"]]
        elif event.kind == "sails_back" and way:
            yield Arrow((way[-1], facts["space"]), side, "sea")
            way = [facts["space"]]
        elif event.kind == "fleet_returns" and way:
            way = [facts["space"]]
        elif event.kind == "fleet_sunk":
            way = []
        elif event.kind == "intercepted":
            yield Arrow((facts["origin"], facts["at"]), facts["side"])
        elif event.kind == "avoided":
            yield Arrow((facts["at"], facts["refuge"]), facts["side"], "retreat")
        elif event.kind == "withdraws_to":
            yield Arrow((facts["space"], facts["refuge"]), facts["side"], "retreat")
        elif event.kind == "retreats":
            yield Arrow((facts["space"], *facts["path"]), facts["side"], "retreat")
    if len(way) > 1:
        yield Arrow(tuple(way), side)
