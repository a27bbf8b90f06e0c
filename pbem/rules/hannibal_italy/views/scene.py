"""The scene of a position: the hexes, armies and their backs, sieges, tracks, and who leads what (3, 7.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pbem.game import Arrow, BaseMap, Counter, Marker, Scene, drawn_sides, hex_map
from pbem.protocol import Event, Record
from pbem.rules.hannibal_italy.position.board import CLASS_1, ELEPHANTS, Board
from pbem.rules.hannibal_italy.position.forces import garrison, hexes_of, loose_inside, sp
from pbem.rules.hannibal_italy.position.state import (
    CONSUL,
    DICTATOR,
    MASTER_OF_HORSE,
    PRAETOR,
    PROCONSUL,
    RANKS,
    SIDES,
    UNSEEN,
    Game,
)
from pbem.rules.hannibal_italy.siege.siege import PARTIAL
from pbem.rules.hannibal_italy.views.panel import name, panels, phase

if TYPE_CHECKING:
    from pbem.game import Box

_ROAD: Final = "road"
_BADGES: Final[Mapping[str, str]] = {CONSUL: "C", PROCONSUL: "PC", PRAETOR: "P", DICTATOR: "D", MASTER_OF_HORSE: "MH"}
"""The letters for an office on a counter, as the legend of layout.yaml has them."""


def base(box: Box, board: Board) -> BaseMap:
    """Return the map as it is printed."""
    hexes = (
        {
            "id": each.id,
            "at": each.at,
            "terrain": each.terrain,
            "region": each.province,
            **(_city(board, each.city) if each.city is not None else {}),
        }
        for each in board.hexes.values()
    )
    roads = sorted((a, b, _ROAD) for a, b in board.roads if a < b)
    rivers = sorted((a, b) for a, b in board.rivers if a < b)
    return hex_map(box.table("layout"), box.table("coast"), hexes, roads, rivers)


def _city(board: Board, id: str) -> dict[str, str]:
    """Return what is printed of a city: name, class, loyalty, and a cross where legions are raised (3.2)."""
    city = board.cities[id]
    signs = (*([] if city.loyalty is None else [str(city.loyalty)]), *(["+"] if city.recruiting else []))
    return {"name": city.name, "kind": city.kind, "signs": "".join(signs)}


def scene(view: Game, base: BaseMap, sides: Sequence[Record], told: Sequence[Event] = ()) -> Scene:
    """Return the scene of a position as its viewer knows it, with arrows for the marches just told."""
    board = view.board
    return Scene(
        base,
        title=f"{view.segment.title()} of {view.year} BC",
        subtitle=phase(view),
        sides=drawn_sides(sides),
        control={board.cities[city].hex: side for city, side in view.cities.items()},
        tints=dict(view.provinces),
        counters=tuple(_counters(view)),
        markers=tuple(_markers(view)),
        arrows=tuple(_arrows(view, told)),
        panels=tuple(panels(view, sides)),
    )


def _counters(view: Game) -> Iterator[Counter]:
    for side in SIDES:
        for hex in hexes_of(view, side):
            for id in sorted(view.leaders_at(side, hex), key=lambda id: (_rank(view, id), id)):
                yield _leader(view, side, hex, id)
            if units := view.loose[side].get(hex):
                loose = Counter(hex, side, inside=loose_inside(view, side, hex), id=f"{side}/{hex}")
                yield _with_units(view, loose, units)
    for city in view.garrisons:
        where, strength = view.board.cities[city].hex, str(garrison(view, city))
        yield Counter(where, view.cities[city], strength, inside=True, id=f"garrison/{city}")


def _rank(view: Game, leader: str) -> int:
    """Return who is named first in a stack: who may command (10.31)."""
    card, office = view.card(leader), view.leaders[leader].office
    if office in RANKS:
        return RANKS.index(office)
    return 0 if card.supreme else 2 if card.gaulish else 1


def _leader(view: Game, side: str, hex: str, id: str) -> Counter:
    leader = view.leaders[id]
    badges = (*([_BADGES[leader.office]] if leader.office else ()), str(view.card(id).combat))
    counter = Counter(hex, side, label=name(view, id), badges=badges, inside=leader.inside, id=id)
    return _with_units(view, counter, leader.units)


def _with_units(view: Game, counter: Counter, units: Mapping[str, int]) -> Counter:
    """Return a counter with its units; the back of it if the viewer may not know them (7.5)."""
    board = view.board
    if UNSEEN in units:
        return replace(counter, hidden=True)
    herd = sum(count for unit, count in units.items() if board.units[unit].kind == ELEPHANTS)
    badges = (*counter.badges, f"{herd} el") if herd else counter.badges
    return replace(counter, strength=str(sp(board, units)) if units else "", badges=badges)


def _markers(view: Game) -> Iterator[Marker]:
    for city, siege in view.sieges.items():
        record = view.board.cities[city]
        done = 1 if siege.works == PARTIAL else 2
        words = f"works {done}/2" if record.kind == CLASS_1 else f"siege {siege.number}+"
        yield Marker(record.hex, words, "siege", siege.side)
    if view.battle is not None:
        words = f"round {view.battle.round}" if view.battle.round else "battle"
        yield Marker(view.battle.hex, words, "battle")


def _moves(told: Sequence[Event]) -> bool:
    return any(event.kind in ("marched", "withdrawn") for event in told)


def _arrows(view: Game, told: Sequence[Event]) -> Iterator[Arrow]:
    """Yield an arrow for each march and withdrawal that was told, of the last segment: more nobody can tell apart."""
    begun = [at for at, event in enumerate(told) if event.kind == "segment_begins"]
    for event in told[max((at for at in begun if _moves(told[at:])), default=0) :]:
        facts = event.facts
        if event.kind == "marched" and len(facts.get("way", ())) > 1:
            leader = facts["leader"]
            yield Arrow(tuple(facts["way"]), view.card(leader).side, name=name(view, leader))
        elif event.kind == "withdrawn":
            leaders = facts.get("leaders", ())
            named = name(view, leaders[0]) if leaders else ""
            yield Arrow((facts["hex"], facts["refuge"]), facts["side"], "retreat", named)
