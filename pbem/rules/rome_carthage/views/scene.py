"""The scene to draw: markers, armies, sieges, the turn, political points (3, 18.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pbem.game import Arrow, BaseMap, Cell, Counter, Marker, Panel, Row, Scene, Track, base_map, drawn_sides
from pbem.protocol import Event
from pbem.rules.rome_carthage.position.board import Board, General
from pbem.rules.rome_carthage.position.records import SideRecord
from pbem.rules.rome_carthage.position.state import CONSUL, PROCONSUL, SIDES, Game
from pbem.rules.rome_carthage.position.under_way import Stack
from pbem.rules.rome_carthage.turn.end_of_turn import political_points

if TYPE_CHECKING:
    from pbem.game import Box


def base(box: Box, board: Board) -> BaseMap:
    """Return the map as it is printed."""
    chart = box.table("map")
    return base_map(box.table("layout"), box.table("coast"), chart["spaces"], board.connections)


_OFFICES: Final[Mapping[str | None, str]] = {CONSUL: "C", PROCONSUL: "PC"}
"""The letters for an office on a counter, as the legend of layout.yaml has them."""


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
        arrows=tuple(_arrows(board, told)),
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
    yield Row(f"More points after turn {view.last_turn} win; a tie is Carthage's")


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
    """Return an army: who commands it with his office and ratings, and below him who is with it."""
    generals = [view.board.generals[general] for general in stack.generals]
    badges = (
        *(_OFFICES[office] for general in generals[:1] if (office := view.offices.get(general.id)) in _OFFICES),
        *(f"{general.strategy}-{general.battle}" for general in generals[:1]),
        *([f"{stack.elephants} el"] if stack.elephants else ()),
        *(["train"] if stack.train else ()),
    )
    return Counter(
        space,
        side,
        strength=str(stack.cu) if stack.cu or not generals else "",
        label=generals[0].short if generals else "",
        sublabel=", ".join(_also(view, general) for general in generals[1:]),
        badges=badges,
        inside=inside,
        id=generals[0].id if generals else f"{side}/{space}{'/inside' if inside else ''}",
    )


def _also(view: Game, general: General) -> str:
    """Return the name of a general who does not command, with his office."""
    office = view.offices.get(general.id)
    return f"{general.short} ({_OFFICES[office]})" if office in _OFFICES else general.short


def _markers(view: Game) -> Iterator[Marker]:
    for space, points in view.siege_points.items():
        holder = view.control.get(space)
        besieger = next((side for side in SIDES if side != holder and (view.cu(side, space))), None)
        word = "subdue" if space in view.tribes else "siege"
        yield Marker(space, f"{word} {points}/{view.board.siege.points}", "siege", besieger)
    if view.battle is not None:
        round_now = view.battle.round_now
        yield Marker(view.battle.space, f"round {round_now}" if round_now else "battle", "battle")


class _March:
    """The way of a march that is being told, and who leads it."""

    def __init__(self) -> None:
        self.way: list[str] = []
        self.side = self.name = ""

    def arrow(self) -> Iterator[Arrow]:
        """Yield the arrow of what it has marched so far."""
        if len(self.way) > 1:
            yield Arrow(tuple(self.way), self.side, name=self.name)


def _arrows(board: Board, told: Sequence[Event]) -> Iterator[Arrow]:
    """Yield one arrow for each march, interception, avoidance and retreat, from what was told of them."""

    def named(generals: Sequence[str]) -> str:
        return board.generals[generals[0]].short if generals else ""

    march = _March()
    for event in told:
        facts = event.facts
        if event.kind == "marches":
            yield from march.arrow()
            march.way, march.side, march.name = [facts["space"]], facts["side"], named([facts["general"]])
        elif event.kind in ("entered", "turned_back", "backed_up") and march.way:
            march.way.append(facts["space"])
        elif event.kind == "sails" and march.way:
            yield from march.arrow()
            yield Arrow((facts["origin"], facts["space"]), march.side, "sea", march.name)
            march.way = [facts["space"]]
        elif event.kind == "sails_back" and march.way:
            yield Arrow((march.way[-1], facts["space"]), march.side, "sea", march.name)
            march.way = [facts["space"]]
        elif event.kind == "fleet_returns" and march.way:
            march.way = [facts["space"]]
        elif event.kind == "fleet_sunk":
            march.way = []
        elif event.kind == "intercepted":
            yield Arrow((facts["origin"], facts["at"]), facts["side"], name=named([facts["general"]]))
        elif event.kind == "avoided":
            yield Arrow((facts["at"], facts["refuge"]), facts["side"], "retreat", named([facts["general"]]))
        elif event.kind == "withdraws_to":
            yield Arrow((facts["space"], facts["refuge"]), facts["side"], "retreat", named(facts["generals"]))
        elif event.kind == "retreats":
            way = (facts["space"], *facts["path"])
            yield Arrow(way, facts["side"], "retreat", named(facts["generals"]))
    yield from march.arrow()
