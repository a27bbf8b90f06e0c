"""The scene to draw: who holds what, armies, sieges, marches just told, and the panels beside the map (2.2).

Powers are told apart without colour too: by their marks, and by the names of their leaders or else by letters. The
panels say the turn, the round, sides, plunder, unrest, alliances, and what is off the map (4, 5, 14, 15).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from pbem.game import (
    Arrow,
    BaseMap,
    Cell,
    Counter,
    Grid,
    Marker,
    Panel,
    Row,
    Scene,
    Track,
    base_map,
    drawn_sides,
)
from pbem.protocol import Event, Record, Side
from pbem.rules.sword_of_rome.position.board import CARTHAGE, NORMAL, TRIBE, WALLED, Board, Space
from pbem.rules.sword_of_rome.position.naming import event_named
from pbem.rules.sword_of_rome.position.state import Force, Game
from pbem.rules.sword_of_rome.siege.unrest import cap
from pbem.rules.sword_of_rome.turn.scoring import total
from pbem.rules.sword_of_rome.views.summary import under_way

if TYPE_CHECKING:
    from pbem.game import Box

SHORT: Final = 4
"""Letters of a power that stands beside another one of its side."""
_ROLES: Final[Mapping[str | None, str]] = {"consul": "C", "dictator": "D"}
"""The letters for an office on a counter, as the legend of layout.yaml has them."""
_MERCENARIES: Final = "3 m"
"""The sign of mercenaries in the legend."""


# ---- panels


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


# ---- the map


def base(box: Box, board: Board) -> BaseMap:
    """Return the map as it is printed, without spaces that are out of play; the legend has what is in play.

    The name of a space says what it scores and brings (4.1.1, 5.10.1).
    """
    layout = box.table("layout")
    kinds = {NORMAL, WALLED, *(space.kind for space in board.spaces.values())}  # a space can become one of the first
    mercenaries = board.powers[CARTHAGE].side is not None
    away = {space["id"] for space in box.table("map")["spaces"]} - board.spaces.keys()
    return base_map(
        {
            **layout,
            "places": {id: place for id, place in layout["places"].items() if id not in away},
            "place_kinds": {kind: look for kind, look in layout["place_kinds"].items() if kind.split("_")[0] in kinds},
            "meanings": {
                sign: told for sign, told in layout["meanings"].items() if mercenaries or sign != _MERCENARIES
            },
        },
        box.table("coast"),
        [
            {**record, "kind": _drawn(space, space.kind), "signs": _signs(space)}
            for record in box.table("map")["spaces"]
            for space in [board.spaces.get(record["id"])]
            if space is not None
        ],
        board.connections,
    )


def _drawn(space: Space, kind: str) -> str:
    """Return the kind of place that a space of a kind is drawn as."""
    return f"{kind}_victory" if space.victory else kind


def _signs(space: Space) -> str:
    """Return the signs behind the name of a space."""
    return " ".join((["*"] if space.victory else []) + ([f"+{space.reinforcement}"] if space.reinforcement else []))


def scene(view: Game, base: BaseMap, powers: Sequence[Record], printed: str, told: Sequence[Event] = ()) -> Scene:
    """Return the scene of a position as its viewer knows it, with arrows for the marches just told.

    `powers` are those in the game; `printed` is how much of the game is as printed.
    """
    board = view.board
    return Scene(
        base,
        title=f"Turn {view.turn}, {board.years[min(view.turn, max(board.years))]}",
        subtitle=under_way(view),
        sides=drawn_sides(powers),
        control={space: view.control.get(space) for space in board.spaces},
        kinds=dict(_kinds(view)),
        counters=tuple(_counters(view, {power["id"]: power["sign"] for power in powers})),
        markers=tuple(_markers(view)),
        arrows=tuple(_arrows(view, told)),
        panels=tuple(panels(view, printed)),
    )


def _kinds(view: Game) -> Iterator[tuple[str, str]]:
    """Yield the spaces that are of another kind than at the start: colonies, and tribes that are none any more."""
    for space in view.board.spaces.values():
        if (kind := view.kind(space.id)) != space.kind:
            yield space.id, _drawn(space, kind)


def _counters(view: Game, signs: dict[str, str]) -> Iterator[Counter]:
    for power in view.board.powers:
        for space in view.board.spaces:
            force = view.forces[power].get(space)
            if force is not None:
                yield _counter(view, power, space, force, signs)
    march = view.march
    if march is not None and not march.force.empty:
        yield _counter(view, march.power, march.at, march.force, signs)
    for space, force in view.inside.items():
        yield _counter(view, view.control[space], space, force, signs)


def _counter(view: Game, power: str, space: str, force: Force, signs: dict[str, str]) -> Counter:
    """Return an army; one without a leader bears the letters of its power where a leader's name would stand."""
    inside = force is view.inside.get(space)
    leaders = view.board.leaders
    first = [leaders[leader] for leader in force.leaders[:1]]
    badges = (
        *(_ROLES[leader.role] for leader in first if leader.role in _ROLES),
        *(f"{leader.initiative}-{leader.tactics}" for leader in first),
        *([f"{force.mercenaries} m"] if force.mercenaries else ()),
    )
    return Counter(
        space,
        power,
        strength=str(force.cu) if force.cu else "",
        label=leaders[force.leaders[0]].short if force.leaders else signs[power],
        sublabel=", ".join(leaders[leader].short for leader in force.leaders[1:]),
        badges=badges,
        inside=inside,
        id=first[0].id if first else f"{power}/{space}{'/inside' if inside else ''}",
    )


