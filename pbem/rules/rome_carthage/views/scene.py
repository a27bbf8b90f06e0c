"""What there is to draw: markers, armies, sieges, the turn, political points (3, 18.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pbem.game import Arrow, BaseMap, Cell, Counter, DrawnSide, Marker, Panel, Row, Scene, Track, base_map
from pbem.protocol import Event
from pbem.rules.rome_carthage.position.stack import Stack
from pbem.rules.rome_carthage.position.state import SIDES, Game
from pbem.rules.rome_carthage.turn.victory import political_points

if TYPE_CHECKING:
    from pbem.game import Box


def base(box: Box, board: Any) -> BaseMap:
    """Return the map as it is printed."""
    chart = box.table("map")
    return base_map(box.table("layout"), box.table("coast"), chart["spaces"], board.connections)


def scene(known: Game, base: BaseMap, sides: Sequence[Mapping[str, Any]], told: Sequence[Event] = ()) -> Scene:
    """Return the scene of a position as its viewer knows it, with arrows for the marches just told."""
    board = known.board
    control: dict[str, str | None] = dict(known.control)
    provinces = {province: known.controller(province) for province in board.provinces}
    return Scene(
        base,
        title=f"Turn {known.turn}, {board.years[min(known.turn, max(board.years))]}",
        subtitle=_subtitle(known),
        sides=tuple(DrawnSide(side["id"], side["name"], side["colour"]) for side in sides),
        control=control,
        tints=provinces,
        counters=tuple(_counters(known)),
        markers=tuple(_markers(known)),
        arrows=tuple(_arrows(told)),
        panels=(
            Panel("title", "Turn", (Track(tuple(map(str, board.years)), min(known.turn, max(board.years)) - 1),)),
            Panel("state", "Sides", tuple(_standing(known, sides))),
        ),
    )


def _subtitle(known: Game) -> str:
    """Return what is going on, and whether there is a Truce (card 64)."""
    return ", ".join(filter(None, (_going_on(known), "Truce" if known.truce else "")))


def _going_on(known: Game) -> str:
    if known.result is not None:
        return "the war is over"
    if known.battle is not None:
        return f"battle at {known.board.spaces[known.battle.space].name}, round {known.battle.round}"
    if known.march is not None:
        return f"{known.board.generals[known.march.general].name} is on the march"
    return f"card play {known.plays + 1}" if known.phase == "strategy" else ""


def _standing(known: Game, sides: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    yield Row("", tuple(Cell(str(side["name"]), str(side["id"])) for side in sides))
    units = {side: sum(stack.cu for stack in known.stacks[side].values()) for side in SIDES}
    for space, inside in known.garrisons.items():
        units[known.control[space]] += inside.cu
    if known.march is not None:
        units[known.march.side] += known.march.force.cu
    rows = {
        "Political points": political_points(known),
        "Combat units": units,
        "Cards in hand": {side: len(known.hands[side]) for side in SIDES},
    }
    for label, of in rows.items():
        yield Row(label, tuple(Cell(str(of[str(side["id"])])) for side in sides))


def _counters(known: Game) -> Iterator[Counter]:
    for side in SIDES:
        for space in known.board.spaces:
            stack = known.stacks[side].get(space)
            if stack is not None:
                yield _counter(known, side, space, stack, inside=False)
    march = known.march
    if march is not None and not march.force.empty:
        yield _counter(known, march.side, march.at, march.force, inside=False)
    for space, inside in known.garrisons.items():
        yield _counter(known, known.control[space], space, inside, inside=True)


def _counter(known: Game, side: str, space: str, stack: Stack, *, inside: bool) -> Counter:
    names = [known.board.generals[general].short for general in stack.generals]
    badges = (*([f"{stack.elephants} el"] if stack.elephants else ()), *(["train"] if stack.train else ()))
    strength = str(stack.cu) if stack.cu or not names else ""
    return Counter(space, side, strength, names[0] if names else "", ", ".join(names[1:]), badges, inside)


def _markers(known: Game) -> Iterator[Marker]:
    for space, points in known.siege_points.items():
        holder = known.control.get(space)
        besieger = next((side for side in SIDES if side != holder and (known.cu(side, space))), None)
        word = "subdue" if space in known.tribes else "siege"
        yield Marker(space, f"{word} {points}", "siege", besieger)
    if known.battle is not None:
        yield Marker(known.battle.space, "battle", "battle")


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