def _markers(view: Game) -> Iterator[Marker]:
    """Yield what makes each city and tribe fall: its loyalty or its factor, and how far a siege has come (13).

    A capital overseas does not fall (17).
    """
    fall = {space: loyalty for space, loyalty in view.loyalty.items() if not view.board.is_capital(space)}
    fall |= {space: view.board.spaces[space].subjugation for space in view.tribes if view.kind(space) == TRIBE}
    for space, needed in fall.items():
        siege = view.sieges.get(space)
        if siege is None:
            yield Marker(space, f"colony {needed}" if space in view.colonies else str(needed))
        else:
            yield Marker(space, f"siege {siege.level}/{needed}", "siege", siege.by)
    if view.battle is not None:
        yield Marker(view.battle.space, "battle", "battle")


def _arrows(view: Game, told: Sequence[Event]) -> Iterator[Arrow]:
    """Yield one arrow for each march, voyage, interception, avoidance and retreat, from what was told of them."""
    march = Arrow((), "")
    sails, origin = False, ""
    for event in told:
        facts = event.facts
        named = _short(view, facts.get("leader"))
        if event.kind == "marches":
            yield from _march(march)
            march = Arrow((facts["space"],), facts["power"], name=named)
        elif event.kind == "sails" and march.places:
            sails = True
        elif event.kind == "enters" and march.places:
            if sails:
                yield from _march(march)
                yield replace(march, places=(march.places[-1], facts["space"]), style="sea")
                march, sails = replace(march, places=(facts["space"],)), False
            else:
                march = replace(march, places=(*march.places, facts["space"]))
        elif event.kind in ("avoids", "intercepts"):  # tried: what follows says whether it succeeds
            origin = facts["origin"]
        elif event.kind in ("avoided", "intercepted") and origin:
            style: Literal["march", "retreat"] = "retreat" if event.kind == "avoided" else "march"
            yield Arrow((origin, facts["space"]), facts["power"], style, named)
            origin = ""
        elif event.kind == "retreats" and facts["path"]:
            yield Arrow((facts["space"], *facts["path"]), facts["power"], "retreat")
    yield from _march(march)


def _short(view: Game, leader: str | None) -> str:
    return "" if leader is None else view.board.leaders[leader].short


def _march(march: Arrow) -> Iterator[Arrow]:
    if len(march.places) > 1:
        yield march
